//! The journal of runs.

use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rusqlite::{Connection, OptionalExtension, params};
use serde_json::Value as Json;

use crate::error::StoreError;
use crate::migrate::{self, JOURNAL};

/// How many runs are kept.
const KEPT: i64 = 100;

/// What the column `told` has for a run without an end that a later run made up for, and for one
/// that was told of, while no later run came to its end. It is 0 before.
const SETTLED: i64 = 1;
const TOLD: i64 = 2;

/// The state of this machine between runs.
#[derive(Debug)]
pub struct Store {
    connection: Mutex<Connection>,
    path: PathBuf,
}

/// A run that is written down.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Run(pub(crate) i64);

/// A change that was made, or under way when a run ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UnderWay {
    /// The resource.
    pub resource: String,
    /// What was done, or about to be.
    pub action: String,
}

/// A run that did not come to its end.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Interrupted {
    /// Its process.
    pub pid: u32,
    /// When it began.
    pub started: SystemTime,
    /// What it was about to do.
    pub under_way: Vec<UnderWay>,
    /// What it did, in that order.
    pub done: Vec<UnderWay>,
    /// Whether this is the first time that it is told of.
    pub is_new: bool,
}

/// Makes a state directory that only its owner can look into.
pub(crate) fn make_directory(dir: &Path) -> Result<(), StoreError> {
    let made = std::fs::DirBuilder::new().recursive(true).mode(0o700).create(dir);
    made.map_err(|e| StoreError::io(dir, &e))
}

fn milliseconds(time: SystemTime) -> i64 {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}

pub(crate) fn time(milliseconds: i64) -> SystemTime {
    UNIX_EPOCH + Duration::from_millis(milliseconds.unsigned_abs())
}

/// The name of the database.
const FILE: &str = "state.db";

impl Store {
    /// Opens the state in a directory, which is made if it is missing.
    ///
    /// # Errors
    /// When it cannot be written, is broken, or was made by a newer version.
    pub fn open(dir: &Path) -> Result<Self, StoreError> {
        make_directory(dir)?;
        let path = dir.join(FILE);
        let connection = migrate::open(&path, JOURNAL)?;
        Ok(Self { connection: Mutex::new(connection), path })
    }

    /// The state in a directory, if there is any.
    ///
    /// # Errors
    /// As of [`Store::open`].
    pub fn existing(dir: &Path) -> Result<Option<Self>, StoreError> {
        if dir.join(FILE).is_file() { Self::open(dir).map(Some) } else { Ok(None) }
    }

    fn lock(&self) -> MutexGuard<'_, Connection> {
        self.connection.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn with<T>(
        &self,
        action: impl FnOnce(&Connection) -> rusqlite::Result<T>,
    ) -> Result<T, StoreError> {
        action(&self.lock()).map_err(|e| StoreError::database(&self.path, &e))
    }

    /// The directory of the database.
    pub(crate) fn directory(&self) -> &Path {
        self.path.parent().unwrap_or(Path::new("."))
    }

    /// Writes down that a run begins; runs long past are forgotten, with what was kept for them.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn begin(&self, kind: &str) -> Result<Run, StoreError> {
        let run = self.with(|c| {
            c.execute(
                "INSERT INTO runs (kind, pid, started) VALUES (?1, ?2, ?3)",
                params![kind, std::process::id(), milliseconds(SystemTime::now())],
            )?;
            let run = c.last_insert_rowid();
            c.execute("DELETE FROM runs WHERE id <= ?1", [run - KEPT])?;
            Ok(run)
        })?;
        self.forget_backups(run - KEPT);
        self.sweep_backups(run)?;
        Ok(Run(run))
    }

    /// Writes down that a resource is about to be changed, and what of it: a list of objects with
    /// `property` and `message`, which must hold no secrets.
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

    /// Writes down that the change was made or failed.
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

    /// When a resource with a schedule was applied last, in seconds since 1970.
    ///
    /// # Errors
    /// When the journal cannot be read.
    pub fn last_applied(&self, resource: &str) -> Result<Option<i64>, StoreError> {
        self.with(|c| {
            let mut found = c.prepare_cached("SELECT at FROM applied WHERE resource = ?1")?;
            found.query_row([resource], |row| row.get(0)).optional()
        })
    }

    /// Writes down that it is applied.
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

    /// Writes down that a run came to its end. The summary must hold no secrets.
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
        self.settle(run)
    }

    /// Writes down that a run made up for those before it that did not come to their end: they are
    /// not told of again.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn settle(&self, run: Run) -> Result<(), StoreError> {
        let sql = "UPDATE runs SET told = ?2 WHERE finished IS NULL AND id < ?1";
        self.with(|c| c.execute(sql, params![run.0, SETTLED]).map(drop))
    }

    /// Writes down what a run did that was told to end before its end. The next run learns of it as
    /// of one that was killed. The summary must hold no secrets.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn break_off(&self, run: Run, summary: &Json) -> Result<(), StoreError> {
        let sql = "UPDATE runs SET summary = ?2 WHERE id = ?1";
        self.with(|c| c.execute(sql, params![run.0, summary.to_string()]).map(drop))
    }

    /// Runs that did not come to their end, and for which no later one made up ([`Store::settle`]),
    /// the first of them first. Ask before [`Store::begin`], with the [`crate::RunLock`] held, so
    /// that none of them is still under way.
    ///
    /// # Errors
    /// When the journal cannot be read.
    pub fn take_interrupted(&self) -> Result<Vec<Interrupted>, StoreError> {
        self.with(|c| {
            let mut runs = c.prepare(
                "SELECT id, pid, started, told FROM runs WHERE finished IS NULL AND told <> ?1
                 ORDER BY id",
            )?;
            let rows = runs.query_map([SETTLED], |row| {
                let is_new = row.get::<_, i64>(3)? == 0;
                Ok((row.get::<_, i64>(0)?, row.get::<_, u32>(1)?, row.get::<_, i64>(2)?, is_new))
            })?;
            let mut out = Vec::new();
            for row in rows {
                let (id, pid, started, is_new) = row?;
                let under_way = steps(c, id, "ended IS NULL")?;
                let done = steps(c, id, "ok = 1")?;
                let started = time(started);
                out.push(Interrupted { pid, started, under_way, done, is_new });
            }
            c.execute("UPDATE runs SET told = ?1 WHERE finished IS NULL AND told = 0", [TOLD])?;
            Ok(out)
        })
    }
}

