//! Opens databases, and brings their schema up to date.

use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use rusqlite::{Connection, ErrorCode, OpenFlags};
use rustix::fs::{CWD, RenameFlags};
use rustix::io::Errno;
use rustix::process::Pid;

use crate::directory::StateDir;
use crate::error::StoreError;

/// The schema of a database.
#[derive(Debug)]
pub(crate) struct Schema {
    /// The migrations; migration n leads to version n + 1. A released migration never changes.
    pub(crate) migrations: &'static [&'static str],
    /// Statements that can be prepared only if all tables and columns exist.
    probes: &'static [&'static str],
}

/// The schema of the journal.
pub(crate) const JOURNAL: &Schema = &Schema {
    migrations: &[
        include_str!("migrations/0001_runs.sql"),
        include_str!("migrations/0002_changes.sql"),
        include_str!("migrations/0003_backups.sql"),
        include_str!("migrations/0004_applied.sql"),
        include_str!("migrations/0005_outcomes.sql"),
        include_str!("migrations/0006_names.sql"),
        include_str!("migrations/0007_backups.sql"),
    ],
    probes: &[
        "SELECT id, kind, pid, started, finished, summary, recovery, source, node, account, root
         FROM runs",
        "SELECT run, resource, action, begun, ended, ok, changes FROM steps",
        "SELECT run, path, before, after, name FROM backups",
        "SELECT resource, at FROM applied",
        "SELECT run, resource, status, cause, file, line, is_over FROM outcomes",
        "SELECT resource, property, value FROM audited",
    ],
};

/// The schema of exported resources.
pub(crate) const EXPORTS: &Schema = &Schema {
    migrations: &[
        include_str!("migrations/exports_0001.sql"),
        include_str!("migrations/exports_0002.sql"),
        include_str!("migrations/exports_0003.sql"),
    ],
    probes: &["SELECT node, kind, title, attributes, tags, file, line FROM exports"],
};

/// Opens a database of a state directory and migrates it; a missing one is created.
///
/// # Errors
/// When it cannot be written, is damaged, or was created by a newer version.
pub(crate) fn open(
    dir: &StateDir,
    name: &str,
    schema: &Schema,
) -> Result<(PathBuf, Connection), StoreError> {
    let path = dir.path().join(name);
    match dir.check_database(name)? {
        None => create(dir, name, schema)?,
        // A database that is created here is never empty, whenever this process is killed.
        Some(0) => return Err(StoreError::broken(&path, "it is empty")),
        // SQLite treats a file of one byte as new; no page is that small.
        Some(1..512) => return Err(StoreError::broken(&path, "it is cut off")),
        Some(_) => dir.close_database(name)?,
    }
    let connection = open_at(&path, schema)?;
    Ok((path, connection))
}

/// Creates a database under another name, so that it has its tables when it becomes visible.
fn create(dir: &StateDir, name: &str, schema: &Schema) -> Result<(), StoreError> {
    remove_abandoned(dir, name);
    let path = dir.path().join(name);
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let temporary = format!("{name}{NEW_INFIX}{}-{count}", std::process::id());
    let new = dir.path().join(&temporary);
    // SQLite gives its other files the mode of this one.
    let file = dir.open_file(&temporary)?;
    let failed = |e: rusqlite::Error| StoreError::database(&path, &e);
    let mut connection = Connection::open_with_flags(&new, flags()).map_err(failed)?;
    // Nobody else sees the file, and it is flushed as a whole below.
    for (name, value) in [("journal_mode", "off"), ("synchronous", "off")] {
        connection.pragma_update(None, name, value).map_err(failed)?;
    }
    migrate_schema(&mut connection, &path, schema)?;
    connection.close().map_err(|(_, e)| failed(e))?;
    file.sync_all().map_err(|e| StoreError::io(&path, &e))?;
    match rename_new(&new, &path) {
        Ok(()) => Ok(()),
        // Another process was first; its database is equivalent.
        Err(Errno::EXIST) => std::fs::remove_file(&new).map_err(|e| StoreError::io(&new, &e)),
        Err(e) => Err(StoreError::errno(&path, e)),
    }
}

/// Renames a file unless the new name exists.
pub(crate) fn rename_new(from: &Path, to: &Path) -> Result<(), Errno> {
    match rustix::fs::renameat_with(CWD, from, CWD, to, RenameFlags::NOREPLACE) {
        // Some file systems do not support such renames.
        Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => rustix::fs::rename(from, to),
        done => done,
    }
}

/// The infix of a database under construction, before the process id.
const NEW_INFIX: &str = ".new-";

/// The names of incomplete databases of killed processes.
pub(crate) fn abandoned(dir: &StateDir, name: &str) -> Vec<String> {
    let prefix = format!("{name}{NEW_INFIX}");
    let is_abandoned = |found: &String| {
        let Some(rest) = found.strip_prefix(&prefix) else { return false };
        let digits = rest.split(|c: char| !c.is_ascii_digit()).next().unwrap_or_default();
        digits.parse().ok().and_then(Pid::from_raw).is_some_and(|pid| !is_alive(pid))
    };
    dir.names().into_iter().filter(is_abandoned).collect()
}

