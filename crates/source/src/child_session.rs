//! Sessions with child processes, for [`crate::HostWorld`].
//!
//! The child's standard input is a socket, on which it also answers, so that output of its code
//! does not mix with its answers. The end of that output is kept for the error message if the child
//! ends.

use std::collections::VecDeque;
use std::io::{self, Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use crate::process::{self, Process};

/// A child process to start a session with.
#[derive(Clone, Debug)]
pub struct ChildSessionRequest {
    /// Program and arguments, without a shell.
    pub argv: Vec<String>,
}

/// A child process that runs until the session ends, and exchanges messages with this process.
/// Dropping the session kills the child and its descendants.
pub trait ChildSession: Send {
    /// Sends bytes.
    ///
    /// # Errors
    /// When it has ended, or with [`io::ErrorKind::TimedOut`] when the child does not read them in
    /// time.
    fn send(&mut self, bytes: &[u8], timeout: Duration) -> io::Result<()>;
    /// Receives bytes until the buffer is full.
    ///
    /// # Errors
    /// When it has ended, or with [`io::ErrorKind::TimedOut`] when the child does not send them in
    /// time.
    fn receive(&mut self, buffer: &mut [u8], timeout: Duration) -> io::Result<()>;
    /// Ends the child. Returns its exit status as text, with the last line that it printed.
    fn stop(&mut self) -> String;
}

/// The maximum number of bytes of the child's output that are kept.
const MAX_KEPT_OUTPUT: usize = 4096;
/// The time in which a child that closed its socket may exit on its own.
const EXIT_TIMEOUT: Duration = Duration::from_millis(200);

/// The number of bytes that are read at once.
const READ_SIZE: usize = 1 << 16;

struct HostSession {
    child: Box<dyn Process>,
    socket: UnixStream,
    kept: ReadBuffer,
    /// The current time limits of the socket for reading and writing.
    limits: [Option<Duration>; 2],
    printed: Arc<Mutex<VecDeque<u8>>>,
    ended: Option<ExitStatus>,
}

/// Bytes that arrived before they were requested: one system call may read several messages.
#[derive(Default)]
struct ReadBuffer {
    bytes: Vec<u8>,
    from: usize,
    to: usize,
}

impl ReadBuffer {
    /// Copies available bytes into a buffer; returns their number.
    fn give(&mut self, room: &mut [u8]) -> usize {
        let length = room.len().min(self.to - self.from);
        room[..length].copy_from_slice(&self.bytes[self.from..self.from + length]);
        self.from += length;
        length
    }

    /// Reads from the socket.
    fn fill(&mut self, socket: &mut UnixStream) -> io::Result<()> {
        self.bytes.resize(READ_SIZE, 0);
        (self.from, self.to) = (0, 0);
        self.to = some(socket.read(&mut self.bytes)?)?;
        Ok(())
    }
}

/// Fails at the end of the stream: a socket returns no bytes when the other end is closed.
fn some(length: usize) -> io::Result<usize> {
    if length == 0 { Err(io::ErrorKind::UnexpectedEof.into()) } else { Ok(length) }
}

/// Starts the child.
///
/// # Errors
/// When the program cannot be started.
pub(crate) fn spawn(request: &ChildSessionRequest) -> io::Result<Box<dyn ChildSession>> {
    let (socket, theirs) = UnixStream::pair()?;
    let (output, printed) = io::pipe()?;
    // This closes our copies of the pipe ends that the child prints to.
    let stdio = [OwnedFd::from(theirs), printed.try_clone()?.into(), printed.into()];
    let child = process::processes().start(&request.argv, stdio)?;
    let printed = Arc::new(Mutex::new(VecDeque::new()));
    let kept = Arc::clone(&printed);
    std::thread::spawn(move || keep(output, &kept));
    let (kept, limits) = (ReadBuffer::default(), [None; 2]);
    Ok(Box::new(HostSession { child, socket, kept, limits, printed, ended: None }))
}

/// Keeps the end of the output.
fn keep(mut output: io::PipeReader, kept: &Mutex<VecDeque<u8>>) {
    let mut buffer = [0; 1024];
    while let Ok(length @ 1..) = output.read(&mut buffer) {
        let mut kept = kept.lock().unwrap_or_else(|e| e.into_inner());
        kept.extend(&buffer[..length]);
        let surplus = kept.len().saturating_sub(MAX_KEPT_OUTPUT);
        kept.drain(..surplus);
    }
}

/// The remaining time, never zero, which would mean no limit.
fn remaining(end: Instant) -> io::Result<Duration> {
    let left = end.saturating_duration_since(Instant::now());
    if left.is_zero() { Err(io::ErrorKind::TimedOut.into()) } else { Ok(left) }
}

/// Converts the error of a socket's time limit, which is reported as "would block".
fn timed_out(error: io::Error) -> io::Error {
    match error.kind() {
        io::ErrorKind::WouldBlock => io::ErrorKind::TimedOut.into(),
        _ => error,
    }
}

impl HostSession {
    /// Sets the socket's time limit for reading (0) or writing (1), if it differs.
    fn set_limit(&mut self, which: usize, limit: Duration) -> io::Result<()> {
        if self.limits[which] != Some(limit) {
            match which {
                0 => self.socket.set_read_timeout(Some(limit))?,
                _ => self.socket.set_write_timeout(Some(limit))?,
            }
            self.limits[which] = Some(limit);
        }
        Ok(())
    }

    /// Repeats an operation until it is complete or the time is over. The socket's limit is only
    /// updated if the first attempt was not enough.
    fn repeat(
        &mut self,
        which: usize,
        timeout: Duration,
        mut once: impl FnMut(&mut Self) -> io::Result<bool>,
    ) -> io::Result<()> {
        let mut end = None;
        loop {
            let left = match end {
                None => timeout,
                Some(end) => remaining(end)?,
            };
            end = end.or_else(|| Some(Instant::now() + timeout));
            self.set_limit(which, left)?;
            match once(self) {
                Ok(true) => return Ok(()),
                Ok(false) => {}
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(timed_out(error)),
            }
        }
    }
}

impl ChildSession for HostSession {
    fn send(&mut self, mut bytes: &[u8], timeout: Duration) -> io::Result<()> {
        if bytes.is_empty() {
            return Ok(());
        }
        self.repeat(1, timeout, |session| {
            let length = session.socket.write(bytes)?;
            if length == 0 {
                return Err(io::ErrorKind::WriteZero.into());
            }
            bytes = &bytes[length..];
            Ok(bytes.is_empty())
        })
    }

    fn receive(&mut self, buffer: &mut [u8], timeout: Duration) -> io::Result<()> {
        let mut filled = self.kept.give(buffer);
        if filled == buffer.len() {
            return Ok(());
        }
        self.repeat(0, timeout, |session| {
            let rest = &mut buffer[filled..];
            filled += if rest.len() >= READ_SIZE {
                some(session.socket.read(rest)?)?
            } else {
                session.kept.fill(&mut session.socket)?;
                session.kept.give(rest)
            };
            Ok(filled == buffer.len())
        })
    }

    fn stop(&mut self) -> String {
        let ended = match self.ended {
            Some(status) => Some(status),
            None => self.end(),
        };
        self.ended = ended;
        let printed = self.printed.lock().unwrap_or_else(|e| e.into_inner());
        let printed: Vec<u8> = printed.iter().copied().collect();
        let printed = String::from_utf8_lossy(&printed);
        let how = match ended.map(|status| (status.code(), status.signal())) {
            Some((Some(code), _)) => format!("it ended with status {code}"),
            Some((None, Some(signal))) => format!("signal {signal} ended it"),
            _ => "it ended".to_owned(),
        };
        match printed.trim().lines().next_back() {
            Some(line) => format!("{how}; its last line was: {line}"),
            None => how,
        }
    }
}

impl HostSession {
    /// Ends the child and all that it started.
    fn end(&mut self) -> Option<ExitStatus> {
        let _ = self.socket.shutdown(std::net::Shutdown::Both);
        let own = self.child.wait(EXIT_TIMEOUT).ok().flatten();
        let status = self.child.end().ok();
        own.or(status)
    }
}

impl Drop for HostSession {
    fn drop(&mut self) {
        if self.ended.is_none() {
            self.ended = self.end();
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    const TIMEOUT: Duration = Duration::from_secs(20);

    fn shell(script: &str) -> Box<dyn ChildSession> {
        let argv = ["/bin/sh", "-c", script].map(str::to_owned).to_vec();
        spawn(&ChildSessionRequest { argv }).unwrap()
    }

    #[test]
    fn talks_over_its_input() {
        let mut session = shell("echo printed; read x; echo \"got $x\" >&0; read y; exit 3");
        session.send(b"one\n", TIMEOUT).unwrap();
        let mut answer = [0; 8];
        session.receive(&mut answer, TIMEOUT).unwrap();
        assert_eq!(&answer, b"got one\n");
        session.send(b"two\n", TIMEOUT).unwrap();
        let error = session.receive(&mut answer, TIMEOUT).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::UnexpectedEof);
        assert_eq!(session.stop(), "it ended with status 3; its last line was: printed");
    }

    #[test]
    fn the_time_is_limited_and_what_it_started_ends() {
        ends("sleep 100 & echo $! >&0; trap '' TERM; sleep 100");
    }

    #[test]
    fn processes_that_leave_their_group_are_killed_too() {
        ends("setsid sleep 100 & echo $! >&0; trap '' TERM; sleep 100");
    }

    /// Waits until the process ends whose id a script printed.
    fn ends(script: &str) {
        let mut session = shell(script);
        let mut pid = Vec::new();
        while pid.last() != Some(&b'\n') {
            let mut byte = [0];
            session.receive(&mut byte, TIMEOUT).unwrap();
            pid.extend(byte);
        }
        let error = session.receive(&mut [0], Duration::from_millis(20)).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::TimedOut);
        assert_eq!(session.stop(), "signal 9 ended it");
        let pid = String::from_utf8(pid).unwrap();
        let stat = std::path::PathBuf::from(format!("/proc/{}/stat", pid.trim()));
        let end = Instant::now() + TIMEOUT;
        let is_gone = || {
            let text = std::fs::read_to_string(&stat);
            // A zombie has ended.
            text.map_or(true, |text| text.contains(") Z "))
        };
        while !is_gone() && Instant::now() < end {
            std::thread::sleep(Duration::from_millis(5));
        }
        assert!(is_gone());
    }
}
