//! The states of files that compiles depend on.

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use ordain_functions::digest;
use ordain_source::inputs::Aspect;
use ordain_source::{EntryKind, World};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

/// The state of one aspect of a path.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum FileState {
    /// There is nothing.
    #[serde(rename = "missing")]
    Missing,
    /// It cannot be read.
    #[serde(rename = "unreadable")]
    Unreadable,
    /// A file.
    #[serde(rename = "file")]
    File,
    /// A directory.
    #[serde(rename = "directory")]
    Directory,
    /// A device, a socket or a link to nothing.
    #[serde(rename = "other")]
    Other,
    /// The SHA-256 of the content of a file, or of the entries of a directory.
    #[serde(rename = "sha256", with = "hex")]
    Digest([u8; 32]),
    /// It changed while an environment was open, so it is not known which state a compile saw.
    #[serde(rename = "changing")]
    Changing,
}

mod hex {
    use std::fmt::Write;

    use serde::{Deserialize, Deserializer, Serializer, de};

    pub(super) fn serialize<S: Serializer>(digest: &[u8; 32], to: S) -> Result<S::Ok, S::Error> {
        let mut text = String::with_capacity(64);
        for byte in digest {
            // A text in memory takes everything.
            let _ = write!(text, "{byte:02x}");
        }
        to.serialize_str(&text)
    }

    pub(super) fn deserialize<'d, D: Deserializer<'d>>(from: D) -> Result<[u8; 32], D::Error> {
        let text = std::borrow::Cow::<'d, str>::deserialize(from)?;
        let mut digest = [0; 32];
        let wrong = || de::Error::custom("no SHA-256 in hexadecimal");
        if text.len() != 64 || !text.is_ascii() {
            return Err(wrong());
        }
        for (at, byte) in digest.iter_mut().enumerate() {
            *byte = u8::from_str_radix(&text[2 * at..2 * at + 2], 16).map_err(|_| wrong())?;
        }
        Ok(digest)
    }
}

impl FileState {
    /// The state that reading a file has shown.
    pub(super) fn of_content(read: &io::Result<Vec<u8>>) -> Self {
        match read {
            Ok(bytes) => digest_of(bytes),
            Err(error) => Self::of_error(error),
        }
    }

    /// The state that listing a directory has shown.
    pub(super) fn of_entries(listed: &io::Result<Vec<(String, EntryKind)>>) -> Self {
        match listed {
            Ok(entries) => {
                let mut text = Vec::new();
                for (name, kind) in entries {
                    text.extend_from_slice(name.as_bytes());
                    text.push(0);
                    text.push(*kind as u8);
                }
                digest_of(&text)
            }
            Err(error) => Self::of_error(error),
        }
    }

    /// The state that a look for a kind has shown.
    pub(super) fn of_kind(kind: Option<EntryKind>) -> Self {
        match kind {
            None => Self::Missing,
            Some(EntryKind::File) => Self::File,
            Some(EntryKind::Directory) => Self::Directory,
            Some(EntryKind::Other) => Self::Other,
        }
    }

    fn of_error(error: &io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => Self::Missing,
            io::ErrorKind::IsADirectory => Self::Directory,
            _ => Self::Unreadable,
        }
    }

    /// Looks at an aspect of a path.
    fn look(world: &dyn World, aspect: Aspect, path: &Path) -> Self {
        match aspect {
            Aspect::Content => Self::of_content(&world.read(path)),
            Aspect::Kind => Self::of_kind(world.kind(path)),
            Aspect::Entries => Self::of_entries(&world.list(path)),
        }
    }
}

fn digest_of(bytes: &[u8]) -> FileState {
    let mut out = [0; 32];
    out.copy_from_slice(&digest::sha256_bytes(bytes));
    FileState::Digest(out)
}

/// The states of the files of an open environment, as its compiles have seen them.
#[derive(Clone, Default, Debug)]
pub struct FileStates(Arc<[Mutex<FxHashMap<OsString, FileState>>; 3]>);

impl FileStates {
    fn of(&self, aspect: Aspect) -> std::sync::MutexGuard<'_, FxHashMap<OsString, FileState>> {
        self.0[aspect as usize].lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records what a compile has seen.
    pub(super) fn saw(&self, aspect: Aspect, path: &Path, state: FileState) {
        let mut known = self.of(aspect);
        match known.get_mut::<OsStr>(path.as_os_str()) {
            None => _ = known.insert(path.into(), state),
            Some(before) if *before != state => *before = FileState::Changing,
            Some(_) => {}
        }
    }

    /// The state that compiles have seen. A path that none has looked at is looked at now.
    pub(crate) fn get(&self, world: &dyn World, aspect: Aspect, path: &Path) -> FileState {
        if let Some(known) = self.of(aspect).get::<OsStr>(path.as_os_str()) {
            return known.clone();
        }
        let found = FileState::look(world, aspect, path);
        self.of(aspect).entry(path.into()).or_insert(found).clone()
    }
}
