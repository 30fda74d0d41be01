//! What a command wrote when it ran last, and when that was.

use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::host::{Host, Outcome};
use crate::kind::KindError;
use crate::kinds::cached::read_bytes;
use crate::kinds::write::{Owner, rewrite};

/// Where it is kept.
const DIRECTORY: &str = "/var/lib/ordain/exec";

/// The outputs of a command; nothing where it wrote nothing.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub(super) struct Kept {
    pub(super) output: Option<String>,
    pub(super) stdout: Option<String>,
    pub(super) stderr: Option<String>,
}

impl Kept {
    /// What a command wrote, its errors last.
    pub(super) fn of(outcome: &Outcome) -> Self {
        let text =
            |bytes: &[u8]| (!bytes.is_empty()).then(|| String::from_utf8_lossy(bytes).into_owned());
        let both = [outcome.stdout.as_slice(), &outcome.stderr].concat();
        Self { output: text(&both), stdout: text(&outcome.stdout), stderr: text(&outcome.stderr) }
    }
}

fn path(title: &str) -> PathBuf {
    let digest = Sha256::digest(title.as_bytes());
    let name: String = digest.iter().take(16).map(|byte| format!("{byte:02x}")).collect();
    Path::new(DIRECTORY).join(name)
}

fn failed(title: &str, error: &io::Error) -> KindError {
    KindError::new(format!("Could not keep what '{title}' wrote: {error}"))
}

/// What was kept of the command of this title.
pub(super) fn load(host: &Host, title: &str) -> Result<Option<Kept>, KindError> {
    let bytes = read_bytes(&host.path(&path(title))).map_err(|e| failed(title, &e))?;
    Ok(bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok()))
}

/// Keeps it.
pub(super) fn save(host: &Host, title: &str, kept: &Kept) -> Result<(), KindError> {
    let mut directory = std::fs::DirBuilder::new();
    directory.recursive(true).mode(0o700);
    directory.create(host.path(Path::new(DIRECTORY))).map_err(|e| failed(title, &e))?;
    let text = serde_json::to_vec(kept).map_err(|e| failed(title, &e.into()))?;
    rewrite(host, &path(title), &text, Owner { mode: 0o600, ids: None })
        .map_err(|e| failed(title, &e))
}

/// When the command of this title ran last with success.
pub(super) fn last_run(host: &Host, title: &str) -> Option<SystemTime> {
    std::fs::metadata(host.path(&path(title))).and_then(|meta| meta.modified()).ok()
}
