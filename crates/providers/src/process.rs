//! Starts, talks to, and ends a provider process.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::fs::FileExt;
use std::os::unix::net::UnixStream;
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use ordain_plugins::{Fault, Language, ProviderProgram};
use ordain_process::{Launch, OrphanPolicy, Running};
use rustix::fs::{MemfdFlags, memfd_create};
use serde_json::Value as Json;

/// The largest message from the process, in bytes.
const MAX_MESSAGE: usize = 256 << 20;
/// The number of bytes at the end of the output that an error message may quote.
const KEPT_OUTPUT: usize = 4096;
/// The output file is truncated when it is larger than this, in bytes.
const MAX_OUTPUT: u64 = 16 << 20;
/// How long a process has to end by itself.
const END_GRACE: Duration = Duration::from_secs(5);
/// The unit of times in `/proc`: Linux shows hundredths of a second, whatever its own clock is.
const TICKS_PER_SECOND: u64 = 100;
/// The time limit for starting a process and sending its code to it.
const START_LIMIT: Duration = Duration::from_secs(60);

/// A running provider process.
pub(crate) struct Process {
    language: Language,
    running: Running,
    socket: UnixStream,
    /// Its standard output and error. A file, because daemons that it starts may write there after
    /// its end.
    output: File,
}

/// The directories for files that programs need even if they only look: temporary files, locks,
/// devices.
fn temporary() -> Vec<PathBuf> {
    let own = std::env::temp_dir();
    ["/tmp", "/var/tmp", "/run", "/dev"].map(PathBuf::from).into_iter().chain([own]).collect()
}

/// The reason why an exchange failed.
fn fault(language: Language, error: &io::Error, limit: Duration, how: String) -> Fault {
    match error.kind() {
        io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => {
            let seconds = u32::try_from(limit.as_secs()).unwrap_or(u32::MAX);
            Fault::Late(language, seconds)
        }
        _ => Fault::Ended(language, how),
    }
}

impl Process {
    /// Starts the first interpreter that exists. A read-only process can change only temporary
    /// files and devices, if this process has the privilege to restrict it.
    ///
    /// # Errors
    /// When there is none, or it does not start.
    pub(crate) fn start(
        program: &ProviderProgram,
        interpreters: &[String],
        is_read_only: bool,
    ) -> Result<Self, Fault> {
        let language = program.language;
        let failed = |error: io::Error| Fault::Start(language, error.to_string());
        for interpreter in interpreters {
            let (socket, theirs) = UnixStream::pair().map_err(failed)?;
            let output =
                memfd_create("provider", MemfdFlags::CLOEXEC).map_err(|e| failed(e.into()))?;
            let output = File::from(output);
            let copy = || -> io::Result<OwnedFd> { Ok(output.try_clone()?.into()) };
            let stdio = [OwnedFd::from(theirs), copy().map_err(failed)?, copy().map_err(failed)?];
            let argv = std::iter::once(interpreter.as_str()).chain(program.options.iter().copied());
            let launch = Launch {
                argv: argv.map(Into::into).collect(),
                orphans: OrphanPolicy::Stay,
                writes_only: is_read_only.then(temporary),
                ..Launch::default()
            };
            let running = match ordain_process::start(&launch, stdio) {
                Ok(running) => running,
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                Err(error) => return Err(failed(error)),
            };
            let mut process = Self { language, running, socket, output };
            process.write(&program.code, START_LIMIT).map_err(|_| {
                let how = process.kill();
                Fault::Start(language, how)
            })?;
            return Ok(process);
        }
        Err(Fault::Missing(language))
    }

    /// Sends a request and waits for its answer. After an error the process is killed.
    ///
    /// # Errors
    /// When no valid answer arrives in time.
    pub(crate) fn ask(&mut self, request: &str, limit: Duration) -> Result<Json, Fault> {
        let language = self.language;
        let length = u32::try_from(request.len())
            .map_err(|_| Fault::Garbled(language, "the request is too long".to_owned()))?;
        let mut message = Vec::with_capacity(request.len() + 4);
        message.extend(length.to_be_bytes());
        message.extend(request.as_bytes());
        let answer = self.write(&message, limit).and_then(|()| self.read(limit));
        let text = answer.map_err(|error| {
            let how = self.kill();
            fault(language, &error, limit, how)
        })?;
        let text = text.ok_or_else(|| {
            self.kill();
            let text = format!("it has more than {} MiB", MAX_MESSAGE >> 20);
            Fault::Garbled(language, text)
        })?;
        self.limit_output();
        serde_json::from_slice(&text).map_err(|error| {
            self.kill();
            Fault::Garbled(language, error.to_string())
        })
    }

