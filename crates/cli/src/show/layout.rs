//! A layered graph layout: nodes in columns, with edges to the right and few crossings.
//!
//! The algorithm is Sugiyama's: columns by longest path, a bend in every column that a long edge
//! passes, order within columns by the mean of the neighbours, then heights. It is deterministic.

use std::collections::{BTreeMap, BTreeSet};

/// The number of sweeps that order the columns.
const ORDER_SWEEPS: usize = 8;

/// The number of rounds that even the heights.
const HEIGHT_ROUNDS: usize = 24;

/// The maximum number of bends. With more, long edges are straight.
const MAX_BENDS: usize = 20_000;

/// The size of a node.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Size {
    /// The width.
    pub width: f64,
    /// The height, including the space around the node.
    pub height: f64,
}

/// A point; for a node, its left edge and its vertical centre.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub(crate) struct Point {
    /// The left edge.
    pub x: f64,
    /// The vertical centre.
    pub y: f64,
}

/// A finished layout.
#[derive(Debug)]
pub(crate) struct Layout {
    /// The position of every node.
    pub positions: Vec<Point>,
    /// The right edge of every node's column.
    pub ends: Vec<f64>,
    /// The bends of every edge, from left to right: the points where it enters and leaves the
    /// columns that it passes.
    pub bends: Vec<Vec<Point>>,
    /// The total width.
    pub width: f64,
    /// The total height.
    pub height: f64,
}

/// Lays out nodes and edges. `gap` is the space between columns.
pub(crate) fn layout(sizes: &[Size], lines: &[(usize, usize)], gap: f64) -> Layout {
    let column = columns(sizes.len(), lines);
    let mut network = Network::new(sizes, lines, &column);
    network.order();
    let y = network.heights();
    let mut x = vec![0.0; network.columns.len() + 1];
    for (i, members) in network.columns.iter().enumerate() {
        let width = members.iter().map(|&n| network.sizes[n].width).fold(0.0, f64::max);
        x[i + 1] = x[i] + width + gap;
    }
    let edge = |n: usize, sign: f64| y[n] + sign * network.sizes[n].height / 2.0;
    let top = (0..y.len()).map(|n| edge(n, -1.0)).fold(f64::INFINITY, f64::min);
    let top = if top.is_finite() { top } else { 0.0 };
    let point = |n: usize| Point { x: x[network.column[n]], y: y[n] - top };
    let bottom = (0..y.len()).map(|n| edge(n, 1.0) - top).fold(0.0, f64::max);
    let end = |n: usize| x[network.column[n] + 1] - gap;
    let passed = |&n: &usize| [point(n), Point { x: end(n), y: point(n).y }];
    Layout {
        positions: (0..sizes.len()).map(point).collect(),
        ends: (0..sizes.len()).map(end).collect(),
        bends: network.bends.iter().map(|bends| bends.iter().flat_map(passed).collect()).collect(),
        width: (x.last().copied().unwrap_or(gap) - gap).max(0.0),
        height: bottom,
    }
}

/// The column of every node: one more than the last of its predecessors. In a cycle, the first node
/// counts as if it had none.
fn columns(nodes: usize, lines: &[(usize, usize)]) -> Vec<usize> {
    let mut next = vec![Vec::new(); nodes];
    let mut waits = vec![0_usize; nodes];
    for &(from, to) in lines.iter().filter(|(from, to)| from != to) {
        next[from].push(to);
        waits[to] += 1;
    }
    let mut column = vec![0; nodes];
    let mut left: BTreeSet<usize> = (0..nodes).collect();
    let mut ready: Vec<usize> = (0..nodes).rev().filter(|&n| waits[n] == 0).collect();
    while let Some(node) = ready.pop().or_else(|| left.first().copied()) {
        if !left.remove(&node) {
            continue;
        }
        for &to in &next[node] {
            if left.contains(&to) {
                column[to] = column[to].max(column[node] + 1);
                waits[to] -= 1;
                if waits[to] == 0 {
                    ready.push(to);
                }
            }
        }
    }
    column
}

/// Nodes and bends with their neighbours in the adjacent columns.
struct Network {
    sizes: Vec<Size>,
    column: Vec<usize>,
    columns: Vec<Vec<usize>>,
    left: Vec<Vec<usize>>,
    right: Vec<Vec<usize>>,
    bends: Vec<Vec<usize>>,
}

impl Network {
    fn new(sizes: &[Size], lines: &[(usize, usize)], column: &[usize]) -> Self {
        let mut network = Self {
            sizes: sizes.to_vec(),
            column: column.to_vec(),
            columns: vec![Vec::new(); column.iter().max().map_or(0, |m| m + 1)],
            left: vec![Vec::new(); sizes.len()],
            right: vec![Vec::new(); sizes.len()],
            bends: vec![Vec::new(); lines.len()],
        };
        for (node, &column) in column.iter().enumerate() {
            network.columns[column].push(node);
        }
        let least = sizes.iter().map(|s| s.height).fold(f64::INFINITY, f64::min);
        let height = if least.is_finite() { least / 2.0 } else { 0.0 };
        let passed = |&(a, b): &(usize, usize)| column[b].saturating_sub(column[a] + 1);
        let with_bends = lines.iter().map(passed).sum::<usize>() <= MAX_BENDS;
        for (i, &(from, to)) in lines.iter().enumerate() {
            let mut at = from;
            for c in column[from] + 1..column[to] {
                if !with_bends {
                    break;
                }
                let bend = network.add(Size { width: 0.0, height }, c);
                network.bends[i].push(bend);
                network.join(at, bend);
                at = bend;
            }
            if network.column[at] + 1 == column[to] {
                network.join(at, to);
            }
        }
        network
    }

