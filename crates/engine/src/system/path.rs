//! Resolves a path to an open parent directory, without following untrusted links.
//!
//! Every directory on the way is opened relative to the previous one. A link is followed only if it
//! belongs to root or to the user that Ordain runs as, so that no other user can redirect a run of
//! root.

use std::collections::VecDeque;
use std::ffi::{OsStr, OsString};
use std::io;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};

use rustix::fs::{
    AtFlags, CWD, FileType, Mode, OFlags, ResolveFlags, Stat, fstat, openat, openat2, readlinkat,
    statat,
};
use rustix::io::Errno;

use crate::system::host::Host;

/// The maximum number of links in a path.
const MAX_LINKS: usize = 40;

/// A name in an open directory.
pub(crate) struct Place {
    /// The directory, open as a path only.
    pub(crate) dir: OwnedFd,
    /// The last component of the path; `.` for the root.
    pub(crate) name: OsString,
}

impl Place {
    /// The status of the file; a link is not followed.
    pub(crate) fn stat(&self) -> io::Result<Option<Stat>> {
        match statat(&self.dir, &self.name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) => Ok(Some(stat)),
            Err(Errno::NOENT | Errno::NOTDIR) => Ok(None),
            Err(e) => Err(e.into()),
        }
    }

    /// Opens a file or directory for reading; a link is an error.
    pub(crate) fn open(&self) -> io::Result<std::fs::File> {
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK;
        Ok(openat(&self.dir, &self.name, flags, Mode::empty())?.into())
    }

    /// Opens it only to refer to it; a link is opened itself.
    pub(crate) fn open_path(&self) -> io::Result<OwnedFd> {
        let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        Ok(openat(&self.dir, &self.name, flags, Mode::empty())?)
    }

    /// The target of a link.
    pub(crate) fn read_link(&self) -> io::Result<OsString> {
        let target = readlinkat(&self.dir, &self.name, Vec::new())?;
        Ok(OsStr::from_bytes(target.as_bytes()).to_os_string())
    }
}

/// A path to a place through its open directory.
pub(crate) fn real_path(place: &Place) -> PathBuf {
    let dir = format!("/proc/self/fd/{}", place.dir.as_fd().as_raw_fd());
    Path::new(&dir).join(&place.name)
}

/// User and group of files that this process creates.
pub(crate) fn own_ids() -> (u32, u32) {
    (rustix::process::geteuid().as_raw(), rustix::process::getegid().as_raw())
}

/// Whether a stat is of this type.
pub(crate) fn is(stat: &Stat, kind: FileType) -> bool {
    FileType::from_raw_mode(stat.st_mode) == kind
}

/// The place of a path of the machine; with `follow`, that of the target of a link at its end.
pub(crate) fn resolve(host: &Host, path: &Path, follow: bool) -> io::Result<Place> {
    let path_flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let root = openat(CWD, &host.root, path_flags, Mode::empty())?;
    if !follow && let (Some(parent), Some(name)) = (path.parent(), path.file_name()) {
        let resolve = ResolveFlags::IN_ROOT | ResolveFlags::NO_SYMLINKS;
        if let Ok(dir) = openat2(&root, parent, path_flags, Mode::empty(), resolve) {
            return Ok(Place { dir, name: name.to_os_string() });
        }
    }
    Walk { todo: parts(path), dirs: vec![root], links: 0 }.run(path, follow)
}

fn parts(path: &Path) -> VecDeque<OsString> {
    let named = path.components().filter_map(|c| match c {
        Component::Normal(name) => Some(name.to_os_string()),
        Component::ParentDir => Some("..".into()),
        _ => None,
    });
    named.collect()
}

struct Walk {
    todo: VecDeque<OsString>,
    /// The directories from the root to here; the root is always present.
    dirs: Vec<OwnedFd>,
    links: usize,
}

impl Walk {
    fn run(mut self, path: &Path, follow: bool) -> io::Result<Place> {
        let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        while let Some(name) = self.todo.pop_front() {
            let last = self.todo.is_empty();
            if name == ".." {
                if self.dirs.len() > 1 {
                    self.dirs.pop();
                }
                continue;
            }
            if last && !follow {
                return self.end(name);
            }
            let opened = match openat(self.here()?, &name, flags, Mode::empty()) {
                Err(Errno::NOENT) if last => return self.end(name),
                opened => opened?,
            };
            let stat = fstat(&opened)?;
            match FileType::from_raw_mode(stat.st_mode) {
                FileType::Symlink => self.enter_link(&opened, &stat, path)?,
                _ if last => return self.end(name),
                FileType::Directory => self.dirs.push(opened),
                _ => return Err(Errno::NOTDIR.into()),
            }
        }
        self.end(".".into())
    }

    fn here(&self) -> io::Result<&OwnedFd> {
        self.dirs.last().ok_or_else(|| Errno::NOENT.into())
    }

    fn end(mut self, name: OsString) -> io::Result<Place> {
        let dir = self.dirs.pop().ok_or(Errno::NOENT)?;
        Ok(Place { dir, name })
    }

    fn enter_link(&mut self, link: &OwnedFd, stat: &Stat, path: &Path) -> io::Result<()> {
        self.links += 1;
        if self.links > MAX_LINKS {
            return Err(Errno::LOOP.into());
        }
        let target = readlinkat(link, "", Vec::new())?;
        let target = Path::new(OsStr::from_bytes(target.as_bytes())).to_path_buf();
        let euid = rustix::process::geteuid().as_raw();
        if euid == 0 && stat.st_uid != 0 {
            let (path, target, uid) = (path.display(), target.display(), stat.st_uid);
            let text = format!(
                "{path} leads through a link to {target} that belongs to uid {uid}; \
                 links of other users are not followed"
            );
            return Err(io::Error::new(io::ErrorKind::PermissionDenied, text));
        }
        if target.is_absolute() {
            self.dirs.truncate(1);
        }
        for part in parts(&target).into_iter().rev() {
            self.todo.push_front(part);
        }
        Ok(())
    }
}
