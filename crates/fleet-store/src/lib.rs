//! The server's database: nodes with their facts, catalogs and reports, the inventory of the
//! certificate authority, stored answers to compile requests, and the audit log.
//!
//! [`Database`] has two implementations, [`Sqlite`] and [`Postgres`]. Their calls block. SQLite has
//! no other interface, a transaction holds a connection for milliseconds, and the server has threads
//! for blocking work anyway since it compiles there; so one form of the code serves both databases.

mod answers;
mod audit;
mod authority;
mod canonical;
mod command;
mod compression;
mod contents;
mod database;
mod dialect;
mod error;
mod gc;
mod ingest;
mod key;
mod leases;
mod migrate;
mod postgres;
mod rows;
mod sqlite;
pub mod terminus;
mod time;
mod value;

pub use answers::{Answer, Question, answer, put_answer, remove_answer, set_verified};
pub use audit::{AuditEntry, append_audit, verify_audit};
pub use authority::{
    CertificateRow, certificate_by_serial, certificates_of, current_certificates, forget_current,
    put_certificate, put_request, put_revocation_list, remove_request, request, requests,
    revocation_list, revoke_all, revoked_serials,
};
pub use command::{
    Catalog, CatalogInputs, Command, Deactivation, Edge, Event, Expiration, FactLeaf, FactValue,
    Facts, Package, Report, Resource,
};
pub use compression::decompress;
pub use contents::{Digest, content, put_content, put_secret, secret};
pub use database::{Connection, Database, RowFunction, Work, read, write};
pub use dialect::Dialect;
pub use error::FleetStoreError;
pub use gc::{Collected, Retention, collect_garbage};
pub use ingest::{Outcome, apply, apply_all};
pub use key::StoreKey;
pub use leases::{acquire_lease, release_lease};
pub use postgres::Postgres;
pub use sqlite::{FunctionBody, SqlFunction, Sqlite};
pub use time::{format_time, now, parse_time};
pub use value::Value;
