//! The formatter: the text of a model in its canonical layout.
//!
//! The layout depends on the tokens and comments, on empty lines, and on commas behind last
//! elements; the author's line breaks have no influence. Only blanks, line breaks and those commas
//! change. The grammar ignores blanks, so equal tokens are an equal tree.
//!
//! | file | step |
//! | --- | --- |
//! | `tokens` | tokens with the comments and empty lines around them |
//! | `reader` | statements, brackets, and the places at which a line may break |
//! | `writer` | lines of the wanted width |
//! | `options` | the choices of a site |

mod error;
mod options;
mod reader;
mod tokens;
mod writer;

pub use error::FormatError;
pub use options::FormatOptions;

use super::ast::Ast;
use super::parser::parse;

/// Formats a model. `file` is the number of its file in places of errors.
///
/// # Errors
/// When the text does not parse, or the formatter would change its tree.
pub fn format(text: &str, file: u32, options: &FormatOptions) -> Result<String, FormatError> {
    parse(&mut Ast::default(), text, file, &mut Vec::new()).map_err(FormatError::Syntax)?;
    let items = tokens::read(text);
    let statements = reader::statements(&items)?;
    let out = writer::Writer::new(text, items, *options).file(&statements);
    if tokens::are_same(text, &out) { Ok(out) } else { Err(FormatError::Unsafe) }
}
