//! The result of a comparison.

use std::collections::BTreeMap;

use ordain_graph::Graph;

use crate::change::ChangeKind;
use crate::collect::FoundChange;
use crate::compare::compare_graphs;

/// The changes between two sides, on all nodes.
#[derive(Clone, Debug, Default)]
pub struct FleetDiff {
    /// The name of the side before.
    pub before: String,
    /// The name of the side after.
    pub after: String,
    /// All changes. Nodes refer to them by their numbers.
    pub changes: Vec<FoundChange>,
    /// The nodes, in the order of their names.
    pub nodes: Vec<NodeDiff>,
    /// The number of graphs that were compiled; others were known, or are those of the other side.
    pub compiles: usize,
    /// Whether the sources have no nodes: they are one graph.
    pub is_single: bool,
    /// Remarks about the comparison as a whole.
    pub notes: Vec<String>,
}

/// The changes of a node.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct NodeDiff {
    /// Its name.
    pub name: String,
    /// The numbers of its changes, sorted.
    pub changes: Vec<u32>,
}

/// The nodes that have the same changes, and no others.
#[derive(Clone, Debug)]
pub struct Group<'d> {
    /// The names of the nodes, sorted.
    pub nodes: Vec<&'d str>,
    /// The changes that all of these nodes have, and only they.
    pub changes: Vec<&'d FoundChange>,
}

impl FleetDiff {
    /// The changes from one graph to another as a comparison of one node. The texts name the sides.
    pub fn of_graphs(before: (&str, &Graph), after: (&str, &Graph)) -> Self {
        let changes = compare_graphs(before.1, after.1).into_iter();
        let changes: Vec<FoundChange> =
            changes.map(|change| FoundChange { change, causes: Vec::new() }).collect();
        let numbers = (0u32..).take(changes.len()).collect();
        Self {
            before: before.0.to_owned(),
            after: after.0.to_owned(),
            nodes: vec![NodeDiff { name: after.0.to_owned(), changes: numbers }],
            changes,
            is_single: true,
            ..Self::default()
        }
    }

    /// The changes grouped by the nodes that have them, those of most nodes first; nodes that fail now
    /// come before all others. Each change is in one group.
    pub fn groups(&self) -> Vec<Group<'_>> {
        let mut nodes_of: Vec<Vec<usize>> = vec![Vec::new(); self.changes.len()];
        for (at, node) in self.nodes.iter().enumerate() {
            for change in &node.changes {
                nodes_of[*change as usize].push(at);
            }
        }
        let mut by_nodes: BTreeMap<&[usize], Vec<&FoundChange>> = BTreeMap::new();
        for (nodes, change) in nodes_of.iter().zip(&self.changes) {
            if !nodes.is_empty() {
                by_nodes.entry(nodes).or_default().push(change);
            }
        }
        let mut groups: Vec<Group<'_>> = by_nodes
            .into_iter()
            .map(|(nodes, mut changes)| {
                changes.sort_by(|a, b| order(a).cmp(&order(b)));
                let nodes = nodes.iter().map(|at| self.nodes[*at].name.as_str()).collect();
                Group { nodes, changes }
            })
            .collect();
        let rank = |group: &Group<'_>| {
            let first = group.changes.first().map(|found| found.change.kind());
            let is_still = first == Some(ChangeKind::StillFails);
            (is_still, first != Some(ChangeKind::Fails), usize::MAX - group.nodes.len())
        };
        groups.sort_by(|a, b| rank(a).cmp(&rank(b)).then_with(|| a.nodes.cmp(&b.nodes)));
        groups
    }

    /// The number of nodes with a change of a kind.
    pub fn count(&self, kind: ChangeKind) -> usize {
        let is_kind = |number: &u32| self.changes[*number as usize].change.kind() == kind;
        self.nodes.iter().filter(|node| node.changes.iter().any(is_kind)).count()
    }

    /// The number of nodes that differ between the sides.
    pub fn changed_nodes(&self) -> usize {
        let differs = |number: &u32| !self.changes[*number as usize].change.is_no_difference();
        self.nodes.iter().filter(|node| node.changes.iter().any(differs)).count()
    }

    /// Removes the changes that a filter refuses, from all nodes.
    pub fn retain(&mut self, mut keeps: impl FnMut(&FoundChange) -> bool) {
        let keeps: Vec<bool> = self.changes.iter().map(&mut keeps).collect();
        for node in &mut self.nodes {
            node.changes.retain(|number| keeps[*number as usize]);
        }
    }
}

/// The order of changes in a group: by kind, resource and attribute.
fn order(found: &FoundChange) -> (ChangeKind, bool, &str, &str) {
    let change = &found.change;
    let resource = change.resource().unwrap_or_default();
    // Classes only hold others.
    let is_class = resource.starts_with("Class[");
    (change.kind(), is_class, resource, change.attribute().unwrap_or_default())
}
