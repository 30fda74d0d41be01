//! The time limit of a check of a resource with its changes: mgmt's `Meta:timeout`.
//!
//! Only commands take long. The thread of a resource knows its deadline, at which every command
//! that it runs is killed.

use std::cell::Cell;
use std::io;
use std::time::{Duration, Instant};

use crate::system::runner::Invocation;

#[derive(Clone, Copy)]
struct Deadline {
    ends: Instant,
    limit: Duration,
}

thread_local! {
    static DEADLINE: Cell<Option<Deadline>> = const { Cell::new(None) };
}

/// Does something that may take so long.
pub(crate) fn within<T>(limit: Option<Duration>, work: impl FnOnce() -> T) -> T {
    /// Restores the previous value, even after a panic.
    struct RestoreOnDrop(Option<Deadline>);
    impl Drop for RestoreOnDrop {
        fn drop(&mut self) {
            DEADLINE.set(self.0);
        }
    }
    let Some(limit) = limit else { return work() };
    let Some(ends) = Instant::now().checked_add(limit) else { return work() };
    let _before = RestoreOnDrop(DEADLINE.replace(Some(Deadline { ends, limit })));
    work()
}

/// The time that is left for the work of this thread, if there is a limit.
pub(crate) fn remaining() -> Option<Duration> {
    DEADLINE.get().map(|deadline| deadline.ends.saturating_duration_since(Instant::now()))
}

/// Runs a command, limited by the deadline if there is one.
pub(crate) fn run<T>(
    invocation: &Invocation,
    run: impl FnOnce(&Invocation) -> io::Result<T>,
) -> io::Result<T> {
    let Some(Deadline { ends, limit }) = DEADLINE.get() else { return run(invocation) };
    let left = ends.saturating_duration_since(Instant::now());
    if invocation.timeout.is_some_and(|own| own <= left) {
        return run(invocation);
    }
    let over = || {
        let text = format!("timeout after {:.3} seconds", limit.as_secs_f64());
        io::Error::other(text)
    };
    if left.is_zero() {
        return Err(over());
    }
    let limited = Invocation { timeout: Some(left), ..invocation.clone() };
    run(&limited).map_err(|e| if e.kind() == io::ErrorKind::TimedOut { over() } else { e })
}
