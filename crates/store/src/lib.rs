//! What Ordain remembers between runs, in embedded databases: the journal of runs, and what nodes
//! export for each other.
//!
//! Before a run changes the machine for a resource it writes that down; so after a kill at any
//! instant the next run can say what was under way. One run at a time: see [`RunLock`]. Nothing
//! that a secret holds comes into the journal, because no value of an attribute does; exported
//! resources are kept apart ([`ExportStore`]).

mod audited;
mod damage;
mod directory;
mod error;
mod exports;
mod given;
mod journal;
mod kept;
mod key;
mod lock;
mod migrate;
mod past;
mod survey;

pub use damage::Damage;
pub use directory::StateDir;
pub use error::StoreError;
pub use exports::ExportStore;
pub use given::Given;
pub use journal::{Interrupted, Run, Store, Subject, UnderWay};
pub use kept::{FoundPath, KeptPath};
pub use key::MachineKey;
pub use lock::RunLock;
pub use past::{Outcome, PastRun, PastStep};
pub use survey::{Condition, Finding, Remedy, Survey};
