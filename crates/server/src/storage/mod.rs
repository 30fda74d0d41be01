//! The data of nodes in the server's database.
//!
//! A thread writes. It joins the commands that have arrived meanwhile to one transaction, so that a compile
//! neither waits for the disk nor for its turn, and agents are answered when their data is durable.

mod answers;
mod catalog;
mod shared;
mod source;
mod writer;

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use ordain_ca::Certname;
use ordain_data::{Value as Data, json};
use ordain_fleet_store::{
    Command, Connection, Database, FleetStoreError, Postgres, Retention, RunRequest, Sqlite,
    StoreKey, claim_run_request, collect_garbage, facts_of, now, pins, read, run_requests,
    terminus, write,
};
use ordain_graph::exports::{Exported, Exports};
use ordain_graph::fleet::FleetQueries;
use ordain_puppetdb::{StoredExports, StoredNodes, sqlite_functions};
use serde_json::Value as Json;

use crate::error::ServerError;
pub(crate) use answers::{AnswerKey, AnswerRow};
pub(crate) use catalog::{CatalogDigest, CatalogIds, digest as catalog_digest};
pub(crate) use shared::SharedNames;
pub(crate) use source::{NotStored, Receipt, Source, stored};
use source::{done, not_stored, plain};
use writer::{Job, Writer};

/// The connections to PostgreSQL, and the readers of SQLite.
const CONNECTIONS: usize = 8;
/// The longest time of one collection of garbage.
const COLLECTION: std::time::Duration = std::time::Duration::from_secs(20);

/// Opens the database at a URL of PostgreSQL, or else the one in a directory.
///
/// # Errors
/// When it cannot be used.
pub(crate) fn open_database(
    url: Option<&str>,
    dir: &Path,
    connections: usize,
) -> Result<Arc<dyn Database>, ServerError> {
    let failed = |error: FleetStoreError| ServerError::Store(error.to_string());
    Ok(match url {
        Some(url) => Arc::new(Postgres::connect(url, connections).map_err(failed)?),
        None => {
            let path = dir.join("nodes.sqlite");
            Arc::new(Sqlite::open(&path, connections, sqlite_functions()).map_err(failed)?)
        }
    })
}

/// The store.
pub(crate) struct Storage {
    database: Arc<dyn Database>,
    writer: Writer,
    key: StoreKey,
    exports: Arc<StoredExports>,
    nodes: Arc<StoredNodes>,
    /// The values that nodes share.
    pub(crate) shared: shared::SharedStorage,
    /// The name of this server.
    producer: String,
}

impl Storage {
    /// Opens the database at a URL of PostgreSQL, or else the one in a directory.
    ///
    /// # Errors
    /// When it cannot be used.
    pub(crate) fn open(url: Option<&str>, dir: &Path, producer: &str) -> Result<Self, ServerError> {
        let database = open_database(url, dir, CONNECTIONS)?;
        let failed = |error: FleetStoreError| ServerError::Store(error.to_string());
        let key = StoreKey::open(&dir.join("store.key")).map_err(failed)?;
        let writer = Writer::start(Arc::clone(&database), key.clone());
        let writer = writer.map_err(ServerError::system("threads"))?;
        let exports = Arc::new(StoredExports::new(Arc::clone(&database)));
        let nodes = Arc::new(StoredNodes::new(Arc::clone(&database)));
        let shared = shared::SharedStorage::new(Arc::clone(&database));
        let producer = producer.to_string();
        Ok(Self { database, writer, key, exports, nodes, shared, producer })
    }

    fn context<'a>(&'a self, source: &Source<'a>) -> terminus::Context<'a> {
        terminus::Context {
            certname: source.node.as_str(),
            environment: source.environment,
            producer_timestamp: now(),
            producer: &self.producer,
            transaction_uuid: source.transaction,
            job_id: None,
        }
    }

    /// Replaces the facts of a node.
    pub(crate) fn replace_facts(
        &self,
        source: &Source<'_>,
        facts: &Data,
        trusted: &Data,
    ) -> Receipt {
        let Json::Object(facts) = plain(facts) else {
            return not_stored(NotStored::Refused("the facts are no map".to_string()));
        };
        let payload = terminus::replace_facts(facts, plain(trusted), &self.context(source));
        self.parse("replace_facts", 5, payload)
    }

