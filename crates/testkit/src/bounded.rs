//! Input that is made to do harm must end soon: in time, on a stack, and in memory.

use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// What input may take.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Far longer than what is tested takes in a build without optimisation on a busy machine: it
    /// only tells an end from none.
    pub time: Duration,
    /// The bytes of stack of the thread that the work is done on.
    pub stack: usize,
    /// The bytes of memory that the whole process may have, other tests included.
    pub memory: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { time: Duration::from_secs(120), stack: 2 << 20, memory: 6 << 30 }
    }
}

/// How often time and memory are looked at.
const PERIOD: Duration = Duration::from_millis(100);

/// Does some work on a thread with a small stack, for which the name stands in messages. What takes
/// too much cannot be stopped, so it ends the whole process, and the name tells what it was.
///
/// # Panics
/// If the work does.
pub fn bounded<T: Send>(name: &str, work: impl FnOnce() -> T + Send) -> T {
    bounded_by(Limits::default(), name, work)
}

/// As [`bounded()`], with other limits.
///
/// # Panics
/// If the work does.
pub fn bounded_by<T: Send>(limits: Limits, name: &str, work: impl FnOnce() -> T + Send) -> T {
    let (done, wait) = channel();
    std::thread::scope(|scope| {
        let builder = std::thread::Builder::new().stack_size(limits.stack);
        let thread = builder.spawn_scoped(scope, move || {
            let result = work();
            // Nobody waits any more only if the process is about to end.
            let _ = done.send(());
            result
        });
        let start = Instant::now();
        while let Err(RecvTimeoutError::Timeout) = wait.recv_timeout(PERIOD) {
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

/// The memory of this process in bytes, where it can be known.
fn memory() -> u64 {
    const PAGE: u64 = 4096;
    let text = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages = text.split(' ').nth(1).and_then(|pages| pages.parse::<u64>().ok());
    pages.map_or(0, |pages| pages * PAGE)
}

fn end(name: &str, what: &str) -> ! {
    const SHOWN: usize = 300;
    let name: String = name.chars().take(SHOWN).collect();
    // Not by `eprintln`, which the test harness would keep for itself.
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

    /// The process that is ended is this test, run once more.
    #[test]
    fn what_has_no_end_is_ended() {
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
            again.args(["--exact", "bounded::tests::what_has_no_end_is_ended"]);
            let output = again.env(VARIABLE, which).output().unwrap();
            let text = String::from_utf8_lossy(&output.stderr);
            assert!(!output.status.success() && text.contains(words), "{text}");
        }
    }
}
