//! Strongly connected components of a directed graph.

use crate::relations::NodeId;

/// The component of each node.
#[derive(Clone, Debug)]
pub(crate) struct Components {
    of: Vec<u32>,
}

impl Components {
    /// Whether two nodes are in the same component.
    pub(crate) fn same(&self, a: NodeId, b: NodeId) -> bool {
        self.of[a.index()] == self.of[b.index()]
    }

    /// The nodes of every component that has more than one node.
    pub(crate) fn loops(&self) -> Vec<Vec<NodeId>> {
        let count = self.of.iter().max().map_or(0, |m| *m as usize + 1);
        let mut groups: Vec<Vec<NodeId>> = vec![Vec::new(); count];
        for (node, &group) in self.of.iter().enumerate() {
            groups[group as usize].push(NodeId(node as u32));
        }
        groups.retain(|g| g.len() > 1);
        groups.sort();
        groups
    }
}

const UNSEEN: u32 = u32::MAX;

/// Tarjan's algorithm without recursion; `arc(node, i)` is the target of the i-th edge of a node.
pub(crate) fn components(nodes: usize, arc: impl Fn(usize, usize) -> Option<usize>) -> Components {
    let mut state = Tarjan {
        index: vec![UNSEEN; nodes],
        low: vec![0; nodes],
        of: vec![UNSEEN; nodes],
        stack: Vec::new(),
        next: 0,
        groups: 0,
    };
    for start in 0..nodes {
        if state.index[start] == UNSEEN {
            state.visit(start, &arc);
        }
    }
    Components { of: state.of }
}

struct Tarjan {
    index: Vec<u32>,
    low: Vec<u32>,
    of: Vec<u32>,
    stack: Vec<usize>,
    next: u32,
    groups: u32,
}

impl Tarjan {
    fn open(&mut self, node: usize) {
        self.index[node] = self.next;
        self.low[node] = self.next;
        self.next += 1;
        self.stack.push(node);
    }

    fn visit(&mut self, start: usize, arc: &impl Fn(usize, usize) -> Option<usize>) {
        self.open(start);
        let mut calls = vec![(start, 0)];
        while let Some((node, i)) = calls.last_mut() {
            let node = *node;
            let Some(next) = arc(node, *i) else {
                calls.pop();
                self.close(node);
                if let Some(&(parent, _)) = calls.last() {
                    self.low[parent] = self.low[parent].min(self.low[node]);
                }
                continue;
            };
            *i += 1;
            if self.index[next] == UNSEEN {
                self.open(next);
                calls.push((next, 0));
            } else if self.of[next] == UNSEEN {
                self.low[node] = self.low[node].min(self.index[next]);
            }
        }
    }

    fn close(&mut self, node: usize) {
        if self.low[node] != self.index[node] {
            return;
        }
        while let Some(member) = self.stack.pop() {
            self.of[member] = self.groups;
            if member == node {
                break;
            }
        }
        self.groups += 1;
    }
}