    /// The facts of a node.
    ///
    /// # Errors
    /// The reason why they cannot be read.
    pub(crate) fn facts(&self, node: &Certname) -> Result<Option<Data>, String> {
        let facts = |connection: &mut dyn Connection| facts_of(connection, node.as_str());
        let found = read(&*self.database, None, facts).map_err(|error| error.to_string())?;
        found.map(|text| json::read(&text).map_err(|error| error.to_string())).transpose()
    }

    /// Replaces the catalog and the exported resources of a node. `text` is the catalog that the
    /// agent gets, `row` the record of its inputs.
    pub(crate) fn replace_catalog(
        &self,
        source: &Source<'_>,
        (text, digest): (&[u8], Option<CatalogDigest>),
        exported: &[Exported],
        row: Option<AnswerRow>,
    ) -> Receipt {
        let row = row.map(Box::new);
        if let Some(digest) = &digest
            && let Some(renewal) = catalog::Renewal::of(text, source, now())
            && let Some(hash) = self.writer.stored_catalog(source.node.as_str(), digest)
        {
            // As nine in ten catalogs: the same as before but for its id.
            return self.writer.submit(Job::Renew(Box::new(renewal.with_hash(hash)), row));
        }
        let command = catalog::command(text, exported, &self.context(source));
        match command {
            Ok(command) => self.writer.submit(Job::Catalog(Box::new(command), digest, row)),
            Err(FleetStoreError::Refused { reason }) => {
                let node = source.node.as_str();
                // The catalog is right for the agent all the same.
                tracing::warn!(node, "the catalog is not stored: {reason}");
                done()
            }
            Err(error) => not_stored(NotStored::from(&error)),
        }
    }

    /// Gives the stored catalog of a node other ids. `None` if the catalog with this digest is not
    /// the one that is stored.
    pub(crate) fn renew_catalog(
        &self,
        source: &Source<'_>,
        digest: &CatalogDigest,
        ids: &CatalogIds<'_>,
    ) -> Option<Receipt> {
        let hash = self.writer.stored_catalog(source.node.as_str(), digest)?;
        let renewal = catalog::Renewal::new(ids, source, now()).with_hash(hash);
        Some(self.writer.submit(Job::Renew(Box::new(renewal), None)))
    }

    /// The stored answer of a key. One that cannot be read is none.
    pub(crate) fn answer(&self, answer_key: &AnswerKey) -> Option<AnswerRow> {
        match answers::read_answer(&*self.database, &self.key, answer_key) {
            Ok(found) => found.map(|(row, hash)| {
                self.writer.learn_stored(&answer_key.node, row.digest.clone(), hash);
                row
            }),
            Err(error) => {
                let node = answer_key.node.as_str();
                tracing::warn!(node, %error, "the stored catalog cannot be read");
                None
            }
        }
    }

    /// Records that a compile gave the same catalog.
    pub(crate) fn note_verified(&self, answer_key: &AnswerKey) {
        self.writer.submit_quietly(Job::Verified(answer_key.clone()));
    }

    /// Deletes an answer.
    pub(crate) fn forget_answer(&self, answer_key: &AnswerKey) {
        self.writer.submit_quietly(Job::Forget(answer_key.clone()));
    }

    /// Stores a report.
    pub(crate) fn store_report(&self, source: &Source<'_>, report: &Json) -> Receipt {
        match terminus::store_report(report, false, &self.context(source)) {
            Ok(payload) => match Command::from_json("store_report", 8, payload, now()) {
                Ok(Command::StoreReport(mut command)) => {
                    command.durations = terminus::durations(report);
                    self.submit(Command::StoreReport(command))
                }
                Ok(command) => self.submit(command),
                Err(error) => not_stored(NotStored::from(&error)),
            },
            Err(error) => not_stored(NotStored::from(&error)),
        }
    }

    /// Stores the content of a command.
    pub(crate) fn submit(&self, command: Command) -> Receipt {
        self.writer.submit(Job::Command(Box::new(command)))
    }

