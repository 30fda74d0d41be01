//! The state directory, protected against other users.
//!
//! Ordain runs as root and writes here, so another user who could create a link here could make
//! root write anywhere. The directory and its parents must belong to the current user or root, and
//! nobody else may write to them or replace them. Then no other user can change a file between its
//! check and its use.

use std::collections::VecDeque;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStringExt;
use std::path::{Component, Path, PathBuf};

use rustix::fs::{self, AtFlags, FileType, Mode, OFlags, Stat};
use rustix::io::Errno;
use rustix::process::{getegid, geteuid};

use crate::error::StoreError;

/// The maximum number of links on the way to the directory, as in the kernel.
const MAX_LINKS: usize = 40;

/// The name of the database.
pub(crate) const JOURNAL_FILE: &str = "state.db";

/// The name of the directory with the backups of runs.
pub(crate) const BACKUPS: &str = "backups";

/// The suffixes of a database's files.
pub(crate) const DATABASE_SUFFIXES: [&str; 3] = ["-wal", "-shm", "-journal"];

/// A state directory that only its owner can have written.
#[derive(Debug)]
pub struct StateDir {
    fd: OwnedFd,
    /// Without links on the way.
    path: PathBuf,
}

/// The users whose files are trusted.
struct Trust {
    user: u32,
    group: u32,
    /// The owner of `/` has full access anyway; in a user namespace it is not always user 0.
    top: u32,
}

impl Trust {
    fn owner(&self, uid: u32) -> bool {
        uid == 0 || uid == self.user || uid == self.top
    }
}

impl StateDir {
    /// Opens a state directory; a missing one is created with mode 0700.
    ///
    /// # Errors
    /// When it cannot be opened or created, or when another user can change it or a directory
    /// above.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        walk(path, true)?.ok_or_else(|| StoreError::errno(path, Errno::NOENT))
    }

    /// Opens the state directory at a path, if it exists.
    ///
    /// # Errors
    /// The same as [`StateDir::open`].
    pub fn existing(path: &Path) -> Result<Option<Self>, StoreError> {
        walk(path, false)
    }

    /// Another handle of the directory.
    ///
    /// # Errors
    /// When the process has no more file descriptors.
    pub(crate) fn try_clone(&self) -> Result<Self, StoreError> {
        let fd = self.fd.try_clone().map_err(|e| StoreError::io(&self.path, &e))?;
        Ok(Self { fd, path: self.path.clone() })
    }

    /// Its path, without links on the way.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The directory as a separate open file, which can hold a lock.
    ///
    /// # Errors
    /// When the process has no more file descriptors.
    pub(crate) fn handle(&self) -> Result<File, StoreError> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let fd = fs::openat(&self.fd, ".", flags, Mode::empty());
        fd.map(File::from).map_err(|e| StoreError::errno(&self.path, e))
    }

    /// Opens a regular file in it for reading and writing; a missing one is created with mode 0600.
    ///
    /// # Errors
    /// When it cannot be opened, or is not a regular file of the owner with a single link.
    pub(crate) fn open_file(&self, name: &str) -> Result<File, StoreError> {
        let path = self.path.join(name);
        // Only regular files are opened: opening others may block or have side effects.
        self.file_status(name)?;
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let fd = fs::openat(&self.fd, name, flags, Mode::RUSR | Mode::WUSR)
            .map_err(|e| StoreError::errno(&path, e))?;
        let stat = fs::fstat(&fd).map_err(|e| StoreError::errno(&path, e))?;
        check_file(&path, &stat)?;
        Ok(File::from(fd))
    }

    /// The status of a regular file of the owner with a single link; `None` if it does not exist.
    ///
    /// # Errors
    /// When it is anything else.
    pub(crate) fn file_status(&self, name: &str) -> Result<Option<Stat>, StoreError> {
        let path = self.path.join(name);
        let Some(stat) = self.stat(name)? else { return Ok(None) };
        check_file(&path, &stat)?;
        Ok(Some(stat))
    }

    /// The status of any entry; `None` if it does not exist.
    ///
    /// # Errors
    /// When it cannot be read.
    pub(crate) fn stat(&self, name: &str) -> Result<Option<Stat>, StoreError> {
        match fs::statat(&self.fd, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) => Ok(Some(stat)),
            Err(Errno::NOENT) => Ok(None),
            Err(e) => Err(StoreError::errno(&self.path.join(name), e)),
        }
    }

    /// The names of the entries, sorted; names that are not UTF-8 are ignored.
    pub(crate) fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(&self.path).into_iter().flatten().flatten();
        let mut names: Vec<String> =
            entries.filter_map(|entry| entry.file_name().into_string().ok()).collect();
        names.sort();
        names
    }

    /// Checks the files of a database as [`StateDir::file_status`] does, and returns the size of an
    /// existing one in bytes. The files are not opened: closing one would release the locks that
    /// SQLite holds in this process.
    ///
    /// # Errors
    /// When one of them is not a regular file of the owner with a single link.
    pub(crate) fn check_database(&self, name: &str) -> Result<Option<u64>, StoreError> {
        for suffix in DATABASE_SUFFIXES {
            self.file_status(&format!("{name}{suffix}"))?;
        }
        Ok(self.file_status(name)?.map(|stat| u64::try_from(stat.st_size).unwrap_or(0)))
    }

    /// Removes the permissions of other users from the files of a database.
    ///
    /// # Errors
    /// When one of them is not a regular file of the owner with a single link.
    pub(crate) fn close_database(&self, name: &str) -> Result<(), StoreError> {
        for suffix in DATABASE_SUFFIXES.iter().chain(&[""]) {
            let name = format!("{name}{suffix}");
            if self.file_status(&name)?.is_some_and(|stat| stat.st_mode & 0o077 != 0) {
                let mode = Mode::RUSR | Mode::WUSR;
                // A file that belongs to root stays unchanged when another user reads it.
                let _ = fs::chmodat(&self.fd, name.as_str(), mode, AtFlags::empty());
            }
        }
        Ok(())
    }

    /// Checks a subdirectory. Returns whether it exists.
    ///
    /// # Errors
    /// When it is not a directory of the owner, or others can write to it.
    pub(crate) fn check_directory(&self, name: &str) -> Result<bool, StoreError> {
        let path = self.path.join(name);
        let Some(stat) = self.stat(name)? else { return Ok(false) };
        if file_type(&stat) != FileType::Directory {
            return Err(unsafe_to_use(&path, &format!("it is {}", kind_name(&stat))));
        }
        check_last(&path, &stat, &trust()?)?;
        Ok(true)
    }
}

