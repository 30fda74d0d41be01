//! Resources with secrets: all output of such a resource passes through here, so that secrecy does
//! not depend on the care of each kind.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ecow::EcoString;
use ordain_data::{REDACTED, Redactor, Value};
use ordain_graph::{Attribute, Resource, ResourceRef};

use crate::kind::params::{reveal, scalar_text};
use crate::kind::{
    AttributeError, BatchCommand, Change, ChangeOutcome, Instance, KindError, LogLine,
    Relationship, ReversalAttributes,
};
use crate::system::host::Host;
use crate::system::watch::Watch;

/// The log line of a change whose values are secret.
const CHANGED: &str = "changed [redacted] to [redacted]";

/// The minimum number of bytes of a secret path's component that is searched for in other paths.
const MIN_PART_LENGTH: usize = 4;

/// The secrets of a resource.
#[derive(Debug)]
pub(crate) struct Secrets {
    title: EcoString,
    /// The attributes that are or contain secrets.
    secret: BTreeSet<EcoString>,
    /// All that are declared.
    declared: BTreeSet<EcoString>,
    redactor: Redactor,
    /// Finds the secrets in paths: as a whole, and their parts between slashes.
    paths: Redactor,
}

thread_local! {
    /// The secrets of the resource that this thread works on.
    static CURRENT_SECRETS: RefCell<Option<Arc<Secrets>>> = const { RefCell::new(None) };
}

/// The displayed name of a path that the resource of this thread changes, if the path is secret.
pub(crate) fn name_of_path(path: &Path) -> Option<String> {
    CURRENT_SECRETS.with_borrow(|secrets| secrets.as_ref()?.name_of(path))
}

impl Secrets {
    /// Those of a resource, if it has any.
    pub(crate) fn of(resource: &Resource) -> Option<Arc<Self>> {
        let is_secret = |a: &&Attribute| a.value.holds_secret();
        let secret: Vec<&Attribute> = resource.attributes.iter().filter(is_secret).collect();
        if secret.is_empty() {
            return None;
        }
        Some(Arc::new(Self {
            title: resource.id.title.clone(),
            redactor: Redactor::of(secret.iter().map(|a| &a.value)),
            paths: paths_in(secret.iter().map(|a| &a.value)),
            secret: secret.into_iter().map(|a| a.name.clone()).collect(),
            declared: resource.attributes.iter().map(|a| a.name.clone()).collect(),
        }))
    }

    /// A text without the secrets of the resource.
    pub(crate) fn text(&self, text: &str) -> String {
        self.redactor.redact(text).into_owned()
    }

    /// Runs `work` with the resource's secrets as those of this thread, so that changed paths get
    /// names without secrets.
    fn at_work<T>(self: &Arc<Self>, work: impl FnOnce() -> T) -> T {
        /// Restores the previous value, even after a panic.
        struct RestoreOnDrop(Option<Arc<Secrets>>);
        impl Drop for RestoreOnDrop {
            fn drop(&mut self) {
                CURRENT_SECRETS.set(self.0.take());
            }
        }
        let _before = RestoreOnDrop(CURRENT_SECRETS.replace(Some(Arc::clone(self))));
        work()
    }

    /// The displayed name of a path that contains a secret: the title of the resource, and the part
    /// of the path below it.
    fn name_of(&self, path: &Path) -> Option<String> {
        // The title itself is no secret.
        let own = path.strip_prefix(self.title.as_str()).unwrap_or(path);
        let shown = self.paths.redact(&own.to_string_lossy()).into_owned();
        let (_, below) = shown.rsplit_once(REDACTED)?;
        Some(format!("{}{below}", self.title))
    }

    /// An error of an attribute, without its secret value.
    pub(crate) fn attribute_error(&self, error: AttributeError) -> AttributeError {
        let help = error.help.map(|help| self.text(&help));
        AttributeError { message: self.text(&error.message), help, ..error }
    }

    fn error(&self, mut error: KindError) -> KindError {
        error.0 = self.text(&error.0);
        error
    }

    /// The outcome of a change, whose values are shown only if neither comes from a secret.
    fn outcome(&self, outcome: ChangeOutcome) -> ChangeOutcome {
        let ChangeOutcome { property, result } = outcome;
        let result = match result {
            Ok(_) if self.is_secret(&property) => Ok(CHANGED.to_string()),
            Ok(message) => Ok(self.text(&message)),
            Err(error) => Err(self.error(error)),
        };
        ChangeOutcome { property, result }
    }

    fn line(&self, line: LogLine) -> LogLine {
        LogLine { message: self.text(&line.message), ..line }
    }

