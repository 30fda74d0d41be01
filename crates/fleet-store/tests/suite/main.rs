//! One suite of tests over both databases.
#![allow(clippy::unwrap_used)]

mod databases;
mod golden;
mod ingest;
mod schema;
mod store;
mod terminus;