    fn parse(&self, name: &str, version: i64, payload: Json) -> Receipt {
        match Command::from_json(name, version, payload, now()) {
            Ok(command) => self.submit(command),
            Err(error) => not_stored(NotStored::from(&error)),
        }
    }

    /// The revisions that nodes are pinned to, by the names of the nodes.
    ///
    /// # Errors
    /// The reason why they cannot be read.
    pub(crate) fn pins(&self) -> Result<HashMap<String, String>, String> {
        let found = read(&*self.database, None, pins).map_err(|error| error.to_string())?;
        Ok(found.into_iter().map(|pin| (pin.certname, pin.revision)).collect())
    }

    /// The requests of users to run now.
    ///
    /// # Errors
    /// The reason why they cannot be read.
    pub(crate) fn run_requests(&self) -> Result<Vec<RunRequest>, String> {
        let found = |connection: &mut dyn Connection| run_requests(connection, now());
        read(&*self.database, None, found).map_err(|error| error.to_string())
    }

    /// Claims a request. Returns false if another server has done so.
    ///
    /// # Errors
    /// The reason why the database fails.
    pub(crate) fn claim_run_request(&self, request: &RunRequest) -> Result<bool, String> {
        let claim = |connection: &mut dyn Connection| claim_run_request(connection, request, now());
        write(&*self.database, claim).map_err(|error| error.to_string())
    }

    /// The exported resources of all nodes.
    pub(crate) fn exports(&self) -> Arc<dyn Exports> {
        Arc::clone(&self.exports) as Arc<dyn Exports>
    }

    /// The database, as manifests see it.
    pub(crate) fn queries(&self) -> Arc<dyn FleetQueries> {
        Arc::clone(&self.nodes) as Arc<dyn FleetQueries>
    }

    /// Notes how values are distributed, which makes queries fast.
    pub(crate) fn update_statistics(&self) {
        if let Err(error) = self.database.update_statistics() {
            tracing::error!(%error, "the statistics of the database are not updated");
        }
    }

    /// Deletes old data. It blocks for at most about twenty seconds.
    pub(crate) fn collect_garbage(&self, retention: &Retention) {
        if let Err(error) = collect_garbage(&*self.database, retention, now(), COLLECTION) {
            tracing::error!(%error, "old data cannot be deleted");
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn a_catalog_that_another_server_replaced_is_stored_again() {
        let directory = tempfile::tempdir().unwrap();
        let open = |name| Storage::open(None, directory.path(), name).unwrap();
        let (one, other) = (open("one.example.org"), open("other.example.org"));
        let node = Certname::new("web.example.org").unwrap();
        let source = Source { node: &node, environment: "production", transaction: None };
        let replace = |storage: &Storage, mode: u8| {
            let text = format!(
                r#"{{"tags":[],"name":"web.example.org","version":1,"code_id":null,"catalog_uuid":
                "00000000-0000-4000-8000-00000000000{mode}","catalog_format":1,"environment":
                "production","resources":[{{"type":"Notify","title":"{mode}","tags":[],
                "exported":false,"parameters":{{}}}}],"edges":[],"classes":[]}}"#
            );
            let digest = catalog_digest(text.as_bytes(), "production", &[]);
            let receipt = storage.replace_catalog(&source, (text.as_bytes(), digest), &[], None);
            receipt.blocking_recv().unwrap()
        };
        let stored = || {
            let sql = "SELECT catalog_uuid FROM catalogs";
            let found = read(&*one.database, None, |c| c.value(sql, &[])).unwrap().unwrap();
            found.text().unwrap().chars().last().unwrap()
        };
        assert_eq!(
            (replace(&one, 1), replace(&one, 1), replace(&other, 2)),
            (Ok(()), Ok(()), Ok(()))
        );
        assert_eq!(stored(), '2');
        // It knows only now that its catalog was replaced, so the node must not get it yet.
        assert_eq!(replace(&one, 1), Err(NotStored::Outdated));
        assert_eq!((replace(&one, 1), stored()), (Ok(()), '1'));
    }
}
