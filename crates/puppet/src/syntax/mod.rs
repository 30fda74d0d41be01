//! Text to tree: tokens, lexer, syntax tree, parser.

pub mod ast;

pub use ast::*;
