//! Exported resources of all nodes, in a separate database: unlike the journal it contains values
//! of attributes, including secrets, so only its owner may read it.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use ecow::EcoString;
use ordain_graph::ResourceRef;
use ordain_graph::exports::{Exported, Exports};
use ordain_graph::json::{Secrets, read_value, write_value};
use ordain_graph::place::Place;
use rusqlite::{Connection, Row, params};
use rustix::fs::{AtFlags, CWD, Timespec, Timestamps, UTIME_NOW, utimensat};
use serde_json::Value as Json;

use crate::StoreError;
use crate::damage::{self, Damage};
use crate::directory::StateDir;
use crate::migrate::{self, EXPORTS};

/// The name of the database.
pub(crate) const FILE: &str = "exports.db";

/// The maximum size in bytes of a database that is checked when it is opened.
const MAX_CHECKED_SIZE: u64 = 16 << 20;

/// The maximum number of attempts to open the database while other processes set it aside.
const MAX_ATTEMPTS: usize = 5;

/// The exported resources of all nodes that were compiled with this store.
#[derive(Debug)]
pub struct ExportStore {
    connection: Mutex<Connection>,
    path: PathBuf,
    dir: StateDir,
    damages: Mutex<Vec<Damage>>,
}

impl ExportStore {
    /// Opens the store in a directory, which is created if missing. A damaged database is set aside
    /// and replaced by a new one, now or when the damage is found: see
    /// [`ExportStore::take_damages`].
    ///
    /// # Errors
    /// When it cannot be written, or was created by a newer version.
    pub fn open(dir: &Path) -> Result<Self, StoreError> {
        let dir = StateDir::open(dir)?;
        let mut damages = Vec::new();
        let (path, connection) = open_new_or_whole(&dir, &mut damages)?;
        Ok(Self { connection: Mutex::new(connection), path, dir, damages: Mutex::new(damages) })
    }

