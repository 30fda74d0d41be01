//! The front end for mcl, the language of mgmt.

#![forbid(unsafe_code)]

pub mod check;
pub mod codes;
mod elaborate;
pub mod engine;
pub mod eval;
pub mod explain;
pub mod exports;
pub mod failure;
pub mod fmt;
pub mod functions;
pub mod ir;
pub mod language;
pub mod lower;
pub mod resources;
pub mod session;
pub mod stream;
pub mod syntax;
pub mod template;
pub mod types;
pub mod value;

pub use language::Mcl;

/// Which mcl is read.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Edition {
    /// What the original accepts, and what its last releases and its guide accept besides.
    #[default]
    Wide,
    /// Exactly what the original accepts.
    Upstream,
}
