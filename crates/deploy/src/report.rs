//! The results of a deploy.

use ordain_source::{Diagnostic, Severity};
use serde_json::{Value as Json, json};

use crate::revision::Record;

/// The results for all environments.
#[derive(Default, Debug)]
pub struct Report {
    /// The environments, by base directory and name.
    pub environments: Vec<EnvironmentReport>,
    /// Warnings, and errors of single environments.
    pub diagnostics: Vec<Diagnostic>,
    /// Whether the deploy was a dry run.
    pub is_dry_run: bool,
}

/// The result for an environment.
#[derive(Debug)]
pub struct EnvironmentReport {
    /// Its name.
    pub name: String,
    /// The directory that contains the environment.
    pub base: std::path::PathBuf,
    /// The result.
    pub action: Action,
    /// The previous revision.
    pub old: Option<Record>,
    /// The current revision.
    pub new: Option<Record>,
}

/// The result for an environment, or for a module of a working copy.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Action {
    /// It is new.
    Created,
    /// It has another revision or version.
    Changed,
    /// It already had the desired revision or version.
    Unchanged,
    /// It was removed, because its branch or its declaration is gone.
    Removed,
    /// An environment stays at the revision that a rollback selected.
    Held,
    /// A module stays as it is, because somebody edited it.
    Skipped,
    /// It failed, and stays as it is.
    Failed,
}

impl Action {
    /// The name of the action.
    pub fn name(self) -> &'static str {
        match self {
            Self::Created => "created",
            Self::Changed => "changed",
            Self::Unchanged => "unchanged",
            Self::Removed => "removed",
            Self::Held => "held",
            Self::Skipped => "skipped",
            Self::Failed => "failed",
        }
    }
}

/// A module that differs between two revisions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ModuleChange {
    /// Its name.
    pub name: String,
    /// The previous commit, digest or version; `None` for a new module.
    pub old: Option<String>,
    /// The current one; `None` for a removed module.
    pub new: Option<String>,
}

impl EnvironmentReport {
    /// The modules that differ, by name.
    pub fn module_changes(&self) -> Vec<ModuleChange> {
        let modules = |record: &Option<Record>| {
            let modules = record.iter().flat_map(|record| &record.modules);
            let content = modules.map(|m| (m.name.clone(), m.content().to_owned()));
            content.collect::<std::collections::BTreeMap<_, _>>()
        };
        let (old, mut new) = (modules(&self.old), modules(&self.new));
        let mut changes = Vec::new();
        for (name, old) in old {
            let new = new.remove(&name);
            if new.as_ref() != Some(&old) {
                changes.push(ModuleChange { name, old: Some(old), new });
            }
        }
        let added = new.into_iter();
        changes.extend(added.map(|(name, new)| ModuleChange { name, old: None, new: Some(new) }));
        changes.sort_by(|a, b| a.name.cmp(&b.name));
        changes
    }

    fn to_json(&self) -> Json {
        let id = |record: &Option<Record>| record.as_ref().map(|record| record.id.clone());
        let commit = |record: &Option<Record>| {
            record.as_ref().map(|record| record.commit.clone()).filter(|commit| !commit.is_empty())
        };
        let module = |change: &ModuleChange| json!({ "name": change.name, "old": change.old, "new": change.new });
        json!({
            "name": self.name, "directory": self.base.join(&self.name).display().to_string(),
            "action": self.action.name(), "old_revision": id(&self.old),
            "new_revision": id(&self.new), "old_commit": commit(&self.old),
            "new_commit": commit(&self.new),
            "modules": self.module_changes().iter().map(module).collect::<Json>(),
        })
    }
}

impl Report {
    /// Whether something failed.
    pub fn has_errors(&self) -> bool {
        has_errors(&self.diagnostics)
    }

    /// The results as JSON, without messages.
    pub fn to_json(&self) -> Json {
        json!({
            "format": "ordain-deploy", "version": 1, "dry_run": self.is_dry_run,
            "environments":
                self.environments.iter().map(EnvironmentReport::to_json).collect::<Json>(),
        })
    }
}

/// Whether a message is an error.
pub(crate) fn has_errors(diagnostics: &[Diagnostic]) -> bool {
    diagnostics.iter().any(|found| found.severity == Severity::Error)
}
