//! Deploys of control repositories.

#![allow(clippy::unwrap_used)]

mod forge;
mod install;
mod r10k;
mod repositories;
mod support;
