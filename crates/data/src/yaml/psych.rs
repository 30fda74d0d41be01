//! Writes YAML byte for byte like Ruby's `to_yaml` (Psych 4 on libyaml 0.2.5).

use std::sync::{Arc, LazyLock};

use regex::Regex;
use rustc_hash::FxHashMap;

use super::emitter::{Emitter, Layout, NodePosition, PreferredStyle, Scalar};
use super::ruby;
use crate::Value;
use crate::number::ruby_float;

/// The options of Ruby's `to_yaml`.
#[derive(Clone, Copy, Default, Debug)]
pub struct Options {
    /// The indentation in spaces, 2 to 9; anything else means 2.
    pub indentation: Option<i64>,
    /// The column after which text is folded; -1 for never. With this option, longer texts are
    /// written as folded blocks.
    pub line_width: Option<i64>,
    /// Whether a `%YAML 1.1` line comes first.
    pub header: bool,
    /// Whether to write the canonical form, with brackets, quotes and tags.
    pub canonical: bool,
    /// Whether a list or map that occurs several times is written once with an anchor, as Ruby does
    /// with an object that it reaches again. Values are the same object if they are shared.
    pub anchors: bool,
}

/// Writes a value with the default options. A secret is written in clear text.
pub fn write(value: &Value) -> String {
    write_with(value, Options::default())
}

/// Writes a value. A secret is written in clear text.
pub fn write_with(value: &Value, options: Options) -> String {
    let mut writer = Writer {
        out: Emitter::new(layout(options)),
        long: options.line_width.and_then(|w| usize::try_from(w).ok()),
        is_canonical: options.canonical,
        anchors: FxHashMap::default(),
    };
    if options.anchors {
        let mut seen = FxHashMap::default();
        number_repeats(value, &mut seen);
        writer.anchors =
            seen.into_iter().filter(|(_, n)| *n != 0).map(|(at, n)| (at, (n, false))).collect();
    }
    writer.out.start_document(options.header);
    writer.node(value, NodePosition { in_map: false, simple_key: false });
    writer.out.finish()
}

fn layout(options: Options) -> Layout {
    /// No line is this long.
    const UNLIMITED: usize = usize::MAX;
    let indent = match options.indentation {
        Some(n @ 2..=9) => usize::try_from(n).unwrap_or(2),
        _ => 2,
    };
    let width = match options.line_width {
        None => 80,
        Some(w) => match usize::try_from(w) {
            Err(_) => UNLIMITED,
            Ok(w) if w <= 2 * indent => 80,
            Ok(w) => w,
        },
    };
    Layout { indent, width, canonical: options.canonical }
}

/// The place in memory of a list or map.
fn identity(value: &Value) -> Option<usize> {
    match value {
        Value::List(items) => Some(Arc::as_ptr(items) as usize),
        Value::Map(map) => Some(Arc::as_ptr(map) as usize),
        _ => None,
    }
}

/// Numbers shared values in the order of their second occurrences.
fn number_repeats(value: &Value, seen: &mut FxHashMap<usize, usize>) {
    fn walk(value: &Value, seen: &mut FxHashMap<usize, usize>, count: &mut usize) {
        let Some(at) = identity(value) else {
            if let Value::Secret(inner) = value {
                walk(inner, seen, count);
            }
            return;
        };
        if let Some(number) = seen.get_mut(&at) {
            if *number == 0 {
                *count += 1;
                *number = *count;
            }
            return;
        }
        seen.insert(at, 0);
        match value {
            Value::List(items) => items.iter().for_each(|v| walk(v, seen, count)),
            Value::Map(map) => map.iter().for_each(|(k, v)| {
                walk(k, seen, count);
                walk(v, seen, count);
            }),
            _ => {}
        }
    }
    walk(value, seen, &mut 0);
}

struct Writer {
    out: Emitter,
    /// The number of characters from which texts become folded blocks.
    long: Option<usize>,
    is_canonical: bool,
    /// By address: the number, and whether the anchor has been written.
    anchors: FxHashMap<usize, (usize, bool)>,
}

