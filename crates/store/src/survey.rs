//! Checks and repairs a state directory, for `ordain doctor`.

use std::path::{Path, PathBuf};

use rustix::fs::{FileType, Stat};

use crate::damage::{self, DAMAGED};
use crate::directory::{BACKUPS, DATABASE_SUFFIXES, JOURNAL_FILE, StateDir, file_type, octal};
use crate::error::{StoreError, disk_fault};
use crate::journal::Store;
use crate::lock::RunLock;
use crate::{exports, key, migrate};

/// The condition of an examined part.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Condition {
    /// As expected.
    Good,
    /// No error, but useful information.
    Remark,
    /// An error: runs fail or do harm.
    Bad,
}

/// The result of one check.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Finding {
    /// The examined part, such as `journal`.
    pub about: &'static str,
    /// Its condition.
    pub condition: Condition,
    /// The same in words.
    pub text: String,
    /// The remedy, if there is one.
    pub remedy: Option<Remedy>,
}

/// A remedy.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Remedy {
    /// Sets the permissions of a file or directory.
    Mode(PathBuf, u32),
    /// Removes an unused file or directory.
    Remove(PathBuf),
    /// Moves an entry of the state directory to a directory `damaged-TIME`.
    SetAside(String),
    /// Moves the journal with the backups of its runs to such a directory.
    Journal(String),
}

impl Finding {
    fn new(about: &'static str, condition: Condition, text: impl Into<String>) -> Self {
        Self { about, condition, text: text.into(), remedy: None }
    }

    fn with(self, remedy: Option<Remedy>) -> Self {
        Self { remedy, ..self }
    }
}

impl std::fmt::Display for Remedy {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Mode(path, mode) => write!(f, "chmod {} {}", octal(*mode), path.display()),
            Self::Remove(path) => write!(f, "remove {}", path.display()),
            Self::SetAside(name) => write!(f, "move {name} to a directory {DAMAGED}TIME"),
            Self::Journal(_) => {
                write!(f, "move the journal to a directory {DAMAGED}TIME and start a new one")
            }
        }
    }
}

/// A check of a state directory. While it exists no run begins.
#[derive(Debug)]
pub struct StateCheck {
    /// The findings.
    pub findings: Vec<Finding>,
    dir: Option<StateDir>,
    lock: Option<RunLock>,
}

impl StateCheck {
    /// Checks everything in a state directory. Nothing is changed, except that a missing lock file
    /// is created.
    pub fn of(path: &Path) -> Self {
        let mut survey = Self { findings: Vec::new(), dir: None, lock: None };
        match StateDir::existing(path) {
            Ok(None) => {
                let text =
                    format!("{} does not exist yet: the first run creates it", path.display());
                survey.report(Finding::new("directory", Condition::Good, text));
            }
            Ok(Some(dir)) => survey.check(dir),
            Err(error) => {
                let remedy = open_to_others(path, &error);
                let finding = Finding::new("directory", Condition::Bad, error.to_string());
                survey.report(finding.with(remedy));
            }
        }
        survey
    }

    fn report(&mut self, finding: Finding) {
        self.findings.push(finding);
    }

    fn check(&mut self, dir: StateDir) {
        self.check_directory(&dir);
        let is_safe = self.check_names(&dir);
        if is_safe {
            self.check_lock(&dir);
            self.check_journal(&dir);
            self.check_key(&dir);
        }
        self.check_leftovers(&dir);
        self.dir = Some(dir);
    }

    fn check_directory(&mut self, dir: &StateDir) {
        let path = dir.path();
        let Ok(Some(stat)) = dir.stat(".") else { return };
        let text =
            format!("{}, of user {}, mode {}", path.display(), stat.st_uid, octal(stat.st_mode));
        let finding = match stat.st_mode & 0o077 {
            0 => Finding::new("directory", Condition::Good, text),
            _ => Finding::new("directory", Condition::Remark, text + ": others can look into it")
                .with(Some(Remedy::Mode(path.to_path_buf(), 0o700))),
        };
        self.report(finding);
        if let Some(fault) = disk_fault(path) {
            self.report(Finding::new("disk", Condition::Bad, format!("{fault}: no run can begin")));
        }
    }

