//! Programs that are children of this process.

use std::io;
use std::process::{Child, ExitStatus};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};

/// The initial and maximum interval of checks for the end of a program.
const POLL: (Duration, Duration) = (Duration::from_micros(200), Duration::from_millis(10));

/// Waits for the end of a child, at most for `limit`.
pub(crate) fn wait(child: &mut Child, limit: Option<Duration>) -> io::Result<Option<ExitStatus>> {
    let start = Instant::now();
    let mut pause = POLL.0;
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if limit.is_some_and(|limit| start.elapsed() >= limit) {
            return Ok(None);
        }
        std::thread::sleep(pause);
        pause = (pause * 2).min(POLL.1);
    }
}

/// Kills a child with its process group.
pub(crate) fn kill(child: u32) {
    if let Some(pid) = i32::try_from(child).ok().and_then(Pid::from_raw) {
        // It may have ended meanwhile.
        let _ = kill_process_group(pid, Signal::KILL);
    }
}
