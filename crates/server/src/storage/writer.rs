//! The thread that writes.

use std::collections::HashMap;
use std::io;
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};

use ordain_fleet_store::{
    Command, Connection, Database, FleetStoreError, Outcome, StoreKey, Value, apply_all, now, read,
    write,
};
use tokio::sync::oneshot;

use super::answers::{self, AnswerKey, AnswerRow};
use super::catalog::{CatalogDigest, Renewal};
use super::source::{NotStored, Receipt, not_stored, stopped};

/// The maximum number of jobs that wait.
const MAX_WAITING: usize = 4_096;
/// The maximum number of jobs of one transaction.
const MAX_BATCH: usize = 64;
/// The number of nodes whose catalog is known.
const MAX_KNOWN: usize = 200_000;

/// Something to write.
pub(super) enum Job {
    /// A command.
    Command(Box<Command>),
    /// A catalog, with the digest of the parts that do not change between compiles, and the record of
    /// its inputs.
    Catalog(Box<Command>, Option<CatalogDigest>, Option<Box<AnswerRow>>),
    /// New ids of a catalog that is stored, and the record of its inputs if it was compiled.
    Renew(Box<Renewal>, Option<Box<AnswerRow>>),
    /// That a stored answer is right.
    Verified(AnswerKey),
    /// The end of a stored answer.
    Forget(AnswerKey),
}

/// Where the outcome of a job goes.
type Done = oneshot::Sender<Result<(), NotStored>>;

struct Pending {
    job: Job,
    received: i64,
    done: Done,
}

/// The catalogs that this server has stored: the digest, and the hash in the database.
type Known = Mutex<HashMap<String, (CatalogDigest, Vec<u8>)>>;

/// The thread that writes, from outside.
pub(super) struct Writer {
    sender: SyncSender<Pending>,
    known: Arc<Known>,
}

impl Writer {
    /// Starts the thread. It ends with the writer.
    ///
    /// # Errors
    /// When the system cannot start a thread.
    pub(super) fn start(database: Arc<dyn Database>, key: StoreKey) -> io::Result<Self> {
        let (sender, receiver) = sync_channel(MAX_WAITING);
        let known = Arc::new(Known::default());
        let thread = WriterThread { database, key, known: Arc::clone(&known) };
        std::thread::Builder::new().name("writer".into()).spawn(move || thread.run(&receiver))?;
        Ok(Self { sender, known })
    }

    /// Writes soon.
    pub(super) fn submit(&self, job: Job) -> Receipt {
        let (done, receipt) = oneshot::channel();
        let pending = Pending { job, received: now(), done };
        match self.sender.try_send(pending) {
            Ok(()) => receipt,
            Err(TrySendError::Full(_)) => {
                not_stored(NotStored::Busy("the database is too slow".to_string()))
            }
            Err(TrySendError::Disconnected(_)) => not_stored(stopped()),
        }
    }

    /// Writes soon, unless too much waits. Nobody waits for it.
    pub(super) fn submit_quietly(&self, job: Job) {
        drop(self.submit(job));
    }

    /// Learns the digest and the hash of a node's catalog from an answer in the database, unless this
    /// server has stored a catalog itself.
    pub(super) fn learn_stored(&self, node: &str, digest: CatalogDigest, hash: Vec<u8>) {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() < MAX_KNOWN {
            known.entry(node.to_string()).or_insert((digest, hash));
        }
    }

    /// The hash in the database of a node's catalog, if this server has stored a catalog with this
    /// digest last.
    pub(super) fn stored_catalog(&self, node: &str, digest: &CatalogDigest) -> Option<Vec<u8>> {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let (stored, hash) = known.get(node)?;
        (stored == digest).then(|| hash.clone())
    }
}

struct WriterThread {
    database: Arc<dyn Database>,
    key: StoreKey,
    known: Arc<Known>,
}

impl WriterThread {
    fn run(&self, receiver: &Receiver<Pending>) {
        while let Ok(first) = receiver.recv() {
            let mut batch = vec![first];
            while batch.len() < MAX_BATCH
                && let Ok(next) = receiver.try_recv()
            {
                batch.push(next);
            }
            self.write(batch);
        }
    }

