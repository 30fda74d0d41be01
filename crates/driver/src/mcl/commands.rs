//! Commands whose output programs read line by line, as with `os.system`.

use ecow::EcoString;
use ordain_process::{Launch, OrphanPolicy};
use ordain_source::process::limits;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::os::fd::AsFd;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// The longest line that is read, in bytes; the rest counts as another line.
const MAX_LINE: u64 = 1 << 20;

/// The running commands. They are ended when this is dropped.
#[derive(Default)]
pub(super) struct Commands {
    started: Mutex<BTreeMap<EcoString, Running>>,
}

struct Running {
    /// Ends the command and its children when it is dropped.
    _process: ordain_process::Running,
    output: Arc<CommandOutput>,
    /// The number of lines that [`Commands::with_new_lines`] has reported.
    reported_lines: u64,
}

/// The output of a command so far.
#[derive(Default)]
struct CommandOutput {
    state: Mutex<State>,
    more: Condvar,
}

#[derive(Default)]
struct State {
    last: Option<EcoString>,
    lines: u64,
    has_ended: bool,
}

impl CommandOutput {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn read(&self, output: impl Read) {
        let mut output = BufReader::new(output);
        let mut line = Vec::new();
        loop {
            line.clear();
            match (&mut output).take(MAX_LINE).read_until(b'\n', &mut line) {
                Ok(count) if count > 0 => {}
                _ => break,
            }
            let text = line.strip_suffix(b"\n").unwrap_or(&line);
            let text = text.strip_suffix(b"\r").unwrap_or(text);
            let mut state = self.state();
            state.last = Some(String::from_utf8_lossy(text).as_ref().into());
            state.lines += 1;
            self.more.notify_all();
        }
        self.state().has_ended = true;
        self.more.notify_all();
    }
}

impl Commands {
    fn started(&self) -> MutexGuard<'_, BTreeMap<EcoString, Running>> {
        self.started.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The last line of a command. Starts the command on the first call and waits for its first
    /// line.
    pub(super) fn line(&self, command: &str) -> Result<Option<EcoString>, EcoString> {
        let output = {
            let mut started = self.started();
            match started.get(command) {
                Some(running) => Arc::clone(&running.output),
                None => {
                    let running = start(command)?;
                    let output = Arc::clone(&running.output);
                    started.insert(command.into(), running);
                    output
                }
            }
        };
        let waits = |state: &mut State| state.last.is_none() && !state.has_ended;
        let limit = limits().time;
        let state = output.more.wait_timeout_while(output.state(), limit, waits);
        let (state, waited) = state.unwrap_or_else(PoisonError::into_inner);
        if waited.timed_out() {
            let why = format!("{command}: no line within {limit:?}; --command-timeout allows more");
            return Err(why.into());
        }
        Ok(state.last.clone())
    }

    /// The commands that wrote a line since the last call of this function.
    pub(super) fn with_new_lines(&self) -> Vec<EcoString> {
        let mut found = Vec::new();
        for (command, running) in self.started().iter_mut() {
            let lines = running.output.state().lines;
            if std::mem::replace(&mut running.reported_lines, lines) != lines {
                found.push(command.clone());
            }
        }
        found
    }

    /// Whether a command may still write.
    pub(super) fn are_running(&self) -> bool {
        self.started().values().any(|running| !running.output.state().has_ended)
    }
}

fn start(command: &str) -> Result<Running, EcoString> {
    let failed = |error: std::io::Error| EcoString::from(format!("{command}: {error}"));
    let launch = Launch {
        argv: ["/bin/sh", "-c", command].map(Into::into).to_vec(),
        orphans: OrphanPolicy::Await,
        ..Launch::default()
    };
    let (pipe, written) = std::io::pipe().map_err(failed)?;
    let input = File::open("/dev/null").map_err(failed)?;
    let errors = std::io::stderr().as_fd().try_clone_to_owned().map_err(failed)?;
    let stdio = [input.into(), written.into(), errors];
    let process = ordain_process::start(&launch, stdio).map_err(failed)?;
    let output = Arc::new(CommandOutput::default());
    let reader = Arc::clone(&output);
    let reader = move || reader.read(pipe);
    std::thread::Builder::new().name("command".into()).spawn(reader).map_err(failed)?;
    Ok(Running { _process: process, output, reported_lines: 0 })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use std::time::Duration;

    #[test]
    fn the_last_line_counts() {
        let dir = tempfile::tempdir().unwrap();
        let pipe = dir.path().join("pipe");
        let shown = pipe.display();
        let command = format!("mkfifo '{shown}'; echo a; read x <'{shown}'; echo b");
        let commands = Commands::default();
        assert_eq!(commands.line(&command).unwrap().unwrap(), "a");
        assert_eq!(commands.line("true"), Ok(None));
        std::fs::write(&pipe, "go on\n").unwrap();
        while commands.are_running() {
            std::thread::sleep(Duration::from_millis(1));
        }
        assert_eq!(commands.line(&command).unwrap().unwrap(), "b");
        assert_eq!(commands.with_new_lines(), [command.as_str()]);
        assert!(commands.with_new_lines().is_empty());
    }

    #[test]
    fn endless_processes_end_with_the_program() {
        let commands = Commands::default();
        assert!(commands.line("echo $$; sleep 1000 & wait").unwrap().is_some());
        let started = std::time::Instant::now();
        drop(commands);
        assert!(started.elapsed() < Duration::from_secs(10));
    }
}
