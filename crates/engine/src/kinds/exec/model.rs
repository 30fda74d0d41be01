//! A parsed `exec` resource.

use std::path::PathBuf;
use std::sync::Mutex;
use std::time::Duration;

use super::command::{CommandLine, ExecutionContext};
use crate::kind::LogLine;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum LogOutput {
    Always,
    Never,
    OnFailure,
}

/// The context of the checks, and their expected output.
#[derive(Debug, Default)]
pub(super) struct Checks {
    pub(super) onlyif_cwd: Option<PathBuf>,
    pub(super) onlyif_output: Option<String>,
    pub(super) onlyif_stdout: Option<String>,
    pub(super) unless_cwd: Option<PathBuf>,
    /// Files that cause a run when they change.
    pub(super) newer: Vec<PathBuf>,
}

/// Events after which the command may have to run.
#[derive(Debug, Default)]
pub(super) struct WatchTriggers {
    /// A command that writes a line then.
    pub(super) watch: Option<CommandLine>,
    pub(super) watch_cwd: Option<PathBuf>,
    /// Paths that change then.
    pub(super) files: Vec<PathBuf>,
}

#[derive(Debug)]
pub(super) struct ExecInstance {
    pub(super) title: String,
    pub(super) checks: Checks,
    pub(super) watch_triggers: WatchTriggers,
    pub(super) done: Option<CommandLine>,
    pub(super) done_cwd: Option<PathBuf>,
    pub(super) keep_output: bool,
    pub(super) command: CommandLine,
    pub(super) refresh: Option<CommandLine>,
    pub(super) secret: bool,
    pub(super) onlyif: Vec<CommandLine>,
    pub(super) unless: Vec<CommandLine>,
    pub(super) creates: Vec<PathBuf>,
    pub(super) refreshonly: bool,
    pub(super) returns: Vec<String>,
    pub(super) skip_on_fail: bool,
    pub(super) tries: u32,
    pub(super) try_sleep: Duration,
    pub(super) logoutput: LogOutput,
    pub(super) execution_context: ExecutionContext,
    pub(super) log: Mutex<Vec<LogLine>>,
}
