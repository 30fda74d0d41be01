//! Programs whose output lines announce changes.

use std::hash::Hash;
use std::io::{self, PipeReader, PipeWriter, Read, pipe};
use std::process::ExitStatus;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use ordain_process::Running;
use rustc_hash::{FxHashMap, FxHashSet};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

use super::event::Program;
use super::wake::Wake;
use crate::system::host::Host;

/// The initial and maximum pause in reading a program after it wrote something; it doubles while
/// more output follows. Meanwhile the pipe fills, and the program waits.
const READ_PAUSES: (Duration, Duration) = (Duration::from_millis(100), Duration::from_secs(5));

/// The number of bytes of its standard error that are reported when it ends.
const REPORTED_ERROR_BYTES: usize = 1024;

/// The number of bytes that are read at once.
const READ_SIZE: usize = 64 * 1024;

/// The time that a program may continue after it closed its standard output.
const EXIT_TIMEOUT: Duration = Duration::from_secs(1);

/// An event of a program.
enum Event {
    /// It wrote lines that are not empty.
    Lines,
    /// It ended; how.
    Ended(String),
}

/// The programs that run for keys.
pub(super) struct Programs<K> {
    wake: Wake,
    sender: Sender<(K, u64, Event)>,
    events: Receiver<(K, u64, Event)>,
    listeners: FxHashMap<K, Vec<Listener>>,
    /// The number of started programs, which is the number of the next.
    started: u64,
}

/// A thread that reads the output of a program. Dropping it ends the program with its descendants.
struct Listener {
    number: u64,
    /// The thread ends when this is closed.
    stop: Option<PipeWriter>,
    thread: Option<JoinHandle<()>>,
}

impl Drop for Listener {
    fn drop(&mut self) {
        drop(self.stop.take());
        // A thread that panicked has dropped its program.
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

impl<K: Copy + Eq + Hash + Send + 'static> Programs<K> {
    pub(super) fn new(wake: Wake) -> Self {
        let (sender, events) = channel();
        Self { wake, sender, events, listeners: FxHashMap::default(), started: 0 }
    }

    /// Starts a program for a key. A program that cannot be started counts as ended.
    pub(super) fn add(&mut self, program: &Program, key: K, host: &Host) {
        let number = self.started;
        self.started += 1;
        let (sender, wake) = (self.sender.clone(), Arc::clone(&self.wake));
        let name = program.name.clone();
        let notify = move |event| {
            let event = match event {
                Event::Ended(how) => Event::Ended(format!("{name} {how}")),
                Event::Lines => Event::Lines,
            };
            // A receiver that is gone needs no event.
            let _ = sender.send((key, number, event));
            wake();
        };
        let mut listener = Listener { number, stop: None, thread: None };
        if let Err(error) = listener.start(program, host, notify.clone()) {
            notify(Event::Ended(format!("could not be started: {error}")));
        }
        self.listeners.entry(key).or_default().push(listener);
    }

    /// Ends the programs of a key.
    pub(super) fn remove(&mut self, key: K) {
        self.listeners.remove(&key);
    }

    /// Returns the keys whose programs wrote something, and the keys whose programs ended, with the
    /// reason.
    pub(super) fn take_events(&mut self, wrote: &mut FxHashSet<K>, ended: &mut Vec<(K, String)>) {
        for (key, number, event) in self.events.try_iter() {
            let mut listeners = self.listeners.get(&key).into_iter().flatten();
            if !listeners.any(|listener| listener.number == number) {
                continue;
            }
            match event {
                Event::Lines => _ = wrote.insert(key),
                Event::Ended(how) => ended.push((key, how)),
            }
        }
    }
}

impl Listener {
    fn start(
        &mut self,
        program: &Program,
        host: &Host,
        notify: impl Fn(Event) + Send + 'static,
    ) -> io::Result<()> {
        let (stopped, stop) = pipe()?;
        let (out, out_end) = pipe()?;
        let (err, err_end) = pipe()?;
        let input = std::fs::File::open("/dev/null")?;
        let stdio = [input.into(), out_end.into(), err_end.into()];
        let running = host.runner.start(&program.invocation, stdio)?;
        let mut reader =
            Reader { stopped, out, err: Some(err), last_words: Vec::new(), text: false };
        let is_secret = program.is_secret;
        let work = move || {
            if reader.follow(&|| notify(Event::Lines)) {
                notify(Event::Ended(reader.end(running, is_secret)));
            }
        };
        self.thread = Some(std::thread::Builder::new().name("watch command".into()).spawn(work)?);
        self.stop = Some(stop);
        Ok(())
    }
}

/// Reads the output of a program.
struct Reader {
    /// Its other end is closed when the program has to stop.
    stopped: PipeReader,
    out: PipeReader,
    err: Option<PipeReader>,
    /// The end of its standard error.
    last_words: Vec<u8>,
    /// Whether the incomplete line has text.
    text: bool,
}

impl Reader {
    /// Reads until the program closes its standard output; returns `false` if it has to stop
    /// before.
    fn follow(&mut self, notify: &dyn Fn()) -> bool {
        let mut pause = READ_PAUSES.0;
        loop {
            let [is_stopped, has_out, has_err] = self.wait(true, None);
            if is_stopped {
                return false;
            }
            if has_err {
                self.read_error();
            }
            let mut next = READ_PAUSES.0;
            if has_out {
                match self.read_lines() {
                    None => return true,
                    Some(0) => {}
                    Some(_) => {
                        notify();
                        next = pause;
                    }
                }
            }
            if self.wait(false, Some(next))[0] {
                return false;
            }
            let [_, has_more, _] = self.wait(true, Some(Duration::ZERO));
            pause =
                if has_out && has_more { (pause * 2).min(READ_PAUSES.1) } else { READ_PAUSES.0 };
        }
    }

