//! The Puppet language: parser, types, evaluator, Hiera, catalog

pub mod check;
pub mod syntax;
