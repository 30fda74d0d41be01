//! State of Ordain between runs, in embedded databases: the journal of runs, and exported
//! resources.
//!
//! A run records each resource before it changes the machine. So if it is killed at any time, the
//! next run can report the interrupted changes. [`RunLock`] allows one run at a time. The journal
//! contains no values of attributes and thus no secrets; exported resources are stored separately
//! ([`ExportStore`]).

mod audited;
mod backups;
mod damage;
mod directory;
mod error;
mod exports;
mod history;
mod journal;
mod key;
mod lock;
mod migrate;
mod survey;

pub use backups::{ChangedPath, PathBefore};
pub use damage::Damage;
pub use directory::StateDir;
pub use error::StoreError;
pub use exports::ExportStore;
pub use history::{Outcome, RunRecord, StepRecord};
pub use journal::{InterruptedRun, Run, RunTarget, StepInProgress, Store};
pub use key::MachineKey;
pub use lock::RunLock;
pub use survey::{Condition, Finding, Remedy, StateCheck};
