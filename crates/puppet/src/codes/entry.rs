//! The constructor of documentation entries.

use ordain_source::CodeDoc;

/// The documentation of a code: the code, a summary of one line, and details.
pub(super) const fn doc(
    code: &'static str,
    summary: &'static str,
    details: &'static str,
) -> CodeDoc {
    CodeDoc { code, summary, details }
}
