//! A prepared graph and its parts: options, parsed resources, relations and their order.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use ordain_data::Value;
use ordain_graph::relations::NodeId;
use ordain_graph::{Graph, Relations, Resource, ResourceId, ResourceRef};

use crate::kind::{AttributeError, Instance, Level, Registry, reveal, scalar_text};
use crate::run::audit::Audit;
use crate::run::current::{CrashedResource, CurrentGuard, CurrentResource};
use crate::run::deferred::Deferred;
use crate::run::schedule::Schedule;

/// Options of a run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Options {
    /// Changes nothing and only reports the changes. The `noop` of a resource takes precedence.
    pub noop: bool,
    /// Only resources with one of these tags; all if there are none.
    pub tags: Vec<String>,
    /// No resource with one of these tags.
    pub skip_tags: Vec<String>,
    /// Only these resources with their content and dependencies; all if empty.
    pub targets: Vec<ResourceRef>,
    /// The maximum number of resources that are processed at the same time.
    pub jobs: usize,
    /// Whether resources that are due at the same time are changed in one transaction, if their
    /// kind can.
    pub autogroup: bool,
    /// Whether to add autorequires, such as a file after its directory.
    pub autoedges: bool,
    /// Resources in which an earlier run crashed. They fail without being compared, as long as
    /// their attributes stay the same.
    pub crashes: Vec<CrashedResource>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            noop: false,
            tags: Vec::new(),
            skip_tags: Vec::new(),
            targets: Vec::new(),
            jobs: 1,
            autogroup: true,
            autoedges: true,
            crashes: Vec::new(),
        }
    }
}

/// A resource that is ready to be checked, or the reason why it is not.
pub enum Item {
    /// It only holds others.
    Container,
    /// It is declared for others and not applied here.
    Virtual,
    /// The tags or targets of the run exclude it.
    Filtered,
    /// Something is wrong with the declaration.
    Bad(Vec<AttributeError>),
    /// It can be compared and applied.
    Ready(Arc<Ready>),
}

/// A parsed resource with its metaparameters.
pub struct Ready {
    /// The parsed resource.
    pub instance: Box<dyn Instance>,
    /// Whether it is only observed.
    pub noop: bool,
    /// The log level of its changes.
    pub level: Level,
    /// The retries after a failure.
    pub retry_policy: RetryPolicy,
    /// Equal for equal attributes.
    pub digest: u64,
    /// The times when it may be applied, if limited.
    pub schedule: Option<Schedule>,
    /// The properties that are watched for changes.
    pub audit: Option<Audit>,
    /// Whether it lacks attributes that are computed just before its check.
    pub is_deferred: bool,
}

/// The retries of a resource that fails.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RetryPolicy {
    /// The number of retries; unlimited if `None`.
    pub retries: Option<u32>,
    /// The wait before each retry.
    pub delay: Duration,
    /// The time limit of one try; unlimited if `None`.
    pub limit: Option<Duration>,
}

impl RetryPolicy {
    /// The declared policy; by default there are no retries.
    pub(crate) fn of(resource: &Resource) -> Self {
        let number = |name| match resource.value(name) {
            Some(Value::Int(number)) => *number,
            _ => 0,
        };
        let delay = Duration::from_millis(number("meta:delay").max(0).unsigned_abs());
        let limit = number("meta:timeout").max(0).unsigned_abs();
        let limit = (limit > 0).then(|| Duration::from_millis(limit));
        Self { retries: u32::try_from(number("meta:retry")).ok(), delay, limit }
    }
}

/// Finds the file behind an address such as `puppet:///modules/NAME/FILE`.
pub type ResolveSource = Arc<dyn Fn(&str) -> Option<PathBuf> + Send + Sync>;

