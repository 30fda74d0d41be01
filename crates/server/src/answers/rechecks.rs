//! The thread that compiles answers again, with the lowest priority.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

use ordain_puppet::eval::STACK_SIZE;

/// The maximum number of answers that wait. Others are not checked.
const MAX_WAITING: usize = 4;
/// The priority of the thread: the lowest.
const NICENESS: i32 = 19;

/// The check of an answer.
pub(super) type Check = Box<dyn FnOnce() -> Outcome + Send>;

/// How a check has ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Outcome {
    /// The catalog is the same.
    Equal,
    /// The catalog is another one, though all recorded inputs are the same.
    Different,
    /// An input has changed meanwhile.
    Outdated,
}

/// The names of the outcomes in metrics.
const OUTCOMES: [&str; 3] = ["equal", "different", "outdated"];

/// The thread that checks, from outside. It ends with this.
#[derive(Debug)]
pub(crate) struct Rechecks {
    sender: SyncSender<Check>,
    counts: Arc<[AtomicU64; OUTCOMES.len()]>,
}

impl Rechecks {
    /// Starts the thread.
    ///
    /// # Errors
    /// When the system cannot.
    pub(super) fn start() -> io::Result<Self> {
        let (sender, receiver) = sync_channel(MAX_WAITING);
        let counts = Arc::<[AtomicU64; OUTCOMES.len()]>::default();
        let counted = Arc::clone(&counts);
        let thread = std::thread::Builder::new().name("recheck".into()).stack_size(STACK_SIZE);
        thread.spawn(move || run(&receiver, &counted))?;
        Ok(Self { sender, counts })
    }

    /// Checks an answer soon, unless too many wait.
    pub(super) fn submit(&self, check: Check) {
        // One that is not checked is no loss: another one will be.
        let _ = self.sender.try_send(check);
    }

    /// The number of checks by outcome.
    pub(super) fn counts(&self) -> impl Iterator<Item = (&'static str, u64)> {
        let counts = self.counts.iter().map(|count| count.load(Ordering::Relaxed));
        OUTCOMES.into_iter().zip(counts)
    }
}

fn run(receiver: &Receiver<Check>, counts: &[AtomicU64; OUTCOMES.len()]) {
    // On Linux this is the priority of this thread alone. Without it checks only take time from
    // requests.
    let _ = rustix::process::setpriority_process(None, NICENESS);
    while let Ok(check) = receiver.recv() {
        // A panic is a bug of the compile, which must not end all checks.
        let check = std::panic::AssertUnwindSafe(check);
        if let Ok(outcome) = std::panic::catch_unwind(check) {
            counts[outcome as usize].fetch_add(1, Ordering::Relaxed);
        }
    }
}
