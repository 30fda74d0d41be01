//! Leaves out findings in modules that a Puppetfile installs: a site cannot mend them, since the next
//! deploy replaces the files. Errors stay, since they break the site that uses the module.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use ordain_puppet_tools::check::InstalledModules;
use ordain_source::layer::absolute;
use ordain_source::{Diagnostic, FileId, Severity, SourceMap, World};
use rustc_hash::FxHashMap;

use crate::lint;

/// A version of another module is missing or does not fit: the site mends that in its Puppetfile.
const DEPENDENCY: &str = "puppet::dependency";

/// The files whose findings are left out. One value serves the files of one [`SourceMap`].
#[derive(Clone, Default, Debug)]
pub struct InstalledFiles {
    modules: InstalledModules,
    wanted: Vec<PathBuf>,
    /// The module of each file that was asked for.
    known: FxHashMap<FileId, Option<Arc<Path>>>,
}

impl InstalledFiles {
    /// The files of all installed modules, but for the `wanted` files and directories in them.
    pub fn new(world: &dyn World, wanted: &[PathBuf]) -> Self {
        let mut modules = InstalledModules::default();
        let wanted = wanted.iter().map(|path| absolute(path));
        // A directory above modules does not ask for the findings of each of them.
        let wanted = wanted.filter(|path| modules.module_of(world, path).is_some()).collect();
        Self { modules, wanted, known: FxHashMap::default() }
    }

    /// The directory of the module whose findings are left out in a file.
    pub fn module_of(
        &mut self,
        world: &dyn World,
        sources: &SourceMap,
        file: FileId,
    ) -> Option<Arc<Path>> {
        if let Some(known) = self.known.get(&file) {
            return known.clone();
        }
        let module = self.module_of_path(world, &sources.file(file).path);
        self.known.insert(file, module.clone());
        module
    }

    /// The same for the path of a file.
    pub fn module_of_path(&mut self, world: &dyn World, path: &Path) -> Option<Arc<Path>> {
        let path = absolute(path);
        let is_wanted = self.wanted.iter().any(|wanted| path.starts_with(wanted));
        self.modules.module_of(world, &path).filter(|_| !is_wanted).map(Arc::from)
    }

    /// The directory of the module if a finding is left out. One with another place in the site's own
    /// code stays.
    pub fn leaves_out(
        &mut self,
        world: &dyn World,
        sources: &SourceMap,
        finding: &Diagnostic,
    ) -> Option<Arc<Path>> {
        // The errors of puppet-lint are about style, too.
        let is_style = finding.code.starts_with(lint::CODES);
        if finding.severity == Severity::Error && !is_style || finding.code == DEPENDENCY {
            return None;
        }
        let mut related = finding.related.iter();
        if related.any(|label| self.module_of(world, sources, label.span.file).is_none()) {
            return None;
        }
        self.module_of(world, sources, finding.primary.as_ref()?.span.file)
    }
}
