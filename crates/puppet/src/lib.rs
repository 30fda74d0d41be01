//! The Puppet language: parser, types, evaluator, Hiera, catalog.

pub mod catalog;
pub mod check;
pub mod codes;
pub mod eval;
pub mod functions;
pub mod hiera;
pub mod load;
pub mod lower;
pub mod rich;
pub mod session;
pub mod syntax;
pub mod types;
pub mod value;
