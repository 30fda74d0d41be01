//! Tests of the server over its connections.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod agent;
mod answers;
mod authority;
mod ca_commands;
mod catalogs;
#[path = "../../../fleet-store/tests/suite/databases.rs"]
#[allow(dead_code)]
mod databases;
mod explorer;
mod explorer_actions;
mod files;
mod fleet_facts;
mod fuzz;
mod held;
mod hostile;
mod local_explorer;
mod puppetdb;
mod revisions;
mod routes;
mod security;
mod shadow;
mod shared;
mod sign_in;
mod simulation;
mod support;
mod terminus;
