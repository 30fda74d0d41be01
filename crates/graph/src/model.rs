//! Resources, attributes, edges.

use std::collections::hash_map::Entry;
use std::fmt;
use std::hash::BuildHasher as _;
use std::sync::Arc;

use ecow::EcoString;
use indexmap::{Equivalent, IndexMap};
use ordain_data::{Redactor, Value};
use ordain_source::Span;
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};

use crate::origin::{DataStep, OriginId, OriginTable};
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

impl RefKey<'_> {
    fn short_hash(&self) -> u32 {
        let hash = FxBuildHasher.hash_one(self);
        (hash ^ (hash >> 32)) as u32
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

/// A call of a function that looks up data, such as `lookup('key')` of Puppet.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LookupCall {
    /// The place of the call.
    pub span: Span,
    /// The class or the instance of a define in whose code the call is.
    pub within: Option<ResourceId>,
    /// Where the value was found; several places if it was merged, none if it is of a backend
    /// without files.
    pub data: Vec<Arc<DataStep>>,
    /// The key, if no data has it and the call's default is the value.
    pub default_of: Option<EcoString>,
    /// The value, if it is secret.
    pub secret: Option<Value>,
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
    /// Resources by the hashes of their names. The resources hold the names: a copy of them would
    /// take half as much memory as the resources.
    index: FxHashMap<u32, ResourceId>,
    /// Aliases in the order of creation, and names with the same hash as an earlier one.
    others: IndexMap<ResourceRef, ResourceId, FxBuildHasher>,
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
    /// The calls that looked up data, for explanations. Documents do not have them.
    pub lookups: Vec<LookupCall>,
    /// Metadata of file sources, if it was looked up.
    pub served: ServedFiles,
    /// The version of the catalog from a command of the environment, if there is one.
    pub version: Option<EcoString>,
}

impl Graph {
    /// Finds the secrets of attributes and of looked up data in texts.
    pub fn redactor(&self) -> Redactor {
        let attributes = self.resources().flat_map(|(_, resource)| &resource.attributes);
        let looked_up = self.lookups.iter().filter_map(|call| call.secret.as_ref());
        Redactor::of(attributes.map(|attribute| &attribute.value).chain(looked_up))
    }

    /// Adds a resource. An existing one with the same name is replaced and its id kept.
    pub fn add(&mut self, resource: Resource) -> ResourceId {
        let key = RefKey { kind: &resource.id.kind, title: &resource.id.title };
        let hash = key.short_hash();
        if let Some(known) = self.id_by_hash(&key, hash) {
            let place = &mut self.resources[known.0 as usize];
            let replaced = std::mem::replace(place, resource);
            // Found by an alias: both names stay.
            if replaced.id != place.id {
                self.others.entry(replaced.id).or_insert(known);
            }
            return known;
        }
        let id = ResourceId(self.resources.len() as u32);
        match self.index.entry(hash) {
            Entry::Vacant(slot) => {
                slot.insert(id);
            }
            Entry::Occupied(_) => {
                self.others.insert(resource.id.clone(), id);
            }
        }
        self.resources.push(resource);
        id
    }

    fn id_of(&self, key: &RefKey<'_>) -> Option<ResourceId> {
        self.id_by_hash(key, key.short_hash())
    }

    fn id_by_hash(&self, key: &RefKey<'_>, hash: u32) -> Option<ResourceId> {
        let known = self.index.get(&hash).copied();
        let known = known.filter(|&id| key.equivalent(&self.resource(id).id));
        known.or_else(|| self.others.get(key).copied())
    }

    /// Adds an alias of a resource: a declared alias, or the value of its name attribute. It is as
    /// secret as the attribute that it comes from, which must already be set.
    pub fn add_alias(&mut self, alias: ResourceRef, id: ResourceId) {
        let values = || self.resource(id).attributes.iter().map(|attribute| &attribute.value);
        if values().any(Value::holds_secret) && Redactor::of(values()).finds(&alias.title) {
            self.secret_aliases.insert(alias.clone());
        }
        if self.find(&alias).is_none() {
            self.others.insert(alias, id);
        }
    }

    /// Whether a second name must not be shown.
    pub fn is_secret_alias(&self, alias: &ResourceRef) -> bool {
        self.secret_aliases.contains(alias)
    }

    /// The id of a resource by kind and title, or by an alias.
    pub fn find(&self, id: &ResourceRef) -> Option<ResourceId> {
        self.id_of(&RefKey { kind: &id.kind, title: &id.title })
    }

    /// The id of the resource for a reference such as `File[/x]`.
    pub fn find_text(&self, reference: &str) -> Option<ResourceId> {
        let (kind, rest) = reference.split_once('[')?;
        let title = rest.strip_suffix(']')?;
        self.id_of(&RefKey { kind, title })
    }

    /// Reserves room for this many more resources and origins.
    pub fn reserve(&mut self, resources: usize, origins: usize) {
        self.resources.reserve(resources);
        self.index.reserve(resources);
        self.origins.reserve(origins);
    }

    /// All aliases with their resources, in order of creation.
    pub fn aliases(&self) -> impl Iterator<Item = (&ResourceRef, ResourceId)> {
        let names = self.others.iter().map(|(name, id)| (name, *id));
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
