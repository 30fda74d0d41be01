//! Findings in modules that a Puppetfile installs, which a check of a site leaves out.
//!
//! Errors of the language stay, since they break the site that uses the module.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use ordain_puppet_tools::check::InstalledModules;
use ordain_source::{Diagnostic, Label, Severity, SourceMap, World};

use crate::ui::count;

/// The beginning of the codes of puppet-lint's checks, whose errors are about style, too.
const LINT: &str = "lint::";

/// The findings that were left out.
#[derive(Default)]
pub(super) struct LeftOut {
    pub(super) findings: usize,
    modules: BTreeSet<PathBuf>,
}

impl LeftOut {
    /// Text for the last line of a check.
    pub(super) fn text(&self) -> Option<String> {
        let modules = count(self.modules.len(), "module");
        (self.findings > 0).then(|| {
            format!("{} in {modules} of the Puppetfile (--all-modules shows them)", self.findings)
        })
    }
}

/// The findings in installed modules that are left out.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Which {
    /// All but errors of the language.
    Warnings,
    /// All.
    All,
}

/// Leaves out findings in installed modules, unless the user named the module, a part of it or a
/// directory in it. A finding with another place in the site's own code stays.
pub(super) fn leave_out(
    found: &mut Vec<Diagnostic>,
    which: Which,
    named: &[PathBuf],
    world: &dyn World,
    sources: &SourceMap,
) -> LeftOut {
    let full = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
    let mut installed = InstalledModules::new(world);
    let named: Vec<PathBuf> = named
        .iter()
        .map(|path| full(path))
        .filter(|path| installed.module_of(path).is_some())
        .collect();
    let mut module_of = |label: &Label| {
        let path = full(&sources.file(label.span.file).path);
        let is_named = named.iter().any(|one| path.starts_with(one));
        installed.module_of(&path).filter(|_| !is_named)
    };
    let mut out = LeftOut::default();
    found.retain(|diagnostic| {
        let stays = which == Which::Warnings
            && diagnostic.severity == Severity::Error
            && !diagnostic.code.starts_with(LINT);
        let Some(label) = diagnostic.primary.as_ref().filter(|_| !stays) else { return true };
        let Some(module) = module_of(label) else { return true };
        if !diagnostic.related.iter().all(|label| module_of(label).is_some()) {
            return true;
        }
        out.findings += 1;
        out.modules.insert(module);
        false
    });
    out
}
