//! Small graphs for the tests of this crate.

use proptest::prelude::*;

use crate::model::{Containment, Edge, EdgeKind, Graph, Resource, ResourceId, ResourceRef};
use crate::origin::{Origin, OriginId, Step};

fn origin(graph: &mut Graph, step: Step) -> OriginId {
    graph.origins.intern(Origin { step, span: None, parent: None })
}

/// Adds a resource.
pub(crate) fn named(
    graph: &mut Graph,
    kind: &str,
    title: &str,
    containment: Containment,
) -> ResourceId {
    let origin = origin(graph, Step::Declaration);
    graph.add(Resource {
        id: ResourceRef { kind: kind.into(), title: title.into() },
        containment,
        attributes: Vec::new(),
        tags: Vec::new(),
        exported: false,
        is_virtual: false,
        origin,
    })
}

/// Adds a file.
pub(crate) fn leaf(graph: &mut Graph, title: &str) -> ResourceId {
    named(graph, "File", title, Containment::Leaf)
}

/// Adds an edge.
pub(crate) fn edge(graph: &mut Graph, from: ResourceId, to: ResourceId, kind: EdgeKind) {
    let origin = origin(graph, Step::Relation);
    graph.edges.push(Edge { from, to, kind, origin });
}

/// A number of resources, and pairs of them.
pub(crate) fn small_graph() -> impl Strategy<Value = (usize, Vec<(u32, u32)>)> {
    (1usize..12, proptest::collection::vec((0u32..12, 0u32..12), 0..24))
}

/// Files and three classes that contain every third one, with edges between existing pairs.
pub(crate) fn graph_of(count: usize, pairs: &[(u32, u32)]) -> Graph {
    let mut graph = Graph::default();
    for i in 0..count {
        if i % 4 == 0 {
            named(&mut graph, "Class", &i.to_string(), Containment::Class);
        } else {
            let id = leaf(&mut graph, &i.to_string());
            graph.containment.push((ResourceId(i as u32 / 4 * 4), id));
        }
    }
    for &(from, to) in pairs {
        if (from as usize) < count && (to as usize) < count {
            edge(&mut graph, ResourceId(from), ResourceId(to), EdgeKind::Before);
        }
    }
    graph
}
