//! Finds the content of secrets in other text.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt;
use std::sync::{Arc, OnceLock};

use aho_corasick::AhoCorasick;
use ecow::EcoString;
use rustc_hash::FxHashMap;

use crate::number::ruby_float;
use crate::value::Value;

/// The text in place of a secret.
pub const REDACTED: &str = "[redacted]";

/// The minimum number of bytes of a secret's part that is searched for by itself.
const MIN_PART_LENGTH: usize = 8;
/// Shorter texts are found only as whole words: `no` is not found in `node`.
const MIN_SUBSTRING_LENGTH: usize = 4;
/// A longer secret of one line is found only as a whole, not in parts.
const MAX_LENGTH: usize = 4096;

impl Value {
    /// Whether this is or contains a secret.
    pub fn holds_secret(&self) -> bool {
        match self {
            Self::Secret(_) => true,
            Self::List(items) => items.iter().any(Self::holds_secret),
            Self::Map(map) => map.iter().any(|(k, v)| k.holds_secret() || v.holds_secret()),
            _ => false,
        }
    }

    /// Calls `found` with each text and number inside the secrets of this value, as text.
    pub fn secret_texts(&self, found: &mut dyn FnMut(&str)) {
        match self {
            Self::Secret(inner) => texts(inner, found),
            Self::List(items) => items.iter().for_each(|item| item.secret_texts(found)),
            Self::Map(map) => map.iter().for_each(|(key, value)| {
                key.secret_texts(found);
                value.secret_texts(found);
            }),
            _ => {}
        }
    }
}

/// Addresses begin with these, secret ones too.
const SCHEMES: [&str; 24] = [
    "amqp://",
    "amqps://",
    "file://",
    "ftp://",
    "ftps://",
    "git://",
    "http://",
    "https://",
    "imap://",
    "imaps://",
    "ldap://",
    "ldaps://",
    "mariadb://",
    "mongodb+srv://",
    "mongodb://",
    "mysql://",
    "postgres://",
    "postgresql://",
    "redis://",
    "rediss://",
    "sftp://",
    "smtp://",
    "smtps://",
    "ssh://",
];

/// The labels of PEM and OpenPGP documents, as in `-----BEGIN CERTIFICATE-----` (RFC 7468, RFC 9580).
const LABELS: [&str; 14] = [
    "certificate",
    "certificate request",
    "dh parameters",
    "dsa private key",
    "ec parameters",
    "ec private key",
    "encrypted private key",
    "openssh private key",
    "pgp message",
    "pgp private key block",
    "private key",
    "public key",
    "rsa private key",
    "x509 crl",
];

/// Fragments of secrets that are no secret by themselves, in lower case.
fn public_fragments() -> &'static [String] {
    static ALL: OnceLock<Vec<String>> = OnceLock::new();
    ALL.get_or_init(|| {
        let bounds = LABELS
            .iter()
            .flat_map(|label| ["begin", "end"].map(|word| format!("-----{word} {label}-----")));
        bounds.chain(SCHEMES.map(str::to_owned)).collect()
    })
}

/// Whether a line is the first or last one of a PEM document.
fn is_pem_bound(line: &str) -> bool {
    line.starts_with("-----") && public_fragments().contains(&line.to_ascii_lowercase())
}

/// A text in lower case, with spaces in place of public fragments.
fn without_public_fragments(lower: &str) -> String {
    let mut out = lower.to_owned();
    for fragment in public_fragments().iter().filter(|fragment| lower.contains(*fragment)) {
        out = out.replace(fragment, &" ".repeat(fragment.len()));
    }
    out
}

/// Calls `found` with each scalar of a value as text.
fn texts(value: &Value, found: &mut dyn FnMut(&str)) {
    match value {
        Value::Null => {}
        Value::Bool(truth) => found(if *truth { "true" } else { "false" }),
        Value::Int(number) => found(&number.to_string()),
        Value::BigInt(digits) => found(digits),
        Value::Float(number) => found(&ruby_float(*number)),
        Value::Str(text) => found(text),
        Value::Bytes(bytes) => found(&String::from_utf8_lossy(bytes)),
        Value::List(items) => items.iter().for_each(|item| texts(item, found)),
        Value::Map(map) => map.iter().for_each(|(key, value)| {
            texts(key, found);
            texts(value, found);
        }),
        Value::Secret(inner) => texts(inner, found),
    }
}

