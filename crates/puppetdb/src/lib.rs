//! PuppetDB's query API over the fleet store: PQL and AST over all entities, for SQLite and
//! PostgreSQL.
//!
//! [`answer`] handles a request without HTTP, and streams the rows:
//!
//! ```
//! use ordain_fleet_store::Sqlite;
//! use ordain_puppetdb::{Response, QueryRequest, Settings, answer, sqlite_functions};
//!
//! let directory = tempfile::tempdir()?;
//! let database = Sqlite::open(&directory.path().join("fleet.db"), 2, sqlite_functions())?;
//! let query = "nodes[certname] { facts { name = 'kernel' and value = 'Linux' } }";
//! let request = QueryRequest::get("", &[("query", query)])?;
//! let mut output = Response::default();
//! answer(&database, &Settings::default(), &request, &mut output)?;
//! assert_eq!(output.body, b"[]");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A request goes through these steps:
//!
//! | module | step |
//! | --- | --- |
//! | `routes`, `request` | the endpoint, its parameters, and the conditions of its path |
//! | [`pql`] | PQL to AST |
//! | `check` | names, against the table of entities (`entity`) |
//! | `plan` | AST to a typed query, with PuppetDB's silent defaults |
//! | `sql` | the typed query to SQL with bound parameters |
//! | `rows` | rows to JSON |
//!
//! [`StoredExports`] and [`StoredNodes`] answer compiles.
//!
//! [`sqlite_functions`] adds functions to SQLite that behave like PostgreSQL's.

mod check;
mod compile;
mod entity;
mod error;
mod fact_path;
mod field;
mod json_text;
pub mod limits;
mod plan;
pub mod pql;
mod request;
mod response;
mod routes;
mod rows;
mod sql;
mod sqlite;
mod time;

#[cfg(test)]
mod tests;

pub use compile::{StoredExports, StoredNodes};
pub use error::QueryError;
pub use request::QueryRequest;
pub use response::{Response, ResponseHead, ResponseWriter, Settings, answer};
pub use sqlite::{check_pattern, sqlite_functions};
