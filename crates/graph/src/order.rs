//! The order of the resources of a graph, and the cycles that prevent one.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use smallvec::SmallVec;

use crate::components::{Components, components};
use crate::cycle::Cycle;
use crate::model::{Containment, EdgeKind, Graph, ResourceId};
use crate::relations::{NodeId, OrderReason, Relations, SoftEdge};

impl Relations {
    /// A topological order; of several possible next nodes, the one declared first is chosen.
    ///
    /// # Errors
    /// A shortest cycle, if there is one.
    pub fn order(&self) -> Result<Vec<NodeId>, Box<Cycle>> {
        let order = self.partial_order();
        if order.len() == self.nodes.len() { Ok(order) } else { Err(Box::new(Cycle::find(self))) }
    }

    /// The order of all nodes that are not behind a cycle.
    fn partial_order(&self) -> Vec<NodeId> {
        let mut degrees = self.in_degrees();
        let ready = (0..self.nodes.len() as u32).filter(|&i| degrees[i as usize] == 0);
        // Nodes are numbered in order of declaration, the end of a container right after its begin,
        // so that successors of a container need not wait for later declarations.
        let mut ready: BinaryHeap<Reverse<u32>> = ready.map(Reverse).collect();
        let mut order = Vec::with_capacity(self.nodes.len());
        let mut passed: SmallVec<[u32; 1]> = SmallVec::new();
        while let Some(node) = passed.pop().or_else(|| ready.pop().map(|Reverse(node)| node)) {
            order.push(NodeId(node));
            for edge in &self.edges[node as usize] {
                let degree = &mut degrees[edge.to.index()];
                *degree -= 1;
                if *degree == 0 && edge.to.0 >= self.first_barrier {
                    // A barrier is passed at once, so that the order is that of the edges that it
                    // represents.
                    passed.push(edge.to.0);
                } else if *degree == 0 {
                    ready.push(Reverse(edge.to.0));
                }
            }
        }
        order
    }

    /// Adds soft edges `(earlier, later, kind)`. Explicit relationships that point the other way
    /// win.
    ///
    /// A soft edge on a cycle with explicit edges is dropped; of a cycle of soft edges, those
    /// against the order of declaration are. The cost is close to linear, because only cycles are
    /// processed again.
    pub fn add_soft_edges(&mut self, wishes: &[SoftEdge]) {
        let place = place_of(&self.partial_order(), self.nodes.len());
        let mut kept: Vec<(NodeId, NodeId, EdgeKind)> = wishes
            .iter()
            .filter(|(from, to, _)| from != to)
            .map(|&(from, to, kind)| (self.leave(from), self.enter(to), kind))
            .collect();
        kept.sort_unstable();
        kept.dedup();
        let groups = self.components_with(&kept);
        let mut reach = Reachability::default();
        kept.retain(|&(from, to, _)| {
            !groups.same(from, to) || !reach.reaches(self, &groups, to, from)
        });
        let groups = self.components_with(&kept);
        kept.retain(|&(from, to, _)| {
            !groups.same(from, to) || place[from.index()] < place[to.index()]
        });
        for (from, to, kind) in kept {
            self.add_edge(from, to, kind, OrderReason::Automatic);
        }
    }

    fn components_with(&self, wishes: &[(NodeId, NodeId, EdgeKind)]) -> Components {
        let mut extra: Vec<Vec<NodeId>> = vec![Vec::new(); self.nodes.len()];
        for &(from, to, _) in wishes {
            extra[from.index()].push(to);
        }
        components(self.nodes.len(), |node, i| {
            let own = &self.edges[node];
            own.get(i)
                .map(|a| a.to.index())
                .or_else(|| extra[node].get(i.wrapping_sub(own.len())).map(|n| n.index()))
        })
    }
}

/// A shortest cycle of a graph, if it has one. Faster than an order if there is none.
pub fn find_cycle(graph: &Graph) -> Option<Box<Cycle>> {
    if is_acyclic(graph) { None } else { Relations::new(graph).order().err() }
}

