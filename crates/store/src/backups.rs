//! Backups: the states of paths before and after a run.

use std::path::PathBuf;

use rusqlite::params;

use crate::error::StoreError;
use crate::journal::{Run, Store};

/// A path that a run changed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ChangedPath {
    /// The bytes of the path.
    pub path: Vec<u8>,
    /// The state before, as it was recorded.
    pub before: String,
    /// The state after the run; `None` if the run did not complete.
    pub after: Option<String>,
    /// The name of the path in messages, if the path is secret.
    pub name: Option<String>,
}

/// The state of a path before a change.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PathBefore {
    /// The bytes of the path.
    pub path: Vec<u8>,
    /// The state, in the form that [`Store::changed_paths`] returns.
    pub state: String,
    /// The name of the path in messages, if the path is secret.
    pub name: Option<String>,
}

impl Run {
    /// Its number, as the history lists it.
    pub fn number(self) -> i64 {
        self.0
    }
}

impl Store {
    /// The directory with the backups of a run, which need not exist.
    pub fn backups(&self, run: i64) -> PathBuf {
        self.directory().join("backups").join(run.to_string())
    }

    /// Removes the backups of runs up to this one.
    pub(crate) fn forget_backups(&self, last: i64) {
        let Ok(entries) = std::fs::read_dir(self.directory().join("backups")) else { return };
        for entry in entries.flatten() {
            let number = entry.file_name().to_str().and_then(|name| name.parse::<i64>().ok());
            if number.is_some_and(|number| number <= last) {
                // A directory that cannot be removed now is removed by a later run.
                let _ = std::fs::remove_dir_all(entry.path());
            }
        }
    }

    /// Removes incomplete backups of killed runs, whose names begin with a dot. `own` is the
    /// current run, the only active one.
    pub(crate) fn sweep_backups(&self, own: i64) -> Result<(), StoreError> {
        let killed: Vec<i64> = self.with(|c| {
            let mut killed =
                c.prepare("SELECT id FROM runs WHERE finished IS NULL AND id != ?1")?;
            let rows = killed.query_map([own], |row| row.get(0))?;
            rows.collect()
        })?;
        for run in killed {
            let Ok(entries) = std::fs::read_dir(self.backups(run)) else { continue };
            for entry in entries.flatten() {
                if entry.file_name().as_encoded_bytes().starts_with(b".") {
                    // A directory that cannot be removed now is removed by a later run.
                    let _ = std::fs::remove_file(entry.path());
                }
            }
        }
        Ok(())
    }

    /// Records the states of paths before a change.
    ///
    /// # Errors
    /// When it cannot be written: the change should then not be made.
    pub fn note_before(&self, run: Run, paths: &[PathBefore]) -> Result<(), StoreError> {
        self.with(|c| {
            let changes = c.unchecked_transaction()?;
            {
                let mut insert = changes.prepare_cached(
                    "INSERT OR IGNORE INTO backups (run, path, before, name) VALUES (?1, ?2, ?3, ?4)",
                )?;
                for PathBefore { path, state, name } in paths {
                    insert.execute(params![run.0, path, state, name])?;
                }
            }
            changes.commit()
        })
    }

    /// Records the states of paths after the run: the bytes of each path, and a text.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn note_after(&self, run: Run, paths: &[(Vec<u8>, String)]) -> Result<(), StoreError> {
        self.with(|c| {
            let changes = c.unchecked_transaction()?;
            {
                let mut update = changes
                    .prepare_cached("UPDATE backups SET after = ?3 WHERE run = ?1 AND path = ?2")?;
                for (path, state) in paths {
                    update.execute(params![run.0, path, state])?;
                }
            }
            changes.commit()
        })
    }

    /// The paths that a run changed, in the order of their bytes.
    ///
    /// # Errors
    /// When the journal cannot be read.
    pub fn changed_paths(&self, run: i64) -> Result<Vec<ChangedPath>, StoreError> {
        self.with(|c| {
            let mut statement = c.prepare(
                "SELECT path, before, after, name FROM backups WHERE run = ?1 ORDER BY path",
            )?;
            let rows = statement.query_map([run], |row| {
                let (path, before, after) = (row.get(0)?, row.get(1)?, row.get(2)?);
                Ok(ChangedPath { path, before, after, name: row.get(3)? })
            })?;
            rows.collect()
        })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::RunTarget;

    #[test]
    fn the_first_state_of_a_path_counts() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(dir.path()).unwrap();
        let run = store.begin("apply", &RunTarget::default()).unwrap();
        let found = |path: &[u8], state: &str| PathBefore {
            path: path.to_vec(),
            state: state.into(),
            name: None,
        };
        store.note_before(run, &[found(b"/b", "1"), found(b"/\xff", "2")]).unwrap();
        store.note_before(run, &[found(b"/b", "3")]).unwrap();
        store.note_after(run, &[(b"/b".to_vec(), "4".into())]).unwrap();
        let backups = store.changed_paths(run.number()).unwrap();
        let shown: Vec<_> =
            backups.iter().map(|k| (k.path.as_slice(), &*k.before, k.after.as_deref())).collect();
        assert_eq!(shown, [(&b"/b"[..], "1", Some("4")), (&b"/\xff"[..], "2", None)]);
    }

    #[test]
    fn contents_of_runs_long_past_go() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(dir.path()).unwrap();
        for number in [1, 2, 3] {
            std::fs::create_dir_all(store.backups(number)).unwrap();
        }
        store.forget_backups(2);
        assert!(!store.backups(2).exists() && store.backups(3).exists());
    }

    #[test]
    fn incomplete_backups_of_a_killed_run_are_removed() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(dir.path()).unwrap();
        let killed = store.backups(store.begin("apply", &RunTarget::default()).unwrap().number());
        std::fs::create_dir_all(&killed).unwrap();
        for name in [".kept.1-0.ordain", "digest"] {
            std::fs::write(killed.join(name), "").unwrap();
        }
        store.begin("apply", &RunTarget::default()).unwrap();
        assert!(!killed.join(".kept.1-0.ordain").exists() && killed.join("digest").exists());
    }
}
