//! The server's database: nodes with their facts, catalogs and reports, the inventory of the
//! certificate authority, stored answers to compile requests, and the audit log.
//!
//! [`Database`] has two implementations, [`Sqlite`] and [`Postgres`]. Their calls block. SQLite has
//! no other interface, a transaction holds a connection for milliseconds, and the server has threads
//! for blocking work anyway since it compiles there; so one form of the code serves both databases.

mod canonical;
mod command;
mod compression;
mod database;
mod dialect;
mod error;
mod ingest;
mod migrate;
mod postgres;
mod rows;
mod sqlite;
mod time;
mod value;

pub use command::{
    Catalog, CatalogInputs, Command, Deactivation, Edge, Event, Expiration, FactLeaf, FactValue,
    Facts, Package, Report, Resource,
};
pub use compression::decompress;
pub use database::{Connection, Database, RowFunction, Work, read, write};
pub use dialect::Dialect;
pub use error::FleetStoreError;
pub use ingest::{Outcome, apply, apply_all};
pub use postgres::Postgres;
pub use sqlite::{FunctionBody, SqlFunction, Sqlite};
pub use time::{format_time, now, parse_time};
pub use value::Value;
