//! From a graph to parsed resources in order: everything that is known before the machine is
//! looked at.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::hash::{Hash, Hasher};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use ordain_data::Value;
use ordain_graph::order::{NodeId, Wish};
use ordain_graph::transfer::{self, LIFE};
use ordain_graph::{
    Attribute, Containment, Cycle, EdgeKind, Graph, METAPARAMETERS, Relations, Resource,
    ResourceId, ResourceRef, json, protected,
};
use rustc_hash::{FxHashMap, FxHasher};

use crate::attributes::{reveal, scalar_text};
use crate::audit::Audit;
use crate::automatic;
use crate::deferred::{Deferred, function_of};
use crate::kind::{AttributeError, Instance, Kind, Level, ParseContext};
use crate::redact::{Redacted, Secrets};
use crate::registry::Registry;
use crate::schedule::Schedule;
use crate::successor::Succession;

/// What a run is asked for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Options {
    /// Change nothing, only say what would be changed. A resource's own `noop` goes before it.
    pub noop: bool,
    /// Only resources with one of these tags; all if there are none.
    pub tags: Vec<String>,
    /// No resource with one of these tags.
    pub skip_tags: Vec<String>,
    /// Only these resources, with what they hold and what has to come before them; all if there are
    /// none.
    pub targets: Vec<ResourceRef>,
    /// How many resources may be worked on at the same time.
    pub jobs: usize,
    /// Whether resources that are due at the same time are changed in one transaction, where their
    /// kind can.
    pub autogroup: bool,
    /// Whether resources come after others because of what they are, such as a file after the
    /// directory that it is in.
    pub autoedges: bool,
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
        }
    }
}

/// A resource that is ready to be looked at, or why it is not.
pub enum Item {
    /// It only holds others.
    Container,
    /// It is declared for others and not applied here.
    Virtual,
    /// The tags or targets that were asked for leave it out.
    Filtered,
    /// Something is wrong with the declaration.
    Bad(Vec<AttributeError>),
    /// It can be compared and applied.
    Ready(Arc<Ready>),
}

/// A parsed resource with what the engine reads from its metaparameters.
pub struct Ready {
    /// The parsed resource.
    pub instance: Box<dyn Instance>,
    /// Whether it is only to be looked at.
    pub noop: bool,
    /// How important its changes are in the log.
    pub level: Level,
    /// What is done when it fails.
    pub patience: Patience,
    /// Equal for equal attributes.
    pub digest: u64,
    /// When it may be applied, if that is limited.
    pub schedule: Option<Schedule>,
    /// The properties that are watched for changes.
    pub audit: Option<Audit>,
    /// Whether it lacks attributes that are computed just before it is looked at.
    pub is_deferred: bool,
}

/// How often a resource that fails is tried again.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Patience {
    /// How often; without end if there is none.
    pub retries: Option<u32>,
    /// How long to wait before each.
    pub delay: Duration,
    /// How long one try may take; without a limit if there is none.
    pub limit: Option<Duration>,
}

impl Patience {
    /// What a resource says; never again if it says nothing.
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
pub type Resolve = Arc<dyn Fn(&str) -> Option<PathBuf> + Send + Sync>;

/// A graph made ready. It owns what it needs, so that it can outlive the run that made it.
pub struct Prepared {
    /// The graph.
    pub graph: Arc<Graph>,
    /// What comes before what, with what the kinds ask for.
    pub relations: Arc<Relations>,
    /// The order of all nodes.
    pub order: Arc<Vec<NodeId>>,
    /// For each resource of the graph what is to be done with it.
    pub items: Vec<Item>,
    /// How it differs from the one before it, if they are alike.
    pub(crate) succession: Option<Succession>,
    /// No two have the same.
    pub(crate) serial: u64,
    containers: Vec<Option<ResourceId>>,
    /// Which resources hold others.
    pub(crate) holds: Vec<bool>,
    files: OnceLock<Arc<BTreeSet<PathBuf>>>,
    pub(crate) registry: Arc<Registry>,
    resolve_source: Resolve,
    /// What computes deferred values during the run; without it they are errors.
    pub(crate) deferred: Option<Arc<dyn Deferred>>,
    options: Options,
}

/// The next serial number.
static SERIAL: AtomicU64 = AtomicU64::new(0);

impl Prepared {
    /// Parses all resources of a graph and puts them into order.
    ///
    /// # Errors
    /// When the relations have a loop. Whatever else is wrong belongs to one resource.
    pub fn new(
        graph: Arc<Graph>,
        registry: Arc<Registry>,
        resolve_source: Resolve,
        options: Options,
    ) -> Result<Self, Box<Cycle>> {
        Self::after(None, graph, registry, resolve_source, options)
    }