    fn write(&self, batch: Vec<Pending>) {
        let (mut renewals, mut commands) = (Vec::new(), Vec::new());
        let (mut rows, mut verified, mut forgotten) = (Vec::new(), Vec::new(), Vec::new());
        for Pending { job, received, done } in batch {
            match job {
                Job::Command(command) => commands.push((command, None, received, done)),
                Job::Catalog(command, digest, row) => {
                    rows.extend(row);
                    commands.push((command, digest, received, done));
                }
                Job::Renew(renewal, row) => {
                    rows.extend(row);
                    renewals.push((renewal, done));
                }
                Job::Verified(answer_key) => verified.push(answer_key),
                Job::Forget(answer_key) => forgotten.push(answer_key),
            }
        }
        if !renewals.is_empty() {
            self.renew(renewals);
        }
        if !commands.is_empty() {
            self.apply(commands);
        }
        // The nodes have their answers meanwhile.
        if !(rows.is_empty() && verified.is_empty() && forgotten.is_empty())
            && let Err(error) = self.write_answers(&rows, &verified, &forgotten)
        {
            tracing::warn!(%error, "the inputs of catalogs cannot be stored");
        }
    }

    fn write_answers(
        &self,
        rows: &[Box<AnswerRow>],
        verified: &[AnswerKey],
        forgotten: &[AnswerKey],
    ) -> Result<(), FleetStoreError> {
        write(&*self.database, |connection: &mut dyn Connection| {
            for row in rows {
                // Without the hash the stored catalog could not be renewed.
                if let Some(hash) = self.stored_hash(&row.answer_key.node, &row.digest) {
                    row.write(connection, &self.key, &hash)?;
                }
            }
            for answer_key in verified {
                answers::verified(connection, answer_key)?;
            }
            for answer_key in forgotten {
                answers::forget(connection, answer_key)?;
            }
            Ok(())
        })
    }

    fn stored_hash(&self, node: &str, digest: &CatalogDigest) -> Option<Vec<u8>> {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let (stored, hash) = known.get(node)?;
        (stored == digest).then(|| hash.clone())
    }

    fn renew(&self, batch: Vec<(Box<Renewal>, Done)>) {
        let (renewals, receivers): (Vec<_>, Vec<_>) = batch.into_iter().unzip();
        let result = write(&*self.database, |connection| {
            let update = |renewal: &Renewal, connection: &mut dyn Connection| {
                let (sql, parameters) = renewal.statement();
                connection.execute(sql, &parameters)
            };
            renewals
                .iter()
                .map(|renewal| update(renewal, connection))
                .collect::<Result<Vec<_>, _>>()
        });
        for (at, done) in receivers.into_iter().enumerate() {
            let answer = match &result {
                Ok(counts) => {
                    if counts.get(at) == Some(&0) {
                        self.forget(&renewals[at].node);
                        Err(NotStored::Outdated)
                    } else {
                        Ok(())
                    }
                }
                Err(error) => Err(NotStored::from(error)),
            };
            // The client may have gone away.
            let _ = done.send(answer);
        }
    }

    fn apply(&self, batch: Vec<(Box<Command>, Option<CatalogDigest>, i64, Done)>) {
        let mut commands = Vec::with_capacity(batch.len());
        let mut rest = Vec::with_capacity(batch.len());
        for (command, digest, received, done) in batch {
            rest.push((command.certname().to_string(), digest, done));
            commands.push((*command, received));
        }
        let result = apply_all(&*self.database, &commands);
        let whole = result.as_ref().err().map(NotStored::from);
        let mut outcomes = result.unwrap_or_default().into_iter();
        for (node, digest, done) in rest {
            let answer = match (&whole, outcomes.next()) {
                (Some(error), _) => Err(error.clone()),
                (None, Some(Ok(outcome))) => {
                    self.learn(&node, digest, &outcome);
                    Ok(())
                }
                (None, Some(Err(error))) => Err(NotStored::from(&error)),
                (None, None) => Err(stopped()),
            };
            // The client may have gone away.
            let _ = done.send(answer);
        }
    }

    /// Notes the hash of a catalog that was stored.
    fn learn(&self, node: &str, digest: Option<CatalogDigest>, outcome: &Outcome) {
        let Some(digest) = digest else { return };
        if !matches!(outcome, Outcome::Stored { .. }) {
            return self.forget(node);
        }
        match self.hash(node) {
            Ok(Some(hash)) => {
                let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
                if known.len() >= MAX_KNOWN {
                    known.clear();
                }
                known.insert(node.to_string(), (digest, hash));
            }
            _ => self.forget(node),
        }
    }

    fn hash(&self, node: &str) -> Result<Option<Vec<u8>>, FleetStoreError> {
        let sql = "SELECT k.hash FROM catalogs k
                   JOIN certnames c ON c.id = k.certname_id WHERE c.certname = $1";
        read(&*self.database, None, |connection| {
            let value = connection.value(sql, &[node.into()])?;
            value.as_ref().map(Value::bytes).transpose().map(|bytes| bytes.map(<[u8]>::to_vec))
        })
    }

    fn forget(&self, node: &str) {
        self.known.lock().unwrap_or_else(PoisonError::into_inner).remove(node);
    }
}
