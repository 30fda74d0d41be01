//! Files in front of those of the machine.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::{Duration, SystemTime};

use crate::world::{
    ChildSession, ChildSessionRequest, EntryKind, HostWorld, ProcessOutput, ProcessRequest,
    TouchedPaths, World,
};

/// The entries of a directory, sorted by name.
pub type Listing = Vec<(String, EntryKind)>;

/// A layer's entries of a directory.
pub enum LayerListing {
    /// The listing, or the error that prevents it.
    Whole(io::Result<Listing>),
    /// The entries besides those of the machine.
    Added(Listing),
}

/// Files in front of those of the machine, such as unsaved editor buffers or the tree of a commit.
/// Paths are absolute, without `.` and `..`. `None` means that the machine answers.
pub trait FileLayer: Send + Sync {
    /// The kind of the entry at a path; links are followed.
    fn kind(&self, path: &Path) -> Option<Option<EntryKind>>;
    /// The bytes of a file.
    fn read(&self, path: &Path) -> Option<io::Result<Vec<u8>>>;
    /// The entries of a directory.
    fn list(&self, path: &Path) -> Option<LayerListing>;
    /// The target of a symbolic link, as written in it.
    fn read_link(&self, path: &Path) -> Option<io::Result<PathBuf>>;
    /// The path with all symbolic links followed.
    fn resolve(&self, path: &Path) -> Option<Option<PathBuf>>;
}

/// The machine with a layer of files in front. Child processes see only the machine's files.
pub struct LayeredWorld {
    layer: Arc<dyn FileLayer>,
    host: HostWorld,
    touched: TouchedPaths,
}

impl LayeredWorld {
    /// The machine with a layer in front. Paths that are read go to `touched`.
    pub fn new(layer: Arc<dyn FileLayer>, touched: TouchedPaths) -> Self {
        Self { layer, host: HostWorld::noting(touched.clone()), touched }
    }

    /// Refuses child processes.
    #[must_use]
    pub fn without_processes(self) -> Self {
        Self { host: self.host.without_processes(), ..self }
    }
}

/// An absolute path without `.` and `..`.
pub fn absolute(path: &Path) -> PathBuf {
    let full = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
    let mut out = PathBuf::new();
    for component in full.components() {
        match component {
            Component::ParentDir => _ = out.pop(),
            Component::CurDir => {}
            other => out.push(other),
        }
    }
    out
}

impl World for LayeredWorld {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        match self.layer.read(&absolute(path)) {
            Some(read) => {
                self.touched.note(path);
                read
            }
            None => self.host.read(path),
        }
    }

    fn fetch(&self, address: &str) -> io::Result<Vec<u8>> {
        self.host.fetch(address)
    }

    fn kind(&self, path: &Path) -> Option<EntryKind> {
        match self.layer.kind(&absolute(path)) {
            Some(kind) => {
                self.touched.note(path);
                kind
            }
            None => self.host.kind(path),
        }
    }

    fn list(&self, path: &Path) -> io::Result<Listing> {
        match self.layer.list(&absolute(path)) {
            None => self.host.list(path),
            Some(LayerListing::Whole(entries)) => {
                self.touched.note(path);
                entries
            }
            Some(LayerListing::Added(added)) => {
                let below = match self.host.list(path) {
                    Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                    below => below.unwrap_or_default(),
                };
                let mut entries: BTreeMap<String, EntryKind> = below.into_iter().collect();
                entries.extend(added);
                Ok(entries.into_iter().collect())
            }
        }
    }

    fn resolve(&self, path: &Path) -> Option<PathBuf> {
        self.layer.resolve(&absolute(path)).unwrap_or_else(|| self.host.resolve(path))
    }

    fn read_link(&self, path: &Path) -> io::Result<PathBuf> {
        self.layer.read_link(&absolute(path)).unwrap_or_else(|| self.host.read_link(path))
    }

    fn temporary_file(&self, content: &[u8], mode: u32) -> io::Result<PathBuf> {
        self.host.temporary_file(content, mode)
    }

    fn remove_file(&self, path: &Path) -> io::Result<()> {
        self.host.remove_file(path)
    }

    fn write(&self, path: &Path, content: &[u8], mode: u32) -> io::Result<()> {
        self.host.write(path, content, mode)
    }

    fn make_directory(&self, path: &Path, mode: u32) -> io::Result<()> {
        self.host.make_directory(path, mode)
    }

    fn env(&self, name: &str) -> Option<String> {
        self.host.env(name)
    }

    fn now(&self) -> SystemTime {
        self.host.now()
    }

    fn sleep(&self, time: Duration) -> bool {
        self.host.sleep(time)
    }

    fn random(&self) -> u64 {
        self.host.random()
    }

    fn runs_processes(&self) -> bool {
        self.host.runs_processes()
    }

    fn run(&self, request: &ProcessRequest) -> io::Result<ProcessOutput> {
        self.host.run(request)
    }

    fn start(&self, request: &ChildSessionRequest) -> io::Result<Box<dyn ChildSession>> {
        self.host.start(request)
    }
}

