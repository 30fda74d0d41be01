//! Limits on time, stack and memory for tests with malicious input.

use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// The limits of a test.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Far longer than the work takes without optimisation on a busy machine: it only detects work
    /// that never ends.
    pub time: Duration,
    /// The stack size in bytes of the thread that runs the work.
    pub stack: usize,
    /// The memory in bytes of the whole process, other tests included.
    pub memory: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { time: Duration::from_secs(120), stack: 2 << 20, memory: 6 << 30 }
    }
}

/// The interval at which time and memory are checked.
const CHECK_INTERVAL: Duration = Duration::from_millis(100);

/// Runs `work` on a thread with a small stack. `name` stands for it in messages. A thread cannot be
/// stopped, so work that exceeds a limit aborts the whole process with a message.
///
/// # Panics
/// If the work panics.
pub fn bounded<T: Send>(name: &str, work: impl FnOnce() -> T + Send) -> T {
    bounded_by(Limits::default(), name, work)
}

/// Runs work as [`bounded()`] does, with other limits.
///
/// # Panics
/// If the work panics.
pub fn bounded_by<T: Send>(limits: Limits, name: &str, work: impl FnOnce() -> T + Send) -> T {
    let (done, wait) = channel();
    std::thread::scope(|scope| {
        let builder = std::thread::Builder::new().stack_size(limits.stack);
        let thread = builder.spawn_scoped(scope, move || {
            let result = work();
            // The receiver is gone only if the process is about to end.
            let _ = done.send(());
            result
        });
        let start = Instant::now();
        while let Err(RecvTimeoutError::Timeout) = wait.recv_timeout(CHECK_INTERVAL) {
            if start.elapsed() > limits.time {
                end(name, &format!("has no end within {:?}", limits.time));
            }
            if memory() > limits.memory {
                end(name, &format!("takes more than {} MiB", limits.memory >> 20));
            }
        }
        match thread.unwrap().join() {
            Ok(result) => result,
            Err(panic) => std::panic::resume_unwind(panic),
        }
    })
}

/// The resident memory of this process in bytes; 0 if it is unknown.
fn memory() -> u64 {
    const PAGE: u64 = 4096;
    let text = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages = text.split(' ').nth(1).and_then(|pages| pages.parse::<u64>().ok());
    pages.map_or(0, |pages| pages * PAGE)
}

fn end(name: &str, what: &str) -> ! {
    const MAX_SHOWN: usize = 300;
    let name: String = name.chars().take(MAX_SHOWN).collect();
    // The test harness would capture the output of `eprintln`.
    let _ = std::io::Write::write_all(
        &mut std::io::stderr(),
        format!("\nnot bounded: {name}: {what}\n").as_bytes(),
    );
    std::process::abort()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_result_and_the_panic_come_through() {
        assert_eq!(bounded("sum", || (1..=10).sum::<u32>()), 55);
        let failed = std::panic::catch_unwind(|| bounded("panic", || panic!("no")));
        assert!(failed.is_err());
    }

    #[test]
    fn memory_is_known() {
        assert!(memory() > 100_000);
    }

    /// Runs this test a second time as a child process, which is aborted.
    #[test]
    fn endless_work_is_aborted() {
        const VARIABLE: &str = "ORDAIN_TESTKIT_ENDLESS";
        let wait = || std::thread::sleep(Duration::from_secs(60));
        let soon = Limits { time: Duration::from_millis(200), ..Limits::default() };
        let small = Limits { memory: 1, ..Limits::default() };
        match std::env::var(VARIABLE).as_deref() {
            Ok("time") => return bounded_by(soon, "sleep", wait),
            Ok(_) => return bounded_by(small, "sleep", wait),
            Err(_) => {}
        }
        for (which, words) in [("time", "has no end"), ("memory", "takes more than")] {
            let mut again = std::process::Command::new(std::env::current_exe().unwrap());
            again.args(["--exact", "bounded::tests::endless_work_is_aborted"]);
            let output = again.env(VARIABLE, which).output().unwrap();
            let text = String::from_utf8_lossy(&output.stderr);
            assert!(!output.status.success() && text.contains(words), "{text}");
        }
    }
}
