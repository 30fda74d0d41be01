//! Sets damaged databases aside, so that runs continue without them.

use std::fs::File;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;

use crate::directory::{BACKUPS, DATABASE_SUFFIXES, JOURNAL_FILE, StateDir};
use crate::error::StoreError;

/// The prefix of directories that hold damaged databases.
pub(crate) const DAMAGED: &str = "damaged-";

/// A database that was damaged.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Damage {
    /// The message.
    pub reason: String,
    /// The directory that contains it now; for a journal with the backups of runs.
    pub moved_to: PathBuf,
}

/// Moves the journal and the backups of all runs but the active one to a directory that is named
/// after the time. The database itself is moved last, so that the next process can complete the
/// work of a killed one.
///
/// # Errors
/// When something cannot be moved.
pub(crate) fn set_aside(
    dir: &StateDir,
    reason: String,
    in_progress: Option<i64>,
) -> Result<Damage, StoreError> {
    let moved_to = make_directory(dir)?;
    for suffix in DATABASE_SUFFIXES {
        move_to(&moved_to, dir, &format!("{JOURNAL_FILE}{suffix}"))?;
    }
    move_to(&moved_to, dir, BACKUPS)?;
    if let Some(run) = in_progress {
        keep_backups(dir, &moved_to, run)?;
    }
    move_to(&moved_to, dir, JOURNAL_FILE)?;
    Ok(Damage { reason, moved_to })
}

/// Moves an entry of the state directory, if it exists.
fn move_to(moved_to: &Path, dir: &StateDir, name: &str) -> Result<(), StoreError> {
    let (from, to) = (dir.path().join(name), moved_to.join(name));
    match rustix::fs::rename(&from, &to) {
        Ok(()) | Err(Errno::NOENT) => Ok(()),
        Err(e) => Err(StoreError::errno(&from, e)),
    }
}

/// Moves the database of exported resources to a directory that is named after the time. `None` if
/// another process did so first.
///
/// # Errors
/// When something cannot be moved.
pub(crate) fn set_exports_aside(
    dir: &StateDir,
    name: &str,
    reason: String,
) -> Result<Option<Damage>, StoreError> {
    let path = dir.path().join(name);
    let failed = |e: std::io::Error| StoreError::io(&path, &e);
    let damaged = match File::open(&path) {
        Ok(file) => file,
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(e) => return Err(failed(e)),
    };
    // Only processes in this function hold this lock: SQLite uses another type of lock.
    flock(&damaged, FlockOperation::LockExclusive).map_err(|e| StoreError::errno(&path, e))?;
    let before = damaged.metadata().map_err(failed)?.ino();
    if std::fs::symlink_metadata(&path).map_or(0, |now| now.ino()) != before {
        return Ok(None);
    }
    let moved_to = make_directory(dir)?;
    for suffix in DATABASE_SUFFIXES {
        move_to(&moved_to, dir, &format!("{name}{suffix}"))?;
    }
    move_to(&moved_to, dir, name)?;
    Ok(Some(Damage { reason, moved_to }))
}

/// Moves any entry of the state directory to such a directory. Returns its new path.
///
/// # Errors
/// When it cannot be moved.
pub(crate) fn set_name_aside(dir: &StateDir, name: &str) -> Result<PathBuf, StoreError> {
    let moved_to = make_directory(dir)?.join(name);
    let from = dir.path().join(name);
    rustix::fs::rename(&from, &moved_to).map_err(|e| StoreError::errno(&from, e))?;
    Ok(moved_to)
}

/// Moves back the backups of the current run.
fn keep_backups(dir: &StateDir, moved_to: &Path, run: i64) -> Result<(), StoreError> {
    let run = run.to_string();
    let from = moved_to.join(BACKUPS).join(&run);
    if !from.exists() {
        return Ok(());
    }
    let failed = |e| StoreError::io(&from, &e);
    let backups = dir.path().join(BACKUPS);
    std::fs::DirBuilder::new().mode(0o700).create(&backups).map_err(failed)?;
    std::fs::rename(&from, backups.join(run)).map_err(failed)
}

/// Creates a directory that is named after the time.
fn make_directory(dir: &StateDir) -> Result<PathBuf, StoreError> {
    let stem = format!("{DAMAGED}{}", stamp(SystemTime::now()));
    let mut count = 1;
    loop {
        let name = if count == 1 { stem.clone() } else { format!("{stem}-{count}") };
        let path = dir.path().join(name);
        match std::fs::DirBuilder::new().mode(0o700).create(&path) {
            Ok(()) => return Ok(path),
            Err(e) if e.kind() == std::io::ErrorKind::AlreadyExists && count < 1000 => count += 1,
            Err(e) => return Err(StoreError::io(&path, &e)),
        }
    }
}

/// A time in UTC as a part of a file name, such as `20261123T084512Z`.
pub(crate) fn stamp(time: SystemTime) -> String {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    let (days, second) = (since / 86_400, since % 86_400);
    let (year, month, day) = date(days);
    let (hour, minute) = (second / 3600, second / 60 % 60);
    format!("{year:04}{month:02}{day:02}T{hour:02}{minute:02}{:02}Z", second % 60)
}

/// The Gregorian date this many days after 1970-01-01. Years are counted from March, so that the
/// leap day is their last.
fn date(days: u64) -> (u64, u64, u64) {
    const DAYS_OF_400_YEARS: u64 = 146_097;
    // Days from 0000-03-01 to 1970-01-01.
    let days = days + 719_468;
    let (era, day) = (days / DAYS_OF_400_YEARS, days % DAYS_OF_400_YEARS);
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let (year, month) = (year + era * 400, if month < 10 { month + 3 } else { month - 9 });
    (year + u64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn times_as_names() {
        let at = |seconds| stamp(UNIX_EPOCH + Duration::from_secs(seconds));
        assert_eq!(at(0), "19700101T000000Z");
        assert_eq!(at(951_782_399), "20000228T235959Z");
        assert_eq!(at(951_868_799), "20000229T235959Z");
        assert_eq!(at(1_795_423_512), "20261123T084512Z");
        assert_eq!(at(253_402_300_800), "100000101T000000Z");
        assert_eq!(stamp(UNIX_EPOCH - Duration::from_secs(1)), "19700101T000000Z");
    }
}
