//! Orders and notifications of a graph, containers included.

use std::collections::{HashSet, VecDeque};

use ordain_graph::{EdgeKind, Graph, ResourceId};

/// The orders of a graph for searches.
pub(crate) struct Relations<'g> {
    graph: &'g Graph,
    /// The containers of each resource.
    containers: Vec<Vec<ResourceId>>,
    /// The successors of each vertex. A resource begins at the vertex of twice its number, and ends
    /// at the following one; its contained resources are between both.
    next: Vec<Vec<u32>>,
}

fn start(id: ResourceId) -> u32 {
    2 * id.0
}

fn end(id: ResourceId) -> u32 {
    2 * id.0 + 1
}

impl<'g> Relations<'g> {
    pub(crate) fn new(graph: &'g Graph) -> Self {
        let mut containers = vec![Vec::new(); graph.len()];
        // The additional vertices are those of barriers, which have more edges than resources.
        let mut next = vec![Vec::new(); 2 * graph.len() + graph.barriers.len()];
        for (id, _) in graph.resources() {
            next[start(id) as usize].push(end(id));
        }
        for &(container, contained) in &graph.containment {
            containers[contained.0 as usize].push(container);
            next[start(container) as usize].push(start(contained));
            next[end(contained) as usize].push(end(container));
        }
        for edge in graph.edges.iter().chain(&graph.automatic) {
            next[end(edge.from) as usize].push(start(edge.to));
        }
        for (at, barrier) in graph.barriers.iter().enumerate() {
            let middle = 2 * graph.len() + at;
            for &from in &barrier.from {
                next[end(from) as usize].push(middle as u32);
            }
            next[middle].extend(barrier.to.iter().map(|&to| start(to)));
        }
        Self { graph, containers, next }
    }

    /// Whether a resource always comes before another.
    pub(crate) fn is_before(&self, from: ResourceId, to: ResourceId) -> bool {
        let mut seen = vec![false; self.next.len()];
        let mut queue = VecDeque::from([end(from)]);
        while let Some(at) = queue.pop_front() {
            if at == start(to) {
                return true;
            }
            for &next in &self.next[at as usize] {
                if !std::mem::replace(&mut seen[next as usize], true) {
                    queue.push_back(next);
                }
            }
        }
        false
    }

    /// Whether a change of a resource refreshes another, by a relation of both or of containers.
    pub(crate) fn notifies(&self, from: ResourceId, to: ResourceId) -> bool {
        let (from, to) = (self.with_containers(from), self.with_containers(to));
        let is_between =
            |source: ResourceId, target: ResourceId| from.contains(&source) && to.contains(&target);
        let edges = self.graph.edges.iter().filter(|edge| edge.kind == EdgeKind::Notify);
        let mut barriers = self.graph.barriers.iter().filter(|b| b.kind == EdgeKind::Notify);
        edges.into_iter().any(|edge| is_between(edge.from, edge.to))
            || barriers.any(|barrier| {
                barrier.from.iter().any(|id| from.contains(id))
                    && barrier.to.iter().any(|id| to.contains(id))
            })
    }

    fn with_containers(&self, id: ResourceId) -> HashSet<ResourceId> {
        let mut all = HashSet::from([id]);
        let mut open = vec![id];
        while let Some(id) = open.pop() {
            open.extend(self.containers[id.0 as usize].iter().copied().filter(|c| all.insert(*c)));
        }
        all
    }
}