/// Whether a graph has no cycle. The edges are in one list, sorted by their start; each container
/// has two nodes, any other resource one.
fn is_acyclic(graph: &Graph) -> bool {
    let mut container: Vec<bool> =
        graph.resources().map(|(_, r)| r.containment != Containment::Leaf).collect();
    for &(outer, _) in &graph.containment {
        container[outer.0 as usize] = true;
    }
    let enter = |id: ResourceId| id.0 as usize * 2;
    let leave = |id: ResourceId| enter(id) + usize::from(container[id.0 as usize]);
    let leave = &leave;
    let contained = graph
        .containment
        .iter()
        .flat_map(|&(outer, inner)| [(enter(outer), enter(inner)), (leave(inner), leave(outer))]);
    let all = (0..graph.len() as u32).map(ResourceId);
    let whole = all.map(|id| (enter(id), leave(id))).filter(|(a, b)| a != b);
    let written = graph.edges.iter().map(|edge| (leave(edge.from), enter(edge.to)));
    let barriers = graph.barriers.iter().enumerate().flat_map(|(number, barrier)| {
        let node = graph.len() * 2 + number;
        let before = barrier.from.iter().map(move |&from| (leave(from), node));
        before.chain(barrier.to.iter().map(move |&to| (node, enter(to))))
    });
    let edges = contained.chain(whole).chain(written).chain(barriers);

    let nodes = graph.len() * 2 + graph.barriers.len();
    let mut incoming = vec![0u32; nodes];
    // The end of each node's edges in the list; it is filled from there to the start.
    let mut starts = vec![0u32; nodes + 1];
    // Internal iteration over a chain is much faster than a loop.
    edges.clone().for_each(|(from, to)| {
        incoming[to] += 1;
        starts[from] += 1;
    });
    let mut total = 0;
    for start in &mut starts {
        total += *start;
        *start = total;
    }
    let mut targets = vec![0u32; total as usize];
    edges.for_each(|(from, to)| {
        starts[from] -= 1;
        targets[starts[from] as usize] = to as u32;
    });
    let mut ready: Vec<u32> =
        (0..nodes as u32).filter(|&node| incoming[node as usize] == 0).collect();
    let mut done = 0;
    while let Some(node) = ready.pop() {
        done += 1;
        let node = node as usize;
        for &to in &targets[starts[node] as usize..starts[node + 1] as usize] {
            incoming[to as usize] -= 1;
            if incoming[to as usize] == 0 {
                ready.push(to);
            }
        }
    }
    done == nodes
}

fn place_of(order: &[NodeId], nodes: usize) -> Vec<u32> {
    let mut place = vec![u32::MAX; nodes];
    for (i, node) in order.iter().enumerate() {
        place[node.index()] = i as u32;
    }
    place
}

/// The nodes of a component that reach a goal by explicit edges; cached for the last goal, because
/// soft edges are sorted by it.
#[derive(Default)]
struct Reachability {
    goal: Option<NodeId>,
    seen: rustc_hash::FxHashSet<NodeId>,
    back: Option<Vec<Vec<NodeId>>>,
}

impl Reachability {
    fn reaches(
        &mut self,
        graph: &Relations,
        groups: &Components,
        from: NodeId,
        goal: NodeId,
    ) -> bool {
        if self.goal != Some(goal) {
            self.goal = Some(goal);
            let back = self.back.get_or_insert_with(|| backwards(graph));
            self.seen.clear();
            self.seen.insert(goal);
            let mut todo = vec![goal];
            while let Some(node) = todo.pop() {
                for &before in &back[node.index()] {
                    if groups.same(before, goal) && self.seen.insert(before) {
                        todo.push(before);
                    }
                }
            }
        }
        self.seen.contains(&from)
    }
}