    /// The same, with what an earlier graph has ready as far as both are equal.
    ///
    /// # Errors
    /// As of [`Prepared::new`].
    pub fn after(
        earlier: Option<&Self>,
        graph: Arc<Graph>,
        registry: Arc<Registry>,
        resolve_source: Resolve,
        options: Options,
    ) -> Result<Self, Box<Cycle>> {
        Self::deferring(earlier, graph, registry, (resolve_source, None), options)
    }

    /// The same; deferred values are computed during the run.
    ///
    /// # Errors
    /// As of [`Prepared::new`].
    pub fn deferring(
        earlier: Option<&Self>,
        graph: Arc<Graph>,
        registry: Arc<Registry>,
        (resolve_source, deferred): (Resolve, Option<Arc<dyn Deferred>>),
        options: Options,
    ) -> Result<Self, Box<Cycle>> {
        let mut containers = vec![None; graph.len()];
        let mut holds = vec![false; graph.len()];
        for &(outer, inner) in &graph.containment {
            containers[inner.0 as usize].get_or_insert(outer);
            holds[outer.0 as usize] = true;
        }
        let mut prepared = Self {
            relations: Arc::default(),
            graph,
            order: Arc::default(),
            items: Vec::new(),
            succession: None,
            serial: SERIAL.fetch_add(1, Ordering::Relaxed),
            containers,
            holds,
            files: OnceLock::new(),
            registry,
            resolve_source,
            deferred,
            options,
        };
        // What targets need is found among all relations.
        let is_whole = prepared.options.targets.is_empty();
        if let Some(earlier) = earlier.filter(|earlier| is_whole && earlier.is_like(&prepared)) {
            prepared.succeed(earlier);
        }
        if prepared.succession.is_none() {
            prepared.relate()?;
        }
        Ok(prepared)
    }

    /// Parses what is not ready, and finds what comes before what.
    fn relate(&mut self) -> Result<(), Box<Cycle>> {
        let mut relations = Relations::new(&self.graph);
        if self.items.is_empty() {
            let graph = Arc::clone(&self.graph);
            self.items = graph.resources().map(|(id, r)| self.item(id, r)).collect();
        }
        if self.options.autoedges {
            relations.add_wishes(&self.wishes());
        }
        self.order = Arc::new(relations.order()?);
        self.relations = Arc::new(relations);
        self.leave_to_targets();
        Ok(())
    }

    /// Leaves out what the targets do not need. It is known only now, because kinds ask for
    /// resources, too.
    fn leave_to_targets(&mut self) {
        if self.options.targets.is_empty() {
            return;
        }
        let ids = self.options.targets.iter().filter_map(|name| self.graph.find(name));
        let needed = self.relations.before(ids.map(|id| self.relations.leave(id)));
        for (node, is_needed) in needed.into_iter().enumerate() {
            let node = self.relations.node(NodeId(node as u32));
            let item = &mut self.items[node.resource.0 as usize];
            if !is_needed && !matches!(item, Item::Container | Item::Virtual) {
                *item = Item::Filtered;
            }
        }
    }

    /// What comes first by the types of the resources: what the graph has of it, and what the kinds
    /// ask for.
    fn wishes(&self) -> Vec<Wish> {
        let known = self.graph.automatic.iter().map(|e| (e.from, e.to, e.kind));
        known.chain(self.wishes_of_kinds().into_iter().map(|(wish, _)| wish)).collect()
    }

