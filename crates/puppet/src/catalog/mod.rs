//! The catalog while it is compiled: resources, classes, overrides, collectors, relationships.
//!
//! Resources are found by name and by type through indexes, so that neither a reference nor a
//! collector walks the whole catalog.

pub(crate) mod names;
pub mod query;
pub mod resource;
pub mod tags;
pub(crate) mod values;

use std::collections::hash_map::Entry;
use std::hash::BuildHasher;
use std::sync::Arc;

use ecow::EcoString;
use indexmap::IndexSet;
use ordain_graph::exports::Exported;
use ordain_source::Span;
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};

use crate::catalog::query::Query;
use crate::catalog::resource::Import;
use crate::catalog::tags::{TagSet, TagTable};
use crate::syntax::Arrow;
use crate::value::Value;
use crate::value::closure::ScopeId;
use crate::value::resource_key::ResourceKey;

pub use resource::{
    DataPlace, Declared, LookupCall, LostValue, LostValues, Param, ParamOrigin, ParamSource,
    Params, Resource, ResourceId, ResourceKind,
};

/// Attributes for a resource that may not be declared yet.
#[derive(Debug)]
pub struct PendingOverride {
    /// The resource.
    pub key: ResourceKey,
    /// The attributes.
    pub params: Vec<Param>,
    /// The scope that the override is written in.
    pub scope: ScopeId,
    /// The place of the override.
    pub span: Span,
}

/// A collector, evaluated again in every round.
#[derive(Debug)]
pub struct Collector {
    /// The scope it is written in.
    pub scope: ScopeId,
    /// The type with capital segments.
    pub kind: EcoString,
    /// The resources that fit.
    pub query: Query,
    /// `<<| |>>`
    pub exported: bool,
    /// Attributes that the collector sets on collected resources, if any are written.
    pub overrides: Option<Vec<Param>>,
    /// The place of the collector.
    pub span: Span,
    /// The resources collected so far, in order.
    pub collected: IndexSet<ResourceId, FxBuildHasher>,
    /// Whether the collector is an operand of a relationship. Then it matches all resources;
    /// otherwise only virtual ones.
    pub is_end: bool,
    /// The ends that a chain of arrows continues with if nothing is collected.
    pub otherwise: Vec<RelationEnd>,
}

/// One end of a relationship.
#[derive(Clone, Debug)]
pub enum RelationEnd {
    /// A resource by name.
    Resource(ResourceKey),
    /// The resources that a collector collects.
    Collector(usize),
}

/// A relationship between each of some ends and each of others. The ends are resolved at the end of
/// the compile.
#[derive(Clone, Debug)]
pub struct Relation {
    /// The resources that come first.
    pub from: Arc<[RelationEnd]>,
    /// The resources that come later.
    pub to: Arc<[RelationEnd]>,
    /// Whether there are too many ends for edges or parameters, so that the graph gets a barrier.
    pub is_barrier: bool,
    /// Whether `to` is notified.
    pub notify: bool,
    /// The arrow as written.
    pub arrow: Arrow,
    /// Where it is written.
    pub span: Span,
}

/// An autorequire of the type of a resource.
#[derive(Clone, Copy, Debug)]
pub struct Autorequire {
    /// The resource that comes first.
    pub from: ResourceId,
    /// The resource that comes later.
    pub to: ResourceId,
    /// Whether `to` is notified.
    pub notify: bool,
    /// The resource whose type asks.
    pub by: ResourceId,
}

/// Resources of a type by their titles in lower case, as far as they have been indexed.
#[derive(Default, Debug)]
struct ByTitle {
    known: usize,
    ids: FxHashMap<EcoString, Vec<ResourceId>>,
}

/// Containment: pairs of a container and what it contains, each once, in the order they were added.
#[derive(Default, Debug)]
pub struct Edges {
    pairs: Vec<(ResourceId, ResourceId)>,
    /// The pairs that may be added again.
    repeatable: FxHashSet<(ResourceId, ResourceId)>,
}

impl Edges {
    /// Adds a pair, unless this was done before.
    pub fn insert(&mut self, pair: (ResourceId, ResourceId)) {
        if self.repeatable.insert(pair) {
            self.pairs.push(pair);
        }
    }

    /// Adds a pair with a resource that is new and no class: only classes are contained again.
    pub fn push_new(&mut self, pair: (ResourceId, ResourceId)) {
        self.pairs.push(pair);
    }
}

impl std::ops::Deref for Edges {
    type Target = [(ResourceId, ResourceId)];

