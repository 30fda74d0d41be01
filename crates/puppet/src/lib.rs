//! The Puppet language: parser, types, evaluator, Hiera, catalog

pub mod syntax;
