//! The findings in modules that a Puppetfile installs, which a check of a site leaves out.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use ordain_driver::installed::InstalledFiles;
use ordain_source::{Diagnostic, SourceMap, World};

use crate::ui::count;

/// The findings that were left out.
#[derive(Default)]
pub(super) struct LeftOut {
    pub(super) findings: usize,
    modules: BTreeSet<Arc<Path>>,
}

impl LeftOut {
    /// Text for the last line of a check.
    pub(super) fn text(&self) -> Option<String> {
        let (found, modules) = (self.findings, self.modules.len());
        let (found_text, modules) = (count(found, "finding"), count(modules, "module"));
        let text = format!("{found_text} left out in {modules} of the Puppetfile (--all-modules)");
        (found > 0).then_some(text)
    }
}

/// Leaves out the findings that a site cannot mend.
pub(super) fn leave_out(
    found: &mut Vec<Diagnostic>,
    files: &mut InstalledFiles,
    world: &dyn World,
    sources: &SourceMap,
) -> LeftOut {
    let mut out = LeftOut::default();
    found.retain(|finding| {
        let Some(module) = files.leaves_out(world, sources, finding) else { return true };
        out.findings += 1;
        out.modules.insert(module);
        false
    });
    out
}

/// Leaves out all findings in files that the next deploy replaces, so that none is fixed there.
pub(super) fn leave_out_files(
    found: &mut Vec<Diagnostic>,
    files: &mut InstalledFiles,
    world: &dyn World,
    sources: &SourceMap,
) {
    found.retain(|finding| {
        let label = finding.primary.as_ref();
        label.is_none_or(|label| files.module_of(world, sources, label.span.file).is_none())
    });
}
