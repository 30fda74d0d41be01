//! Text to tree: tokens, lexer, syntax tree, parser.
//!
//! [`parse`] and [`parse_epp`] never fail: what is wrong becomes a diagnostic and an
//! [`Expr::Error`] in the tree. The first error is the one that the reference implementation stops
//! at; what follows is reported if it is no consequence of it.

pub mod advice;
pub mod ast;
pub mod definitions;
pub mod dump;
mod lexer;
pub mod names;
mod parser;
pub mod pn;
pub(crate) mod regexp;

use std::sync::Arc;

use ordain_source::{Diagnostic, FileId};

pub use ast::*;

/// A parsed text.
#[derive(Debug)]
pub struct Parsed {
    /// The tree.
    pub program: Program,
    /// Errors and warnings, the first error of the reference implementation first among errors.
    pub diagnostics: Vec<Diagnostic>,
}

/// Parses a manifest.
pub fn parse(file: FileId, text: impl Into<Arc<str>>) -> Parsed {
    parser::parse(file, text.into(), false)
}

/// Parses a template: text with `<% … %>` tags.
pub fn parse_epp(file: FileId, text: impl Into<Arc<str>>) -> Parsed {
    parser::parse(file, text.into(), true)
}

/// Whether a bare word is a keyword.
pub(crate) fn is_keyword(word: &str) -> bool {
    lexer::T::keyword(word.as_bytes()).is_some()
}

/// Our code for an issue of the reference implementation: `SYNTAX_ERROR` is `puppet::syntax-error`.
pub fn code_of(issue: &str) -> String {
    // The reference implementation has misspelt one of its codes.
    let issue = if issue == "DUPLICATE_ATTRIBUE" { "DUPLICATE_ATTRIBUTE" } else { issue };
    format!("puppet::{}", issue.to_ascii_lowercase().replace('_', "-"))
}

/// Issues that are our own, so that no peer's code is given.
const OWN_ISSUES: [&str; 2] = ["NESTING", "TOO_LONG"];

/// An error with an issue code of the reference implementation.
pub(crate) fn problem(issue: &'static str, message: String) -> Diagnostic {
    let error = Diagnostic::error(code_of(issue), message);
    if OWN_ISSUES.contains(&issue) { error } else { error.issue(issue) }
}

/// A warning with an issue code of the reference implementation.
pub(crate) fn warning(issue: &'static str, message: String) -> Diagnostic {
    Diagnostic::warning(code_of(issue), message).issue(issue)
}
