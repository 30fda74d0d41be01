//! Deploys of control repositories.

#![allow(clippy::unwrap_used)]

mod forge;
mod r10k;
mod repositories;
mod support;
