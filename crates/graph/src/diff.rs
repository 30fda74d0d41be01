//! Compares graphs: resources by name, their attributes, and their order.

use ecow::{EcoString, eco_format};
use ordain_data::Value;
use ordain_data::diff::{Difference, Rules, compare};
use rustc_hash::FxHashMap;

use crate::json::is_omitted;
use crate::model::{Barrier, Edge, EdgeKind, Graph, ResourceId};
use crate::origin::OriginId;

/// The key of the relationships in [`document`]. No reference to a resource looks like it.
pub const RELATIONS: &str = "relations";

/// Metaparameters that say the same as edges.
const EDGE_METAPARAMETERS: &[&str] = &["before", "notify", "require", "subscribe"];

/// The differences of two graphs. The first step of a path is the name of a resource or
/// [`RELATIONS`], the second an attribute or `From -> To`. A secret that was omitted when a graph
/// was saved equals any other.
pub fn differences(left: &Graph, right: &Graph) -> Vec<Difference> {
    let mut found = compare(&document(left), &document(right), &Rules::default());
    found.retain(|difference| match (&difference.left, &difference.right) {
        (Some(left @ Value::Secret(_)), Some(right @ Value::Secret(_))) => {
            !is_omitted(left) && !is_omitted(right)
        }
        _ => true,
    });
    found
}

/// The number of edges up to which barriers are compared edge by edge instead of as lists of
/// resources.
const MAX_EDGES: usize = 200_000;

/// A graph as plain data: a map of attributes for every resource by name, and the relationships.
/// Tags and containers are omitted: they describe how the resources were declared.
pub fn document(graph: &Graph) -> Value {
    let mut entries: Vec<(EcoString, Value)> = graph
        .resources()
        .map(|(_, resource)| {
            let flags = [("virtual", resource.is_virtual), ("exported", resource.exported)];
            let flags = flags.into_iter().filter(|f| f.1).map(|f| (f.0.into(), Value::Bool(true)));
            let attributes = resource.attributes.iter();
            let attributes = attributes.filter(|a| !EDGE_METAPARAMETERS.contains(&a.name.as_str()));
            let attributes = attributes.map(|a| (a.name.clone(), a.value.clone()));
            (eco_format!("{}", resource.id), Value::map(flags.chain(attributes)))
        })
        .collect();
    let name = |id: ResourceId| &graph.resource(id).id;
    let kind =
        |kind: EdgeKind| Value::str(if kind == EdgeKind::Notify { "notify" } else { "before" });
    let relation =
        |edge: &Edge| (eco_format!("{} -> {}", name(edge.from), name(edge.to)), kind(edge.kind));
    let mut relations: Vec<(EcoString, Value)> = graph.edges.iter().map(relation).collect();
    if graph.edges_of_barriers() <= MAX_EDGES {
        let edges = graph.barriers.iter().flat_map(Barrier::edges);
        relations.extend(edges.map(|edge| relation(&edge)));
    } else {
        for (number, barrier) in graph.barriers.iter().enumerate() {
            let names = |ids: &[ResourceId]| {
                Value::list(ids.iter().map(|&id| Value::Str(eco_format!("{}", name(id)))))
            };
            let (from, to) = (names(&barrier.from), names(&barrier.to));
            let parts = [("from", from), ("to", to), ("kind", kind(barrier.kind))];
            let parts = parts.map(|(name, value)| (EcoString::from(name), value));
            relations.push((eco_format!("barrier {}", number + 1), Value::map(parts)));
        }
    }
    entries.push((RELATIONS.into(), Value::map(relations)));
    Value::map(entries)
}

/// Finds the place of a difference.
pub struct Origins<'g> {
    graph: &'g Graph,
    edges: FxHashMap<(ResourceId, ResourceId), OriginId>,
}

impl<'g> Origins<'g> {
    /// For one of the graphs that were compared.
    pub fn new(graph: &'g Graph) -> Self {
        let edges = graph.edges.iter().map(|edge| ((edge.from, edge.to), edge.origin));
        Self { graph, edges: edges.collect() }
    }

    /// The origin of the value at the path of a difference, if the graph has it.
    pub fn of(&self, difference: &Difference) -> Option<OriginId> {
        let mut steps = difference.path.iter().map(EcoString::as_str);
        let (first, second) = (steps.next()?, steps.next());
        let find = |name| self.graph.find_text(name);
        if first == RELATIONS {
            let (from, to) = second?.split_once(" -> ")?;
            let (from, to) = (find(from)?, find(to)?);
            return self.edges.get(&(from, to)).copied().or_else(|| {
                let barriers = &mut self.graph.barriers.iter();
                let of = barriers.find(|b| b.from.contains(&from) && b.to.contains(&to));
                of.map(|barrier| barrier.origin)
            });
        }
        let resource = self.graph.resource(find(first)?);
        let attribute = second.and_then(|name| resource.attribute(name));
        Some(attribute.map_or(resource.origin, |a| a.origin))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Attribute;
    use crate::testing::{edge, leaf};

    #[test]
    fn resources_attributes_and_relations_are_compared() {
        let (mut left, mut right) = (Graph::default(), Graph::default());
        for graph in [&mut left, &mut right] {
            let (a, b) = (leaf(graph, "/a"), leaf(graph, "/b"));
            edge(graph, a, b, EdgeKind::Before);
        }
        assert!(differences(&left, &right).is_empty());
        right.edges[0].kind = EdgeKind::Notify;
        leaf(&mut right, "/c");
        let origin = right.resource(ResourceId(0)).origin;
        let mode = Attribute { name: "mode".into(), value: "0644".into(), origin, losers: vec![] };
        right.resource_mut(ResourceId(0)).attributes.push(mode);
        let found = differences(&left, &right);
        let paths: Vec<String> = found.iter().map(|d| d.path.join(".")).collect();
        assert_eq!(paths, ["File[/a].mode", "File[/c]", "relations.File[/a] -> File[/b]"]);
        let origins = Origins::new(&right);
        assert!(found.iter().all(|d| origins.of(d).is_some()));
        assert!(Origins::new(&left).of(&found[1]).is_none());
    }
}
