//! Requests of users to run now (`ordain fleet run`), for agents that hold a connection.

use std::collections::HashMap;
use std::sync::Arc;

use arc_swap::ArcSwap;
use ordain_ca::Certname;
use ordain_fleet_store::RunRequest;
use tokio::sync::watch;

/// The requests in the database, read regularly.
pub(crate) struct RunRequests {
    by_node: ArcSwap<HashMap<String, RunRequest>>,
    news: watch::Sender<()>,
}

impl Default for RunRequests {
    fn default() -> Self {
        Self { by_node: ArcSwap::default(), news: watch::Sender::new(()) }
    }
}

impl RunRequests {
    /// Tells when the requests have changed.
    pub(crate) fn news(&self) -> watch::Receiver<()> {
        self.news.subscribe()
    }

    /// The request to a node.
    pub(crate) fn of(&self, node: &Certname) -> Option<RunRequest> {
        self.by_node.load().get(node.as_str()).cloned()
    }

    /// Replaces the requests, by the names of nodes.
    pub(crate) fn set(&self, requests: HashMap<String, RunRequest>) {
        if **self.by_node.load() != requests {
            self.by_node.store(Arc::new(requests));
            self.news.send_replace(());
        }
    }
}
