//! The contract of a program outside the engine that implements kinds.

use std::borrow::Cow;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use ordain_data::Value;
use ordain_graph::Resource;

use crate::kind::{AttributeError, Change, ChangeOutcome, KindError, LogLine, Relationship};
use crate::system::host::Host;

/// The number of a resource, which no other resource gets as long as this process runs.
pub type ResourceNumber = u64;

/// Implements kinds outside the engine: a program with a manifest, or the process of a language.
///
/// Resources go by numbers. A provider gets them with [`ExternalProvider::prepare`] and keeps them
/// until [`ExternalProvider::forget`]. Several threads may call it at the same time.
pub trait ExternalProvider: Send + Sync {
    /// Whether all resources of a graph are prepared in one request, with an outline of the other
    /// resources. Otherwise each comes alone.
    fn prepares_graphs(&self) -> bool {
        false
    }

    /// Whether one look at the machine may serve several resources.
    fn observes_together(&self) -> bool {
        false
    }

    /// Whether a resource is observed again after a change, to find differences that remain.
    fn verifies(&self) -> bool {
        true
    }

    /// Checks and parses resources, in the order of the request.
    fn prepare(&self, request: &PrepareRequest<'_>) -> Vec<PreparedResource>;

    /// Frees resources and graphs that nobody needs any more.
    fn forget(&self, _resources: &[ResourceNumber], _graphs: &[u64]) {}

    /// Observes the machine without side effects, in the order of the numbers.
    fn observe(&self, of: &[ResourceNumber], call: &Call<'_>) -> Vec<Observation>;

    /// Makes the changes of a resource.
    fn apply(&self, of: ResourceNumber, changes: &[Change], call: &Call<'_>) -> Applied;

    /// Acts on the change of something that a resource is subscribed to.
    fn refresh(&self, _of: ResourceNumber, _call: &Call<'_>) -> Answer<()> {
        Answer::of(())
    }

    /// The resources that a resource generates.
    fn generate(&self, _of: ResourceNumber, _call: &Call<'_>) -> Answer<Vec<Resource>> {
        Answer::of(Vec::new())
    }

    /// The current values of all properties; secrets are [`Value::Secret`]. `None` if the provider
    /// cannot tell.
    ///
    /// # Errors
    /// When the machine could not be observed.
    fn retrieve(
        &self,
        _of: ResourceNumber,
        _call: &Call<'_>,
    ) -> Result<Option<Vec<(String, Value)>>, KindError> {
        Ok(None)
    }

    /// All instances of a kind on the machine, each as a resource that is absent.
    ///
    /// # Errors
    /// When the machine could not be observed.
    fn instances(&self, _kind: &str, _call: &Call<'_>) -> Result<Vec<Resource>, KindError> {
        Ok(Vec::new())
    }
}

/// The machine and the limits of a call.
pub struct Call<'a> {
    /// The machine.
    pub host: &'a Host,
    /// The time that is left for the resource, if its graph limits it.
    pub limit: Option<Duration>,
    /// The time that the resource itself allows for an action.
    pub timeout: Option<Duration>,
    /// Whether state that was read from the machine earlier must not be used.
    pub is_fresh: bool,
}

/// Resources to prepare.
pub struct PrepareRequest<'a> {
    /// The number of the graph.
    pub graph: u64,
    /// The resources with their numbers.
    pub resources: Vec<(ResourceNumber, Cow<'a, Resource>)>,
    /// The other resources of the graph, in the first request of a graph.
    pub others: Vec<(ResourceNumber, &'a Resource)>,
}

/// A resource that was checked and parsed.
#[derive(Clone, Debug, Default)]
pub struct PreparedResource {
    /// Everything that is wrong with it.
    pub errors: Vec<AttributeError>,
    /// Its order with other resources of the graph, unless something written says the opposite.
    pub relationships: Vec<(Relationship, ResourceNumber)>,
    /// Warnings for each check.
    pub remarks: Vec<String>,
    /// Whether it acts on changes of others.
    pub is_refreshable: bool,
    /// Whether its changes are known only after it has acted, so that it acts in each run.
    pub acts_always: bool,
    /// Whether its own changes are followed by a refresh, too.
    pub refreshes_itself: bool,
    /// Whether it generates resources.
    pub generates: bool,
    /// The paths of the files among them that are known before the run.
    pub files: Vec<PathBuf>,
    /// Paths whose changes matter.
    pub watches: Vec<PathBuf>,
    /// The interval of checks.
    pub poll_interval: Option<Duration>,
    /// The longest interval of checks: the interval grows while nothing changes.
    pub max_poll_interval: Option<Duration>,
    /// The time that it allows for an action.
    pub timeout: Option<Duration>,
}

/// The state of a resource.
#[derive(Clone, Debug)]
pub struct Observation {
    /// The differences.
    pub changes: Result<Vec<Change>, KindError>,
    /// Lines for the log.
    pub log: Vec<LogLine>,
}

/// The result of changes.
#[derive(Clone, Debug)]
pub struct Applied {
    /// The result of each change, if the provider tells them apart.
    pub outcomes: Vec<ChangeOutcome>,
    /// Lines for the log.
    pub log: Vec<LogLine>,
    /// Why the work failed, besides single changes.
    pub result: Result<(), KindError>,
}

/// The result of another action.
#[derive(Clone, Debug)]
pub struct Answer<T> {
    /// The result.
    pub result: Result<T, KindError>,
    /// Lines for the log.
    pub log: Vec<LogLine>,
}

impl<T> Answer<T> {
    /// A result without lines for the log.
    pub fn of(value: T) -> Self {
        Self { result: Ok(value), log: Vec::new() }
    }

    /// A failure.
    pub fn failed(error: KindError) -> Self {
        Self { result: Err(error), log: Vec::new() }
    }
}

/// A kind of a provider.
#[derive(Clone, Debug, Default)]
pub struct KindDescription {
    /// Its name in lower case, such as `owner::name`.
    pub name: String,
    /// One line for the manual.
    pub doc: String,
    /// The name attribute.
    pub name_attribute: String,
    /// Names and descriptions of the other attributes.
    pub attributes: Vec<(String, String)>,
    /// Whether it takes attributes besides those.
    pub is_open: bool,
    /// Whether all instances on the machine can be listed.
    pub has_instances: bool,
    /// The values of `provider` of the resources that the kind takes; `None` if it takes all.
    pub providers: Option<Vec<String>>,
    /// Why no resource of the kind can be used, if that is so.
    pub fault: Option<AttributeError>,
}

impl KindDescription {
    /// A kind of which no resource can be used, with the reason and advice.
    pub fn unusable(name: &str, reason: String, help: Option<&str>) -> Self {
        let help = help.map(str::to_string);
        Self {
            name: name.to_string(),
            name_attribute: "name".into(),
            is_open: true,
            fault: Some(AttributeError { help, ..AttributeError::of_resource(reason) }),
            ..Self::default()
        }
    }
}

/// A provider that is shared by its kinds.
pub type SharedProvider = Arc<dyn ExternalProvider>;