    fn deref(&self) -> &Self::Target {
        &self.pairs
    }
}

/// The catalog while it is compiled.
#[derive(Default, Debug)]
pub struct Catalog {
    /// All resources, virtual ones included, in the order they were added.
    pub resources: Vec<Resource>,
    /// Resources by the hashes of their names. The names themselves are only in the resources. A
    /// table with names would need more memory than the rest of the catalog, and would be copied
    /// when it grows.
    index: FxHashMap<u32, ResourceId>,
    /// Aliases, and names whose hash an earlier name has.
    others: FxHashMap<ResourceKey, ResourceId>,
    by_kind: FxHashMap<EcoString, Vec<ResourceId>>,
    by_title: FxHashMap<EcoString, ByTitle>,
    /// Containment: container and contained, in the order in which the code declares it.
    pub edges: Edges,
    /// Classes in order of declaration.
    pub classes: Vec<EcoString>,
    /// The calls that looked up data, if origins are recorded.
    pub lookups: Vec<LookupCall>,
    /// Tags by number.
    pub tags: TagTable,
    /// Overrides that wait for their resource.
    pub overrides: Vec<PendingOverride>,
    /// Collectors in order of creation.
    pub collectors: Vec<Collector>,
    /// Relationships in order.
    pub relations: Vec<Relation>,
    /// The autorequires of resource types.
    pub automatic: Vec<Autorequire>,
    /// References passed to `realize` whose resources were not found yet.
    pub realize: Vec<(ResourceKey, Span)>,
    /// The first argument of `realize` that is not a reference. Like a missing resource, it is an
    /// error at the end of the compile.
    pub not_realizable: Option<(String, Span)>,
    /// Tags of the catalog itself.
    pub own_tags: TagSet,
    /// Instances of defines whose body was not evaluated yet, in order.
    pub unevaluated: Vec<ResourceId>,
    /// Resources of other nodes.
    pub imports: FxHashMap<ResourceId, Arc<Import>>,
    /// Exported resources of other nodes, for the kinds that were collected.
    pub exported_elsewhere: FxHashMap<EcoString, Arc<[Exported]>>,
}

impl Catalog {
    /// An empty catalog with room for the resources of most nodes, so that they need not move.
    /// Untouched room takes no memory.
    pub fn with_room() -> Self {
        const ROOM: usize = 1 << 16;
        Self { resources: Vec::with_capacity(ROOM), ..Self::default() }
    }

    /// Adds a resource whose key is new.
    pub fn add(&mut self, resource: Resource) -> ResourceId {
        self.add_as(resource.key(), resource)
    }

    /// As [`Catalog::add`], for a caller that has the key of the resource.
    pub fn add_as(&mut self, key: ResourceKey, resource: Resource) -> ResourceId {
        let id = ResourceId(self.resources.len() as u32);
        match self.index.entry(short_hash(&key)) {
            Entry::Vacant(slot) => {
                slot.insert(id);
            }
            Entry::Occupied(_) => {
                self.others.insert(key, id);
            }
        }
        match self.by_kind.get_mut(&resource.kind) {
            Some(ids) => ids.push(id),
            None => {
                self.by_kind.insert(resource.kind.clone(), vec![id]);
            }
        }
        self.resources.push(resource);
        id
    }

    /// Records that a class was declared; its name is a tag of the catalog.
    pub fn add_class_name(&mut self, name: EcoString) {
        let tag = self.tags.intern(&name);
        self.own_tags.insert(tag);
        self.classes.push(name);
    }

    /// A second name for a resource.
    pub fn alias(&mut self, key: ResourceKey, id: ResourceId) {
        self.others.insert(key, id);
    }

    /// The classes and instances of defines.
    pub(crate) fn with_bodies(&self) -> impl Iterator<Item = (ResourceId, &Resource)> {
        let all = self.resources.iter().enumerate();
        all.filter(|(_, resource)| {
            matches!(resource.what, ResourceKind::Class(Some(_)) | ResourceKind::Define(_))
        })
        .map(|(i, resource)| (ResourceId(i as u32), resource))
    }

    /// The resource of this name.
    pub fn find(&self, key: &ResourceKey) -> Option<ResourceId> {
        let known = self.index.get(&short_hash(key)).copied();
        let known = known.filter(|&id| self.get(id).is_called(key));
        known.or_else(|| if self.others.is_empty() { None } else { self.others.get(key).copied() })
    }

