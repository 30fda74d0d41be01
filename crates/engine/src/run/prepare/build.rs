//! Builds a prepared graph: parses all resources and orders them.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use ordain_data::Value;
use ordain_graph::relations::{NodeId, SoftEdge};
use ordain_graph::{Cycle, EdgeKind, Graph, Relations, ResourceId, ResourceRef};
use rustc_hash::FxHashMap;

use super::model::{Item, Options, Prepared, ResolveSource};
use super::unmanaged;
use crate::kind::{Registry, Relationship};
use crate::run::deferred::Deferred;

/// The next serial number.
static SERIAL: AtomicU64 = AtomicU64::new(0);

impl Prepared {
    /// Parses all resources of a graph and orders them.
    ///
    /// # Errors
    /// When the edges form a cycle. All other errors belong to one resource.
    pub fn new(
        graph: Arc<Graph>,
        registry: Arc<Registry>,
        resolve_source: ResolveSource,
        options: Options,
    ) -> Result<Self, Box<Cycle>> {
        Self::after(None, graph, registry, resolve_source, options)
    }

    /// The same, but reuses the prepared parts of an earlier graph that did not change.
    ///
    /// # Errors
    /// As of [`Prepared::new`].
    pub fn after(
        earlier: Option<&Self>,
        graph: Arc<Graph>,
        registry: Arc<Registry>,
        resolve_source: ResolveSource,
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
        (resolve_source, deferred): (ResolveSource, Option<Arc<dyn Deferred>>),
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
            incremental_update: None,
            serial: SERIAL.fetch_add(1, Ordering::Relaxed),
            containers,
            holds,
            files: OnceLock::new(),
            generated_files: OnceLock::new(),
            registry,
            resolve_source,
            deferred,
            options,
        };
        // The dependencies of targets are found among all edges.
        let is_whole = prepared.options.targets.is_empty();
        if let Some(earlier) = earlier.filter(|earlier| is_whole && earlier.is_like(&prepared)) {
            prepared.succeed(earlier);
        }
        if prepared.incremental_update.is_none() {
            prepared.relate()?;
        }
        Ok(prepared)
    }

    /// Parses new resources and computes the order.
    fn relate(&mut self) -> Result<(), Box<Cycle>> {
        let mut relations = Relations::new(&self.graph);
        if self.items.is_empty() {
            let graph = Arc::clone(&self.graph);
            self.items = graph.resources().map(|(id, r)| self.item(id, r)).collect();
        }
        if self.options.autoedges {
            relations.add_soft_edges(&self.soft_edges());
        }
        self.order = Arc::new(relations.order()?);
        self.relations = Arc::new(relations);
        self.leave_to_targets();
        Ok(())
    }

    /// Removes resources that the targets do not need, after parsing, because kinds add
    /// dependencies.
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

    /// Soft edges: the automatic edges of the graph, and the autorequires of the kinds.
    fn soft_edges(&self) -> Vec<SoftEdge> {
        let known = self.graph.automatic.iter().map(|e| (e.from, e.to, e.kind));
        known.chain(self.soft_edges_of_kinds().into_iter().map(|(wish, _)| wish)).collect()
    }

    /// The autorequires of the kinds, each with the resource that asks.
    pub fn soft_edges_of_kinds(&self) -> Vec<(SoftEdge, ResourceId)> {
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
        let mut soft_edges = Vec::new();
        for (i, item) in self.items.iter().enumerate() {
            let id = ResourceId(i as u32);
            soft_edges.extend(
                unmanaged::autorequires(&self.graph, id).into_iter().map(|wish| (wish, id)),
            );
            let Item::Ready(ready) = item else { continue };
            let earlier = ready.instance.autorequires().into_iter();
            let earlier = earlier.filter_map(find);
            soft_edges.extend(earlier.map(|from| ((from, id, EdgeKind::Before), id)));
            let related = ready.instance.automatic_relationships().into_iter();
            soft_edges.extend(related.filter_map(|(relationship, other)| {
                let other = find(other)?;
                let edge = match relationship {
                    Relationship::Require => (other, id, EdgeKind::Before),
                    Relationship::Before => (id, other, EdgeKind::Before),
                    Relationship::Subscribe => (other, id, EdgeKind::Notify),
                    Relationship::Notify => (id, other, EdgeKind::Notify),
                };
                Some((edge, id))
            }));
        }
        // mgmt programs may exclude a resource from autoedges.
        let refuses = |id: ResourceId| {
            self.graph.resource(id).value("meta:autoedge") == Some(&Value::Bool(false))
        };
        soft_edges.retain(|((from, to, _), _)| !refuses(*from) && !refuses(*to));
        soft_edges
    }
}
