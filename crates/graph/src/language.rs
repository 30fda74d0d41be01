//! The common interface of front ends: their files and the errors in them. It does not cover
//! compiling, because the input differs: a node with facts, stubs, or a project.

use std::any::Any;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ordain_source::{CodeDoc, Diagnostic, FileId, SourceMap, World};

/// The treatment of findings about questionable code.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub enum Strict {
    /// Not reported.
    Off,
    /// Warnings.
    Warning,
    /// Errors.
    #[default]
    Error,
}

/// The way in which a file was found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Discovery {
    /// It was named.
    Named,
    /// In a directory for which the user selected the language.
    Chosen,
    /// In a directory for data, or below one.
    InData,
    /// Somewhere else in a directory.
    Elsewhere,
}

/// The certainty that a file belongs to a language.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Claim {
    /// Its name is sufficient.
    ByName,
    /// It depends on [`Language::speaks`] for its text.
    ByText,
}

/// A file that is to be checked.
#[derive(Clone, Debug)]
pub struct SourceText<'a> {
    /// The path as the user wrote it; `-` is standard input.
    pub path: &'a Path,
    /// The path from the root.
    pub full: &'a Path,
    /// Its number in diagnostics.
    pub file: FileId,
    /// The text.
    pub text: Arc<str>,
}

/// Options of a check.
#[derive(Clone, Copy)]
pub struct CheckOptions<'a> {
    /// The files around.
    pub world: &'a dyn World,
    /// The severity of questionable code.
    pub strict: Strict,
    /// All source texts; files that are read in addition to the named ones are added.
    pub sources: &'a SourceMap,
    /// Further directories of modules.
    pub modulepath: &'a [PathBuf],
    /// The known facts, as paths such as `os.family`; `None` if they are unknown.
    pub facts: Option<&'a [String]>,
}

/// The result of checking one file.
#[derive(Default)]
pub struct CheckReport {
    /// The message.
    pub found: Vec<Diagnostic>,
    /// The definitions, for [`Language::check_together`] of the same language.
    pub defines: Option<Box<dyn Any + Send + Sync>>,
}

impl From<Vec<Diagnostic>> for CheckReport {
    fn from(found: Vec<Diagnostic>) -> Self {
        Self { found, defines: None }
    }
}

/// A language.
pub trait Language: Sync {
    /// Its name on the command line.
    fn name(&self) -> &'static str;

    /// Its diagnostics.
    fn codes(&self) -> &'static [CodeDoc];

    /// Whether a file is code or data of this language, judging by its path.
    fn claim(&self, path: &Path, discovery: Discovery) -> Option<Claim>;

    /// Whether a text is of this language, for files that are claimed by their text.
    fn speaks(&self, text: &str) -> bool {
        let _ = text;
        true
    }

    /// All diagnostics of a file without a run.
    fn check(&self, source: &SourceText<'_>, checking: &CheckOptions<'_>) -> CheckReport;

    /// Checks several files together. It runs in a thread pool with large stacks.
    fn check_together(
        &self,
        files: &[(SourceText<'_>, &CheckReport)],
        checking: &CheckOptions<'_>,
    ) -> Vec<Diagnostic> {
        let _ = (files, checking);
        Vec::new()
    }
}