    /// The resources of a type in the order they were added.
    pub fn of_kind(&self, kind: &str) -> &[ResourceId] {
        self.by_kind.get(kind).map_or(&[], Vec::as_slice)
    }

    /// The resources of a type with this title, ignoring case.
    pub fn of_title(&mut self, kind: &str, title: &str) -> &[ResourceId] {
        let Some(all) = self.by_kind.get(kind) else { return &[] };
        let index = self.by_title.entry(kind.into()).or_default();
        for &id in &all[index.known..] {
            let title = &self.resources[id.0 as usize].title;
            index.ids.entry(title.to_ascii_lowercase()).or_default().push(id);
        }
        index.known = all.len();
        index.ids.get(title.to_ascii_lowercase().as_str()).map_or(&[], Vec::as_slice)
    }

    /// A resource.
    pub fn get(&self, id: ResourceId) -> &Resource {
        &self.resources[id.0 as usize]
    }

    /// Gives a resource all tags of another.
    pub fn pass_tags(&mut self, from: ResourceId, to: ResourceId) {
        if let Ok([from, to]) = self.resources.get_disjoint_mut([from.0 as usize, to.0 as usize]) {
            to.tags.extend(&from.tags);
        }
    }

    /// A resource, to change it.
    pub fn get_mut(&mut self, id: ResourceId) -> &mut Resource {
        &mut self.resources[id.0 as usize]
    }
}

/// A hash of a name. In one of a hundred catalogs with ten thousand resources, two names collide.
fn short_hash(key: &ResourceKey) -> u32 {
    let hash = FxBuildHasher.hash_one(key);
    (hash ^ (hash >> 32)) as u32
}

/// The text that refuses a reference without a title. `shown` has its quotes.
pub(crate) fn no_title(shown: &str) -> String {
    format!("No title provided and {shown} is not a valid resource reference")
}

/// The parts of a value that is a list of references, with nested lists flattened.
pub fn flatten_values(value: &Value, out: &mut Vec<Value>) {
    match value {
        Value::Array(items) => items.iter().for_each(|v| flatten_values(v, out)),
        other => out.push(other.clone()),
    }
}

/// The address of a long list. Resources that share a default share its list, which is recognised
/// by this.
pub(crate) fn long_list(value: &Value) -> Option<usize> {
    const LONG: usize = 64;
    match value {
        Value::Array(items) if items.len() >= LONG => Some(Arc::as_ptr(items) as usize),
        _ => None,
    }
}

/// As [`flatten_values`], without a copy if the value is not a list.
pub(crate) fn flat<'v>(value: &'v Value, several: &'v mut Vec<Value>) -> &'v [Value] {
    match value {
        Value::Array(_) => {
            flatten_values(value, several);
            several
        }
        single => std::slice::from_ref(single),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identities_are_normal() {
        assert_eq!(ResourceKey::new("apache::vhost", "a").text(), "Apache::Vhost[a]");
        assert_eq!(ResourceKey::new("class", "::a::B").text(), "Class[A::B]");
        assert_eq!(ResourceKey::new("file", "/x//").text(), "File[/x]");
        assert_eq!(ResourceKey::new("file", "//").text(), "File[/]");
    }

    fn file(title: &str) -> Resource {
        Resource {
            kind: "File".into(),
            title: title.into(),
            what: ResourceKind::Node,
            declared: Declared::AsResource,
            params: Params::default(),
            tags: TagSet::default(),
            is_virtual: false,
            exported: false,
            span: None,
            scope: ScopeId::TOP,
            container: None,
            evaluated: false,
            body_scope: None,
            sensitive: Vec::new(),
            title_is_text: true,
        }
    }

    #[test]
    fn resources_are_found_by_all_their_names_though_hashes_are_the_same() {
        let mut hashes: FxHashMap<u32, String> = FxHashMap::default();
        let mut titles = (0..).map(|n| format!("/file/{n}"));
        let (first, second) = loop {
            let title = titles.next().unwrap_or_default();
            let hash = short_hash(&ResourceKey::new("file", &title));
            if let Some(other) = hashes.insert(hash, title.clone()) {
                break (other, title);
            }
        };
        let mut catalog = Catalog::with_room();
        let ids = [&first, &second].map(|title| catalog.add(file(&format!("{title}/"))));
        catalog.alias(ResourceKey::new("file", "other"), ids[1]);
        let found = [&*first, &*second, "other", "none"]
            .map(|title| catalog.find(&ResourceKey::new("file", title)));
        assert_eq!(found, [Some(ids[0]), Some(ids[1]), Some(ids[1]), None]);
    }
}
