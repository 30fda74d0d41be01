//! The outside world of a compile: files, environment, time, randomness, child processes.
//!
//! Front ends never use `std::fs` or `std::env`, but a [`World`]. So a compile can run in memory,
//! be repeated exactly, and report its inputs.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use rustc_hash::FxHashSet;

pub use crate::child_session::{ChildSession, ChildSessionRequest};
pub use crate::process::{ProcessOutput, ProcessRequest};

/// The kind of a directory entry; links are followed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum EntryKind {
    /// A regular file.
    File,
    /// A directory.
    Directory,
    /// Anything else: device, socket, dangling link.
    Other,
}

/// The time zone rules of this machine, or of the zone in the environment; `None` is UTC.
pub fn zone_rules(world: &dyn World) -> Option<Vec<u8>> {
    let name = world.env("TZ");
    let path = match name.as_deref().map(|name| name.trim_start_matches(':')) {
        None => "/etc/localtime".to_owned(),
        Some(path) if path.starts_with('/') => path.to_owned(),
        Some("" | "UTC") => return None,
        Some(name) => format!("/usr/share/zoneinfo/{name}"),
    };
    world.read(Path::new(&path)).ok()
}

/// All input and output of a compile goes through this trait.
pub trait World: Send + Sync {
    /// The bytes of a file.
    fn read(&self, path: &Path) -> io::Result<Vec<u8>>;
    /// The bytes of a resource on a web server.
    fn fetch(&self, address: &str) -> io::Result<Vec<u8>> {
        let _ = address;
        Err(io::Error::new(io::ErrorKind::Unsupported, "files are not fetched from the net"))
    }
    /// The kind of the entry at a path, if there is one; links are followed.
    fn kind(&self, path: &Path) -> Option<EntryKind>;
    /// The entries of a directory, sorted by name.
    fn list(&self, path: &Path) -> io::Result<Vec<(String, EntryKind)>>;
    /// The path with all symbolic links followed, if it exists.
    fn resolve(&self, path: &Path) -> Option<PathBuf> {
        let _ = path;
        None
    }
    /// The target of a symbolic link, as written in it.
    fn read_link(&self, path: &Path) -> io::Result<PathBuf> {
        let _ = path;
        Err(io::ErrorKind::NotFound.into())
    }
    /// Writes a file with these permissions; an existing one is replaced.
    fn write(&self, path: &Path, content: &[u8], mode: u32) -> io::Result<()> {
        let _ = (content, mode);
        Err(read_only(path))
    }
    /// Makes a directory and those around it.
    fn make_directory(&self, path: &Path, mode: u32) -> io::Result<()> {
        let _ = mode;
        Err(read_only(path))
    }
    /// Creates a file with a unique name that only its owner can read.
    fn temporary_file(&self, content: &[u8], mode: u32) -> io::Result<PathBuf> {
        let _ = (content, mode);
        Err(io::ErrorKind::Unsupported.into())
    }
    /// Removes a file.
    fn remove_file(&self, path: &Path) -> io::Result<()> {
        Err(read_only(path))
    }
    /// A variable of the environment.
    fn env(&self, name: &str) -> Option<String>;
    /// The time now.
    fn now(&self) -> SystemTime;
    /// Waits for this time. Returns whether the world has a running clock.
    fn sleep(&self, _: Duration) -> bool {
        false
    }
    /// Eight random bytes, good enough for keys.
    fn random(&self) -> u64;
    /// Whether child processes can be run. If not, results that only code knows are unavailable,
    /// which must not be an error.
    fn runs_processes(&self) -> bool {
        true
    }
    /// Runs a child process to its end.
    fn run(&self, request: &ProcessRequest) -> io::Result<ProcessOutput>;
    /// Starts a child process to talk with.
    fn start(&self, request: &ChildSessionRequest) -> io::Result<Box<dyn ChildSession>> {
        let program = request.argv.first().map_or("", String::as_str);
        Err(io::Error::new(io::ErrorKind::NotFound, format!("no process can run here: {program}")))
    }
}

