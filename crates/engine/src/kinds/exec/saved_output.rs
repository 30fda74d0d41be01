//! The output of the last run of a command, and the time of that run.

use std::time::SystemTime;

use serde::{Deserialize, Serialize};

use crate::kind::KindError;
use crate::kinds::shared::state_file::StateFile as File;
use crate::system::host::Host;
use crate::system::runner::Outcome;

/// The outputs of a command; `None` where it wrote nothing.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub(super) struct SavedOutput {
    pub(super) output: Option<String>,
    pub(super) stdout: Option<String>,
    pub(super) stderr: Option<String>,
}

impl SavedOutput {
    /// The outputs of a command, standard error last.
    pub(super) fn of(outcome: &Outcome) -> Self {
        let text =
            |bytes: &[u8]| (!bytes.is_empty()).then(|| String::from_utf8_lossy(bytes).into_owned());
        let both = [outcome.stdout.as_slice(), &outcome.stderr].concat();
        Self { output: text(&both), stdout: text(&outcome.stdout), stderr: text(&outcome.stderr) }
    }
}

fn file(title: &str) -> File {
    File::new("exec", title)
}

/// The saved output of the command of this title.
pub(super) fn load(host: &Host, title: &str) -> Result<Option<SavedOutput>, KindError> {
    let bytes = file(title).read(host)?;
    Ok(bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok()))
}

/// Keeps it.
pub(super) fn save(host: &Host, title: &str, saved_output: &SavedOutput) -> Result<(), KindError> {
    let text = serde_json::to_vec(saved_output);
    let text = text.map_err(|e| KindError::new(format!("Could not save the output: {e}")))?;
    file(title).write(host, &text)
}

/// The time of the last successful run of the command with this title.
pub(super) fn last_run(host: &Host, title: &str) -> Option<SystemTime> {
    std::fs::metadata(host.path(file(title).path())).and_then(|meta| meta.modified()).ok()
}
