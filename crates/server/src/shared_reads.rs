//! The shared values that the graphs of nodes depend on, so that a change of them is a change of the
//! code for these nodes.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use ordain_ca::Certname;

use crate::storage::SharedNames;

/// The names that the last compile of each node read. After a restart they are unknown, and agents
/// ask for their graphs once.
#[derive(Default)]
pub(crate) struct SharedReads(Mutex<HashMap<Certname, SharedNames>>);

impl SharedReads {
    /// The names of a node.
    pub(crate) fn of(&self, node: &Certname) -> SharedNames {
        let reads = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        reads.get(node).cloned().unwrap_or_default()
    }

    /// Sets the names of a node.
    pub(crate) fn set(&self, node: &Certname, names: SharedNames) {
        let mut reads = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if names.is_empty() {
            reads.remove(node);
        } else {
            reads.insert(node.clone(), names);
        }
    }
}
