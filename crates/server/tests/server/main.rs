//! Tests of the server over its connections.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod agent;
mod authority;
mod ca_commands;
mod catalogs;
mod files;
mod fuzz;
mod hostile;
mod routes;
mod security;
mod support;