    fn write(&mut self, bytes: &[u8], limit: Duration) -> io::Result<()> {
        let end = Instant::now() + limit;
        let mut rest = bytes;
        while !rest.is_empty() {
            self.socket.set_write_timeout(Some(remaining(end)?))?;
            match self.socket.write(rest) {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(length) => rest = rest.get(length..).unwrap_or_default(),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// The next message; `None` if it is too long.
    fn read(&mut self, limit: Duration) -> io::Result<Option<Vec<u8>>> {
        let end = Instant::now() + limit;
        let mut header = [0; 4];
        self.fill(&mut header, end)?;
        let length = u32::from_be_bytes(header) as usize;
        if length > MAX_MESSAGE {
            return Ok(None);
        }
        let mut text = vec![0; length];
        self.fill(&mut text, end)?;
        Ok(Some(text))
    }

    fn fill(&mut self, buffer: &mut [u8], end: Instant) -> io::Result<()> {
        let mut filled = 0;
        while let Some(rest) = buffer.get_mut(filled..).filter(|rest| !rest.is_empty()) {
            self.socket.set_read_timeout(Some(remaining(end)?))?;
            match self.socket.read(rest) {
                Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
                Ok(length) => filled += length,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Truncates the output, so that code that prints without end cannot fill the memory.
    fn limit_output(&mut self) {
        if self.output.metadata().is_ok_and(|found| found.len() > MAX_OUTPUT) {
            // Without it the next look does it.
            let _ = self.output.set_len(0);
        }
    }

    /// Kills the process with everything that it started. Returns how it ended, with its last line
    /// of output.
    fn kill(&mut self) -> String {
        let own = self.running.wait(Some(Duration::from_millis(200))).ok().flatten();
        let status = own.or_else(|| self.running.end().ok());
        let how = match status.map(|status| (status.code(), status.signal())) {
            Some((Some(code), _)) => format!("it ended with status {code}"),
            Some((None, Some(signal))) => format!("signal {signal} ended it"),
            _ => "it ended".to_owned(),
        };
        match self.last_line() {
            Some(line) => format!("{how}; its last line was: {line}"),
            None => how,
        }
    }

    fn last_line(&self) -> Option<String> {
        let length = self.output.metadata().ok()?.len();
        let mut text = vec![0; KEPT_OUTPUT];
        let start = length.saturating_sub(KEPT_OUTPUT as u64);
        let count = self.output.read_at(&mut text, start).ok()?;
        text.truncate(count);
        let text = String::from_utf8_lossy(&text);
        text.trim().lines().next_back().map(str::to_string)
    }

    /// The processor time of the process and of the programs that it has waited for.
    pub(crate) fn cpu_time(&self) -> Option<Duration> {
        let text = std::fs::read_to_string(format!("/proc/{}/stat", self.running.id())).ok()?;
        let fields = text.rsplit_once(')')?.1.split_ascii_whitespace();
        // Of itself and of its children, in the program and in the kernel.
        let ticks: u64 =
            fields.skip(11).take(4).filter_map(|field| field.parse::<u64>().ok()).sum();
        Some(Duration::from_millis(ticks.saturating_mul(1000 / TICKS_PER_SECOND)))
    }

    /// Lets the process end by itself, so that daemons that it started keep running.
    pub(crate) fn close(mut self) {
        let asked = self.ask(r#"{"do":"close"}"#, END_GRACE);
        if asked.is_ok() && matches!(self.running.wait(Some(END_GRACE)), Ok(Some(_))) {
            return;
        }
        self.kill();
    }
}

/// The time until a deadline. Never zero, which would mean no limit.
fn remaining(end: Instant) -> io::Result<Duration> {
    let left = end.saturating_duration_since(Instant::now());
    if left.is_zero() { Err(io::ErrorKind::TimedOut.into()) } else { Ok(left) }
}
