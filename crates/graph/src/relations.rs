//! A directed graph of resources and the markers of containers.
//!
//! A container is a pair of markers: everything in it comes between its *begin* and its *end*. An
//! edge to a container goes to its begin and one from it leaves its end, so it holds for all
//! members without an edge for each: the size stays linear.
//!
//! ```text
//! Class[a] -> Class[b]    begin(a) → {File[x], File[y]} → end(a) → begin(b) → … → end(b)
//! ```

use smallvec::SmallVec;

use crate::model::{Barrier, Containment, EdgeKind, Graph, ResourceId};
use crate::origin::OriginId;

/// The index of a node in a [`Relations`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct NodeId(pub u32);

impl NodeId {
    /// The index in vectors with an entry for each node.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// The role of a node.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Role {
    /// A resource that is no container.
    Leaf,
    /// The begin of a container.
    Begin,
    /// The end of a container.
    End,
    /// The point between both sides of the barrier with this number.
    Barrier(u32),
}

/// A node: a resource, or one of the markers of a container.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Node {
    /// The resource or container; for a barrier the first resource before it.
    pub resource: ResourceId,
    /// The role of the node in it.
    pub role: Role,
}

/// The reason why one node comes before another.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum OrderReason {
    /// Someone wrote it.
    Written(OriginId),
    /// One contains the other.
    Contained,
    /// The kinds of the resources ask for it.
    Automatic,
}

/// An arc to a node that comes later.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct OrderEdge {
    /// The later node.
    pub to: NodeId,
    /// Whether a change goes along it.
    pub kind: EdgeKind,
    /// Its reason.
    pub reason: OrderReason,
}

/// An order between two resources; explicit relationships win over it.
pub type SoftEdge = (ResourceId, ResourceId, EdgeKind);

/// The order of resources and of the markers of containers.
#[derive(Clone, Default, Debug)]
pub struct Relations {
    pub(crate) nodes: Vec<Node>,
    pub(crate) enter: Vec<NodeId>,
    pub(crate) leave: Vec<NodeId>,
    /// The first node that is a barrier.
    pub(crate) first_barrier: u32,
    pub(crate) edges: Vec<SmallVec<[OrderEdge; 2]>>,
}

impl Relations {
    /// The order of a graph: its edges and its containment.
    pub fn new(graph: &Graph) -> Self {
        let mut holds = vec![false; graph.len()];
        for &(container, _) in &graph.containment {
            holds[container.0 as usize] = true;
        }
        let mut relations = Self::default();
        relations.reserve(graph, &holds);
        for (id, resource) in graph.resources() {
            let container = holds[id.0 as usize] || resource.containment != Containment::Leaf;
            relations.add_resource(id, container);
        }
        for &(container, inner) in &graph.containment {
            let (begin, end) = (relations.enter(container), relations.leave(container));
            let (first, last) = (relations.enter(inner), relations.leave(inner));
            relations.add_edge(begin, first, EdgeKind::Notify, OrderReason::Contained);
            relations.add_edge(last, end, EdgeKind::Notify, OrderReason::Contained);
        }
        for (id, _) in graph.resources() {
            let (begin, end) = (relations.enter(id), relations.leave(id));
            if begin != end && !holds[id.0 as usize] {
                // The node is empty, so no notification passes through it.
                relations.add_edge(begin, end, EdgeKind::Before, OrderReason::Contained);
            }
        }
        for edge in &graph.edges {
            let (from, to) = (relations.leave(edge.from), relations.enter(edge.to));
            relations.add_edge(from, to, edge.kind, OrderReason::Written(edge.origin));
        }
        relations.first_barrier = relations.nodes.len() as u32;
        for (number, barrier) in graph.barriers.iter().enumerate() {
            relations.add_barrier(number as u32, barrier);
        }
        relations
    }

    fn reserve(&mut self, graph: &Graph, holds: &[bool]) {
        let nodes = graph.len() + holds.iter().filter(|h| **h).count();
        self.nodes.reserve(nodes);
        self.edges.reserve(nodes);
        self.enter.reserve(graph.len());
        self.leave.reserve(graph.len());
    }

    fn add_resource(&mut self, resource: ResourceId, container: bool) {
        let enter = self.add_node(resource, if container { Role::Begin } else { Role::Leaf });
        let leave = if container { self.add_node(resource, Role::End) } else { enter };
        self.enter.push(enter);
        self.leave.push(leave);
    }

    fn add_barrier(&mut self, number: u32, barrier: &Barrier) {
        let (Some(&first), false) = (barrier.from.first(), barrier.to.is_empty()) else { return };
        let node = self.add_node(first, Role::Barrier(number));
        let reason = OrderReason::Written(barrier.origin);
        for &from in &barrier.from {
            self.add_edge(self.leave(from), node, barrier.kind, reason);
        }
        for &to in &barrier.to {
            self.add_edge(node, self.enter(to), barrier.kind, reason);
        }
    }

    fn add_node(&mut self, resource: ResourceId, role: Role) -> NodeId {
        self.nodes.push(Node { resource, role });
        self.edges.push(SmallVec::new());
        NodeId(self.nodes.len() as u32 - 1)
    }

    pub(crate) fn add_edge(
        &mut self,
        from: NodeId,
        to: NodeId,
        kind: EdgeKind,
        reason: OrderReason,
    ) {
        self.edges[from.index()].push(OrderEdge { to, kind, reason });
    }

    /// The node where a resource is entered.
    pub fn enter(&self, resource: ResourceId) -> NodeId {
        self.enter[resource.0 as usize]
    }

    /// The node after a resource; the same as the entry unless it is a container.
    pub fn leave(&self, resource: ResourceId) -> NodeId {
        self.leave[resource.0 as usize]
    }

    /// The role of a node.
    pub fn node(&self, id: NodeId) -> Node {
        self.nodes[id.index()]
    }

    /// The number of nodes.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there is no node.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The outgoing edges of a node, in order of declaration.
    pub fn edges(&self, id: NodeId) -> &[OrderEdge] {
        &self.edges[id.index()]
    }

    /// For each node, whether it is in this set or a direct or indirect predecessor of it.
    pub fn before(&self, nodes: impl IntoIterator<Item = NodeId>) -> Vec<bool> {
        let mut earlier: Vec<SmallVec<[NodeId; 2]>> = vec![SmallVec::new(); self.nodes.len()];
        for (from, edges) in self.edges.iter().enumerate() {
            for edge in edges {
                earlier[edge.to.index()].push(NodeId(from as u32));
            }
        }
        let mut found = vec![false; self.nodes.len()];
        let mut rest: Vec<NodeId> = nodes.into_iter().collect();
        while let Some(node) = rest.pop() {
            if !std::mem::replace(&mut found[node.index()], true) {
                rest.extend(&earlier[node.index()]);
            }
        }
        found
    }

    /// The number of incoming edges of each node.
    pub fn in_degrees(&self) -> Vec<u32> {
        let mut degrees = vec![0; self.nodes.len()];
        for edge in self.edges.iter().flatten() {
            degrees[edge.to.index()] += 1;
        }
        degrees
    }
}