    /// Checks that all names that Ordain uses are regular files of the owner, or missing.
    fn check_names(&mut self, dir: &StateDir) -> bool {
        let databases = [JOURNAL_FILE, exports::FILE].into_iter().flat_map(|name| {
            let others = DATABASE_SUFFIXES.iter().map(move |suffix| format!("{name}{suffix}"));
            std::iter::once(name.to_string()).chain(others)
        });
        let names = databases.chain(["run.lock".to_string(), key::FILE.to_string()]);
        let files = names.map(|name| (dir.file_status(&name).map(drop), name));
        let backups = (dir.check_directory(BACKUPS).map(drop), BACKUPS.to_string());
        let wrong: Vec<(StoreError, String)> = files
            .chain([backups])
            .filter_map(|(found, name)| found.err().map(|error| (error, name)))
            .collect();
        for (error, name) in &wrong {
            let finding = Finding::new("files", Condition::Bad, error.to_string());
            self.report(finding.with(Some(Remedy::SetAside(name.clone()))));
        }
        wrong.is_empty()
    }

    fn check_lock(&mut self, dir: &StateDir) {
        match RunLock::acquire(dir.path()) {
            Ok(lock) => {
                self.lock = Some(lock);
                self.report(Finding::new("lock", Condition::Good, "free"));
            }
            Err(StoreError::Locked { pid, .. }) => {
                let name = std::fs::read_to_string(format!("/proc/{pid}/comm")).unwrap_or_default();
                let name =
                    if name.is_empty() { String::new() } else { format!(" ({})", name.trim()) };
                let text = format!("held by process {pid}{name}: a run is under way");
                self.report(Finding::new("lock", Condition::Good, text));
            }
            Err(error) => self.report(Finding::new("lock", Condition::Bad, error.to_string())),
        }
    }

    fn check_journal(&mut self, dir: &StateDir) {
        let opened = Store::existing(dir.path()).and_then(|store| {
            let Some(store) = store else { return Ok(None) };
            store.check_integrity()?;
            Ok(Some((store.runs()?, store)))
        });
        let (runs, store) = match opened {
            Ok(Some(found)) => found,
            Ok(None) => {
                let text = "there is none yet: the first run creates it";
                return self.report(Finding::new("journal", Condition::Good, text));
            }
            Err(error) => {
                let remedy = match &error {
                    // An active process sets it aside itself.
                    StoreError::Broken { reason, .. } if self.lock.is_some() => {
                        Some(Remedy::Journal(reason.clone()))
                    }
                    _ => None,
                };
                let finding = Finding::new("journal", Condition::Bad, error.to_string());
                return self.report(finding.with(remedy));
            }
        };
        let size = bytes(size_of(&dir.path().join(JOURNAL_FILE)));
        let text = format!("{size}, {}, intact", count(runs.len(), "run"));
        self.report(Finding::new("journal", Condition::Good, text));
        let is_free = self.lock.is_some();
        for run in runs.iter().filter(|run| is_free && run.finished.is_none()) {
            let text = format!("run {} ({}) was interrupted", run.number, run.kind);
            self.report(Finding::new("runs", Condition::Remark, text));
        }
        let known: Vec<i64> = runs.iter().map(|run| run.number).collect();
        self.check_backups(dir, &known);
        drop(store);
    }

    fn check_backups(&mut self, dir: &StateDir, runs: &[i64]) {
        let path = dir.path().join(BACKUPS);
        let entries: Vec<PathBuf> =
            std::fs::read_dir(&path).into_iter().flatten().flatten().map(|e| e.path()).collect();
        let number = |path: &PathBuf| path.file_name()?.to_str()?.parse::<i64>().ok();
        let total: u64 = entries.iter().map(|path| size_of(path)).sum();
        let text = format!("{} of {}", bytes(total), count(entries.len(), "run"));
        self.report(Finding::new("backups", Condition::Good, text));
        let orphans = entries.into_iter().filter(|path| {
            self.lock.is_some() && number(path).is_some_and(|number| !runs.contains(&number))
        });
        for path in orphans.collect::<Vec<_>>() {
            let text = format!("{} is of a run that is not known", path.display());
            let finding = Finding::new("backups", Condition::Remark, text);
            self.report(finding.with(Some(Remedy::Remove(path))));
        }
    }

