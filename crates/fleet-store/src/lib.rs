//! The server's database: nodes with their facts, catalogs and reports, the inventory of the
//! certificate authority, stored answers to compile requests, pins, runs of many nodes, a queue of
//! comparisons, and the audit log.
//!
//! # Two databases
//!
//! [`Database`] has two implementations: [`Sqlite`], a file, and [`Postgres`], which several
//! servers can share. Both have the same tables (`src/migrations/`), and the same code reads and
//! writes them.
//!
//! All calls block. SQLite has no asynchronous interface, transactions take milliseconds, and the
//! server has blocking threads anyway, because compiles need them. Asynchronous programs call from
//! such a thread (`tokio::task::spawn_blocking`).
//!
//! # Commands
//!
//! All data about a node arrives as one of PuppetDB's commands ([`Command`]). The Ruby terminus of
//! a Puppet server sends such commands, and [`terminus`] makes them from an agent's data. [`apply`]
//! stores one command, [`apply_all`] several in one transaction.
//!
//! ```
//! use ordain_fleet_store::{Command, Outcome, Sqlite, apply, now, read};
//!
//! let dir = tempfile::tempdir()?;
//! let database = Sqlite::open(&dir.path().join("fleet.db"), 4, Vec::new())?;
//! let payload = br#"{
//!     "certname": "web.example.com", "environment": "production", "producer": "server",
//!     "producer_timestamp": "2026-11-26T12:00:00Z", "values": {"os": {"family": "Debian"}}
//! }"#;
//! let command = Command::parse("replace_facts", 5, payload, now())?;
//! command.check_certname("web.example.com")?;
//! assert_eq!(apply(&database, &command, now())?, Outcome::Stored { changed: true });
//! assert_eq!(apply(&database, &command, now())?, Outcome::Stored { changed: false });
//!
//! let sql = "SELECT f.value_string FROM facts f JOIN fact_paths p ON p.id = f.path_id
//!            WHERE p.path = $1";
//! let family = read(&database, None, |connection| connection.value(sql, &["os#~family".into()]))?;
//! assert_eq!(family, Some("Debian".into()));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! - A command that is older than the stored data changes nothing.
//! - If the content has the same hash as before, one row is updated. Otherwise only the rows that
//!   differ are written.
//! - Nodes share the rows of resources, sets of tags, edges and fact paths. So similar catalogs of
//!   many nodes take little more space than one.
//! - Hashes equal those of PuppetDB, so that clients may compare them.
//! - The earlier catalogs of a node are stored as what differs from the next one
//!   ([`stored_catalogs`]). A catalog that does not change writes nothing about them.
//!   [`catalog_of_run`] finds the one that a run has applied.
//!
//! # Secrets
//!
//! The terminus removes sensitive parameters. Stored answers ([`put_answer`]) and secrets
//! ([`put_secret`]) are encrypted with a [`StoreKey`], which is not in the database.

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
mod fleet_jobs;
mod fleet_runs;
mod gc;
mod history;
mod ingest;
mod key;
mod leases;
mod lookups;
mod migrate;
mod pins;
mod postgres;
mod rows;
mod shared_values;
mod sqlite;
pub mod terminus;
mod time;
mod value;

pub use answers::{Answer, AnswerKey, answer, put_answer, remove_answer, set_verified};
pub use audit::{AuditEntry, append_audit, verify_audit};
pub use authority::{
    CertificateRow, certificate_by_serial, certificates_of, clear_current, current_certificates,
    put_certificate, put_request, put_revocation_list, remove_request, request, requests,
    revocation_list, revoke_all, revoked_serials,
};
pub use command::{
    Catalog, CatalogInputs, Command, Deactivation, Edge, Event, Expiration, FactLeaf, FactValue,
    Facts, Package, Report, Resource,
};
pub use compression::decompress;
pub use contents::{Digest, content, put_content, put_secret, secret};
pub use database::{Connection, Database, RowFunction, TransactionBody, read, write};
pub use dialect::Dialect;
pub use error::FleetStoreError;
pub use fleet_jobs::{
    FleetJob, FleetJobProgress, LeasedBatch, add_batches, advance_fleet_job, batch_results,
    complete_batch, create_fleet_job, delete_old_fleet_jobs, fail_batch, lease_batch,
    open_fleet_jobs, put_shared_input, remove_fleet_job, renew_batch, shared_input,
};
pub use fleet_runs::{
    FleetRun, FleetRunLimits, FleetRunNode, FleetRunNodeState, FleetRunResume, FleetRunSettings,
    FleetRunState, FleetRunStep, RunRequest, claim_run_request, create_fleet_run, fleet_run,
    fleet_run_nodes, fleet_runs_of_servers, job_id, last_fleet_run, resume_fleet_run, run_requests,
    step_fleet_run, stop_fleet_run,
};
pub use gc::{GcStats, Retention, collect_garbage};
pub use history::{
    CatalogContent, CatalogResource, RunCatalog, StoredCatalog, catalog_content, catalog_of_run,
    stored_catalogs,
};
pub use ingest::{Outcome, apply, apply_all, apply_all_at};
pub use key::StoreKey;
pub use leases::{acquire_lease, release_lease};
pub use lookups::{ExportedRow, active_facts, active_nodes, exported_resources, facts_of};
pub use pins::{Pin, deactivate_node, known_revisions, pin_of, pins, put_pin, remove_pin};
pub use postgres::Postgres;
pub use shared_values::{
    SharedDatabase, expire_shared, renew_shared, shared_changes, shared_revision,
    shared_revision_of, write_shared,
};
pub use sqlite::{FunctionBody, SqlFunction, Sqlite};
pub use time::{format_time, now, parse_time};
pub use value::Value;
