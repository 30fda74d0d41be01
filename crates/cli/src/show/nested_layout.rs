//! A nested layout: every container is a frame around its members, laid out by itself.
//!
//! An edge between nodes in different frames counts as an edge between the sibling frames that hold
//! them, so that edges lead to the right there, too. Nodes without edges are put in rows. The
//! layout is deterministic.

use std::collections::BTreeMap;

use super::layout::{Point, Size, layout};

/// The height of a frame's title.
pub(crate) const HEADING: f64 = 30.0;

/// The padding of a frame.
const PADDING: f64 = 12.0;

/// The space between nodes in rows.
const SPACE: f64 = 12.0;

/// The space between columns of connected nodes.
const GAP: f64 = 56.0;

/// The aspect ratio of a group of rows.
const ASPECT: f64 = 1.6;

/// The position and size of a box.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub(crate) struct Rect {
    /// The left edge.
    pub x: f64,
    /// The top edge.
    pub y: f64,
    /// The width.
    pub width: f64,
    /// The height.
    pub height: f64,
}

impl Rect {
    /// The vertical centre.
    pub(crate) fn middle(self) -> f64 {
        self.y + self.height / 2.0
    }

    /// The right edge.
    pub(crate) fn right(self) -> f64 {
        self.x + self.width
    }
}

/// The route of an edge between two boxes of one frame.
#[derive(Clone, Debug, Default)]
pub(crate) struct Route {
    /// The right edge of the column of its first box.
    pub leave: f64,
    /// The points where it enters and leaves the columns that it passes.
    pub bends: Vec<Point>,
}

/// A finished layout.
#[derive(Debug)]
pub(crate) struct NestedLayout {
    /// The position of every box.
    pub boxes: Vec<Rect>,
    /// Whether the box is a frame around others.
    pub is_frame: Vec<bool>,
    /// The number of frames around each box.
    pub depth: Vec<usize>,
    /// The route of every edge within one frame; `None` if it crosses frames.
    pub routes: Vec<Option<Route>>,
    /// The total width.
    pub width: f64,
    /// The total height.
    pub height: f64,
}

/// An edge between two siblings.
struct SiblingEdge {
    from: usize,
    to: usize,
    /// The index of the original edge, if it connects these siblings directly.
    line: Option<usize>,
}

/// The layout of the members of one frame.
#[derive(Default)]
struct Group {
    /// The position of each member.
    at: Vec<(f64, f64)>,
    routes: Vec<(usize, Route)>,
    width: f64,
    height: f64,
}

/// Lays out boxes inside of their parents. `sizes` are those of the labels.
pub(crate) fn nest(
    parents: &[Option<usize>],
    sizes: &[Size],
    lines: &[(usize, usize)],
) -> NestedLayout {
    let count = sizes.len();
    let root = count;
    let above = chains(parents, root);
    let mut members = vec![Vec::new(); count + 1];
    for (node, chain) in above.iter().enumerate() {
        members[chain.first().copied().unwrap_or(root)].push(node);
    }
    let mut relations: Vec<Vec<SiblingEdge>> = (0..=count).map(|_| Vec::new()).collect();
    for (i, &(from, to)) in lines.iter().enumerate() {
        if let Some((frame, a, b)) = lift(&above, from, to) {
            let line = (a == from && b == to).then_some(i);
            relations[frame].push(SiblingEdge { from: a, to: b, line });
        }
    }
    let depth: Vec<usize> = above.iter().map(|chain| chain.len() - 1).collect();
    let mut order: Vec<usize> = (0..count).collect();
    order.sort_by_key(|&n| std::cmp::Reverse(depth[n]));
    let mut full = sizes.to_vec();
    let mut groups: Vec<Option<Group>> = (0..=count).map(|_| None).collect();
    for node in order.into_iter().chain([root]) {
        if members[node].is_empty() {
            continue;
        }
        let group = arrange(&members[node], &full, &relations[node]);
        if node != root {
            full[node] = Size {
                width: group.width.max(sizes[node].width) + 2.0 * PADDING,
                height: group.height + HEADING + PADDING,
            };
        }
        groups[node] = Some(group);
    }
    let whole = Assembler { members: &members, depth: &depth, full: &full };
    whole.finish(groups, lines.len())
}

/// The frames around every box, innermost first; the root is last. A box that contains itself is in
/// no frame.
fn chains(parents: &[Option<usize>], root: usize) -> Vec<Vec<usize>> {
    let chain = |node: usize| {
        let mut out: Vec<usize> =
            std::iter::successors(parents[node], |&p| parents[p]).take(parents.len() + 1).collect();
        if out.len() > parents.len() {
            out.clear();
        }
        out.push(root);
        out
    };
    (0..parents.len()).map(chain).collect()
}

