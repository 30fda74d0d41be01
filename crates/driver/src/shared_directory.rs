//! The store of shared values in a directory. Readers that wait notice the writes of other processes
//! by inotify.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use ordain_engine::host::Host;
use ordain_engine::runner::HostRunner;
use ordain_engine::watch::{Watch, Watches};
use ordain_fleet_store::{Database, SharedDatabase};
use ordain_graph::shared::{
    SharedChanges, SharedGuard, SharedStore, SharedStoreError, SharedWrite,
};
use rustix::event::{PollFd, PollFlags, Timespec, poll};

/// The file of the database, and the one that SQLite writes before it.
pub(crate) const FILES: [&str; 2] = ["shared.db", "shared.db-wal"];
/// The time between two looks for changes, where the kernel reports none.
const POLL: Duration = Duration::from_millis(200);
/// The same where it does: an event may be lost, such as by the limit of the queue.
const LOOK: Duration = Duration::from_secs(5);
/// The first pause after an event, which doubles until the next one. SQLite writes a transaction to the
/// file, which is an event, before it shows it to readers in shared memory, which is none.
const FIRST_PAUSE: Duration = Duration::from_millis(10);
/// File systems whose files other machines change, by the numbers of `statfs`(2). The kernel reports
/// the changes of this machine only: NFS, SMB, SMB2, FUSE, 9P, Ceph, AFS.
const SHARED_FILE_SYSTEMS: [u32; 7] =
    [0x6969, 0xff53_4d42, 0xfe53_4d42, 0x6573_5546, 0x0102_1997, 0x00c3_6400, 0x5346_414f];

/// The store in a directory.
#[derive(Debug)]
pub(crate) struct SharedDirectory {
    database: SharedDatabase,
    directory: PathBuf,
    look: Duration,
}

impl SharedDirectory {
    /// The store in a directory, whose database is open.
    pub(crate) fn new(directory: &Path, database: Arc<dyn Database>) -> Self {
        let database = SharedDatabase(database);
        Self { database, directory: directory.to_owned(), look: LOOK }
    }

    /// Watches the files. `None` where the kernel refuses, or does not see all changes.
    fn watch(&self) -> Option<Watches<u32>> {
        let found = rustix::fs::statfs(&self.directory).ok()?;
        // The numbers have 32 bits, whatever the type of the field.
        if SHARED_FILE_SYSTEMS.contains(&(found.f_type as u32)) {
            return None;
        }
        let mut watches = Watches::new(Arc::new(|| {})).ok()?;
        let files = FILES.map(|name| Watch::Path(self.directory.join(name)));
        let host = Host::new(PathBuf::from("/"), Box::new(HostRunner));
        watches.arm(0, &files, &host).ok()?;
        Some(watches)
    }
}

/// Waits for an event, or for this time. Returns whether an event came.
fn wait(watches: Option<&Watches<u32>>, at_most: Duration) -> bool {
    let Some(watches) = watches else {
        std::thread::sleep(at_most.min(POLL));
        return false;
    };
    let mut fds = [PollFd::new(watches, PollFlags::IN)];
    let limit = Timespec {
        tv_sec: i64::try_from(at_most.as_secs()).unwrap_or(i64::MAX),
        tv_nsec: at_most.subsec_nanos().into(),
    };
    match poll(&mut fds, Some(&limit)) {
        Ok(events) => events > 0,
        Err(_) => {
            std::thread::sleep(at_most.min(POLL));
            false
        }
    }
}

impl SharedStore for SharedDirectory {
    fn changes(
        &self,
        after: Option<i64>,
        at_most: Duration,
    ) -> Result<SharedChanges, SharedStoreError> {
        let end = Instant::now() + at_most;
        let mut watches = if at_most.is_zero() { None } else { self.watch() };
        let mut pause = FIRST_PAUSE;
        loop {
            // An event after this ends the next wait.
            watches = watches.and_then(|mut watches| watches.take().ok().map(|_| watches));
            let changes = self.database.read(after)?;
            let left = end.saturating_duration_since(Instant::now());
            if Some(changes.revision) != after || changes.is_complete || left.is_zero() {
                return Ok(changes);
            }
            let expiry = self.database.next_expiry()?.unwrap_or(self.look);
            let has_event = wait(watches.as_ref(), left.min(pause).min(expiry));
            pause = if has_event { FIRST_PAUSE } else { self.look.min(pause * 2) };
        }
    }

    fn write(
        &self,
        host: &str,
        writes: &[SharedWrite],
        guard: Option<&SharedGuard>,
    ) -> Result<bool, SharedStoreError> {
        self.database.write(host, writes, guard)
    }

    fn renew(&self, host: &str, ttl: u64) -> Result<(), SharedStoreError> {
        self.database.renew(host, ttl)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::sync::mpsc::channel;

    use ordain_fleet_store::Sqlite;
    use ordain_graph::shared::{SharedKey, Space};

    use super::*;

    const HOUR: Duration = Duration::from_secs(3600);

    fn open(directory: &Path) -> SharedDirectory {
        let database = Sqlite::open(&directory.join(FILES[0]), 2, Vec::new()).unwrap();
        SharedDirectory { look: HOUR, ..SharedDirectory::new(directory, Arc::new(database)) }
    }

    fn put(store: &SharedDirectory, value: &str, ttl: Option<u64>) {
        let key = SharedKey::new(Space::Mapped, "key", "host");
        let write = SharedWrite { key, value: Some(value.to_owned()), ttl };
        assert!(store.write("host", &[write], None).unwrap());
    }

    #[test]
    fn a_reader_notices_writes_and_ends_without_regular_looks() {
        let directory = tempfile::tempdir().unwrap();
        let (reader, writer) = (open(directory.path()), open(directory.path()));
        let mut known = reader.changes(None, HOUR).unwrap().revision;
        let (sender, receiver) = channel();
        std::thread::spawn(move || {
            loop {
                let changes = reader.changes(Some(known), HOUR).unwrap();
                known = changes.revision;
                if sender.send(changes).is_err() {
                    return;
                }
            }
        });
        for (value, ttl) in [("one", None), ("two", Some(1))] {
            put(&writer, value, ttl);
            // A look without an event would come an hour later.
            let changes = receiver.recv_timeout(Duration::from_secs(60)).unwrap();
            assert_eq!(changes.entries[0].value.as_deref(), Some(value));
        }
        let ended = receiver.recv_timeout(Duration::from_secs(60)).unwrap();
        assert_eq!(ended.entries[0].value, None, "nobody has renewed it");
    }
}
