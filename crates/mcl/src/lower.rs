//! Resources as the graph that the engine takes.

use std::sync::Arc;

use ecow::EcoString;
use ordain_data::Value as Data;
use ordain_graph::{
    Attribute, Containment, Edge, EdgeKind, Graph, Origin, OriginId, Resource, ResourceId,
    ResourceRef, Step,
};

use crate::eval::interpret::{self, Resources};
use crate::eval::outline::Outline;
use crate::ir::Included;
use crate::value::Value;

/// A graph of functions in the form of a graph of resources, to be drawn: a node is a resource of the
/// kind `Function` whose title is its number and what it does.
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

/// The graph of resources.
pub fn lower(resources: &Resources, name: &str) -> Graph {
    let mut graph = Graph::default();
    graph.name = name.into();
    graph.reserve(resources.list.len(), resources.list.len());
    let mut ids: Vec<ResourceId> = Vec::with_capacity(resources.list.len());
    for resource in &resources.list {
        let lowered = lower_resource(&mut graph, resource);
        ids.push(graph.add(lowered));
    }
    for ((from, to), edge) in &resources.edges {
        let step = if edge.is_automatic {
            Step::Kind(kind_name(resources.list[*to].kind.kind.name))
        } else {
            Step::Relation
        };
        let origin = graph.origins.intern(Origin { step, span: edge.span, parent: None });
        let kind = if edge.notify { EdgeKind::Notify } else { EdgeKind::Before };
        let lowered = Edge { from: ids[*from], to: ids[*to], kind, origin };
        if edge.is_automatic {
            graph.automatic.push(lowered);
        } else {
            graph.edges.push(lowered);
        }
    }
    // What is received says where it comes from.
    for (at, resource) in resources.list.iter().enumerate() {
        for received in &resource.receives {
            let from = &resources.list[received.from];
            let text =
                format!("{}[{}].{}", kind_name(from.kind.kind.name), from.name, received.key);
            let origin = graph.resource(ids[at]).origin;
            let name = EcoString::from(format!("receive:{}", received.field));
            let attribute = Attribute { name, value: Data::str(text), origin, losers: Vec::new() };
            graph.resource_mut(ids[at]).attributes.push(attribute);
        }
    }
    graph
}

fn lower_resource(graph: &mut Graph, resource: &interpret::Resource) -> Resource {
    let parent = included(graph, resource.included.as_ref());
    let own = Origin { step: Step::Declaration, span: Some(resource.span), parent };
    let origin = graph.origins.intern(own);
    let mut attributes = Vec::new();
    let fields = resource.kind.kind.fields.iter().zip(&resource.fields);
    for ((field, value), span) in fields.zip(&resource.field_spans) {
        let Some(value) = value else { continue };
        let span = span.or(Some(resource.span));
        let origin = graph.origins.intern(Origin { step: Step::Declaration, span, parent });
        let (name, value) = (field.name.into(), data(value));
        attributes.push(Attribute { name, value, origin, losers: Vec::new() });
    }
    for (name, value) in resource.meta.given() {
        if name == "hidden" || name == "export" {
            continue;
        }
        let name =
            if name == "noop" { name.into() } else { EcoString::from(format!("meta:{name}")) };
        attributes.push(Attribute { name, value: data(&value), origin, losers: Vec::new() });
    }
    let title = resource.name.as_str().into();
    Resource {
        id: ResourceRef { kind: kind_name(resource.kind.kind.name), title },
        containment: Containment::Leaf,
        attributes,
        tags: Vec::new(),
        exported: !resource.meta.export.is_empty(),
        is_virtual: resource.meta.hidden,
        origin,
    }
}

/// The classes that led to a resource.
fn included(graph: &mut Graph, included: Option<&Arc<Included>>) -> Option<OriginId> {
    let mut chain = Vec::new();
    let mut next = included;
    while let Some(here) = next {
        chain.push(here);
        next = here.outer.as_ref();
    }
    chain.into_iter().rev().fold(None, |parent, here| {
        let step = Step::Class(here.class.clone());
        Some(graph.origins.intern(Origin { step, span: Some(here.span), parent }))
    })
}

/// A kind as graphs have it: `Http::Server`.
fn kind_name(kind: &str) -> EcoString {
    let parts = kind.split(':').map(|part| {
        let mut letters = part.chars();
        let first = letters.next().map(|c| c.to_ascii_uppercase());
        first.into_iter().chain(letters).collect::<String>()
    });
    parts.collect::<Vec<_>>().join("::").into()
}

/// A value as plain data; a function is the word for it.
pub fn data(value: &Value) -> Data {
    match value {
        Value::Bool(value) => Data::Bool(*value),
        Value::Int(value) => Data::Int(*value),
        Value::Float(value) => Data::Float(*value),
        Value::Str(text) => match text.as_str() {
            Some(text) => Data::str(text),
            None => Data::Bytes(text.as_bytes().into()),
        },
        Value::List(items) => Data::list(items.iter().map(data)),
        Value::Map(map) => Data::map(map.pairs().iter().map(|(key, value)| {
            let key = match key {
                Value::Str(text) => text.to_string(),
                key => key.to_string(),
            };
            (key, data(value))
        })),
        Value::Struct(record) => {
            Data::map(record.fields().map(|(name, value)| (name.clone(), data(value))))
        }
        Value::Func(_) => Data::str("func"),
    }
}
