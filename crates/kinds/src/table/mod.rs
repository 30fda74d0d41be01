//! The schemas, by subject.

pub mod accounts;
pub mod databases;
pub mod files;
pub mod firewall;
pub mod graph;
pub mod machine;
mod mcl_only;
pub mod modules;
pub mod network;
mod puppet_only;
pub mod software;

use crate::schema::KindSchema;

/// The tables of the kinds that a language knows and the engine does not apply.
pub(crate) const NOT_APPLIED: &[&[&KindSchema]] = &[mcl_only::KINDS, puppet_only::KINDS];

/// The tables of the kinds that the engine applies.
pub(crate) const TABLES: &[&[&KindSchema]] = &[
    accounts::KINDS,
    databases::KINDS,
    files::KINDS,
    firewall::KINDS,
    graph::KINDS,
    machine::KINDS,
    modules::KINDS,
    network::KINDS,
    software::KINDS,
];
