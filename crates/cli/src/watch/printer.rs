//! Prints lines for readers that may be slow or have stopped.

use std::io::Write;
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, channel, sync_channel};
use std::time::Duration;

/// The number of lines that wait for a reader before more are dropped.
const MAX_QUEUED: usize = 10_000;

/// The time that shutdown waits for a reader.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(2);

/// Writes lines in a thread of its own, so that a slow reader does not block the watch.
pub(super) struct Printer {
    lines: Option<SyncSender<String>>,
    ended: Receiver<()>,
    left_out: usize,
}

impl Printer {
    /// Creates a printer for standard output.
    pub(super) fn new() -> Self {
        Self::to(std::io::stdout())
    }

    fn to(mut out: impl Write + Send + 'static) -> Self {
        let (lines, waiting) = sync_channel::<String>(MAX_QUEUED);
        let (end, ended) = channel();
        let write = move || {
            for line in waiting {
                // A closed stdout is no reason to stop.
                let _ = out.write_all(line.as_bytes()).and_then(|()| out.flush());
            }
            drop(end);
        };
        // Without a thread nothing is printed, but the watch continues.
        let started = std::thread::Builder::new().name("printer".into()).spawn(write);
        Self { lines: started.is_ok().then_some(lines), ended, left_out: 0 }
    }

    /// Prints a line. `left_out` makes the line about dropped lines from their number.
    pub(super) fn print(&mut self, line: String, left_out: impl Fn(usize) -> String) {
        let Some(lines) = &self.lines else { return };
        if self.left_out > 0 && lines.try_send(left_out(self.left_out)).is_ok() {
            self.left_out = 0;
        }
        match lines.try_send(line) {
            Err(TrySendError::Full(_)) => self.left_out += 1,
            Ok(()) | Err(TrySendError::Disconnected(_)) => {}
        }
    }
}

impl Drop for Printer {
    fn drop(&mut self) {
        self.lines = None;
        let _ = self.ended.recv_timeout(SHUTDOWN_TIMEOUT);
    }
}

#[cfg(test)]
mod tests {
    use std::io;
    use std::sync::{Arc, Condvar, Mutex};

    use super::*;

    /// A writer that blocks until it is released.
    #[derive(Clone, Default)]
    struct Slow(Arc<(Mutex<(bool, String)>, Condvar)>);

    impl Write for Slow {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let mut state = self.0.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            while !state.0 {
                state = self.0.1.wait(state).unwrap_or_else(std::sync::PoisonError::into_inner);
            }
            state.1 += &String::from_utf8_lossy(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn slow_readers_are_told_about_dropped_lines() {
        let out = Slow::default();
        let mut printer = Printer::to(out.clone());
        let left_out = |n: usize| format!("{n} left out\n");
        let mut lines = 0;
        let mut print = |printer: &mut Printer| {
            printer.print(format!("{lines}\n"), left_out);
            lines += 1;
        };
        (0..MAX_QUEUED + 100).for_each(|_| print(&mut printer));
        {
            let mut state = out.0.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            state.0 = true;
            out.0.1.notify_all();
        }
        while printer.left_out > 0 {
            std::thread::sleep(Duration::from_millis(1));
            print(&mut printer);
        }
        drop(printer);
        let text = out.0.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner).1.clone();
        assert!(text.starts_with("0\n1\n2\n"));
        let dropped = |line: &str| line.strip_suffix(" left out")?.parse::<usize>().ok();
        let missing: usize = text.lines().filter_map(dropped).sum();
        let printed = text.lines().filter(|line| dropped(line).is_none()).count();
        assert!(missing > 0);
        assert_eq!(missing + printed, lines);
    }
}
