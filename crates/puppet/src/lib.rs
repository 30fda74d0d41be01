//! The Puppet language: parser, types, evaluator, Hiera, catalog.

pub mod catalog;
pub mod eval;
pub mod functions;
pub mod hiera;
pub mod load;
pub mod syntax;
pub mod types;
pub mod value;