    /// Whether the value of a property may come from a secret: it has the name of a secret
    /// attribute, or of an undeclared one, such as the target of a link that `ensure` sets. For
    /// other resources `ensure` only says whether they exist.
    fn is_secret(&self, property: &str) -> bool {
        self.secret.contains(property) || property != "ensure" && !self.declared.contains(property)
    }

    fn change(&self, change: Change) -> Change {
        let Change { action, property, before, after, message, .. } = change;
        let is_secret = self.is_secret(&property) || before.holds_secret() || after.holds_secret();
        let hidden = |value: Value| match value {
            Value::Null | Value::Secret(_) => value,
            value if is_secret || self.redactor.finds_in(&value) => Value::Secret(Arc::new(value)),
            value => value,
        };
        let (before, after) = (hidden(before), hidden(after));
        let values = Redactor::of([&before, &after]);
        let says_value = values.finds(&message) || self.redactor.finds(&message);
        let message = match says_value {
            true if is_secret => CHANGED.to_string(),
            true => self.text(&values.redact(&message)),
            false => message,
        };
        // A diff would show secrets that other attributes of the resource put into the same file.
        Change { action, property, before, after, text: None, message }
    }

    /// Gives a generated resource the secrets of this one.
    fn generated(&self, mut resource: Resource) -> Resource {
        for attribute in &mut resource.attributes {
            let is_secret = self.secret.contains(&attribute.name);
            if is_secret && !attribute.value.holds_secret()
                || self.redactor.finds_in(&attribute.value)
            {
                attribute.value = Value::Secret(Arc::new(std::mem::take(&mut attribute.value)));
            }
        }
        if resource.id.kind == "File" && self.secret.contains("path") {
            self.rename(&mut resource);
        }
        resource
    }

    /// Renames a file below a secret path to the title of the directory and the rest of its path.
    fn rename(&self, resource: &mut Resource) {
        let path = resource.id.title.clone();
        let shown = self.text(&path);
        let below = shown.rsplit_once(REDACTED).map_or("", |(_, below)| below);
        resource.id.title = ecow::eco_format!("{}{below}", self.title);
        let origin = resource.origin;
        resource.attributes.retain(|a| a.name != "path");
        resource.attributes.push(Attribute {
            name: "path".into(),
            value: Value::Secret(Arc::new(Value::Str(path))),
            origin,
            losers: Vec::new(),
        });
    }
}

/// A redactor for paths: it finds secrets of one line, and the parts between their slashes.
fn paths_in<'v>(values: impl Iterator<Item = &'v Value>) -> Redactor {
    let mut paths = Redactor::default();
    for value in values {
        value.secret_texts(&mut |text| {
            let text = text.trim();
            if text.contains('\n') {
                return;
            }
            paths.add_whole(text);
            let parts = text.split('/').filter(|part| part.len() >= MIN_PART_LENGTH);
            parts.for_each(|part| paths.add_whole(part));
        });
    }
    paths
}

/// The name that the graph uses for a generated resource, if it declares it: its path, if the title
/// differs.
pub(crate) fn declared_name(resource: &Resource) -> ResourceRef {
    let path = match resource.value("path") {
        Some(secret @ Value::Secret(_)) => scalar_text(reveal(secret).0),
        _ => None,
    };
    let title = path.map_or_else(|| resource.id.title.clone(), EcoString::from);
    ResourceRef { kind: resource.id.kind.clone(), title }
}

/// A parsed resource whose output is redacted.
pub(crate) struct RedactedInstance {
    inner: Box<dyn Instance>,
    secrets: Arc<Secrets>,
}

impl RedactedInstance {
    pub(crate) fn new(inner: Box<dyn Instance>, secrets: Arc<Secrets>) -> Self {
        Self { inner, secrets }
    }

    fn checked<T>(&self, result: Result<T, KindError>) -> Result<T, KindError> {
        result.map_err(|error| self.secrets.error(error))
    }
}

impl Instance for RedactedInstance {
    fn autorequires(&self) -> Vec<ResourceRef> {
        self.inner.autorequires()
    }

    fn automatic_relationships(&self) -> Vec<(Relationship, ResourceRef)> {
        self.inner.automatic_relationships()
    }

    fn second_names(&self) -> Vec<ResourceRef> {
        self.inner.second_names()
    }

    fn watches(&self, host: &Host) -> Vec<Watch> {
        self.inner.watches(host)
    }

    fn watches_move(&self) -> bool {
        self.inner.watches_move()
    }

    fn poll_interval(&self, host: &Host) -> Option<std::time::Duration> {
        self.inner.poll_interval(host)
    }

    fn max_poll_interval(&self, host: &Host) -> Option<std::time::Duration> {
        self.inner.max_poll_interval(host)
    }

