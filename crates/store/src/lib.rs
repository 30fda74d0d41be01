//! What Ordain remembers between runs, in an embedded database: the journal of runs.
//!
//! Before a run changes the machine for a resource it writes that down; so after a kill at any
//! instant the next run can say what was under way. One run at a time: see [`RunLock`]. Nothing
//! that a secret holds comes here, because no value of an attribute does.

mod error;
mod journal;
mod lock;
mod migrate;

pub use error::StoreError;
pub use journal::{Interrupted, Run, Store, UnderWay};
pub use lock::RunLock;
