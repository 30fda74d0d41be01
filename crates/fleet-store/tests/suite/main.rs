//! The tests of the store, over both databases.
#![allow(clippy::unwrap_used)]

mod databases;
mod fleet;
mod golden;
mod history;
mod ingest;
mod jobs;
mod runs;
mod schema;
mod store;
mod terminus;
mod tls;
mod versions;