/// The users that this process trusts.
fn trust() -> Result<Trust, StoreError> {
    let top = fs::stat("/").map_err(|e| StoreError::errno(Path::new("/"), e))?;
    Ok(Trust { user: geteuid().as_raw(), group: getegid().as_raw(), top: top.st_uid })
}

/// Walks to a directory and checks each component.
fn walk(path: &Path, create: bool) -> Result<Option<StateDir>, StoreError> {
    let failed = |at: &Path, e: Errno| StoreError::errno(at, e);
    let full = std::path::absolute(path).map_err(|e| StoreError::io(path, &e))?;
    let trust = trust()?;
    let open = |dir: &OwnedFd, name: &OsStr| {
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        fs::openat(dir, name, flags, Mode::empty())
    };
    let top = || {
        fs::open("/", OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())
            .map_err(|e| failed(Path::new("/"), e))
    };
    let mut at = (top()?, PathBuf::from("/"));
    let mut steps = steps_of(&full);
    let mut links = 0;
    while let Some(step) = steps.pop_front() {
        if step == "/" {
            at = (top()?, PathBuf::from("/"));
            continue;
        }
        let next = if step == ".." {
            at.1.parent().map_or_else(|| at.1.clone(), Path::to_path_buf)
        } else {
            at.1.join(&step)
        };
        let mut opened = open(&at.0, &step);
        if opened.as_ref().is_err_and(|e| *e == Errno::NOENT) {
            if !create {
                return Ok(None);
            }
            match fs::mkdirat(&at.0, &step, Mode::RWXU) {
                Ok(()) | Err(Errno::EXIST) => opened = open(&at.0, &step),
                Err(e) => return Err(failed(&next, e)),
            }
        }
        match opened {
            Ok(dir) => {
                let stat = fs::fstat(&dir).map_err(|e| failed(&next, e))?;
                if !steps.is_empty() {
                    check_way(&next, &stat, &trust)?;
                }
                at = (dir, next);
            }
            Err(Errno::NOTDIR | Errno::LOOP) => {
                links += 1;
                if links > MAX_LINKS {
                    return Err(failed(&next, Errno::LOOP));
                }
                let target = link_target(&at.0, &step, &next, &trust)?;
                for step in steps_of(&target).into_iter().rev() {
                    steps.push_front(step);
                }
            }
            Err(e) => return Err(failed(&next, e)),
        }
    }
    let (fd, path) = at;
    check_last(&path, &fs::fstat(&fd).map_err(|e| failed(&path, e))?, &trust)?;
    Ok(Some(StateDir { fd, path }))
}