/// A prepared graph. It owns its data, so that it can outlive its run.
pub struct Prepared {
    /// The graph.
    pub graph: Arc<Graph>,
    /// The edges, including the autorequires of the kinds.
    pub relations: Arc<Relations>,
    /// The order of all nodes.
    pub order: Arc<Vec<NodeId>>,
    /// The item of each resource of the graph.
    pub items: Vec<Item>,
    /// The difference to the previous graph, if they are alike.
    pub(crate) incremental_update: Option<IncrementalUpdate>,
    /// No two have the same.
    pub(crate) serial: u64,
    pub(super) containers: Vec<Option<ResourceId>>,
    /// Whether each resource is a container.
    pub(crate) holds: Vec<bool>,
    pub(super) files: OnceLock<Arc<BTreeSet<PathBuf>>>,
    pub(super) generated_files: OnceLock<BTreeSet<PathBuf>>,
    pub(crate) registry: Arc<Registry>,
    pub(super) resolve_source: ResolveSource,
    /// Computes deferred values during the run; without it they are errors.
    pub(crate) deferred: Option<Arc<dyn Deferred>>,
    pub(super) options: Options,
}

/// The difference between two graphs with the same resources in the same order.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct IncrementalUpdate {
    /// The serial number of the other.
    pub(crate) after: u64,
    /// The resources that are not the same.
    pub(crate) changed: Vec<ResourceId>,
}

impl Prepared {
    /// The resources with errors in their declarations. With any of them the graph cannot be
    /// applied completely.
    pub fn faults(&self) -> impl Iterator<Item = (ResourceId, &[AttributeError])> {
        self.items.iter().enumerate().filter_map(|(i, item)| match item {
            Item::Bad(errors) => Some((ResourceId(i as u32), errors.as_slice())),
            _ => None,
        })
    }

    /// The options of the run.
    pub(crate) fn options(&self) -> &Options {
        &self.options
    }

    /// Makes a resource the current one of this thread, if it can be applied.
    pub(crate) fn enter(&self, id: ResourceId) -> Option<CurrentGuard> {
        let Item::Ready(ready) = &self.items[id.0 as usize] else { return None };
        let resource = self.graph.resource(id).id.clone();
        Some(CurrentGuard::enter(CurrentResource { resource, digest: ready.digest }))
    }

    /// The crash of an earlier run in a resource with these attributes.
    pub(crate) fn crash(&self, id: ResourceId, ready: &Ready) -> Option<&CrashedResource> {
        let of_attributes = |crash: &&CrashedResource| crash.digest == ready.digest;
        let mut crashes = self.options.crashes.iter().filter(of_attributes);
        crashes.find(|crash| crash.resource == self.graph.resource(id).id.to_string())
    }

    /// The containment path of a resource, as logs show it: `/Stage[main]/A/File[/x]`.
    pub fn path(&self, id: ResourceId) -> String {
        let mut names = Vec::new();
        let mut at = Some(id);
        // A cycle of containers ends after as many steps as there are resources.
        while let Some(id) = at.filter(|_| names.len() <= self.graph.len()) {
            names.push(path_name(&self.graph.resource(id).id));
            at = self.containers[id.0 as usize];
        }
        names.iter().rev().fold(String::new(), |path, name| path + "/" + name)
    }

    /// Whether a declared resource generates this file, or a file below this directory, which is then
    /// not removed.
    pub(crate) fn is_generated(&self, file: &Resource) -> bool {
        let ready = self.items.iter().filter_map(|item| match item {
            Item::Ready(ready) => Some(ready.instance.generated_files()),
            _ => None,
        });
        let files = self.generated_files.get_or_init(|| ready.flatten().cloned().collect());
        if files.is_empty() || file.id.kind != "File" {
            return false;
        }
        let text = |name| file.value(name).and_then(|value| scalar_text(reveal(value).0));
        let path = PathBuf::from(text("path").unwrap_or_else(|| file.id.title.to_string()));
        let is_removed = text("ensure").as_deref() == Some("absent");
        let next = files.range(path.clone()..).next();
        next.is_some_and(|next| *next == path || is_removed && next.starts_with(&path))
    }

    /// The path of a generated resource.
    pub fn generated_path(&self, parent: ResourceId, name: &ResourceRef) -> String {
        let container = self.containers[parent.0 as usize];
        container.map(|c| self.path(c)).unwrap_or_default() + "/" + &path_name(name)
    }
}

fn path_name(name: &ResourceRef) -> String {
    if name.kind != "Class" {
        return name.to_string();
    }
    let mut chars = name.title.chars();
    let first = chars.next().map(|c| c.to_uppercase().to_string()).unwrap_or_default();
    first + chars.as_str()
}
