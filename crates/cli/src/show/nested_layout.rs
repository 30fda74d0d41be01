//! Boxes in boxes: every container is a frame around what it holds, laid out by itself.
//!
//! Relations between things in different frames count as relations of the frames where they are
//! laid out side by side, so that everything leads to the right there, too. What has no relation
//! stands in rows. The same input gives the same picture.

use std::collections::BTreeMap;

use super::layout::{Size, Spot, layout};

/// The height of a frame's heading.
pub const HEADING: f64 = 30.0;

/// The room inside of a frame.
const PADDING: f64 = 12.0;

/// The room between things side by side.
const SPACE: f64 = 12.0;

/// The room between columns of related things.
const GAP: f64 = 56.0;

/// How much wider than high a group of rows is made.
const ASPECT: f64 = 1.6;

/// Where a box is.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Rect {
    /// The left edge.
    pub x: f64,
    /// The upper edge.
    pub y: f64,
    /// How wide it is.
    pub width: f64,
    /// How high it is.
    pub height: f64,
}

impl Rect {
    /// The middle of its height.
    pub fn middle(self) -> f64 {
        self.y + self.height / 2.0
    }

    /// The right edge.
    pub fn right(self) -> f64 {
        self.x + self.width
    }
}

/// The way of a line between two boxes of one frame.
#[derive(Clone, Debug, Default)]
pub struct Way {
    /// Where the column of its first box ends.
    pub leave: f64,
    /// Where it enters and leaves the columns that it passes.
    pub bends: Vec<Spot>,
}

/// A finished picture.
#[derive(Debug)]
pub struct Nested {
    /// The place of every box.
    pub boxes: Vec<Rect>,
    /// Whether it is a frame around others.
    pub is_frame: Vec<bool>,
    /// How many frames are around it.
    pub depth: Vec<usize>,
    /// The way of every line that stays in one frame; none for those that cross frames.
    pub ways: Vec<Option<Way>>,
    /// The whole width.
    pub width: f64,
    /// The whole height.
    pub height: f64,
}

/// A relation between two things that are laid out side by side.
struct Lifted {
    from: usize,
    to: usize,
    /// The line, if these are its own ends.
    line: Option<usize>,
}

/// What is laid out together.
#[derive(Default)]
struct Group {
    /// The place of each member.
    at: Vec<(f64, f64)>,
    ways: Vec<(usize, Way)>,
    width: f64,
    height: f64,
}

/// Lays out boxes inside of their parents. `sizes` are those of the labels.
pub fn nest(parents: &[Option<usize>], sizes: &[Size], lines: &[(usize, usize)]) -> Nested {
    let count = sizes.len();
    let root = count;
    let above = chains(parents, root);
    let mut members = vec![Vec::new(); count + 1];
    for (node, chain) in above.iter().enumerate() {
        members[chain.first().copied().unwrap_or(root)].push(node);
    }
    let mut relations: Vec<Vec<Lifted>> = (0..=count).map(|_| Vec::new()).collect();
    for (i, &(from, to)) in lines.iter().enumerate() {
        if let Some((frame, a, b)) = lift(&above, from, to) {
            let line = (a == from && b == to).then_some(i);
            relations[frame].push(Lifted { from: a, to: b, line });
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
    let whole = Place { members: &members, depth: &depth, full: &full };
    whole.finish(groups, lines.len())
}

/// The frames around every box, innermost first, and the whole last. A box that is around itself is
/// in none.
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

/// The innermost frame around both, and what of it holds each. Nothing if one is in the other.
fn lift(above: &[Vec<usize>], from: usize, to: usize) -> Option<(usize, usize, usize)> {
    let path = |node: usize| above[node].iter().rev().copied().chain([node]).collect::<Vec<_>>();
    let (a, b) = (path(from), path(to));
    let same = a.iter().zip(&b).take_while(|(x, y)| x == y).count();
    Some((a[same - 1], *a.get(same)?, *b.get(same)?))
}

/// Lays out the members of a frame: groups of related ones, then the others, in rows.
fn arrange(members: &[usize], sizes: &[Size], relations: &[Lifted]) -> Group {
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

/// Gives boxes that stand alone the same width, so that rows become columns.
fn align(blocks: &mut [(Vec<usize>, Group)], members: &[usize], sizes: &[Size]) {
    let least = sizes.iter().map(|s| s.height).fold(f64::INFINITY, f64::min);
    let small = |part: &[usize]| part.len() == 1 && sizes[members[part[0]]].height <= least;
    let widest = blocks.iter().filter(|(p, _)| small(p)).map(|(_, g)| g.width).fold(0.0, f64::max);
    for (_, group) in blocks.iter_mut().filter(|(p, _)| small(p)) {
        group.width = widest;
    }
}

fn single(size: Size) -> Group {
    Group { at: vec![(0.0, 0.0)], ways: Vec::new(), width: size.width, height: size.height }
}

/// Lays out related things in columns.
fn related(
    part: &[usize],
    members: &[usize],
    sizes: &[Size],
    relations: &[Lifted],
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
    let at = |i: usize| (out.spots[i].x, out.spots[i].y - sizes[members[part[i]]].height / 2.0);
    let way = |&(i, line): &(usize, usize)| {
        let way = Way { leave: out.ends[lines[line].0], bends: out.bends[line].clone() };
        Some((relations[i].line?, way))
    };
    Group {
        at: (0..part.len()).map(at).collect(),
        ways: of.iter().filter_map(way).collect(),
        width: out.width,
        height: out.height,
    }
}

/// Puts blocks into rows, and their members to where they are then.
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
        out.ways.extend(group.ways.into_iter().map(|(line, way)| (line, moved(way, x, y))));
        out.width = out.width.max(x + group.width);
        x += group.width + SPACE;
        height = height.max(group.height);
        out.height = y + height;
    }
    out
}

fn moved(way: Way, x: f64, y: f64) -> Way {
    let bends = way.bends.into_iter().map(|s| Spot { x: s.x + x, y: s.y + y });
    Way { leave: way.leave + x, bends: bends.collect() }
}

/// Members that are related, directly or not, in the order of their first.
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

/// What is needed to go from places in frames to places in the picture.
struct Place<'a> {
    members: &'a [Vec<usize>],
    depth: &'a [usize],
    full: &'a [Size],
}

impl Place<'_> {
    fn finish(self, mut groups: Vec<Option<Group>>, lines: usize) -> Nested {
        let count = self.full.len();
        let mut boxes: Vec<Rect> = self
            .full
            .iter()
            .map(|s| Rect { x: 0.0, y: 0.0, width: s.width, height: s.height })
            .collect();
        let mut ways = vec![None; lines];
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
            for (line, way) in group.ways {
                ways[line] = Some(moved(way, x, y));
            }
        }
        let is_frame = self.members.iter().take(count).map(|m| !m.is_empty()).collect();
        Nested { boxes, is_frame, depth: self.depth.to_vec(), ways, width, height }
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
        // 0 and 1 are frames, 2..8 are in them, 9 is in a frame inside of 1.
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
        assert!(out.ways[0].is_some() && out.ways[1].is_none());
        assert_eq!(out.is_frame.iter().filter(|f| **f).count(), 3);
    }

    #[test]
    fn frames_around_themselves_and_nothing_are_laid_out() {
        let out = nest(&[Some(1), Some(0)], &sizes(2), &[(0, 1), (0, 0)]);
        assert_eq!(out.boxes.len(), 2);
        assert_eq!(nest(&[], &[], &[]).width, 0.0);
    }
}
