//! The changes that a commit makes on every node of a fleet.
//!
//! [`diff()`] compiles every node at two states of the sources ([`Range`]) and compares the graphs.
//! Equal changes are one [`FoundChange`] with the nodes that have it; [`FleetDiff::groups`] groups
//! them, and [`render`] writes them. [`compare_graphs`] compares two graphs of one node.
//!
//! ```
//! use ordain_data::Value;
//! use ordain_driver::Options;
//! use ordain_fleet::{FleetNode, Range, Request, diff};
//!
//! let dir = tempfile::tempdir()?;
//! for (side, mode) in [("a", "0644"), ("b", "0600")] {
//!     std::fs::create_dir_all(dir.path().join(side).join("manifests"))?;
//!     let site = format!("file {{ '/etc/motd': mode => '{mode}' }}");
//!     std::fs::write(dir.path().join(side).join("manifests/site.pp"), site)?;
//! }
//! let range = format!("{0}/a..{0}/b", dir.path().display());
//! let nodes = ["web", "db"].map(|name| FleetNode::new(name, Value::map::<&str>([]), None));
//! let (range, options) = (Range::parse(&range)?, Options::default());
//! let found = diff(&Request::new(dir.path(), &range, &nodes, &options))?;
//! assert_eq!(found.groups()[0].nodes, ["web", "db"]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`NodeStore`] reads nodes, facts, reports and [`Drift`] from the database of a server, pins nodes
//! and runs many of them ([`RunDriver`]). [`NodeCompiler`] compiles one of its nodes.
//!
//! [`Repository`] compiles single nodes of a repository at any revision, and keeps recent graphs.
//!
//! [`diff_queued`] has other processes compile the nodes: any number of workers ([`work`]) take them
//! from a queue in the database.
//!
//! The crate must not know: arguments, terminals, exit codes.

mod cache;
mod cause;
mod change;
mod collect;
mod compare;
mod directory;
mod error;
mod exports;
mod filter;
mod ignore;
mod node_compile;
mod nodes;
mod octocatalog;
mod queue;
mod recent;
pub mod render;
mod repository;
mod result;
mod revision;
mod run;
mod side;
mod store;

pub use cause::Cause;
pub use change::{
    Change, ChangeKind, Content, Digest, DocumentChange, DocumentDifference, Relation,
};
pub use collect::FoundChange;
pub use compare::compare_graphs;
pub use error::FleetError;
pub use filter::{ChangeFilter, NodeFilter, class_resource};
pub use ignore::IgnoreRule;
pub use node_compile::NodeCompiler;
pub use nodes::{
    FleetNode, NodeFacts, add_node_data, nodes_of_directory, nodes_of_puppetdb, nodes_of_store,
};
pub use octocatalog::OctocatalogSettings;
pub use ordain_fleet_store::{
    FleetJobProgress, FleetRunLimits, FleetRunNode, FleetRunNodeState, FleetRunResume,
    FleetRunSettings, FleetRunState, FleetRunStep,
};
pub use queue::{Queue, WorkerEvent, WorkerOptions, diff_queued, work};
pub use recent::Recent;
pub use repository::{NodeGraph, Repository};
pub use result::{FleetDiff, Group, NodeDiff};
pub use revision::{Range, Side};
pub use run::{Request, diff};
pub use store::{
    Canaries, Drift, DriftState, FactOfNode, NodeSelection, NodeStatus, NodeStore, RunDriver,
    StoredEvent, StoredLog, StoredNode, StoredPin, StoredReport, run_order,
};
