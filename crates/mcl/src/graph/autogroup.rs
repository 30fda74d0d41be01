//! Groups resources that one call can handle together.
//!
//! A resource becomes part of another if both kinds allow it, and neither has to precede the other.
//! Pairs are tried in a fixed order: kinds with more parts in their names first, then kinds and
//! names in reverse. Resources are put into buckets by the groups that accept them, so that only
//! candidates are compared. The predecessors and successors of a resource are computed once for
//! each group.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use rustc_hash::{FxHashMap, FxHashSet};

use super::resource::{Resource, Resources};

/// An edge between resources outside of groups.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Edge {
    /// Whether a change of the first refreshes the second.
    pub notify: bool,
    /// The ends of the edge before grouping.
    pub of: (usize, usize),
}

/// Resources with their groups.
#[derive(Clone, Default, Debug)]
pub struct Groups {
    /// For each resource, the number of the one that contains it.
    pub parents: Vec<Option<usize>>,
    /// The edges between resources that are not contained in others.
    pub edges: BTreeMap<(usize, usize), Edge>,
}

/// Puts resources together.
pub fn grouped(resources: &Resources) -> Groups {
    let list = &resources.list;
    let order = order(list);
    let mut grouping = Grouping::new(resources);
    let mut buckets: FxHashMap<Key, Vec<usize>> = FxHashMap::default();
    let mut place = vec![0; list.len()];
    for (at, number) in order.iter().enumerate() {
        place[*number] = at;
        if let Some(key) = bucket(&list[*number]) {
            buckets.entry(key).or_default().push(*number);
        }
    }
    let narrow = OrderedResources::of(resources);
    let homes: FxHashMap<&Key, Option<usize>> =
        buckets.iter().map(|(key, bucket)| (key, narrow.home(bucket))).collect();
    let all_near: Vec<bool> = (0..list.len())
        .map(|at| {
            let is_near = |key: &Key| homes.get(key).is_none_or(|home| narrow.is_at(at, *home));
            accepts(&list[at]).iter().all(is_near)
        })
        .collect();
    drop(homes);
    for parent in order {
        if grouping.groups.parents[parent].is_some() || all_near[parent] {
            continue;
        }
        let keys = accepts(&list[parent]);
        let mut found: Vec<usize> = Vec::new();
        for key in &keys {
            if let Some(bucket) = buckets.get_mut(key) {
                bucket.retain(|one| grouping.groups.parents[*one].is_none());
                found.extend(bucket.iter().copied());
            }
        }
        found.sort_by_key(|one| place[*one]);
        grouping.take_in(list, parent, &found);
    }
    grouping.groups
}

/// A group that a resource can be part of: a kind, and a name or common fields.
type Key = (&'static str, String);

fn may_group(resource: &Resource) -> bool {
    resource.meta.autogroup && resource.kind.kind.has("groupable")
}

fn order(list: &[Resource]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..list.len()).filter(|at| may_group(&list[*at])).collect();
    order.sort_by_cached_key(|at| {
        let resource = &list[*at];
        let parts: Vec<&str> = resource.kind.kind.name.split(':').collect();
        Reverse((parts.len(), parts, resource.name.as_str()))
    });
    order
}

/// The main resource of a group.
fn bucket(resource: &Resource) -> Option<Key> {
    let kind = resource.kind.kind.name;
    let (owner, field) = match kind {
        "dhcp:host" | "dhcp:range" => ("dhcp:server", "server"),
        "http:server:file" | "http:server:proxy" | "http:server:ui" => ("http:server", "server"),
        "http:server:ui:input" => ("http:server:ui", ""),
        "tftp:file" => ("tftp:server", "server"),
        "virt:network:host" | "virt:network:range" => ("virt:network", "network"),
        _ => return equal(resource),
    };
    Some((owner, resource.text(field)))
}

/// The common key of a group of resources of a kind; `None` if the kind is not grouped.
fn equal(resource: &Resource) -> Option<Key> {
    let kind = resource.kind.kind.name;
    let flag = |name: &str| resource.value(name).and_then(|v| v.as_bool()).unwrap_or_default();
    match kind {
        "noop" | "test" => Some((kind, String::new())),
        "print" => (!flag("refresh_only")).then(|| (kind, String::new())),
        "pkg" => {
            let state = resource.text("state");
            let is_word = ["installed", "uninstalled", "newest"].contains(&state.as_str());
            is_word.then_some((kind, state))
        }
        // A server accepts it before another flag can.
        "http:server:flag" => Some(("http:server", resource.text("server"))),
        _ => None,
    }
}

