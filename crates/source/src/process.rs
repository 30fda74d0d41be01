//! Child processes of [`crate::HostWorld`]: limits and start.

use std::io::{self, Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant, SystemTime};

/// A child process to run to its end.
#[derive(Clone, Debug)]
pub struct ProcessRequest {
    /// Program and arguments, without a shell.
    pub argv: Vec<String>,
    /// Working directory.
    pub cwd: Option<PathBuf>,
    /// Variables added to the environment.
    pub env: Vec<(String, String)>,
    /// Text for its standard input.
    pub stdin: Vec<u8>,
    /// The timeout, if it is shorter than that of [`limits`].
    pub timeout: Option<Duration>,
}

/// The result of a child process.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ProcessOutput {
    /// Exit status; `None` if a signal ended it.
    pub status: Option<i32>,
    /// Its standard output.
    pub stdout: Vec<u8>,
    /// Its standard error.
    pub stderr: Vec<u8>,
}

/// The interval of checks for the end of a child.
const POLL_INTERVAL: Duration = Duration::from_millis(2);

/// An environment variable of a session's child and all its descendants, whatever process group
/// they join.
const CHILD_VARIABLE: &str = "ORDAIN_CHILD";
/// The number of searches for processes with the marker: one may start another meanwhile.
const KILL_ROUNDS: usize = 8;

/// The time to wait for the output of a child after its end, because another process may hold the
/// pipe open.
const OUTPUT_TIMEOUT: Duration = Duration::from_secs(1);

/// The limits of programs that a compile runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ProcessLimits {
    /// The maximum run time.
    pub time: Duration,
    /// The maximum number of bytes on standard output, and separately on standard error.
    pub output: u64,
}

impl Default for ProcessLimits {
    fn default() -> Self {
        Self { time: Duration::from_secs(60), output: 64 << 20 }
    }
}

static LIMITS: OnceLock<ProcessLimits> = OnceLock::new();

/// Sets the limits of programs. Only the first call has an effect.
pub fn set_limits(limits: ProcessLimits) {
    let _ = LIMITS.set(limits);
}

/// The limits of programs.
pub fn limits() -> ProcessLimits {
    LIMITS.get().copied().unwrap_or_default()
}

/// Starts programs.
pub trait Processes: Send + Sync {
    /// Runs a program to its end, within these limits.
    ///
    /// # Errors
    /// When it cannot be started or exceeds a limit; [`io::ErrorKind::TimedOut`] for the time,
    /// [`io::ErrorKind::FileTooLarge`] for the output.
    fn run(&self, request: &ProcessRequest, limits: ProcessLimits) -> io::Result<ProcessOutput>;

    /// Starts a program with this standard input, output and error.
    ///
    /// # Errors
    /// When it cannot be started.
    fn start(&self, argv: &[String], stdio: [OwnedFd; 3]) -> io::Result<Box<dyn Process>>;

    /// Pins this thread and another process to one processor until the result is dropped. `None` if
    /// that is not possible.
    fn share_processor(&self, _process: u32) -> Option<Box<dyn ProcessorShare>> {
        None
    }
}

/// This thread and another process on one processor, where two that wait for each other all the
/// time wake up faster.
pub trait ProcessorShare: Send {
    /// Counts a message to the other process. From time to time the pinning is lifted, so that the
    /// scheduler can choose another processor.
    fn count_message(&mut self);
}

/// Pins this thread and another process to one processor; see [`Processes::share_processor`].
pub fn share_processor(process: u32) -> Option<Box<dyn ProcessorShare>> {
    processes().share_processor(process)
}

/// A program that was started.
pub trait Process: Send {
    /// Waits for its end; `None` if it has not ended after `limit`.
    ///
    /// # Errors
    /// When the system cannot report it.
    fn wait(&mut self, limit: Duration) -> io::Result<Option<ExitStatus>>;

    /// Kills it and its descendants, which may outlive it.
    ///
    /// # Errors
    /// When the system cannot report its status.
    fn end(&mut self) -> io::Result<ExitStatus>;
}

static PROCESSES: OnceLock<Box<dyn Processes>> = OnceLock::new();

