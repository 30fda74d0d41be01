//! Collects the changes of nodes; equal changes are kept once.

use std::sync::{Mutex, PoisonError};

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use crate::cause::{Cause, MAX_CAUSES};
use crate::change::{Change, Digest};

/// The number of nodes whose causes are searched for a change. Others rarely have different ones.
const MAX_SEARCHES: u8 = 3;

/// A change with its causes.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct FoundChange {
    /// The change.
    pub change: Change,
    /// The lines that cause it, the first ones.
    pub causes: Vec<Cause>,
}

/// Changes of all nodes.
#[derive(Debug, Default)]
pub(crate) struct Collector(Mutex<Collected>);

#[derive(Debug, Default)]
struct Collected {
    numbers: FxHashMap<Digest, u32>,
    changes: Vec<FoundChange>,
    digests: Vec<Digest>,
    searches: Vec<u8>,
}

impl Collector {
    fn with<T>(&self, work: impl FnOnce(&mut Collected) -> T) -> T {
        work(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Whether the causes of a change are to be searched.
    pub(crate) fn wants_causes(&self, digest: &Digest) -> bool {
        self.with(|all| {
            let number = all.numbers.get(digest);
            number.is_none_or(|number| all.searches[*number as usize] < MAX_SEARCHES)
        })
    }

    /// Adds a change of a node. Returns its number.
    pub(crate) fn add(&self, digest: Digest, change: Change, causes: Option<Vec<Cause>>) -> u32 {
        self.with(|all| {
            let next = all.changes.len() as u32;
            let number = *all.numbers.entry(digest).or_insert(next);
            if number == next {
                all.changes.push(FoundChange { change, causes: Vec::new() });
                all.digests.push(digest);
                all.searches.push(0);
            }
            if let Some(causes) = causes {
                all.searches[number as usize] += 1;
                let known = &mut all.changes[number as usize].causes;
                for cause in causes {
                    if known.len() < MAX_CAUSES && !known.contains(&cause) {
                        known.push(cause);
                    }
                }
                known.sort();
            }
            number
        })
    }

    /// Adds a change of a batch of nodes, with the number of nodes whose causes were searched. Returns
    /// its number.
    pub(crate) fn merge(&self, found: FoundChange, searches: u8) -> u32 {
        let digest = found.change.digest();
        let is_wanted = self.wants_causes(&digest);
        let number = self.add(digest, found.change, is_wanted.then_some(found.causes));
        if is_wanted {
            // The causes that were added count as one search.
            self.with(|all| all.searches[number as usize] += searches.saturating_sub(1));
        }
        number
    }

    /// Removes all changes, in the order of their numbers, with the number of nodes whose causes were
    /// searched.
    pub(crate) fn take(&self) -> Vec<(FoundChange, u8)> {
        let all = self.with(std::mem::take);
        all.changes.into_iter().zip(all.searches).collect()
    }

    /// All changes in the order of their numbers, and their digests.
    pub(crate) fn finish(self) -> (Vec<FoundChange>, Vec<Digest>) {
        let all = self.0.into_inner().unwrap_or_else(PoisonError::into_inner);
        (all.changes, all.digests)
    }
}
