//! A world that looks only once at a path.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::time::SystemTime;

use rustc_hash::FxHashMap;

use crate::child_session::{ChildSession, ChildSessionRequest};
use crate::process::{ProcessOutput, ProcessRequest};
use crate::world::{EntryKind, World};

/// The entries of a directory, sorted by name.
type Listing = Vec<(String, EntryKind)>;

/// Wraps a world and caches metadata of paths, listings of directories, and missing paths. The
/// contents of files are not cached, because readers keep their results.
///
/// It does not notice external changes, so it is for one run over a site. It notices its own writes
/// and those of its child processes.
pub struct CachedWorld<W> {
    inner: W,
    known: RwLock<Entries>,
}

#[derive(Default)]
struct Entries {
    kinds: FxHashMap<OsString, Option<EntryKind>>,
    listings: FxHashMap<OsString, Option<Listing>>,
    /// The number of lookups of missing entries in each directory.
    missed: FxHashMap<OsString, u32>,
}

/// After this many misses in a directory it is listed, which answers all further lookups.
const MAX_MISSES: u32 = 6;

impl Entries {
    /// The kind of the entry at a path, if it is known from the entry itself or from the listing of
    /// its directory.
    fn kind(&self, path: &Path) -> Option<Option<EntryKind>> {
        if let Some(kind) = self.kinds.get(path.as_os_str()) {
            return Some(*kind);
        }
        let parent = path.parent()?;
        if let Some(None | Some(EntryKind::File)) = self.kinds.get(parent.as_os_str()) {
            return Some(None);
        }
        let name = path.file_name()?.to_str()?;
        let Some(entries) = self.listings.get(parent.as_os_str())? else { return Some(None) };
        let at = entries.binary_search_by(|(entry, _)| entry.as_str().cmp(name)).ok();
        match at.map(|at| entries[at].1) {
            // A dangling link is listed, but nothing exists at its path.
            Some(EntryKind::Other) => None,
            kind => Some(kind),
        }
    }
}

impl<W: World> CachedWorld<W> {
    /// Keeps the answers of this world.
    pub fn new(inner: W) -> Self {
        Self { inner, known: RwLock::default() }
    }

    fn known(&self) -> RwLockReadGuard<'_, Entries> {
        self.known.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Caches that a path does not exist.
    fn missed(&self, path: &Path) {
        let Some(parent) = path.parent() else { return };
        let mut known = self.known_mut();
        known.kinds.insert(path.into(), None);
        let misses = known.missed.entry(parent.into()).or_default();
        *misses += 1;
        let many = *misses == MAX_MISSES;
        drop(known);
        if many {
            let _ = self.list(parent);
        }
    }

    fn known_mut(&self) -> RwLockWriteGuard<'_, Entries> {
        self.known.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// Clears the cache, because anything may have changed.
    fn forget(&self) {
        *self.known_mut() = Entries::default();
    }
}

fn nothing_there() -> io::Error {
    io::Error::from_raw_os_error(NO_ENTRY)
}

/// The error number for a missing file, which gives the error the system's message.
const NO_ENTRY: i32 = 2;

impl<W: World> World for CachedWorld<W> {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        if self.known().kind(path) == Some(None) {
            return Err(nothing_there());
        }
        let result = self.inner.read(path);
        match &result {
            Ok(_) => {
                self.known_mut().kinds.entry(path.into()).or_insert(Some(EntryKind::File));
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => self.missed(path),
            Err(_) => {}
        }
        result
    }

    fn fetch(&self, address: &str) -> io::Result<Vec<u8>> {
        self.inner.fetch(address)
    }

    fn kind(&self, path: &Path) -> Option<EntryKind> {
        if let Some(kind) = self.known().kind(path) {
            return kind;
        }
        let kind = self.inner.kind(path);
        match kind {
            Some(_) => _ = self.known_mut().kinds.insert(path.into(), kind),
            None => self.missed(path),
        }
        kind
    }

    fn list(&self, path: &Path) -> io::Result<Listing> {
        {
            let known = self.known();
            if let Some(Some(entries)) = known.listings.get(path.as_os_str()) {
                return Ok(entries.clone());
            }
            if known.kind(path) == Some(None) {
                return Err(nothing_there());
            }
        }
        let result = self.inner.list(path);
        let mut known = self.known_mut();
        match &result {
            Ok(entries) => {
                known.kinds.insert(path.into(), Some(EntryKind::Directory));
                known.listings.insert(path.into(), Some(entries.clone()));
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                known.kinds.insert(path.into(), None);
                known.listings.insert(path.into(), None);
            }
            Err(_) => {}
        }
        result
    }

    fn read_link(&self, path: &Path) -> io::Result<PathBuf> {
        self.inner.read_link(path)
    }

