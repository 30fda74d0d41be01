//! A process of augtool that stays for the resources of a run.
//!
//! Its answers come through a terminal, since it would keep them back in a pipe. Commands that can
//! leave something behind in the process (variables, settings of Augeas) get a process of their own.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::OwnedFd;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use rustix::io::Errno;
use rustix::pty::{OpenptFlags, grantpt, ioctl_tiocgptpeer, openpt, unlockpt};
use rustix::termios::{OptionalActions, tcgetattr, tcsetattr};

use super::copies::Copies;
use super::transforms::Transform;
use crate::system::deadline;
use crate::system::host::Host;
use crate::system::runner::{Invocation, Running};

/// How long the commands of a resource may take.
const LIMIT: Duration = Duration::from_secs(300);

/// The most that a process may answer.
const MAX_ANSWER: usize = 256 << 20;

/// The processes of a run, by their arguments.
#[derive(Default)]
pub(super) struct Sessions {
    processes: Mutex<Processes>,
    copies: Mutex<Option<Copies>>,
    /// The lenses that augtool loads by itself, by the directories that it searches.
    transforms: Mutex<BTreeMap<Vec<String>, Arc<Vec<Transform>>>>,
}

#[derive(Default)]
struct Processes {
    by_words: BTreeMap<Vec<String>, Process>,
    /// The mounts of the machine when they were started: they do not see later ones.
    mounts: Vec<u8>,
}

impl Sessions {
    /// Sends commands to the process with these arguments; returns its output and its errors up to
    /// the marks. A new process gets `first` before.
    ///
    /// # Errors
    /// When the process cannot be started, breaks off, or takes too long.
    pub(super) fn exchange(
        &self,
        host: &Host,
        words: &[String],
        first: &[u8],
        start: impl FnOnce() -> Invocation,
        request: &Request<'_>,
    ) -> io::Result<[Vec<u8>; 2]> {
        let mut processes = self.processes.lock().unwrap_or_else(PoisonError::into_inner);
        // Without the table, as in a container, processes keep the mounts of their start.
        let mounts = std::fs::read("/proc/self/mountinfo").unwrap_or_default();
        if processes.mounts != mounts {
            *processes = Processes { by_words: BTreeMap::new(), mounts };
        }
        let process = match processes.by_words.remove(words) {
            Some(process) => process,
            None => {
                let process = Process::start(host, &start())?;
                process.write(first)?;
                process
            }
        };
        let limit = deadline::remaining().map_or(LIMIT, |left| left.min(LIMIT));
        let answer = process.ask(request, limit)?;
        processes.by_words.insert(words.to_vec(), process);
        Ok(answer)
    }

    /// The lenses that augtool loads by itself with this load path, if they are known.
    pub(super) fn transforms(&self, load_path: &[String]) -> Option<Arc<Vec<Transform>>> {
        let known = self.transforms.lock().unwrap_or_else(PoisonError::into_inner);
        known.get(load_path).cloned()
    }

    /// Keeps them for the next resource.
    pub(super) fn set_transforms(&self, load_path: &[String], found: &Arc<Vec<Transform>>) {
        let mut known = self.transforms.lock().unwrap_or_else(PoisonError::into_inner);
        known.insert(load_path.to_vec(), Arc::clone(found));
    }

    /// The directory for copies of files, which is locked meanwhile.
    pub(super) fn copies(&self) -> MutexGuard<'_, Option<Copies>> {
        self.copies.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Commands, and the marks at the end of the answer.
pub(super) struct Request<'a> {
    /// The commands, one a line.
    pub(super) script: &'a [u8],
    /// The beginning of the last line of the output.
    pub(super) output_mark: &'a str,
    /// The beginning of the last line of the errors.
    pub(super) error_mark: &'a str,
    /// How many such lines there are.
    pub(super) count: usize,
}

/// A process.
struct Process {
    input: File,
    /// The terminal for its output.
    output: File,
    errors: File,
    /// Kills it when it is dropped.
    _running: Running,
}

