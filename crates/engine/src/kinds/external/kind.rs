//! A kind of a provider, and its resources.

use std::hash::{Hash, Hasher};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use ordain_data::Value;
use ordain_graph::{Resource, ResourceRef};
use ordain_kinds::KindSchema;
use rustc_hash::FxHasher;

use super::group::{Entry, Group};
use super::names::{interned, schema};
use super::provider::{Call, KindDescription, SharedProvider};
use crate::kind::tools::is_live;
use crate::kind::{
    AttributeError, Change, ChangeOutcome, Instance, Kind, KindError, LogLine, ParseContext,
    ParseResult, Relationship, own_identity,
};
use crate::system::deadline;
use crate::system::host::Host;
use crate::system::watch::Watch;

/// The interval of checks without paths to watch.
const PAUSE: Duration = Duration::from_secs(60);

/// A kind that a provider outside the engine implements.
pub struct ExternalKind {
    schema: &'static KindSchema,
    description: KindDescription,
    group: Arc<Group>,
    /// The kind that is asked first; this one takes resources whose provider it does not have.
    other: Option<Arc<dyn Kind>>,
}

impl ExternalKind {
    /// The kinds of a provider.
    pub fn all(
        provider: &SharedProvider,
        kinds: impl IntoIterator<Item = KindDescription>,
    ) -> Vec<Self> {
        let kinds: Vec<KindDescription> = kinds.into_iter().collect();
        let names = kinds.iter().map(|kind| (interned(&kind.name), kind.providers.clone()));
        let names = names.collect();
        let group = Arc::new(Group::new(Arc::clone(provider), names));
        let kind = |description: KindDescription| Self {
            schema: schema(&description),
            description,
            group: Arc::clone(&group),
            other: None,
        };
        kinds.into_iter().map(kind).collect()
    }

    /// The description of the kind.
    pub fn description(&self) -> &KindDescription {
        &self.description
    }

    /// Takes only resources with providers that another kind of the same name does not have.
    #[must_use]
    pub fn beside(self, other: Arc<dyn Kind>) -> Self {
        Self { other: Some(other), ..self }
    }
}

impl Kind for ExternalKind {
    fn schema(&self) -> &KindSchema {
        self.other.as_ref().map_or(self.schema, |other| other.schema())
    }

    fn parse(&self, resource: &Resource, context: &ParseContext<'_>) -> ParseResult {
        if let Some(other) = &self.other {
            let parsed = other.parse(resource, context);
            let is_provider =
                |error: &AttributeError| error.attribute.as_deref() == Some("provider");
            let is_unknown = |errors: &Vec<AttributeError>| errors.iter().any(is_provider);
            if !self.group.takes(resource) || !parsed.as_ref().is_err_and(is_unknown) {
                return parsed;
            }
        }
        if let Some(fault) = &self.description.fault {
            return Err(vec![fault.clone()]);
        }
        let entry = self.group.prepare(resource, context);
        if !entry.prepared.errors.is_empty() {
            return Err(entry.prepared.errors.clone());
        }
        Ok(Box::new(ExternalInstance {
            kind: self.schema.name,
            group: Arc::clone(&self.group),
            related: entry.relationships(context),
            entry,
            log: Mutex::default(),
            outcomes: Mutex::default(),
        }))
    }

    fn identity(&self, resource: &Resource) -> String {
        match &self.other {
            Some(other) => other.identity(resource),
            None => own_identity(self.schema, resource),
        }
    }

    fn purged_as(&self, resource: &Resource) -> String {
        match &self.other {
            Some(other) => other.purged_as(resource),
            None => self.identity(resource),
        }
    }

    fn has_instances(&self) -> bool {
        self.other.as_ref().map_or(self.description.has_instances, |other| other.has_instances())
    }

    fn instance_watches(&self, host: &Host) -> Vec<Watch> {
        self.other.as_ref().map(|other| other.instance_watches(host)).unwrap_or_default()
    }

    fn instance_poll_interval(&self, host: &Host) -> Option<Duration> {
        self.other.as_ref().map_or(Some(PAUSE), |other| other.instance_poll_interval(host))
    }

    fn instances(&self, host: &Host) -> Result<Vec<Resource>, KindError> {
        if let Some(other) = &self.other {
            return other.instances(host);
        }
        check_live(host)?;
        let call = call(host, None);
        self.group.provider().instances(self.schema.name, &call)
    }
}

fn check_live(host: &Host) -> Result<(), KindError> {
    match is_live(host) {
        true => Ok(()),
        false => {
            let text = "external kinds act on the running system, not on a directory";
            Err(KindError::new(text))
        }
    }
}

