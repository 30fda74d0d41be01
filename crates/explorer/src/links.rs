//! The neighbourhood of a resource in a graph, and cycles.

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};

use serde_json::{Value as Json, json};

use crate::error::ExplorerError;
use crate::request::PageRequest;

/// The maximum number of resources of a neighbourhood.
const MAX_ITEMS: usize = 300;
/// The maximum distance from the resource in the middle.
const MAX_DEPTH: i64 = 6;
/// The relation between a container and a resource in it.
const CONTAINS: &str = "contains";

/// The resources of a graph with their relations.
#[derive(Default)]
pub(crate) struct Links {
    names: Vec<String>,
    numbers: HashMap<String, usize>,
    links: Vec<(usize, usize, String)>,
}

impl Links {
    /// The number of a resource, which is added if it is new.
    pub(crate) fn number(&mut self, name: &str) -> usize {
        if let Some(number) = self.numbers.get(name) {
            return *number;
        }
        let number = self.names.len();
        self.names.push(name.to_owned());
        self.numbers.insert(name.to_owned(), number);
        number
    }

    /// Adds a relation: from a container or an earlier resource, to its content or a later one.
    pub(crate) fn add(&mut self, from: &str, to: &str, kind: &str) {
        let (from, to) = (self.number(from), self.number(to));
        self.links.push((from, to, kind.to_owned()));
    }

    /// The resources near the one that the parameter `center` names, up to the distance `depth`.
    /// `filter` hides resources whose names do not contain it; `containment=no` hides containment.
    ///
    /// # Errors
    /// When there is no such resource.
    pub(crate) fn neighbourhood(&self, request: &PageRequest<'_>) -> Result<Json, ExplorerError> {
        let center =
            match request.parameter("center") {
                Some(name) => self.numbers.get(name).copied().ok_or_else(|| {
                    ExplorerError::Missing(format!("resource {name} in this graph"))
                })?,
                None => self.top(),
            };
        if self.names.is_empty() {
            return Ok(
                json!({ "center": null, "items": [], "links": [], "cycles": [], "total": 0 }),
            );
        }
        let depth = request.number("depth")?.unwrap_or(1).min(MAX_DEPTH);
        let filter = request.parameter("filter").unwrap_or_default().to_lowercase();
        let has_containment = request.parameter("containment") != Some("no");
        let is_shown = |kind: &str| has_containment || kind != CONTAINS;
        let mut near: Vec<Vec<usize>> = vec![Vec::new(); self.names.len()];
        for (from, to, kind) in &self.links {
            if is_shown(kind) {
                near[*from].push(*to);
                near[*to].push(*from);
            }
        }
        let wanted =
            |number: usize| number == center || self.names[number].to_lowercase().contains(&filter);
        let mut distances: BTreeMap<usize, i64> = BTreeMap::from([(center, 0)]);
        let mut waiting = VecDeque::from([center]);
        let mut is_cut = false;
        while let Some(at) = waiting.pop_front() {
            let distance = distances[&at];
            if distance == depth {
                continue;
            }
            for other in &near[at] {
                if distances.contains_key(other) || !wanted(*other) {
                    continue;
                }
                if distances.len() == MAX_ITEMS {
                    is_cut = true;
                    continue;
                }
                distances.insert(*other, distance + 1);
                waiting.push_back(*other);
            }
        }
        let items = distances.iter().map(|(number, distance)| {
            let others: HashSet<&usize> = near[*number].iter().collect();
            let hidden = others.iter().filter(|other| !distances.contains_key(**other)).count();
            json!({ "resource": self.names[*number], "distance": distance, "hidden": hidden })
        });
        let links = self.links.iter().filter(|(from, to, kind)| {
            is_shown(kind) && distances.contains_key(from) && distances.contains_key(to)
        });
        let links = links.map(|(from, to, kind)| {
            json!({ "from": self.names[*from], "to": self.names[*to], "kind": kind })
        });
        Ok(json!({
            "center": self.names[center],
            "items": items.collect::<Vec<_>>(),
            "links": links.collect::<Vec<_>>(),
            "cycles": self.cycles(),
            "total": self.names.len(),
            "cut": is_cut,
        }))
    }

    /// The resource that holds the others, or else the first one.
    fn top(&self) -> usize {
        let names = ["Class[Main]", "Stage[main]"];
        names.iter().find_map(|name| self.numbers.get(*name).copied()).unwrap_or(0)
    }

    /// The sets of resources that each come before themselves: strongly connected components of the
    /// order, by Tarjan's algorithm without recursion.
    fn cycles(&self) -> Vec<Vec<&str>> {
        let mut next: Vec<Vec<usize>> = vec![Vec::new(); self.names.len()];
        for (from, to, kind) in &self.links {
            if kind != CONTAINS {
                next[*from].push(*to);
            }
        }
        let unseen = usize::MAX;
        let (mut index, mut low) = (vec![unseen; next.len()], vec![0; next.len()]);
        let (mut stack, mut is_on_stack) = (Vec::new(), vec![false; next.len()]);
        let (mut count, mut cycles) = (0, Vec::new());
        for root in 0..next.len() {
            if index[root] != unseen {
                continue;
            }
            let mut open = vec![(root, 0)];
            while let Some((at, child)) = open.pop() {
                if child == 0 {
                    (index[at], low[at]) = (count, count);
                    count += 1;
                    stack.push(at);
                    is_on_stack[at] = true;
                }
                if let Some(&to) = next[at].get(child) {
                    open.push((at, child + 1));
                    if index[to] == unseen {
                        open.push((to, 0));
                    } else if is_on_stack[to] {
                        low[at] = low[at].min(index[to]);
                    }
                    continue;
                }
                if low[at] == index[at] {
                    let begin = stack.iter().rposition(|one| *one == at).unwrap_or(0);
                    let members = stack.split_off(begin);
                    members.iter().for_each(|one| is_on_stack[*one] = false);
                    if members.len() > 1 || next[at].contains(&at) {
                        cycles.push(members.iter().map(|one| self.names[*one].as_str()).collect());
                    }
                }
                if let Some((parent, _)) = open.last() {
                    low[*parent] = low[*parent].min(low[at]);
                }
            }
        }
        cycles
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn request<'a>(parameters: &[(&'a str, &'a str)]) -> PageRequest<'a> {
        PageRequest { segments: Vec::new(), parameters: parameters.to_vec() }
    }

    #[test]
    fn a_neighbourhood_is_bounded() {
        let mut links = Links::default();
        for number in 0..1000 {
            links.add("Class[Main]", &format!("File[/{number}]"), CONTAINS);
        }
        let found = links.neighbourhood(&request(&[])).unwrap();
        assert_eq!(found["items"].as_array().unwrap().len(), MAX_ITEMS);
        assert_eq!((&found["cut"], &found["total"]), (&json!(true), &json!(1001)));
        let found = links.neighbourhood(&request(&[("filter", "/99")])).unwrap();
        assert_eq!(found["items"].as_array().unwrap().len(), 12);
        let found = links.neighbourhood(&request(&[("center", "File[/7]")])).unwrap();
        assert_eq!(found["items"][0]["hidden"], 999);
        assert!(links.neighbourhood(&request(&[("center", "File[/x]")])).is_err());
    }

    #[test]
    fn cycles_are_found() {
        let mut links = Links::default();
        for (from, to) in [("A", "B"), ("B", "C"), ("C", "A"), ("C", "D"), ("E", "E")] {
            links.add(from, to, "before");
        }
        links.add("D", "A", CONTAINS);
        assert_eq!(links.cycles(), [vec!["A", "B", "C"], vec!["E"]]);
    }
}
