//! The documentation of the codes of parser and validator.

use ordain_source::CodeDoc;

/// Every code of the parser and the validator.
pub const CODES: &[CodeDoc] = &[];
