//! The journal of runs.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rusqlite::{Connection, OptionalExtension, params};
use serde_json::Value as Json;

use crate::damage::{self, Damage};
use crate::directory::{BACKUPS, JOURNAL_FILE, StateDir};
use crate::error::StoreError;
use crate::migrate::{self, JOURNAL};

/// The maximum number of runs that are kept.
const MAX_RUNS: i64 = 100;

/// Values of the column `recovery` of an unfinished run: a later run completed its work, or it was
/// reported while no later run has completed. It is 0 before.
const SETTLED: i64 = 1;
const REPORTED: i64 = 2;

/// The state of this machine between runs.
#[derive(Debug)]
pub struct Store {
    connection: Mutex<Connection>,
    path: PathBuf,
    dir: StateDir,
    /// Whether a damaged journal is replaced by a new one.
    replaces_damaged: bool,
    /// The current run.
    begun: Mutex<Option<RunInProgress>>,
    damages: Mutex<Vec<Damage>>,
}

/// What a run applies, and where.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct RunTarget {
    /// The path that was given.
    pub source: Option<String>,
    /// The node.
    pub node: Option<String>,
    /// The account that runs it.
    pub account: Option<String>,
    /// The root directory, if it is not `/`.
    pub root: Option<String>,
}

/// The current run, as recorded in the journal.
#[derive(Debug)]
struct RunInProgress {
    number: i64,
    kind: String,
    started: i64,
    subject: RunTarget,
}

impl RunInProgress {
    fn insert(&self, connection: &Connection) -> rusqlite::Result<()> {
        let RunTarget { source, node, account, root } = &self.subject;
        connection.execute(
            "INSERT INTO runs (id, kind, pid, started, source, node, account, root)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
            params![
                self.number,
                self.kind,
                std::process::id(),
                self.started,
                source,
                node,
                account,
                root
            ],
        )?;
        Ok(())
    }
}

/// A run that has been recorded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Run(pub(crate) i64);

/// A change that was made, or was in progress when a run ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StepInProgress {
    /// The resource.
    pub resource: String,
    /// The action that was done or was about to be.
    pub action: String,
}

/// A run that did not complete.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct InterruptedRun {
    /// Its process id.
    pub pid: u32,
    /// The start time.
    pub started: SystemTime,
    /// The steps that it had begun but not completed.
    pub in_progress: Vec<StepInProgress>,
    /// The steps that it did, in order.
    pub done: Vec<StepInProgress>,
    /// Whether it is reported for the first time.
    pub is_new: bool,
}

/// Milliseconds since 1970; negative for earlier times.
fn milliseconds(time: SystemTime) -> i64 {
    let count = |distance: Duration| i64::try_from(distance.as_millis()).unwrap_or(i64::MAX);
    time.duration_since(UNIX_EPOCH).map_or_else(|before| -count(before.duration()), count)
}

/// The time of this many milliseconds since 1970; 1970 itself if the system cannot represent it.
pub(crate) fn time(milliseconds: i64) -> SystemTime {
    let distance = Duration::from_millis(milliseconds.unsigned_abs());
    let found = match milliseconds {
        0.. => UNIX_EPOCH.checked_add(distance),
        _ => UNIX_EPOCH.checked_sub(distance),
    };
    found.unwrap_or(UNIX_EPOCH)
}

/// The maximum size in bytes of a journal that a run checks before it begins.
const MAX_CHECKED_SIZE: u64 = 64 << 20;

impl Store {
    /// Opens the state in a directory, which is created if missing.
    ///
    /// # Errors
    /// When it cannot be written, is damaged, is not safe to use, or was created by a newer
    /// version.
    pub fn open(dir: &Path) -> Result<Self, StoreError> {
        Self::open_in(StateDir::open(dir)?)
    }

