//! What the verbs for all languages know of this one.

use std::path::Path;

use ordain_graph::language::{Checked, Checking, Claim, Language, Met, SourceText};
use ordain_source::{CodeDoc, Diagnostic};

use crate::check::{self, files, repository};

/// Manifests, templates and Hiera's data.
#[derive(Clone, Copy, Debug)]
pub struct Puppet;

impl Language for Puppet {
    fn name(&self) -> &'static str {
        "puppet"
    }

    fn codes(&self) -> &'static [CodeDoc] {
        check::CODES
    }

    fn claim(&self, path: &Path, met: Met) -> Option<Claim> {
        let is_data = matches!(met, Met::Named | Met::InData);
        files::form(path).filter(|form| is_data || !form.is_data()).map(|_| Claim::ByName)
    }

    fn check(&self, source: &SourceText<'_>, checking: &Checking<'_>) -> Checked {
        files::check(source, checking)
    }

    fn check_together(
        &self,
        files: &[(SourceText<'_>, &Checked)],
        checking: &Checking<'_>,
    ) -> Vec<Diagnostic> {
        let mut found = files::duplicates(files);
        found.extend(repository::check(files, checking));
        found
    }
}
