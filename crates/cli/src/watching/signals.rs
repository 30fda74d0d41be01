//! Signals of a process that runs until it is told to end.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use nix::sys::signal::{SigSet, Signal};
use ordain_engine::watch::Wake;

/// Signals that come closer together are one request: some send it to a process and to its group.
const SAME: Duration = Duration::from_millis(500);

/// What was asked for by signals.
#[derive(Default)]
pub struct Asked {
    end: AtomicBool,
    reload: AtomicBool,
}

impl Asked {
    /// Keeps the signals from ending the process. To be called before any thread starts, because
    /// threads inherit it.
    ///
    /// # Errors
    /// When the kernel refuses.
    pub fn block() -> io::Result<()> {
        Ok(signals().thread_block()?)
    }

    /// Waits for signals on a thread of its own and wakes who sleeps. A second request to end does
    /// not wait for what is under way.
    ///
    /// # Errors
    /// When there is no thread.
    pub fn listen(wake: Wake) -> io::Result<Arc<Self>> {
        let asked = Arc::new(Self::default());
        let told = Arc::clone(&asked);
        let work = move || {
            let mut first: Option<Instant> = None;
            while let Ok(signal) = signals().wait() {
                if signal == Signal::SIGHUP {
                    told.reload.store(true, Ordering::SeqCst);
                } else if first.is_some_and(|first| first.elapsed() >= SAME) {
                    std::process::exit(128 + signal as i32);
                } else {
                    first.get_or_insert_with(Instant::now);
                    told.end.store(true, Ordering::SeqCst);
                }
                wake();
            }
        };
        std::thread::Builder::new().name("signals".into()).spawn(work)?;
        Ok(asked)
    }

    /// Whether the process shall end.
    pub fn end(&self) -> bool {
        self.end.load(Ordering::SeqCst)
    }

    /// Whether everything shall be read and looked at again; told once.
    pub fn take_reload(&self) -> bool {
        self.reload.swap(false, Ordering::SeqCst)
    }
}

fn signals() -> SigSet {
    [Signal::SIGINT, Signal::SIGTERM, Signal::SIGHUP].into_iter().collect()
}
