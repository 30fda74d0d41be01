//! Resources, attributes, edges.

use std::fmt;

use ecow::EcoString;
use indexmap::{Equivalent, IndexMap};
use ordain_data::{Redactor, Value};
use rustc_hash::{FxBuildHasher, FxHashSet};

use crate::origin::{OriginId, OriginTable};
use crate::served::ServedFiles;

/// The attributes that resources of every kind have.
pub const METAPARAMETERS: &[&str] = &[
    "alias",
    "audit",
    "before",
    "loglevel",
    "noop",
    "notify",
    "require",
    "schedule",
    "stage",
    "subscribe",
    "tag",
];

/// The index of a resource in its graph.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct ResourceId(pub u32);

/// The name of a resource: kind and title, printed `Kind[title]`.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct ResourceRef {
    /// The kind with capital segments, such as `File` or `Apache::Vhost`.
    pub kind: EcoString,
    /// The title.
    pub title: EcoString,
}

impl fmt::Display for ResourceRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}[{}]", self.kind, self.title)
    }
}

/// Looks up a name without creating a [`ResourceRef`].
#[derive(Hash)]
struct RefKey<'a> {
    kind: &'a str,
    title: &'a str,
}

impl Equivalent<ResourceRef> for RefKey<'_> {
    fn equivalent(&self, id: &ResourceRef) -> bool {
        self.title == id.title && self.kind == id.kind
    }
}

/// A value of an attribute that another value replaced.
#[derive(Clone, Debug)]
pub struct OverriddenValue {
    /// The value that lost.
    pub value: Value,
    /// Its origin.
    pub origin: OriginId,
}

/// An attribute with its value and origin.
#[derive(Clone, Debug)]
pub struct Attribute {
    /// The name.
    pub name: EcoString,
    /// The value; secrets are [`Value::Secret`].
    pub value: Value,
    /// The origin of the value.
    pub origin: OriginId,
    /// Values that were overridden, latest first.
    pub losers: Vec<OverriddenValue>,
}

/// The role of a container in the language: classes and instances of defines hold other resources.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Containment {
    /// A resource of a kind that the engine applies.
    Leaf,
    /// A class, stage or node: only holds others.
    Class,
    /// A class declared like a resource.
    ClassResource,
    /// An instance of a define.
    Define,
}

/// A resource.
#[derive(Clone, Debug)]
pub struct Resource {
    /// Kind and title.
    pub id: ResourceRef,
    /// Its role in the language.
    pub containment: Containment,
    /// Attributes in the order they were set, metaparameters included.
    pub attributes: Vec<Attribute>,
    /// Tags, sorted, lower case.
    pub tags: Vec<EcoString>,
    /// Whether it is stored for other nodes.
    pub exported: bool,
    /// Declared but not collected; such a resource is not applied.
    pub is_virtual: bool,
    /// The origin of the declaration.
    pub origin: OriginId,
}

impl Resource {
    /// The attribute of this name.
    pub fn attribute(&self, name: &str) -> Option<&Attribute> {
        self.attributes.iter().find(|a| a.name == name)
    }

    /// Gives a file with secret content and no mode a mode that lets only its owner read it. For
    /// languages whose original has no secrets, and so no rule for them.
    pub fn keep_private(&mut self) {
        let is_secret = |a: &&Attribute| a.name == "content" && a.value.holds_secret();
        let secret = self.attributes.iter().find(is_secret);
        let Some(origin) = secret.map(|a| a.origin).filter(|_| self.id.kind == "File") else {
            return;
        };
        if self.attribute("mode").is_none() {
            let (name, value) = ("mode".into(), Value::str("0600"));
            self.attributes.push(Attribute { name, value, origin, losers: Vec::new() });
        }
    }

    /// The value of the attribute of this name.
    pub fn value(&self, name: &str) -> Option<&Value> {
        self.attribute(name).map(|a| &a.value)
    }
}

/// The kind of an edge.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum EdgeKind {
    /// `from` comes before `to`.
    Before,
    /// As `Before`, and a change of `from` refreshes `to`.
    Notify,
}

/// An order between two resources; an end may be a container.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Edge {
    /// The earlier resource.
    pub from: ResourceId,
    /// The later resource.
    pub to: ResourceId,
    /// Order only, or with refresh.
    pub kind: EdgeKind,
    /// The origin of the order.
    pub origin: OriginId,
}

/// An order of each of some resources before each of others, as from `File<| |> -> Service<| |>`:
/// as many edges as the product of both, in memory proportional to their sum.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Barrier {
    /// The earlier resource.
    pub from: Vec<ResourceId>,
    /// The later resource.
    pub to: Vec<ResourceId>,
    /// Order only, or with refresh.
    pub kind: EdgeKind,
    /// The origin of the order.
    pub origin: OriginId,
}

impl Barrier {
    /// Whether a barrier should replace the edges between this many resources. A few edges are as
    /// small, and easier to read, compare and draw.
    pub fn serves(from: usize, to: usize) -> bool {
        const EDGES: usize = 4096;
        const SIDE: usize = 8;
        from.min(to) >= SIDE && from.saturating_mul(to) >= EDGES
    }

