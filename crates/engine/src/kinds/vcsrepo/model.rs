//! A parsed `vcsrepo`, and the kind of repository that is there.

use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use indexmap::IndexMap;
use ordain_data::Value;

use crate::kind::{Level, LogLine, LogSource};

/// The kind of repository that is there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Found {
    Absent,
    WorkingCopy,
    Bare,
    Mirror,
}

impl Found {
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Absent => "absent",
            Self::WorkingCopy => "present",
            Self::Bare => "bare",
            Self::Mirror => "mirror",
        }
    }
}

/// The desired kind of repository.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Ensure {
    Present,
    Latest,
    Bare,
    Mirror,
    Absent,
}

impl Ensure {
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Present => "present",
            Self::Latest => "latest",
            Self::Bare => "bare",
            Self::Mirror => "mirror",
            Self::Absent => "absent",
        }
    }
}

/// The remote repositories.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Remotes {
    /// The address of the one that is tracked.
    One(String),
    /// The addresses by name.
    Many(IndexMap<String, String>),
}

impl Remotes {
    pub(super) fn value(&self) -> Value {
        match self {
            Self::One(address) => Value::str(address.as_str()),
            Self::Many(all) => {
                Value::map(all.iter().map(|(name, url)| (name.as_str(), Value::str(url.as_str()))))
            }
        }
    }

    /// The text for messages.
    pub(super) fn shown(&self) -> String {
        match self {
            Self::One(address) => format!("'{address}'"),
            Self::Many(all) => {
                let items: Vec<String> =
                    all.iter().map(|(name, url)| format!("'{name}' => '{url}'")).collect();
                format!("{{{}}}", items.join(", "))
            }
        }
    }

    /// Whether these are the same. A slash at the end of an address does not count.
    pub(super) fn is(&self, other: &Self) -> bool {
        let bare = |address: &str| address.strip_suffix('/').unwrap_or(address).to_string();
        match (self, other) {
            (Self::One(a), Self::One(b)) => bare(a) == bare(b),
            (Self::Many(a), Self::Many(b)) => a == b,
            _ => false,
        }
    }
}

/// The proxies for remote repositories.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Proxy {
    All(String),
    ByRemote(Vec<(String, String)>),
}

/// The desired state.
pub(super) struct Repository {
    pub(super) path: PathBuf,
    pub(super) ensure: Option<Ensure>,
    pub(super) source: Option<Remotes>,
    pub(super) remote: String,
    pub(super) revision: Option<String>,
    pub(super) branch: Option<String>,
    pub(super) depth: Option<u64>,
    pub(super) submodules: bool,
    pub(super) owner: Option<String>,
    pub(super) group: Option<String>,
    pub(super) user: Option<String>,
    pub(super) identity: Option<String>,
    pub(super) force: bool,
    pub(super) excludes: Vec<String>,
    pub(super) includes: Option<Vec<String>>,
    pub(super) skip_hooks: Option<bool>,
    pub(super) keep_local_changes: bool,
    pub(super) trust_server: bool,
    pub(super) umask: Option<u32>,
    pub(super) proxy: Option<Proxy>,
    pub(super) remarks: Vec<String>,
    pub(super) secrets: Vec<String>,
    pub(super) log: Mutex<Vec<LogLine>>,
}

impl Repository {
    pub(super) fn is_bare(&self) -> bool {
        matches!(self.ensure, Some(Ensure::Bare | Ensure::Mirror))
    }

    /// Adds a line to the log.
    pub(super) fn notice(&self, property: Option<&'static str>, message: String) {
        let source = property.map_or(LogSource::Resource, LogSource::Property);
        let line = LogLine { level: Some(Level::Notice), source, message };
        self.log.lock().unwrap_or_else(PoisonError::into_inner).push(line);
    }
}
