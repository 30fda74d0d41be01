//! Exit codes and failures of verbs.

use std::io;
use std::process::ExitCode;

use ordain_source::Diagnostic;

use crate::codes;

/// The text about exit codes under `ordain --help`.
#[cfg(feature = "full")]
pub(crate) const HELP: &str = "\
Exit codes:
  0  done; for `plan` and `apply`: nothing had to change
  1  an error: in the command line, in the input, or on the machine
  2  `plan`: changes are pending; `apply`: changes were made, or with --noop
     would be
  130, 143, 129  SIGINT, SIGTERM or SIGHUP ended the run
  `diff` has its own: 0 equal, 1 different, 2 an error

`ordain help topics` lists the topics of the manual.";

/// The same in the program of the agent alone, which has no topics.
#[cfg(not(feature = "full"))]
pub(crate) const HELP: &str = "\
Exit codes:
  0  done
  1  an error: in the command line, in the input, or on the machine
  2  `rollback`: something was restored
  `agent --once` has its own: see `ordain agent --help`";

/// The same under `ordain diff --help`.
pub(crate) const DIFF_HELP: &str = "\
Exit codes:
  0  no differences
  1  differences
  2  an error: a file cannot be read, is no YAML, or does not compile

Examples:
  ordain diff old.yml new.yml
  ordain diff production staging --node web1.example.org
  ordain merge manifest.yml stub.yml | ordain diff expected.yml -";

/// The same under `ordain plan --help`.
pub(crate) const PLAN_HELP: &str = "\
Exit codes:
  0  nothing has to change
  1  an error: in the command line, in the input, or on the machine
  2  changes are pending

Examples:
  ordain plan site.pp
  ordain plan . --out next.plan && ordain apply next.plan";

/// The same under `ordain apply --help`.
pub(crate) const APPLY_HELP: &str = "\
Exit codes:
  0  nothing had to change
  1  an error: in the command line, in the input, or on the machine
  2  changes were made, or with --noop would be
  130, 143, 129  SIGINT, SIGTERM or SIGHUP ended the run, after what was under
     way

Examples:
  ordain apply site.pp
  ordain apply . --tags ntp,motd --noop
  ordain apply next.plan";

/// The same under `ordain watch --help`.
pub(crate) const WATCH_HELP: &str = "\
Exit codes:
  0  a signal stopped it; with --converged-timeout: nothing had to change
  1  an error in the command line; with --converged-timeout: something failed,
     or the sources have errors
  2  with --converged-timeout: changes were made, or with --noop would be
  130, 143  a second SIGINT or SIGTERM ended what was under way

Examples:
  ordain watch site.pp
  ordain watch . --format json >> /var/log/ordain.jsonl
  ordain watch . --converged-timeout 5";

/// The same under `ordain agent --help`.
pub(crate) const AGENT_HELP: &str = "\
Exit codes:
  0  a signal stopped it; with --once: nothing had to change, or --noop
  1  an error: in the command line, of the server, or on the machine
  2  with --once: changes were made
  4  with --once: resources failed
  6  with --once: changes were made, and resources failed

Examples:
  ordain agent --server puppet.example.org --ca-fingerprint AB:CD:... --once
  ordain agent --server puppet.example.org --maintenance 'mon-fri 08:00-18:00'";

/// The exit codes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Exit {
    /// Done, and nothing had to change.
    Done,
    /// Something is wrong with the command line, the input, or the machine.
    Failed,
    /// Changes are pending, or were made.
    Changes,
    /// Two documents differ.
    Different,
    /// Documents cannot be compared.
    Trouble,
    /// A resource determines the exit code.
    Code(u8),
}

impl From<Exit> for u8 {
    fn from(exit: Exit) -> Self {
        match exit {
            Exit::Done => 0,
            Exit::Failed | Exit::Different => 1,
            Exit::Changes | Exit::Trouble => 2,
            Exit::Code(code) => code,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(u8::from(exit))
    }
}

/// The reason for which a verb stops.
#[derive(Debug)]
#[allow(clippy::large_enum_variant, reason = "an error ends the run; it is moved once")]
pub(crate) enum Failure {
    /// The reader of the output is gone. The process ends silently.
    ClosedPipe,
    /// The errors were already shown.
    Shown,
    /// An error that is not shown yet.
    Message(Diagnostic),
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        if error.kind() == io::ErrorKind::BrokenPipe {
            Self::ClosedPipe
        } else {
            Self::Message(codes::io("input or output failed", &error))
        }
    }
}

impl From<ordain_driver::Error> for Failure {
    fn from(error: ordain_driver::Error) -> Self {
        match error {
            ordain_driver::Error::Reported => Self::Shown,
            ordain_driver::Error::Message(diagnostic) => Self::Message(*diagnostic),
        }
    }
}

impl From<Diagnostic> for Failure {
    fn from(diagnostic: Diagnostic) -> Self {
        Self::Message(diagnostic)
    }
}
