//! Signals that ask a run to end: what is under way is finished, at the second one it is ended.

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

/// Signals that come closer together are one request: some send it to a process and to its group.
const SAME: Duration = Duration::from_millis(500);

/// How long a run that was told to end at once may take to write down what it did.
const PATIENCE: Duration = Duration::from_secs(10);

/// What a hangup asks for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Hangup {
    /// The end, as the other signals.
    Ends,
    /// To read and look at everything again.
    Reloads,
}

/// What was asked for by signals. `ordain_process::interruption` knows the request to end.
pub struct Signals {
    hangup: Hangup,
    /// Whether there is anything to be finished; until then a signal ends the process.
    finishes: AtomicBool,
    reload: AtomicBool,
}

impl Signals {
    /// Keeps the signals from ending the process. To be called before any thread starts, because
    /// threads inherit it.
    ///
    /// # Errors
    /// When the kernel refuses.
    pub fn block(hangup: Hangup) -> io::Result<Arc<Self>> {
        handled(hangup).thread_block()?;
        let (finishes, reload) = (AtomicBool::new(false), AtomicBool::new(false));
        Ok(Arc::new(Self { hangup, finishes, reload }))
    }

    /// Those of a verb that makes one run: until [`Signals::finish_what_runs`] they end it at once.
    ///
    /// # Errors
    /// When the kernel refuses.
    pub fn of_a_run(ui: &Ui) -> Result<Arc<Self>, Failure> {
        let failed = |e: io::Error| codes::io("signals cannot be waited for", &e);
        let signals = Self::block(Hangup::Ends).map_err(failed)?;
        signals.listen(Arc::new(|| {}), ui.lines()).map_err(failed)?;
        Ok(signals)
    }

    /// Waits for signals on a thread of its own, says what it does for them, and wakes who sleeps.
    ///
    /// # Errors
    /// When there is no thread.
    pub fn listen(self: &Arc<Self>, wake: Wake, says: Progress) -> io::Result<()> {
        let signals = Arc::clone(self);
        let work = move || {
            let mut requests: Vec<Instant> = Vec::new();
            while let Ok(signal) = handled(signals.hangup).wait() {
                if signal == Signal::SIGHUP && signals.hangup == Hangup::Reloads {
                    signals.reload.store(true, Ordering::SeqCst);
                } else if requests.last().is_none_or(|last| last.elapsed() >= SAME) {
                    requests.push(Instant::now());
                    signals.end(signal, requests.len(), &says);
                }
                wake();
            }
        };
        std::thread::Builder::new().name("signals".into()).spawn(work).map(drop)
    }

    /// What is under way is finished from now on before the process ends.
    pub fn finish_what_runs(&self) {
        self.finishes.store(true, Ordering::SeqCst);
    }

    /// Whether everything shall be read and looked at again; told once.
    pub fn take_reload(&self) -> bool {
        self.reload.swap(false, Ordering::SeqCst)
    }

    fn end(&self, signal: Signal, request: usize, says: &Progress) {
        let exit = move || std::process::exit(128 + signal as i32);
        if !self.finishes.load(Ordering::SeqCst) {
            exit();
        }
        match request {
            1 => {
                interruption::request(signal as i32);
                let text = "what is under way is finished; a second signal ends it";
                says.notice(&format!("{}: {text}", signal.as_str()));
            }
            2 => {
                says.notice(&format!("{}: what is under way is ended", signal.as_str()));
                ordain_process::force();
                let patience = move || {
                    std::thread::sleep(PATIENCE);
                    exit();
                };
                // Without a thread a third signal ends what does not end by itself.
                let _ = std::thread::Builder::new().name("patience".into()).spawn(patience);
            }
            _ => exit(),
        }
    }
}

/// The exit code of a process that a signal ended, as shells have it.
pub fn code(signal: i32) -> Exit {
    Exit::Code(u8::try_from(128 + signal).unwrap_or(u8::MAX))
}

/// The name of a signal, such as `SIGINT`.
pub fn name(signal: i32) -> &'static str {
    Signal::try_from(signal).map_or("a signal", Signal::as_str)
}

/// The signals that are waited for. Those that the caller has had ignored, as `nohup` does, stay so.
fn handled(hangup: Hangup) -> SigSet {
    let all = [Signal::SIGINT, Signal::SIGTERM, Signal::SIGHUP];
    let ignored = if hangup == Hangup::Ends { ignored() } else { 0 };
    all.into_iter().filter(|signal| ignored & (1 << (*signal as i32 - 1)) == 0).collect()
}

/// The signals that are ignored, each a bit.
fn ignored() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    line.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or_default()
}