impl Process {
    fn start(host: &Host, invocation: &Invocation) -> io::Result<Self> {
        let output = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC)?;
        grantpt(&output)?;
        unlockpt(&output)?;
        let theirs = ioctl_tiocgptpeer(
            &output,
            OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC,
        )?;
        let mut settings = tcgetattr(&theirs)?;
        settings.make_raw();
        tcsetattr(&theirs, OptionalActions::Now, &settings)?;
        let (their_input, input) = io::pipe()?;
        let (errors, their_errors) = io::pipe()?;
        let [input, output, errors] =
            [OwnedFd::from(input), output, OwnedFd::from(errors)].map(File::from);
        for end in [&input, &output, &errors] {
            fcntl_setfl(end, fcntl_getfl(end)? | OFlags::NONBLOCK)?;
        }
        let stdio = [their_input.into(), theirs, their_errors.into()];
        let running = host.runner.start(invocation, stdio)?;
        Ok(Self { input, output, errors, _running: running })
    }

    fn ask(&self, request: &Request<'_>, limit: Duration) -> io::Result<[Vec<u8>; 2]> {
        let end = Instant::now() + limit;
        let mut rest = request.script;
        let mut output = Answer::new(request.output_mark);
        let mut errors = Answer::new(request.error_mark);
        while output.marks < request.count || errors.marks < request.count {
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(io::Error::new(io::ErrorKind::TimedOut, "it took too long"));
            }
            let mut fds = vec![
                PollFd::new(&self.output, PollFlags::IN),
                PollFd::new(&self.errors, PollFlags::IN),
            ];
            if !rest.is_empty() {
                fds.push(PollFd::new(&self.input, PollFlags::OUT));
            }
            let seconds = i64::try_from(left.as_secs()).unwrap_or(i64::MAX);
            let left = Timespec { tv_sec: seconds, tv_nsec: 1_000_000 };
            match poll(&mut fds, Some(&left)) {
                Ok(_) | Err(Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
            rest = self.write(rest)?;
            let is_open = [output.read(&self.output)?, errors.read(&self.errors)?];
            let size = output.text.len() + errors.text.len();
            if is_open.contains(&false) {
                let text = String::from_utf8_lossy(&errors.text).trim().to_string();
                let text = if text.is_empty() { "it ended early".to_string() } else { text };
                return Err(io::Error::other(text));
            }
            if size > MAX_ANSWER {
                return Err(io::Error::other("it answers too much"));
            }
        }
        Ok([output.text, errors.text])
    }

    /// Writes as much as fits; returns the rest.
    fn write<'a>(&self, text: &'a [u8]) -> io::Result<&'a [u8]> {
        if text.is_empty() {
            return Ok(text);
        }
        match (&self.input).write(text) {
            Ok(length) => Ok(&text[length..]),
            Err(error) if is_for_later(&error) => Ok(text),
            // Its last words say why it has ended.
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(&[]),
            Err(error) => Err(error),
        }
    }
}

fn is_for_later(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted)
}

/// A part of the answer as it comes.
struct Answer<'a> {
    text: Vec<u8>,
    mark: &'a [u8],
    /// How many whole lines begin with the mark.
    marks: usize,
    /// Where the lines end that were searched.
    searched: usize,
}

impl<'a> Answer<'a> {
    fn new(mark: &'a str) -> Self {
        Self { text: Vec::new(), mark: mark.as_bytes(), marks: 0, searched: 0 }
    }

    /// Reads the available bytes; false at the end.
    fn read(&mut self, mut file: &File) -> io::Result<bool> {
        let mut buffer = [0; 64 << 10];
        let is_open = loop {
            match file.read(&mut buffer) {
                Ok(0) => break false,
                Ok(length) => self.text.extend(&buffer[..length]),
                Err(error) if is_for_later(&error) => break true,
                // A terminal without a process.
                Err(error) if error.raw_os_error() == Some(Errno::IO.raw_os_error()) => {
                    break false;
                }
                Err(error) => return Err(error),
            }
        };
        while let Some(length) = self.text[self.searched..].iter().position(|b| *b == b'\n') {
            let line = &self.text[self.searched..self.searched + length];
            self.marks += usize::from(line.starts_with(self.mark));
            self.searched += length + 1;
        }
        Ok(is_open)
    }
}