    /// What the kinds ask for, each with the resource that asks.
    pub fn wishes_of_kinds(&self) -> Vec<(Wish, ResourceId)> {
        let mut second = FxHashMap::default();
        for (i, item) in self.items.iter().enumerate() {
            let Item::Ready(ready) = item else { continue };
            for name in ready.instance.second_names() {
                second.entry(name).or_insert(ResourceId(i as u32));
            }
        }
        let by_number = |name: &ResourceRef| {
            name.kind == "Group" && name.title.bytes().all(|b| b.is_ascii_digit())
        };
        let find = |name: ResourceRef| {
            let named = if by_number(&name) { None } else { self.graph.find(&name) };
            named.or(second.get(&name).copied())
        };
        let mut wishes = Vec::new();
        for (i, item) in self.items.iter().enumerate() {
            let id = ResourceId(i as u32);
            wishes.extend(automatic::extra(&self.graph, id).into_iter().map(|wish| (wish, id)));
            let Item::Ready(ready) = item else { continue };
            let earlier = ready.instance.autorequires().into_iter();
            let earlier = earlier.filter_map(find);
            wishes.extend(earlier.map(|from| ((from, id, EdgeKind::Before), id)));
        }
        // Programs of mgmt may keep a resource out of this.
        let refuses = |id: ResourceId| {
            self.graph.resource(id).value("meta:autoedge") == Some(&Value::Bool(false))
        };
        wishes.retain(|((from, to, _), _)| !refuses(*from) && !refuses(*to));
        wishes
    }

    pub(crate) fn item(&self, id: ResourceId, resource: &Resource) -> Item {
        if resource.is_virtual {
            Item::Virtual
        } else if self.holds[id.0 as usize] || resource.containment != Containment::Leaf {
            Item::Container
        } else if self.is_filtered(resource) {
            Item::Filtered
        } else {
            let resource = with_served(resource, &self.graph);
            let ready = self.before_evaluation(&resource).map_or_else(|| self.parse(&resource), Ok);
            ready.map_or_else(Item::Bad, |ready| Item::Ready(Arc::new(ready)))
        }
    }

    fn is_filtered(&self, resource: &Resource) -> bool {
        let has = |tags: &[String]| {
            tags.iter().any(|t| resource.tags.iter().any(|own| own.eq_ignore_ascii_case(t)))
        };
        let Options { tags, skip_tags, .. } = &self.options;
        !tags.is_empty() && !has(tags) || has(skip_tags)
    }

    /// Parses a resource, of the graph or generated.
    ///
    /// # Errors
    /// Everything that is wrong with it.
    pub fn parse(&self, resource: &Resource) -> Result<Ready, Vec<AttributeError>> {
        let Some(secrets) = Secrets::of(resource) else { return self.parse_in_clear(resource) };
        let parsed = self.parse_in_clear(resource);
        let mut ready = parsed.map_err(|errors| {
            errors.into_iter().map(|error| secrets.attribute_error(error)).collect::<Vec<_>>()
        })?;
        ready.instance = Box::new(Redacted::new(ready.instance, secrets));
        Ok(ready)
    }

    /// Parses a resource that may say what its secrets are.
    fn parse_in_clear(&self, resource: &Resource) -> Result<Ready, Vec<AttributeError>> {
        let Some(kind) = self.registry.get(&resource.id.kind) else {
            let name = resource.id.kind.to_lowercase();
            let message = format!("this machine's engine does not know kind {name} yet");
            return Err(vec![AttributeError { attribute: None, message }]);
        };
        let resource = &*with_name_attribute(resource, kind);
        let mut errors = self.bad_attributes(resource, kind);
        let noop = resource.value("noop").and_then(scalar_text);
        let level = level(resource).unwrap_or_else(|error| {
            errors.push(error);
            Level::Notice
        });
        let find = |name: &ResourceRef| self.graph.find(name).map(|id| self.graph.resource(id));
        let files = || Arc::clone(self.files.get_or_init(|| Arc::new(declared_files(&self.graph))));
        let resolve_source = &*self.resolve_source;
        let of_kind = |name: &str| {
            let is_one = |r: &Resource| !r.is_virtual && r.id.kind.eq_ignore_ascii_case(name);
            self.graph.resources().map(|(_, r)| r).filter(|r| is_one(r)).collect()
        };
        let context = ParseContext {
            resolve_source,
            find: &find,
            files: &files,
            of_kind: &of_kind,
            registry: &self.registry,
            served: &self.graph.served,
        };
        match kind.parse(resource, &context) {
            Ok(instance) if errors.is_empty() => {
                let noop = noop.map_or(self.options.noop, |n| n == "true");
                let (patience, digest) = (Patience::of(resource), digest(resource));
                let schedule = self.schedule(resource).map_err(|error| vec![error])?;
                let audit = Audit::of(resource);
                let is_deferred = false;
                Ok(Ready { instance, noop, level, patience, digest, schedule, audit, is_deferred })
            }
            Ok(_) => Err(errors),
            Err(more) => {
                errors.extend(more);
                Err(errors)
            }
        }
    }

