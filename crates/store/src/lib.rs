//! State of Ordain between runs, in embedded databases: the journal of runs, and the exports of
//! nodes for each other.
//!
//! Before a run changes the machine for a resource it writes that down; so after a kill at any
//! instant the next run can say what was under way. One run at a time: see [`RunLock`]. Nothing
//! that a secret holds comes into the journal, because no value of an attribute does; exported
//! resources are kept apart ([`ExportStore`]).

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
mod program_exports;
mod survey;

pub use backups::{ChangedPath, PathBefore};
pub use damage::Damage;
pub use directory::StateDir;
pub use error::StoreError;
pub use exports::ExportStore;
pub use history::{Outcome, RunRecord, StepRecord};
pub use journal::{InterruptedRun, Run, StepInProgress, Store, Subject};
pub use key::MachineKey;
pub use lock::RunLock;
pub use program_exports::ProgramExport;
pub use survey::{Condition, Finding, Remedy, Survey};
