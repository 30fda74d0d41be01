//! Events of this process itself.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use rustc_hash::{FxHashMap, FxHashSet};

use super::wake::Wake;

type Listener = dyn Fn() + Send + Sync;

/// Notifies its watches. Clones share them.
#[derive(Clone, Default)]
pub struct Notifier {
    listeners: Arc<Mutex<Vec<Weak<Listener>>>>,
}

impl Notifier {
    /// Notifies all watches.
    pub fn notify(&self) {
        let mut listeners = self.listeners.lock().unwrap_or_else(PoisonError::into_inner);
        listeners.retain(|listener| match listener.upgrade() {
            Some(notify) => {
                notify();
                true
            }
            None => false,
        });
    }

    fn add(&self, listener: &Arc<Listener>) {
        let mut listeners = self.listeners.lock().unwrap_or_else(PoisonError::into_inner);
        listeners.retain(|other| other.strong_count() > 0);
        listeners.push(Arc::downgrade(listener));
    }
}

impl PartialEq for Notifier {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.listeners, &other.listeners)
    }
}

impl Eq for Notifier {}

impl Hash for Notifier {
    fn hash<H: Hasher>(&self, state: &mut H) {
        Arc::as_ptr(&self.listeners).hash(state);
    }
}

impl fmt::Debug for Notifier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Notifier")
    }
}

/// The bells that are watched.
pub(super) struct Notifiers<K> {
    wake: Wake,
    sender: Sender<K>,
    notified: Receiver<K>,
    /// The listeners of a key; those that are gone are removed.
    listeners: FxHashMap<K, Vec<Arc<Listener>>>,
}

impl<K: Copy + Eq + Hash + Send + Sync + 'static> Notifiers<K> {
    pub(super) fn new(wake: Wake) -> Self {
        let (sender, notified) = channel();
        Self { wake, sender, notified, listeners: FxHashMap::default() }
    }

    /// Watches a bell for a key.
    pub(super) fn add(&mut self, notifier: &Notifier, key: K) {
        let (sender, wake) = (self.sender.clone(), self.wake.clone());
        let listener: Arc<Listener> = Arc::new(move || {
            // A receiver that is gone needs no event.
            let _ = sender.send(key);
            wake();
        });
        notifier.add(&listener);
        self.listeners.entry(key).or_default().push(listener);
    }

    pub(super) fn remove(&mut self, key: K) {
        self.listeners.remove(&key);
    }

    pub(super) fn take_events(&mut self, touched: &mut FxHashSet<K>) {
        touched.extend(self.notified.try_iter().filter(|key| self.listeners.contains_key(key)));
    }
}
