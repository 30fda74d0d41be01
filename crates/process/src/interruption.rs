//! The request to end this process.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

/// The signal that requested the end.
static REQUESTED: Mutex<Option<i32>> = Mutex::new(None);
static CHANGED: Condvar = Condvar::new();
static FORCED: AtomicBool = AtomicBool::new(false);

/// Requests the end of the process: current work is completed, and nothing new begins. Only the
/// first signal counts.
pub fn request(signal: i32) {
    let mut requested = REQUESTED.lock().unwrap_or_else(PoisonError::into_inner);
    requested.get_or_insert(signal);
    CHANGED.notify_all();
}

/// The signal that requested the end, if any.
pub fn requested() -> Option<i32> {
    *REQUESTED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Records that programs should be killed.
pub(crate) fn set_forced() {
    FORCED.store(true, Ordering::SeqCst);
}

/// Whether programs should be killed ([`crate::force`]).
pub fn is_forced() -> bool {
    FORCED.load(Ordering::SeqCst)
}

/// Sleeps until the time is over or the process should end. Returns whether it may continue.
pub fn pause(duration: Duration) -> bool {
    let requested = REQUESTED.lock().unwrap_or_else(PoisonError::into_inner);
    let waited = CHANGED.wait_timeout_while(requested, duration, |signal| signal.is_none());
    waited.unwrap_or_else(PoisonError::into_inner).0.is_none()
}
