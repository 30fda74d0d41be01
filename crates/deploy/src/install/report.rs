//! The results of an installation.

use std::path::{Path, PathBuf};

use ordain_source::Diagnostic;
use serde_json::{Value as Json, json};

use crate::error::Result;
use crate::puppetfile::Module;
use crate::report::{Action, has_errors};
use crate::revision::DeployedModule;

/// The results for all modules.
#[derive(Debug)]
pub struct InstallReport {
    /// The Puppetfile.
    pub puppetfile: PathBuf,
    /// The modules in the order of the Puppetfile, then those that were removed.
    pub modules: Vec<ModuleReport>,
    /// Warnings, and errors of single modules.
    pub diagnostics: Vec<Diagnostic>,
    /// Whether it was a dry run.
    pub is_dry_run: bool,
}

/// The result for a module.
#[derive(Debug)]
pub struct ModuleReport {
    /// The name of its directory.
    pub name: String,
    /// Its directory, relative to that of the Puppetfile.
    pub path: PathBuf,
    /// The result.
    pub action: Action,
    /// The module that was there, if an installation wrote it.
    pub old: Option<DeployedModule>,
    /// The module that the Puppetfile declares, if its source is known.
    pub new: Option<DeployedModule>,
}

/// The result for a module, before any directory is replaced.
pub(super) struct Prepared {
    pub(super) action: Action,
    pub(super) old: Option<DeployedModule>,
    pub(super) new: DeployedModule,
    pub(super) warnings: Vec<Diagnostic>,
    /// The new directory, if it is to be put in place.
    pub(super) written: Option<PathBuf>,
}

impl InstallReport {
    pub(super) fn new(puppetfile: &Path, is_dry_run: bool) -> Self {
        let (modules, diagnostics) = (Vec::new(), Vec::new());
        Self { puppetfile: puppetfile.to_path_buf(), modules, diagnostics, is_dry_run }
    }

    /// Adds the result for a declared module.
    pub(super) fn add(&mut self, module: &Module, result: Result<Prepared>) {
        let (action, old, new) = match result {
            Ok(Prepared { action, old, new, warnings, written: _ }) => {
                self.diagnostics.extend(warnings);
                (action, old, Some(new))
            }
            Err(error) => {
                self.diagnostics.push(error.into_diagnostic());
                (Action::Failed, None, None)
            }
        };
        let (name, path) = (module.name.clone(), module.path.clone());
        self.modules.push(ModuleReport { name, path, action, old, new });
    }

    /// Adds a module that was removed.
    pub(super) fn removed(&mut self, path: &Path, module: DeployedModule) {
        self.modules.push(ModuleReport {
            name: module.name.clone(),
            path: path.to_path_buf(),
            action: Action::Removed,
            old: Some(module),
            new: None,
        });
    }

    /// Whether something failed.
    pub fn has_errors(&self) -> bool {
        has_errors(&self.diagnostics)
    }

    /// The results as JSON, without messages.
    pub fn to_json(&self) -> Json {
        let source = |module: &Option<DeployedModule>| module.as_ref().map(DeployedModule::to_json);
        let module = |module: &ModuleReport| {
            json!({
                "name": module.name, "path": module.path.display().to_string(),
                "action": module.action.name(), "old": source(&module.old),
                "new": source(&module.new),
            })
        };
        json!({
            "format": "ordain-puppetfile", "version": 1, "dry_run": self.is_dry_run,
            "puppetfile": self.puppetfile.display().to_string(),
            "modules": self.modules.iter().map(module).collect::<Json>(),
        })
    }
}