    /// The damage that was found since the store was opened or this was last called.
    pub fn take_damages(&self) -> Vec<Damage> {
        std::mem::take(&mut self.damages.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// The files that change with the content of the store.
    pub fn files(&self) -> [PathBuf; 2] {
        let mut log = self.path.clone().into_os_string();
        log.push("-wal");
        [self.path.clone(), log.into()]
    }

    /// Wakes those who watch the files. They hear of the log while it is written, and may read the
    /// database before the commit is visible.
    pub(crate) fn announce_commit(&self) {
        // By path: SQLite loses its locks when a descriptor of the file is closed.
        let now = Timespec { tv_sec: 0, tv_nsec: UTIME_NOW };
        let now = Timestamps { last_access: now, last_modification: now };
        // Without this event they see the change with the next one.
        let _ = utimensat(CWD, &self.path, &now, AtFlags::empty());
    }

    /// Calls a function with the database. If it reports damage, calls it again with a new
    /// database.
    pub(crate) fn with<T>(
        &self,
        action: impl Fn(&mut Connection) -> rusqlite::Result<T>,
    ) -> Result<T, StoreError> {
        let failed = |e: rusqlite::Error| StoreError::database(&self.path, &e);
        let mut connection = self.connection.lock().unwrap_or_else(PoisonError::into_inner);
        let reason = match action(&mut connection).map_err(failed) {
            Err(StoreError::Broken { reason, .. }) => reason,
            done => return done,
        };
        // Closes the files of the old one before they are renamed.
        drop(std::mem::replace(&mut *connection, Connection::open_in_memory().map_err(failed)?));
        let mut damages = self.damages.lock().unwrap_or_else(PoisonError::into_inner);
        damages.extend(damage::set_exports_aside(&self.dir, FILE, reason)?);
        (_, *connection) = open_new_or_whole(&self.dir, &mut damages)?;
        action(&mut connection).map_err(failed)
    }

    /// Replaces the exports of a node in one transaction.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn save(&self, node: &str, exported: &[Exported]) -> Result<(), StoreError> {
        self.with(|connection| {
            let transaction = connection.transaction()?;
            transaction.execute("DELETE FROM exports WHERE node = ?1", [node])?;
            let mut insert = transaction.prepare(
                "INSERT INTO exports (node, kind, title, attributes, tags, file, line)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
            )?;
            for one in exported {
                let attributes = one.attributes.iter();
                let attributes: Json = attributes
                    .map(|(name, value)| {
                        Json::from(vec![
                            Json::from(name.as_str()),
                            write_value(value, Secrets::Include),
                        ])
                    })
                    .collect();
                let tags: Json = one.tags.iter().map(EcoString::as_str).collect();
                let file = one.place.as_ref().map(|p| p.file.as_str());
                let line = one.place.as_ref().map(|p| p.line);
                let (kind, title) = (one.id.kind.as_str(), one.id.title.as_str());
                let (attributes, tags) = (attributes.to_string(), tags.to_string());
                insert.execute(params![node, kind, title, attributes, tags, file, line])?;
            }
            drop(insert);
            transaction.commit()
        })?;
        self.announce_commit();
        Ok(())
    }
}

/// Opens the database, a new one if it is damaged.
fn open_new_or_whole(
    dir: &StateDir,
    damages: &mut Vec<Damage>,
) -> Result<(PathBuf, Connection), StoreError> {
    for _ in 0..MAX_ATTEMPTS {
        match open_whole(dir) {
            Err(StoreError::Broken { reason, .. }) => {
                damages.extend(damage::set_exports_aside(dir, FILE, reason)?);
            }
            // Another process has set it aside since the check.
            Err(StoreError::Unwritable { .. }) if dir.stat(FILE)?.is_none() => {}
            opened => return opened,
        }
    }
    open_whole(dir)
}

/// Opens the database, and checks it for damage unless it is very large.
fn open_whole(dir: &StateDir) -> Result<(PathBuf, Connection), StoreError> {
    let (path, connection) = migrate::open(dir, FILE, EXPORTS)?;
    if path.metadata().is_ok_and(|found| found.len() <= MAX_CHECKED_SIZE) {
        let found = migrate::find_damage(&connection);
        if let Some(found) = found.map_err(|e| StoreError::database(&path, &e))? {
            return Err(StoreError::broken(&path, format!("it is damaged: {found}")));
        }
    }
    Ok((path, connection))
}

impl Exports for ExportStore {
    fn of_kind(&self, kind: &str, except: &str) -> Result<Vec<Exported>, String> {
        let found = self.with(|connection| {
            let mut select = connection.prepare_cached(
                "SELECT node, title, attributes, tags, file, line FROM exports
                 WHERE kind = ?1 AND node != ?2 ORDER BY node, title",
            )?;
            let rows = select.query_map([kind, except], |row| Ok(exported(kind, row)))?;
            rows.collect::<rusqlite::Result<Vec<_>>>()
        });
        let found = found.map_err(|e| e.to_string())?;
        found.into_iter().collect::<Result<_, _>>().map_err(|e| {
            format!("{} contains an invalid exported resource: {e}", self.path.display())
        })
    }
}

fn exported(kind: &str, row: &Row<'_>) -> Result<Exported, String> {
    let text = |column: usize| row.get::<_, String>(column).map_err(|e| e.to_string());
    let attributes: Vec<(String, Json)> =
        serde_json::from_str(&text(2)?).map_err(|e| e.to_string())?;
    let attributes = attributes
        .into_iter()
        .map(|(name, value)| Ok((name.into(), read_value(&value).map_err(|e| e.to_string())?)));
    let tags: Vec<String> = serde_json::from_str(&text(3)?).map_err(|e| e.to_string())?;
    let place = text(4).ok().zip(row.get(5).ok());
    Ok(Exported {
        node: text(0)?.into(),
        id: ResourceRef { kind: kind.into(), title: text(1)?.into() },
        attributes: attributes.collect::<Result<_, String>>()?,
        tags: tags.into_iter().map(EcoString::from).collect(),
        place: place.map(|(file, line)| Place { file, line, column: 0 }),
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::os::unix::fs::PermissionsExt;
    use std::sync::Arc;

    use ordain_data::Value;

    use super::*;

    fn host(node: &str, title: &str) -> Exported {
        Exported {
            node: node.into(),
            id: ResourceRef { kind: "Host".into(), title: title.into() },
            attributes: vec![
                ("ip".into(), Value::str("10.0.0.1")),
                ("key".into(), Value::Secret(Arc::new(Value::str("hunter2")))),
                ("port".into(), Value::Int(22)),
            ],
            tags: vec!["host".into(), "web".into()],
            place: Some(Place { file: "site.pp".into(), line: 3, column: 0 }),
        }
    }

    #[test]
    fn exports_of_a_node_are_found_by_the_others() {
        let dir = tempfile::tempdir().unwrap();
        let store = ExportStore::open(dir.path()).unwrap();
        store.save("b", &[host("b", "z"), host("b", "y")]).unwrap();
        store.save("a", &[host("a", "x")]).unwrap();
        let titles = |except: &str| -> Vec<String> {
            let found = store.of_kind("Host", except).unwrap();
            found.iter().map(|e| e.id.title.to_string()).collect()
        };
        assert_eq!(titles("a"), ["y", "z"]);
        assert_eq!(titles("c"), ["x", "y", "z"]);
        assert_eq!(store.of_kind("Host", "b").unwrap(), [host("a", "x")]);
        assert!(store.of_kind("File", "c").unwrap().is_empty());
        store.save("b", &[]).unwrap();
        assert_eq!(titles("c"), ["x"]);
    }

    #[test]
    fn only_the_owner_may_read_it() {
        let dir = tempfile::tempdir().unwrap();
        ExportStore::open(dir.path()).unwrap();
        let mode = std::fs::metadata(dir.path().join("exports.db")).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
}