/// Replaces the starter of programs. Only the first call has an effect.
pub fn use_processes(processes: Box<dyn Processes>) {
    let _ = PROCESSES.set(processes);
}

/// The starter of programs. By default it starts children of this process in their own groups.
pub(crate) fn processes() -> &'static dyn Processes {
    PROCESSES.get().map_or(&Children, |processes| &**processes)
}

/// Runs a program to its end, within its own limits and the common ones.
///
/// # Errors
/// When it cannot be started or exceeds a limit.
pub(crate) fn run(request: &ProcessRequest) -> io::Result<ProcessOutput> {
    let set = limits();
    let limits = ProcessLimits { time: request.timeout.unwrap_or(set.time), ..set };
    processes().run(request, limits).map_err(|error| match error.kind() {
        io::ErrorKind::TimedOut if request.timeout.is_none() => {
            let text = format!("{error}; --command-timeout allows more");
            io::Error::new(io::ErrorKind::TimedOut, text)
        }
        io::ErrorKind::FileTooLarge => {
            let text = format!("{error}; --command-output allows more");
            io::Error::new(io::ErrorKind::FileTooLarge, text)
        }
        _ => error,
    })
}

/// Starts programs as children of this process.
struct Children;

impl Processes for Children {
    fn run(&self, request: &ProcessRequest, limits: ProcessLimits) -> io::Result<ProcessOutput> {
        let mut command = command(&request.argv, &request.env)?;
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        if let Some(cwd) = &request.cwd {
            command.current_dir(cwd);
        }
        let mut child = GroupedChild { child: command.spawn()?, mark: None };
        let stdin = child.child.stdin.take();
        let input = request.stdin.clone();
        std::thread::spawn(move || {
            // A child need not read its input.
            let _ = stdin.map(|mut s| s.write_all(&input));
        });
        let (exceeded, is_exceeded) = channel();
        let stdout = collect(child.child.stdout.take(), limits.output, exceeded.clone());
        let stderr = collect(child.child.stderr.take(), limits.output, exceeded);
        let end = Instant::now() + limits.time;
        let too_much = || {
            let text = format!("more than {} MiB of output", limits.output >> 20);
            io::Error::new(io::ErrorKind::FileTooLarge, text)
        };
        let status = loop {
            let status = child.child.try_wait()?;
            if is_exceeded.try_recv().is_ok() {
                child.end()?;
                return Err(too_much());
            }
            if let Some(status) = status {
                break status;
            }
            if Instant::now() >= end {
                child.end()?;
                let text = format!("no end within {:?}", limits.time);
                return Err(io::Error::new(io::ErrorKind::TimedOut, text));
            }
            std::thread::sleep(POLL_INTERVAL);
        };
        let rest =
            |output: Receiver<Vec<u8>>| output.recv_timeout(OUTPUT_TIMEOUT).unwrap_or_default();
        let (stdout, stderr) = (rest(stdout), rest(stderr));
        if stdout.len().max(stderr.len()) as u64 > limits.output {
            return Err(too_much());
        }
        Ok(ProcessOutput { status: status.code(), stdout, stderr })
    }

    fn start(
        &self,
        argv: &[String],
        [stdin, stdout, stderr]: [OwnedFd; 3],
    ) -> io::Result<Box<dyn Process>> {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let value = format!("{}-{number}-{}", std::process::id(), since.as_nanos());
        let mut command = command(argv, &[(CHILD_VARIABLE.to_owned(), value.clone())])?;
        command.stdin(stdin).stdout(stdout).stderr(stderr);
        Ok(Box::new(GroupedChild {
            child: command.spawn()?,
            mark: Some(format!("{CHILD_VARIABLE}={value}")),
        }))
    }
}

fn command(argv: &[String], env: &[(String, String)]) -> io::Result<Command> {
    let Some((program, args)) = argv.split_first() else {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "empty command"));
    };
    let mut command = Command::new(program);
    command.args(args).envs(env.iter().map(|(k, v)| (k, v))).process_group(0);
    Ok(command)
}