    fn check_key(&mut self, dir: &StateDir) {
        match key::read(dir) {
            Ok(Some(_)) => self.report(Finding::new("plan key", Condition::Good, "there")),
            Ok(None) => {
                let text = "there is none yet: the first saved plan creates it";
                self.report(Finding::new("plan key", Condition::Good, text));
            }
            Err(error) => {
                let text = format!("{error}; plans that were saved with it are lost");
                let finding = Finding::new("plan key", Condition::Bad, text);
                self.report(finding.with(Some(Remedy::SetAside(key::FILE.into()))));
            }
        }
    }

    fn check_leftovers(&mut self, dir: &StateDir) {
        for name in [JOURNAL_FILE, exports::FILE, key::FILE] {
            for left in migrate::abandoned(dir, name) {
                let text = format!("{left} was left by a process that was killed");
                let finding = Finding::new("leftovers", Condition::Remark, text);
                self.report(finding.with(Some(Remedy::Remove(dir.path().join(left)))));
            }
        }
        for name in dir.names().into_iter().filter(|name| name.starts_with(DAMAGED)) {
            let path = dir.path().join(&name);
            let text = format!(
                "{name} was set aside, {}; remove it when it is no longer needed",
                bytes(size_of(&path))
            );
            self.report(Finding::new("leftovers", Condition::Remark, text));
        }
    }

    /// Applies a remedy; returns a description of the repair.
    ///
    /// # Errors
    /// When it cannot be repaired.
    pub fn repair(&self, remedy: &Remedy) -> Result<String, StoreError> {
        match remedy {
            Remedy::Mode(path, mode) => {
                use std::os::unix::fs::PermissionsExt;
                let mode = std::fs::Permissions::from_mode(*mode);
                std::fs::set_permissions(path, mode).map_err(|e| StoreError::io(path, &e))?;
            }
            Remedy::Remove(path) => {
                let removed = match path.is_dir() && !path.is_symlink() {
                    true => std::fs::remove_dir_all(path),
                    false => std::fs::remove_file(path),
                };
                removed.map_err(|e| StoreError::io(path, &e))?;
            }
            Remedy::SetAside(name) => {
                if let Some(dir) = &self.dir {
                    let moved = damage::set_name_aside(dir, name)?;
                    return Ok(format!("moved to {}", moved.display()));
                }
            }
            Remedy::Journal(reason) => {
                if let Some(dir) = &self.dir {
                    let moved = damage::set_aside(dir, reason.clone(), None)?.moved_to;
                    return Ok(format!("moved to {}", moved.display()));
                }
            }
        }
        Ok(format!("done: {remedy}"))
    }
}

/// The remedy for a directory of the user with too many permissions.
fn open_to_others(path: &Path, error: &StoreError) -> Option<Remedy> {
    let StoreError::Unsafe { path: wrong, .. } = error else { return None };
    let is_it = path.canonicalize().is_ok_and(|full| full == *wrong);
    let stat: Stat = rustix::fs::lstat(wrong).ok()?;
    let is_own = stat.st_uid == rustix::process::geteuid().as_raw();
    let is_sticky = stat.st_mode & 0o1000 != 0;
    (is_it && is_own && !is_sticky && file_type(&stat) == FileType::Directory)
        .then(|| Remedy::Mode(wrong.clone(), 0o700))
}

/// The size of a file, or of everything below a directory, in bytes.
fn size_of(path: &Path) -> u64 {
    let mut todo = vec![path.to_path_buf()];
    let mut size = 0;
    while let Some(path) = todo.pop() {
        let Ok(found) = std::fs::symlink_metadata(&path) else { continue };
        if found.is_dir() {
            todo.extend(std::fs::read_dir(&path).into_iter().flatten().flatten().map(|e| e.path()));
        } else {
            size += found.len();
        }
    }
    size
}

/// A size as people read it.
fn bytes(size: u64) -> String {
    match size {
        0..1_000 => count(size as usize, "byte"),
        1_000..1_000_000 => format!("{:.1} kB", size as f64 / 1e3),
        1_000_000..1_000_000_000 => format!("{:.1} MB", size as f64 / 1e6),
        _ => format!("{:.1} GB", size as f64 / 1e9),
    }
}

fn count(n: usize, word: &str) -> String {
    let ending = if n == 1 { "" } else { "s" };
    format!("{n} {word}{ending}")
}