/// The innermost frame around two boxes, and its members that hold each of them. `None` if one box
/// is inside of the other.
fn lift(above: &[Vec<usize>], from: usize, to: usize) -> Option<(usize, usize, usize)> {
    let path = |node: usize| above[node].iter().rev().copied().chain([node]).collect::<Vec<_>>();
    let (a, b) = (path(from), path(to));
    let same = a.iter().zip(&b).take_while(|(x, y)| x == y).count();
    Some((a[same - 1], *a.get(same)?, *b.get(same)?))
}

/// Lays out the members of a frame in rows: connected groups first, then the others.
fn arrange(members: &[usize], sizes: &[Size], relations: &[SiblingEdge]) -> Group {
    let mut index = BTreeMap::new();
    for (i, &member) in members.iter().enumerate() {
        index.insert(member, i);
    }
    let pairs: Vec<(usize, usize)> =
        relations.iter().map(|r| (index[&r.from], index[&r.to])).collect();
    let parts = components(members.len(), &pairs);
    let mut blocks: Vec<(Vec<usize>, Group)> = Vec::new();
    for part in parts {
        let group = match part.as_slice() {
            [one] => single(sizes[members[*one]]),
            _ => related(&part, members, sizes, relations, &pairs),
        };
        blocks.push((part, group));
    }
    align(&mut blocks, members, sizes);
    blocks.sort_by(|a, b| {
        let single = |block: &(Vec<usize>, Group)| block.0.len() == 1;
        single(a).cmp(&single(b)).then(b.1.height.total_cmp(&a.1.height))
    });
    rows(members.len(), blocks)
}

/// Gives single boxes the same width, so that rows align to columns.
fn align(blocks: &mut [(Vec<usize>, Group)], members: &[usize], sizes: &[Size]) {
    let least = sizes.iter().map(|s| s.height).fold(f64::INFINITY, f64::min);
    let small = |part: &[usize]| part.len() == 1 && sizes[members[part[0]]].height <= least;
    let widest = blocks.iter().filter(|(p, _)| small(p)).map(|(_, g)| g.width).fold(0.0, f64::max);
    for (_, group) in blocks.iter_mut().filter(|(p, _)| small(p)) {
        group.width = widest;
    }
}

fn single(size: Size) -> Group {
    Group { at: vec![(0.0, 0.0)], routes: Vec::new(), width: size.width, height: size.height }
}

/// Lays out connected boxes in columns.
fn related(
    part: &[usize],
    members: &[usize],
    sizes: &[Size],
    relations: &[SiblingEdge],
    pairs: &[(usize, usize)],
) -> Group {
    let mut local = BTreeMap::new();
    for (i, &member) in part.iter().enumerate() {
        local.insert(member, i);
    }
    let mut lines = Vec::new();
    let mut known = BTreeMap::new();
    let mut of = Vec::new();
    for (i, (a, b)) in pairs.iter().enumerate() {
        let (Some(&a), Some(&b)) = (local.get(a), local.get(b)) else { continue };
        let line = *known.entry((a, b)).or_insert_with(|| {
            lines.push((a, b));
            lines.len() - 1
        });
        of.push((i, line));
    }
    let room: Vec<Size> = part
        .iter()
        .map(|&m| sizes[members[m]])
        .map(|s| Size { width: s.width, height: s.height + SPACE })
        .collect();
    let out = layout(&room, &lines, GAP);
    let at =
        |i: usize| (out.positions[i].x, out.positions[i].y - sizes[members[part[i]]].height / 2.0);
    let route = |&(i, line): &(usize, usize)| {
        let route = Route { leave: out.ends[lines[line].0], bends: out.bends[line].clone() };
        Some((relations[i].line?, route))
    };
    Group {
        at: (0..part.len()).map(at).collect(),
        routes: of.iter().filter_map(route).collect(),
        width: out.width,
        height: out.height,
    }
}

/// Puts blocks into rows and moves their members there.
fn rows(count: usize, blocks: Vec<(Vec<usize>, Group)>) -> Group {
    let area: f64 = blocks.iter().map(|(_, g)| (g.width + SPACE) * (g.height + SPACE)).sum();
    let widest = blocks.iter().map(|(_, g)| g.width).fold(0.0, f64::max);
    let limit = (area * ASPECT).sqrt().max(widest);
    let mut out = Group { at: vec![(0.0, 0.0); count], ..Group::default() };
    let (mut x, mut y, mut height) = (0.0, 0.0, 0.0_f64);
    for (part, group) in blocks {
        if x > 0.0 && x + group.width > limit {
            y += height + SPACE;
            (x, height) = (0.0, 0.0);
        }
        for (&member, &(dx, dy)) in part.iter().zip(&group.at) {
            out.at[member] = (x + dx, y + dy);
        }
        out.routes
            .extend(group.routes.into_iter().map(|(line, route)| (line, translated(route, x, y))));
        out.width = out.width.max(x + group.width);
        x += group.width + SPACE;
        height = height.max(group.height);
        out.height = y + height;
    }
    out
}

