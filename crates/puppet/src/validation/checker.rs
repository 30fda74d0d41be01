//! The state of a validation, and the ways to report a finding.

use ordain_graph::language::Strict;
use ordain_source::{Diagnostic, Severity, TextRange};

use super::walk::Node;
use crate::syntax::{ExprId, Program, code_of};

/// The file of a module, which decides the names that its definitions may have.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct ModuleFile {
    /// The path, for messages.
    pub path: String,
    /// The namespace in lower case, such as `apache::mod`; `None` if the file is not in a
    /// directory for definitions, so that every definition is misplaced.
    pub namespace: Option<String>,
}

/// The options of a validation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Options {
    /// The setting `strict`.
    pub strict: Strict,
    /// Set for files that a module's loader reads, not for the site's manifests.
    pub module_file: Option<ModuleFile>,
    /// The maximal number of reported errors, and of reported warnings.
    pub max: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self { strict: Strict::Error, module_file: None, max: 200 }
    }
}

pub(super) struct Checker<'p> {
    pub(super) program: &'p Program,
    pub(super) options: &'p Options,
    /// The nodes around the current one, outermost first.
    pub(super) path: Vec<Node>,
    pub(super) found: Vec<Diagnostic>,
    pub(super) errors: usize,
    pub(super) warnings: usize,
    /// The number of programs around this one, whose texts contain it.
    pub(super) depth: u32,
    /// Whether the first finding is that a heredoc is not of its syntax.
    pub(super) embedded_failed: bool,
}

impl Checker<'_> {
    pub(super) fn push(
        &mut self,
        severity: Severity,
        issue: &'static str,
        at: TextRange,
        message: String,
    ) {
        let count = match severity {
            Severity::Error => &mut self.errors,
            _ => &mut self.warnings,
        };
        *count += 1;
        if *count > self.options.max {
            return;
        }
        let span = at.in_file(self.program.file);
        self.found.push(Diagnostic::new(severity, code_of(issue), message).issue(issue).at(span));
    }

    pub(super) fn error(&mut self, issue: &'static str, at: TextRange, message: impl Into<String>) {
        self.push(Severity::Error, issue, at, message.into());
    }

    pub(super) fn error_with(
        &mut self,
        issue: &'static str,
        at: TextRange,
        message: String,
        help: &str,
    ) {
        let count = self.found.len();
        self.error(issue, at, message);
        if let Some(found) = self.found.get_mut(count) {
            found.help.push(help.to_owned());
        }
    }

    pub(super) fn error_at(&mut self, issue: &'static str, at: ExprId, message: impl Into<String>) {
        self.error(issue, self.program.range(at), message);
    }

    pub(super) fn warning(
        &mut self,
        issue: &'static str,
        at: TextRange,
        message: impl Into<String>,
    ) {
        self.push(Severity::Warning, issue, at, message.into());
    }
}
