//! Adds the autorequires of kinds to a graph that is only displayed.

use std::sync::Arc;

use ordain_graph::{Edge, Graph, Origin, ResourceId, Step};
use rustc_hash::FxHashSet;

use crate::kind::Registry;
use crate::run::deferred::NoDeferredValues;
use crate::run::prepare::{Options, Prepared, ResolveSource};

/// Adds the autorequires of the kinds to a graph. A graph with a cycle is not changed.
pub fn add(graph: &mut Graph) {
    let (registry, options) = (Arc::new(Registry::default()), Options::default());
    let whole = Arc::new(std::mem::take(graph));
    let outside: (ResolveSource, _) = (Arc::new(|_| None), Some(Arc::new(NoDeferredValues) as _));
    let prepared = Prepared::deferring(None, Arc::clone(&whole), registry, outside, options);
    let soft_edges = prepared.map(|prepared| prepared.soft_edges_of_kinds());
    *graph = Arc::unwrap_or_clone(whole);
    let Ok(soft_edges) = soft_edges else { return };
    let edges = graph.edges.iter().chain(&graph.automatic);
    let mut known: FxHashSet<(ResourceId, ResourceId)> = edges.map(|e| (e.from, e.to)).collect();
    let set = |ids: &[ResourceId]| ids.iter().copied().collect::<FxHashSet<_>>();
    let barriers: Vec<_> = graph.barriers.iter().map(|b| (set(&b.from), set(&b.to))).collect();
    let is_written = |from: ResourceId, to: ResourceId| {
        barriers.iter().any(|(before, after)| before.contains(&from) && after.contains(&to))
    };
    for ((from, to, kind), by) in soft_edges {
        // Explicit relationships win; of two contradicting autorequires the first wins.
        let is_known = known.contains(&(to, from)) || is_written(from, to) || is_written(to, from);
        if from == to || is_known || !known.insert((from, to)) {
            continue;
        }
        let resource = graph.resource(by);
        let (step, parent) = (Step::Kind(resource.id.kind.clone()), Some(resource.origin));
        let origin = graph.origins.intern(Origin { step, span: None, parent });
        graph.automatic.push(Edge { from, to, kind, origin });
    }
}
