//! Writes the files of a revision.

use std::fs;
use std::path::Path;

use jiff::Timestamp;
use ordain_source::Diagnostic;
use serde_json::{Value as Json, json};

use crate::codes;
use crate::desired::Branch;
use crate::error::{AtPath, Result};
use crate::files;
use crate::module::{Resolved, ResolvedSource};
use crate::pool;
use crate::revision::Record;
use crate::sources::Sources;
use crate::unmanaged::{Managed, UnmanagedFiles};

/// The file that r10k writes to each environment.
const INFO: &str = ".r10k-deploy.json";

/// Writes the files of one revision.
pub(crate) struct Build<'b> {
    pub(crate) sources: &'b Sources<'b>,
    pub(crate) branch: &'b Branch<'b>,
    pub(crate) modules: &'b [Resolved],
    /// An empty directory for the tree and temporary files.
    pub(crate) scratch: &'b Path,
    pub(crate) started: Timestamp,
}

impl Build<'_> {
    /// Writes the files. `old` is the tree of the current revision and its record.
    pub(crate) fn run(
        &self,
        old: Option<(&Path, &Record)>,
        warnings: &mut Vec<Diagnostic>,
    ) -> Result<std::path::PathBuf> {
        let tree = self.scratch.join("tree");
        fs::create_dir(&tree).at_path(&tree)?;
        self.branch.mirror.write(&self.branch.commit, &tree, &self.scratch.join("index"))?;
        // Modules may be nested: outer ones are written first. Modules of one level never overlap.
        let mut levels: Vec<(usize, Vec<(usize, &Resolved)>)> = Vec::new();
        let mut numbered: Vec<_> = self.modules.iter().enumerate().collect();
        numbered.sort_by_key(|(_, module)| module.module.path.components().count());
        for (number, module) in numbered {
            let depth = module.module.path.components().count();
            match levels.last_mut() {
                Some((last, level)) if *last == depth => level.push((number, module)),
                _ => levels.push((depth, vec![(number, module)])),
            }
        }
        for (_, level) in levels {
            for (_, module) in &level {
                self.make_room(&tree, module)?;
            }
            let threads = self.sources.settings.pool_size;
            let results = pool::each(threads, level, |(number, module)| {
                let target = tree.join(&module.module.path);
                module.write(self.sources, &target, &self.scratch.join(format!("module-{number}")))
            });
            for result in results {
                warnings.extend(result?);
            }
        }
        if let Some((old, record)) = old {
            self.copy_unmanaged(old, record, &tree, warnings)?;
        }
        self.write_info(&tree)?;
        Ok(tree)
    }

    /// Creates an empty directory for a module. Like r10k, removes what the branch has there.
    fn make_room(&self, tree: &Path, module: &Resolved) -> Result<()> {
        if matches!(module.source, ResolvedSource::Local) {
            return Ok(());
        }
        let path = &module.module.path;
        let parent = files::directory_inside(tree, path.parent().unwrap_or(Path::new("")))?;
        let target = parent.join(&module.module.name);
        files::remove(&target)?;
        fs::create_dir(&target).at_path(path)
    }

    /// Copies the files of the current revision that the purge levels do not remove.
    fn copy_unmanaged(
        &self,
        old: &Path,
        record: &Record,
        tree: &Path,
        warnings: &mut Vec<Diagnostic>,
    ) -> Result<()> {
        let mut managed = Managed::default();
        let tracked = match record.commit.as_str() {
            "" => None,
            commit => self.branch.mirror.tracked(commit).ok(),
        };
        let Some(tracked) = tracked else {
            let text = format!(
                "{}: the commit of the current files is unknown, so no file of them stays",
                self.branch.name.directory
            );
            warnings.push(Diagnostic::warning(codes::DEPLOY, text));
            return Ok(());
        };
        managed.add_tracked(tracked);
        managed.add_tracked(self.branch.mirror.tracked(&self.branch.commit)?);
        for module in &record.modules {
            managed.add_module(&module.path, module.kind == "local");
        }
        if record.is_adopted()
            && let Ok(old) = self.sources.puppetfile(self.branch, &record.commit)
        {
            for module in &old.modules {
                let is_local = module.source == crate::puppetfile::Declared::Local;
                managed.add_module(&module.path, is_local);
            }
        }
        for module in self.modules {
            let is_local = matches!(module.source, ResolvedSource::Local);
            managed.add_module(&module.module.path, is_local);
            if is_local {
                // A module that is now local keeps its directory.
                managed.modules.remove(&module.module.path);
            }
        }
        UnmanagedFiles::new(old, tree, &managed, &self.sources.settings.purge)?.run()
    }

    /// Writes `.r10k-deploy.json`, from which other programs read the deployed commits.
    fn write_info(&self, tree: &Path) -> Result<()> {
        let module = |resolved: &Resolved| {
            let name = &resolved.module.name;
            match &resolved.source {
                ResolvedSource::Git { reference, commit, .. } => {
                    json!({ "name": name, "version": reference, "sha": commit })
                }
                ResolvedSource::Forge { version, .. } => {
                    json!({ "name": name, "version": version, "sha": null })
                }
                ResolvedSource::Tarball { sha256, is_declared, .. } => {
                    let version = if *is_declared { sha256.as_str() } else { "(present)" };
                    json!({ "name": name, "version": version, "sha": null })
                }
                ResolvedSource::Local => {
                    json!({ "name": name, "version": "0.0.0 (local)", "sha": null })
                }
            }
        };
        let time = |at: Timestamp| at.strftime("%Y-%m-%d %H:%M:%S +0000").to_string();
        let info = json!({
            "name": self.branch.name.plain,
            "signature": self.branch.commit,
            "started_at": time(self.started),
            "finished_at": time(Timestamp::now()),
            "deploy_success": true,
            "module_deploys": self.modules.iter().map(module).collect::<Json>(),
        });
        let path = tree.join(INFO);
        files::remove(&path)?;
        fs::write(&path, format!("{info:#}\n")).at_path(&path)
    }
}
