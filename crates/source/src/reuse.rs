//! The cache of parsed texts across compiles.

use std::any::TypeId;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use crate::files::{FileId, SourceMap};
use crate::parse_cache::{Entry, ParseCache};

/// The size in bytes of unused texts at which the cache is cleared.
const MAX_UNUSED: usize = 16 << 20;

impl SourceMap {
    /// An empty map that keeps parsed texts for further compiles.
    pub fn with_parse_cache() -> Self {
        let mut map = Self::new();
        map.parsed = Some(ParseCache::default());
        map
    }

    /// Adds a file and parses its text. With a cache, the last result of type `T` for this path is
    /// reused if the text and the `context`, a hash of all else that `parse` depends on, did not
    /// change. Texts without a path are parsed each time.
    pub fn parsed<T: Send + Sync + 'static>(
        &self,
        path: &Path,
        text: Arc<str>,
        context: u64,
        parse: impl FnOnce(FileId, Arc<str>) -> T,
    ) -> (FileId, Arc<T>) {
        let cache = self.parsed.as_ref().filter(|_| !path.as_os_str().is_empty());
        let key = || (path.to_path_buf(), TypeId::of::<T>());
        if let Some(cache) = cache
            && let Some(entry) = cache.entries().by_place.get(&key())
            && entry.context == context
            && entry.text == text
            && let Ok(value) = Arc::clone(&entry.value).downcast()
        {
            return (entry.file, value);
        }
        let file = self.add(path, Arc::clone(&text));
        let value = Arc::new(parse(file, Arc::clone(&text)));
        if let Some(cache) = cache {
            let mut entries = cache.entries();
            entries.used += text.len();
            let entry = Entry { text, context, file, value: Arc::clone(&value) as _ };
            if let Some(old) = entries.by_place.insert(key(), entry) {
                entries.used -= old.text.len();
            }
        }
        (file, value)
    }

    /// Whether most of the texts are obsolete or not cached, so that a new map would use less
    /// memory.
    pub fn is_outgrown(&self) -> bool {
        self.parsed.as_ref().is_some_and(|cache| {
            let used = cache.entries().used;
            self.size.load(Ordering::Relaxed).saturating_sub(used) > used.max(MAX_UNUSED)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_texts_are_parsed_once() {
        let map = SourceMap::with_parse_cache();
        let parse = |path: &str, text: &str, context| {
            let mut is_new = false;
            let (file, value) = map.parsed(Path::new(path), text.into(), context, |_, text| {
                is_new = true;
                text.len()
            });
            (file.0, *value, is_new)
        };
        assert_eq!(parse("a", "one", 1), (0, 3, true));
        assert_eq!(parse("a", "one", 1), (0, 3, false));
        assert_eq!(parse("a", "one", 2), (1, 3, true), "another context");
        assert_eq!(parse("a", "four", 2), (2, 4, true), "another text");
        assert_eq!(parse("b", "four", 2), (3, 4, true), "another file");
        assert_eq!(parse("a", "four", 2), (2, 4, false));
        let other = map.parsed(Path::new("a"), "four".into(), 2, |_, text| text.to_string());
        assert_eq!((other.0.0, other.1.as_str()), (4, "four"), "another result");
    }

    #[test]
    fn a_map_is_outgrown_by_replaced_texts() {
        let map = SourceMap::with_parse_cache();
        for i in 0..17_u8 {
            assert!(!map.is_outgrown(), "{i}");
            let text = char::from(b'a' + i).to_string().repeat(1 << 20);
            map.parsed(Path::new("a"), text.into(), 0, |_, _| ());
        }
        map.add("b", "x".repeat(1 << 20));
        assert!(map.is_outgrown());
    }

    #[test]
    fn maps_without_a_cache_parse_each_time() {
        let map = SourceMap::new();
        let parse = || map.parsed(Path::new("a"), "x".into(), 0, |file, _| file.0);
        assert_eq!((*parse().1, *parse().1), (0, 1));
        assert!(!map.is_outgrown());
    }
}
