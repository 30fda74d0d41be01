//! Copies of files on which the commands of a resource are tried.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::DirBuilder;
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use rustix::fs::FileType;

use crate::kind::tools::is_live;
use crate::kinds::augeas::tree::{Tree, on_machine};
use crate::system::host::Host;
use crate::system::path::{is, real_path, resolve};
use crate::system::write::temporary_name;

/// A file with its content before and after the commands; `None` if it does not exist.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Edit {
    /// The path on the machine.
    pub(super) path: PathBuf,
    /// The content now.
    pub(super) before: Option<Vec<u8>>,
    /// The content afterwards.
    pub(super) after: Option<Vec<u8>>,
}

fn is_directory(host: &Host, path: &Path) -> bool {
    host.stat(path).is_ok_and(|stat| is(&stat, FileType::Directory))
}

/// The content of a file, with its links followed as the machine sees them.
pub(super) fn read(host: &Host, path: &Path) -> io::Result<Vec<u8>> {
    std::fs::read(real_path(&resolve(host, path, true)?))
}

/// A directory with copies, removed with this.
pub(super) struct Copies {
    /// Its path as the machine sees it.
    pub(super) path: PathBuf,
    /// Its path on this machine.
    pub(super) real: PathBuf,
}

impl Drop for Copies {
    fn drop(&mut self) {
        // A leftover does no harm in a directory for temporary files.
        let _ = std::fs::remove_dir_all(&self.real);
    }
}

impl Copies {
    /// Makes an empty directory.
    pub(super) fn new(host: &Host) -> io::Result<Self> {
        let own = std::env::temp_dir();
        let places = [Path::new("/tmp"), Path::new("/var/tmp")];
        let places = is_live(host).then_some(own.as_path()).into_iter().chain(places);
        let place = places.into_iter().find(|place| is_directory(host, place));
        let place = place.ok_or_else(|| io::Error::other("the machine has no /tmp"))?;
        let path = place.join(temporary_name("augeas".as_ref()));
        let place = resolve(host, &path, true)?;
        let real = real_path(&place);
        DirBuilder::new().mode(0o700).create(&real)?;
        Ok(Self { path, real: std::fs::canonicalize(real)? })
    }

    /// Removes the copies.
    pub(super) fn clear(&self) -> io::Result<()> {
        for entry in std::fs::read_dir(&self.real)? {
            let entry = entry?;
            match entry.file_type()?.is_dir() {
                true => std::fs::remove_dir_all(entry.path())?,
                false => std::fs::remove_file(entry.path())?,
            }
        }
        Ok(())
    }

    fn at(&self, path: &Path) -> PathBuf {
        self.real.join(path.strip_prefix("/").unwrap_or(path))
    }

    /// Copies files, and makes the directories of new ones.
    pub(super) fn fill(
        &self,
        host: &Host,
        tree: &Tree,
        originals: &BTreeMap<PathBuf, Vec<u8>>,
        touched: &BTreeSet<PathBuf>,
    ) -> io::Result<()> {
        for (path, content) in originals {
            let copy = self.at(path);
            if let Some(parent) = copy.parent() {
                std::fs::create_dir_all(parent)?;
            }
            std::fs::write(copy, content)?;
        }
        for path in touched.iter().flat_map(|path| path.ancestors()) {
            if is_directory(host, &on_machine(tree, path)) {
                std::fs::create_dir_all(self.at(path))?;
            }
        }
        Ok(())
    }

    /// The differences between the copies and the originals.
    pub(super) fn changes(
        &self,
        host: &Host,
        tree: &Tree,
        mut originals: BTreeMap<PathBuf, Vec<u8>>,
    ) -> io::Result<Vec<Edit>> {
        let mut edits = Vec::new();
        let mut directories = vec![PathBuf::from("/")];
        while let Some(directory) = directories.pop() {
            for entry in std::fs::read_dir(self.at(&directory))? {
                let entry = entry?;
                let path = directory.join(entry.file_name());
                if entry.file_type()?.is_dir() {
                    directories.push(path);
                    continue;
                }
                let after = std::fs::read(entry.path())?;
                let before = originals.remove(&path);
                if before.as_ref() == Some(&after) {
                    continue;
                }
                let path = on_machine(tree, &path);
                if before.is_none() && host.stat(&path).is_ok() {
                    let text = format!("{} exists, but Augeas could not load it", path.display());
                    return Err(io::Error::other(text));
                }
                edits.push(Edit { path, before, after: Some(after) });
            }
        }
        let removed = originals.into_iter().map(|(path, before)| Edit {
            path: on_machine(tree, &path),
            before: Some(before),
            after: None,
        });
        edits.extend(removed);
        edits.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(edits)
    }
}