fn steps(connection: &Connection, run: i64, which: &str) -> rusqlite::Result<Vec<UnderWay>> {
    let mut steps = connection.prepare(&format!(
        "SELECT resource, action FROM steps WHERE run = ?1 AND {which} ORDER BY rowid",
    ))?;
    let rows = steps
        .query_map([run], |row| Ok(UnderWay { resource: row.get(0)?, action: row.get(1)? }))?;
    rows.collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use serde_json::json;

    use super::*;

    #[test]
    fn the_next_runs_learn_what_was_under_way_until_one_comes_to_its_end() {
        let dir = tempfile::tempdir().unwrap();
        {
            let store = Store::open(dir.path()).unwrap();
            let run = store.begin("apply").unwrap();
            store.begin_step(run, "File[/a]", "create ensure", &json!([])).unwrap();
            store.end_step(run, "File[/a]", true).unwrap();
            store.begin_step(run, "File[/b]", "modify content", &json!([])).unwrap();
        }
        let store = Store::open(dir.path()).unwrap();
        let interrupted = store.take_interrupted().unwrap();
        let under_way =
            vec![UnderWay { resource: "File[/b]".into(), action: "modify content".into() }];
        assert_eq!(interrupted[0].under_way, under_way);
        assert!(interrupted[0].done.iter().all(|step| step.resource != "File[/b]"));
        assert_eq!(interrupted[0].pid, std::process::id());
        assert!(interrupted[0].is_new);
        // A run that is interrupted as well makes up for nothing.
        let second = store.begin("apply").unwrap();
        store.break_off(second, &json!({ "changed": 0 })).unwrap();
        let both = store.take_interrupted().unwrap();
        assert_eq!(both.iter().map(|run| run.is_new).collect::<Vec<_>>(), [false, true]);
        assert_eq!(both[0].under_way, under_way);
        let third = store.begin("apply").unwrap();
        store.finish(third, &Json::Null).unwrap();
        assert!(store.take_interrupted().unwrap().is_empty());
    }

    #[test]
    fn a_finished_run_keeps_its_summary_and_is_not_interrupted() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(dir.path()).unwrap();
        let run = store.begin("apply").unwrap();
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
        for _ in 0..KEPT + 5 {
            let run = store.begin("apply").unwrap();
            store.begin_step(run, "File[/a]", "x", &json!([])).unwrap();
        }
        let count =
            |sql: &str| store.with(|c| c.query_row(sql, [], |r| r.get::<_, i64>(0))).unwrap();
        assert_eq!(count("SELECT count(*) FROM runs"), KEPT);
        assert_eq!(count("SELECT count(*) FROM steps"), KEPT);
    }

    #[test]
    fn a_newer_or_broken_state_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        drop(Store::open(dir.path()).unwrap());
        let path = dir.path().join("state.db");
        Connection::open(&path).unwrap().pragma_update(None, "user_version", 99).unwrap();
        assert!(matches!(Store::open(dir.path()), Err(StoreError::Newer { found: 99, .. })));
        std::fs::remove_file(&path).unwrap();
        std::fs::write(&path, "this is no database at all, only text").unwrap();
        assert!(matches!(Store::open(dir.path()), Err(StoreError::Broken { .. })));
    }

    #[test]
    fn a_full_disk_is_an_error_and_not_a_crash() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(dir.path()).unwrap();
        let run = store.begin("apply").unwrap();
        store.with(|c| c.pragma_update(None, "max_page_count", 8)).unwrap();
        let long = "x".repeat(100_000);
        let error = store.begin_step(run, &long, "x", &json!([])).unwrap_err().to_string();
        assert!(error.ends_with("the disk is full"), "{error}");
        store.finish(run, &Json::Null).unwrap();
    }

    #[test]
    fn a_directory_that_cannot_be_made_is_named() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("file"), "").unwrap();
        let error = Store::open(&dir.path().join("file/state")).unwrap_err();
        assert!(error.to_string().contains("cannot be written"), "{error}");
    }
}