/// Whether there is such a process.
pub(crate) fn is_alive(pid: Pid) -> bool {
    rustix::process::test_kill_process(pid) != Err(Errno::SRCH)
}

fn remove_abandoned(dir: &StateDir, name: &str) {
    for name in abandoned(dir, name) {
        // A directory that cannot be removed now is removed by a later run.
        let _ = std::fs::remove_file(dir.path().join(name));
    }
}

/// The path has no links, and opening must not create a database.
fn flags() -> OpenFlags {
    OpenFlags::SQLITE_OPEN_READ_WRITE
        | OpenFlags::SQLITE_OPEN_NOFOLLOW
        | OpenFlags::SQLITE_OPEN_NO_MUTEX
}

/// The maximum wait for a database that another process has locked.
const LOCK_TIMEOUT: Duration = Duration::from_secs(5);

/// Switches to a write-ahead log. SQLite does not wait for a lock here: several processes that open
/// a new database at the same time all need it exclusively.
fn use_log(connection: &Connection) -> rusqlite::Result<()> {
    const POLL_INTERVAL: Duration = Duration::from_millis(5);
    let start = Instant::now();
    loop {
        let busy = match connection.pragma_update(None, "journal_mode", "wal") {
            Err(error) if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy) => error,
            done => return done,
        };
        if start.elapsed() >= LOCK_TIMEOUT {
            return Err(busy);
        }
        std::thread::sleep(POLL_INTERVAL);
    }
}

fn open_at(path: &Path, schema: &Schema) -> Result<Connection, StoreError> {
    let failed = |e: rusqlite::Error| StoreError::database(path, &e);
    let mut connection = Connection::open_with_flags(path, flags()).map_err(failed)?;
    connection.busy_timeout(LOCK_TIMEOUT).map_err(failed)?;
    // Written data survives the end of the process at once, and a power failure after a short time.
    use_log(&connection).map_err(failed)?;
    for (name, value) in [("synchronous", "normal"), ("foreign_keys", "on")] {
        connection.pragma_update(None, name, value).map_err(failed)?;
    }
    migrate_schema(&mut connection, path, schema)?;
    Ok(connection)
}

/// Opens a database on a full or read-only disk for reading. `None` if it has to be written first,
/// because of its log or an old schema.
pub(crate) fn open_to_read(
    dir: &StateDir,
    name: &str,
    schema: &Schema,
) -> Option<(PathBuf, Connection)> {
    let path = dir.path().join(name);
    let log = dir.file_status(&format!("{name}-wal")).ok()?;
    dir.file_status(name).ok()??;
    if log.is_some_and(|log| log.st_size > 0) {
        return None;
    }
    // A read-only database does not change, so it needs no locks, which require files.
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY
        | OpenFlags::SQLITE_OPEN_URI
        | OpenFlags::SQLITE_OPEN_NOFOLLOW
        | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(uri(&path), flags).ok()?;
    let is_known = version(&connection).ok()? == schema.migrations.len() as i64;
    let has = |probe: &&str| connection.prepare(probe).is_ok();
    (is_known && schema.probes.iter().all(has)).then_some((path, connection))
}

/// The URI of an immutable database.
fn uri(path: &Path) -> String {
    let mut out = String::from("file:");
    for byte in path.as_os_str().as_bytes() {
        match byte {
            b'/' | b'.' | b'-' | b'_' | b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' => {
                out.push(char::from(*byte));
            }
            byte => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out + "?immutable=1"
}

fn migrate_schema(
    connection: &mut Connection,
    path: &Path,
    schema: &Schema,
) -> Result<(), StoreError> {
    let failed = |e: rusqlite::Error| StoreError::database(path, &e);
    let known = schema.migrations.len() as i64;
    let found = version(connection).map_err(failed)?;
    if found > known {
        return Err(StoreError::NewerSchema { path: path.to_path_buf(), found, known });
    }
    if found < 0 {
        return Err(StoreError::broken(path, format!("it has schema {found}")));
    }
    for (i, sql) in schema.migrations.iter().enumerate().skip(found as usize) {
        apply_step(connection, sql, i as i64 + 1).map_err(failed)?;
    }
    for probe in schema.probes {
        connection.prepare(probe).map(drop).map_err(failed)?;
    }
    Ok(())
}

fn version(connection: &Connection) -> rusqlite::Result<i64> {
    connection.query_row("PRAGMA user_version", [], |row| row.get(0))
}

/// Applies a step whole or not at all.
fn apply_step(connection: &mut Connection, sql: &str, version: i64) -> rusqlite::Result<()> {
    let transaction = connection.transaction()?;
    transaction.execute_batch(sql)?;
    transaction.pragma_update(None, "user_version", version)?;
    transaction.commit()
}

/// Checks a database; `None` if it is undamaged.
///
/// # Errors
/// When it cannot be checked.
pub(crate) fn find_damage(connection: &Connection) -> rusqlite::Result<Option<String>> {
    let found: String = connection.query_row("PRAGMA quick_check(1)", [], |row| row.get(0))?;
    Ok((found != "ok").then_some(found))
}
