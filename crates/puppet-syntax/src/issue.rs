//! Diagnostics by the issue codes of the reference implementation.

use ordain_source::Diagnostic;

/// Issues that only Ordain reports; their diagnostics have no issue code of the reference.
const OWN_ISSUES: [&str; 2] = ["NESTING", "TOO_LONG"];

/// Ordain's diagnostic code for an issue of the reference implementation: `puppet::syntax-error` for
/// `SYNTAX_ERROR`.
pub fn code_of(issue: &str) -> String {
    // The reference implementation has misspelt one of its issues.
    let issue = if issue == "DUPLICATE_ATTRIBUE" { "DUPLICATE_ATTRIBUTE" } else { issue };
    format!("puppet::{}", issue.to_ascii_lowercase().replace('_', "-"))
}

/// An error with an issue code.
pub fn problem(issue: &'static str, message: String) -> Diagnostic {
    let error = Diagnostic::error(code_of(issue), message);
    if OWN_ISSUES.contains(&issue) { error } else { error.issue(issue) }
}

/// A warning with an issue code.
pub fn warning(issue: &'static str, message: String) -> Diagnostic {
    Diagnostic::warning(code_of(issue), message).issue(issue)
}
