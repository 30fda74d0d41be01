//! The entry of the language for commands that work on every language.

use std::path::Path;

use ordain_graph::language::{CheckOptions, CheckReport, Claim, Discovery, Language, SourceText};
use ordain_source::{CodeDoc, Diagnostic};

use crate::check::{RepositoryState, files, repository};
use crate::codes::CODES;

/// Manifests, templates and Hiera's data.
#[derive(Clone, Copy, Debug)]
pub struct Puppet;

impl Puppet {
    /// The diagnostics of [`Language::check_together`], and the state with which single files are
    /// checked afterwards. It runs in a thread pool with large stacks.
    pub fn check_repository(
        files: &[(SourceText<'_>, &CheckReport)],
        checking: &CheckOptions<'_>,
    ) -> (Vec<Diagnostic>, RepositoryState) {
        let mut found = files::duplicates(files);
        let (of_all, state) = repository::check(files, checking);
        found.extend(of_all);
        (found, state)
    }
}

impl Language for Puppet {
    fn name(&self) -> &'static str {
        "puppet"
    }

    fn codes(&self) -> &'static [CodeDoc] {
        CODES
    }

    fn claim(&self, path: &Path, met: Discovery) -> Option<Claim> {
        let is_data = matches!(met, Discovery::Named | Discovery::InData);
        if met == Discovery::Elsewhere && is_content(path) {
            return None;
        }
        files::form(path).filter(|form| is_data || !form.is_data()).map(|_| Claim::ByName)
    }

    fn check(&self, source: &SourceText<'_>, checking: &CheckOptions<'_>) -> CheckReport {
        files::check(source, checking)
    }

    fn check_together(
        &self,
        files: &[(SourceText<'_>, &CheckReport)],
        checking: &CheckOptions<'_>,
    ) -> Vec<Diagnostic> {
        Self::check_repository(files, checking).0
    }
}

/// Whether a file is content that a module copies to machines: manifests of other environments,
/// policies of SELinux, whose names end in `.pp` too.
fn is_content(path: &Path) -> bool {
    let mut parts = path.components().map(|part| part.as_os_str().to_str().unwrap_or_default());
    // A module may have this name.
    parts.any(|part| part == "files") && parts.all(|part| !CODE.contains(&part))
}

/// The directories of a module that have code.
const CODE: [&str; 5] = ["manifests", "functions", "types", "templates", "lib"];