fn steps_of(path: &Path) -> VecDeque<OsString> {
    let steps = path.components().filter(|c| *c != Component::CurDir);
    steps.map(|c| c.as_os_str().to_os_string()).collect()
}

/// The target of a link on the way, if its owner is trusted.
fn link_target(
    dir: &OwnedFd,
    name: &OsStr,
    path: &Path,
    trust: &Trust,
) -> Result<PathBuf, StoreError> {
    let failed = |e: Errno| StoreError::errno(path, e);
    let stat = fs::statat(dir, name, AtFlags::SYMLINK_NOFOLLOW).map_err(failed)?;
    if file_type(&stat) != FileType::Symlink {
        return Err(failed(Errno::NOTDIR));
    }
    if !trust.owner(stat.st_uid) {
        let text = format!("it is a symbolic link of {}", user(stat.st_uid));
        return Err(unsafe_to_use(path, &text));
    }
    let target = fs::readlinkat(dir, name, Vec::new()).map_err(failed)?;
    Ok(PathBuf::from(OsString::from_vec(target.into_bytes())))
}

/// Checks that no other user can replace the next directory.
fn check_way(path: &Path, stat: &Stat, trust: &Trust) -> Result<(), StoreError> {
    if !trust.owner(stat.st_uid) {
        return Err(unsafe_to_use(path, &format!("it belongs to {}", user(stat.st_uid))));
    }
    let mode = stat.st_mode;
    // With the sticky bit, only the owner of an entry can replace it.
    if mode & 0o1000 != 0 {
        return Ok(());
    }
    // On most systems a user's own group has no other members.
    let foreign_group = stat.st_gid != 0 && stat.st_gid != trust.group;
    if mode & 0o002 != 0 || mode & 0o020 != 0 && foreign_group {
        return Err(unsafe_to_use(path, &format!("others can write it (mode {})", octal(mode))));
    }
    Ok(())
}

/// Refuses a state directory that another user may write to.
fn check_last(path: &Path, stat: &Stat, trust: &Trust) -> Result<(), StoreError> {
    if !trust.owner(stat.st_uid) {
        return Err(unsafe_to_use(path, &format!("it belongs to {}", user(stat.st_uid))));
    }
    if stat.st_mode & 0o022 != 0 {
        let text = format!("others can write it (mode {})", octal(stat.st_mode));
        return Err(unsafe_to_use(path, &text));
    }
    Ok(())
}

/// Checks that a state file was created here by the owner.
fn check_file(path: &Path, stat: &Stat) -> Result<(), StoreError> {
    if file_type(stat) != FileType::RegularFile {
        return Err(unsafe_to_use(path, &format!("it is {}", kind_name(stat))));
    }
    if !trust()?.owner(stat.st_uid) {
        return Err(unsafe_to_use(path, &format!("it belongs to {}", user(stat.st_uid))));
    }
    if stat.st_nlink > 1 {
        return Err(unsafe_to_use(path, "it is a hard link: the file has other names"));
    }
    if stat.st_mode & 0o022 != 0 {
        let text = format!("others can write it (mode {})", octal(stat.st_mode));
        return Err(unsafe_to_use(path, &text));
    }
    Ok(())
}

fn unsafe_to_use(path: &Path, reason: &str) -> StoreError {
    StoreError::Unsafe { path: path.to_path_buf(), reason: reason.into() }
}

/// The file type of a stat.
pub(crate) fn file_type(stat: &Stat) -> FileType {
    FileType::from_raw_mode(stat.st_mode)
}

fn kind_name(stat: &Stat) -> &'static str {
    match file_type(stat) {
        FileType::Symlink => "a symbolic link",
        FileType::Fifo => "a named pipe",
        FileType::Socket => "a socket",
        FileType::Directory => "a directory",
        FileType::RegularFile => "a file",
        _ => "a device",
    }
}

fn user(uid: u32) -> String {
    format!("user {uid}")
}

/// Formats permission bits in octal.
pub(crate) fn octal(mode: u32) -> String {
    format!("{:04o}", mode & 0o7777)
}
