//! Expressions: from text to tree, and from tree to the canonical text.

pub mod ast;
pub mod near;
pub mod parser;
pub mod print;
