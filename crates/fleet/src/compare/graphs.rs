//! Compares two graphs of a node.

use std::path::PathBuf;

use ordain_data::{Redactor, Value};
use ordain_graph::json::{Secrets, is_omitted, redacted, write_value};
use ordain_graph::order::find_cycle;
use ordain_graph::{EdgeKind, Graph, OriginId, Resource, ResourceId};
use rustc_hash::FxHashMap;
use serde_json::Value as Json;

use super::document::document;
use crate::change::{Change, Relation};

/// Metaparameters that say the same as edges.
const EDGE_METAPARAMETERS: [&str; 4] = ["before", "notify", "require", "subscribe"];

/// The number of edges of barriers up to which they are compared edge by edge.
const MAX_BARRIER_EDGES: usize = 200_000;

/// A change with the origins of what differs.
pub(crate) struct Found {
    pub(crate) change: Change,
    /// The resource and the attribute before, for the causes.
    pub(crate) before: Option<Place>,
    /// The same after.
    pub(crate) after: Option<Place>,
    /// The file that differs, if the change is of a file.
    pub(crate) file: Option<PathBuf>,
}

impl Found {
    /// A change without origins.
    pub(crate) fn alone(change: Change) -> Self {
        Self { change, before: None, after: None, file: None }
    }
}

/// A part of a graph.
#[derive(Clone, Copy)]
pub(crate) enum Place {
    /// The attribute at a position of a resource.
    Attribute(ResourceId, usize),
    /// A resource as a whole, or an edge.
    Origin(OriginId),
}

/// The differences of two graphs, in the order of the graphs.
pub(crate) fn compare(before: &Graph, after: &Graph) -> Vec<Found> {
    let mut comparer = Comparer { before, after, found: Vec::new(), redactor: None };
    let twins = comparer.resources();
    comparer.edges(&twins);
    comparer.found
}

/// The changes of a node between two graphs of any origin, such as catalogs of two servers. Secrets are
/// compared; the changes do not show them.
pub fn compare_graphs(before: &Graph, after: &Graph) -> Vec<Change> {
    let found = compare(before, after).into_iter().chain(cycles(before, after));
    found.map(|found| found.change).collect()
}

/// The cycles that only one graph has.
pub(crate) fn cycles(before: &Graph, after: &Graph) -> Option<Found> {
    let cycle = |graph: &Graph| Some(find_cycle(graph)?.text(graph));
    let change = match (cycle(before), cycle(after)) {
        (None, Some(cycle)) => Change::CycleAdded { cycle },
        (Some(cycle), None) => Change::CycleRemoved { cycle },
        (Some(was), Some(cycle)) if was != cycle => Change::CycleAdded { cycle },
        _ => return None,
    };
    Some(Found::alone(change))
}

/// The resources that both graphs have, as the ids before by the ids after.
type Twins = Vec<Option<ResourceId>>;

struct Comparer<'g> {
    before: &'g Graph,
    after: &'g Graph,
    found: Vec<Found>,
    /// Finds the secrets of both graphs; built when the first value is shown.
    redactor: Option<Redactor>,
}