fn translated(route: Route, x: f64, y: f64) -> Route {
    let bends = route.bends.into_iter().map(|s| Point { x: s.x + x, y: s.y + y });
    Route { leave: route.leave + x, bends: bends.collect() }
}

/// The connected components, in the order of their first members.
fn components(count: usize, pairs: &[(usize, usize)]) -> Vec<Vec<usize>> {
    let mut near = vec![Vec::new(); count];
    for &(a, b) in pairs {
        near[a].push(b);
        near[b].push(a);
    }
    let mut seen = vec![false; count];
    let mut out = Vec::new();
    for first in 0..count {
        if std::mem::replace(&mut seen[first], true) {
            continue;
        }
        let mut part = vec![first];
        let mut at = 0;
        while at < part.len() {
            for &other in &near[part[at]] {
                if !std::mem::replace(&mut seen[other], true) {
                    part.push(other);
                }
            }
            at += 1;
        }
        part.sort_unstable();
        out.push(part);
    }
    out
}

/// Converts positions in frames to positions in the picture.
struct Assembler<'a> {
    members: &'a [Vec<usize>],
    depth: &'a [usize],
    full: &'a [Size],
}

impl Assembler<'_> {
    fn finish(self, mut groups: Vec<Option<Group>>, lines: usize) -> NestedLayout {
        let count = self.full.len();
        let mut boxes: Vec<Rect> = self
            .full
            .iter()
            .map(|s| Rect { x: 0.0, y: 0.0, width: s.width, height: s.height })
            .collect();
        let mut routes = vec![None; lines];
        let mut order: Vec<usize> = (0..count).collect();
        order.sort_by_key(|&n| self.depth[n]);
        let (mut width, mut height) = (0.0, 0.0);
        for node in [count].into_iter().chain(order) {
            let Some(group) = groups[node].take() else { continue };
            let (x, y) = match boxes.get(node) {
                Some(frame) => (frame.x + PADDING, frame.y + HEADING),
                None => {
                    (width, height) = (group.width, group.height);
                    (0.0, 0.0)
                }
            };
            for (&member, &(dx, dy)) in self.members[node].iter().zip(&group.at) {
                (boxes[member].x, boxes[member].y) = (x + dx, y + dy);
            }
            for (line, route) in group.routes {
                routes[line] = Some(translated(route, x, y));
            }
        }
        let is_frame = self.members.iter().take(count).map(|m| !m.is_empty()).collect();
        NestedLayout { boxes, is_frame, depth: self.depth.to_vec(), routes, width, height }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sizes(n: usize) -> Vec<Size> {
        vec![Size { width: 60.0, height: 26.0 }; n]
    }

    fn inside(inner: Rect, outer: Rect) -> bool {
        inner.x >= outer.x
            && inner.y >= outer.y + HEADING
            && inner.right() <= outer.right()
            && inner.y + inner.height <= outer.y + outer.height
    }

    fn apart(a: Rect, b: Rect) -> bool {
        a.right() <= b.x || b.right() <= a.x || a.y + a.height <= b.y || b.y + b.height <= a.y
    }

    #[test]
    fn frames_hold_their_members_and_keep_apart() {
        // 0 and 1 are frames with members 2 to 8; 9 is in a frame inside of 1.
        let parents =
            [None, None, Some(0), Some(0), Some(0), Some(1), Some(1), Some(1), Some(1), Some(8)];
        let lines = [(2, 3), (3, 5), (5, 6), (6, 2)];
        let out = nest(&parents, &sizes(10), &lines);
        for (node, parent) in parents.iter().enumerate() {
            if let Some(parent) = parent {
                assert!(inside(out.boxes[node], out.boxes[*parent]), "{node}");
            }
        }
        for a in 0..10 {
            for b in 0..a {
                if parents[a] == parents[b] {
                    assert!(apart(out.boxes[a], out.boxes[b]), "{a} {b}");
                }
            }
        }
        assert!(out.boxes[2].x < out.boxes[3].x && out.boxes[0].right() < out.boxes[1].x);
        assert!(out.routes[0].is_some() && out.routes[1].is_none());
        assert_eq!(out.is_frame.iter().filter(|f| **f).count(), 3);
    }

    #[test]
    fn frames_around_themselves_and_nothing_are_laid_out() {
        let out = nest(&[Some(1), Some(0)], &sizes(2), &[(0, 1), (0, 0)]);
        assert_eq!(out.boxes.len(), 2);
        assert_eq!(nest(&[], &[], &[]).width, 0.0);
    }
}
