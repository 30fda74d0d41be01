//! Starts programs, through supervisors if they are installed.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

use crate::launch::{Launch, Threads};
use crate::message::{self, Answer};
use crate::{affinity, cgroup, direct, hold, interruption, supervisor};

/// The program to run as supervisors.
static PROGRAM: OnceLock<PathBuf> = OnceLock::new();

/// Idle supervisors.
static IDLE: Mutex<Vec<Supervisor>> = Mutex::new(Vec::new());

/// The running programs, so that [`force`] can kill them.
static RUNNING: Mutex<BTreeMap<u64, Handle>> = Mutex::new(BTreeMap::new());

/// A handle that can end a program.
enum Handle {
    Supervised(Arc<UnixStream>),
    Direct(u32),
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Starts programs through supervisors from now on.
pub(crate) fn use_supervisors() {
    // A program file that was replaced meanwhile is still available here.
    let _ = PROGRAM.set(PathBuf::from("/proc/self/exe"));
}

/// Ends idle supervisors, and waits for them.
pub fn shutdown() {
    for supervisor in std::mem::take(&mut *lock(&IDLE)) {
        supervisor.retire();
    }
}

struct Supervisor {
    socket: Arc<UnixStream>,
    process: Child,
}

impl Supervisor {
    fn start(program: &PathBuf) -> io::Result<Self> {
        let (ours, theirs) = UnixStream::pair()?;
        let mut command = Command::new(program);
        command.arg0(supervisor::NAME).stdin(OwnedFd::from(theirs));
        // It outlives this process briefly, and must not keep a pipe open.
        command.stdout(Stdio::null()).stderr(Stdio::null());
        // Signals to the group of this process, as from a terminal, must not reach the supervisor.
        command.process_group(0);
        let process = command.spawn()?;
        affinity::spread(process.id());
        Ok(Self { socket: Arc::new(ours), process })
    }

    /// Ends an idle supervisor, or one that ended by itself.
    fn retire(mut self) {
        let _ = self.socket.shutdown(std::net::Shutdown::Both);
        // A process that was already waited for is no error.
        let _ = self.process.wait();
    }

    /// Starts a program. `None` if the supervisor has ended.
    fn launch(&self, launch: &Launch, stdio: &crate::launch::Stdio) -> Option<io::Result<u32>> {
        let held = hold::held();
        let fds = stdio.iter().map(AsFd::as_fd).chain(held.iter().map(|held| held.as_fd()));
        let fds: Vec<_> = fds.collect();
        message::send_start(&self.socket, launch, &fds).ok()?;
        match message::receive_answer(&self.socket).ok()? {
            Answer::Started(pid) => Some(Ok(pid)),
            Answer::Failed(errno) => Some(Err(io::Error::from_raw_os_error(errno))),
            Answer::Ended { .. } => None,
        }
    }
}

/// A running program. Dropping it kills the program and its descendants, unless it has ended by
/// itself.
pub struct Running {
    number: u64,
    pid: u32,
    by: StartedBy,
    ended: Option<ExitStatus>,
}

enum StartedBy {
    /// Set until the program has ended.
    Supervisor(Option<Supervisor>),
    This(Child),
}

/// Starts a program with this standard input, output and error.
///
/// # Errors
/// When it cannot be started, or after [`force`].
pub fn start(launch: &Launch, stdio: [OwnedFd; 3]) -> io::Result<Running> {
    if interruption::is_forced() {
        return Err(interrupted());
    }
    let (pid, by) = match PROGRAM.get() {
        Some(program) => {
            let (pid, supervisor) = supervised(program, launch, &stdio)?;
            (pid, StartedBy::Supervisor(Some(supervisor)))
        }
        None => {
            let child = launch.spawn(stdio, Threads::Many)?;
            (child.id(), StartedBy::This(child))
        }
    };
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let mut running = Running { number, pid, by, ended: None };
    if let Some(handle) = running.handle() {
        lock(&RUNNING).insert(number, handle);
    }
    // [`force`] may have run before the program was registered, and the program may have succeeded
    // before that.
    if interruption::is_forced() && !running.end()?.success() {
        return Err(interrupted());
    }
    Ok(running)
}

/// The error of a program that [`force`] ended or kept from starting.
pub(crate) fn interrupted() -> io::Error {
    io::Error::other("the run was interrupted")
}

fn supervised(
    program: &PathBuf,
    launch: &Launch,
    stdio: &crate::launch::Stdio,
) -> io::Result<(u32, Supervisor)> {
    let mut launch = Cow::Borrowed(launch);
    loop {
        let idle = lock(&IDLE).pop();
        let is_new = idle.is_none();
        let supervisor = idle.map_or_else(|| Supervisor::start(program), Ok)?;
        match supervisor.launch(&launch, stdio) {
            Some(Ok(pid)) => return Ok((pid, supervisor)),
            Some(Err(error)) => {
                match launch.writes_only {
                    // It may be restricted.
                    Some(_) => supervisor.retire(),
                    None => lock(&IDLE).push(supervisor),
                }
                return Err(error);
            }
            // Somebody killed it while it was idle, or it could not restrict itself.
            None => supervisor.retire(),
        }
        if is_new && launch.writes_only.is_some() {
            launch.to_mut().writes_only = None;
        } else if is_new {
            return Err(io::Error::other("the supervisor of commands ended"));
        }
    }
}

/// Kills all running programs with their descendants, and prevents further starts.
pub fn force() {
    interruption::set_forced();
    end_all();
}

/// Ends all programs that run.
fn end_all() {
    for handle in lock(&RUNNING).values() {
        match handle {
            // One that has ended meanwhile is no error.
            Handle::Supervised(socket) => drop(message::send_end(socket)),
            Handle::Direct(pid) => direct::kill(*pid),
        }
    }
}

impl Running {
    /// The number of the process.
    pub fn id(&self) -> u32 {
        self.pid
    }

