//! `vcsrepo`: a repository of git.
//!
//! A comparison asks the remote repository by `git ls-remote` and fetches nothing, so that a plan
//! changes nothing.

mod act;
mod git;
mod model;
mod observe;
mod parse;

use std::sync::PoisonError;
use std::time::Duration;

use ordain_data::Value;
use ordain_graph::{Resource, ResourceRef};
use ordain_kinds::{KindSchema, modules};

use crate::kind::differences::{Differences, changes, texts};
use crate::kind::report::quoted;
use crate::kind::{Change, Instance, Kind, KindError, LogLine, ParseContext, ParseResult};
use crate::system::host::Host;
use crate::system::watch::Watch;
use model::{Ensure, Found, Repository};

/// The kind.
#[derive(Clone, Copy, Debug, Default)]
pub struct Vcsrepo;

impl Kind for Vcsrepo {
    fn schema(&self) -> &KindSchema {
        &modules::VCSREPO
    }

    fn parse(&self, resource: &Resource, _: &ParseContext<'_>) -> ParseResult {
        parse::parse(resource).map(|repository| Box::new(repository) as Box<dyn Instance>)
    }
}

/// How often the remote repository is asked while a machine is kept true.
const PAUSE: Duration = Duration::from_secs(60);

impl Repository {
    fn compare_properties(
        &self,
        host: &Host,
        to: &mut Differences<'_>,
        found: Found,
    ) -> Result<(), KindError> {
        if let Some(wanted) = &self.source {
            let now = self.current_source(host)?;
            if !wanted.is(&now) {
                let message = format!("source changed {} to {}", now.shown(), wanted.shown());
                to.property_as("source", now.value(), wanted.value(), message);
            }
        }
        if let Some(wanted) = &self.revision {
            let now = self.current_revision(host)?;
            if now != *wanted {
                let after = Value::str(wanted.as_str());
                to.property("revision", Value::str(now), after);
            }
        }
        if let Some(wanted) = &self.includes {
            let now = self.current_includes(host, found)?;
            let sorted = |list: &[String]| {
                let mut list = list.to_vec();
                list.sort();
                list
            };
            if now.as_deref().map(sorted) != Some(sorted(wanted)) {
                let before = now.map_or(Value::Null, texts);
                let after = texts(wanted);
                let shown = if before.is_null() { "nil".into() } else { quoted(&before) };
                let message = format!("includes changed {shown} to {}", quoted(&after));
                to.property_as("includes", before, after, message);
            }
        }
        if let Some(wanted) = self.skip_hooks {
            let now = self.skips_hooks(host)?;
            if now != wanted {
                let value = |flag: bool| Value::str(if flag { "true" } else { "false" });
                to.property("skip_hooks", value(now), value(wanted));
            }
        }
        Ok(())
    }
}

impl Instance for Repository {
    fn autorequires(&self) -> Vec<ResourceRef> {
        let tools = ["git", "git-core", "mercurial", "subversion"];
        let tool = |name: &str| ResourceRef { kind: "Package".into(), title: name.into() };
        tools.into_iter().map(tool).collect()
    }

    fn watches(&self, _: &Host) -> Vec<Watch> {
        let parts = ["", ".git/HEAD", ".git/config", ".git/logs/HEAD", "config", "HEAD"];
        parts.iter().map(|part| Watch::Path(self.path.join(part))).collect()
    }

    fn poll_interval(&self, _: &Host) -> Option<Duration> {
        let follows = self.ensure == Some(Ensure::Latest) || self.revision.is_some();
        (follows && self.source.is_some()).then_some(PAUSE)
    }

    fn remarks(&self, _: &Host) -> Vec<String> {
        self.remarks.clone()
    }

    fn compare(&self, host: &Host) -> Result<Vec<Change>, KindError> {
        let found = self.found(host)?;
        let mut to = Differences::new(&self.secrets);
        let word = found.word();
        let is_right = match self.ensure {
            Some(Ensure::Absent) => found == Found::Absent,
            Some(Ensure::Present) | None => found != Found::Absent,
            Some(Ensure::Bare) => found == Found::Bare,
            Some(Ensure::Mirror) => found == Found::Mirror,
            Some(Ensure::Latest) => found == Found::WorkingCopy && self.is_latest(host)?,
        };
        match (is_right, self.ensure, found) {
            (true, Some(Ensure::Absent), _) => {}
            (true, ..) => self.compare_properties(host, &mut to, found)?,
            (false, None, _) => {
                let text = format!("{} is not a repository", self.path.display());
                return Err(KindError::new(text));
            }
            (false, Some(Ensure::Absent), _) => {
                to.remove(Value::str(word), "absent", "removed");
            }
            (false, Some(ensure), Found::Absent) => {
                to.create(word, Value::str(ensure.word()));
            }
            (false, Some(ensure), _) => {
                to.property("ensure", Value::str(word), Value::str(ensure.word()));
            }
        }
        Ok(to.finish())
    }

    fn apply(&self, host: &Host, made: &[Change]) -> Result<(), KindError> {
        if changes(made, "ensure") {
            return self.apply_ensure(host);
        }
        if let Some(source) = self.source.as_ref().filter(|_| changes(made, "source")) {
            self.apply_source(host, source)?;
        }
        if let Some(revision) = self.revision.as_ref().filter(|_| changes(made, "revision")) {
            self.update_references(host)?;
            self.set_revision(host, revision)?;
        }
        if changes(made, "includes") {
            self.set_includes(host)?;
            self.checkout(host, self.revision.as_deref())?;
        }
        if changes(made, "skip_hooks") {
            self.set_skip_hooks(host)?;
        }
        Ok(())
    }

    fn take_log(&self) -> Vec<LogLine> {
        std::mem::take(&mut *self.log.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