impl Comparer<'_> {
    /// The value as JSON without secrets, also without parts of a secret in other values.
    fn shown(&mut self, value: &Value) -> Json {
        let (before, after) = (self.before, self.after);
        let redactor = self.redactor.get_or_insert_with(|| {
            let values = |graph| {
                Graph::resources(graph)
                    .flat_map(|(_, resource)| &resource.attributes)
                    .map(|a| &a.value)
            };
            let secret = values(before).chain(values(after)).filter(|value| value.holds_secret());
            Redactor::of(secret)
        });
        redacted(write_value(value, Secrets::Omit), redactor)
    }

    fn attributes(&mut self, resource: &Resource) -> Vec<(String, Json)> {
        let flags = resource.exported.then(|| ("exported".to_owned(), Json::Bool(true)));
        let mut shown: Vec<(String, Json)> = flags.into_iter().collect();
        for attribute in &resource.attributes {
            let value = self.shown(&attribute.value);
            shown.push((attribute.name.to_string(), value));
        }
        shown
    }

    /// Compares resources and attributes.
    fn resources(&mut self) -> Twins {
        let (before, after) = (self.before, self.after);
        let mut has_twin = vec![false; before.len()];
        let mut twins = vec![None; after.len()];
        for (id, resource) in after.resources().filter(|(_, r)| !r.is_virtual) {
            let twin = before.find(&resource.id);
            let twin = twin.filter(|twin| !before.resource(*twin).is_virtual);
            match twin {
                Some(twin) => {
                    has_twin[twin.0 as usize] = true;
                    twins[id.0 as usize] = Some(twin);
                    self.twins(twin, id);
                }
                None => {
                    let attributes = self.attributes(resource);
                    let resource_name = resource.id.to_string();
                    self.found.push(Found {
                        change: Change::Added { resource: resource_name, attributes },
                        before: None,
                        after: Some(Place::Origin(resource.origin)),
                        file: None,
                    });
                }
            }
        }
        let gone = before.resources().filter(|(id, r)| !r.is_virtual && !has_twin[id.0 as usize]);
        for (_, resource) in gone {
            let attributes = self.attributes(resource);
            self.found.push(Found {
                change: Change::Removed { resource: resource.id.to_string(), attributes },
                before: Some(Place::Origin(resource.origin)),
                after: None,
                file: None,
            });
        }
        twins
    }

    /// Compares the attributes of a resource that both graphs have.
    fn twins(&mut self, before: ResourceId, after: ResourceId) {
        let (old, new) = (self.before.resource(before), self.after.resource(after));
        // Both were nearly always set by the same code, in the same order.
        let is_same = old.attributes.len() == new.attributes.len()
            && old.exported == new.exported
            && old
                .attributes
                .iter()
                .zip(&new.attributes)
                .all(|(a, b)| a.name == b.name && a.value == b.value);
        if is_same {
            return;
        }
        let is_edge = |name: &str| EDGE_METAPARAMETERS.contains(&name);
        for (at, attribute) in new.attributes.iter().enumerate() {
            if is_edge(&attribute.name) {
                continue;
            }
            let known = old.attributes.iter().position(|other| other.name == attribute.name);
            let known_value = known.map(|at| &old.attributes[at].value);
            if known_value.is_some_and(|known| is_equal(known, &attribute.value)) {
                continue;
            }
            let place = known.map(|at| Place::Attribute(before, at));
            let values = (known_value, Some(&attribute.value));
            self.attribute(
                new,
                &attribute.name,
                values,
                (place, Some(Place::Attribute(after, at))),
            );
        }
        for (at, attribute) in old.attributes.iter().enumerate() {
            if !is_edge(&attribute.name) && new.attribute(&attribute.name).is_none() {
                let place = Some(Place::Attribute(before, at));
                self.attribute(new, &attribute.name, (Some(&attribute.value), None), (place, None));
            }
        }
        if old.exported != new.exported {
            let flags = (Value::Bool(old.exported), Value::Bool(new.exported));
            let places = (Some(Place::Origin(old.origin)), Some(Place::Origin(new.origin)));
            self.attribute(new, "exported", (Some(&flags.0), Some(&flags.1)), places);
        }
    }

    fn attribute(
        &mut self,
        resource: &Resource,
        name: &str,
        (before, after): (Option<&Value>, Option<&Value>),
        places: (Option<Place>, Option<Place>),
    ) {
        let shown = |comparer: &mut Self, value: Option<&Value>| Some(comparer.shown(value?));
        let (before, after) = (shown(self, before), shown(self, after));
        let texts =
            before.as_ref().and_then(Json::as_str).zip(after.as_ref().and_then(Json::as_str));
        let path = resource.value("path").and_then(Value::as_str).unwrap_or(&resource.id.title);
        let document = match (texts, name) {
            (Some((before, after)), "content") => document(path, before, after),
            _ => None,
        };
        let (resource, attribute) = (resource.id.to_string(), name.to_owned());
        self.found.push(Found {
            change: Change::Attribute { resource, attribute, before, after, document },
            before: places.0,
            after: places.1,
            file: None,
        });
    }

    /// Compares order and notification between resources that both graphs have, and the
    /// notifications of new resources.
    fn edges(&mut self, twins: &Twins) {
        let (before, after) = (self.before, self.after);
        let mut known = relations(before);
        let mut relations_after: Vec<_> = relations(after).into_iter().collect();
        relations_after.sort_by_key(|(ids, _)| *ids);
        let mut found = Vec::new();
        for ((from, to), (kind, origin)) in relations_after {
            let twin = (twins[from.0 as usize], twins[to.0 as usize]);
            let was = match twin {
                (Some(from), Some(to)) => known.remove(&(from, to)),
                (None, Some(_)) if kind == EdgeKind::Notify => None,
                _ => continue,
            };
            if was.is_none_or(|(was, _)| was != kind) {
                found.push(order(after, (from, to), was, Some((kind, origin))));
            }
        }
        self.found.extend(found);
        let mut is_twin = vec![false; before.len()];
        twins.iter().flatten().for_each(|twin| is_twin[twin.0 as usize] = true);
        let gone = known
            .into_iter()
            .filter(|((from, to), _)| is_twin[from.0 as usize] && is_twin[to.0 as usize]);
        let mut gone: Vec<_> = gone.collect();
        gone.sort_by_key(|(ids, _)| *ids);
        let gone = gone.into_iter().map(|(ids, was)| order(before, ids, Some(was), None));
        self.found.extend(gone);
    }
}

