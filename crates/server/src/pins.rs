//! The revisions that nodes are pinned to (`ordain fleet pin`), read from the database regularly, so
//! that no request waits for them and all servers of a database follow them.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use arc_swap::ArcSwap;
use ordain_ca::Certname;
use ordain_deploy::PinnedRevision;
use tokio::sync::watch;

use crate::compile::{EnvironmentError, OpenedEnvironment};
use crate::handlers::no_environment;
use crate::reply::Reply;
use crate::server::Server;

/// How often pins are read.
const INTERVAL: Duration = Duration::from_secs(1);

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

    /// Tells when a pin has changed.
    pub(crate) fn news(&self) -> watch::Receiver<()> {
        self.news.subscribe()
    }
}

impl Server {
    /// The code of an environment for a node: that of its pinned revision, or the current one. Blocks
    /// while it is opened.
    ///
    /// # Errors
    /// The reply if there is no such environment or revision.
    pub(crate) fn code_for(
        &self,
        node: &Certname,
        environment: &str,
    ) -> Result<Arc<OpenedEnvironment>, Reply> {
        let found = match self.pins.revision(node) {
            None => self.environments.get(environment),
            Some(id) => match self.environments.get_revision(environment, &id) {
                Ok(Some(found)) => Ok(found),
                Ok(None) => return Err(no_revision(node, environment, &id)),
                Err(error) => Err(error),
            },
        };
        found.map_err(|error: EnvironmentError| no_environment(environment, error))
    }

    /// A text that differs after each change of the code of an environment for a node.
    pub(crate) fn state_for(&self, node: &Certname, state: &str) -> String {
        match self.pins.revision(node) {
            None => state.to_owned(),
            Some(id) => format!("{state}-{id}"),
        }
    }

    /// Reads the pins. It blocks.
    ///
    /// # Errors
    /// The reason why they cannot be read.
    pub(crate) fn refresh_pins(&self) -> Result<(), String> {
        let new = self.storage.pins()?;
        if *self.pins.revisions.load_full() == new {
            return Ok(());
        }
        let mut ids: Vec<&String> = new.values().collect();
        ids.sort();
        ids.dedup();
        let environments = self.environments.names();
        let pairs = environments.iter().flat_map(|name| ids.iter().map(move |id| (name, id)));
        let locks = pairs.filter_map(|(name, id)| self.environments.revision(name, id)).collect();
        *self.pins.locks.lock().unwrap_or_else(PoisonError::into_inner) = locks;
        self.environments.retain_revisions(|id| ids.iter().any(|wanted| *wanted == id));
        tracing::info!(pins = new.len(), "the pins of nodes have changed");
        self.pins.revisions.store(Arc::new(new));
        self.pins.news.send_replace(());
        Ok(())
    }
}

/// The reply for a pinned revision that the environment does not have.
pub(crate) fn no_revision(node: &Certname, environment: &str, id: &str) -> Reply {
    Reply::not_found(format!(
        "{node} is pinned to the revision {id}, which the environment {environment} does not have"
    ))
}

/// Reads the pins, and the requests for runs, again and again.
pub(crate) async fn follow(server: Arc<Server>) {
    let mut failed = String::new();
    loop {
        tokio::time::sleep(INTERVAL).await;
        let reading = Arc::clone(&server);
        let read = move || reading.refresh_pins().and_then(|()| reading.refresh_run_requests());
        let result = tokio::task::spawn_blocking(read).await;
        let error = match result {
            Ok(Err(error)) => error,
            _ => String::new(),
        };
        if !error.is_empty() && error != failed {
            tracing::error!(
                error,
                "pins and requests for runs cannot be read; the pins of before stay"
            );
        }
        failed = error;
    }
}