    fn handle(&self) -> Option<Handle> {
        match &self.by {
            StartedBy::Supervisor(supervisor) => {
                supervisor.as_ref().map(|one| Handle::Supervised(Arc::clone(&one.socket)))
            }
            StartedBy::This(_) => Some(Handle::Direct(self.pid)),
        }
    }

    /// Waits for its end, at most for `limit`; `None` if it has not ended.
    ///
    /// # Errors
    /// When its status is lost.
    pub fn wait(&mut self, limit: Option<Duration>) -> io::Result<Option<ExitStatus>> {
        if self.ended.is_some() {
            return Ok(self.ended);
        }
        let status = match &mut self.by {
            StartedBy::This(child) => direct::wait(child, limit)?,
            StartedBy::Supervisor(supervisor) => match supervisor.as_ref() {
                Some(one) if !is_readable(&one.socket, limit)? => None,
                Some(_) => Some(self.hear()?),
                None => None,
            },
        };
        if status.is_some() {
            self.ended = status;
            lock(&RUNNING).remove(&self.number);
        }
        Ok(status)
    }

    /// Reads from the supervisor how the program ended.
    fn hear(&mut self) -> io::Result<ExitStatus> {
        let StartedBy::Supervisor(supervisor) = &mut self.by else { return Err(lost()) };
        let one = supervisor.take().ok_or_else(lost)?;
        match message::receive_answer(&one.socket) {
            Ok(Answer::Ended { status, is_last }) => {
                match is_last {
                    true => one.retire(),
                    false => lock(&IDLE).push(one),
                }
                Ok(ExitStatus::from_raw(status))
            }
            _ => {
                // The supervisor was killed; the program can still be killed through its control
                // group.
                lock(&RUNNING).remove(&self.number);
                direct::kill(self.pid);
                cgroup::kill_group_of(one.process.id());
                one.retire();
                Err(lost())
            }
        }
    }

    /// Kills it and its descendants, and waits for them.
    ///
    /// # Errors
    /// The same as [`Running::wait`].
    pub fn end(&mut self) -> io::Result<ExitStatus> {
        if let Some(status) = self.ended {
            return Ok(status);
        }
        match &self.by {
            StartedBy::This(_) => direct::kill(self.pid),
            StartedBy::Supervisor(Some(one)) => drop(message::send_end(&one.socket)),
            StartedBy::Supervisor(None) => {}
        }
        self.wait(None)?.ok_or_else(lost)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // Nobody is left who could handle an error.
        let _ = self.end();
        lock(&RUNNING).remove(&self.number);
    }
}

fn lost() -> io::Error {
    io::Error::other("its supervisor was killed, and the command with it")
}

/// Waits until data can be read, at most for `limit`.
fn is_readable(socket: &UnixStream, limit: Option<Duration>) -> io::Result<bool> {
    let end = limit.and_then(|limit| Instant::now().checked_add(limit));
    loop {
        let left = end.map(|end| end.saturating_duration_since(Instant::now()));
        let left = left.and_then(|left| Timespec::try_from(left).ok());
        let mut fds = [PollFd::new(socket, PollFlags::IN)];
        match poll(&mut fds, left.as_ref()) {
            Ok(count) => return Ok(count > 0),
            Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
}
