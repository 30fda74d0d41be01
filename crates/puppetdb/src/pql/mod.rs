//! PQL, the Puppet Query Language: from text to the syntax tree as JSON (AST).
//!
//! The grammar is that of PuppetDB 7 (`pql-grammar.ebnf`). Its parser has no reserved words: a name
//! is an operator or a keyword only where no field may be.

mod grammar;
mod scan;

use serde_json::Value;

use crate::error::QueryError;
use grammar::Grammar;

/// Parses a query in PQL into the AST that PuppetDB's `ast_only` shows.
///
/// # Errors
///
/// Status 400 with the position of the error and the expected words.
pub fn parse(text: &str) -> Result<Value, QueryError> {
    Grammar::new(text).query()
}
