//! Cycles among the edges of resources.

use ordain_source::Span;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::failure::{Failure, Phase};

/// Finds a cycle in a graph of this many nodes. Its first member is repeated at the end.
pub(super) fn find(count: usize, edges: &[(usize, usize)]) -> Option<Vec<usize>> {
    let mut waiting = vec![0usize; count];
    let mut next: Vec<Vec<usize>> = vec![Vec::new(); count];
    for (from, to) in edges {
        waiting[*to] += 1;
        next[*from].push(*to);
    }
    let mut ready: Vec<usize> = (0..count).filter(|at| waiting[*at] == 0).collect();
    while let Some(at) = ready.pop() {
        for to in &next[at] {
            waiting[*to] -= 1;
            if waiting[*to] == 0 {
                ready.push(*to);
            }
        }
    }
    let left: FxHashSet<usize> = (0..count).filter(|at| waiting[*at] > 0).collect();
    among(&left, &next)
}

/// A cycle among nodes each of which is in one or follows one.
fn among(left: &FxHashSet<usize>, next: &[Vec<usize>]) -> Option<Vec<usize>> {
    // A remaining node outside of a cycle follows one, so that walking back leads into the cycle.
    let mut before: FxHashMap<usize, usize> = FxHashMap::default();
    let mut members: Vec<usize> = left.iter().copied().collect();
    members.sort_unstable();
    for from in &members {
        for to in next[*from].iter().filter(|to| left.contains(to)) {
            before.entry(*to).or_insert(*from);
        }
    }
    let mut at = *members.first()?;
    let mut seen: Vec<usize> = Vec::new();
    let mut place: FxHashMap<usize, usize> = FxHashMap::default();
    loop {
        if let Some(start) = place.insert(at, seen.len()) {
            let mut cycle = seen.split_off(start);
            cycle.push(at);
            cycle.reverse();
            return Some(cycle);
        }
        seen.push(at);
        at = *before.get(&at)?;
    }
}

/// The error for a cycle: the place of its first member, and each edge by its place and its ends.
pub(super) fn failure(first: Span, links: impl Iterator<Item = (Span, String, String)>) -> Failure {
    let failure = Failure::new(Phase::Interpret, "resource graph has cycles: not a dag", first);
    links.fold(failure.placeless(), |failure, (span, from, to)| {
        failure.related(span, format!("{from} comes before {to}"))
    })
}