    fn resolve(&self, path: &Path) -> Option<PathBuf> {
        self.inner.resolve(path)
    }

    fn write(&self, path: &Path, content: &[u8], mode: u32) -> io::Result<()> {
        self.forget();
        self.inner.write(path, content, mode)
    }

    fn make_directory(&self, path: &Path, mode: u32) -> io::Result<()> {
        self.forget();
        self.inner.make_directory(path, mode)
    }

    fn temporary_file(&self, content: &[u8], mode: u32) -> io::Result<PathBuf> {
        self.inner.temporary_file(content, mode)
    }

    fn remove_file(&self, path: &Path) -> io::Result<()> {
        self.forget();
        self.inner.remove_file(path)
    }

    fn env(&self, name: &str) -> Option<String> {
        self.inner.env(name)
    }

    fn now(&self) -> SystemTime {
        self.inner.now()
    }

    fn random(&self) -> u64 {
        self.inner.random()
    }

    fn run(&self, request: &ProcessRequest) -> io::Result<ProcessOutput> {
        let result = self.inner.run(request);
        self.forget();
        result
    }

    fn start(&self, request: &ChildSessionRequest) -> io::Result<Box<dyn ChildSession>> {
        self.inner.start(request)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;
    use crate::world::MemoryWorld;

    /// Counts its questions.
    struct Counting(MemoryWorld, Mutex<Vec<String>>);

    impl Counting {
        fn note(&self, what: &str, path: &Path) {
            let mut asked = self.1.lock().unwrap_or_else(PoisonError::into_inner);
            asked.push(format!("{what} {}", path.display()));
        }
    }

    impl World for Counting {
        fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
            self.note("read", path);
            self.0.read(path)
        }
        fn kind(&self, path: &Path) -> Option<EntryKind> {
            self.note("kind", path);
            self.0.kind(path)
        }
        fn list(&self, path: &Path) -> io::Result<Listing> {
            self.note("list", path);
            self.0.list(path)
        }
        fn write(&self, _: &Path, _: &[u8], _: u32) -> io::Result<()> {
            Ok(())
        }
        fn env(&self, _: &str) -> Option<String> {
            None
        }
        fn now(&self) -> SystemTime {
            self.0.now()
        }
        fn random(&self) -> u64 {
            0
        }
        fn run(&self, request: &ProcessRequest) -> io::Result<ProcessOutput> {
            self.0.run(request)
        }
    }

    #[test]
    fn a_directory_where_much_is_missed_is_listed() {
        let files = [("/d/a.pp", "a")];
        let world = CachedWorld::new(Counting(MemoryWorld::with_files(files), Mutex::default()));
        for n in 0..100 {
            assert!(world.read(Path::new(&format!("/d/{n}.yaml"))).is_err());
            assert_eq!(world.kind(Path::new(&format!("/e/{n}.yaml"))), None);
        }
        assert!(world.read(Path::new("/d/a.pp")).is_ok());
        let asked = world.inner.1.lock().unwrap_or_else(PoisonError::into_inner);
        assert_eq!(asked.len() as u32, 2 * (MAX_MISSES + 1) + 1, "{asked:?}");
    }

    #[test]
    fn nothing_is_asked_twice() {
        let files = [("/d/a.pp", "a"), ("/d/s/b.pp", "b")];
        let world = CachedWorld::new(Counting(MemoryWorld::with_files(files), Mutex::default()));
        let path = Path::new;
        for _ in 0..2 {
            assert_eq!(world.kind(path("/d/x/y.pp")), None);
            assert!(world.read(path("/d/x/y.pp")).is_err());
            assert_eq!(world.kind(path("/e")), None);
            assert_eq!(world.kind(path("/e/f")), None, "its directory is not there");
            assert!(world.list(path("/e")).is_err());
            assert_eq!(world.list(path("/d")).map_or(0, |entries| entries.len()), 2);
            assert_eq!(world.kind(path("/d/a.pp")), Some(EntryKind::File));
            assert_eq!(world.kind(path("/d/s")), Some(EntryKind::Directory));
            assert_eq!(world.kind(path("/d/c.pp")), None, "it is not listed");
        }
        let asked = |world: &CachedWorld<Counting>| {
            std::mem::take(&mut *world.inner.1.lock().unwrap_or_else(PoisonError::into_inner))
        };
        assert_eq!(asked(&world), ["kind /d/x/y.pp", "kind /e", "list /d"]);
        assert!(world.write(path("/d/c.pp"), b"", 0o644).is_ok());
        assert_eq!(world.kind(path("/d/a.pp")), Some(EntryKind::File));
        assert_eq!(asked(&world), ["kind /d/a.pp"], "after a write all is asked again");
    }
}
