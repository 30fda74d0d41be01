//! The differences between the catalogs of two servers, by node. They outlive the server.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use jiff::Timestamp;
use ordain_fleet::{Change, ChangeKind, FleetDiff, FoundChange, IgnoreRule, NodeDiff};
use serde::{Deserialize, Serialize};

use crate::error::ServerError;
use crate::private::write_private;

/// A time in seconds since 1970.
pub(crate) type Seconds = i64;

/// The maximum number of differences of a node that are stored.
const MAX_PER_NODE: usize = 200;
/// The maximum number of different differences of all nodes.
const MAX_ALL: usize = 20_000;
/// The length in bytes above which a text is stored as its digest.
const MAX_TEXT: usize = 16 << 10;
/// The time after which a node that no longer asks for its catalog is forgotten: a week.
const FORGET_AFTER: Seconds = 7 * 24 * 3600;
/// The version of the file.
const VERSION: u32 = 1;

/// The results of all comparisons.
pub(crate) struct Results {
    path: PathBuf,
    old: String,
    rules: Vec<IgnoreRule>,
    state: Mutex<State>,
}

/// The results as they are stored.
#[derive(Serialize, Deserialize, Default)]
struct State {
    version: u32,
    /// The URL of the old server.
    old: String,
    /// The time of the first comparison.
    began: Option<Seconds>,
    /// The time since which no node has had a difference.
    zero_since: Option<Seconds>,
    /// The number of comparisons.
    compared: u64,
    /// The number of catalogs that were not compared.
    skipped: u64,
    last_skipped: Option<Seconds>,
    nodes: BTreeMap<String, NodeState>,
    /// The differences by digest.
    changes: HashMap<String, Change>,
    #[serde(skip)]
    uses: HashMap<String, usize>,
    #[serde(skip)]
    is_saved: bool,
}

/// The last comparison of a node.
#[derive(Serialize, Deserialize, Clone)]
pub(crate) struct NodeState {
    pub(crate) environment: String,
    /// The time of the comparison.
    pub(crate) compared: Seconds,
    /// The time since which each comparison has found a difference.
    pub(crate) differs_since: Option<Seconds>,
    /// The digests of its differences.
    changes: Vec<String>,
    /// The number of differences that are not stored.
    pub(crate) more: usize,
    /// The number of resources whose files were not compared.
    #[serde(default)]
    pub(crate) files_not_compared: usize,
    #[serde(skip)]
    sequence: u64,
}

/// The result of a comparison.
pub(crate) struct NodeResult {
    pub(crate) node: String,
    pub(crate) environment: String,
    /// The position of its request in the order of all.
    pub(crate) sequence: u64,
    pub(crate) changes: Vec<Change>,
    /// The number of resources whose files were not compared.
    pub(crate) files_not_compared: usize,
}

/// The results at a moment.
pub(crate) struct View {
    pub(crate) began: Option<Seconds>,
    pub(crate) zero_since: Option<Seconds>,
    pub(crate) compared: u64,
    pub(crate) skipped: u64,
    pub(crate) last_skipped: Option<Seconds>,
    pub(crate) nodes: Vec<(String, NodeState)>,
    /// The differences, grouped by the nodes that have them.
    pub(crate) diff: FleetDiff,
}

impl NodeState {
    /// The number of differences.
    pub(crate) fn count(&self) -> usize {
        self.changes.len() + self.more
    }
}

