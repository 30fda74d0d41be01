//! The results of a deploy.

use ordain_source::{Diagnostic, Severity};
use serde_json::{Value as Json, json};

use crate::revision::Record;

/// The results for all environments.
#[derive(Default, Debug)]
pub struct Report {
    /// The environments, by base directory and name.
    pub environments: Vec<EnvironmentReport>,
    /// Warnings, and the errors of single environments.
    pub diagnostics: Vec<Diagnostic>,
    /// Whether nothing was changed on purpose.
    pub is_dry_run: bool,
}

/// The result for an environment.
#[derive(Debug)]
pub struct EnvironmentReport {
    /// Its name.
    pub name: String,
    /// The directory of environments.
    pub base: std::path::PathBuf,
    /// The result.
    pub action: Action,
    /// The revision before.
    pub old: Option<Record>,
    /// The revision now.
    pub new: Option<Record>,
}

/// The result for an environment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Action {
    /// It is new.
    Created,
    /// It has another revision.
    Changed,
    /// It has the revision that it should have.
    Unchanged,
    /// Its branch is gone, and so is the environment.
    Removed,
    /// It stays at the revision of a rollback.
    Held,
    /// It failed and keeps its revision.
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
            Self::Failed => "failed",
        }
    }
}

/// The difference of a module between two revisions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ModuleChange {
    /// Its name.
    pub name: String,
    /// The commit, digest or version before; `None` if it is new.
    pub old: Option<String>,
    /// The one now; `None` if it was removed.
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
        self.diagnostics.iter().any(|found| found.severity == Severity::Error)
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
