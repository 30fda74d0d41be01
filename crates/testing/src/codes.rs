//! The diagnostics of this crate.

use ordain_source::CodeDoc;

/// A file cannot be read.
pub(crate) const FILE: &str = "ordain::file";
/// There are no tests.
pub(crate) const NOTHING: &str = "ordain::nothing-declared";
/// A test file has an error.
pub(crate) const TEST_FILE: &str = "test::file";

/// The documentation of these codes.
pub const DOCS: &[CodeDoc] = &[CodeDoc {
    code: TEST_FILE,
    summary: "a test file has an error",
    details: "The file is not valid YAML, or has a setting that `ordain test` does not know. \
              docs/testing.md lists the settings.",
}];
