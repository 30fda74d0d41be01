//! Lowers the graph of functions to a graph for drawing.

use ecow::EcoString;
use ordain_graph::{
    Containment, Edge, EdgeKind, Graph, Origin, Resource, ResourceId, ResourceRef, Step,
};

use crate::graph::outline::Outline;

/// A graph of functions as a graph of resources, for drawing. A node is a resource of the kind
/// `Function` whose title is its number and its label.
pub fn lower_outline(outline: &Outline, name: &str) -> Graph {
    let mut graph = Graph::default();
    graph.name = name.into();
    let mut ids: Vec<ResourceId> = Vec::with_capacity(outline.nodes.len());
    for (number, node) in outline.nodes.iter().enumerate() {
        let origin = Origin { step: Step::Declaration, span: node.span, parent: None };
        let origin = graph.origins.intern(origin);
        let title = EcoString::from(format!("{number}: {}", node.label));
        ids.push(graph.add(Resource {
            id: ResourceRef { kind: "Function".into(), title },
            containment: Containment::Leaf,
            attributes: Vec::new(),
            tags: Vec::new(),
            exported: false,
            is_virtual: false,
            origin,
        }));
    }
    for edge in &outline.edges {
        let span = outline.nodes[edge.to].span;
        let step = Step::Function(edge.args.join(", ").into());
        let origin = graph.origins.intern(Origin { step, span, parent: None });
        let (from, to) = (ids[edge.from], ids[edge.to]);
        graph.edges.push(Edge { from, to, kind: EdgeKind::Before, origin });
    }
    graph
}
