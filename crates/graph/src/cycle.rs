//! Finds and describes one short cycle of a graph without an order.

use std::collections::VecDeque;
use std::fmt::Write;

use crate::components::components;
use crate::model::{Graph, ResourceId};
use crate::relations::{Node, NodeId, OrderReason, Relations, Role};

/// The maximum number of edges that are visited in search of a shorter cycle.
const MAX_VISITED_EDGES: usize = 4_000_000;

/// One step of a loop.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Link {
    /// The earlier resource.
    pub from: ResourceId,
    /// The later resource.
    pub to: ResourceId,
    /// The reason for the order.
    pub reason: OrderReason,
}

/// A cycle of edges, the shortest that was found; the last link ends where the first begins.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Cycle {
    /// The steps of the cycle, from the resource declared first.
    pub links: Vec<Link>,
    /// The number of strongly connected components with cycles.
    pub components: usize,
}

impl Cycle {
    /// The loop of relations that have one.
    pub(crate) fn find(relations: &Relations) -> Self {
        let own_loop = |node: usize| {
            let id = NodeId(node as u32);
            relations.edges(id).iter().find(|a| a.to == id).map(|a| (id, a.reason))
        };
        let groups = components(relations.len(), |node, i| {
            relations.edges(NodeId(node as u32)).get(i).map(|a| a.to.index())
        });
        let components = groups.loops();
        if let Some((id, reason)) = (0..relations.len()).find_map(own_loop) {
            let resource = relations.node(id).resource;
            let link = Link { from: resource, to: resource, reason };
            return Self { links: vec![link], components: components.len() + 1 };
        }
        let mut budget = MAX_VISITED_EDGES;
        let mut best: Option<Vec<(NodeId, OrderReason)>> = None;
        for &start in components.first().into_iter().flatten() {
            if budget == 0 {
                break;
            }
            let limit = best.as_ref().map_or(usize::MAX, Vec::len);
            let inside = |node| groups.same(node, start);
            if let Some(path) = shortest(relations, start, limit, inside, &mut budget) {
                best = Some(path);
            }
        }
        let links = best.map(|path| collapse(relations, &path)).unwrap_or_default();
        Self { links, components: components.len() }
    }

    /// The cycle as `(Notify[a] => Notify[b] => Notify[a])`.
    pub fn text(&self, graph: &Graph) -> String {
        let mut out = String::from("(");
        for link in &self.links {
            // Writing to text cannot fail.
            let _ = write!(out, "{} => ", graph.resource(link.from).id);
        }
        if let Some(first) = self.links.first() {
            let _ = write!(out, "{}", graph.resource(first.from).id);
        }
        out.push(')');
        out
    }
}

/// The shortest path from a node back to itself, shorter than `limit`: each node with the reason of
/// its outgoing edge.
fn shortest(
    relations: &Relations,
    start: NodeId,
    limit: usize,
    inside: impl Fn(NodeId) -> bool,
    budget: &mut usize,
) -> Option<Vec<(NodeId, OrderReason)>> {
    let mut came: rustc_hash::FxHashMap<NodeId, (NodeId, OrderReason, usize)> = Default::default();
    let mut queue = VecDeque::from([(start, 0)]);
    while let Some((node, depth)) = queue.pop_front() {
        if depth + 1 >= limit {
            return None;
        }
        for edge in relations.edges(node).iter().filter(|a| inside(a.to)) {
            *budget = budget.saturating_sub(1);
            if edge.to == start {
                let mut path = vec![(node, edge.reason)];
                let mut at = node;
                while let Some(&(before, reason, _)) = came.get(&at) {
                    path.push((before, reason));
                    at = before;
                }
                path.reverse();
                return Some(path);
            }
            if let std::collections::hash_map::Entry::Vacant(slot) = came.entry(edge.to) {
                slot.insert((node, edge.reason, depth + 1));
                queue.push_back((edge.to, depth + 1));
            }
        }
    }
    None
}

/// Drops barriers, and the markers of containers that the path only passes through.
fn collapse(relations: &Relations, path: &[(NodeId, OrderReason)]) -> Vec<Link> {
    let mut steps: Vec<(ResourceId, OrderReason)> = Vec::new();
    for &(node, reason) in path {
        let Node { resource, role } = relations.node(node);
        if matches!(role, Role::Barrier(_)) {
            continue;
        }
        // Both markers of a container are shown as the container.
        if let Some(last) = steps.last_mut().filter(|l| l.0 == resource) {
            last.1 = reason;
        } else {
            steps.push((resource, reason));
        }
    }
    let first_is_last = steps.len() > 1 && steps.first().map(|s| s.0) == steps.last().map(|s| s.0);
    if first_is_last && relations.node(path[0].0).role != Role::Leaf {
        steps.pop();
    }
    let lowest = (0..steps.len()).min_by_key(|&i| steps[i].0).unwrap_or(0);
    steps.rotate_left(lowest);
    let next = |i: usize| steps[(i + 1) % steps.len()].0;
    let links = steps.iter().enumerate();
    links.map(|(i, &(from, reason))| Link { from, to: next(i), reason }).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::model::{Containment, EdgeKind};
    use crate::testing::{edge, leaf, named};

    #[test]
    fn the_shortest_cycle_begins_at_the_first_declared() {
        let mut graph = Graph::default();
        let ids: Vec<_> = ["a", "b", "c", "d"].iter().map(|t| leaf(&mut graph, t)).collect();
        for (from, to) in [(3, 1), (1, 2), (2, 3), (3, 2), (0, 1)] {
            edge(&mut graph, ids[from], ids[to], EdgeKind::Before);
        }
        let cycle = Relations::new(&graph).order().unwrap_err();
        assert_eq!(cycle.text(&graph), "(File[c] => File[d] => File[c])");
        assert!(cycle.links.iter().all(|l| matches!(l.reason, OrderReason::Written(_))));
    }

    #[test]
    fn a_container_shows_once() {
        let mut graph = Graph::default();
        let class = named(&mut graph, "Class", "A", Containment::Class);
        let (x, y) = (leaf(&mut graph, "x"), leaf(&mut graph, "y"));
        graph.containment.push((class, x));
        edge(&mut graph, y, class, EdgeKind::Before);
        edge(&mut graph, x, y, EdgeKind::Before);
        let cycle = Relations::new(&graph).order().unwrap_err();
        assert_eq!(cycle.text(&graph), "(Class[A] => File[x] => File[y] => Class[A])");
        assert_eq!(cycle.components, 1);
    }

    #[test]
    fn a_resource_before_itself_is_a_cycle() {
        let mut graph = Graph::default();
        let x = leaf(&mut graph, "x");
        edge(&mut graph, x, x, EdgeKind::Before);
        let cycle = Relations::new(&graph).order().unwrap_err();
        assert_eq!(cycle.text(&graph), "(File[x] => File[x])");
    }
}
