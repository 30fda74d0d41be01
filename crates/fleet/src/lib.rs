//! The changes that a commit makes on every node of a fleet.
mod cause;
mod change;
mod collect;
mod compare;
mod directory;
mod error;
mod exports;
mod filter;
mod ignore;
mod nodes;
pub mod render;
mod result;
mod revision;
mod run;
mod side;

pub use cause::Cause;
pub use change::{
    Change, ChangeKind, Content, Digest, DocumentChange, DocumentDifference, Relation,
};
pub use collect::FoundChange;
pub use error::FleetError;
pub use filter::{ChangeFilter, NodeFilter};
pub use ignore::IgnoreRule;
pub use nodes::{FleetNode, NodeFacts, nodes_of_directory};
pub use result::{FleetDiff, Group, NodeDiff};
pub use revision::{Range, Side};
pub use run::{Request, diff};
