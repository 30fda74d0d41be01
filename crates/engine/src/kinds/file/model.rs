//! A parsed `file` resource.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use ordain_functions::checksum::Checksum;
use ordain_graph::served::ServedTree;
use ordain_graph::{Resource, ResourceRef};

use super::backup::Backup;
use super::mode::Mode;
use super::selinux_context::DeclaredContext;
use super::source::Source;
use crate::kind::{KindError, Level, LogLine, LogSource};

/// The desired type of the path.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Ensure {
    Absent,
    Present,
    File,
    Directory,
    Link,
}

/// Text or bytes written in the declaration.
#[derive(Clone)]
pub(super) struct Content {
    pub(super) bytes: Arc<[u8]>,
    pub(super) secret: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Recurse {
    No,
    /// Existing files and those of the source.
    Both,
    /// Only the files of the source.
    Remote,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum SourcePermissions {
    Ignore,
    Use,
    UseWhenCreating,
}

/// Options of a recursion.
#[derive(Clone, Debug)]
pub(super) struct Recursion {
    pub(super) mode: Recurse,
    pub(super) limit: Option<u32>,
    pub(super) max_files: i64,
    pub(super) purge: bool,
    pub(super) ignore: Vec<String>,
    pub(super) all_sources: bool,
}

pub(super) struct FileInstance {
    pub(super) path: PathBuf,
    pub(super) ensure: Option<Ensure>,
    pub(super) target: Option<String>,
    pub(super) content: Option<Content>,
    pub(super) sources: Vec<Source>,
    pub(super) fragments: Vec<String>,
    /// The paths of all declared files, for fragments.
    pub(super) declared_files: Arc<BTreeSet<PathBuf>>,
    pub(super) must_exist: bool,
    pub(super) parents: bool,
    pub(super) remove_empty: bool,
    pub(super) owner: Option<String>,
    pub(super) group: Option<String>,
    pub(super) mode: Option<Mode>,
    pub(super) checksum: Checksum,
    pub(super) checksum_value: Option<String>,
    pub(super) backup: Backup,
    pub(super) recursion: Recursion,
    pub(super) replace: bool,
    pub(super) force: bool,
    pub(super) follow: bool,
    pub(super) show_diff: bool,
    pub(super) source_permissions: SourcePermissions,
    pub(super) validate: Option<String>,
    pub(super) context: DeclaredContext,
    pub(super) autorequires: Vec<ResourceRef>,
    /// The declaration for generated resources below a directory; `None` without recursion.
    pub(super) declared: Option<Box<Resource>>,
    /// The files of the sources at the time of the compile, if the graph has them.
    pub(super) served: Vec<ServedTree>,
    /// The declared files below. A recursion skips them, their content, and the directories that
    /// contain them.
    pub(super) below: BTreeSet<PathBuf>,
    pub(super) log: Mutex<Vec<LogLine>>,
}

impl FileInstance {
    pub(super) fn log(&self, level: Level, message: impl Into<String>) {
        let line =
            LogLine { level: Some(level), source: LogSource::Resource, message: message.into() };
        self.log.lock().unwrap_or_else(PoisonError::into_inner).push(line);
    }

    pub(super) fn error(&self, doing: &str, error: &std::io::Error) -> KindError {
        KindError::new(format!("Could not {doing} {}: {error}", self.path.display()))
    }
}
