//! The critical path of a run: the chain of resources that took longest.
//!
//! Each resource has a begin and an end. A container begins before and ends after its content, so a
//! relation with a class is one with everything in it. The path is the longest one from begin to end
//! in this graph, where only resources take time.

use std::collections::HashMap;

/// The resources of the longest path in their order, with their seconds. `relations` have the earlier
/// resource, or the container, first. Resources in a cycle are left out, since no run has them.
pub(crate) fn critical_path(
    relations: &[(String, String, &'static str)],
    durations: &HashMap<String, f64>,
) -> Vec<(String, f64)> {
    let mut points = Points::default();
    // In an order of their own, so that equal times give equal paths.
    let mut timed: Vec<&String> = durations.keys().collect();
    timed.sort();
    for name in timed {
        points.number(name);
    }
    let mut arrows = Vec::new();
    let mut is_container = vec![false; points.names.len()];
    for (from, to, kind) in relations {
        let (from, to) = (points.number(from), points.number(to));
        is_container.resize(points.names.len(), false);
        if *kind == "contains" {
            is_container[from] = true;
            arrows.push((begin(from), begin(to)));
            arrows.push((end(to), end(from)));
        } else {
            arrows.push((end(from), begin(to)));
        }
    }
    let seconds: Vec<f64> = points
        .names
        .iter()
        .enumerate()
        // The time of a container would count its content once more.
        .map(
            |(at, name)| if is_container[at] { 0.0 } else { *durations.get(*name).unwrap_or(&0.0) },
        )
        .collect();
    longest(&points.names, arrows, &seconds)
}

/// The numbers of resources.
#[derive(Default)]
struct Points<'a> {
    names: Vec<&'a str>,
    numbers: HashMap<&'a str, usize>,
}

impl<'a> Points<'a> {
    fn number(&mut self, name: &'a str) -> usize {
        let next = self.names.len();
        let number = *self.numbers.entry(name).or_insert(next);
        if number == next {
            self.names.push(name);
        }
        number
    }
}

/// The point at which a resource begins.
fn begin(resource: usize) -> usize {
    2 * resource
}

/// The point at which it ends.
fn end(resource: usize) -> usize {
    2 * resource + 1
}

fn longest(names: &[&str], mut arrows: Vec<(usize, usize)>, seconds: &[f64]) -> Vec<(String, f64)> {
    arrows.extend((0..names.len()).map(|resource| (begin(resource), end(resource))));
    let points = 2 * names.len();
    let (mut next, mut waits) = (vec![Vec::new(); points], vec![0usize; points]);
    for (from, to) in arrows {
        next[from].push(to);
        waits[to] += 1;
    }
    // The longest time until each point, and the point before it.
    let mut reached: Vec<(f64, Option<usize>)> = vec![(0.0, None); points];
    let mut ready: Vec<usize> = (0..points).filter(|point| waits[*point] == 0).collect();
    let mut best: Option<usize> = None;
    while let Some(point) = ready.pop() {
        let time = reached[point].0;
        if best.is_none_or(|best| reached[best].0 < time) {
            best = Some(point);
        }
        for to in &next[point] {
            let is_own = point % 2 == 0 && *to == point + 1;
            let arrival = time + if is_own { seconds[point / 2] } else { 0.0 };
            if reached[*to].1.is_none() || reached[*to].0 < arrival {
                reached[*to] = (arrival, Some(point));
            }
            waits[*to] -= 1;
            if waits[*to] == 0 {
                ready.push(*to);
            }
        }
    }
    let mut path = Vec::new();
    let mut at = best;
    while let Some(point) = at {
        let before = reached[point].1;
        let resource = point / 2;
        if point % 2 == 1 && before == Some(begin(resource)) && seconds[resource] > 0.0 {
            path.push((names[resource].to_owned(), seconds[resource]));
        }
        at = before;
    }
    path.reverse();
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(relations: &[(&str, &str, &'static str)], durations: &[(&str, f64)]) -> Vec<String> {
        let relations: Vec<_> = relations
            .iter()
            .map(|(from, to, kind)| ((*from).to_owned(), (*to).to_owned(), *kind))
            .collect();
        let durations = durations.iter().map(|(name, time)| ((*name).to_owned(), *time)).collect();
        critical_path(&relations, &durations).into_iter().map(|(name, _)| name).collect()
    }

    #[test]
    fn the_longest_chain_is_found() {
        let relations = [("a", "b", "before"), ("b", "c", "notifies"), ("a", "d", "before")];
        assert_eq!(
            path(&relations, &[("a", 1.0), ("b", 1.0), ("c", 1.0), ("d", 1.5)]),
            ["a", "b", "c"]
        );
        assert_eq!(path(&relations, &[("a", 1.0), ("b", 1.0), ("c", 1.0), ("d", 5.0)]), ["a", "d"]);
        assert_eq!(path(&relations, &[("a", 1.0), ("e", 9.0)]), ["e"]);
        assert!(path(&relations, &[]).is_empty());
    }

    #[test]
    fn relations_with_classes_are_those_of_their_content() {
        let relations = [
            ("Class[x]", "a", "contains"),
            ("Class[x]", "Class[y]", "contains"),
            ("Class[y]", "b", "contains"),
            ("Class[x]", "c", "before"),
        ];
        let durations = [("a", 1.0), ("b", 2.0), ("c", 1.0), ("Class[x]", 3.0)];
        assert_eq!(path(&relations, &durations), ["b", "c"]);
    }

    #[test]
    fn a_cycle_ends() {
        let relations = [("a", "b", "before"), ("b", "a", "before"), ("c", "d", "before")];
        let durations = [("a", 9.0), ("b", 9.0), ("c", 1.0), ("d", 1.0)];
        assert_eq!(path(&relations, &durations), ["c", "d"]);
    }
}
