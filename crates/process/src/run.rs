//! Runs a program to its end.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::fd::OwnedFd;
use std::process::ExitStatus;
use std::time::{Duration, Instant};

use rustix::fs::{MemfdFlags, memfd_create};

use crate::client::{self, Running};
use crate::interruption;
use crate::launch::Launch;

/// The initial and maximum interval of reads of a program's output.
const POLL: (Duration, Duration) = (Duration::from_millis(1), Duration::from_millis(10));

/// Limits of a program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// The maximum run time; unlimited if `None`.
    pub time: Option<Duration>,
    /// The maximum number of bytes on standard output, and separately on standard error.
    pub output: u64,
}

/// The result of a program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Output {
    /// Its status.
    pub status: ExitStatus,
    /// Its standard output.
    pub stdout: Vec<u8>,
    /// Its standard error.
    pub stderr: Vec<u8>,
}

/// Runs a program with an input text; with `merge` its standard error is written into standard
/// output, in the order of the writes. A program that exceeds a limit is killed with its
/// descendants.
///
/// Output goes to memory files instead of pipes: a daemon that a program leaves behind neither
/// blocks the run nor is killed by a broken pipe afterwards.
///
/// # Errors
/// When it cannot be started or exceeds a limit ([`io::ErrorKind::TimedOut`] for the time), or when
/// this process should end.
pub fn run(launch: &Launch, input: &[u8], merge: bool, limits: Limits) -> io::Result<Output> {
    run_until(launch, input, merge, limits, &|| false)
}

/// Runs a program as [`run`] does, until `is_cancelled` returns true: then it is killed with its
/// descendants.
///
/// # Errors
/// As for [`run`], and [`io::ErrorKind::Interrupted`] when it was cancelled.
pub fn run_until(
    launch: &Launch,
    input: &[u8],
    merge: bool,
    limits: Limits,
    is_cancelled: &dyn Fn() -> bool,
) -> io::Result<Output> {
    let stdout = memory_file("stdout")?;
    let stderr = if merge { stdout.try_clone()? } else { memory_file("stderr")? };
    let output = [stdout.try_clone()?.into(), stderr.try_clone()?.into()];
    let [out, err] = output;
    let mut running = client::start(launch, [input_file(input)?, out, err])?;
    let status = wait(&mut running, limits, [&stdout, &stderr], is_cancelled)?;
    if interruption::is_forced() && !status.success() {
        return Err(client::interrupted());
    }
    let stdout = contents(stdout, limits.output)?;
    let stderr = if merge { Vec::new() } else { contents(stderr, limits.output)? };
    Ok(Output { status, stdout, stderr })
}

fn memory_file(name: &str) -> io::Result<File> {
    Ok(File::from(memfd_create(name, MemfdFlags::CLOEXEC)?))
}

fn input_file(text: &[u8]) -> io::Result<OwnedFd> {
    if text.is_empty() {
        return Ok(File::open("/dev/null")?.into());
    }
    let mut file = memory_file("stdin")?;
    file.write_all(text)?;
    file.rewind()?;
    Ok(file.into())
}

fn contents(mut file: File, most: u64) -> io::Result<Vec<u8>> {
    let size = file.metadata()?.len().min(most);
    let mut out = Vec::with_capacity(usize::try_from(size).unwrap_or_default());
    file.seek(SeekFrom::Start(0))?;
    file.take(size).read_to_end(&mut out)?;
    Ok(out)
}

fn wait(
    running: &mut Running,
    limits: Limits,
    output: [&File; 2],
    is_cancelled: &dyn Fn() -> bool,
) -> io::Result<ExitStatus> {
    let start = Instant::now();
    let mut pause = POLL.0;
    loop {
        let left = limits.time.map(|limit| limit.saturating_sub(start.elapsed()));
        let status = running.wait(Some(left.map_or(pause, |left| left.min(pause))))?;
        for file in output {
            if file.metadata()?.len() > limits.output {
                running.end()?;
                return Err(too_much(limits.output));
            }
        }
        if let Some(status) = status {
            return Ok(status);
        }
        if is_cancelled() {
            running.end()?;
            return Err(io::ErrorKind::Interrupted.into());
        }
        if left.is_some_and(|left| left.is_zero()) {
            running.end()?;
            return Err(too_long(limits.time.unwrap_or_default()));
        }
        pause = (pause * 2).min(POLL.1);
    }
}

fn too_much(most: u64) -> io::Error {
    io::Error::new(io::ErrorKind::FileTooLarge, format!("more than {} MiB of output", most >> 20))
}

fn too_long(limit: Duration) -> io::Error {
    io::Error::new(io::ErrorKind::TimedOut, format!("no end within {limit:?}"))
}
