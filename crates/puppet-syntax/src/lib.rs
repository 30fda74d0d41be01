//! The syntax of the Puppet language: from text to a syntax tree.
//!
//! [`parse`] and [`parse_epp`] never fail: an error becomes a diagnostic beside the tree and an
//! [`Expr::Error`] in it. The first error is the one at which the reference implementation stops;
//! later ones are reported unless they follow from an earlier one.
//!
//! ```
//! use ordain_puppet_syntax::{Expr, dump, parse, pn};
//! use ordain_source::FileId;
//!
//! let parsed = parse(FileId(0), "$port = 80 + 8000");
//! assert!(parsed.diagnostics.is_empty());
//! let program = &parsed.program;
//! assert!(matches!(program[program.body], Expr::Assign { .. }));
//! assert_eq!(pn::print(program), r#"(= (var "port") (+ 80 8000))"#);
//! assert!(dump::tree(program).starts_with("assign "));
//!
//! let broken = parse(FileId(0), "file { 'a':");
//! assert_eq!(broken.diagnostics[0].code, "puppet::syntax-error");
//! ```
//!
//! The crate must not know: values, types, evaluation, modules and files (a text is passed in), and
//! which names exist. The rules that a well-formed text can still break are in `check` of the crate
//! `ordain-puppet`.
//!
//! Modules, from the top floor down; a module imports only modules of the floors below:
//!
//! | module | contents |
//! | --- | --- |
//! | [`mod@format`] | the canonical layout of a text |
//! | [`dump`], [`pn`], [`definitions`], [`advice`] | forms of the tree for people and programs; the definitions in a tree; help lines for errors |
//! | `parser` | tokens to tree, with recovery after errors |
//! | `lexer` | text to tokens |
//! | [`ast`], [`issue`], [`codes`], [`names`], [`regexp`] | the tree; diagnostics by issue and the documentation of their codes; forms of names |

pub mod advice;
pub mod ast;
pub mod codes;
pub mod definitions;
pub mod dump;
pub mod format;
pub mod issue;
mod lexer;
pub mod names;
mod parser;
pub mod pn;
pub mod regexp;

use std::sync::Arc;

use ordain_source::FileId;

pub use ast::*;
pub use issue::code_of;
pub use parser::Parsed;

/// Parses a manifest.
pub fn parse(file: FileId, text: impl Into<Arc<str>>) -> Parsed {
    parser::parse(file, text.into(), false)
}

/// Parses a template: text with `<% … %>` tags.
pub fn parse_epp(file: FileId, text: impl Into<Arc<str>>) -> Parsed {
    parser::parse(file, text.into(), true)
}

/// Whether a bare word is a keyword.
pub fn is_keyword(word: &str) -> bool {
    lexer::TokenKind::keyword(word.as_bytes()).is_some()
}
