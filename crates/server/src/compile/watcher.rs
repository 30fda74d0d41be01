//! Changes of code, by inotify.

use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use ordain_engine::host::Host;
use ordain_engine::runner::HostRunner;
use ordain_engine::watch::{Watch, Watches};
use rustix::event::{PollFd, PollFlags, poll};

/// The number of changes of one environment.
pub(super) type Changes = Arc<AtomicU64>;

/// Counts a change. The maximum stays: it stands for changes that cannot be noticed.
pub(super) fn count(changes: &Changes) {
    let _ = changes.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |count| count.checked_add(1));
}

/// Watches directories of code. Each key is an environment.
pub(super) struct Watcher {
    state: Arc<Mutex<State>>,
    host: Host,
}

struct State {
    watches: Watches<u32>,
    changes: BTreeMap<u32, Changes>,
}

impl Watcher {
    /// Starts the thread that waits for events, and calls `noticed` after each. It ends with the
    /// process.
    ///
    /// # Errors
    /// When the kernel refuses inotify, or no thread can be started.
    pub(super) fn start(noticed: impl Fn() + Send + 'static) -> io::Result<Self> {
        let watches = Watches::new(Arc::new(|| {}))?;
        let events = rustix::io::fcntl_dupfd_cloexec(&watches, 0)?;
        let state = Arc::new(Mutex::new(State { watches, changes: BTreeMap::new() }));
        let waiting = Arc::clone(&state);
        let wait = move || {
            loop {
                let mut fds = [PollFd::new(&events, PollFlags::IN)];
                match poll(&mut fds, None) {
                    Ok(_) => {}
                    Err(rustix::io::Errno::INTR) => continue,
                    Err(_) => return,
                }
                let goes_on = waiting.lock().unwrap_or_else(PoisonError::into_inner).note_events();
                noticed();
                if !goes_on {
                    return;
                }
            }
        };
        std::thread::Builder::new().name("code".into()).stack_size(256 << 10).spawn(wait)?;
        Ok(Self { state, host: Host::new(PathBuf::from("/"), Box::new(HostRunner)) })
    }

    /// Watches everything below the directories for a key, whose changes are counted.
    ///
    /// # Errors
    /// When the kernel refuses more watches.
    pub(super) fn add(&self, key: u32, changes: &Changes, trees: &[PathBuf]) -> io::Result<()> {
        let trees: Vec<_> = trees.iter().map(|path| Watch::Tree(path.clone())).collect();
        self.arm(key, changes, &trees)
    }

    /// Watches single files for a key.
    ///
    /// # Errors
    /// When the kernel refuses more watches.
    pub(super) fn add_files(
        &self,
        key: u32,
        changes: &Changes,
        files: &[PathBuf],
    ) -> io::Result<()> {
        let files: Vec<_> = files.iter().map(|path| Watch::Path(path.clone())).collect();
        self.arm(key, changes, &files)
    }

    fn arm(&self, key: u32, changes: &Changes, watches: &[Watch]) -> io::Result<()> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.changes.insert(key, Arc::clone(changes));
        state.watches.arm(key, watches, &self.host)
    }
}

impl State {
    /// Counts the events that are pending. Returns whether there may be more.
    fn note_events(&mut self) -> bool {
        let Ok(events) = self.watches.take() else {
            // Without events every request has to look itself.
            self.changes.values().for_each(|changes| changes.store(u64::MAX, Ordering::SeqCst));
            return false;
        };
        for key in events.touched {
            if let Some(changes) = self.changes.get(&key) {
                count(changes);
            }
        }
        true
    }
}