/// Finds texts of secrets in other text, including quoted with escapes, in another case, and in
/// parts, because messages shorten values, quote a word of them, or the surroundings of a mistake
/// in them.
///
/// Of a secret of one line any eight consecutive bytes are found, of one with several lines each
/// line of at least four bytes. Shorter ones are found as a whole; those below four bytes as words.
/// Eight bytes of a random secret are in no other text by chance. Those of a secret that is made of
/// words may be, and are redacted there, too: nothing tells such a text from an excerpt of the secret.
///
/// The beginning of an address, such as `https://`, and the bounds of PEM documents are redacted only
/// together with other parts of the secret.
#[derive(Default)]
pub struct Redactor {
    /// Eight consecutive bytes of secrets of one line, in lower case, and whether they are secret
    /// without others next to them.
    parts: FxHashMap<[u8; MIN_PART_LENGTH], bool>,
    /// Longer texts that are found as a whole, by their first eight bytes, in lower case.
    lines: FxHashMap<[u8; MIN_PART_LENGTH], Vec<Box<[u8]>>>,
    /// Shorter texts that are found as a whole, in lower case.
    short: BTreeSet<Box<[u8]>>,
}

impl Redactor {
    /// For the secrets in these values.
    pub fn of<'v>(values: impl IntoIterator<Item = &'v Value>) -> Self {
        let mut redactor = Self::default();
        for value in values {
            value.secret_texts(&mut |text| redactor.add(text));
        }
        redactor
    }

    /// Whether there are no secrets to find.
    pub fn is_empty(&self) -> bool {
        self.parts.is_empty() && self.lines.is_empty() && self.short.is_empty()
    }

    /// Adds the text of a secret.
    pub fn add(&mut self, text: &str) {
        let text = text.trim();
        let is_whole = text.contains('\n') || text.len() > MAX_LENGTH;
        // A short line of several, such as `}`, is not secret.
        let lines = text
            .lines()
            .map(str::trim)
            .filter(|line| !is_whole || line.len() >= MIN_SUBSTRING_LENGTH && !is_pem_bound(line));
        for line in lines {
            let escaped: String = line.escape_debug().collect();
            let forms = [line, &escaped];
            for form in &forms[..1 + usize::from(escaped != line)] {
                if is_whole { self.add_whole(form) } else { self.add_line(form) }
            }
        }
    }

    /// Adds a text of one line; its parts are found, too.
    fn add_line(&mut self, line: &str) {
        let lower = line.to_ascii_lowercase();
        if lower.len() < MIN_PART_LENGTH {
            return self.add_whole(line);
        }
        let other = without_public_fragments(&lower);
        let windows = lower.as_bytes().windows(MIN_PART_LENGTH);
        for (window, other) in windows.zip(other.as_bytes().windows(MIN_PART_LENGTH)) {
            if let Some(window) = window.first_chunk::<MIN_PART_LENGTH>() {
                let is_secret = other.iter().any(|byte| *byte != b' ');
                *self.parts.entry(*window).or_default() |= is_secret;
            }
        }
        let words = other.split(|c: char| c.is_whitespace() || "'\"=:,;".contains(c));
        words
            .filter(|word| (MIN_SUBSTRING_LENGTH..MIN_PART_LENGTH).contains(&word.len()))
            .for_each(|w| self.add_whole(w));
    }

    /// Adds a text that is found only as a whole.
    pub fn add_whole(&mut self, text: &str) {
        let lower = text.to_ascii_lowercase().into_bytes().into_boxed_slice();
        match lower.first_chunk::<MIN_PART_LENGTH>() {
            Some(start) => self.lines.entry(*start).or_default().push(lower),
            None if lower.is_empty() => {}
            None => drop(self.short.insert(lower)),
        }
    }

    /// Whether a text holds any of a secret.
    pub fn finds(&self, text: &str) -> bool {
        matches!(self.redact(text), Cow::Owned(_))
    }

    /// Whether a value contains part of a secret in clear text.
    pub fn finds_in(&self, value: &Value) -> bool {
        match value {
            Value::Secret(_) => false,
            Value::List(items) => items.iter().any(|item| self.finds_in(item)),
            Value::Map(map) => map.iter().any(|(k, v)| self.finds_in(k) || self.finds_in(v)),
            scalar => {
                let mut found = false;
                texts(scalar, &mut |text| found |= self.finds(text));
                found
            }
        }
    }

    /// The text with [`REDACTED`] in place of secrets.
    pub fn redact<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let ranges = self.ranges(text);
        if ranges.is_empty() {
            return Cow::Borrowed(text);
        }
        let mut out = String::with_capacity(text.len());
        let mut end = 0;
        for (from, to) in ranges {
            out.push_str(&text[end..from]);
            out.push_str(REDACTED);
            end = to;
        }
        out.push_str(&text[end..]);
        Cow::Owned(out)
    }

    /// The ranges of secrets in a text, sorted and disjoint.
    fn ranges(&self, text: &str) -> Vec<(usize, usize)> {
        if self.is_empty() {
            return Vec::new();
        }
        let lower = text.to_ascii_lowercase();
        let bytes = lower.as_bytes();
        let mut found = Vec::new();
        for (at, window) in bytes.windows(MIN_PART_LENGTH).enumerate() {
            let Some(window) = window.first_chunk::<MIN_PART_LENGTH>() else { continue };
            if let Some(is_secret) = self.parts.get(window) {
                found.push((at, at + MIN_PART_LENGTH, *is_secret));
            }
            let lines = self.lines.get(window).into_iter().flatten();
            let lines = lines.filter(|line| bytes[at..].starts_with(line));
            found.extend(lines.map(|line| (at, at + line.len(), true)));
        }
        for short in &self.short {
            let all = bytes.windows(short.len()).enumerate().filter(|(_, w)| *w == &**short);
            let all = all.map(|(at, _)| (at, at + short.len()));
            let all =
                all.filter(|range| short.len() >= MIN_SUBSTRING_LENGTH || is_word(bytes, *range));
            found.extend(all.map(|(from, to)| (from, to, true)));
        }
        merged(text, found)
    }
}