    /// Waits for a stop, for readable output if `reads`, or for the time limit; returns which came
    /// first.
    fn wait(&self, reads: bool, limit: Option<Duration>) -> [bool; 3] {
        let limit = limit.and_then(|limit| Timespec::try_from(limit).ok());
        let wanted = if reads { PollFlags::IN } else { PollFlags::empty() };
        loop {
            let mut fds = vec![PollFd::new(&self.stopped, PollFlags::IN)];
            if reads {
                fds.push(PollFd::new(&self.out, wanted));
                fds.extend(self.err.as_ref().map(|err| PollFd::new(err, wanted)));
            }
            match poll(&mut fds, limit.as_ref()) {
                Ok(_) => {}
                Err(Errno::INTR) => continue,
                // Without polls it cannot be listened to.
                Err(_) => return [true, false, false],
            }
            let is_ready = |at: usize| fds.get(at).is_some_and(|fd| !fd.revents().is_empty());
            return [is_ready(0), is_ready(1), is_ready(2)];
        }
    }

    /// Reads once; returns the number of completed lines with text, `None` at the end.
    fn read_lines(&mut self) -> Option<usize> {
        let mut bytes = vec![0; READ_SIZE];
        let count = self.out.read(&mut bytes).unwrap_or_default();
        if count == 0 {
            return None;
        }
        let mut lines = 0;
        for byte in &bytes[..count] {
            match byte {
                b'\n' => lines += usize::from(std::mem::take(&mut self.text)),
                b'\r' => {}
                _ => self.text = true,
            }
        }
        Some(lines)
    }

    fn read_error(&mut self) {
        let Some(err) = &mut self.err else { return };
        let mut bytes = vec![0; READ_SIZE];
        let count = err.read(&mut bytes).unwrap_or_default();
        if count == 0 {
            self.err = None;
        }
        self.last_words.extend_from_slice(&bytes[..count]);
        let surplus = self.last_words.len().saturating_sub(REPORTED_ERROR_BYTES);
        self.last_words.drain(..surplus);
    }

    /// Waits for the end of a program that closed its standard output, and returns the reason.
    fn end(&mut self, mut running: Running, is_secret: bool) -> String {
        let how = match running.wait(Some(EXIT_TIMEOUT)) {
            Ok(Some(status)) => status_text(status),
            Ok(None) => "closed its standard output".to_string(),
            Err(error) => format!("was lost: {error}"),
        };
        // Nobody is there any more who would write.
        drop(running);
        if self.wait(true, Some(Duration::ZERO))[2] {
            self.read_error();
        }
        let words = String::from_utf8_lossy(&self.last_words);
        match words.trim() {
            "" => how,
            _ if is_secret => format!("{how}: [output redacted]"),
            words => format!("{how}: {words}"),
        }
    }
}

fn status_text(status: ExitStatus) -> String {
    use std::os::unix::process::ExitStatusExt;
    match (status.code(), status.signal()) {
        (Some(code), _) => format!("ended with status {code}"),
        (None, Some(signal)) => format!("was ended by signal {signal}"),
        (None, None) => "ended".into(),
    }
}
