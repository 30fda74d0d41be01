//! A cache of the metadata that the old server has of its files.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use ordain_graph::served::FileMetadata;
use tokio::sync::Semaphore;
use tokio::time::Instant;

/// The maximum number of requests to the old server at the same time.
const MAX_AT_ONCE: usize = 4;
/// The time for which replies are used for other nodes.
const FRESH: Duration = Duration::from_secs(60);
/// The maximum number of files in the cache.
const MAX_CACHED: usize = 200_000;

/// The files of a reply; none if the server has no such file.
pub(super) type Files = Arc<Vec<FileMetadata>>;

/// Metadata from the old server, which many nodes ask for.
pub(super) struct OldFiles {
    /// Bounds the requests at the same time.
    pub(super) requests: Semaphore,
    pub(super) cache: Mutex<ReplyCache>,
}

impl Default for OldFiles {
    fn default() -> Self {
        Self { requests: Semaphore::new(MAX_AT_ONCE), cache: Mutex::default() }
    }
}

/// Replies by request.
#[derive(Default)]
pub(super) struct ReplyCache {
    replies: HashMap<String, (Instant, Files)>,
    /// The number of files in all replies.
    files: usize,
}

impl ReplyCache {
    /// The reply to a request, unless it is too old.
    pub(super) fn get(&self, target: &str, now: Instant) -> Option<Files> {
        let (since, files) = self.replies.get(target)?;
        (now.saturating_duration_since(*since) < FRESH).then(|| Arc::clone(files))
    }

    /// Adds a reply.
    pub(super) fn put(&mut self, target: String, files: &Files, now: Instant) {
        // A reply without files takes memory, too.
        let size = |files: &Files| files.len() + 1;
        if self.files + size(files) > MAX_CACHED {
            *self = Self::default();
        }
        self.files += size(files);
        let before = self.replies.insert(target, (now, Arc::clone(files)));
        self.files -= before.map_or(0, |(_, files)| size(&files));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replies_are_cached_for_a_while() {
        let (mut cache, now) = (ReplyCache::default(), Instant::now());
        cache.put("/a".to_string(), &Arc::default(), now);
        cache.put("/a".to_string(), &Arc::default(), now);
        assert!(cache.get("/a", now).is_some() && cache.get("/b", now).is_none());
        assert!(cache.get("/a", now + FRESH).is_none());
        assert_eq!(cache.files, 1);
        cache.files = MAX_CACHED;
        cache.put("/b".to_string(), &Arc::default(), now);
        assert_eq!((cache.replies.len(), cache.files), (1, 1));
    }
}