/// The maximum number of bytes of a file that a compile reads: far more than people write, and a
/// limit for devices, such as a link to `/dev/zero`.
const MAX_INPUT: u64 = 256 << 20;

/// The bytes of a source file.
///
/// # Errors
/// If it cannot be read, or is far larger than written files.
pub fn read_input(path: &Path) -> io::Result<Vec<u8>> {
    read_at_most(path, crate::budget::scaled(MAX_INPUT))
}

/// The text of a source file.
///
/// # Errors
/// As of [`read_input`], and if the file is not UTF-8.
pub fn read_input_text(path: &Path) -> io::Result<String> {
    let invalid = |_| io::Error::new(io::ErrorKind::InvalidData, "the text is not UTF-8");
    String::from_utf8(read_input(path)?).map_err(invalid)
}

/// The bytes of standard input.
///
/// # Errors
/// If it cannot be read, or is too large.
pub fn read_standard_input() -> io::Result<Vec<u8>> {
    const READ_SIZE: u64 = 1 << 20;
    let limit = crate::budget::scaled(MAX_STREAM);
    let mut bytes = Vec::new();
    let mut rest = io::stdin().take(limit + 1);
    // Bytes count while more are read.
    while let read @ 1.. = rest.by_ref().take(READ_SIZE).read_to_end(&mut bytes)? {
        crate::budget::read(Path::new("standard input"), read);
    }
    if bytes.len() as u64 > limit {
        let text = format!("it has more than {} MiB; {}", limit >> 20, crate::budget::HELP);
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, text));
    }
    Ok(bytes)
}

/// The size limit of a stream of unknown size.
const MAX_STREAM: u64 = 64 << 20;

/// Whether a shell passes a stream by this path: `/dev/stdin`, or `/dev/fd/63` for `<(command)`.
fn is_handed_over(path: &Path) -> bool {
    let streams = ["/dev/stdin", "/dev/fd", "/proc/self/fd"];
    path == Path::new("/dev/null") || streams.iter().any(|stream| path.starts_with(stream))
}

fn read_at_most(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    let metadata = std::fs::metadata(path)?;
    let kind = metadata.file_type();
    let is_stream = !kind.is_file() && !kind.is_dir();
    // Opening a pipe blocks until somebody writes to it, and a device may be endless.
    if is_stream && !is_handed_over(path) {
        let text = "a pipe or device cannot be read as a file; pass it as `/dev/stdin`";
        return Err(io::Error::new(io::ErrorKind::InvalidInput, text));
    }
    let limit = if is_stream { limit.min(crate::budget::scaled(MAX_STREAM)) } else { limit };
    let too_large = || {
        let text = format!("the file has more than {} MiB; {}", limit >> 20, crate::budget::HELP);
        io::Error::new(io::ErrorKind::FileTooLarge, text)
    };
    let file = std::fs::File::open(path)?;
    let size = metadata.len();
    if size > limit {
        return Err(too_large());
    }
    let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or_default());
    file.take(limit + 1).read_to_end(&mut bytes)?;
    crate::budget::read(path, bytes.len());
    if bytes.len() as u64 > limit { Err(too_large()) } else { Ok(bytes) }
}

/// All paths that were read, listed or looked up, even if they do not exist. A watch of the sources
/// covers them.
#[derive(Clone, Default, Debug)]
pub struct TouchedPaths(Arc<Mutex<FxHashSet<OsString>>>);

impl TouchedPaths {
    /// Notes a path.
    pub fn note(&self, path: &Path) {
        let mut touched = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if !touched.contains(path.as_os_str()) {
            touched.insert(path.into());
        }
    }

    /// The number of paths.
    pub fn count(&self) -> usize {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).len()
    }

    /// The paths, in order of name.
    pub fn paths(&self) -> Vec<PathBuf> {
        let touched = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut paths: Vec<PathBuf> = touched.iter().map(PathBuf::from).collect();
        paths.sort();
        paths
    }
}

/// Fetches a resource of a web server.
pub type Fetch = fn(&str) -> io::Result<Vec<u8>>;

