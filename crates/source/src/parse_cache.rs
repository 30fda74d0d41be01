//! The store of parsed texts.

use std::any::{Any, TypeId};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rustc_hash::FxHashMap;

/// A parsed text, and the conditions for its reuse.
pub(crate) struct Entry<F> {
    pub(crate) text: Arc<str>,
    /// A hash of everything else that the result depends on.
    pub(crate) context: u64,
    pub(crate) file: F,
    pub(crate) value: Arc<dyn Any + Send + Sync>,
}

pub(crate) struct Entries<F> {
    pub(crate) by_place: FxHashMap<(PathBuf, TypeId), Entry<F>>,
    /// The bytes of their texts.
    pub(crate) used: usize,
}

/// The results of parsing texts, by path and type of the result.
///
/// Results contain places in files of one map, so the map owns the cache; `F` is the id of a file.
pub(crate) struct ParseCache<F>(Mutex<Entries<F>>);

impl<F> Default for ParseCache<F> {
    fn default() -> Self {
        Self(Mutex::new(Entries { by_place: FxHashMap::default(), used: 0 }))
    }
}

impl<F> ParseCache<F> {
    pub(crate) fn entries(&self) -> MutexGuard<'_, Entries<F>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<F> std::fmt::Debug for ParseCache<F> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("ParseCache")
    }
}
