//! Opens files that are served.

use std::fs::File;
use std::io;
use std::path::Path;

use rustix::fs::{CWD, Mode, OFlags, ResolveFlags, openat, openat2};

/// Opens the file at a path below a directory; links cannot lead out of it.
pub(in crate::kinds) fn open_within(root: &Path, path: &Path) -> io::Result<File> {
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let root = openat(CWD, root, flags, Mode::empty())?;
    // Pipes are opened without blocking, and then not read.
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let resolve = ResolveFlags::IN_ROOT | ResolveFlags::NO_MAGICLINKS;
    let file = File::from(openat2(&root, path, flags, Mode::empty(), resolve)?);
    if file.metadata()?.is_file() { Ok(file) } else { Err(io::ErrorKind::NotFound.into()) }
}
