//! Runs tools of the system and reports their output when they fail.

use std::ffi::OsString;
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use crate::kind::error::KindError;
use crate::system::host::Host;
use crate::system::runner::{Invocation, Launch, Outcome, RunAs};

/// The number of lines of a failed tool's output that are reported.
const REPORTED_LINES: usize = 10;

/// The directories of system tools.
const TOOL_DIRECTORIES: &[&str] = &["/usr/sbin", "/usr/bin", "/sbin", "/bin"];

/// The path of a tool of the running system; the bare name if it is in no usual place.
pub(crate) fn path_of(tool: &str) -> String {
    let found =
        TOOL_DIRECTORIES.iter().map(|p| format!("{p}/{tool}")).find(|p| Path::new(p).exists());
    found.unwrap_or_else(|| tool.to_string())
}

/// Whether the machine is the running system, not a root directory.
pub(crate) fn is_live(host: &Host) -> bool {
    host.root == Path::new("/")
}

/// The interval of checks for resources without events.
pub(crate) const POLL_INTERVAL: Duration = Duration::from_secs(5);

/// The number of changes that this process began or ended.
static CHANGES: AtomicU64 = AtomicU64::new(0);

/// Records that a change of the machine begins or ends.
pub(crate) fn note_change() {
    CHANGES.fetch_add(1, Ordering::SeqCst);
}

/// A number that differs after every change that this process makes.
pub(crate) fn changes_made() -> u64 {
    CHANGES.load(Ordering::SeqCst)
}

/// A command with a fixed locale.
pub(crate) fn command<S: Into<OsString>>(argv: impl IntoIterator<Item = S>) -> Invocation {
    let mut invocation = Invocation::new(argv);
    for name in ["LC_ALL", "LANG"] {
        invocation.launch.set_env.push((name.into(), "C".into()));
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

/// Moves a command into the machine's root: its program, directory and user belong to the machine.
/// On the running system the command does not change.
///
/// # Errors
/// When there is no such program.
pub(crate) fn in_root(host: &Host, invocation: Invocation) -> io::Result<Invocation> {
    if is_live(host) {
        return Ok(invocation);
    }
    let Launch { argv, cwd, run_as, .. } = &invocation.launch;
    let mut words: Vec<OsString> = vec![path_of("chroot").into()];
    if let Some(RunAs { uid, gid, groups }) = run_as {
        words.push(format!("--userspec=+{uid}:+{gid}").into());
        let groups = groups.iter().flatten().map(|group| format!("+{group}"));
        words.push(format!("--groups={}", groups.collect::<Vec<_>>().join(",")).into());
    }
    words.push(host.root.clone().into_os_string());
    // `chroot` starts in the root and cannot start elsewhere.
    if let Some(cwd) = cwd.as_ref().filter(|cwd| *cwd != Path::new("/")) {
        need_program(host, Path::new(SHELL))?;
        let change = r#"cd -- "$0" && exec "$@""#;
        words.extend([SHELL, "-c", change].map(OsString::from));
        words.push(cwd.clone().into_os_string());
    }
    if let Some(program) = argv.first() {
        need_program(host, Path::new(program))?;
    }
    words.extend(argv.iter().cloned());
    let launch = Launch { argv: words, cwd: None, run_as: None, ..invocation.launch };
    Ok(Invocation { launch, ..invocation })
}

/// The shell that exists on every machine.
const SHELL: &str = "/bin/sh";

fn need_program(host: &Host, program: &Path) -> io::Result<()> {
    let missing = || {
        let text = format!("the root has no program {}", program.display());
        io::Error::new(io::ErrorKind::NotFound, text)
    };
    host.stat(program).map(drop).map_err(|_| missing())
}

/// The reason why a command did not start inside the root of the machine: a program may exist
/// without its loader.
pub(crate) fn start_failure(host: &Host, outcome: &Outcome) -> Option<String> {
    let by_chroot = (125..=127).contains(&outcome.status) && !is_live(host);
    let streams = [&outcome.stderr, &outcome.stdout].map(|text| String::from_utf8_lossy(text));
    let prefix = format!("{}: ", path_of("chroot"));
    let line = |text: &str| text.lines().find_map(|l| l.strip_prefix(&prefix)).map(str::to_owned);
    streams.iter().find_map(|text| line(text)).filter(|_| by_chroot)
}

/// Runs a command and accepts any exit status.
pub(crate) fn ask(host: &Host, invocation: &Invocation) -> Result<Outcome, KindError> {
    host.run(invocation)
        .map_err(|e| KindError::new(format!("Execution of '{}' failed: {e}", line_of(invocation))))
}

/// Runs a command that has to succeed.
pub(crate) fn run(host: &Host, invocation: &Invocation) -> Result<Outcome, KindError> {
    run_redacted(host, invocation, false)
}

/// As [`run`], but with `secret` the error shows neither arguments nor output.
pub(crate) fn run_redacted(
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

/// The outcome of a successful command, else an error with its last lines.
pub(crate) fn check(
    invocation: &Invocation,
    outcome: Outcome,
    secret: bool,
) -> Result<Outcome, KindError> {
    if outcome.success() {
        return Ok(outcome);
    }
    let status = outcome.status;
    let (line, details) = if secret {
        ("[redacted]".to_string(), "[redacted]".to_string())
    } else {
        (line_of(invocation), tail(&outcome))
    };
    Err(KindError::new(format!("Execution of '{line}' returned {status}: {details}")))
}

/// The command roughly as a person would type it.
fn line_of(invocation: &Invocation) -> String {
    let words: Vec<_> = invocation.launch.argv.iter().map(|a| a.to_string_lossy()).collect();
    words.join(" ")
}

/// The last lines of the output of a tool, errors last.
fn tail(outcome: &Outcome) -> String {
    let stdout = String::from_utf8_lossy(&outcome.stdout);
    let stderr = String::from_utf8_lossy(&outcome.stderr);
    let lines = stdout.lines().chain(stderr.lines()).map(str::trim_end);
    let lines: Vec<&str> = lines.filter(|l| !l.is_empty()).collect();
    lines[lines.len().saturating_sub(REPORTED_LINES)..].join("\n")
}
