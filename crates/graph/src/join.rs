//! Several graphs as one.

use rustc_hash::FxHashSet;

use crate::model::{Barrier, Containment, Edge, Graph, Resource, ResourceId, ResourceRef};
use crate::origin::{Origin, OriginId};

/// A resource that two graphs declare.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Conflict {
    /// Its name.
    pub resource: ResourceRef,
    /// The declaration in the first graph, as an origin of the joined graph.
    pub first: OriginId,
    /// The declaration in the other graph.
    pub second: OriginId,
}

impl Graph {
    /// Adds all of another graph, whose origins are in the same texts. Containers with the same
    /// name, such as `Stage[main]`, are merged; any other common name is a conflict, and the first
    /// resource stays.
    pub fn join(&mut self, other: Self) -> Vec<Conflict> {
        let origins = self.join_origins(&other);
        let moved = |origin: OriginId| origins[origin.0 as usize];
        let mut conflicts = Vec::new();
        let mut ids: Vec<ResourceId> = Vec::with_capacity(other.len());
        for (_, resource) in other.resources() {
            let known = self.find(&resource.id);
            let shared = known.filter(|id| {
                let is_container = |r: &Resource| r.containment != Containment::Leaf;
                is_container(self.resource(*id)) && is_container(resource) || is_stage(resource)
            });
            let id = match (shared, known) {
                (Some(id), _) => id,
                (None, Some(id)) => {
                    let (first, second) = (self.resource(id).origin, moved(resource.origin));
                    conflicts.push(Conflict { resource: resource.id.clone(), first, second });
                    id
                }
                (None, None) => self.add(moved_resource(resource, &moved)),
            };
            ids.push(id);
        }
        let at = |id: ResourceId| ids[id.0 as usize];
        for (alias, id) in other.aliases() {
            self.add_alias(alias.clone(), at(id));
        }
        let edge = |e: &Edge| Edge {
            from: at(e.from),
            to: at(e.to),
            kind: e.kind,
            origin: moved(e.origin),
        };
        self.edges.extend(other.edges.iter().map(edge));
        self.barriers.extend(other.barriers.iter().map(|barrier| Barrier {
            from: barrier.from.iter().map(|&id| at(id)).collect(),
            to: barrier.to.iter().map(|&id| at(id)).collect(),
            kind: barrier.kind,
            origin: moved(barrier.origin),
        }));
        self.automatic.extend(other.automatic.iter().map(edge));
        let mut known: FxHashSet<_> = self.containment.iter().copied().collect();
        let more = other.containment.iter().map(|&(a, b)| (at(a), at(b)));
        self.containment.extend(more.filter(|pair| known.insert(*pair)));
        self.join_names(other);
        conflicts
    }

    fn join_names(&mut self, other: Self) {
        let mut classes: Vec<_> =
            other.classes.into_iter().filter(|class| !self.classes.contains(class)).collect();
        self.classes.append(&mut classes);
        self.tags.extend(other.tags);
        self.tags.sort_unstable();
        self.tags.dedup();
        self.served.single.extend(other.served.single);
        self.served.recursive.extend(other.served.recursive);
        if self.name.is_empty() {
            (self.name, self.environment) = (other.name, other.environment);
        }
    }

    /// The origins of another graph as origins of this one, by their ids.
    fn join_origins(&mut self, other: &Self) -> Vec<OriginId> {
        let mut moved: Vec<OriginId> = Vec::new();
        self.origins.reserve(other.origins.iter().len());
        for origin in other.origins.iter() {
            // The parent of an origin is stored before it.
            let parent = origin.parent.and_then(|parent| moved.get(parent.0 as usize).copied());
            moved.push(self.origins.intern(Origin { parent, ..origin.clone() }));
        }
        moved
    }
}

fn is_stage(resource: &Resource) -> bool {
    resource.id.kind == "Stage"
}

fn moved_resource(resource: &Resource, moved: &impl Fn(OriginId) -> OriginId) -> Resource {
    let mut resource = resource.clone();
    resource.origin = moved(resource.origin);
    for attribute in &mut resource.attributes {
        attribute.origin = moved(attribute.origin);
        for loser in &mut attribute.losers {
            loser.origin = moved(loser.origin);
        }
    }
    resource
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::EdgeKind;
    use crate::testing::leaf;

    fn graph(titles: &[&str]) -> Graph {
        let mut graph = Graph::default();
        let ids: Vec<ResourceId> = titles.iter().map(|title| leaf(&mut graph, title)).collect();
        for pair in ids.windows(2) {
            let origin = graph.resource(pair[0]).origin;
            graph.edges.push(Edge { from: pair[0], to: pair[1], kind: EdgeKind::Before, origin });
        }
        graph
    }

    #[test]
    fn resources_and_edges_of_both() {
        let mut one = graph(&["a", "b"]);
        assert!(one.join(graph(&["c", "d"])).is_empty());
        let titles: Vec<&str> = one.resources().map(|(_, r)| r.id.title.as_str()).collect();
        assert_eq!(titles, ["a", "b", "c", "d"]);
        let edges: Vec<(u32, u32)> = one.edges.iter().map(|e| (e.from.0, e.to.0)).collect();
        assert_eq!(edges, [(0, 1), (2, 3)]);
    }

    #[test]
    fn a_resource_of_both_is_a_conflict() {
        let mut one = graph(&["a", "b"]);
        let conflicts = one.join(graph(&["c", "b"]));
        assert_eq!(conflicts.iter().map(|c| c.resource.title.as_str()).collect::<Vec<_>>(), ["b"]);
        assert_eq!(one.len(), 3);
    }
}