    /// Opens the state for a run, which must hold the [`crate::RunLock`]. A damaged journal is set
    /// aside and replaced by a new one, now or when the damage is found: see
    /// [`Store::take_damages`].
    ///
    /// # Errors
    /// Those of [`Store::open`] except damage, and when a damaged journal cannot be moved away.
    pub fn open_for_run(dir: &Path) -> Result<Self, StoreError> {
        let dir = StateDir::open(dir)?;
        let found = Self::open_in(dir.try_clone()?).and_then(Self::look_through);
        let reason = match found {
            Ok(store) => return Ok(Self { replaces_damaged: true, ..store }),
            Err(StoreError::Broken { reason, .. }) => reason,
            Err(error) => return Err(error),
        };
        let damage = damage::set_aside(&dir, reason, None)?;
        let store = Self::open_in(dir)?;
        Ok(Self { replaces_damaged: true, damages: Mutex::new(vec![damage]), ..store })
    }

    /// The state in a directory, if there is any. It can be read even from a full or read-only
    /// disk.
    ///
    /// # Errors
    /// The same as [`Store::open`].
    pub fn existing(dir: &Path) -> Result<Option<Self>, StoreError> {
        let Some(dir) = StateDir::existing(dir)? else { return Ok(None) };
        if dir.stat(JOURNAL_FILE)?.is_none() {
            return Ok(None);
        }
        match Self::open_in(dir.try_clone()?) {
            Err(error @ StoreError::Unwritable { .. }) => {
                let read = migrate::open_to_read(&dir, JOURNAL_FILE, JOURNAL);
                read.map(|opened| Some(Self::of(dir, opened))).ok_or(error)
            }
            opened => opened.map(Some),
        }
    }

    fn open_in(dir: StateDir) -> Result<Self, StoreError> {
        dir.check_directory(BACKUPS)?;
        let opened = migrate::open(&dir, JOURNAL_FILE, JOURNAL)?;
        Ok(Self::of(dir, opened))
    }

    fn of(dir: StateDir, (path, connection): (PathBuf, Connection)) -> Self {
        Self {
            connection: Mutex::new(connection),
            path,
            dir,
            replaces_damaged: false,
            begun: Mutex::default(),
            damages: Mutex::default(),
        }
    }

    /// Checks the journal for damage, unless it is very large: a check takes 1.3 ms per MB. Damage
    /// in a large one is found on access.
    fn look_through(self) -> Result<Self, StoreError> {
        if self.path.metadata().is_ok_and(|found| found.len() > MAX_CHECKED_SIZE) {
            return Ok(self);
        }
        match self.with(migrate::find_damage)? {
            Some(found) => Err(StoreError::broken(&self.path, format!("it is damaged: {found}"))),
            None => Ok(self),
        }
    }

