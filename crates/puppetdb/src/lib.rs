//! PuppetDB's query API over the fleet store: PQL and AST, all entities, for SQLite and PostgreSQL.
mod answer;
mod check;
mod entity;
mod error;
mod fact_path;
mod field;
mod json_text;
pub mod limits;
mod plan;
pub mod pql;
mod request;
mod routes;
mod rows;
mod sql;
mod sqlite;
mod time;

pub use answer::{Answer, Head, Output, Settings, answer};
pub use error::QueryError;
pub use request::QueryRequest;
pub use sqlite::{check_pattern, sqlite_functions};
