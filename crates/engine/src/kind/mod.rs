//! The second floor: the contract between resource kinds and the engine that runs them.
//!
//! A kind implements [`Kind`] and [`Instance`]; it reads its attributes with `params`, describes
//! differences with `differences`, and runs system tools with `tools`. A run reports the outcome in
//! a [`report`]. Nothing here depends on a particular kind, or on the order of resources.

mod change;
mod contract;
pub(crate) mod differences;
mod error;
mod log;
pub(crate) mod params;
pub mod report;
pub(crate) mod tools;

pub use change::{Action, Change, TextChange};
pub(crate) use contract::own_identity;
pub use contract::{
    BatchCommand, ChangeOutcome, Instance, Kind, ParseContext, ParseResult, Registry, Relationship,
    ReversalAttributes,
};
pub(crate) use error::all_of;
pub use error::{AttributeError, KindError};
pub use log::{Level, LogLine, LogSource};
pub use params::{reveal, scalar_text};