fn backwards(graph: &Relations) -> Vec<Vec<NodeId>> {
    let mut back = vec![Vec::new(); graph.nodes.len()];
    for (node, edges) in graph.edges.iter().enumerate() {
        for edge in edges {
            back[edge.to.index()].push(NodeId(node as u32));
        }
    }
    back
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use proptest::prelude::*;

    use super::*;
    use crate::model::Barrier;
    use crate::relations::Role;
    use crate::testing::{self, edge, leaf, named};

    fn titles(graph: &Graph, relations: &Relations) -> Vec<String> {
        let order = relations.order().unwrap();
        let leaves = order.iter().map(|&n| relations.node(n)).filter(|n| n.role == Role::Leaf);
        leaves.map(|n| graph.resource(n.resource).id.title.to_string()).collect()
    }

    #[test]
    fn ties_stay_in_order_of_declaration() {
        let mut graph = Graph::default();
        let ids: Vec<_> = ["c", "a", "b"].iter().map(|t| leaf(&mut graph, t)).collect();
        edge(&mut graph, ids[2], ids[0], EdgeKind::Before);
        assert_eq!(titles(&graph, &Relations::new(&graph)), ["a", "b", "c"]);
    }

    #[test]
    fn an_edge_to_a_container_holds_for_all_in_it() {
        let mut graph = Graph::default();
        let x = leaf(&mut graph, "x");
        let class = named(&mut graph, "Class", "A", Containment::Class);
        let (y, z) = (leaf(&mut graph, "y"), leaf(&mut graph, "z"));
        graph.containment.extend([(class, y), (class, z)]);
        edge(&mut graph, class, x, EdgeKind::Before);
        assert_eq!(titles(&graph, &Relations::new(&graph)), ["y", "z", "x"]);
    }

    #[test]
    fn predecessors_include_members_of_containers() {
        let mut graph = Graph::default();
        let (far, near) = (leaf(&mut graph, "far"), leaf(&mut graph, "near"));
        let class = named(&mut graph, "Class", "A", Containment::Class);
        let (x, y) = (leaf(&mut graph, "x"), leaf(&mut graph, "y"));
        graph.containment.extend([(class, x), (class, y)]);
        edge(&mut graph, far, near, EdgeKind::Before);
        edge(&mut graph, near, class, EdgeKind::Before);
        let later = leaf(&mut graph, "later");
        edge(&mut graph, x, later, EdgeKind::Before);
        let relations = Relations::new(&graph);
        let before = |id| -> Vec<String> {
            let found = relations.before([relations.leave(id)]);
            let nodes = (0..).map(NodeId).zip(found).filter(|(_, is_found)| *is_found);
            let leaves = nodes.map(|(node, _)| relations.node(node));
            let leaves = leaves.filter(|node| node.role == Role::Leaf);
            leaves.map(|node| graph.resource(node.resource).id.title.to_string()).collect()
        };
        assert_eq!(before(x), ["far", "near", "x"]);
        assert_eq!(before(class), ["far", "near", "x", "y"]);
    }

    #[test]
    fn two_full_containers_stay_linear() {
        let mut graph = Graph::default();
        let a = named(&mut graph, "Class", "A", Containment::Class);
        let b = named(&mut graph, "Class", "B", Containment::Class);
        for i in 0..2000 {
            let id = leaf(&mut graph, &i.to_string());
            graph.containment.push((if i % 2 == 0 { a } else { b }, id));
        }
        edge(&mut graph, a, b, EdgeKind::Notify);
        let relations = Relations::new(&graph);
        assert_eq!(relations.edges.iter().map(SmallVec::len).sum::<usize>(), 4001);
    }

    /// The resources of one set before those of another, as edges and by a barrier.
    fn both_ways(count: usize, from: &[u32], to: &[u32]) -> [Graph; 2] {
        let mut edges = testing::graph_of(count, &[]);
        let origin = edges.resource(ResourceId(0)).origin;
        let ids = |ids: &[u32]| ids.iter().map(|id| ResourceId(id % count as u32)).collect();
        let barrier = Barrier { from: ids(from), to: ids(to), kind: EdgeKind::Notify, origin };
        let mut barriers = edges.clone();
        edges.edges.extend(barrier.edges());
        barriers.barriers.push(barrier);
        [edges, barriers]
    }

    #[test]
    fn a_barrier_is_as_small_as_what_it_relates() {
        let (from, to): (Vec<u32>, Vec<u32>) = ((0..2000).collect(), (2000..4000).collect());
        let [_, graph] = both_ways(4000, &from, &to);
        let edges: usize = Relations::new(&graph).edges.iter().map(SmallVec::len).sum();
        let [alone, _] = both_ways(4000, &[], &[]);
        let others: usize = Relations::new(&alone).edges.iter().map(SmallVec::len).sum();
        assert_eq!(edges, others + 4000);
    }

    #[test]
    fn a_cycle_through_a_barrier_names_resources() {
        let [_, mut graph] = both_ways(8, &[1, 2], &[5, 6]);
        edge(&mut graph, ResourceId(6), ResourceId(2), EdgeKind::Before);
        let cycle = Relations::new(&graph).order().unwrap_err();
        assert_eq!(cycle.text(&graph), "(File[2] => File[6] => File[2])");
        assert!(cycle.links.iter().all(|link| matches!(link.reason, OrderReason::Written(_))));
    }

    #[test]
    fn soft_edges_yield_to_explicit_ones() {
        let mut graph = Graph::default();
        let (dir, file, other) =
            (leaf(&mut graph, "dir"), leaf(&mut graph, "file"), leaf(&mut graph, "other"));
        edge(&mut graph, file, other, EdgeKind::Before);
        edge(&mut graph, other, dir, EdgeKind::Before);
        let mut relations = Relations::new(&graph);
        relations.add_soft_edges(&[(dir, file, EdgeKind::Before), (dir, other, EdgeKind::Before)]);
        assert_eq!(titles(&graph, &relations), ["file", "other", "dir"]);
    }

    #[test]
    fn contradicting_soft_edges_make_no_cycle() {
        let mut graph = Graph::default();
        let (a, b) = (leaf(&mut graph, "a"), leaf(&mut graph, "b"));
        let mut relations = Relations::new(&graph);
        relations.add_soft_edges(&[(b, a, EdgeKind::Before), (a, b, EdgeKind::Before)]);
        assert_eq!(titles(&graph, &relations), ["a", "b"]);
    }

    #[test]
    fn a_deep_chain_needs_no_stack() {
        let mut graph = Graph::default();
        let ids: Vec<_> = (0..50_000).map(|i| leaf(&mut graph, &i.to_string())).collect();
        for pair in ids.windows(2) {
            edge(&mut graph, pair[1], pair[0], EdgeKind::Before);
        }
        let mut relations = Relations::new(&graph);
        relations.add_soft_edges(&[(ids[0], ids[49_999], EdgeKind::Before)]);
        assert_eq!(relations.order().unwrap().len(), 50_000);
    }

    proptest! {
        #[test]
        fn a_barrier_orders_as_the_edges_for_which_it_stands(
            count in 2usize..16,
            from in proptest::collection::vec(0u32..16, 1..8),
            to in proptest::collection::vec(0u32..16, 1..8),
        ) {
            let [edges, barriers] = both_ways(count, &from, &to);
            let (edges, barriers) = (&edges, &barriers);
            prop_assert_eq!(is_acyclic(edges), is_acyclic(barriers));
            let order = |graph: &Graph| {
                let relations = Relations::new(graph);
                let order = relations.order().ok()?;
                let nodes = order.into_iter().map(|node| relations.node(node));
                Some(nodes.filter(|n| !matches!(n.role, Role::Barrier(_))).collect::<Vec<_>>())
            };
            prop_assert_eq!(order(edges), order(barriers));
        }

        #[test]
        fn the_order_is_topological_and_the_same_every_time(
            (count, pairs) in testing::small_graph()
        ) {
            let graph = testing::graph_of(count, &pairs);
            let relations = Relations::new(&graph);
            prop_assert_eq!(relations.order().ok(), Relations::new(&graph).order().ok());
            prop_assert_eq!(is_acyclic(&graph), relations.order().is_ok());
            match relations.order() {
                Ok(order) => {
                    let place = place_of(&order, relations.len());
                    for (from, edges) in relations.edges.iter().enumerate() {
                        for edge in edges {
                            prop_assert!(place[from] < place[edge.to.index()]);
                        }
                    }
                }
                Err(cycle) => prop_assert!(cycle.links.iter().zip(cycle.links.iter().cycle().skip(1))
                    .all(|(a, b)| a.to == b.from)),
            }
        }

        #[test]
        fn soft_edges_never_close_a_cycle(
            (count, pairs) in testing::small_graph(),
            wishes in proptest::collection::vec((0u32..12, 0u32..12), 0..20),
        ) {
            let forward: Vec<_> = pairs.into_iter().filter(|(a, b)| a < b).collect();
            let graph = testing::graph_of(count, &forward);
            let in_range = |i: u32| ResourceId(i % graph.len() as u32);
            let wishes: Vec<_> = wishes
                .iter()
                .map(|&(a, b)| (in_range(a), in_range(b), EdgeKind::Before))
                .collect();
            let mut relations = Relations::new(&graph);
            if relations.order().is_ok() {
                relations.add_soft_edges(&wishes);
                prop_assert!(relations.order().is_ok());
            }
        }
    }
}