    /// Checks the whole journal, including its indexes.
    ///
    /// # Errors
    /// When it is damaged or cannot be read.
    pub(crate) fn check_integrity(&self) -> Result<(), StoreError> {
        let found: String =
            self.with(|c| c.query_row("PRAGMA integrity_check(1)", [], |row| row.get(0)))?;
        match found.as_str() {
            "ok" => Ok(()),
            _ => Err(StoreError::broken(&self.path, format!("it is damaged: {found}"))),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Connection> {
        self.connection.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Applies a function to the database. If it turns out to be damaged, the run continues with a
    /// new one.
    pub(crate) fn with<T>(
        &self,
        action: impl Fn(&Connection) -> rusqlite::Result<T>,
    ) -> Result<T, StoreError> {
        let failed = |e: rusqlite::Error| StoreError::database(&self.path, &e);
        let mut connection = self.lock();
        let reason = match action(&connection).map_err(failed) {
            Err(StoreError::Broken { reason, .. }) if self.replaces_damaged => reason,
            done => return done,
        };
        self.replace(&mut connection, reason)?;
        action(&connection).map_err(failed)
    }

    /// Replaces a damaged journal by a new one, and records the current run there.
    fn replace(&self, connection: &mut Connection, reason: String) -> Result<(), StoreError> {
        let failed = |e: rusqlite::Error| StoreError::database(&self.path, &e);
        let begun = self.begun.lock().unwrap_or_else(PoisonError::into_inner);
        // Closes the files of the old one before they are renamed.
        drop(std::mem::replace(connection, Connection::open_in_memory().map_err(failed)?));
        let damage = damage::set_aside(&self.dir, reason, begun.as_ref().map(|run| run.number))?;
        (_, *connection) = migrate::open(&self.dir, JOURNAL_FILE, JOURNAL)?;
        if let Some(run) = &*begun {
            run.insert(connection).map_err(failed)?;
        }
        self.damages.lock().unwrap_or_else(PoisonError::into_inner).push(damage);
        Ok(())
    }

    /// The damage that was found since the journal was opened or this was last called.
    pub fn take_damages(&self) -> Vec<Damage> {
        std::mem::take(&mut self.damages.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// The directory of the database.
    pub fn directory(&self) -> &Path {
        self.path.parent().unwrap_or(Path::new("."))
    }

    /// Records the start of a run. Old runs are removed with their backups.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn begin(&self, kind: &str, subject: &RunTarget) -> Result<Run, StoreError> {
        let started = milliseconds(SystemTime::now());
        let begun =
            |number| RunInProgress { number, kind: kind.into(), started, subject: subject.clone() };
        let number = self.with(|c| {
            let last: Option<i64> = c.query_row("SELECT max(id) FROM runs", [], |r| r.get(0))?;
            let number = last.unwrap_or(0).saturating_add(1);
            begun(number).insert(c)?;
            c.execute("DELETE FROM runs WHERE id <= ?1", [number - MAX_RUNS])?;
            Ok(number)
        })?;
        *self.begun.lock().unwrap_or_else(PoisonError::into_inner) = Some(begun(number));
        self.forget_backups(number - MAX_RUNS);
        self.sweep_backups(number)?;
        Ok(Run(number))
    }

    /// Records that a resource is about to change, with a list of objects with `property` and
    /// `message`. They must not contain secrets.
    ///
    /// # Errors
    /// When it cannot be written: the change should then not be made.
    pub fn begin_step(
        &self,
        run: Run,
        resource: &str,
        action: &str,
        changes: &Json,
    ) -> Result<(), StoreError> {
        self.with(|c| {
            let mut statement = c.prepare_cached(
                "INSERT INTO steps (run, resource, action, begun, changes)
                 VALUES (?1, ?2, ?3, ?4, ?5)",
            )?;
            let now = milliseconds(SystemTime::now());
            statement.execute(params![run.0, resource, action, now, changes.to_string()]).map(drop)
        })
    }

    /// Records that the change was made or failed.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn end_step(&self, run: Run, resource: &str, ok: bool) -> Result<(), StoreError> {
        self.with(|c| {
            let mut statement = c.prepare_cached(
                "UPDATE steps SET ended = ?3, ok = ?4
                 WHERE run = ?1 AND resource = ?2 AND ended IS NULL",
            )?;
            let now = milliseconds(SystemTime::now());
            statement.execute(params![run.0, resource, now, ok]).map(drop)
        })
    }

    /// The time when a resource with a schedule was last applied, in seconds since 1970.
    ///
    /// # Errors
    /// When the journal cannot be read.
    pub fn last_applied(&self, resource: &str) -> Result<Option<i64>, StoreError> {
        self.with(|c| {
            let mut found = c.prepare_cached("SELECT at FROM applied WHERE resource = ?1")?;
            found.query_row([resource], |row| row.get(0)).optional()
        })
    }

    /// Records that a resource with a schedule is being applied.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn note_applied(&self, resource: &str, at: i64) -> Result<(), StoreError> {
        self.with(|c| {
            let mut put =
                c.prepare_cached("INSERT OR REPLACE INTO applied (resource, at) VALUES (?1, ?2)")?;
            put.execute(params![resource, at]).map(drop)
        })
    }

    /// Records the end of a run. The summary must not contain secrets.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn finish(&self, run: Run, summary: &Json) -> Result<(), StoreError> {
        let now = milliseconds(SystemTime::now());
        self.with(|c| {
            c.execute(
                "UPDATE runs SET finished = ?2, summary = ?3 WHERE id = ?1",
                params![run.0, now, summary.to_string()],
            )
            .map(drop)
        })?;
        self.mark_completed(run)
    }

    /// Records that a run completed the work of earlier unfinished runs, so that they are not
    /// reported again.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn mark_completed(&self, run: Run) -> Result<(), StoreError> {
        let sql = "UPDATE runs SET recovery = ?2 WHERE finished IS NULL AND id < ?1";
        self.with(|c| c.execute(sql, params![run.0, SETTLED]).map(drop))
    }

