//! Running the system's own tools and telling what they said when they fail.

use std::ffi::OsString;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use crate::host::{Host, Invocation, Outcome};
use crate::kind::KindError;

/// How many lines of a failed tool's output are told.
const TAIL: usize = 10;

/// Where the system's tools are.
const PLACES: &[&str] = &["/usr/sbin", "/usr/bin", "/sbin", "/bin"];

/// The path of a tool of the running system; the bare name if it is in no usual place.
pub(crate) fn path_of(tool: &str) -> String {
    let found = PLACES.iter().map(|p| format!("{p}/{tool}")).find(|p| Path::new(p).exists());
    found.unwrap_or_else(|| tool.to_string())
}

/// Whether the machine is the running system, not a directory that stands for one.
pub(crate) fn is_live(host: &Host) -> bool {
    host.root == Path::new("/")
}

/// How often is looked at what nothing tells of.
pub(crate) const UNWATCHED: Duration = Duration::from_secs(5);

/// How often this process began or ended a change.
static CHANGES: AtomicU64 = AtomicU64::new(0);

/// Notes that a change of the machine begins or ends.
pub(crate) fn note_change() {
    CHANGES.fetch_add(1, Ordering::SeqCst);
}

/// A number that is another one after every change that this process makes.
pub(crate) fn changes_made() -> u64 {
    CHANGES.load(Ordering::SeqCst)
}

/// A command with a fixed locale.
pub(crate) fn command<S: Into<OsString>>(argv: impl IntoIterator<Item = S>) -> Invocation {
    let mut invocation = Invocation::new(argv);
    for name in ["LC_ALL", "LANG"] {
        invocation.set_env.push((name.into(), "C".into()));
    }
    invocation
}

/// A command that runs inside the machine's root directory.
pub(crate) fn inside<S: Into<OsString>>(
    host: &Host,
    argv: impl IntoIterator<Item = S>,
) -> Invocation {
    let argv = argv.into_iter().map(Into::into);
    if is_live(host) {
        return command(argv);
    }
    let prefix = [path_of("chroot").into(), host.root.clone().into_os_string()];
    command(prefix.into_iter().chain(argv))
}

/// Runs a command; any status is fine.
pub(crate) fn ask(host: &Host, invocation: &Invocation) -> Result<Outcome, KindError> {
    host.run(invocation)
        .map_err(|e| KindError::new(format!("Execution of '{}' failed: {e}", line_of(invocation))))
}

/// Runs a command that has to succeed.
pub(crate) fn run(host: &Host, invocation: &Invocation) -> Result<Outcome, KindError> {
    run_covered(host, invocation, false)
}

/// As [`run`], but neither arguments nor output show in the error if `secret`.
pub(crate) fn run_covered(
    host: &Host,
    invocation: &Invocation,
    secret: bool,
) -> Result<Outcome, KindError> {
    let failed = |e| {
        let line = if secret { "[redacted]".to_string() } else { line_of(invocation) };
        KindError::new(format!("Execution of '{line}' failed: {e}"))
    };
    check(invocation, host.run(invocation).map_err(failed)?, secret)
}

/// The outcome of a command if it succeeded, else an error that tells its last lines.
pub(crate) fn check(
    invocation: &Invocation,
    outcome: Outcome,
    secret: bool,
) -> Result<Outcome, KindError> {
    if outcome.success() {
        return Ok(outcome);
    }
    let status = outcome.status;
    let (line, said) = if secret {
        ("[redacted]".to_string(), "[redacted]".to_string())
    } else {
        (line_of(invocation), tail(&outcome))
    };
    Err(KindError::new(format!("Execution of '{line}' returned {status}: {said}")))
}

/// The command as a person would type it, more or less.
fn line_of(invocation: &Invocation) -> String {
    let words: Vec<_> = invocation.argv.iter().map(|a| a.to_string_lossy()).collect();
    words.join(" ")
}

/// The last lines of what a tool said, its errors last.
fn tail(outcome: &Outcome) -> String {
    let stdout = String::from_utf8_lossy(&outcome.stdout);
    let stderr = String::from_utf8_lossy(&outcome.stderr);
    let lines = stdout.lines().chain(stderr.lines()).map(str::trim_end);
    let lines: Vec<&str> = lines.filter(|l| !l.is_empty()).collect();
    lines[lines.len().saturating_sub(TAIL)..].join("\n")
}