/// The real machine. Records the touched paths.
#[derive(Default, Debug)]
pub struct HostWorld {
    touched: TouchedPaths,
    /// Whether no child process is run.
    is_still: bool,
    /// The client for web servers, if fetching is allowed.
    fetch: Option<Fetch>,
}

impl HostWorld {
    /// The machine that this process runs on.
    pub fn new() -> Self {
        Self::default()
    }

    /// The same; touched paths are noted there.
    pub fn noting(touched: TouchedPaths) -> Self {
        Self { touched, ..Self::default() }
    }

    /// The same world without child processes; starting one is an error. So no code from the
    /// sources runs in any language.
    pub fn without_processes(self) -> Self {
        Self { is_still: true, ..self }
    }

    /// The same, with a client of web servers.
    pub fn fetching(self, fetch: Fetch) -> Self {
        Self { fetch: Some(fetch), ..self }
    }

    fn may_run(&self, argv: &[String]) -> io::Result<()> {
        if !self.is_still {
            return Ok(());
        }
        let program = argv.first().map_or("", String::as_str);
        let text = format!("nothing is run here, and so not `{program}`");
        Err(io::Error::new(io::ErrorKind::PermissionDenied, text))
    }

    fn touch(&self, path: &Path) {
        self.touched.note(path);
    }
}

fn read_only(path: &Path) -> io::Error {
    let text = format!("nothing can be written here: {}", path.display());
    io::Error::new(io::ErrorKind::Unsupported, text)
}

fn entry_kind(meta: &std::fs::Metadata) -> EntryKind {
    if meta.is_file() {
        EntryKind::File
    } else if meta.is_dir() {
        EntryKind::Directory
    } else {
        EntryKind::Other
    }
}

impl World for HostWorld {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        self.touch(path);
        read_input(path)
    }

    fn fetch(&self, address: &str) -> io::Result<Vec<u8>> {
        let text = "files are fetched from the net with --allow-http only";
        let fetch = self.fetch.ok_or_else(|| io::Error::new(io::ErrorKind::Unsupported, text))?;
        fetch(address)
    }

    fn kind(&self, path: &Path) -> Option<EntryKind> {
        self.touch(path);
        std::fs::metadata(path).ok().map(|m| entry_kind(&m))
    }

    fn list(&self, path: &Path) -> io::Result<Vec<(String, EntryKind)>> {
        self.touch(path);
        let mut entries = Vec::new();
        for entry in std::fs::read_dir(path)? {
            let entry = entry?;
            let kind = match entry.file_type()? {
                t if t.is_file() => EntryKind::File,
                t if t.is_dir() => EntryKind::Directory,
                _ => std::fs::metadata(entry.path()).map_or(EntryKind::Other, |m| entry_kind(&m)),
            };
            entries.push((entry.file_name().to_string_lossy().into_owned(), kind));
        }
        entries.sort();
        Ok(entries)
    }

    fn resolve(&self, path: &Path) -> Option<PathBuf> {
        std::fs::canonicalize(path).ok()
    }

    fn read_link(&self, path: &Path) -> io::Result<PathBuf> {
        std::fs::read_link(path)
    }

    fn write(&self, path: &Path, content: &[u8], mode: u32) -> io::Result<()> {
        use std::io::Write;
        let mut options = std::fs::OpenOptions::new();
        options.write(true).create(true).truncate(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, mode);
        options.open(path)?.write_all(content)
    }

    fn make_directory(&self, path: &Path, mode: u32) -> io::Result<()> {
        let mut builder = std::fs::DirBuilder::new();
        builder.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, mode);
        builder.create(path)
    }

    fn temporary_file(&self, content: &[u8], mode: u32) -> io::Result<PathBuf> {
        use std::io::Write;
        const MAX_TRIES: u32 = 100;
        for _ in 0..MAX_TRIES {
            let path = std::env::temp_dir().join(format!("ordain-{:016x}", self.random()));
            let mut options = std::fs::OpenOptions::new();
            options.write(true).create_new(true);
            #[cfg(unix)]
            std::os::unix::fs::OpenOptionsExt::mode(&mut options, mode);
            match options.open(&path) {
                Ok(mut file) => {
                    file.write_all(content)?;
                    return Ok(path);
                }
                Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {}
                Err(e) => return Err(e),
            }
        }
        Err(io::ErrorKind::AlreadyExists.into())
    }

    fn remove_file(&self, path: &Path) -> io::Result<()> {
        std::fs::remove_file(path)
    }

    fn env(&self, name: &str) -> Option<String> {
        std::env::var(name).ok()
    }

    fn now(&self) -> SystemTime {
        SystemTime::now()
    }

    fn sleep(&self, time: Duration) -> bool {
        std::thread::sleep(time);
        true
    }

    #[expect(clippy::expect_used, reason = "the system has random numbers")]
    fn random(&self) -> u64 {
        getrandom::u64().expect("the system has random numbers")
    }

    fn runs_processes(&self) -> bool {
        !self.is_still
    }

    fn run(&self, request: &ProcessRequest) -> io::Result<ProcessOutput> {
        self.may_run(&request.argv)?;
        crate::process::run(request)
    }

    fn start(&self, request: &ChildSessionRequest) -> io::Result<Box<dyn ChildSession>> {
        self.may_run(&request.argv)?;
        crate::child_session::spawn(request)
    }
}