impl Writer {
    fn node(&mut self, value: &Value, place: NodePosition) {
        match value {
            Value::List(_) | Value::Map(_) => self.container(value, place),
            Value::Secret(inner) => self.node(inner, place),
            Value::Str(text) => {
                let scalar = text_scalar(text, self.long);
                self.out.scalar(&scalar, place);
            }
            other => {
                let text = literal(other);
                self.out.scalar(&other_scalar(other, &text), place);
            }
        }
    }

    fn container(&mut self, value: &Value, place: NodePosition) {
        if let Some(entry) = identity(value).and_then(|at| self.anchors.get_mut(&at)) {
            let (number, written) = *entry;
            entry.1 = true;
            self.out.name(if written { "*" } else { "&" }, number);
            if written {
                if place.simple_key {
                    self.out.blank();
                }
                return;
            }
        }
        match value {
            Value::List(items) if items.is_empty() => self.out.empty_list(),
            Value::Map(map) if map.is_empty() => self.out.empty_map(),
            Value::List(items) => {
                let before = self.out.open_list(place);
                for (at, item) in items.iter().enumerate() {
                    self.out.item(at == 0);
                    self.node(item, NodePosition { in_map: false, simple_key: false });
                }
                self.out.close_list(before);
            }
            Value::Map(map) => {
                let before = self.out.open_map();
                for (at, (key, value)) in map.iter().enumerate() {
                    let simple_key = !self.is_canonical && self.is_simple_key(key);
                    self.out.key(simple_key, at == 0);
                    self.node(key, NodePosition { in_map: true, simple_key });
                    self.out.value(simple_key);
                    self.node(value, NodePosition { in_map: true, simple_key: false });
                }
                self.out.close_map(before);
            }
            _ => {}
        }
    }

    /// Whether a key fits on a line before its colon.
    fn is_simple_key(&self, key: &Value) -> bool {
        /// In bytes, with tag and anchor.
        const MAX_BYTES: usize = 128;
        match key {
            Value::Str(text) => {
                let scalar = text_scalar(text, self.long);
                let tag = if scalar.plain || scalar.quoted { 0 } else { scalar.tag.len() };
                let breaks = ['\n', '\r', '\u{85}', '\u{2028}', '\u{2029}'];
                !text.contains(breaks) && text.len() + tag <= MAX_BYTES
            }
            Value::List(items) => items.is_empty() || self.is_written(key),
            Value::Map(map) => map.is_empty() || self.is_written(key),
            Value::Secret(inner) => self.is_simple_key(inner),
            other => literal(other).len() <= MAX_BYTES,
        }
    }

    fn is_written(&self, value: &Value) -> bool {
        identity(value).and_then(|at| self.anchors.get(&at)).is_some_and(|(_, written)| *written)
    }
}

/// The text of a scalar that is not a text; for bytes their base64 digits.
fn literal(value: &Value) -> String {
    match value {
        Value::Bool(b) => b.to_string(),
        Value::Int(i) => i.to_string(),
        Value::BigInt(digits) => digits.to_string(),
        Value::Float(x) if x.is_nan() => ".nan".into(),
        Value::Float(x) if x.is_infinite() => if *x > 0.0 { ".inf" } else { "-.inf" }.into(),
        Value::Float(x) => ruby_float(*x),
        Value::Bytes(bytes) => match std::str::from_utf8(bytes) {
            Ok(text) if text.is_ascii() => text.to_owned(),
            _ => base64(bytes),
        },
        _ => String::new(),
    }
}

fn other_scalar<'a>(value: &Value, text: &'a str) -> Scalar<'a> {
    match value {
        Value::Bytes(bytes) if !bytes.is_ascii() => Scalar {
            text,
            tag: "!binary",
            plain: false,
            quoted: false,
            preferred: PreferredStyle::Literal,
        },
        Value::Bytes(_) => text_scalar(text, None),
        Value::Null => Scalar {
            text,
            tag: "!!null",
            plain: true,
            quoted: false,
            preferred: PreferredStyle::Plain,
        },
        _ => Scalar { text, tag: "", plain: true, quoted: false, preferred: PreferredStyle::Plain },
    }
}

