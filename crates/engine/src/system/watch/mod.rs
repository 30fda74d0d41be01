//! Watches of this machine: files by inotify, units of systemd by its bus, the network by netlink,
//! and the output of programs.
//!
//! [`Watches`] reports the keys for which something may have changed. It may report too much or
//! twice, but it never misses a change between the return of [`Watches::arm`] and
//! [`Watches::disarm`].

mod event;
mod network;
mod notifiers;
mod paths;
mod programs;
#[cfg(test)]
mod tests;
mod units;
mod wake;

use std::collections::BTreeSet;
use std::hash::Hash;
use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::path::PathBuf;

use rustc_hash::FxHashSet;

use crate::system::host::Host;
pub use event::{Program, Watch};
use network::Network;
pub use notifiers::Notifier;
use notifiers::Notifiers;
pub use paths::Paths;
use programs::Programs;
use units::Units;
pub use wake::Wake;

/// All watches by key.
pub struct Watches<K> {
    paths: Paths<K>,
    units: Units<K>,
    network: Network<K>,
    notifiers: Notifiers<K>,
    programs: Programs<K>,
}

/// Events since the last call.
#[derive(Debug)]
pub struct WatchEvents<K> {
    /// The keys with events.
    pub touched: BTreeSet<K>,
    /// The keys whose program wrote a line.
    pub wrote: BTreeSet<K>,
    /// The keys whose program ended, with a message that begins with the program's name.
    pub ended: Vec<(K, String)>,
}

impl<K: Copy + Eq + Hash + Ord + Send + Sync + 'static> Watches<K> {
    /// Starts without watches. `wake` is called for events that [`Watches::as_fd`] does not signal.
    ///
    /// # Errors
    /// When the kernel refuses inotify.
    pub fn new(wake: Wake) -> io::Result<Self> {
        let network = Network::new(wake.clone());
        let notifiers = Notifiers::new(wake.clone());
        let programs = Programs::new(wake.clone());
        Ok(Self { paths: Paths::new()?, units: Units::new(wake), network, notifiers, programs })
    }

    /// Adds watches for a key.
    ///
    /// # Errors
    /// The watches that failed, with the reasons. The others are active.
    pub fn arm(&mut self, key: K, watches: &[Watch], host: &Host) -> io::Result<()> {
        let mut result = Ok(());
        for watch in watches {
            let armed = match watch {
                Watch::Path(path) => self.paths.add(&host.path(path), false, key),
                Watch::Tree(path) => self.paths.add(&host.path(path), true, key),
                Watch::Unit(unit) => self.units.add(unit, key),
                Watch::Network => self.network.add(key),
                Watch::Notifier(notifier) => {
                    self.notifiers.add(notifier, key);
                    Ok(())
                }
                Watch::Program(program) => {
                    self.programs.add(program, key, host);
                    Ok(())
                }
            };
            result = result.and(armed);
        }
        result
    }

    /// Watches these paths for a key, and no others for it.
    ///
    /// # Errors
    /// When one of them cannot be watched. The others are active.
    pub fn follow(&mut self, key: K, paths: &[PathBuf]) -> io::Result<()> {
        let old = self.paths.take(key);
        let mut result = Ok(());
        for path in paths {
            result = result.and(self.paths.add(path, false, key));
        }
        self.paths.release(&old, key);
        result
    }

    /// Removes all watches of a key.
    pub fn disarm(&mut self, key: K) {
        let old = self.paths.take(key);
        self.paths.release(&old, key);
        self.units.remove(key);
        self.network.remove(key);
        self.notifiers.remove(key);
        self.programs.remove(key);
    }

    /// The events since the last call. Does not wait.
    ///
    /// # Errors
    /// When the kernel reports no more events.
    pub fn take(&mut self) -> io::Result<WatchEvents<K>> {
        let (mut touched, mut wrote) = (FxHashSet::default(), FxHashSet::default());
        let mut ended = Vec::new();
        self.paths.take_events(&mut touched)?;
        self.units.take_events(&mut touched);
        self.network.take_events(&mut touched);
        self.notifiers.take_events(&mut touched);
        self.programs.take_events(&mut wrote, &mut ended);
        let (touched, wrote) = (touched.into_iter().collect(), wrote.into_iter().collect());
        Ok(WatchEvents { touched, wrote, ended })
    }
}

impl<K> AsFd for Watches<K> {
    /// Readable when a file event is pending.
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.paths.as_fd()
    }
}
