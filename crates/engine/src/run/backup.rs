//! Saves the states of paths before a run changes them, and restores them.
//!
//! Before a kind changes a path, it calls `Host::keep`. The present state is copied to a directory
//! of the run and recorded by [`Backups`].

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::io::{self, Read};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use ordain_functions::digest::hex;
use rustix::fs::FileType;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::kind::KindError;
use crate::run::redact;
use crate::system::host::{BackupSink, Host};
use crate::system::path::{Place, is, real_path, resolve};
use crate::system::selinux_label;
use crate::system::write;
use crate::system::write::Data;

/// The maximum number of entries of a removed directory that are saved. Larger ones are not
/// restored.
const MAX_ENTRIES: usize = 100_000;

/// The state of a path.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(tag = "is", rename_all = "lowercase")]
pub enum State {
    /// Nothing.
    Absent,
    /// A file; its content by its SHA-256 digest.
    File {
        /// In hexadecimal digits.
        digest: String,
        /// Permission bits.
        mode: u32,
        /// Owner.
        uid: u32,
        /// Group.
        gid: u32,
        /// The context of SELinux, where that is on.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        context: Option<String>,
    },
    /// A link, and where it leads.
    Link {
        /// The bytes of the path as it is written.
        target: Vec<u8>,
        /// Owner.
        uid: u32,
        /// Group.
        gid: u32,
        /// The context of SELinux, where that is on.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        context: Option<String>,
    },
    /// A directory.
    Directory {
        /// Permission bits.
        mode: u32,
        /// Owner.
        uid: u32,
        /// Group.
        gid: u32,
        /// The context of SELinux, where that is on.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        context: Option<String>,
    },
    /// A device, socket or pipe, which is not restored.
    Other,
}

/// A path and its earlier state.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SavedPath {
    /// The path of the machine.
    pub path: PathBuf,
    /// Its state.
    pub state: State,
    /// The name of the path in messages, if the path is secret.
    pub name: Option<String>,
}

impl SavedPath {
    /// The name of the path in messages.
    pub fn shown(&self) -> String {
        self.name.clone().unwrap_or_else(|| self.path.display().to_string())
    }
}

/// Records backups.
pub type Note = dyn Fn(&[SavedPath]) -> Result<(), String> + Send + Sync;

/// Backs up the paths that a run changes.
pub struct Backups {
    /// The directory of contents, by digest.
    dir: PathBuf,
    note: Box<Note>,
    /// Saved paths: only the first state is saved.
    known: Mutex<BTreeSet<PathBuf>>,
}

impl std::fmt::Debug for Backups {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Backups").field("dir", &self.dir).finish_non_exhaustive()
    }
}

impl Backups {
    /// Backups with contents in this directory, which is created on demand.
    pub fn new(dir: PathBuf, note: Box<Note>) -> Self {
        Self { dir, note, known: Mutex::default() }
    }
}

impl BackupSink for Backups {
    fn save_tree(&self, host: &Host, path: &Path) -> io::Result<()> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if known.contains(path) {
            return Ok(());
        }
        let mut found = Vec::new();
        let mut todo = vec![path.to_path_buf()];
        while let Some(path) = todo.pop() {
            let state = observe(host, &path, Some(&self.dir))?;
            if matches!(state, State::Directory { .. }) {
                for entry in std::fs::read_dir(host.path(&path))? {
                    todo.push(path.join(entry?.file_name()));
                }
            }
            let name = redact::name_of_path(&path);
            found.push(SavedPath { path, state, name });
            if found.len() > MAX_ENTRIES {
                let text = format!("more than {MAX_ENTRIES} entries would have to be saved");
                return Err(io::Error::other(text));
            }
        }
        found.retain(|kept| !known.contains(&kept.path));
        (self.note)(&found).map_err(io::Error::other)?;
        known.extend(found.into_iter().map(|kept| kept.path));
        Ok(())
    }

    fn save(&self, host: &Host, path: &Path) -> io::Result<()> {
        self.save_as(host, path, redact::name_of_path(path))
    }

    fn save_as(&self, host: &Host, path: &Path, name: Option<String>) -> io::Result<()> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if known.contains(path) {
            return Ok(());
        }
        let state = observe(host, path, Some(&self.dir))?;
        let kept = SavedPath { path: path.to_path_buf(), state, name };
        (self.note)(std::slice::from_ref(&kept)).map_err(io::Error::other)?;
        known.insert(kept.path);
        Ok(())
    }

    fn paths(&self) -> Vec<PathBuf> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner).iter().cloned().collect()
    }
}

/// The state of a path; with a directory, a copy of a file's content is stored there.
///
/// # Errors
/// When it cannot be read or copied.
pub fn observe(host: &Host, path: &Path, copies: Option<&Path>) -> io::Result<State> {
    let place = match resolve(host, path, false) {
        Ok(place) => place,
        Err(e) if matches!(e.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            return Ok(State::Absent);
        }
        Err(e) => return Err(e),
    };
    let Some(stat) = place.stat()? else { return Ok(State::Absent) };
    let (mode, uid, gid) = (stat.st_mode & 0o7777, stat.st_uid, stat.st_gid);
    let context = match selinux_label::are_managed(host, path) {
        true => Some(selinux_label::read(&place)?).filter(|context| !context.is_empty()),
        false => None,
    };
    Ok(if is(&stat, FileType::RegularFile) {
        let digest = match copies {
            Some(dir) => copy(place.open()?, dir)?,
            None => digest_of(place.open()?)?,
        };
        State::File { digest, mode, uid, gid, context }
    } else if is(&stat, FileType::Symlink) {
        State::Link { target: place.read_link()?.into_vec(), uid, gid, context }
    } else if is(&stat, FileType::Directory) {
        State::Directory { mode, uid, gid, context }
    } else {
        State::Other
    })
}

