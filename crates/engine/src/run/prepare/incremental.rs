//! Reuses parsed resources and relations of the previous graph.
//!
//! Usually a graph follows one with the same resource names in the same order. Then equal resources
//! need not be parsed again. If the others keep their dependencies, the order is reused too.

use std::sync::Arc;

use ordain_data::Value;
use ordain_graph::relations::SoftEdge;
use ordain_graph::{Attribute, Resource, ResourceId, ResourceRef};

use super::model::{IncrementalUpdate, Item, Prepared};
use super::unmanaged;
use crate::kind::Relationship;

impl Prepared {
    /// Whether this graph can reuse resources of another: it has the same names at the same
    /// positions, and the same options.
    pub(crate) fn is_like(&self, other: &Self) -> bool {
        let (mine, others) = (&self.graph, &other.graph);
        Arc::ptr_eq(&self.registry, &other.registry)
            && self.options() == other.options()
            && mine.served.is_empty()
            && others.served.is_empty()
            && mine.len() == others.len()
            && mine.resources().zip(others.resources()).all(|((_, a), (_, b))| a.id == b.id)
            && mine.aliases().eq(others.aliases())
    }

    /// Reuses parts of an earlier graph that [`Self::is_like`] this one.
    pub(crate) fn succeed(&mut self, earlier: &Self) {
        let graph = Arc::clone(&self.graph);
        let mut changed = Vec::new();
        let items = graph.resources().map(|(id, resource)| {
            let is_alike = earlier.holds[id.0 as usize] == self.holds[id.0 as usize];
            earlier.kept(id, resource).filter(|_| is_alike).unwrap_or_else(|| {
                changed.push(id);
                self.item(id, resource)
            })
        });
        self.items = items.collect();
        if self.is_related_as(earlier, &changed) {
            self.relations = Arc::clone(&earlier.relations);
            self.order = Arc::clone(&earlier.order);
            self.incremental_update = Some(IncrementalUpdate { after: earlier.serial, changed });
        }
    }

    /// The parsed resource, if the declaration is equal and does not depend on its context.
    fn kept(&self, id: ResourceId, resource: &Resource) -> Option<Item> {
        let own = self.graph.resource(id);
        let attribute = |a: &Attribute, b: &Attribute| a.name == b.name && a.value == b.value;
        let is_same = || {
            own.containment == resource.containment
                && own.is_virtual == resource.is_virtual
                && own.tags == resource.tags
                && own.attributes.len() == resource.attributes.len()
                && own.attributes.iter().zip(&resource.attributes).all(|(a, b)| attribute(a, b))
        };
        match &self.items[id.0 as usize] {
            // A schedule is another resource, which may have changed.
            Item::Ready(ready) => {
                let is_own = ready.schedule.is_none() && !ready.is_deferred;
                (is_own && is_same() && ready.instance.context_fingerprint().is_none())
                    .then(|| Item::Ready(Arc::clone(ready)))
            }
            Item::Container => is_same().then_some(Item::Container),
            Item::Virtual => is_same().then_some(Item::Virtual),
            Item::Filtered => is_same().then_some(Item::Filtered),
            Item::Bad(_) => None,
        }
    }

    /// Whether the order is the same if only these resources changed.
    fn is_related_as(&self, earlier: &Self, changed: &[ResourceId]) -> bool {
        let (new, old) = (&self.graph, &earlier.graph);
        new.containment == old.containment
            && new.edges == old.edges
            && new.barriers == old.barriers
            && new.automatic == old.automatic
            && changed.iter().all(|&id| {
                let (resource, before) = (new.resource(id), old.resource(id));
                resource.containment == before.containment
                    && resource.is_virtual == before.is_virtual
                    && self.identity(resource) == earlier.identity(before)
                    && self.asks(id) == earlier.asks(id)
            })
    }

    fn identity(&self, resource: &Resource) -> Option<String> {
        Some(self.registry.get(&resource.id.kind)?.identity(resource))
    }

    /// The declared predecessors and successors of a resource.
    fn asks(&self, id: ResourceId) -> DesiredOrder {
        let (names, earlier, related) = match &self.items[id.0 as usize] {
            Item::Ready(ready) => (
                ready.instance.second_names(),
                ready.instance.autorequires(),
                ready.instance.automatic_relationships(),
            ),
            _ => Default::default(),
        };
        let refuses = self.graph.resource(id).value("meta:autoedge") == Some(&Value::Bool(false));
        let unmanaged = unmanaged::autorequires(&self.graph, id);
        DesiredOrder { names, earlier, related, unmanaged, refuses }
    }
}

/// The order with other resources that a resource asks for.
#[derive(PartialEq)]
struct DesiredOrder {
    /// Its other names.
    names: Vec<ResourceRef>,
    earlier: Vec<ResourceRef>,
    related: Vec<(Relationship, ResourceRef)>,
    unmanaged: Vec<SoftEdge>,
    /// Whether it stays out of all this.
    refuses: bool,
}
