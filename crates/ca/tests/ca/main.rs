//! Certificates: requests, chains, revocation, faults.

#![allow(clippy::unwrap_used)]

mod chains;
mod faults;
mod hostile;
mod revocation;
mod signing;
mod support;