/// The style that Psych prefers for a text.
fn text_scalar(text: &str, long: Option<usize>) -> Scalar<'_> {
    let scalar = |preferred| Scalar { text, tag: "", plain: true, quoted: true, preferred };
    if has_inner_break(text) {
        return scalar(PreferredStyle::Literal);
    }
    if text == "<<" {
        let tag = "!!str";
        return Scalar {
            text,
            tag,
            plain: false,
            quoted: false,
            preferred: PreferredStyle::Single,
        };
    }
    if matches!(text, "y" | "n") {
        return scalar(PreferredStyle::Double);
    }
    if long.is_some_and(|width| text.chars().count() > width) {
        return scalar(PreferredStyle::Folded);
    }
    if starts_oddly(text) {
        return scalar(PreferredStyle::Double);
    }
    if !reads_as_text(text) || is_bad_octal(text) {
        return scalar(PreferredStyle::Single);
    }
    scalar(PreferredStyle::Plain)
}

/// A line break that is neither the last character nor the one before a last line break.
fn has_inner_break(text: &str) -> bool {
    let body = text.strip_suffix('\n').unwrap_or(text);
    let body = if body.len() < text.len() { body.strip_suffix('\n').unwrap_or(body) } else { body };
    // The line break before a final one does not count, but the text before it does.
    body.contains('\n')
}

/// Whether a line starts with a non-word character and contains no double quote.
fn starts_oddly(text: &str) -> bool {
    let mut starts = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1));
    starts.any(|start| {
        let mut line = text[start..].chars();
        match line.next() {
            Some(first) if !is_word(first) => line.take_while(|c| *c != '\n').all(|c| c != '"'),
            _ => false,
        }
    })
}

#[expect(clippy::expect_used, reason = "the pattern is constant")]
fn is_word(c: char) -> bool {
    static WORD: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"^[\p{L}\p{M}\p{Nd}\p{Pc}]").expect("the pattern is constant")
    });
    if c.is_ascii() {
        return c.is_ascii_alphanumeric() || c == '_';
    }
    WORD.is_match(c.encode_utf8(&mut [0; 4]))
}

fn is_bad_octal(text: &str) -> bool {
    let Some(rest) = text.strip_prefix('0') else { return false };
    rest.trim_start_matches(|c: char| matches!(c, '0'..='7')).starts_with(['8', '9'])
}

/// Whether Ruby reads the plain text as text. Only valid dates count as dates.
fn reads_as_text(text: &str) -> bool {
    match ruby::scan(text) {
        ruby::Scalar::Text => true,
        ruby::Scalar::Date => !is_date(text),
        ruby::Scalar::Time => !is_time(text),
        _ => false,
    }
}

/// The numbers in a text, in order.
fn numbers(text: &str) -> impl Iterator<Item = u32> + '_ {
    let parts = text.split(|c: char| !c.is_ascii_digit()).filter(|p| !p.is_empty());
    parts.map(|p| p.parse().unwrap_or(u32::MAX))
}

fn is_date(text: &str) -> bool {
    let mut parts = numbers(text);
    let (Some(year), Some(month), Some(day)) = (parts.next(), parts.next(), parts.next()) else {
        return false;
    };
    // Dates up to 1582 use the Julian calendar.
    let leap = year % 4 == 0 && (year < 1583 || year % 100 != 0 || year % 400 == 0);
    let days = match month {
        2 if leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => 0,
    };
    let skipped = year == 1582 && month == 10 && (5..15).contains(&day);
    day >= 1 && day <= days && !skipped
}

fn is_time(text: &str) -> bool {
    let mut parts = numbers(text).skip(1);
    let mut part = || parts.next().unwrap_or(0);
    let (month, day, hour, minute, second) = (part(), part(), part(), part(), part());
    (1..=12).contains(&month)
        && (1..=31).contains(&day)
        && (hour < 24 || (hour == 24 && minute == 0 && second == 0))
        && minute < 60
        && second <= 60
}

/// Base64 with padding, without line breaks.
fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let three = [0, 1, 2].map(|i| u32::from(chunk.get(i).copied().unwrap_or(0)));
        let bits = three[0] << 16 | three[1] << 8 | three[2];
        for i in 0..4u32 {
            let digit = DIGITS[(bits >> (18 - 6 * i) & 63) as usize];
            out.push(if i as usize <= chunk.len() { char::from(digit) } else { '=' });
        }
    }
    out
}
