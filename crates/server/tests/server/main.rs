//! Tests of the server over its connections.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod agent;
mod catalogs;
mod files;
mod hostile;
mod puppetdb;
mod routes;
mod support;