/// The relations of a graph by their ends. A notification is the stronger one.
fn relations(graph: &Graph) -> FxHashMap<(ResourceId, ResourceId), (EdgeKind, OriginId)> {
    let mut all = FxHashMap::default();
    all.reserve(graph.edges.len());
    let mut add = |ends, kind, origin| {
        let entry = all.entry(ends).or_insert((kind, origin));
        if kind == EdgeKind::Notify {
            *entry = (kind, origin);
        }
    };
    for edge in &graph.edges {
        add((edge.from, edge.to), edge.kind, edge.origin);
    }
    if graph.edges_of_barriers() <= MAX_BARRIER_EDGES {
        for edge in graph.barriers.iter().flat_map(|barrier| barrier.edges()) {
            add((edge.from, edge.to), edge.kind, edge.origin);
        }
    } else {
        // Only one edge of each resource shows that it takes part.
        for barrier in &graph.barriers {
            let (first, last) = (barrier.from.first(), barrier.to.last());
            let from = barrier.from.iter().zip(last.into_iter().cycle());
            let to = first.into_iter().cycle().zip(&barrier.to);
            from.chain(to).for_each(|(from, to)| add((*from, *to), barrier.kind, barrier.origin));
        }
    }
    all
}

/// A changed relation. The ids are of `graph`.
fn order(
    graph: &Graph,
    (from, to): (ResourceId, ResourceId),
    before: Option<(EdgeKind, OriginId)>,
    after: Option<(EdgeKind, OriginId)>,
) -> Found {
    let name = |id| graph.resource(id).id.to_string();
    let relation = |kind| match kind {
        EdgeKind::Before => Relation::Before,
        EdgeKind::Notify => Relation::Notify,
    };
    let place = |end: Option<(EdgeKind, OriginId)>| end.map(|(_, origin)| Place::Origin(origin));
    Found {
        change: Change::Order {
            from: name(from),
            to: name(to),
            before: before.map(|(kind, _)| relation(kind)),
            after: after.map(|(kind, _)| relation(kind)),
        },
        before: place(before),
        after: place(after),
        file: None,
    }
}

/// Whether two values are equal. A secret that was omitted when a graph was saved equals any other.
fn is_equal(one: &Value, two: &Value) -> bool {
    match (one, two) {
        (Value::Secret(_), Value::Secret(_)) if is_omitted(one) || is_omitted(two) => true,
        _ => one == two,
    }
}
