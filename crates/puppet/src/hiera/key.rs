//! Keys of lookups: a root, and the steps into its value.

use ecow::EcoString;

use crate::value::{Key, Value};

/// A step from a value to a part of it.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Segment {
    /// The key of a hash.
    Text(EcoString),
    /// The index of an array, or an integer key of a hash.
    Index(i64),
}

/// The keys of hashes before the first index.
pub(super) fn text_keys(segments: &[Segment]) -> impl Iterator<Item = &str> {
    segments.iter().map_while(|segment| match segment {
        Segment::Text(text) => Some(text.as_str()),
        Segment::Index(_) => None,
    })
}

impl Segment {
    /// The segment as a value.
    pub fn value(&self) -> Value {
        match self {
            Self::Text(text) => Value::Str(text.clone()),
            Self::Index(index) => Value::Int(*index),
        }
    }

    /// The entry that a hash or an array has under this segment.
    pub fn entry<'v>(&self, value: &'v Value) -> Option<&'v Value> {
        match (self, value) {
            (Self::Index(i), Value::Array(items)) => items.get(usize::try_from(*i).ok()?),
            (Self::Index(i), Value::Hash(entries)) => entries.get(&Value::Int(*i)),
            (Self::Text(text), Value::Hash(entries)) => entries.get(&Key(text)),
            _ => None,
        }
    }
}

impl std::fmt::Display for Segment {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Text(text) => f.write_str(text),
            Self::Index(index) => write!(f, "{index}"),
        }
    }
}

/// A key: `root`, or `root.segment.0`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LookupKey {
    /// The key as it was written.
    pub text: EcoString,
    /// The part of the root before the first `::`.
    pub module: Option<EcoString>,
    /// The key in data files.
    pub root: EcoString,
    /// The way below the root's value.
    pub segments: Vec<Segment>,
}

impl LookupKey {
    /// Parses a key; `None` if the text is not a valid key.
    pub fn parse(text: &EcoString) -> Option<Self> {
        let mut segments = split(text)?;
        let root = match segments.remove(0) {
            Segment::Text(root) => root,
            Segment::Index(index) => ecow::eco_format!("{index}"),
        };
        let module = root.find("::").map(|at| EcoString::from(&root[..at]));
        Some(Self { text: text.clone(), module, root, segments })
    }

    /// The root and the segments as values.
    pub fn to_values(&self) -> Vec<Value> {
        let root = std::iter::once(Value::Str(self.root.clone()));
        root.chain(self.segments.iter().map(Segment::value)).collect()
    }

    /// Wraps a value so that digging for the segments finds it.
    pub fn undig(&self, value: Value) -> Value {
        /// The maximal length of a list that an index may require.
        const LONGEST: i64 = 4096;
        self.segments.iter().rev().fold(value, |inner, segment| match segment {
            Segment::Index(index) => {
                let before = (*index).clamp(0, LONGEST) as usize;
                let mut items = vec![Value::Undef; before];
                items.push(inner);
                Value::array(items)
            }
            Segment::Text(text) => Value::hash([(text.clone(), inner)]),
        })
    }
}

/// The segments of a dotted key, in which quotes hide dots; `None` if it is malformed.
///
/// ```
/// use ordain_puppet::hiera::key::{Segment, split};
/// let segments = split("a.'b.c'.0").expect("the key is well formed");
/// assert_eq!(segments[1], Segment::Text("b.c".into()));
/// assert_eq!(segments[2], Segment::Index(0));
/// ```
pub fn split(key: &str) -> Option<Vec<Segment>> {
    if !key.contains(['\'', '"', '.']) {
        return Some(vec![Segment::Text(key.into())]);
    }
    let mut segments = Vec::new();
    let mut rest = key;
    loop {
        let (segment, after) = split_segment(rest)?;
        segments.push(segment);
        match after.strip_prefix('.') {
            Some(next) => rest = next,
            None if after.is_empty() => return Some(segments),
            None => return None,
        }
    }
}

fn split_segment(text: &str) -> Option<(Segment, &str)> {
    let trimmed = text.trim_start();
    if let Some(quote) = trimmed.chars().next().filter(|c| matches!(c, '"' | '\'')) {
        let inner = &trimmed[1..];
        let end = inner.find(quote).filter(|end| *end > 0)?;
        return Some((Segment::Text(inner[..end].into()), inner[end + 1..].trim_start()));
    }
    let end = text.find(['\'', '"', '.']).unwrap_or(text.len());
    if end == 0 {
        return None;
    }
    let (segment, rest) = text.split_at(end);
    Some((plain_segment(segment.trim()), rest))
}

fn plain_segment(text: &str) -> Segment {
    // Ruby's pattern allows a leading colon, and its conversion then reads 0.
    let digits = text.strip_prefix(':').unwrap_or(text);
    let digits = digits.strip_prefix(['+', '-']).unwrap_or(digits);
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return Segment::Text(text.into());
    }
    match text.strip_prefix(':') {
        Some(_) => Segment::Index(0),
        None => Segment::Index(text.parse().unwrap_or(i64::MAX)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn malformed_keys_are_none() {
        for key in ["a.", ".a", "a..b", "'a", "'a'b", "a'b'", "''", "."] {
            assert_eq!(split(key), None, "{key}");
        }
    }

    #[test]
    fn the_module_is_the_first_segment_of_the_root() {
        let key = LookupKey::parse(&"ntp::a.b".into()).expect("well formed");
        assert_eq!((key.module.as_deref(), key.root.as_str()), (Some("ntp"), "ntp::a"));
        assert_eq!(LookupKey::parse(&"a.'x::y'".into()).and_then(|k| k.module), None);
    }
}
