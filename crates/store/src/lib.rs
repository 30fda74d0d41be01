//! What Ordain remembers between runs, in embedded databases: the journal of runs, and what nodes
//! export for each other.
//!
//! Before a run changes the machine for a resource it writes that down; so after a kill at any
//! instant the next run can say what was under way. One run at a time: see [`RunLock`]. Nothing
//! that a secret holds comes into the journal, because no value of an attribute does; exported
//! resources are kept apart ([`ExportStore`]).

mod error;
mod exports;
mod given;
mod journal;
mod kept;
mod lock;
mod migrate;
mod past;

pub use error::StoreError;
pub use exports::ExportStore;
pub use given::Given;
pub use journal::{Interrupted, Run, Store, UnderWay};
pub use kept::KeptPath;
pub use lock::RunLock;
pub use past::{PastRun, PastStep};
