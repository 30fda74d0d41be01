//! Signals that stop a run: the first one lets running work finish, the second one aborts it.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use nix::sys::signal::{SigSet, Signal};
use ordain_engine::watch::Wake;
use ordain_process::interruption;

use crate::codes;
use crate::exit::{Exit, Failure};
use crate::ui::{Progress, Ui};

/// Signals within this time count as one: some senders signal a process and also its group.
const MERGE_WINDOW: Duration = Duration::from_millis(500);

/// The time that an aborted run has to record its changes.
const ABORT_TIMEOUT: Duration = Duration::from_secs(10);

/// The meaning of SIGHUP.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum HangupAction {
    /// Stop, as with the other signals.
    Stop,
    /// Compile the sources again and check all resources.
    Reload,
}

/// The signals that were received. `ordain_process::interruption` holds the request to stop.
pub(crate) struct Signals {
    hangup: HangupAction,
    /// Whether running work has to finish. Otherwise a signal ends the process at once.
    finishes_work: AtomicBool,
    reload: AtomicBool,
}

impl Signals {
    /// Blocks the signals, so that they do not end the process. Must be called before any thread
    /// starts, because threads inherit the mask.
    ///
    /// # Errors
    /// When the kernel refuses.
    pub(crate) fn block(hangup: HangupAction) -> io::Result<Arc<Self>> {
        handled_signals(hangup).thread_block()?;
        let (finishes_work, reload) = (AtomicBool::new(false), AtomicBool::new(false));
        Ok(Arc::new(Self { hangup, finishes_work, reload }))
    }

    /// Handles the signals of a verb with a single run. Until [`Signals::enable_graceful_stop`] a
    /// signal ends the process at once.
    ///
    /// # Errors
    /// When the kernel refuses.
    pub(crate) fn for_single_run(ui: &Ui) -> Result<Arc<Self>, Failure> {
        let failed = |e: io::Error| codes::io("signals cannot be waited for", &e);
        let signals = Self::block(HangupAction::Stop).map_err(failed)?;
        signals.listen(Arc::new(|| {}), ui.resource_log()).map_err(failed)?;
        Ok(signals)
    }

    /// Waits for signals in a thread of its own, logs the effect of each, and calls `wake`.
    ///
    /// # Errors
    /// When the system cannot start a thread.
    pub(crate) fn listen(self: &Arc<Self>, wake: Wake, log: Progress) -> io::Result<()> {
        let signals = Arc::clone(self);
        let work = move || {
            let mut requests: Vec<Instant> = Vec::new();
            while let Ok(signal) = handled_signals(signals.hangup).wait() {
                if signal == Signal::SIGHUP && signals.hangup == HangupAction::Reload {
                    signals.reload.store(true, Ordering::SeqCst);
                } else if requests.last().is_none_or(|last| last.elapsed() >= MERGE_WINDOW) {
                    requests.push(Instant::now());
                    signals.end(signal, requests.len(), &log);
                }
                wake();
            }
        };
        std::thread::Builder::new().name("signals".into()).spawn(work).map(drop)
    }

    /// From now on, running work is finished before the process ends.
    pub(crate) fn enable_graceful_stop(&self) {
        self.finishes_work.store(true, Ordering::SeqCst);
    }

    /// Whether a reload was requested since the last call.
    pub(crate) fn take_reload(&self) -> bool {
        self.reload.swap(false, Ordering::SeqCst)
    }

    fn end(&self, signal: Signal, request: usize, log: &Progress) {
        let exit = move || std::process::exit(128 + signal as i32);
        if !self.finishes_work.load(Ordering::SeqCst) {
            exit();
        }
        match request {
            1 => {
                interruption::request(signal as i32);
                let text = "running work is finished; a second signal ends it";
                log.notice(&format!("{}: {text}", signal.as_str()));
            }
            2 => {
                log.notice(&format!("{}: running work is ended", signal.as_str()));
                ordain_process::force();
                let force_exit = move || {
                    std::thread::sleep(ABORT_TIMEOUT);
                    exit();
                };
                // Without this thread, a third signal is needed to end a process that hangs.
                let _ = std::thread::Builder::new().name("force-exit".into()).spawn(force_exit);
            }
            _ => exit(),
        }
    }
}

/// The exit code after a signal, as in shells.
pub(crate) fn code(signal: i32) -> Exit {
    Exit::Code(u8::try_from(128 + signal).unwrap_or(u8::MAX))
}

/// The name of a signal, such as `SIGINT`.
pub(crate) fn name(signal: i32) -> &'static str {
    Signal::try_from(signal).map_or("a signal", Signal::as_str)
}

/// The handled signals. Signals that the parent process ignored, as `nohup` does, stay ignored.
fn handled_signals(hangup: HangupAction) -> SigSet {
    let all = [Signal::SIGINT, Signal::SIGTERM, Signal::SIGHUP];
    let ignored = if hangup == HangupAction::Stop { ignored() } else { 0 };
    all.into_iter().filter(|signal| ignored & (1 << (*signal as i32 - 1)) == 0).collect()
}

/// The ignored signals, a bit each.
fn ignored() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    line.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or_default()
}
