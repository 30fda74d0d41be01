//! Listings of modules, kept while the code does not change. Each run of an agent asks for the same
//! few, and to make one takes as long as a compile.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;

use super::listing::Request;
use crate::reply::gzip;

/// The maximum size in bytes of all listings.
const MAX_SIZE: usize = 64 << 20;

/// A listing: the code, the mount, the path on it, and the options.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Key {
    /// The id of the code; it is another one after a change.
    pub(crate) code: String,
    pub(crate) mount: String,
    pub(crate) path: Vec<String>,
    pub(crate) request: Request,
}

/// A listing as JSON.
pub(crate) struct Listing {
    pub(crate) text: Bytes,
    /// The same compressed.
    pub(crate) compressed: Option<Bytes>,
}

impl Listing {
    fn new(text: Vec<u8>) -> Self {
        let compressed = gzip(&text);
        Self { text: text.into(), compressed }
    }

    fn size(&self) -> usize {
        self.text.len() + self.compressed.as_ref().map_or(0, Bytes::len)
    }
}

/// The listings that were made.
#[derive(Default)]
pub(crate) struct Listings(Mutex<Entries>);

#[derive(Default)]
struct Entries {
    by_key: HashMap<Key, Arc<Listing>>,
    size: usize,
}

impl Listings {
    /// A listing that was made before.
    pub(crate) fn get(&self, key: &Key) -> Option<Arc<Listing>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).by_key.get(key).cloned()
    }

    /// Keeps a listing.
    pub(crate) fn put(&self, key: Key, text: Vec<u8>) -> Arc<Listing> {
        let listing = Arc::new(Listing::new(text));
        let mut entries = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // Listings of older code are never asked for again, so nothing is missed.
        if entries.size + listing.size() > MAX_SIZE {
            *entries = Entries::default();
        }
        if listing.size() <= MAX_SIZE {
            entries.size += listing.size();
            if let Some(old) = entries.by_key.insert(key, Arc::clone(&listing)) {
                entries.size -= old.size();
            }
        }
        listing
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::url::Parameters;

    #[test]
    fn listings_have_a_bounded_size() {
        let key = |code: usize| Key {
            code: code.to_string(),
            mount: "plugins".to_string(),
            path: Vec::new(),
            request: Request::of(&Parameters::default()).unwrap(),
        };
        let listings = Listings::default();
        let random: Vec<u8> =
            (0..20_000_000u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
        for code in 0..4 {
            listings.put(key(code), random.clone());
            assert_eq!(listings.get(&key(code)).unwrap().text.len(), random.len());
        }
        assert!(listings.get(&key(0)).is_none());
        assert!(listings.0.lock().unwrap().size <= MAX_SIZE);
    }
}
