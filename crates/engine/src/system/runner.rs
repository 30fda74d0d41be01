//! Commands: their description, their outcome, and the runner that starts them as child processes.

use std::ffi::OsString;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::process::ExitStatusExt;
use std::time::Duration;

pub use ordain_process::{Launch, RunAs, Running};
use ordain_process::{Limits, OrphanPolicy};
use ordain_source::process::limits;

/// A command that a kind runs.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Invocation {
    /// The program, its environment, and its user.
    pub launch: Launch,
    /// Input text.
    pub stdin: Vec<u8>,
    /// Standard error is written into standard output, in the order of the writes.
    pub merge_stderr: bool,
    /// After this time it is killed with all its descendants; `None` waits forever.
    pub timeout: Option<Duration>,
}

impl Invocation {
    /// A command of program and arguments, limited to five minutes.
    pub fn new<S: Into<OsString>>(argv: impl IntoIterator<Item = S>) -> Self {
        Self {
            launch: Launch {
                argv: argv.into_iter().map(Into::into).collect(),
                ..Launch::default()
            },
            timeout: Some(Duration::from_secs(300)),
            ..Self::default()
        }
    }
}

/// The outcome of a command.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Outcome {
    /// Exit status; 128 + n if signal n ended it.
    pub status: i32,
    /// Standard output.
    pub stdout: Vec<u8>,
    /// Standard error.
    pub stderr: Vec<u8>,
}

impl Outcome {
    /// Whether the status is 0.
    pub fn success(&self) -> bool {
        self.status == 0
    }

    /// Standard output as text.
    pub fn stdout_text(&self) -> String {
        String::from_utf8_lossy(&self.stdout).into_owned()
    }
}

/// Runs commands; tests replace it by a recording.
pub trait Runner: Send + Sync {
    /// Runs a command to its end.
    ///
    /// # Errors
    /// When it cannot be started, or [`io::ErrorKind::TimedOut`].
    fn run(&self, invocation: &Invocation) -> io::Result<Outcome>;

    /// Starts a command with this standard input, output and error, and does not wait for it. When
    /// it ends, its remaining descendants are killed.
    ///
    /// # Errors
    /// When it cannot be started.
    fn start(&self, invocation: &Invocation, stdio: [OwnedFd; 3]) -> io::Result<Running> {
        let launch = Launch { orphans: OrphanPolicy::End, ..invocation.launch.clone() };
        ordain_process::start(&launch, stdio)
    }
}

/// Runs commands as child processes, each in its own process group. A command that is killed, at
/// its time limit or with this process, leaves nothing behind; daemons of a command that ends by
/// itself stay alive.
#[derive(Clone, Copy, Debug, Default)]
pub struct HostRunner;

impl Runner for HostRunner {
    fn run(&self, invocation: &Invocation) -> io::Result<Outcome> {
        let limits = Limits { time: invocation.timeout, output: limits().output };
        let (input, merge) = (&invocation.stdin, invocation.merge_stderr);
        let output = ordain_process::run(&invocation.launch, input, merge, limits)?;
        let status = output.status;
        let status = status.code().or_else(|| status.signal().map(|s| 128 + s)).unwrap_or(-1);
        Ok(Outcome { status, stdout: output.stdout, stderr: output.stderr })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::time::{Duration, Instant};

    use super::*;

    fn sh(script: &str) -> Invocation {
        Invocation::new(["/bin/sh", "-c", script])
    }

    #[test]
    fn output_status_and_input() {
        let mut run = sh("cat; echo e >&2; exit 3");
        run.stdin = b"in\n".to_vec();
        let out = HostRunner.run(&run).unwrap();
        assert_eq!((out.status, out.stdout, out.stderr), (3, b"in\n".to_vec(), b"e\n".to_vec()));
        run.merge_stderr = true;
        assert_eq!(HostRunner.run(&run).unwrap().stdout, b"in\ne\n");
    }

    #[test]
    fn the_umask_holds_for_the_child_alone() {
        let mut run = sh("umask");
        run.launch.umask = Some(0o27);
        assert_eq!(HostRunner.run(&run).unwrap().stdout_text().trim(), "0027");
    }

    #[test]
    fn a_timeout_ends_what_the_command_started() {
        let dir = tempfile::tempdir().unwrap();
        let mark = dir.path().join("mark");
        let mut run = sh(&format!("(sleep 1; touch {}) & wait", mark.display()));
        run.timeout = Some(Duration::from_millis(100));
        assert_eq!(HostRunner.run(&run).unwrap_err().kind(), io::ErrorKind::TimedOut);
        std::thread::sleep(Duration::from_millis(1200));
        assert!(!mark.exists());
    }

    #[test]
    fn a_daemon_that_keeps_its_output_open_does_not_hold_up_the_run() {
        let start = Instant::now();
        assert!(HostRunner.run(&sh("sleep 5 &")).unwrap().success());
        assert!(start.elapsed() < Duration::from_secs(4));
    }

    #[test]
    fn endless_output_is_ended() {
        let error = HostRunner.run(&sh("exec yes")).unwrap_err();
        assert!(error.to_string().contains("MiB of output"), "{error}");
    }
}
