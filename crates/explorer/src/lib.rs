//! The web explorer: pages about nodes, runs, graphs and the origins of values.
//!
//! [`asset`] has the files of the pages, which a browser loads once. They ask for documents:
//! [`store_document`] answers about the nodes in the database of a server to a [`Viewer`] with roles, [`graph_document`] about
//! a compiled graph, [`compared_document`] about the facts of two nodes, and [`why`] explains an
//! attribute of a compiled graph. The database pages all tables, and each has a form as CSV.
//!
//! ```
//! use ordain_explorer::{PageRequest, Viewer, store_document};
//! use ordain_fleet_store::Sqlite;
//!
//! let dir = tempfile::tempdir()?;
//! let database = Sqlite::open(&dir.path().join("nodes.sqlite"), 1, Vec::new())?;
//! let request = PageRequest { segments: vec!["nodes"], parameters: vec![("format", "csv")] };
//! let document = store_document(&database, &Viewer::unrestricted("alice"), &request)?;
//! assert!(document.text.starts_with("name,environment,status"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The crate must not know: HTTP, certificates, how anything is compiled.

mod assets;
mod compiled;
mod critical_path;
mod document;
mod error;
mod facts;
mod links;
mod request;
mod role;
mod store;
mod viewer;
mod why;

pub use assets::{Asset, CONTENT_SECURITY_POLICY, asset, version};
pub use compiled::{GraphView, compared_document, graph_document, matching_resources};
pub use document::{Document, table_document};
pub use error::ExplorerError;
pub use request::PageRequest;
pub use role::Role;
pub use store::{
    changeable_run, chosen_nodes, environment_of, last_report, nodes_of_environment,
    store_document, stored_graph,
};
pub use viewer::{Grant, Viewer};
pub use why::{ReadText, why};
