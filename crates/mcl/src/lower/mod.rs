//! Lowers resources to the graph for the engine.

mod exec;
mod file;
mod kinds;
mod mapped;
mod outline;

use std::sync::Arc;

use ecow::EcoString;
use ordain_data::Value as Data;
use ordain_graph::transfer::Transfer;
use ordain_graph::{
    Attribute, Containment, Edge, EdgeKind, Graph, Origin, OriginId, Resource, ResourceId,
    ResourceRef, Step,
};
use ordain_source::Diagnostic;
use rustc_hash::FxHashSet;

use crate::check::program::Deploy;
use crate::codes;
use crate::graph::resource::{ReceivedValue, Resources};
use crate::graph::sends;
use crate::ir::Included;

pub use crate::plain_data::data;
use mapped::{EngineResource, LoweringContext};
pub use outline::lower_outline;

/// The resources of a program for this machine.
#[derive(Debug)]
pub struct Lowered {
    /// The graph.
    pub graph: Graph,
    /// Errors about resources that the engine does not support. Such a graph cannot be planned.
    pub refused: Vec<Diagnostic>,
}

/// Lowers resources to kinds of the engine. Kinds that the engine lacks keep their names and
/// fields. `files` is called if a resource packs the files of the program.
pub fn lower(resources: &Resources, name: &str, deploy: &dyn Fn() -> Deploy) -> Lowered {
    let settled = sends::settled(resources);
    let mut senders = FxHashSet::default();
    for resource in &settled.list {
        senders.extend(resource.receives.iter().map(|received| received.from));
    }
    let mut lowering = Lowering { graph: Graph::default(), refused: Vec::new(), deploy };
    lowering.graph.name = name.into();
    lowering.graph.reserve(settled.list.len(), settled.list.len());
    // The first and the last part of each.
    let mut ids: Vec<(ResourceId, ResourceId)> = Vec::with_capacity(settled.list.len());
    for (at, resource) in settled.list.iter().enumerate() {
        ids.push(lowering.add(resource, senders.contains(&at)));
    }
    for ((from, to), edge) in &settled.edges {
        lowering.edge((ids[*from].1, ids[*to].0), edge, &settled.list[*to]);
    }
    for (at, resource) in settled.list.iter().enumerate() {
        for received in &resource.receives {
            lowering.transfer(ids[at].0, ids[received.from].1, resource, received);
        }
    }
    Lowered { graph: lowering.graph, refused: lowering.refused }
}

struct Lowering<'a> {
    graph: Graph,
    refused: Vec<Diagnostic>,
    deploy: &'a dyn Fn() -> Deploy,
}

impl Lowering<'_> {
    fn refuse(&mut self, resource: &crate::graph::resource::Resource, why: &str, field: &str) {
        let at = resource.kind.field(field).and_then(|(at, ..)| resource.field_spans[at]);
        let text = format!("{}: {why}", resource.reference());
        let error = Diagnostic::error(codes::DEPLOY, text).at(at.unwrap_or(resource.span));
        self.refused.push(error);
    }

    /// Adds a resource and returns its first and last part.
    #[expect(clippy::expect_used, reason = "a resource has at least one part")]
    fn add(
        &mut self,
        resource: &crate::graph::resource::Resource,
        sends: bool,
    ) -> (ResourceId, ResourceId) {
        let around = LoweringContext { sends, hostname: &self.graph.name, deploy: self.deploy };
        let mapped = kinds::mapped(resource, &around).unwrap_or_else(|refused| {
            // A hidden resource does not run here, so the graph may contain it.
            if !resource.meta.hidden {
                self.refuse(resource, &refused.why, refused.field);
            }
            kinds::as_it_is(resource)
        });
        let parent = included(&mut self.graph, resource.included.as_ref());
        let mut mapped = Some(mapped);
        let mut added: Option<(ResourceId, ResourceId)> = None;
        while let Some(EngineResource { kind, title, attributes, then }) = mapped {
            let id = self.part(resource, ResourceRef { kind, title }, attributes, parent);
            if let Some((_, before)) = added {
                let origin = self.graph.resource(id).origin;
                self.graph.edges.push(Edge {
                    from: before,
                    to: id,
                    kind: EdgeKind::Notify,
                    origin,
                });
            }
            added = Some((added.map_or(id, |(first, _)| first), id));
            mapped = then.map(|then| *then);
        }
        added.expect("there is one part at least")
    }

    fn part(
        &mut self,
        resource: &crate::graph::resource::Resource,
        id: ResourceRef,
        fields: Vec<(EcoString, Data, &'static str)>,
        parent: Option<OriginId>,
    ) -> ResourceId {
        let origins = &mut self.graph.origins;
        let mut origin =
            |span| origins.intern(Origin { step: Step::Declaration, span: Some(span), parent });
        let own = origin(resource.span);
        let mut attributes = Vec::with_capacity(fields.len());
        for (name, value, field) in fields {
            let at = resource.kind.field(field).and_then(|(at, ..)| resource.field_spans[at]);
            let origin = at.map_or(own, &mut origin);
            attributes.push(Attribute { name, value, origin, losers: Vec::new() });
        }
        for (name, value) in resource.meta.given() {
            let name = match name {
                "hidden" | "export" => continue,
                "noop" => name.into(),
                _ => EcoString::from(format!("meta:{name}")),
            };
            let value = data(&value);
            attributes.push(Attribute { name, value, origin: own, losers: Vec::new() });
        }
        self.graph.add(Resource {
            id,
            containment: Containment::Leaf,
            attributes,
            tags: Vec::new(),
            exported: !resource.meta.export.is_empty(),
            is_virtual: resource.meta.hidden,
            origin: own,
        })
    }

    fn edge(
        &mut self,
        (from, to): (ResourceId, ResourceId),
        edge: &crate::graph::resource::Edge,
        receiver: &crate::graph::resource::Resource,
    ) {
        let step = match edge.is_automatic {
            true => Step::Kind(self.graph.resource(to).id.kind.clone()),
            false => Step::Relation,
        };
        let origin = self.graph.origins.intern(Origin { step, span: edge.span, parent: None });
        // Without notification the edge is an order only.
        let tells = edge.notify && receiver.kind.kind.has("refreshable");
        let kind = if tells { EdgeKind::Notify } else { EdgeKind::Before };
        let lowered = Edge { from, to, kind, origin };
        if edge.is_automatic {
            self.graph.automatic.push(lowered);
        } else {
            self.graph.edges.push(lowered);
        }
    }

    /// The origin of a received value.
    fn transfer(
        &mut self,
        to: ResourceId,
        from: ResourceId,
        resource: &crate::graph::resource::Resource,
        received: &ReceivedValue,
    ) {
        let Some(attribute) = kinds::received_attribute(resource, &received.field) else {
            if !resource.meta.hidden {
                let text = format!("{} cannot be received during a run", received.field);
                self.refuse(resource, &text, &received.field);
            }
            return;
        };
        let from = self.graph.resource(from).id.clone();
        let (name, value) = Transfer { attribute, from, key: &received.key }.as_attribute();
        let origin = self.graph.resource(to).origin;
        let attribute = Attribute { name: name.into(), value, origin, losers: Vec::new() };
        self.graph.resource_mut(to).attributes.push(attribute);
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
