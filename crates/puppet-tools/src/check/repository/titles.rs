//! The titles of the resources that all code declares, as far as they are known.

use ecow::EcoString;
use rustc_hash::{FxHashMap, FxHashSet};

/// The titles of the resources that all code declares.
#[derive(Default)]
pub(super) struct Titles {
    pub(super) by_type: FxHashMap<EcoString, FxHashSet<EcoString>>,
    /// Types with resources whose titles are unknown.
    pub(super) open: FxHashSet<EcoString>,
    /// Whether there may be resources of any type that are not known.
    pub(super) is_open: bool,
}