    /// Records an interrupted run. The next run treats it as one that was killed. The summary must
    /// not contain secrets.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn break_off(&self, run: Run, summary: &Json) -> Result<(), StoreError> {
        let sql = "UPDATE runs SET summary = ?2 WHERE id = ?1";
        self.with(|c| c.execute(sql, params![run.0, summary.to_string()]).map(drop))
    }

    /// Unfinished runs whose work no later run completed ([`Store::mark_completed`]), the earliest first.
    /// Call it before [`Store::begin`], with the [`crate::RunLock`] held, so that none of them is
    /// still active.
    ///
    /// # Errors
    /// When the journal cannot be read.
    pub fn take_interrupted(&self) -> Result<Vec<InterruptedRun>, StoreError> {
        self.with(|c| {
            let mut runs = c.prepare(
                "SELECT id, pid, started, recovery FROM runs WHERE finished IS NULL AND recovery <> ?1
                 ORDER BY id",
            )?;
            let rows = runs.query_map([SETTLED], |row| {
                let is_new = row.get::<_, i64>(3)? == 0;
                Ok((row.get::<_, i64>(0)?, row.get::<_, u32>(1)?, row.get::<_, i64>(2)?, is_new))
            })?;
            let mut out = Vec::new();
            for row in rows {
                let (id, pid, started, is_new) = row?;
                let in_progress = steps(c, id, "ended IS NULL")?;
                let done = steps(c, id, "ok = 1")?;
                let started = time(started);
                out.push(InterruptedRun { pid, started, in_progress, done, is_new });
            }
            c.execute("UPDATE runs SET recovery = ?1 WHERE finished IS NULL AND recovery = 0", [REPORTED])?;
            Ok(out)
        })
    }
}