impl Results {
    /// Opens the file of results, or begins without any. Those of another old server are dropped.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub(super) fn open(
        path: &Path,
        old: &str,
        rules: Vec<IgnoreRule>,
    ) -> Result<Self, ServerError> {
        let stored = match std::fs::read(path) {
            Ok(text) => serde_json::from_slice::<State>(&text)
                .map_err(|error| ServerError::Setting(format!("{}: {error}", path.display())))?,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => State::default(),
            Err(error) => return Err(ServerError::file(path)(error)),
        };
        let is_usable = stored.version == VERSION && stored.old == old;
        let mut state = if is_usable { stored } else { State::default() };
        (state.version, state.old, state.is_saved) = (VERSION, old.to_string(), is_usable);
        state.count_uses();
        Ok(Self { path: path.to_path_buf(), old: old.to_string(), rules, state: Mutex::new(state) })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts a catalog that is not compared.
    pub(super) fn skip(&self) {
        let now = now();
        let mut state = self.state();
        state.skipped += 1;
        state.last_skipped = Some(now);
        state.is_saved = false;
    }

    /// Replaces the result of a node, unless it is that of an earlier request.
    pub(crate) fn record(&self, result: NodeResult) {
        self.record_at(result, now());
    }

    fn record_at(&self, result: NodeResult, now: Seconds) {
        let is_ignored = |change: &Change| {
            // A node without a catalog on both servers differs in nothing that is applied.
            change.kind() == ChangeKind::StillFails || self.rules.iter().any(|r| r.matches(change))
        };
        let changes: Vec<Change> =
            result.changes.into_iter().filter(|change| !is_ignored(change)).collect();
        let mut state = self.state();
        let before = state.nodes.get(&result.node);
        if before.is_some_and(|before| before.sequence > result.sequence) {
            return;
        }
        let since = before.and_then(|before| before.differs_since);
        let mut node = NodeState {
            environment: result.environment,
            compared: now,
            differs_since: (!changes.is_empty()).then(|| since.unwrap_or(now)),
            changes: Vec::new(),
            more: changes.len().saturating_sub(MAX_PER_NODE),
            files_not_compared: result.files_not_compared,
            sequence: result.sequence,
        };
        for change in changes.into_iter().take(MAX_PER_NODE) {
            match state.add(change) {
                Some(digest) => node.changes.push(digest),
                None => node.more += 1,
            }
        }
        if let Some(before) = state.nodes.insert(result.node, node) {
            state.release(&before);
        }
        state.compared += 1;
        state.began.get_or_insert(now);
        state.forget_old(now);
        let is_zero = state.nodes.values().all(|node| node.count() == 0);
        state.zero_since = is_zero.then(|| state.zero_since.unwrap_or(now));
        state.is_saved = false;
    }

    /// The results, or those of one node.
    pub(crate) fn view(&self, only: Option<&str>) -> View {
        let state = self.state();
        let mut diff = FleetDiff {
            before: self.old.clone(),
            after: "this server".to_string(),
            ..FleetDiff::default()
        };
        let is_chosen = |name: &str| only.is_none_or(|only| only == name);
        let nodes = state.nodes.iter().filter(|(name, _)| is_chosen(name));
        let nodes: Vec<(String, NodeState)> =
            nodes.map(|(name, node)| (name.clone(), node.clone())).collect();
        let mut numbers: HashMap<&str, u32> = HashMap::new();
        for (name, node) in &nodes {
            let mut own = Vec::new();
            for digest in &node.changes {
                let Some(change) = state.changes.get(digest) else { continue };
                // There are at most so many that the numbers fit.
                let next = diff.changes.len() as u32;
                let number = *numbers.entry(digest).or_insert(next);
                if number == next {
                    let change = change.clone();
                    diff.changes.push(FoundChange { change, causes: Vec::new() });
                }
                own.push(number);
            }
            own.sort_unstable();
            diff.nodes.push(NodeDiff { name: name.clone(), changes: own });
        }
        drop(numbers);
        View {
            began: state.began,
            zero_since: state.zero_since,
            compared: state.compared,
            skipped: state.skipped,
            last_skipped: state.last_skipped,
            nodes,
            diff,
        }
    }

    /// The number of nodes, and of those that differ.
    pub(crate) fn counts(&self) -> (usize, usize) {
        let state = self.state();
        (state.nodes.len(), state.nodes.values().filter(|node| node.count() > 0).count())
    }

    /// The number of catalogs that were compared, and of those that were not.
    pub(super) fn totals(&self) -> (u64, u64) {
        let state = self.state();
        (state.compared, state.skipped)
    }

    /// Writes the file, if the results have changed since it was written. It blocks.
    pub(crate) fn save(&self) {
        let text = {
            let mut state = self.state();
            if state.is_saved {
                return;
            }
            state.is_saved = true;
            serde_json::to_vec(&*state)
        };
        let dir = self.path.parent().unwrap_or(Path::new("."));
        let written = text.map_err(|error| error.to_string()).and_then(|text| {
            write_private(dir, &self.path, &text).map_err(|error| error.to_string())
        });
        if let Err(error) = written {
            tracing::error!(%error, "the differences from the old server cannot be stored");
            self.state().is_saved = false;
        }
    }
}

fn now() -> Seconds {
    Timestamp::now().as_second()
}

impl State {
    fn count_uses(&mut self) {
        self.uses.clear();
        for digest in self.nodes.values().flat_map(|node| &node.changes) {
            *self.uses.entry(digest.clone()).or_default() += 1;
        }
        self.changes.retain(|digest, _| self.uses.contains_key(digest));
    }