    fn context_fingerprint(&self) -> Option<u64> {
        self.inner.context_fingerprint()
    }

    fn compare(&self, host: &Host) -> Result<Vec<Change>, KindError> {
        let changes = self.checked(self.inner.compare(host))?;
        Ok(changes.into_iter().map(|change| self.secrets.change(change)).collect())
    }

    fn expect_comparison(&self, host: &Host) {
        self.inner.expect_comparison(host);
    }

    fn apply(&self, host: &Host, changes: &[Change]) -> Result<(), KindError> {
        self.secrets.at_work(|| self.checked(self.inner.apply(host, changes)))
    }

    fn take_outcomes(&self) -> Vec<ChangeOutcome> {
        let outcomes = self.inner.take_outcomes().into_iter();
        outcomes.map(|outcome| self.secrets.outcome(outcome)).collect()
    }

    fn is_verified(&self) -> bool {
        self.inner.is_verified()
    }

    fn is_changed_alone(&self) -> bool {
        self.inner.is_changed_alone()
    }

    fn group(&self, host: &Host) -> Option<&'static str> {
        self.inner.group(host)
    }

    fn batch_command(
        &self,
        host: &Host,
        changes: &[Change],
    ) -> Result<Option<BatchCommand>, KindError> {
        self.checked(self.inner.batch_command(host, changes))
    }

    fn transact(&self, host: &Host, common: &[String], own: &[&str]) -> Result<(), KindError> {
        self.secrets.at_work(|| self.checked(self.inner.transact(host, common, own)))
    }

    fn reversal(&self, host: &Host) -> Result<Option<ReversalAttributes>, KindError> {
        let mut attributes = self.checked(self.inner.reversal(host))?;
        for (name, value) in attributes.iter_mut().flatten() {
            if self.secrets.is_secret(name) && !value.holds_secret() {
                *value = Value::Secret(Arc::new(std::mem::take(value)));
            }
        }
        Ok(attributes)
    }

    fn recover(&self, host: &Host) -> Result<(), KindError> {
        self.secrets.at_work(|| self.checked(self.inner.recover(host)))
    }

    fn is_container(&self) -> bool {
        self.inner.is_container()
    }

    fn remarks(&self, host: &Host) -> Vec<String> {
        let remarks = self.inner.remarks(host);
        remarks.iter().map(|remark| self.secrets.text(remark)).collect()
    }

    fn observed(&self, host: &Host) -> Result<Option<Vec<(&'static str, Value)>>, KindError> {
        let observed = self.checked(self.inner.observed(host))?;
        Ok(observed.map(|properties| {
            let hide = |(name, value)| match self.secrets.is_secret(name) {
                true => (name, Value::Secret(Arc::new(value))),
                false => (name, value),
            };
            properties.into_iter().map(hide).collect()
        }))
    }

    fn refreshable(&self) -> bool {
        self.inner.refreshable()
    }

    fn refresh(&self, host: &Host) -> Result<(), KindError> {
        self.secrets.at_work(|| self.checked(self.inner.refresh(host)))
    }

    fn refreshes_itself(&self) -> bool {
        self.inner.refreshes_itself()
    }

    fn acts_always(&self) -> bool {
        self.inner.acts_always()
    }

    fn is_fresh_after(&self, changes: &[Change]) -> bool {
        self.inner.is_fresh_after(changes)
    }

    fn sent(&self, host: &Host) -> Result<Vec<(&'static str, Value)>, KindError> {
        self.checked(self.inner.sent(host))
    }

    fn take_log(&self) -> Vec<LogLine> {
        self.inner.take_log().into_iter().map(|line| self.secrets.line(line)).collect()
    }

    fn generated_files(&self) -> &[PathBuf] {
        self.inner.generated_files()
    }

    fn generate(&self, host: &Host) -> Result<Vec<Resource>, KindError> {
        let generated = self.checked(self.inner.generate(host))?;
        Ok(generated.into_iter().map(|resource| self.secrets.generated(resource)).collect())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    /// A method that is not forwarded would run its default for resources with secrets.
    #[test]
    fn every_method_of_an_instance_is_passed_on() {
        let contract = include_str!("../kind/contract.rs");
        let contract = contract.split_once("pub trait Instance").unwrap().1;
        let methods = contract.split("\n    fn ").skip(1).map(|f| f.split_once('(').unwrap().0);
        let methods: Vec<&str> = methods.collect();
        assert!(methods.contains(&"compare") && methods.contains(&"take_log"), "{methods:?}");
        let here = include_str!("redact.rs");
        let missing = methods.into_iter().filter(|m| !here.contains(&format!("self.inner.{m}(")));
        assert_eq!(missing.collect::<Vec<_>>(), [""; 0]);
    }
}