    /// The number of edges that it represents.
    pub fn len(&self) -> usize {
        self.from.len().saturating_mul(self.to.len())
    }

    /// Whether it stands for none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The edges that it represents, in the order of the resources.
    pub fn edges(&self) -> impl Iterator<Item = Edge> + '_ {
        let (kind, origin) = (self.kind, self.origin);
        let to = move |from| self.to.iter().map(move |&to| Edge { from, to, kind, origin });
        self.from.iter().copied().flat_map(to)
    }
}

/// Resources, their containment, and the order between them.
///
/// The same input gives the same graph, in the same order.
#[derive(Clone, Default, Debug)]
pub struct Graph {
    /// The node or machine that this is for.
    pub name: EcoString,
    /// The environment's name.
    pub environment: EcoString,
    /// All resources, in the order of their declaration.
    resources: Vec<Resource>,
    index: IndexMap<ResourceRef, ResourceId, FxBuildHasher>,
    /// Aliases that are values of secret attributes.
    secret_aliases: FxHashSet<ResourceRef>,
    /// Pairs (container, contained). A resource may have several containers.
    pub containment: Vec<(ResourceId, ResourceId)>,
    /// Order and notification.
    pub edges: Vec<Edge>,
    /// Order and notification between large sets of resources.
    pub barriers: Vec<Barrier>,
    /// Autorequires of the types. Explicit relationships win over them.
    pub automatic: Vec<Edge>,
    /// Names of classes in order of evaluation.
    pub classes: Vec<EcoString>,
    /// Tags of the whole, sorted.
    pub tags: Vec<EcoString>,
    /// The origins of all parts.
    pub origins: OriginTable,
    /// Metadata of file sources, if it was looked up.
    pub served: ServedFiles,
    /// The version of the catalog from a command of the environment, if there is one.
    pub version: Option<EcoString>,
}

impl Graph {
    /// Adds a resource. An existing one with the same name is replaced and its id kept.
    pub fn add(&mut self, resource: Resource) -> ResourceId {
        if let Some(&id) = self.index.get(&resource.id) {
            self.resources[id.0 as usize] = resource;
            return id;
        }
        let id = ResourceId(self.resources.len() as u32);
        self.index.insert(resource.id.clone(), id);
        self.resources.push(resource);
        id
    }

    /// Adds an alias of a resource: a declared alias, or the value of its name attribute. It is as
    /// secret as the attribute that it comes from, which must already be set.
    pub fn add_alias(&mut self, alias: ResourceRef, id: ResourceId) {
        let values = self.resource(id).attributes.iter().map(|attribute| &attribute.value);
        if Redactor::of(values).finds(&alias.title) {
            self.secret_aliases.insert(alias.clone());
        }
        self.index.entry(alias).or_insert(id);
    }

    /// Whether a second name must not be shown.
    pub fn is_secret_alias(&self, alias: &ResourceRef) -> bool {
        self.secret_aliases.contains(alias)
    }

    /// The id of a resource by kind and title, or by an alias.
    pub fn find(&self, id: &ResourceRef) -> Option<ResourceId> {
        self.index.get(id).copied()
    }

    /// The id of the resource for a reference such as `File[/x]`.
    pub fn find_text(&self, reference: &str) -> Option<ResourceId> {
        let (kind, rest) = reference.split_once('[')?;
        let title = rest.strip_suffix(']')?;
        self.index.get(&RefKey { kind, title }).copied()
    }

    /// Reserves room for this many more resources and origins.
    pub fn reserve(&mut self, resources: usize, origins: usize) {
        self.resources.reserve(resources);
        self.index.reserve(resources);
        self.origins.reserve(origins);
    }

    /// All aliases with their resources, in order of creation.
    pub fn aliases(&self) -> impl Iterator<Item = (&ResourceRef, ResourceId)> {
        let names = self.index.iter().map(|(name, id)| (name, *id));
        names.filter(|(name, id)| self.resource(*id).id != **name)
    }

    /// The resource of an id.
    pub fn resource(&self, id: ResourceId) -> &Resource {
        &self.resources[id.0 as usize]
    }

    /// The resource of an id, for changes. Its name must stay the same.
    pub fn resource_mut(&mut self, id: ResourceId) -> &mut Resource {
        &mut self.resources[id.0 as usize]
    }

    /// All resources with their ids, in order of declaration.
    pub fn resources(&self) -> impl ExactSizeIterator<Item = (ResourceId, &Resource)> {
        self.resources.iter().enumerate().map(|(i, r)| (ResourceId(i as u32), r))
    }

    /// The number of edges that the barriers represent.
    pub fn edges_of_barriers(&self) -> usize {
        self.barriers.iter().map(Barrier::len).fold(0, usize::saturating_add)
    }

    /// The number of resources.
    pub fn len(&self) -> usize {
        self.resources.len()
    }

    /// Whether there is no resource.
    pub fn is_empty(&self) -> bool {
        self.resources.is_empty()
    }
}
