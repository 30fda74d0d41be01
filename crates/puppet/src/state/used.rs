//! The parts of the code and data that compiles use, for coverage.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use ecow::EcoString;
use ordain_source::Span;
use rustc_hash::FxHashSet;

/// A branch: the place of the condition, and the number of the branch. Of `if` and `unless`, 0 is
/// the body and 1 is `else`; of `case` and selectors, it is the number of the option, or of options
/// if none matches.
pub type Branch = (Span, u32);

#[derive(Default, Debug)]
struct Used {
    branches: FxHashSet<Branch>,
    keys: FxHashSet<(PathBuf, EcoString)>,
}

/// Collects the branches that compiles take, and the keys whose values they find in data files.
/// Clones share one collection.
#[derive(Clone, Default, Debug)]
pub struct UsedCode(Arc<Mutex<Used>>);

impl UsedCode {
    /// Notes a branch that is taken.
    pub(crate) fn note_branch(&self, branch: Branch) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).branches.insert(branch);
    }

    /// Notes a key that is found in a data file.
    pub(crate) fn note_key(&self, file: &str, key: &EcoString) {
        let entry = (PathBuf::from(file), key.clone());
        self.0.lock().unwrap_or_else(PoisonError::into_inner).keys.insert(entry);
    }

    /// The branches that were taken.
    pub fn branches(&self) -> Vec<Branch> {
        let used = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        used.branches.iter().copied().collect()
    }

    /// The keys that were found, with their data files.
    pub fn keys(&self) -> Vec<(PathBuf, EcoString)> {
        let used = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        used.keys.iter().cloned().collect()
    }
}