fn steps(connection: &Connection, run: i64, which: &str) -> rusqlite::Result<Vec<StepInProgress>> {
    let mut steps = connection.prepare(&format!(
        "SELECT resource, action FROM steps WHERE run = ?1 AND {which} ORDER BY rowid",
    ))?;
    let rows = steps.query_map([run], |row| {
        Ok(StepInProgress { resource: row.get(0)?, action: row.get(1)? })
    })?;
    rows.collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::os::unix::fs::PermissionsExt;

    use serde_json::json;

    use super::*;

    #[test]
    fn the_next_runs_learn_what_was_under_way_until_one_comes_to_its_end() {
        let dir = tempfile::tempdir().unwrap();
        {
            let store = Store::open(dir.path()).unwrap();
            let run = store.begin("apply", &RunTarget::default()).unwrap();
            store.begin_step(run, "File[/a]", "create ensure", &json!([])).unwrap();
            store.end_step(run, "File[/a]", true).unwrap();
            store.begin_step(run, "File[/b]", "modify content", &json!([])).unwrap();
        }
        let store = Store::open(dir.path()).unwrap();
        let interrupted = store.take_interrupted().unwrap();
        let in_progress =
            vec![StepInProgress { resource: "File[/b]".into(), action: "modify content".into() }];
        assert_eq!(interrupted[0].in_progress, in_progress);
        assert!(interrupted[0].done.iter().all(|step| step.resource != "File[/b]"));
        assert_eq!(interrupted[0].pid, std::process::id());
        assert!(interrupted[0].is_new);
        // A run that was interrupted itself does not complete earlier work.
        let second = store.begin("apply", &RunTarget::default()).unwrap();
        store.break_off(second, &json!({ "changed": 0 })).unwrap();
        let both = store.take_interrupted().unwrap();
        assert_eq!(both.iter().map(|run| run.is_new).collect::<Vec<_>>(), [false, true]);
        assert_eq!(both[0].in_progress, in_progress);
        let third = store.begin("apply", &RunTarget::default()).unwrap();
        store.finish(third, &Json::Null).unwrap();
        assert!(store.take_interrupted().unwrap().is_empty());
    }

    #[test]
    fn a_finished_run_keeps_its_summary_and_is_not_interrupted() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(dir.path()).unwrap();
        let run = store.begin("apply", &RunTarget::default()).unwrap();
        store.finish(run, &json!({ "changed": 2 })).unwrap();
        assert!(store.take_interrupted().unwrap().is_empty());
        let sql = "SELECT summary FROM runs WHERE finished IS NOT NULL";
        let summary = store.with(|c| c.query_row(sql, [], |r| r.get::<_, String>(0))).unwrap();
        assert_eq!(summary, r#"{"changed":2}"#);
    }

    #[test]
    fn old_runs_are_forgotten_with_their_steps() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(dir.path()).unwrap();
        for _ in 0..MAX_RUNS + 5 {
            let run = store.begin("apply", &RunTarget::default()).unwrap();
            store.begin_step(run, "File[/a]", "x", &json!([])).unwrap();
        }
        let count =
            |sql: &str| store.with(|c| c.query_row(sql, [], |r| r.get::<_, i64>(0))).unwrap();
        assert_eq!(count("SELECT count(*) FROM runs"), MAX_RUNS);
        assert_eq!(count("SELECT count(*) FROM steps"), MAX_RUNS);
    }

    #[test]
    fn a_newer_or_broken_state_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        drop(Store::open(dir.path()).unwrap());
        let path = dir.path().join("state.db");
        Connection::open(&path).unwrap().pragma_update(None, "user_version", 99).unwrap();
        assert!(matches!(Store::open(dir.path()), Err(StoreError::NewerSchema { found: 99, .. })));
        std::fs::remove_file(&path).unwrap();
        std::fs::write(&path, "this is no database at all, only text").unwrap();
        assert!(matches!(Store::open(dir.path()), Err(StoreError::Broken { .. })));
    }

    #[test]
    fn a_full_disk_is_an_error_and_not_a_crash() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(dir.path()).unwrap();
        let run = store.begin("apply", &RunTarget::default()).unwrap();
        store.with(|c| c.pragma_update(None, "max_page_count", 8)).unwrap();
        let long = "x".repeat(100_000);
        let error = store.begin_step(run, &long, "x", &json!([])).unwrap_err().to_string();
        assert!(error.ends_with("the disk is full"), "{error}");
        store.finish(run, &Json::Null).unwrap();
    }

    #[test]
    fn only_its_owner_reads_it_in_a_directory_that_others_read() {
        let dir = tempfile::tempdir().unwrap();
        let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
        let set = |path: &Path, mode| {
            std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
        };
        set(dir.path(), 0o755);
        let names = ["state.db", "state.db-wal", "state.db-shm"].map(|name| dir.path().join(name));
        for _ in 0..2 {
            let store = Store::open(dir.path()).unwrap();
            store.begin("apply", &RunTarget::default()).unwrap();
            assert_eq!(names.each_ref().map(|path| mode(path)), [0o600; 3]);
            // As an earlier version created them.
            names.iter().for_each(|path| set(path, 0o644));
        }
    }

    #[test]
    fn a_directory_that_cannot_be_made_is_named() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("file"), "").unwrap();
        let error = Store::open(&dir.path().join("file/state")).unwrap_err();
        assert!(error.to_string().contains("cannot be written"), "{error}");
    }
}
