//! PuppetDB's query languages over the fleet store.
mod check;
mod entity;
pub mod error;
mod fact_path;
mod field;
pub mod limits;
mod plan;
pub mod pql;
mod sql;
mod time;
