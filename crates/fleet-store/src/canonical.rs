//! The text that PuppetDB hashes: JSON as Clojure's library cheshire writes it, with the keys of
//! all maps sorted (`puppetlabs/puppetdb/scf/hash.clj`).

use std::cmp::Ordering;

use serde_json::Value as Json;
use sha1::{Digest, Sha1};

/// A SHA-1 hash.
pub(crate) type Sha1Hash = [u8; 20];

/// How PuppetDB represents the keys of a map, which decides their order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Keys {
    /// Keywords: the part before a `/` is a namespace and is compared first.
    Keywords,
    /// Strings.
    Strings,
}

/// The hash of a text.
pub(crate) fn sha1(text: &str) -> Sha1Hash {
    Sha1::digest(text.as_bytes()).into()
}

/// Compares texts as Java does: by UTF-16 code units.
pub(crate) fn compare(a: &str, b: &str) -> Ordering {
    // The two orders differ only if one of the texts has a character outside the Basic Multilingual
    // Plane.
    if a.is_ascii() && b.is_ascii() { a.cmp(b) } else { a.encode_utf16().cmp(b.encode_utf16()) }
}

/// Compares keys of maps.
fn compare_keys(a: &str, b: &str, keys: Keys) -> Ordering {
    let (Keys::Keywords, true) = (keys, a.contains('/') || b.contains('/')) else {
        return compare(a, b);
    };
    fn split(key: &str) -> (Option<&str>, &str) {
        match key.split_once('/') {
            Some((namespace, name)) if key != "/" => (Some(namespace), name),
            _ => (None, key),
        }
    }
    let ((namespace_a, name_a), (namespace_b, name_b)) = (split(a), split(b));
    match (namespace_a, namespace_b) {
        (None, Some(_)) => Ordering::Less,
        (Some(_), None) => Ordering::Greater,
        (Some(a), Some(b)) => compare(a, b).then_with(|| compare(name_a, name_b)),
        (None, None) => compare(name_a, name_b),
    }
}

/// The sort key of a string in Clojure's hash sets, which PuppetDB does not sort: a set is a trie
/// over five bits of the hash at a time, lowest first.
pub(crate) fn place_in_set(text: &str) -> [u32; 7] {
    let java = text
        .encode_utf16()
        .fold(0u32, |hash, unit| hash.wrapping_mul(31).wrapping_add(u32::from(unit)));
    let hash = murmur3(java);
    std::array::from_fn(|level| hash >> (5 * level) & 31)
}

/// Murmur3 of a 32-bit number with seed 0. Clojure maps 0 to 0.
fn murmur3(number: u32) -> u32 {
    if number == 0 {
        return 0;
    }
    let mixed = number.wrapping_mul(0xcc9e_2d51).rotate_left(15).wrapping_mul(0x1b87_3593);
    let mut hash = mixed.rotate_left(13).wrapping_mul(5).wrapping_add(0xe654_6b64);
    // The length of the input in bytes.
    hash ^= 4;
    hash = (hash ^ hash >> 16).wrapping_mul(0x85eb_ca6b);
    hash = (hash ^ hash >> 13).wrapping_mul(0xc2b2_ae35);
    hash ^ hash >> 16
}

/// Appends a value as JSON with sorted keys.
pub(crate) fn write(out: &mut String, value: &Json, keys: Keys) {
    match value {
        Json::Null => out.push_str("null"),
        Json::Bool(flag) => out.push_str(if *flag { "true" } else { "false" }),
        Json::Number(number) => match number.as_f64() {
            Some(float) if number.is_f64() => out.push_str(&java_double(float)),
            _ => out.push_str(&number.to_string()),
        },
        Json::String(text) => write_string(out, text),
        Json::Array(items) => {
            out.push('[');
            for (i, item) in items.iter().enumerate() {
                if i > 0 {
                    out.push(',');
                }
                write(out, item, keys);
            }
            out.push(']');
        }
        Json::Object(map) => {
            let mut entries: Vec<(&String, &Json)> = map.iter().collect();
            entries.sort_by(|(a, _), (b, _)| compare_keys(a, b, keys));
            out.push('{');
            for (i, (key, item)) in entries.into_iter().enumerate() {
                if i > 0 {
                    out.push(',');
                }
                write_string(out, key);
                out.push(':');
                write(out, item, keys);
            }
            out.push('}');
        }
    }
}

/// Appends a string as Jackson writes it.
pub(crate) fn write_string(out: &mut String, text: &str) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\u{8}' => out.push_str("\\b"),
            '\t' => out.push_str("\\t"),
            '\n' => out.push_str("\\n"),
            '\u{c}' => out.push_str("\\f"),
            '\r' => out.push_str("\\r"),
            c if c < ' ' => out.push_str(&format!("\\u{:04X}", c as u32)),
            c => out.push(c),
        }
    }
    out.push('"');
}

/// A number as Java's `Double.toString` formats it.
fn java_double(number: f64) -> String {
    let magnitude = number.abs();
    if magnitude == 0.0 || (1e-3..1e7).contains(&magnitude) {
        return format!("{number:?}");
    }
    // The shortest digits, such as "1.5e10". Java adds ".0" if there is only one digit.
    let text = format!("{number:e}");
    match text.split_once('e') {
        Some((digits, exponent)) if digits.contains('.') => format!("{digits}E{exponent}"),
        Some((digits, exponent)) => format!("{digits}.0E{exponent}"),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn text(json: &str, keys: Keys) -> String {
        let mut out = String::new();
        write(&mut out, &serde_json::from_str(json).unwrap(), keys);
        out
    }

    #[test]
    fn texts_are_those_of_cheshire() {
        for (json, expected) in [
            (r#"{"b":1,"a":[{"z":null,"y":true}]}"#, r#"{"a":[{"y":true,"z":null}],"b":1}"#),
            (r#""\u0001\b\/\u007f é""#, "\"\\u0001\\b/\u{7f} é\""),
            (
                "[0.1,1e7,12345678.5,0.001,0.00012,1.0,-0.0,100,1e300]",
                "[0.1,1.0E7,1.23456785E7,0.001,1.2E-4,1.0,-0.0,100,1.0E300]",
            ),
        ] {
            assert_eq!(text(json, Keys::Strings), expected);
        }
    }

    #[test]
    fn sets_have_the_order_of_clojure() {
        // Clojure 1.10 prints these sets in this order.
        for expected in [
            "class a b",
            "host class",
            "n class notify",
            "srv class base zeta file node node.example.com",
            "9 3 34 22 26 4 8 28 14 30 21 33 20 19 17 25 15 7 5 18 36 12 13 27 24 35 6 38 39 1 0 37 \
             11 32 2 16 10 31 23 29",
        ] {
            let expected: Vec<&str> = expected.split(' ').collect();
            let mut words = expected.clone();
            words.sort_unstable();
            words.sort_by_key(|word| place_in_set(word));
            assert_eq!(words, expected);
        }
        assert_eq!(murmur3(0), 0);
    }

    #[test]
    fn keywords_with_a_namespace_come_last() {
        let json = r#"{"z":1,"a/b":2,"/etc":3,"a":4,"/":5}"#;
        assert_eq!(text(json, Keys::Keywords), r#"{"/":5,"a":4,"z":1,"/etc":3,"a/b":2}"#);
        assert_eq!(text(json, Keys::Strings), r#"{"/":5,"/etc":3,"a":4,"a/b":2,"z":1}"#);
    }
}