    /// The resources whose declarations are wrong, with what is wrong: with any, the graph cannot be
    /// carried out whole.
    pub fn faults(&self) -> impl Iterator<Item = (ResourceId, &[AttributeError])> {
        self.items.iter().enumerate().filter_map(|(i, item)| match item {
            Item::Bad(errors) => Some((ResourceId(i as u32), errors.as_slice())),
            _ => None,
        })
    }

    /// The schedule that a resource names.
    fn schedule(&self, resource: &Resource) -> Result<Option<Schedule>, AttributeError> {
        let Some(name) = resource.value("schedule").and_then(|v| scalar_text(reveal(v).0)) else {
            return Ok(None);
        };
        let reference = ResourceRef { kind: "Schedule".into(), title: name.as_str().into() };
        let wrong = |message| AttributeError::new("schedule", message);
        if let Some(declared) = self.graph.find(&reference) {
            let parsed = Schedule::parse(self.graph.resource(declared));
            let first = |errors: Vec<AttributeError>| errors.into_iter().next();
            return parsed.map(Some).map_err(|errors| {
                let why = first(errors).map(|error| error.message).unwrap_or_default();
                wrong(format!("schedule {name}: {why}"))
            });
        }
        let built_in = Schedule::built_in(&name);
        built_in.map(Some).ok_or_else(|| wrong(format!("Could not find schedule {name}")))
    }

    fn bad_attributes(&self, resource: &Resource, kind: &dyn Kind) -> Vec<AttributeError> {
        let known = |name: &str| {
            is_of_engine(name)
                || kind.takes_any()
                || kind.attributes().iter().any(|a| a.name == name)
        };
        let mut errors = Vec::new();
        for attribute in &resource.attributes {
            let name = attribute.name.as_str();
            let error = if !known(name) {
                format!("no attribute named '{name}'")
            } else if let Some(function) = function_of(&attribute.value) {
                format!("{name} is deferred, and nothing here can call function {function}")
            } else if json::is_omitted(&attribute.value) {
                format!("the secret {name} was left out when this was saved")
            } else {
                continue;
            };
            errors.push(AttributeError::new(name, error));
        }
        errors
    }

    /// What the run is asked for.
    pub(crate) fn options(&self) -> &Options {
        &self.options
    }

    /// Where a resource is contained, as logs show it: `/Stage[main]/A/File[/x]`.
    pub fn path(&self, id: ResourceId) -> String {
        let mut names = Vec::new();
        let mut at = Some(id);
        // Containment that runs in a circle ends after as many steps as there are resources.
        while let Some(id) = at.filter(|_| names.len() <= self.graph.len()) {
            names.push(path_name(&self.graph.resource(id).id));
            at = self.containers[id.0 as usize];
        }
        names.iter().rev().fold(String::new(), |path, name| path + "/" + name)
    }

