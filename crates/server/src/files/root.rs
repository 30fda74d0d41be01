//! A directory whose files are served. No path leads out of it.

use std::fs::File;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::path::{Path, PathBuf};

use rustix::fs::{Dir, FileType, Mode, OFlags, ResolveFlags, Stat, fstat, openat2, readlinkat};
use rustix::io::Errno;

/// The number of times that a lookup is repeated which a concurrent change has disturbed.
const ATTEMPTS: u32 = 16;

/// An open directory. The kernel resolves paths below it, and refuses those that leave it by `..`,
/// by an absolute link, or by a link with too many parent directories.
#[derive(Debug)]
pub(crate) struct Root {
    fd: OwnedFd,
    path: PathBuf,
}

/// An entry below a root.
pub(crate) struct Entry {
    /// Opened only to be named (`O_PATH`).
    fd: OwnedFd,
    pub(crate) stat: Stat,
}

impl Root {
    /// Opens a directory, which may be a link.
    ///
    /// # Errors
    /// When it is not a directory that can be read.
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        Self::open_as(path, path)
    }

    /// Opens a directory that is shown by another path.
    ///
    /// # Errors
    /// As of [`Root::open`].
    pub(crate) fn open_as(path: &Path, shown: &Path) -> io::Result<Self> {
        let flags = OFlags::DIRECTORY | OFlags::PATH | OFlags::CLOEXEC;
        let fd = rustix::fs::open(path, flags, Mode::empty())?;
        Ok(Self { fd, path: shown.to_path_buf() })
    }

    /// The path of the directory, as it is shown.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Finds an entry. The last name may be a link, which is followed on request.
    ///
    /// # Errors
    /// When there is none, or its path leaves the directory.
    pub(crate) fn find(&self, below: &Path, follows: bool) -> io::Result<Entry> {
        let last = if follows { OFlags::empty() } else { OFlags::NOFOLLOW };
        let fd = self.resolve(below, OFlags::PATH | last)?;
        let stat = fstat(&fd)?;
        Ok(Entry { fd, stat })
    }

    /// Opens a plain file. Links are followed within the directory.
    ///
    /// # Errors
    /// When there is none, or its path leaves the directory.
    pub(crate) fn file(&self, below: &Path) -> io::Result<(File, Stat)> {
        // Without NONBLOCK the opening of a pipe waits for its other end.
        let fd = self.resolve(below, OFlags::RDONLY | OFlags::NONBLOCK)?;
        let stat = fstat(&fd)?;
        if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
            return Err(io::Error::from(io::ErrorKind::InvalidInput));
        }
        Ok((File::from(fd), stat))
    }

    /// The names in a directory, sorted. Names that are not UTF-8 are left out, because no URL has
    /// them.
    ///
    /// # Errors
    /// When it is not a directory that can be read.
    pub(crate) fn list(&self, below: &Path) -> io::Result<Vec<String>> {
        let fd = self.resolve(below, OFlags::RDONLY | OFlags::DIRECTORY)?;
        let mut names = Vec::new();
        for entry in Dir::new(fd)? {
            let entry = entry?;
            match entry.file_name().to_str() {
                Ok("." | "..") | Err(_) => {}
                Ok(name) => names.push(name.to_string()),
            }
        }
        names.sort();
        Ok(names)
    }

    fn resolve(&self, below: &Path, flags: OFlags) -> io::Result<OwnedFd> {
        let below = if below.as_os_str().is_empty() { Path::new(".") } else { below };
        let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS;
        let open = || openat2(&self.fd, below, flags | OFlags::CLOEXEC, Mode::empty(), resolve);
        for _ in 0..ATTEMPTS {
            match open() {
                // A rename somewhere in the system may have moved a directory out of the tree.
                Err(Errno::AGAIN) => {}
                other => return Ok(other?),
            }
        }
        Ok(open()?)
    }
}

impl Entry {
    /// Its type.
    pub(crate) fn kind(&self) -> FileType {
        FileType::from_raw_mode(self.stat.st_mode)
    }

    /// The destination of a link.
    ///
    /// # Errors
    /// When it is no link.
    pub(crate) fn destination(&self) -> io::Result<String> {
        let target = readlinkat(self.fd.as_fd(), "", Vec::new())?;
        Ok(target.to_string_lossy().into_owned())
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn no_path_leads_out() {
        let dir = tempfile::tempdir().unwrap();
        let inside = dir.path().join("inside");
        std::fs::create_dir_all(inside.join("sub")).unwrap();
        std::fs::write(dir.path().join("secret"), "secret").unwrap();
        std::fs::write(inside.join("sub/plain"), "plain").unwrap();
        symlink("../secret", inside.join("up")).unwrap();
        symlink(dir.path().join("secret"), inside.join("absolute")).unwrap();
        symlink("/proc/self/root", inside.join("magic")).unwrap();
        symlink("..", inside.join("sub/parent")).unwrap();
        symlink("sub/plain", inside.join("ok")).unwrap();
        let root = Root::open(&inside).unwrap();
        for path in ["up", "absolute", "magic", "../secret", "/etc/passwd", "sub/parent/../secret"]
        {
            assert!(root.file(Path::new(path)).is_err(), "{path}");
            assert!(root.find(Path::new(path), true).is_err(), "{path}");
        }
        assert_eq!(root.file(Path::new("ok")).unwrap().1.st_size, 5);
        assert_eq!(root.file(Path::new("sub/parent/ok")).unwrap().1.st_size, 5);
        let link = root.find(Path::new("up"), false).unwrap();
        assert_eq!(
            (link.kind(), link.destination().unwrap()),
            (FileType::Symlink, "../secret".into())
        );
        assert_eq!(root.list(Path::new("sub")).unwrap(), ["parent", "plain"]);
        assert_eq!(root.list(Path::new("")).unwrap(), ["absolute", "magic", "ok", "sub", "up"]);
    }

    #[test]
    fn a_pipe_does_not_block() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("pipe");
        rustix::fs::mknodat(rustix::fs::CWD, &path, FileType::Fifo, Mode::from_raw_mode(0o600), 0)
            .unwrap();
        let root = Root::open(dir.path()).unwrap();
        assert!(root.file(Path::new("pipe")).is_err());
    }
}