    /// Stores a change. Returns its digest, or none if there are too many.
    fn add(&mut self, change: Change) -> Option<String> {
        let digest: String = change.digest().iter().map(|byte| format!("{byte:02x}")).collect();
        if !self.changes.contains_key(&digest) {
            if self.changes.len() >= MAX_ALL {
                return None;
            }
            self.changes.insert(digest.clone(), change.shortened(MAX_TEXT));
        }
        *self.uses.entry(digest.clone()).or_default() += 1;
        Some(digest)
    }

    /// Drops the changes that only this result has.
    fn release(&mut self, node: &NodeState) {
        for digest in &node.changes {
            let Some(uses) = self.uses.get_mut(digest) else { continue };
            *uses -= 1;
            if *uses == 0 {
                self.uses.remove(digest);
                self.changes.remove(digest);
            }
        }
    }

    fn forget_old(&mut self, now: Seconds) {
        let is_old = |node: &NodeState| now - node.compared > FORGET_AFTER;
        let old: Vec<String> =
            self.nodes.iter().filter(|(_, node)| is_old(node)).map(|(n, _)| n.clone()).collect();
        for name in old {
            if let Some(node) = self.nodes.remove(&name) {
                self.release(&node);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: Seconds) -> Seconds {
        1_800_000_000 + seconds
    }

    fn added(title: &str) -> Change {
        Change::Added { resource: format!("File[{title}]"), attributes: Vec::new() }
    }

    fn result(node: &str, sequence: u64, changes: Vec<Change>) -> NodeResult {
        let environment = "production".to_string();
        NodeResult { node: node.to_string(), environment, sequence, changes, files_not_compared: 0 }
    }

    #[test]
    fn zero_begins_when_no_node_differs() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("shadow.json");
        let open = || Results::open(&path, "https://old:8140", Vec::new()).unwrap();
        let results = open();
        results.record_at(result("a", 1, vec![added("/x"), added("/y")]), at(1));
        results.record_at(result("b", 2, vec![added("/x")]), at(2));
        let view = results.view(None);
        assert_eq!((view.zero_since, view.nodes[0].1.differs_since), (None, Some(at(1))));
        assert_eq!(view.diff.groups()[0].nodes, ["a", "b"]);
        results.record_at(result("b", 3, Vec::new()), at(3));
        assert_eq!(results.view(None).zero_since, None);
        results.record_at(result("a", 5, Vec::new()), at(4));
        // The result of an earlier request that took longer.
        results.record_at(result("a", 4, vec![added("/z")]), at(5));
        results.record_at(result("b", 6, Vec::new()), at(6));
        assert_eq!(results.view(None).zero_since, Some(at(4)));
        assert_eq!(results.state().changes.len(), 0);
        results.save();
        let again = open().view(Some("a"));
        assert_eq!((again.zero_since, again.nodes.len(), again.compared), (Some(at(4)), 1, 5));
        let other = Results::open(&path, "https://other:8140", Vec::new()).unwrap();
        assert_eq!(other.view(None).nodes.len(), 0);
    }

    #[test]
    fn rules_and_limits() {
        let dir = tempfile::tempdir().unwrap();
        let rules = vec![IgnoreRule::parse("File[/tmp/*]").unwrap()];
        let results = Results::open(&dir.path().join("shadow.json"), "old", rules).unwrap();
        let many = (0..300).map(|at| added(&format!("/etc/{at}")));
        results.record_at(result("a", 1, many.chain([added("/tmp/x")]).collect()), at(1));
        let view = results.view(None);
        assert_eq!((view.nodes[0].1.count(), view.diff.changes.len()), (300, MAX_PER_NODE));
        let fails = |before: &str| Change::StillFails {
            before: before.to_string(),
            message: "m".to_string(),
            place: None,
        };
        results.record_at(result("a", 2, vec![added("/tmp/x"), fails("other")]), at(2));
        assert_eq!(results.view(None).zero_since, Some(at(2)));
        // A node that is gone for a week no longer counts.
        results.record_at(result("b", 3, vec![added("/x")]), at(3));
        let later = 8 * 24 * 3600;
        results.record_at(result("a", 4, Vec::new()), at(later));
        assert_eq!((results.counts(), results.view(None).zero_since), ((1, 0), Some(at(later))));
    }
}
