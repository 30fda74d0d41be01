//! Parses models, and prints nodes as the original does.

pub mod ast;
mod definitions;
mod expressions;
pub mod format;
mod lexer;
mod parser;
pub(crate) mod recovery;
mod statements;
mod strings;
pub(crate) mod text;
mod unescape;

pub use parser::parse;
