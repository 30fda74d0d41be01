//! A world that notes the inputs of the compiles that look at it.

use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use ordain_source::child_session::{ChildSession, ChildSessionRequest};
use ordain_source::inputs::{Aspect, note_environment, note_path, note_program, note_unrepeatable};
use ordain_source::{EntryKind, ProcessOutput, ProcessRequest, World};

use super::states::{FileState, FileStates};

/// Wraps a world: files are noted as inputs with the states that they had, and anything that differs
/// each time makes a compile unrepeatable.
pub(crate) struct ObservedWorld<W> {
    inner: W,
    states: FileStates,
}

impl<W: World> ObservedWorld<W> {
    /// Observes a world. The states of its files go to `states`.
    pub(crate) fn new(inner: W, states: FileStates) -> Self {
        Self { inner, states }
    }
}

impl<W: World> World for ObservedWorld<W> {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        note_path(Aspect::Content, path);
        let read = self.inner.read(path);
        self.states.saw(Aspect::Content, path, FileState::of_content(&read));
        read
    }

    fn fetch(&self, address: &str) -> io::Result<Vec<u8>> {
        note_unrepeatable(|| "a file is fetched from a web server".into());
        self.inner.fetch(address)
    }

    fn kind(&self, path: &Path) -> Option<EntryKind> {
        note_path(Aspect::Kind, path);
        let kind = self.inner.kind(path);
        self.states.saw(Aspect::Kind, path, FileState::of_kind(kind));
        kind
    }

    fn list(&self, path: &Path) -> io::Result<Vec<(String, EntryKind)>> {
        note_path(Aspect::Entries, path);
        let listed = self.inner.list(path);
        self.states.saw(Aspect::Entries, path, FileState::of_entries(&listed));
        listed
    }

    fn resolve(&self, path: &Path) -> Option<PathBuf> {
        note_unrepeatable(|| "links are followed".into());
        self.inner.resolve(path)
    }

    fn read_link(&self, path: &Path) -> io::Result<PathBuf> {
        note_unrepeatable(|| "a link is read".into());
        self.inner.read_link(path)
    }

    fn write(&self, path: &Path, content: &[u8], mode: u32) -> io::Result<()> {
        note_unrepeatable(|| "a file is written".into());
        self.inner.write(path, content, mode)
    }

    fn make_directory(&self, path: &Path, mode: u32) -> io::Result<()> {
        note_unrepeatable(|| "a directory is made".into());
        self.inner.make_directory(path, mode)
    }

    fn temporary_file(&self, content: &[u8], mode: u32) -> io::Result<PathBuf> {
        note_unrepeatable(|| "a file is written".into());
        self.inner.temporary_file(content, mode)
    }

    fn remove_file(&self, path: &Path) -> io::Result<()> {
        note_unrepeatable(|| "a file is removed".into());
        self.inner.remove_file(path)
    }

    fn env(&self, name: &str) -> Option<String> {
        note_environment(name);
        self.inner.env(name)
    }

    fn now(&self) -> SystemTime {
        note_unrepeatable(|| "the time is read".into());
        self.inner.now()
    }

    fn sleep(&self, time: Duration) -> bool {
        self.inner.sleep(time)
    }

    fn random(&self) -> u64 {
        note_unrepeatable(|| "a random number is drawn".into());
        self.inner.random()
    }

    fn runs_processes(&self) -> bool {
        self.inner.runs_processes()
    }

    fn run(&self, request: &ProcessRequest) -> io::Result<ProcessOutput> {
        note_program(request.argv.first().map_or("", String::as_str));
        self.inner.run(request)
    }

    fn start(&self, request: &ChildSessionRequest) -> io::Result<Box<dyn ChildSession>> {
        note_program(request.argv.first().map_or("", String::as_str));
        self.inner.start(request)
    }
}
