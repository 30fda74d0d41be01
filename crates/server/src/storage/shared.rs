//! Values that nodes share.

use std::collections::BTreeSet;
use std::sync::Arc;

use ordain_ca::Certname;
use ordain_engine::cluster::Cluster;
use ordain_fleet_store::{
    Connection, Database, SharedDatabase, shared_revision, shared_revision_of,
};
use ordain_graph::shared::{SharedChanges, SharedGuard, SharedStore, SharedWrite, Space};
use tokio::sync::watch;

/// The names of shared values that a compile read.
pub(crate) type SharedNames = BTreeSet<(Space, String)>;

/// The shared values, and the last revision that readers were told of.
pub(crate) struct SharedStorage {
    database: SharedDatabase,
    news: watch::Sender<i64>,
}

impl SharedStorage {
    pub(super) fn new(database: Arc<dyn Database>) -> Self {
        Self { database: SharedDatabase(database), news: watch::Sender::new(0) }
    }

    /// The changes of shared values after a revision. It blocks.
    ///
    /// # Errors
    /// The reason why they cannot be read.
    pub(crate) fn changes(&self, after: Option<i64>) -> Result<SharedChanges, String> {
        self.database.read(after).map_err(|error| error.to_string())
    }

    /// The shared values as a node sees them, for one compile. It blocks.
    pub(crate) fn values_for(&self, node: &Certname) -> Arc<Cluster> {
        let store = Arc::new(self.database.clone()) as Arc<dyn SharedStore>;
        Cluster::open(store, node.as_str(), None)
    }

    /// A text that differs after each change of these names, up to a revision. It blocks.
    ///
    /// # Errors
    /// The reason why they cannot be read.
    pub(crate) fn state(&self, names: &SharedNames, at_most: i64) -> Result<String, String> {
        if names.is_empty() {
            return Ok(String::new());
        }
        let read = |connection: &mut dyn Connection| shared_revision_of(connection, names, at_most);
        let revision = ordain_fleet_store::read(&*self.database.0, None, read);
        revision.map(|revision| format!("-v{revision}")).map_err(|error| error.to_string())
    }

    /// Changes shared values. Returns false if the condition does not hold. It blocks.
    ///
    /// # Errors
    /// The reason why they cannot be written.
    pub(crate) fn write(
        &self,
        writes: &[SharedWrite],
        guard: Option<&SharedGuard>,
    ) -> Result<bool, String> {
        let done = self.database.write("", writes, guard).map_err(|e| e.to_string())?;
        self.refresh()?;
        Ok(done)
    }

    /// Renews the values that a node has written with this number of seconds. It blocks.
    ///
    /// # Errors
    /// The reason why they cannot be written.
    pub(crate) fn renew(&self, node: &str, ttl: u64) -> Result<(), String> {
        self.database.renew(node, ttl).map_err(|error| error.to_string())
    }

    /// Tells readers of changes by other servers, and removes values that ended. It blocks.
    ///
    /// # Errors
    /// The reason why they cannot be read.
    pub(crate) fn refresh(&self) -> Result<(), String> {
        self.database.expire().map_err(|error| error.to_string())?;
        let revision = |connection: &mut dyn Connection| shared_revision(connection);
        let revision = ordain_fleet_store::read(&*self.database.0, None, revision);
        let revision = revision.map_err(|error| error.to_string())?;
        let is_new = |last: &mut i64| std::mem::replace(last, revision) != revision;
        self.news.send_if_modified(is_new);
        Ok(())
    }

    /// Tells when shared values have changed.
    pub(crate) fn news(&self) -> watch::Receiver<i64> {
        self.news.subscribe()
    }
}
