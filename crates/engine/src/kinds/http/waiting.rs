//! Waits until a server has a newer version.

use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, UNIX_EPOCH};

use ureq::http::{Method, Request, Uri};

use super::content::date_text;
use super::fetch::{agent_with_timeout, failed};
use crate::system::watch::Notifier;

/// The number of seconds that a server is asked to wait.
const LONG_POLL_SECONDS: u64 = 60;

/// The wait before another request to a server that does not wait itself.
const POLL_INTERVAL: Duration = Duration::from_secs(10);

/// The maximum wait that a server may ask for.
const MAX_RETRY_AFTER: u64 = 300;

/// The stack size of a thread, in bytes.
const STACK: usize = 512 << 10;

/// The document that is watched.
pub(super) struct WatchedDocument {
    pub(super) method: Method,
    pub(super) uri: Uri,
    /// The root of the machine, for its trusted certificates.
    pub(super) machine: PathBuf,
    /// The local file. Its time is the time of the last known version.
    pub(super) path: PathBuf,
}

/// Waits until it is dropped; a pending request then completes on its own.
pub(super) struct ChangeWaiter {
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    notifier: Notifier,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    is_over: bool,
    /// The number of checks for a new version.
    looks: u64,
    /// Whether there was.
    was_new: bool,
}

impl ChangeWaiter {
    /// Begins to wait. If no thread can be started, there are no notifications.
    pub(super) fn start(wanted: WatchedDocument) -> Self {
        let shared = Arc::new(Shared::default());
        let own = Arc::clone(&shared);
        let work = move || own.wait(&wanted);
        let _ = std::thread::Builder::new().name("http wait".into()).stack_size(STACK).spawn(work);
        Self { shared }
    }

    /// Rings when there may be something new.
    pub(super) fn notifier(&self) -> Notifier {
        self.shared.notifier.clone()
    }

    /// Records a check, and whether it found a new version.
    pub(super) fn looked(&self, was_new: bool) {
        let mut state = self.shared.lock();
        state.looks += 1;
        state.was_new = was_new;
        drop(state);
        self.shared.changed.notify_all();
    }
}

impl Drop for ChangeWaiter {
    fn drop(&mut self) {
        self.shared.lock().is_over = true;
        self.shared.changed.notify_all();
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait(&self, wanted: &WatchedDocument) {
        let agent = agent_with_timeout(
            &wanted.machine,
            wanted.uri.scheme_str() == Some("https"),
            LONG_POLL_SECONDS,
        );
        loop {
            let state = self.lock();
            let (is_over, looks) = (state.is_over, state.looks);
            drop(state);
            if is_over {
                return;
            }
            match wanted.ask(&agent) {
                // A fetch in the meantime may have seen the change.
                Ok(Answer::News) if self.lock().looks != looks => {}
                Ok(Answer::News) => {
                    self.notifier.notify();
                    // The new version is fetched before a newer one is awaited.
                    let state = self.pause(POLL_INTERVAL * 6, looks);
                    let (was_new, looks) = (state.was_new, state.looks);
                    drop(state);
                    if !was_new {
                        drop(self.pause(POLL_INTERVAL, looks));
                    }
                }
                Ok(Answer::Later(pause)) => drop(self.pause(pause, looks)),
                Err(_) => drop(self.pause(POLL_INTERVAL, looks)),
            }
        }
    }

    /// Waits for this time, or until the next check.
    fn pause(&self, pause: Duration, looks: u64) -> MutexGuard<'_, State> {
        let waits = |state: &mut State| !state.is_over && state.looks == looks;
        let waited = self.changed.wait_timeout_while(self.lock(), pause, waits);
        waited.unwrap_or_else(PoisonError::into_inner).0
    }
}

/// The result of one poll.
enum Answer {
    News,
    /// To be asked again after a while.
    Later(Duration),
}

impl WatchedDocument {
    fn ask(&self, agent: &ureq::Agent) -> io::Result<Answer> {
        let mut request = Request::builder().method(self.method.clone()).uri(self.uri.clone());
        let known = std::fs::metadata(&self.path).and_then(|meta| meta.modified());
        if let Ok(known) = known {
            let seconds = known.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
            request = request.header("If-Modified-Since", date_text(seconds));
            request = request.header("Prefer", format!("wait={LONG_POLL_SECONDS}"));
        }
        let request = request.body(()).map_err(io::Error::other)?;
        let response = agent.run(request).map_err(failed)?;
        let after = response.headers().get("retry-after").and_then(|value| value.to_str().ok());
        let after = after.and_then(|text| text.trim().parse::<u64>().ok());
        match (response.status().as_u16(), after) {
            (200, _) => Ok(Answer::News),
            (_, Some(seconds)) => {
                Ok(Answer::Later(Duration::from_secs(seconds.clamp(1, MAX_RETRY_AFTER))))
            }
            _ => Ok(Answer::Later(POLL_INTERVAL)),
        }
    }
}
