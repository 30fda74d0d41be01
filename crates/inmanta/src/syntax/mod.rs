//! The syntax of models: text to tree, and the text that the original prints for a node.

pub mod ast;
mod definitions;
mod expressions;
mod lexer;
mod parser;
mod strings;
pub(crate) mod text;
mod unescape;

pub use parser::{Doubt, parse};
