//! The schemas, by subject.

pub mod accounts;
pub mod files;
pub mod graph;
pub mod machine;
pub mod network;
pub mod software;

use crate::schema::KindSchema;

/// All tables.
pub(crate) const TABLES: &[&[&KindSchema]] =
    &[accounts::KINDS, files::KINDS, graph::KINDS, machine::KINDS, network::KINDS, software::KINDS];
