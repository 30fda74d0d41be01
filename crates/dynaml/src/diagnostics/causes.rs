//! The causes of missing values, beyond the report: the searched stubs, similar names, and nodes
//! that wait for each other.

use ecow::EcoString;
use ordain_source::suggest;
use rustc_hash::{FxHashMap, FxHashSet};

use super::report::{Cause, Line, Related, StubSearch, Tag};
use super::stop::Stop;
use crate::eval::evaluator::Evaluator;
use crate::eval::tree::{Children, Memo, NodeLookup};
use crate::ids::{InstId, NOWHERE};
use crate::path::{find_step, steps};
use crate::syntax::ast::PathStep;
use crate::syntax::print::print_path;
use crate::value::{Item, Value};

/// The successor of a line.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Next {
    Line(usize),
    /// A node that contains the line's node, and waits for all its content.
    Around(InstId),
}

/// The state of a line.
#[derive(Clone)]
enum Outcome {
    Open,
    /// On the way that is being followed.
    Followed,
    Cause(Cause),
}

impl Evaluator<'_> {
    /// Finds the cause of each line. The stubs are those of the merge.
    pub(crate) fn find_causes(&self, lines: &mut [Line], stubs: &[(&str, &Item)]) {
        let mut first: Vec<usize> =
            (0..lines.len()).filter(|&at| lines[at].tag == Tag::Error).collect();
        first.sort_by_key(|&at| (lines[at].place.0, lines[at].place.1.start));
        first.truncate(suggest::MAX_SUGGESTIONS);
        let first: FxHashSet<usize> = first.into_iter().collect();
        for (at, line) in lines.iter_mut().enumerate().filter(|(_, l)| l.tag == Tag::Error) {
            let has_near = first.contains(&at);
            match &mut line.cause {
                Cause::Stubs { path, searched } => {
                    searched.extend(stubs.iter().map(|stub| search(stub, path, has_near)));
                }
                Cause::Name { path, near } if has_near => *near = self.near(line.node, path),
                _ => {}
            }
        }
        let next = self.successors(lines);
        let mut outcomes = vec![Outcome::Open; lines.len()];
        for start in 0..lines.len() {
            if lines[start].tag != Tag::Error {
                self.follow(start, lines, &next, &mut outcomes);
            }
        }
        for (line, outcome) in lines.iter_mut().zip(outcomes) {
            if let Outcome::Cause(cause) = outcome {
                line.cause = cause;
            }
        }
    }

    /// Follows the successors of a line, up to a node that failed, a cycle, or a known cause.
    fn follow(
        &self,
        start: usize,
        lines: &[Line],
        next: &[Option<Next>],
        outcomes: &mut [Outcome],
    ) {
        let mut way: Vec<usize> = Vec::new();
        let mut at = start;
        let end = loop {
            if lines[at].tag == Tag::Error {
                break Some(Cause::Waits(related(&lines[at])));
            }
            match &outcomes[at] {
                Outcome::Cause(Cause::Loop(_)) => break Some(Cause::Waits(related(&lines[at]))),
                Outcome::Cause(cause @ Cause::Waits(_)) => break Some(cause.clone()),
                Outcome::Cause(_) => break None,
                Outcome::Followed => {
                    let from = way.iter().position(|w| *w == at).unwrap_or(0);
                    let members = way.split_off(from);
                    let nodes: Vec<Related> = members.iter().map(|m| related(&lines[*m])).collect();
                    for member in members {
                        outcomes[member] = Outcome::Cause(Cause::Loop(nodes.clone()));
                    }
                    break Some(Cause::Waits(related(&lines[at])));
                }
                Outcome::Open => {}
            }
            outcomes[at] = Outcome::Followed;
            way.push(at);
            match next[at] {
                Some(Next::Line(line)) => at = line,
                Some(Next::Around(node)) => {
                    let nodes = vec![related(&lines[at]), self.related(node)];
                    outcomes[at] = Outcome::Cause(Cause::Loop(nodes));
                    way.pop();
                    break Some(Cause::Waits(related(&lines[at])));
                }
                None => break None,
            }
        };
        for line in way {
            outcomes[line] = Outcome::Cause(end.clone().unwrap_or(Cause::Own));
        }
    }

    /// The successor of each line: preferably one that has failed.
    fn successors(&self, lines: &[Line]) -> Vec<Option<Next>> {
        let by_node: FxHashMap<InstId, usize> =
            lines.iter().enumerate().map(|(at, line)| (line.node, at)).collect();
        let waits: Vec<Vec<InstId>> = lines.iter().map(|line| self.waits(line)).collect();
        let wanted: FxHashSet<InstId> = waits.iter().flatten().copied().collect();
        let mut below: FxHashMap<InstId, Vec<usize>> = FxHashMap::default();
        for (at, line) in lines.iter().enumerate() {
            for node in self.around(line.node).filter(|n| wanted.contains(n)) {
                below.entry(node).or_default().push(at);
            }
        }
        let rank = |at: usize| match lines[at].tag {
            Tag::Error => 0,
            Tag::Dependent => 1,
            Tag::Cycle => 2,
        };
        let one = |(at, waits): (usize, &Vec<InstId>)| {
            let mut best: Option<usize> = None;
            let mut around = None;
            for wait in waits {
                let direct = by_node.get(wait).copied();
                if direct.is_none() && self.around(lines[at].node).any(|n| n == *wait) {
                    around = around.or(Some(*wait));
                    continue;
                }
                // A list or map waits for all its entries; a few are enough.
                const MAX_WAITS: usize = 8;
                let inside = below.get(wait).into_iter().flatten().copied().take(MAX_WAITS);
                let outside = || self.around(*wait).find_map(|n| by_node.get(&n).copied());
                let mut found: Vec<usize> = direct.into_iter().chain(inside).collect();
                if found.is_empty() {
                    found.extend(outside());
                }
                best = best.into_iter().chain(found).min_by_key(|line| rank(*line));
            }
            let dependent = lines[at].tag == Tag::Dependent;
            match (best, around) {
                (Some(line), None) => Some(Next::Line(line)),
                (Some(line), Some(_)) if dependent => Some(Next::Line(line)),
                (_, Some(node)) => Some(Next::Around(node)),
                (None, None) => None,
            }
        };
        waits.iter().enumerate().map(one).collect()
    }

    /// The ancestors of a node, the nearest first.
    fn around(&self, id: InstId) -> impl Iterator<Item = InstId> + '_ {
        let mut at = self.nodes[id].parent;
        std::iter::from_fn(move || {
            if at == NOWHERE {
                return None;
            }
            let here = at;
            at = self.nodes[at].parent;
            Some(here)
        })
    }

    /// The nodes that a line waits for: the known ones, or the one at the path of its reference.
    fn waits(&self, line: &Line) -> Vec<InstId> {
        let mut waits = match &self.nodes[line.node].reached {
            Memo::Done(Err(Stop::Blocked(blocked))) => blocked.waits.clone(),
            _ => Vec::new(),
        };
        if waits.is_empty()
            && let Some(Stop::Blocked(blocked)) = self.stop_of(line.node)
            && let Some(path) = &blocked.path
        {
            waits.extend(self.named(line.node, path));
        }
        waits
    }

    /// The node at a path as seen from a place, as far as nodes are known.
    pub(crate) fn named(&self, place: InstId, path: &str) -> Option<InstId> {
        let absolute = path.starts_with('.');
        let steps = steps(path);
        let (first, rest) = steps.split_first()?;
        let mut at = if absolute {
            self.entry(self.root(place), first)?
        } else {
            self.around(place).find_map(|map| self.entry(map, first))?
        };
        for step in rest {
            at = self.entry(at, step)?;
        }
        Some(at)
    }

    /// The entry of a node, as far as it is known.
    pub(crate) fn entry(&self, id: InstId, step: &PathStep) -> Option<InstId> {
        let node = match &self.nodes[id].reached {
            Memo::Done(Ok(NodeLookup::Node(node, _))) => *node,
            _ => id,
        };
        let extra = self.nodes[node].extra.as_ref()?;
        match (&extra.children, step) {
            (Some(Memo::Done(Ok(children))), step) => match (&**children, step) {
                (Children::Map(entries), PathStep::Key(key)) => {
                    crate::eval::maps::find(entries, key)
                }
                (Children::List(entries, ..), PathStep::Index(n)) => {
                    crate::value::position(*n, entries.len()).map(|at| entries[at])
                }
                (Children::List(_, _, names), PathStep::Key(key)) => {
                    let name = key.split_once(':').map_or(key.as_str(), |(_, name)| name);
                    names.get(name).copied()
                }
                _ => None,
            },
            (_, PathStep::Key(key)) => crate::eval::maps::find(extra.own.as_ref()?, key),
            _ => None,
        }
    }

    /// The keys of a node, as far as they are known.
    fn keys(&self, id: InstId) -> Vec<EcoString> {
        let node = match &self.nodes[id].reached {
            Memo::Done(Ok(NodeLookup::Value(item))) => {
                let Value::Map(map) = &item.value else { return Vec::new() };
                return map.entries().iter().map(|e| e.0.clone()).collect();
            }
            Memo::Done(Ok(NodeLookup::Node(node, _))) => *node,
            _ => id,
        };
        let Some(extra) = self.nodes[node].extra.as_ref() else { return Vec::new() };
        match &extra.children {
            Some(Memo::Done(Ok(children))) => match &**children {
                Children::Map(entries) => entries.iter().map(|e| e.0.clone()).collect(),
                Children::List(_, _, names) => names.keys().cloned().collect(),
            },
            _ => {
                let own = extra.own.as_deref().into_iter().flatten();
                own.map(|e| e.0.clone()).collect()
            }
        }
    }

    /// A path that is similar to a missing one.
    fn near(&self, place: InstId, path: &str) -> Option<String> {
        let dot = if path.starts_with('.') { "." } else { "" };
        let steps = steps(path);
        let (PathStep::Key(last), before) = steps.split_last()? else { return None };
        let prefix = print_path(before);
        let keys = if before.is_empty() {
            let maps = self.around(place);
            maps.flat_map(|map| self.keys(map)).collect::<Vec<_>>()
        } else {
            self.keys(self.named(place, &format!("{dot}{prefix}"))?)
        };
        let near = suggest::nearest(last, keys.iter().map(EcoString::as_str))?;
        let join = if before.is_empty() { "" } else { "." };
        Some(format!("{dot}{prefix}{join}{near}"))
    }

    fn related(&self, node: InstId) -> Related {
        let src = &self.sources.nodes[self.source_of(node)];
        let path = self.path(node);
        let path = if path.is_empty() { "the document".into() } else { path };
        Related { path, place: (src.file, src.span), node }
    }
}

fn related(line: &Line) -> Related {
    Related { path: line.path.clone(), place: line.place, node: line.node }
}

/// The part of a path that a stub has, and with `has_near` the key that was probably meant.
fn search((stub, item): &(&str, &Item), path: &str, has_near: bool) -> StubSearch {
    let steps = steps(path);
    let mut at = *item;
    let mut has = 0;
    for step in &steps {
        match find_step(at, step) {
            Some(next) => at = next,
            None => break,
        }
        has += 1;
    }
    let near = match (&at.value, steps.get(has)) {
        (Value::Map(map), Some(PathStep::Key(key))) if has_near => {
            let keys = map.entries().iter().map(|e| e.0.as_str());
            suggest::nearest(key, keys).map(|near| {
                let mut path = steps[..has].to_vec();
                path.push(PathStep::Key(near.into()));
                print_path(&path)
            })
        }
        _ => None,
    };
    StubSearch { stub: (*stub).into(), has: print_path(&steps[..has]), near }
}
