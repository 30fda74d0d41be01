//! Tags: interned texts. The tags of a resource are a sorted run of small numbers.

use ecow::EcoString;
use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;
use smallvec::SmallVec;

/// The number of a tag in its [`TagTable`].
pub type TagId = u32;

/// All tags of a catalog.
#[derive(Default, Debug)]
pub struct TagTable {
    names: IndexSet<EcoString, FxBuildHasher>,
}

impl TagTable {
    /// The number of a tag, which is made lower case.
    pub fn intern(&mut self, tag: &str) -> TagId {
        if let Some(i) = self.names.get_index_of(tag) {
            return i as TagId;
        }
        let lower =
            if tag.chars().any(char::is_uppercase) { tag.to_lowercase() } else { tag.into() };
        self.names.insert_full(lower.into()).0 as TagId
    }

    /// The number of a tag if it is used anywhere.
    pub fn find(&self, tag: &str) -> Option<TagId> {
        let found = match tag.bytes().any(|b| b.is_ascii_uppercase() || !b.is_ascii()) {
            true => self.names.get_index_of(tag.to_lowercase().as_str()),
            false => self.names.get_index_of(tag),
        };
        found.map(|i| i as TagId)
    }

    /// All tags in order of their numbers.
    pub fn names(&self) -> impl ExactSizeIterator<Item = &EcoString> {
        self.names.iter()
    }

    /// The text of a tag.
    pub fn name(&self, id: TagId) -> &EcoString {
        &self.names[id as usize]
    }
}

/// A set of tags.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct TagSet(SmallVec<[TagId; 8]>);

impl TagSet {
    /// Adds a tag.
    pub fn insert(&mut self, tag: TagId) {
        if let Err(at) = self.0.binary_search(&tag) {
            self.0.insert(at, tag);
        }
    }

    /// Adds all tags of another set.
    pub fn extend(&mut self, other: &TagSet) {
        let own = self.0.len();
        let mut rest = self.0.as_slice();
        let mut missing = 0;
        for tag in other.0.as_slice() {
            while let [first, later @ ..] = rest
                && first < tag
            {
                rest = later;
            }
            missing += usize::from(rest.first() != Some(tag));
        }
        if missing == 0 {
            return;
        }
        self.0.resize(own + missing, 0);
        // Both are sorted, so that they merge in place from the end.
        let tags = self.0.as_mut_slice();
        let (mut from, mut to) = (own, own + missing);
        for &tag in other.0.as_slice().iter().rev() {
            while from > 0 && tags[from - 1] > tag {
                (from, to) = (from - 1, to - 1);
                tags[to] = tags[from];
            }
            if from > 0 && tags[from - 1] == tag {
                from -= 1;
            }
            to -= 1;
            tags[to] = tag;
        }
    }

    /// Whether a tag is in the set.
    pub fn contains(&self, tag: TagId) -> bool {
        self.0.binary_search(&tag).is_ok()
    }

    /// The tags.
    pub fn iter(&self) -> impl Iterator<Item = TagId> + '_ {
        self.0.iter().copied()
    }
}

/// Whether a text may be a tag.
pub fn is_valid(tag: &str) -> bool {
    // Upstream's pattern lets a tag end in a new line.
    let tag = tag.strip_suffix('\n').unwrap_or(tag);
    let plain = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    if let [head, rest @ ..] = tag.as_bytes()
        && plain(head)
        && rest.iter().all(|byte| plain(byte) || matches!(byte, b':' | b'.' | b'-'))
    {
        return true;
    }
    let mut chars = tag.chars();
    let head = chars.next().is_some_and(|c| c.is_alphanumeric() || c == '_');
    head && chars.all(|c| c.is_alphanumeric() || matches!(c, '_' | ':' | '.' | '-'))
}

/// A tag, and its segments if it has `::`.
pub fn with_segments(tag: &str) -> impl Iterator<Item = &str> {
    let is_path = tag.as_bytes().windows(2).any(|pair| pair == b"::");
    let segments = is_path.then(|| tag.split("::").filter(|s| !s.is_empty()));
    std::iter::once(tag).chain(segments.into_iter().flatten())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_are_united_sorted_and_without_doubles() {
        let of = |bits: u32| (0..6).filter(move |bit| bits & 1 << bit != 0);
        for (own, other) in (0..64).flat_map(|own| (0..64).map(move |other| (own, other))) {
            let mut set = TagSet(of(own).collect());
            set.extend(&TagSet(of(other).collect()));
            assert!(set.iter().eq(of(own | other)), "{own:b} and {other:b}");
        }
    }
}
