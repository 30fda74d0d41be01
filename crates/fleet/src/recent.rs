//! The results that were computed last.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

/// The last results by key. Results that may be outdated are removed.
#[derive(Debug)]
pub struct Recent<K, V> {
    /// The maximum number of results.
    most: usize,
    /// The results in the order of their use, the last one at the end.
    entries: Mutex<Vec<Entry<K, V>>>,
}

#[derive(Debug)]
struct Entry<K, V> {
    key: K,
    value: Arc<V>,
    /// The time at which the result may be outdated. `None` if it never is.
    until: Option<Instant>,
}

impl<K: PartialEq, V> Recent<K, V> {
    /// Keeps at most so many results.
    pub fn new(most: usize) -> Self {
        Self { most, entries: Mutex::default() }
    }

    /// The result with a key, if it is current.
    pub fn get(&self, key: &K) -> Option<Arc<V>> {
        let mut entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        entries.retain(|entry| entry.until.is_none_or(|until| now < until));
        let at = entries.iter().position(|entry| entry.key == *key)?;
        let entry = entries.remove(at);
        let value = Arc::clone(&entry.value);
        entries.push(entry);
        Some(value)
    }

    /// Adds a result, in place of the one that was not used for the longest time.
    pub fn add(&self, key: K, value: Arc<V>, until: Option<Instant>) {
        let mut entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        entries.retain(|entry| entry.key != key);
        if entries.len() >= self.most {
            entries.remove(0);
        }
        entries.push(Entry { key, value, until });
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn the_results_that_are_used_stay() {
        let recent = Recent::new(2);
        for key in ["a", "b"] {
            recent.add(key, Arc::new(key), None);
        }
        recent.get(&"a").unwrap();
        recent.add("c", Arc::new("c"), Some(Instant::now()));
        assert!(recent.get(&"a").is_some() && recent.get(&"b").is_none());
        assert!(recent.get(&"c").is_none(), "it is outdated at once");
    }
}