    /// The same for a resource that another stands for.
    pub fn generated_path(&self, parent: ResourceId, name: &ResourceRef) -> String {
        let container = self.containers[parent.0 as usize];
        container.map(|c| self.path(c)).unwrap_or_default() + "/" + &path_name(name)
    }
}

/// Whether an attribute is one that the engine reads for every kind.
pub(crate) fn is_of_engine(name: &str) -> bool {
    METAPARAMETERS.contains(&name)
        || transfer::is_transfer(name)
        || LIFE.contains(&name)
        || name == "provider"
}

/// Equal for resources of equal attributes.
fn digest(resource: &Resource) -> u64 {
    let mut hasher = FxHasher::default();
    for attribute in &resource.attributes {
        attribute.name.hash(&mut hasher);
        attribute.value.hash(&mut hasher);
    }
    hasher.finish()
}

/// The paths of all files that are applied, without a slash at their ends.
fn declared_files(graph: &Graph) -> BTreeSet<PathBuf> {
    let files = graph.resources().filter(|(_, r)| r.id.kind == "File" && !r.is_virtual);
    let path = |r: &Resource| {
        let path = r.value("path").and_then(|v| scalar_text(reveal(v).0));
        let path = path.unwrap_or_else(|| r.id.title.to_string());
        PathBuf::from(protected::normal(&path))
    };
    files.map(|(_, r)| path(r)).collect()
}

fn path_name(name: &ResourceRef) -> String {
    if name.kind != "Class" {
        return name.to_string();
    }
    let mut chars = name.title.chars();
    let first = chars.next().map(|c| c.to_uppercase().to_string()).unwrap_or_default();
    first + chars.as_str()
}

/// `name` stands for the name attribute of every kind, whatever that is called.
fn with_name_attribute<'r>(resource: &'r Resource, kind: &dyn Kind) -> Cow<'r, Resource> {
    let first = kind.attributes().first().map_or("name", |a| a.name);
    let others = kind.attributes().iter().any(|a| a.name == "name");
    if others || resource.value("name").is_none() || resource.value(first).is_some() {
        return Cow::Borrowed(resource);
    }
    let mut resource = resource.clone();
    for attribute in resource.attributes.iter_mut().filter(|a| a.name == "name") {
        attribute.name = first.into();
    }
    Cow::Owned(resource)
}

/// A file of a static catalog takes the source that was found when that was compiled, and only with
/// the content of that time.
pub(crate) fn with_served<'r>(resource: &'r Resource, graph: &Graph) -> Cow<'r, Resource> {
    let file = match resource.id.kind.as_str() {
        "File" => graph.served.file(&resource.id.title),
        _ => None,
    };
    let Some(file) = file else { return Cow::Borrowed(resource) };
    let mut resource = resource.clone();
    if let (Some(source), Some(at)) =
        (&file.source, resource.attributes.iter_mut().find(|a| a.name == "source"))
    {
        at.value = Value::str(source.as_str());
    }
    if let Some(digest) = file.digest() {
        set_digest(&mut resource, digest);
    }
    Cow::Owned(resource)
}

/// Sets the digest that content must have, unless the resource says one.
pub(crate) fn set_digest(resource: &mut Resource, (kind, hex): (&str, &str)) {
    if resource.value("checksum_value").is_some_and(|value| !value.is_null()) {
        return;
    }
    resource.attributes.retain(|a| !["checksum", "checksum_value"].contains(&a.name.as_str()));
    let origin = resource.origin;
    for (name, text) in [("checksum", kind), ("checksum_value", hex)] {
        let (name, value) = (name.into(), Value::str(text));
        resource.attributes.push(Attribute { name, value, origin, losers: Vec::new() });
    }
}

fn level(resource: &Resource) -> Result<Level, AttributeError> {
    let text = resource.value("loglevel").and_then(|v| scalar_text(reveal(v).0));
    Ok(match text.as_deref() {
        None | Some("notice") => Level::Notice,
        Some("debug" | "verbose") => Level::Debug,
        Some("info") => Level::Info,
        Some("warning") => Level::Warning,
        Some("err") => Level::Error,
        Some("alert") => Level::Alert,
        Some("emerg") => Level::Emergency,
        Some("crit") => Level::Critical,
        Some(other) => {
            let message = format!("Invalid loglevel {other}");
            return Err(AttributeError::new("loglevel", message));
        }
    })
}
