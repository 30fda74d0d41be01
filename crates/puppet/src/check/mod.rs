//! What can be said of a program without running it.

pub mod heredoc;

use std::path::Path;

use ordain_source::Diagnostic;

use crate::eval::Strict;
use crate::syntax::Program;

/// How strictly to check.
pub struct Options {
    /// What questionable code gives.
    pub strict: Strict,
    /// Where definitions of the file must lie.
    pub namespace: Option<Namespace>,
}

/// Where definitions of a file must lie.
#[derive(Clone, Debug)]
pub struct Namespace;

impl Namespace {
    /// That of a file of a module.
    pub fn of_file(_module: &str, _root: &Path, _path: &Path) -> Self {
        Self
    }
}

/// Checks a program.
pub fn validate(_program: &Program, _options: &Options) -> Vec<Diagnostic> {
    Vec::new()
}