/// The buckets from which a resource takes parts.
fn accepts(resource: &Resource) -> Vec<Key> {
    let kind = resource.kind.kind.name;
    match kind {
        "dhcp:server" | "http:server" | "http:server:ui" | "tftp:server" | "virt:network" => {
            let mut keys = vec![(kind, String::new())];
            if !resource.name.is_empty() {
                keys.push((kind, resource.name.clone()));
            }
            keys
        }
        "test" if resource.value("alwaysgroup").and_then(|v| v.as_bool()) != Some(true) => {
            Vec::new()
        }
        "http:server:flag" => Vec::new(),
        _ => equal(resource).into_iter().collect(),
    }
}

/// The resources that have an order with all others of their connected component. No other resource
/// can become a part of them, not even after further grouping. In a chain this holds for each
/// resource.
struct OrderedResources {
    /// The number of the connected component of each resource.
    component: Vec<usize>,
    is_narrow: Vec<bool>,
}

impl OrderedResources {
    fn of(resources: &Resources) -> Self {
        let count = resources.list.len();
        let component = components(count, resources);
        let place = places(count, resources);
        // The last predecessor and the first successor of each.
        let (mut last, mut first) = (vec![None; count], vec![None; count]);
        for &(from, to) in resources.edges.keys() {
            last[to] = last[to].max(Some(place[from]));
            first[from] = Some(first[from].map_or(place[to], |at: usize| at.min(place[to])));
        }
        let mut order: Vec<usize> = (0..count).collect();
        order.sort_unstable_by_key(|at| place[*at]);
        let mut is_narrow = vec![true; count];
        // Later ones follow from this one or from one in between.
        let mut least: Vec<Option<usize>> = vec![Some(usize::MAX); count];
        for &at in order.iter().rev() {
            let least = &mut least[component[at]];
            is_narrow[at] &= *least >= Some(place[at]);
            *least = (*least).min(last[at]);
        }
        let mut most = vec![0; count];
        for &at in &order {
            let most = &mut most[component[at]];
            is_narrow[at] &= *most <= place[at];
            *most = (*most).max(first[at].unwrap_or(usize::MAX));
        }
        Self { component, is_narrow }
    }

    /// The connected component of all of these.
    fn home(&self, bucket: &[usize]) -> Option<usize> {
        let home = self.component[*bucket.first()?];
        bucket.iter().all(|at| self.component[*at] == home).then_some(home)
    }

    /// Whether a resource has an order with all others of its connected component.
    fn is_at(&self, at: usize, home: Option<usize>) -> bool {
        self.is_narrow[at] && home == Some(self.component[at])
    }
}

/// Numbers the connected components.
fn components(count: usize, resources: &Resources) -> Vec<usize> {
    fn root(parents: &mut [usize], mut at: usize) -> usize {
        while parents[at] != at {
            parents[at] = parents[parents[at]];
            at = parents[at];
        }
        at
    }
    let mut parents: Vec<usize> = (0..count).collect();
    for &(from, to) in resources.edges.keys() {
        let (a, b) = (root(&mut parents, from), root(&mut parents, to));
        parents[a] = b;
    }
    (0..count).map(|at| root(&mut parents, at)).collect()
}

/// The position of each resource in a topological order.
fn places(count: usize, resources: &Resources) -> Vec<usize> {
    let mut after: Vec<Vec<usize>> = vec![Vec::new(); count];
    let mut waits = vec![0; count];
    for &(from, to) in resources.edges.keys() {
        after[from].push(to);
        waits[to] += 1;
    }
    let mut ready: Vec<usize> = (0..count).filter(|at| waits[*at] == 0).collect();
    let (mut place, mut next) = (vec![0; count], 0);
    while let Some(at) = ready.pop() {
        place[at] = next;
        next += 1;
        for &to in &after[at] {
            waits[to] -= 1;
            if waits[to] == 0 {
                ready.push(to);
            }
        }
    }
    place
}

struct Grouping {
    groups: Groups,
    /// The neighbours of each remaining resource.
    before: Vec<FxHashSet<usize>>,
    after: Vec<FxHashSet<usize>>,
    has_parts: Vec<bool>,
}