/// Texts by path, such as unsaved editor buffers. They may be changed while others read.
#[derive(Default)]
pub struct Buffers(RwLock<BTreeMap<PathBuf, Arc<str>>>);

impl Buffers {
    /// Sets the text of a file.
    pub fn set(&self, path: &Path, text: impl Into<Arc<str>>) {
        let mut buffers = self.0.write().unwrap_or_else(PoisonError::into_inner);
        buffers.insert(absolute(path), text.into());
    }

    /// Removes the text of a file, so that the machine's file is visible again.
    pub fn remove(&self, path: &Path) {
        let mut buffers = self.0.write().unwrap_or_else(PoisonError::into_inner);
        buffers.remove(&absolute(path));
    }

    fn with<T>(&self, look: impl FnOnce(&BTreeMap<PathBuf, Arc<str>>) -> T) -> T {
        look(&self.0.read().unwrap_or_else(PoisonError::into_inner))
    }
}

/// The paths below a directory, without the directory itself.
fn below<'a, T>(files: &'a BTreeMap<PathBuf, T>, dir: &'a Path) -> impl Iterator<Item = &'a Path> {
    let after =
        files.range::<Path, _>((std::ops::Bound::Excluded(dir), std::ops::Bound::Unbounded));
    after.map(|(path, _)| path.as_path()).take_while(move |path| path.starts_with(dir))
}

impl FileLayer for Buffers {
    fn kind(&self, path: &Path) -> Option<Option<EntryKind>> {
        self.with(|buffers| {
            if buffers.contains_key(path) {
                return Some(Some(EntryKind::File));
            }
            below(buffers, path).next().map(|_| Some(EntryKind::Directory))
        })
    }

    fn read(&self, path: &Path) -> Option<io::Result<Vec<u8>>> {
        self.with(|buffers| buffers.get(path).map(|text| Ok(text.as_bytes().to_vec())))
    }

    fn list(&self, path: &Path) -> Option<LayerListing> {
        self.with(|buffers| {
            let entry = |file: &Path| {
                let mut rest = file.strip_prefix(path).ok()?.components();
                let name = rest.next()?.as_os_str().to_str()?.to_owned();
                let is_file = rest.next().is_none();
                Some((name, if is_file { EntryKind::File } else { EntryKind::Directory }))
            };
            let entries: BTreeSet<_> = below(buffers, path).filter_map(entry).collect();
            (!entries.is_empty()).then(|| LayerListing::Added(entries.into_iter().collect()))
        })
    }

    fn read_link(&self, _: &Path) -> Option<io::Result<PathBuf>> {
        None
    }

    fn resolve(&self, path: &Path) -> Option<Option<PathBuf>> {
        self.with(|buffers| buffers.contains_key(path).then(|| Some(path.to_path_buf())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buffers_stand_in_front_of_files() {
        let dir = std::env::temp_dir().join(format!("ordain-layer-{}", std::process::id()));
        std::fs::create_dir_all(dir.join("a")).unwrap_or_default();
        std::fs::write(dir.join("a/saved"), "on disk").unwrap_or_default();
        let buffers = Arc::new(Buffers::default());
        let layer: Arc<dyn FileLayer> = Arc::clone(&buffers) as _;
        let touched = TouchedPaths::default();
        let world = LayeredWorld::new(layer, touched.clone());
        let read = |name: &str| {
            let bytes = world.read(&dir.join(name)).ok()?;
            String::from_utf8(bytes).ok()
        };
        assert_eq!(read("a/saved").as_deref(), Some("on disk"));
        buffers.set(&dir.join("a/./saved"), "edited");
        buffers.set(&dir.join("a/new/file"), "fresh");
        assert_eq!(read("a/saved").as_deref(), Some("edited"));
        assert_eq!(read("a/b/../saved").as_deref(), Some("edited"));
        assert_eq!(world.kind(&dir.join("a/new")), Some(EntryKind::Directory));
        let listed = world.list(&dir.join("a")).unwrap_or_default();
        let names: Vec<&str> = listed.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["new", "saved"]);
        assert!(world.read(&dir.join("missing")).is_err());
        assert!(touched.paths().contains(&dir.join("a/saved")));
        buffers.remove(&dir.join("a/saved"));
        assert_eq!(read("a/saved").as_deref(), Some("on disk"));
        std::fs::remove_dir_all(&dir).unwrap_or_default();
    }
}
