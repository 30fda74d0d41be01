//! The revisions that nodes are pinned to (`ordain fleet pin`).

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use arc_swap::ArcSwap;
use ordain_ca::Certname;
use ordain_deploy::PinnedRevision;
use tokio::sync::watch;

/// The pins of all nodes.
pub(crate) struct Pins {
    /// The id of the revision by the name of the node.
    revisions: ArcSwap<HashMap<String, String>>,
    /// Locks, so that no deploy removes a revision that a node is pinned to.
    locks: Mutex<Vec<PinnedRevision>>,
    news: watch::Sender<()>,
}

impl Default for Pins {
    fn default() -> Self {
        Self {
            revisions: ArcSwap::default(),
            locks: Mutex::default(),
            news: watch::Sender::new(()),
        }
    }
}

impl Pins {
    /// The revision that a node is pinned to.
    pub(crate) fn revision(&self, node: &Certname) -> Option<String> {
        self.revisions.load().get(node.as_str()).cloned()
    }

    /// A text that differs after each change of the code of an environment for a node. `state` is
    /// the one of the environment.
    pub(crate) fn state(&self, node: &Certname, state: &str) -> String {
        match self.revision(node) {
            None => state.to_owned(),
            Some(id) => format!("{state}-{id}"),
        }
    }

    /// Tells when a pin has changed.
    pub(crate) fn news(&self) -> watch::Receiver<()> {
        self.news.subscribe()
    }

    /// Whether these are the pins.
    pub(crate) fn are(&self, revisions: &HashMap<String, String>) -> bool {
        **self.revisions.load() == *revisions
    }

    /// Replaces the pins, by the names of nodes, and the locks of their revisions.
    pub(crate) fn set(&self, revisions: HashMap<String, String>, locks: Vec<PinnedRevision>) {
        *self.locks.lock().unwrap_or_else(PoisonError::into_inner) = locks;
        self.revisions.store(Arc::new(revisions));
        self.news.send_replace(());
    }
}
