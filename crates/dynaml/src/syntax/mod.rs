//! Expressions: from text to tree, and from tree to canonical text.

pub mod ast;
pub mod near;
pub mod parser;
pub mod print;
