//! TextLines on standard output for readers who may be slow, or have stopped to read.

use std::io::Write;
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, channel, sync_channel};
use std::time::Duration;

/// How many lines wait for a reader before more are left out.
const WAITING: usize = 10_000;

/// How long the end waits for a reader.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(2);

/// Writes lines in a thread of its own: who does not read them does not stop the work.
pub(super) struct Printer {
    lines: Option<SyncSender<String>>,
    ended: Receiver<()>,
    left_out: usize,
}

impl Printer {
    /// Writes to standard output.
    pub(super) fn new() -> Self {
        Self::to(std::io::stdout())
    }

    fn to(mut out: impl Write + Send + 'static) -> Self {
        let (lines, waiting) = sync_channel::<String>(WAITING);
        let (end, ended) = channel();
        let write = move || {
            for line in waiting {
                // When nobody reads it there is nobody to tell.
                let _ = out.write_all(line.as_bytes()).and_then(|()| out.flush());
            }
            drop(end);
        };
        // Without a thread nothing can be said, and the work goes on.
        let started = std::thread::Builder::new().name("printer".into()).spawn(write);
        Self { lines: started.is_ok().then_some(lines), ended, left_out: 0 }
    }

    /// Prints a line; `left_out` words how many before it were not printed.
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

    /// What is written, once it may be.
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
    fn who_does_not_read_is_told_later_what_was_left_out() {
        let out = Slow::default();
        let mut printer = Printer::to(out.clone());
        let left_out = |n: usize| format!("{n} left out\n");
        let mut lines = 0;
        let mut print = |printer: &mut Printer| {
            printer.print(format!("{lines}\n"), left_out);
            lines += 1;
        };
        (0..WAITING + 100).for_each(|_| print(&mut printer));
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
        let told = |line: &str| line.strip_suffix(" left out")?.parse::<usize>().ok();
        let missing: usize = text.lines().filter_map(told).sum();
        let printed = text.lines().filter(|line| told(line).is_none()).count();
        assert!(missing > 0);
        assert_eq!(missing + printed, lines);
    }
}