impl Grouping {
    fn new(resources: &Resources) -> Self {
        let count = resources.list.len();
        let mut out = Self {
            groups: Groups { parents: vec![None; count], edges: BTreeMap::new() },
            before: vec![FxHashSet::default(); count],
            after: vec![FxHashSet::default(); count],
            has_parts: vec![false; count],
        };
        for (&(from, to), edge) in &resources.edges {
            out.add((from, to), Edge { notify: edge.notify, of: (from, to) });
        }
        out
    }

    fn add(&mut self, (from, to): (usize, usize), edge: Edge) {
        self.after[from].insert(to);
        self.before[to].insert(from);
        self.groups.edges.insert((from, to), edge);
    }

    fn take_away(&mut self, (from, to): (usize, usize)) -> Option<Edge> {
        self.after[from].remove(&to);
        self.before[to].remove(&from);
        self.groups.edges.remove(&(from, to))
    }

    /// Makes all resources that are accepted parts of a resource.
    fn take_in(&mut self, list: &[Resource], parent: usize, found: &[usize]) {
        let kind = list[parent].kind.kind.name;
        let mut reach: Option<Reachability> = None;
        for &part in found {
            let same_kind = list[part].kind.kind.name == kind;
            if part == parent || same_kind && self.has_parts[part] {
                continue;
            }
            let reach = reach.get_or_insert_with(|| Reachability::of(self, parent));
            if !reach.before.contains(&part) && !reach.after.contains(&part) {
                self.merge(parent, part, reach);
            }
        }
    }

    fn merge(&mut self, parent: usize, part: usize, reach: &mut Reachability) {
        let mut before: Vec<usize> = self.before[part].iter().copied().collect();
        before.sort_unstable();
        for from in before {
            let Some(edge) = self.take_away((from, part)) else { continue };
            if reach.before.contains(&from) {
                self.notify_along(edge.notify, from, parent);
            } else {
                self.add((from, parent), edge);
                reach.before.insert(from);
                walk(&self.before, from, &mut reach.before);
            }
        }
        let mut after: Vec<usize> = self.after[part].iter().copied().collect();
        after.sort_unstable();
        for to in after {
            let Some(edge) = self.take_away((part, to)) else { continue };
            if reach.after.contains(&to) {
                self.notify_along(edge.notify, parent, to);
            } else {
                self.add((parent, to), edge);
                reach.after.insert(to);
                walk(&self.after, to, &mut reach.after);
            }
        }
        self.groups.parents[part] = Some(parent);
        self.has_parts[parent] = true;
    }

    /// Makes a path notify in place of an edge that it makes redundant.
    fn notify_along(&mut self, notify: bool, from: usize, to: usize) {
        if !notify {
            return;
        }
        let mut came_from: FxHashMap<usize, usize> = FxHashMap::default();
        let mut work = vec![from];
        while let Some(at) = work.pop().filter(|at| *at != to) {
            let mut next: Vec<usize> = self.after[at].iter().copied().collect();
            next.sort_unstable();
            for next in next {
                came_from.entry(next).or_insert_with(|| {
                    work.push(next);
                    at
                });
            }
        }
        let mut at = to;
        while at != from {
            let Some(&previous) = came_from.get(&at) else { return };
            if let Some(edge) = self.groups.edges.get_mut(&(previous, at)) {
                edge.notify = true;
            }
            at = previous;
        }
    }
}

/// All predecessors and successors of a resource.
struct Reachability {
    before: FxHashSet<usize>,
    after: FxHashSet<usize>,
}

impl Reachability {
    fn of(grouping: &Grouping, at: usize) -> Self {
        let mut reach = Self { before: FxHashSet::default(), after: FxHashSet::default() };
        walk(&grouping.before, at, &mut reach.before);
        walk(&grouping.after, at, &mut reach.after);
        reach
    }
}

fn walk(neighbours: &[FxHashSet<usize>], from: usize, seen: &mut FxHashSet<usize>) {
    let mut work = vec![from];
    while let Some(at) = work.pop() {
        #[allow(clippy::iter_over_hash_type, reason = "the result is a set")]
        for &next in &neighbours[at] {
            if seen.insert(next) {
                work.push(next);
            }
        }
    }
}
