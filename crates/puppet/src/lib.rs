//! The Puppet language: parser, types, evaluator, Hiera, catalog.

pub mod catalog;
pub mod codes;
pub mod deferred;
pub mod eval;
pub mod functions;
pub mod hiera;
pub mod legacy_facts;
pub mod load;
pub mod lower;
pub mod plugins;
pub mod provenance;
pub mod session;
pub mod validation;

pub use ordain_puppet_syntax as syntax;
pub use ordain_puppet_types::{error, schema, types, value};