/// Hides the texts to redact.
impl fmt::Debug for Redactor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Redactor")
    }
}

/// Whether neither letters nor digits are next to a range.
fn is_word(bytes: &[u8], (from, to): (usize, usize)) -> bool {
    let part_of_word = |at: Option<usize>| {
        at.and_then(|at| bytes.get(at)).is_some_and(|b| b.is_ascii_alphanumeric() || *b >= 0x80)
    };
    !part_of_word(from.checked_sub(1)) && !part_of_word(Some(to))
}

/// Sorts the ranges, merges those that touch, extends them to whole characters, and trims space. Drops
/// those in which nothing is secret.
fn merged(text: &str, mut ranges: Vec<(usize, usize, bool)>) -> Vec<(usize, usize)> {
    ranges.sort_unstable();
    let mut out: Vec<(usize, usize, bool)> = Vec::new();
    for (from, to, is_secret) in ranges {
        let from = (0..=from).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
        let to = (to..text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(text.len());
        match out.last_mut() {
            Some(last) if from <= last.1 => {
                last.1 = last.1.max(to);
                last.2 |= is_secret;
            }
            _ => out.push((from, to, is_secret)),
        }
    }
    let out = out.into_iter().filter(|(.., is_secret)| *is_secret);
    let without_space = out.map(|(from, to, _)| {
        let from = to - text[from..to].trim_start().len();
        (from, from + text[from..to].trim_end().len())
    });
    without_space.filter(|(from, to)| from < to).collect()
}

/// Decrypted texts, for languages whose values are not marked as secret: a text that contains one
/// of them is secret, too.
#[derive(Clone, Default)]
pub struct Decrypted {
    texts: BTreeSet<EcoString>,
    /// Finds those that are long enough to exclude coincidence; built on demand.
    finder: OnceLock<Option<AhoCorasick>>,
}

impl Decrypted {
    /// The minimum number of bytes of a text that is searched for in others; a shorter one is only
    /// compared as a whole.
    const MIN_SEARCHED_LENGTH: usize = 6;

    /// Adds a text without surrounding space.
    pub fn add(&mut self, text: &str) {
        let text = text.trim();
        if !text.is_empty() && self.texts.insert(text.into()) {
            self.finder = OnceLock::new();
        }
    }

    /// Adds all texts and numbers in a value.
    pub fn add_all(&mut self, value: &Value) {
        let mut found = |text: &str| self.add(text);
        match value {
            // A boolean or null is no text to search for.
            Value::Bool(_) => {}
            Value::List(items) => items.iter().for_each(|item| self.add_all(item)),
            Value::Map(map) => map.values().for_each(|value| self.add_all(value)),
            scalar => texts(scalar, &mut found),
        }
    }

    /// Adds the texts in a value that was derived from secrets. Short ones are ignored, because
    /// they may be anything.
    pub fn add_derived(&mut self, value: &Value) {
        match value {
            Value::Str(text) if text.trim().len() >= Self::MIN_SEARCHED_LENGTH => self.add(text),
            Value::List(items) => items.iter().for_each(|item| self.add_derived(item)),
            Value::Map(map) => map.values().for_each(|value| self.add_derived(value)),
            _ => {}
        }
    }

    /// Whether any of the texts is in a value.
    pub fn is_in_value(&self, value: &Value) -> bool {
        !self.is_empty() && self.is_in(value)
    }

    /// A redactor for these texts, if there are any. It replaces whole messages, because they may
    /// contain the texts in any form.
    pub fn redactor(&self) -> Option<Redactor> {
        let mut redactor = Redactor::default();
        let lines = self.texts.iter().flat_map(|text| text.lines().map(str::trim));
        lines
            .filter(|line| line.len() >= Self::MIN_SEARCHED_LENGTH && !is_pem_bound(line))
            .for_each(|line| redactor.add_whole(line));
        (!redactor.is_empty()).then_some(redactor)
    }

    /// The value as a secret, if it contains any of the texts.
    #[must_use]
    pub fn mark(&self, value: Value) -> Value {
        let is_clear = !self.is_empty() && !matches!(value, Value::Secret(_));
        if is_clear && self.is_in(&value) { Value::Secret(Arc::new(value)) } else { value }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }

    /// Whether a text contains any of the texts, or is part of one.
    pub fn is_in_text(&self, text: &str) -> bool {
        !self.is_empty() && self.is_part_of(text)
    }

    fn is_in(&self, value: &Value) -> bool {
        match value {
            Value::Str(text) => self.is_part_of(text),
            Value::Bytes(bytes) => self.is_part_of(&String::from_utf8_lossy(bytes)),
            Value::Int(number) => self.texts.contains(number.to_string().as_str()),
            Value::List(items) => items.iter().any(|item| self.is_in(item)),
            Value::Map(map) => map.iter().any(|(k, v)| self.is_in(k) || self.is_in(v)),
            _ => false,
        }
    }

    fn is_part_of(&self, text: &str) -> bool {
        let finder = self.finder.get_or_init(|| {
            // Each line of a long text, such as a key, which may be indented where it is used.
            let lines = self.texts.iter().flat_map(|text| text.lines().map(str::trim));
            let is_searched =
                |line: &&str| line.len() >= Self::MIN_SEARCHED_LENGTH && !is_pem_bound(line);
            let long: Vec<&str> = lines.filter(is_searched).collect();
            // It only fails beyond 2^31 bytes of secrets.
            if long.is_empty() { None } else { AhoCorasick::new(long).ok() }
        });
        let text = text.trim();
        self.texts.contains(text) || finder.as_ref().is_some_and(|finder| finder.is_match(text))
    }
}

/// Without the texts.
impl fmt::Debug for Decrypted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Decrypted")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn redactor(text: &str) -> Redactor {
        Redactor::of([&Value::list([Value::Secret(Arc::new(Value::str(text)))])])
    }

    #[test]
    fn a_secret_is_found_whole_quoted_cut_and_in_another_case() {
        let redactor = redactor("s3cr\"et password");
        let found = |text: &str| redactor.redact(text).into_owned();
        assert_eq!(found("no user 's3cr\"et password' here"), "no user '[redacted]' here");
        assert_eq!(found("no \"s3cr\\\"et password\""), "no \"[redacted]\"");
        assert_eq!(found("no S3CR\"ET PASSWORD"), "no [redacted]");
        assert_eq!(found("begins with s3cr\"et pa…"), "begins with [redacted]…");
        assert_eq!(found("command not found: password"), "command not found: [redacted]");
        assert_eq!(found("nothing of it"), "nothing of it");
    }

    #[test]
    fn a_short_secret_is_found_as_a_word() {
        let redactor = redactor("no");
        assert_eq!(redactor.redact("'no' is no node"), "'[redacted]' is [redacted] node");
        assert!(!redactor.finds("knot"));
        assert!(!self::redactor("").finds("text"));
    }

    #[test]
    fn of_several_lines_each_is_found() {
        let redactor = redactor("[app]\n  password = x1y2z3\n  url = /etc/app\n");
        assert_eq!(redactor.redact("line 2: password = x1y2z3"), "line 2: [redacted]");
        assert!(!redactor.finds("cannot write /etc/app"));
    }

    #[test]
    fn the_beginning_of_an_address_is_not_secret() {
        let redactor = redactor("postgresql://app:x7Kq-93@db1/shop");
        for text in ["Service[postgresql] is running", "postgresql://", "see https://example.org"] {
            assert_eq!(redactor.redact(text), text);
        }
        let found = |text: &str| redactor.redact(text).into_owned();
        assert_eq!(found("no postgresql://app:x7Kq-93@db1/shop here"), "no [redacted] here");
        assert_eq!(found("no postgresql://a…"), "no [redacted]…");
        assert_eq!(found("near 7Kq-93@d"), "near [redacted]");
        let mysql = self::redactor("url=mysql://root:pa55@db");
        assert!(!mysql.finds("Package[mysql]") && mysql.finds("root:pa55"));
        // A scheme is redacted only together with secret bytes beside it.
        assert_eq!(mysql.redact("mysql://root"), "[redacted]");
        // The same bytes may be secret elsewhere.
        let mut both = self::redactor("https://a.example.org/t0ken");
        both.add("my https:// secret");
        assert!(both.finds("https:// s") && both.finds("example.org/t0"));
        assert!(!both.finds("https:/"));
    }

    #[test]
    fn the_bounds_of_keys_are_not_secret() {
        let key = "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBg\n-----END PRIVATE KEY-----\n";
        let other = "-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2\n-----END PRIVATE KEY-----";
        for key in [key.to_owned(), key.replace('\n', "\\n")] {
            let redactor = redactor(&key);
            assert_eq!(redactor.redact(other), other);
            assert_eq!(redactor.redact("near MIIEvQIBADANBg"), "near [redacted]");
            assert!(!redactor.redact(&key).contains("MIIE"));
        }
        let mut decrypted = Decrypted::default();
        decrypted.add(key);
        assert!(!decrypted.is_in_text(other) && decrypted.is_in_text("key: MIIEvQIBADANBg"));
        assert!(!decrypted.redactor().expect("it has a line").finds(other));
    }

    #[test]
    fn an_unknown_label_is_secret() {
        let redactor = redactor("-----BEGIN X9KQ-----\nabcdefgh\n");
        assert!(redactor.finds("-----BEGIN X9KQ-----"));
    }

    #[test]
    fn characters_stay_whole() {
        let redactor = redactor("ünïcödé-sècrét");
        assert_eq!(redactor.redact("é ünïcödé-sècrét é"), "é [redacted] é");
    }

    #[test]
    fn numbers_and_keys_are_found() {
        let map = Value::map([("token-token", Value::Int(123_456_789))]);
        let redactor = Redactor::of([&Value::Secret(Arc::new(map))]);
        assert!(redactor.finds("123456789") && redactor.finds("a token-token"));
        assert!(redactor.finds_in(&Value::list([Value::Int(123_456_789)])));
    }

    #[test]
    fn values_with_decrypted_text_are_secret() {
        let mut decrypted = Decrypted::default();
        let key = Value::str("-----\n  MIIEow==\n");
        decrypted.add_all(&Value::map([("user", Value::str("al")), ("key", key)]));
        let is_secret = |value: Value| matches!(decrypted.mark(value), Value::Secret(_));
        assert!(is_secret(Value::str("al")) && !is_secret(Value::str("all")));
        assert!(is_secret(Value::str("    MIIEow==\n  }")));
        let map = Value::map([("a", Value::str("x MIIEow=="))]);
        assert!(is_secret(Value::list([Value::Int(1), map])));
        assert!(!is_secret(Value::str("MIIE")) && !is_secret(Value::Bool(true)));
    }
}
