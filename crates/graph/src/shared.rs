//! Values that hosts share: mgmt's `kv`, elections and exported resources of programs. The trait of
//! the stores that hold them.

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// The use of a shared value.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Space {
    /// A value that all hosts have in common.
    Common,
    /// The value that a host gives a key.
    Mapped,
    /// The candidacy of a host in an election.
    Candidate,
    /// The elected hosts, as a JSON list.
    Elected,
    /// A resource that a host exports.
    Export,
}

impl Space {
    /// All of them.
    pub const ALL: [Self; 5] =
        [Self::Common, Self::Mapped, Self::Candidate, Self::Elected, Self::Export];

    /// The name in stores.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Common => "common",
            Self::Mapped => "mapped",
            Self::Candidate => "candidate",
            Self::Elected => "elected",
            Self::Export => "export",
        }
    }

    /// The space with this name.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|space| space.as_str() == text)
    }

    /// Whether its values belong to one host, which alone may write them.
    pub fn is_of_host(self) -> bool {
        matches!(self, Self::Mapped | Self::Candidate | Self::Export)
    }
}

/// The key of a shared value.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct SharedKey {
    /// Its use.
    pub space: Space,
    /// Its name. That of an export is `KIND/NAME`.
    pub name: String,
    /// The host that it belongs to; empty if it belongs to none.
    #[serde(default)]
    pub host: String,
}

impl SharedKey {
    /// A key.
    pub fn new(space: Space, name: &str, host: &str) -> Self {
        Self { space, name: name.to_owned(), host: host.to_owned() }
    }
}

impl fmt::Display for SharedKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} `{}`", self.space.as_str(), self.name)?;
        if self.host.is_empty() { Ok(()) } else { write!(f, " of {}", self.host) }
    }
}

/// A value, or its removal.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct SharedEntry {
    /// The key.
    #[serde(flatten)]
    pub key: SharedKey,
    /// The value; `None` if it was removed.
    pub value: Option<String>,
    /// The revision of the store that its last change made.
    pub revision: i64,
}

/// A change to make.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct SharedWrite {
    /// The key.
    #[serde(flatten)]
    pub key: SharedKey,
    /// The new value; `None` removes it.
    pub value: Option<String>,
    /// The seconds after which the store removes it, unless its host renews it.
    #[serde(default)]
    pub ttl: Option<u64>,
}

/// A condition of a change: the key still has this revision.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct SharedGuard {
    /// The key.
    #[serde(flatten)]
    pub key: SharedKey,
    /// The revision of its last change; 0 if it has no value.
    pub revision: i64,
}

/// The changes since a revision.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct SharedChanges {
    /// The revision that they lead to.
    pub revision: i64,
    /// Whether they are all values of the store: keys without an entry have none.
    pub is_complete: bool,
    /// The changed values, each at most once.
    pub entries: Vec<SharedEntry>,
}

/// The reason why a store fails.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum SharedStoreError {
    /// It does not answer now; the same call may succeed later.
    #[error("the store of shared values cannot be reached: {0}")]
    Unreachable(String),
    /// It refuses the call.
    #[error("the store of shared values refuses: {0}")]
    Refused(String),
}

/// A store of values that several hosts share.
///
/// Each write makes a new revision. A reader gets the changes since the revision that it knows, so
/// a lost notice costs time only.
pub trait SharedStore: fmt::Debug + Send + Sync {
    /// The changes after a revision; all values without one. Waits for a change at most for this
    /// time, and may return without one. It may also return all values, for instance if the
    /// changes are no longer known one by one.
    ///
    /// # Errors
    /// When the store cannot be read.
    fn changes(
        &self,
        after: Option<i64>,
        at_most: Duration,
    ) -> Result<SharedChanges, SharedStoreError>;

    /// Makes changes in the name of a host, all or none. Returns false, and changes nothing, if the
    /// condition does not hold.
    ///
    /// # Errors
    /// When the store cannot be written, or the host may not do that.
    fn write(
        &self,
        host: &str,
        writes: &[SharedWrite],
        guard: Option<&SharedGuard>,
    ) -> Result<bool, SharedStoreError>;

    /// Renews the values that a host has written with this number of seconds.
    ///
    /// # Errors
    /// When the store cannot be written.
    fn renew(&self, host: &str, ttl: u64) -> Result<(), SharedStoreError>;
}
