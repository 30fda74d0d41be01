//! Lazy evaluation: every node is evaluated once, when it is first needed.
//!
//! A node has two memos: its kind ([`NodeLookup`](tree::NodeLookup): a value, or a map or list
//! whose entries are nodes of their own) and its finished value. A reference to a node that is
//! being evaluated blocks its expression. The stack is measured; if it runs short, the evaluation
//! is suspended, the requested node is evaluated first, and then everything is tried again
//! ([`Evaluator::run`]), so that a chain of references may be as long as the document.

pub mod auto;
pub mod cache;
pub mod control;
pub mod equal;
pub mod evaluator;
pub mod expr;
mod failure;
pub mod lambda;
pub mod lists;
pub mod mapping;
pub mod maps;
pub mod merge;
pub mod node;
pub mod operators;
pub mod partial;
pub mod path;
pub mod reference;
pub mod tag_table;
pub mod tags;
pub mod template;
pub mod tree;
mod whole;

pub use evaluator::{Document, Env, Evaluator, FileInfo, Info};

pub use crate::diagnostics::stop::Eval;
pub use crate::options::{Dialect, Options};