/// A world in memory, for tests: a map of files, a fixed clock, no processes.
#[derive(Clone, Default, Debug)]
pub struct MemoryWorld {
    /// Content by path.
    pub files: BTreeMap<PathBuf, Vec<u8>>,
    /// The environment.
    pub vars: BTreeMap<String, String>,
    /// The time in seconds since 1970.
    pub time: u64,
}

impl MemoryWorld {
    /// A world with these text files.
    pub fn with_files<P: Into<PathBuf>, T: Into<String>>(
        files: impl IntoIterator<Item = (P, T)>,
    ) -> Self {
        let files = files.into_iter().map(|(p, t)| (p.into(), t.into().into_bytes())).collect();
        Self { files, ..Self::default() }
    }
}

impl World for MemoryWorld {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        self.files.get(path).cloned().ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    fn kind(&self, path: &Path) -> Option<EntryKind> {
        if self.files.contains_key(path) {
            return Some(EntryKind::File);
        }
        let mut below = self.files.range(path.to_path_buf()..);
        below.any(|(p, _)| p.starts_with(path)).then_some(EntryKind::Directory)
    }

    fn list(&self, path: &Path) -> io::Result<Vec<(String, EntryKind)>> {
        let mut entries = BTreeMap::new();
        for file in self.files.keys() {
            let Ok(rest) = file.strip_prefix(path) else { continue };
            let mut parts = rest.components();
            if let Some(first) = parts.next() {
                let kind =
                    if parts.next().is_some() { EntryKind::Directory } else { EntryKind::File };
                entries.insert(first.as_os_str().to_string_lossy().into_owned(), kind);
            }
        }
        if entries.is_empty() {
            Err(io::ErrorKind::NotFound.into())
        } else {
            Ok(entries.into_iter().collect())
        }
    }

    fn env(&self, name: &str) -> Option<String> {
        self.vars.get(name).cloned()
    }

    fn now(&self) -> SystemTime {
        SystemTime::UNIX_EPOCH + Duration::from_secs(self.time)
    }

    fn random(&self) -> u64 {
        4
    }

    fn run(&self, request: &ProcessRequest) -> io::Result<ProcessOutput> {
        let program = request.argv.first().map_or("", String::as_str);
        Err(io::Error::new(io::ErrorKind::NotFound, format!("no process can run here: {program}")))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn other_file_types_are_refused() {
        let error = read_at_most(Path::new("/dev/zero"), 1 << 20).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::InvalidInput);
        assert!(read_at_most(Path::new("/dev/null"), 1 << 20).unwrap().is_empty());
    }

    #[test]
    fn files_that_are_too_large_are_refused() {
        // The manifest of this crate is longer than the limit.
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml");
        let error = read_at_most(&path, 10).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::FileTooLarge);
        assert!(error.to_string().starts_with("the file has more than 0 MiB; "));
    }
}
