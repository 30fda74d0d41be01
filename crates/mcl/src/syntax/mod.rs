//! Parses source text.
//!
//! | module | purpose |
//! | --- | --- |
//! | [`token`] | the kinds of tokens |
//! | [`lexer`] | the lexer |
//! | [`ast`] | the tree |
//! | [`interpolate`] | the content of strings |
//! | [`error`] | syntax errors |
//! | `hint` | likely causes of syntax errors |
//! | `recovery` | syntax errors behind the first one |

pub mod ast;
pub mod error;
pub(crate) mod extent;
pub(crate) mod hint;
pub mod interpolate;
pub mod lexer;
pub(crate) mod parser;
pub mod print;
pub(crate) mod recovery;
pub mod token;

use crate::Edition;
use ast::Tree;
use error::SyntaxError;

/// Parses a file.
///
/// # Errors
/// With the first mistake.
pub fn parse(text: &str, edition: Edition) -> Result<Tree, SyntaxError> {
    let lexed = lexer::lex(text, edition)?;
    parser::parse(text, lexed, edition).map(|(tree, _)| tree)
}