/// Reads the output of a child; fails when it is larger than allowed.
fn collect(
    pipe: Option<impl Read + Send + 'static>,
    most: u64,
    exceeded: Sender<()>,
) -> Receiver<Vec<u8>> {
    let (sender, output) = channel();
    std::thread::spawn(move || {
        let mut out = Vec::new();
        // Bytes before an error count.
        let _ = pipe.map(|pipe| pipe.take(most + 1).read_to_end(&mut out));
        if out.len() as u64 > most {
            let _ = exceeded.send(());
        }
        let _ = sender.send(out);
    });
    output
}

/// A child with its process group.
struct GroupedChild {
    child: Child,
    /// The environment variable of all its descendants, in the form that the system shows.
    mark: Option<String>,
}

impl Process for GroupedChild {
    fn wait(&mut self, limit: Duration) -> io::Result<Option<ExitStatus>> {
        let end = Instant::now() + limit;
        loop {
            let status = self.child.try_wait()?;
            if status.is_some() || Instant::now() >= end {
                return Ok(status);
            }
            std::thread::sleep(POLL_INTERVAL);
        }
    }

    fn end(&mut self) -> io::Result<ExitStatus> {
        // The group even if the child has ended: its own children may be alive.
        kill(&[format!("-{}", self.child.id())]);
        let _ = self.child.kill();
        let status = self.child.wait();
        for _ in 0..KILL_ROUNDS {
            let left = self.mark.as_deref().map(marked).unwrap_or_default();
            if left.is_empty() {
                break;
            }
            kill(&left);
        }
        status
    }
}

/// The processes with an environment variable, where the system shows it.
fn marked(mark: &str) -> Vec<String> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir("/proc").into_iter().flatten().flatten() {
        let name = entry.file_name();
        let Some(pid) = name.to_str().filter(|n| n.bytes().all(|b| b.is_ascii_digit())) else {
            continue;
        };
        // Processes of other users cannot be read, and those that have ended show nothing.
        let environment = std::fs::read(entry.path().join("environ")).unwrap_or_default();
        if environment.split(|b| *b == 0).any(|variable| variable == mark.as_bytes()) {
            found.push(pid.to_owned());
        }
    }
    found
}

/// Kills processes, or groups, which have a minus before the number. `kill` is a built-in command
/// of every shell, but not a program on every machine.
fn kill(which: &[String]) {
    let mut kill = Command::new("/bin/sh");
    kill.args(["-c", r#"for process; do kill -KILL "$process"; done"#, "sh"]).args(which);
    kill.stdout(Stdio::null()).stderr(Stdio::null());
    // Processes that have ended meanwhile are no error.
    let _ = kill.status();
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn shell(script: &str) -> ProcessRequest {
        let argv = ["/bin/sh", "-c", script].map(str::to_owned).to_vec();
        ProcessRequest { argv, cwd: None, env: Vec::new(), stdin: Vec::new(), timeout: None }
    }

    #[test]
    fn endless_output_is_ended_and_the_setting_named() {
        let limits = ProcessLimits { output: 1 << 20, ..ProcessLimits::default() };
        for script in ["exec yes", "exec yes >&2"] {
            let error = Children.run(&shell(script), limits).err();
            assert_eq!(error.map(|error| error.kind()), Some(io::ErrorKind::FileTooLarge));
        }
        let error = run(&shell("exec yes")).err().map(|error| error.to_string());
        let error = error.unwrap_or_default();
        assert_eq!(error, "more than 64 MiB of output; --command-output allows more");
    }

    #[test]
    fn endless_programs_are_killed() {
        let limits = ProcessLimits { time: Duration::from_millis(50), ..ProcessLimits::default() };
        let error = Children.run(&shell("sleep 100"), limits).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::TimedOut);
    }

    #[test]
    fn a_daemon_that_keeps_its_output_open_does_not_hold_up_the_compile() {
        let output = run(&shell("sleep 5 >/dev/null 2>&1 & echo started")).unwrap();
        assert_eq!((output.status, output.stdout), (Some(0), b"started\n".to_vec()));
        let start = Instant::now();
        assert_eq!(run(&shell("sleep 30 &")).unwrap().status, Some(0));
        assert!(start.elapsed() < Duration::from_secs(20));
    }
}