fn call(host: &Host, timeout: Option<Duration>) -> Call<'_> {
    Call { host, limit: deadline::remaining(), timeout, is_fresh: host.stays }
}

struct ExternalInstance {
    kind: &'static str,
    group: Arc<Group>,
    entry: Entry,
    related: Vec<(Relationship, ResourceRef)>,
    log: Mutex<Vec<LogLine>>,
    outcomes: Mutex<Vec<ChangeOutcome>>,
}

impl ExternalInstance {
    fn log(&self, lines: Vec<LogLine>) {
        if !lines.is_empty() {
            self.log.lock().unwrap_or_else(PoisonError::into_inner).extend(lines);
        }
    }

    fn call<'h>(&self, host: &'h Host) -> Call<'h> {
        call(host, self.entry.prepared.timeout)
    }
}

impl Instance for ExternalInstance {
    fn automatic_relationships(&self) -> Vec<(Relationship, ResourceRef)> {
        self.related.clone()
    }

    fn watches(&self, _: &Host) -> Vec<Watch> {
        self.entry.prepared.watches.iter().cloned().map(Watch::Path).collect()
    }

    fn poll_interval(&self, _: &Host) -> Option<Duration> {
        let prepared = &self.entry.prepared;
        prepared.poll_interval.or_else(|| prepared.watches.is_empty().then_some(PAUSE))
    }

    fn max_poll_interval(&self, _: &Host) -> Option<Duration> {
        self.entry.prepared.max_poll_interval
    }

    fn context_fingerprint(&self) -> Option<u64> {
        if !self.group.provider().prepares_graphs() {
            return None;
        }
        // Code of another language may look at any resource of the graph.
        let mut hasher = FxHasher::default();
        self.related.hash(&mut hasher);
        self.entry.prepared.watches.hash(&mut hasher);
        self.entry.prepared.is_refreshable.hash(&mut hasher);
        Some(hasher.finish())
    }

    fn remarks(&self, _: &Host) -> Vec<String> {
        self.entry.prepared.remarks.clone()
    }

    fn expect_comparison(&self, host: &Host) {
        if host.stays {
            self.group.expect(&self.entry);
        }
    }

    fn compare(&self, host: &Host) -> Result<Vec<Change>, KindError> {
        check_live(host)?;
        let observation = self.group.observe(&self.entry, &self.call(host));
        self.log(observation.log);
        observation.changes
    }

    fn apply(&self, host: &Host, changes: &[Change]) -> Result<(), KindError> {
        let provider = self.group.provider();
        let applied = provider.apply(self.entry.number(), changes, &self.call(host));
        self.log(applied.log);
        let failed = applied.outcomes.iter().find_map(|outcome| outcome.result.clone().err());
        *self.outcomes.lock().unwrap_or_else(PoisonError::into_inner) = applied.outcomes;
        applied.result.and(failed.map_or(Ok(()), Err))
    }

    fn acts_always(&self) -> bool {
        self.entry.prepared.acts_always
    }

    fn take_outcomes(&self) -> Vec<ChangeOutcome> {
        std::mem::take(&mut *self.outcomes.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn is_verified(&self) -> bool {
        self.group.provider().verifies()
    }

    fn group(&self, host: &Host) -> Option<&'static str> {
        (host.stays && self.group.provider().observes_together()).then_some(self.kind)
    }

    fn is_changed_alone(&self) -> bool {
        true
    }

    fn observed(&self, host: &Host) -> Result<Option<Vec<(&'static str, Value)>>, KindError> {
        let values = self.group.provider().retrieve(self.entry.number(), &self.call(host))?;
        let named = |(name, value): (String, Value)| (interned(&name), value);
        Ok(values.map(|values| values.into_iter().map(named).collect()))
    }

    fn refreshable(&self) -> bool {
        self.entry.prepared.is_refreshable
    }

    fn refreshes_itself(&self) -> bool {
        self.entry.prepared.refreshes_itself
    }

    fn refresh(&self, host: &Host) -> Result<(), KindError> {
        let answer = self.group.provider().refresh(self.entry.number(), &self.call(host));
        self.log(answer.log);
        answer.result
    }

    fn take_log(&self) -> Vec<LogLine> {
        std::mem::take(&mut *self.log.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn generated_files(&self) -> &[PathBuf] {
        &self.entry.prepared.files
    }

    fn generate(&self, host: &Host) -> Result<Vec<Resource>, KindError> {
        if !self.entry.prepared.generates {
            return Ok(Vec::new());
        }
        let answer = self.group.provider().generate(self.entry.number(), &self.call(host));
        self.log(answer.log);
        answer.result
    }
}
