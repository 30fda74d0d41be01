//! Resources that the nodes of a side export for each other.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use ordain_graph::exports::{Exported, Exports};

/// The exported resources of one side.
#[derive(Debug, Default)]
pub(crate) struct ExportPool(Mutex<BTreeMap<String, Vec<Exported>>>);

impl ExportPool {
    /// Adds those of a node.
    pub(crate) fn add(&self, exported: &[Exported]) {
        if exported.is_empty() {
            return;
        }
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for one in exported {
            all.entry(one.id.kind.to_string()).or_default().push(one.clone());
        }
    }

    /// Removes all of them.
    pub(crate) fn take(&self) -> Vec<Exported> {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut *all).into_values().flatten().collect()
    }

    /// Sorts them, after all nodes have added theirs.
    pub(crate) fn sort(&self) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for exported in all.values_mut() {
            exported.sort_by(|a, b| (&a.node, &a.id.title).cmp(&(&b.node, &b.id.title)));
        }
    }

    /// Whether there are none.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).is_empty()
    }
}

impl Exports for ExportPool {
    fn of_kind(&self, kind: &str, except: &str) -> Result<Vec<Exported>, String> {
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let found = all.get(kind).into_iter().flatten().filter(|one| one.node != except);
        Ok(found.cloned().collect())
    }
}

/// The exported resources for a compile, which says afterwards whether it has asked for some.
#[derive(Debug, Default)]
pub(crate) struct TrackedExports {
    /// `None` if the other nodes are not compiled yet; then there are none.
    pub(crate) pool: Option<Arc<ExportPool>>,
    is_asked: AtomicBool,
}

impl TrackedExports {
    pub(crate) fn new(pool: Option<Arc<ExportPool>>) -> Self {
        Self { pool, is_asked: AtomicBool::new(false) }
    }

    /// Whether a compile has asked for exported resources.
    pub(crate) fn is_asked(&self) -> bool {
        self.is_asked.load(Ordering::Relaxed)
    }
}

impl Exports for TrackedExports {
    fn of_kind(&self, kind: &str, except: &str) -> Result<Vec<Exported>, String> {
        self.is_asked.store(true, Ordering::Relaxed);
        self.pool.as_ref().map_or_else(|| Ok(Vec::new()), |pool| pool.of_kind(kind, except))
    }
}