/// The SHA-256 digest of a file, in hexadecimal digits.
fn digest_of(file: std::fs::File) -> io::Result<String> {
    let mut hasher = Sha256::new();
    io::copy(&mut Tee { from: file, hasher: &mut hasher }, &mut io::sink())?;
    Ok(hex(&hasher.finalize()))
}

/// Copies a file under the name of its digest.
fn copy(file: std::fs::File, dir: &Path) -> io::Result<String> {
    std::fs::DirBuilder::new().recursive(true).mode(0o700).create(dir)?;
    let temporary = dir.join(write::temporary_name("kept".as_ref()));
    let mut options = std::fs::OpenOptions::new();
    let mut out = options.write(true).create_new(true).mode(0o600).open(&temporary)?;
    let mut hasher = Sha256::new();
    let mut tee = Tee { from: file, hasher: &mut hasher };
    let done = io::copy(&mut tee, &mut out).and_then(|_| out.sync_all());
    let digest = hex(&hasher.finalize());
    let done = done.and_then(|()| std::fs::rename(&temporary, dir.join(&digest)));
    if done.is_err() {
        // The error that led here matters more.
        let _ = std::fs::remove_file(&temporary);
    }
    done.map(|()| digest)
}

struct Tee<'a> {
    from: std::fs::File,
    hasher: &'a mut Sha256,
}

impl Read for Tee<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.from.read(buffer)?;
        self.hasher.update(&buffer[..count]);
        Ok(count)
    }
}

/// Restores the state of a path from the copies in a directory.
///
/// # Errors
/// When it cannot be written. Then the path has the present state or completely the old one.
pub fn restore(host: &Host, kept: &SavedPath, copies: &Path) -> io::Result<()> {
    let place = match resolve(host, &kept.path, false) {
        Ok(place) => place,
        Err(e) if e.kind() == io::ErrorKind::NotFound && kept.state == State::Absent => {
            return Ok(());
        }
        Err(e) => return Err(e),
    };
    let now = place.stat()?;
    let is_directory = now.is_some_and(|stat| is(&stat, FileType::Directory));
    let wants_directory = matches!(kept.state, State::Directory { .. });
    if is_directory && !wants_directory {
        // The entries that the run created are removed already; other entries have to stay.
        std::fs::remove_dir(real_path(&place))?;
    } else if now.is_some() && (wants_directory && !is_directory || kept.state == State::Absent) {
        write::remove(host, &place)?;
    }
    let label = |place: &Place, context: &Option<String>| match context {
        Some(context) if selinux_label::are_managed(host, &kept.path) => {
            selinux_label::write(place, context)
        }
        _ => Ok(()),
    };
    match &kept.state {
        State::Absent => write::sync_directory(&place),
        State::Other => Err(io::Error::other("devices, sockets and pipes cannot be restored")),
        State::File { digest, mode, uid, gid, context } => {
            let content = copies.join(digest);
            let ids = (Some(*uid), Some(*gid));
            let label_staged = |name: &OsStr| {
                let dir = place.dir.try_clone();
                let staged = dir.map(|dir| Place { dir, name: name.to_os_string() });
                let done = staged.and_then(|staged| label(&staged, context));
                done.map_err(|e| KindError::new(e.to_string()))
            };
            write::replace_file(&place, &Data::File(&content), ids, *mode, &label_staged)
                .map_err(io::Error::other)
        }
        State::Link { target, uid, gid, context } => {
            let ids = (Some(*uid), Some(*gid));
            write::replace_link(host, &place, OsStr::from_bytes(target), ids)?;
            label(&place, context)
        }
        State::Directory { mode, uid, gid, context } => {
            restore_directory(host, &place, is_directory, *mode, (*uid, *gid))?;
            label(&place, context)
        }
    }
}

fn restore_directory(
    host: &Host,
    place: &Place,
    is_there: bool,
    mode: u32,
    (uid, gid): (u32, u32),
) -> io::Result<()> {
    let ids = (Some(uid), Some(gid));
    if !is_there {
        return write::make_directory(place, ids, mode);
    }
    write::set_owner(host, place, ids)?;
    write::set_mode(host, place, mode)
}

/// Sorts the states for a rollback. Paths that the run created are removed first, content before
/// its directory. Then earlier states are restored, a directory before its content.
pub fn in_order(mut kept: Vec<SavedPath>) -> Vec<SavedPath> {
    kept.sort_by(|a, b| a.path.cmp(&b.path));
    let (mut gone, back): (Vec<SavedPath>, Vec<SavedPath>) =
        kept.into_iter().partition(|kept| kept.state == State::Absent);
    gone.reverse();
    gone.into_iter().chain(back).collect()
}

/// Whether a path has this state.
pub fn is_as(host: &Host, path: &Path, state: &State) -> bool {
    observe(host, path, None).is_ok_and(|now| now == *state)
}