    fn add(&mut self, size: Size, column: usize) -> usize {
        let node = self.sizes.len();
        self.sizes.push(size);
        self.column.push(column);
        self.columns[column].push(node);
        self.left.push(Vec::new());
        self.right.push(Vec::new());
        node
    }

    fn join(&mut self, from: usize, to: usize) {
        self.right[from].push(to);
        self.left[to].push(from);
    }

    /// Orders every column by the mean position of the neighbours, sweeping in both directions.
    fn order(&mut self) {
        let mut rank = vec![0.0; self.sizes.len()];
        for members in &self.columns {
            for (i, &node) in members.iter().enumerate() {
                rank[node] = i as f64;
            }
        }
        for sweep in 0..ORDER_SWEEPS {
            let count = self.columns.len();
            for i in 0..count {
                let (i, near) =
                    if sweep % 2 == 0 { (i, &self.left) } else { (count - 1 - i, &self.right) };
                let key: BTreeMap<usize, f64> = self.columns[i]
                    .iter()
                    .map(|&n| (n, mean(&near[n], &rank).unwrap_or(rank[n])))
                    .collect();
                self.columns[i].sort_by(|a, b| key[a].total_cmp(&key[b]));
                for (place, &node) in self.columns[i].iter().enumerate() {
                    rank[node] = place as f64;
                }
            }
        }
    }

    /// The vertical centre of every node: near the mean of its neighbours, without overlap.
    fn heights(&self) -> Vec<f64> {
        let mut y = vec![0.0; self.sizes.len()];
        for members in &self.columns {
            let mut at = 0.0;
            for &node in members {
                y[node] = at + self.sizes[node].height / 2.0;
                at += self.sizes[node].height;
            }
            // All columns start around the same centre.
            members.iter().for_each(|&node| y[node] -= at / 2.0);
        }
        for round in 0..HEIGHT_ROUNDS {
            let forward = round % 2 == 0;
            for i in 0..self.columns.len() {
                let i = if forward { i } else { self.columns.len() - 1 - i };
                self.even(&self.columns[i], &mut y);
            }
        }
        y
    }

    /// Moves the nodes of a column towards their neighbours as far as their order allows: the mean
    /// of pushing down and pushing up, each of which keeps the distances.
    fn even(&self, members: &[usize], y: &mut [f64]) {
        let wanted: Vec<f64> = members
            .iter()
            .map(|&n| {
                let near: Vec<usize> = self.left[n].iter().chain(&self.right[n]).copied().collect();
                mean(&near, y).unwrap_or(y[n])
            })
            .collect();
        let distance =
            |i: usize| (self.sizes[members[i]].height + self.sizes[members[i + 1]].height) / 2.0;
        let mut down = wanted.clone();
        for i in 1..down.len() {
            down[i] = down[i].max(down[i - 1] + distance(i - 1));
        }
        let mut up = wanted;
        for i in (0..up.len().saturating_sub(1)).rev() {
            up[i] = up[i].min(up[i + 1] - distance(i));
        }
        for (i, &node) in members.iter().enumerate() {
            y[node] = (down[i] + up[i]) / 2.0;
        }
    }
}

fn mean(nodes: &[usize], of: &[f64]) -> Option<f64> {
    let sum: f64 = nodes.iter().map(|&n| of[n]).sum();
    (!nodes.is_empty()).then(|| sum / nodes.len() as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sizes(n: usize) -> Vec<Size> {
        vec![Size { width: 10.0, height: 4.0 }; n]
    }

    #[test]
    fn lines_lead_to_the_right_and_nodes_keep_apart() {
        let lines = [(0, 1), (0, 2), (0, 3), (1, 4), (2, 4), (3, 4), (0, 4)];
        let out = layout(&sizes(5), &lines, 6.0);
        assert!(lines.iter().all(|&(a, b)| out.positions[a].x < out.positions[b].x));
        assert_eq!(out.bends[6].len(), 2);
        let mut middle: Vec<f64> = [1, 2, 3].iter().map(|&n: &usize| out.positions[n].y).collect();
        middle.sort_by(f64::total_cmp);
        assert!(middle.windows(2).all(|w| w[1] - w[0] >= 3.999));
    }

    #[test]
    fn cyclic_and_empty_graphs_are_laid_out() {
        assert_eq!(layout(&sizes(2), &[(0, 1), (1, 0), (0, 0)], 6.0).positions.len(), 2);
        assert_eq!(layout(&[], &[], 6.0).width, 0.0);
    }
}
