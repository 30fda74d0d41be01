//! The process that starts a program, tracks its descendants, and kills them in time.
//!
//! It has one thread. Its standard input is a socket to the process that it serves. When that
//! process ends in any way, the socket closes, and the supervisor kills everything that it started.
//! Its name differs from the program's, so that killing all processes by the name of the program
//! does not stop its work.

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::process::ExitCode;

use nix::sys::signal::{SigSet, Signal};
use nix::sys::signalfd::{SfdFlags, SignalFd};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{geteuid, getpid, set_child_subreaper};

use crate::cgroup::Group;
pub use crate::cgroup::NAME;
use crate::launch::{Launch, OrphanPolicy, Stdio, Threads};
use crate::message::{self, Answer, Request};
use crate::read_only::restrict_as_user;
use crate::tree;

/// The wait for killed processes to end, before the next search for others.
const EXIT_WAIT: Timespec = Timespec { tv_sec: 0, tv_nsec: 5_000_000 };

/// The bits of a wait status that hold the number of the signal that ended the process, see wait(2).
const SIGNAL_MASK: i32 = 0x7f;

/// The maximum number of searches, after which processes that cannot be killed are left.
const MAX_ROUNDS: u32 = 20;

/// Serves the process at the other end of standard input until it closes the connection.
pub fn main() -> ExitCode {
    let work = || {
        let socket = UnixStream::from(io::stdin().as_fd().try_clone_to_owned()?);
        Supervisor::new(socket)?.serve()
    };
    // Nobody is left who could handle an error.
    let done: io::Result<()> = work();
    if done.is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

struct Supervisor {
    socket: UnixStream,
    /// Becomes readable when a child ends.
    ended: SignalFd,
    /// A file that is held open while programs run, such as a lock.
    held: Option<OwnedFd>,
    /// The control group for processes that are started while a file is held. Moving a process
    /// there may take longer than the program runs.
    group: Option<Group>,
    has_tried: bool,
}

/// Whether a supervisor goes on.
#[derive(PartialEq, Eq)]
enum SupervisorState {
    Continue,
    Stop,
}

impl SupervisorState {
    fn after(is_last: bool) -> Self {
        if is_last { Self::Stop } else { Self::Continue }
    }
}

impl Supervisor {
    fn new(socket: UnixStream) -> io::Result<Self> {
        // Signals to the whole session are for the programs, which get an empty mask.
        SigSet::all().thread_block()?;
        let child = SigSet::from_iter([Signal::SIGCHLD]);
        let flags = SfdFlags::SFD_CLOEXEC | SfdFlags::SFD_NONBLOCK;
        let ended = SignalFd::with_flags(&child, flags)?;
        set_child_subreaper(Some(getpid()))?;
        Ok(Self { socket, ended, held: None, group: None, has_tried: false })
    }

    fn serve(&mut self) -> io::Result<()> {
        loop {
            match message::receive(&self.socket)? {
                None => return Ok(()),
                // The request crossed the answer that the program has ended.
                Some(Request::End) => {}
                Some(Request::Start(launch, fds)) => {
                    if self.start(*launch, fds)? == SupervisorState::Stop {
                        return Ok(());
                    }
                }
            }
        }
    }

    /// Starts a program and answers when it has ended.
    fn start(&mut self, mut launch: Launch, fds: Vec<OwnedFd>) -> io::Result<SupervisorState> {
        let mut fds = fds.into_iter();
        let stdio = (fds.next(), fds.next(), fds.next());
        self.held = fds.next();
        if self.held.is_some() && !std::mem::replace(&mut self.has_tried, true) {
            self.group = Group::enter();
        }
        let (Some(stdin), Some(stdout), Some(stderr)) = stdio else {
            return Err(io::ErrorKind::InvalidData.into());
        };
        let is_restricted = launch.writes_only.is_some() && !geteuid().is_root();
        if let Some(writable) = launch.writes_only.take_if(|_| is_restricted) {
            restrict_as_user(&writable)?;
        }
        let pid = match spawn(&launch, [stdin, stdout, stderr]) {
            Ok(pid) => pid,
            Err(error) => {
                let errno = error.raw_os_error().unwrap_or(Errno::INVAL.raw_os_error());
                message::send_answer(&self.socket, Answer::Failed(errno))?;
                return Ok(SupervisorState::after(is_restricted));
            }
        };
        // Without a receiver the socket is closed, which the wait detects.
        let _ = message::send_answer(&self.socket, Answer::Started(pid));
        let (status, is_ended) = self.wait(pid, launch.orphans)?;
        let exits = tree::reap(pid);
        if !exits.is_empty && (is_ended || launch.orphans == OrphanPolicy::End) {
            self.end(pid);
        }
        let has_left = !exits.is_empty && !is_ended && launch.orphans == OrphanPolicy::Stay;
        if has_left {
            self.group = None;
        }
        // Remaining processes live on without a supervisor. Other programs need one that is not
        // restricted.
        let is_last = has_left || is_restricted;
        message::send_answer(&self.socket, Answer::Ended { status, is_last })?;
        Ok(SupervisorState::after(is_last))
    }

    /// Waits for the end of a program; returns its status, and whether it was killed with its
    /// descendants.
    fn wait(&mut self, pid: u32, orphans: OrphanPolicy) -> io::Result<(i32, bool)> {
        let mut status = None;
        loop {
            // The signal is read before the children are checked, so that none is missed.
            while matches!(self.ended.read_signal(), Ok(Some(_))) {}
            let exits = tree::reap(pid);
            status = exits.status.or(status);
            if let Some(status) =
                status.filter(|_| exits.is_empty || orphans != OrphanPolicy::Await)
            {
                return Ok((status, false));
            }
            let mut fds = [
                PollFd::new(&self.socket, PollFlags::IN),
                PollFd::from_borrowed_fd(self.ended.as_fd(), PollFlags::IN),
            ];
            match poll(&mut fds, None) {
                Ok(_) => {}
                Err(Errno::INTR) => continue,
                Err(error) => return Err(error.into()),
            }
            let [socket, _] = &fds;
            if socket.revents().is_empty() {
                continue;
            }
            // Any other message means that no process is left to serve.
            let request = message::receive(&self.socket);
            if orphans == OrphanPolicy::Stay
                && let Some(status) = self.end_alone(pid)
                && status & SIGNAL_MASK != Signal::SIGKILL as i32
            {
                // It ended by itself before the request reached it, so its daemons stay.
                return Ok((status, false));
            }
            let killed = self.end(pid);
            match request {
                Ok(Some(Request::End)) => return Ok((status.unwrap_or(killed), true)),
                _ => return Err(io::ErrorKind::UnexpectedEof.into()),
            }
        }
    }

    /// Kills a program without its descendants; returns its status, or `None` if it does not end.
    fn end_alone(&mut self, pid: u32) -> Option<i32> {
        // Nobody has collected its status, so the id is still its own.
        tree::kill_child(pid).ok()?;
        (0..MAX_ROUNDS).find_map(|_| {
            let status = tree::reap(pid).status;
            if status.is_none() {
                self.wait_for_child();
            }
            status
        })
    }

    /// Waits a moment for a child to end.
    fn wait_for_child(&mut self) {
        let mut fds = [PollFd::from_borrowed_fd(self.ended.as_fd(), PollFlags::IN)];
        // An interrupted wait is repeated.
        let _ = poll(&mut fds, Some(&EXIT_WAIT));
        while matches!(self.ended.read_signal(), Ok(Some(_))) {}
    }

    /// Kills a program and its descendants; returns its status.
    fn end(&mut self, pid: u32) -> i32 {
        let mut status = Signal::SIGKILL as i32;
        let mut rounds = 0;
        while rounds < MAX_ROUNDS {
            if let Some(group) = &self.group {
                group.kill();
            }
            if !tree::kill_descendants() {
                rounds += 1;
            }
            self.wait_for_child();
            let exits = tree::reap(pid);
            status = exits.status.unwrap_or(status);
            if exits.is_empty {
                break;
            }
        }
        status
    }
}

fn spawn(launch: &Launch, stdio: Stdio) -> io::Result<u32> {
    Ok(launch.spawn(stdio, Threads::One)?.id())
}
