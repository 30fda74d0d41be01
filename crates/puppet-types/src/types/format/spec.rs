//! Formats of `String.new`: their syntax, and the maps from types to formats.

use std::sync::{Arc, LazyLock};

use crate::error::{EvalResult, plain};
use crate::types::assignable::is_assignable;
use crate::types::format::ruby_inspect;
use crate::types::{Type, builtin};
use crate::value::Value;

/// A format such as `%-10s`; for containers also how their elements are joined and formatted.
#[derive(Clone, Debug)]
pub(super) struct Format {
    /// As it was written.
    pub source: String,
    /// The letter.
    pub letter: char,
    /// `#`
    pub alternative: bool,
    /// `-`
    pub left: bool,
    /// A blank: no delimiters.
    pub blank: bool,
    /// One of `[{(<|`.
    pub delimiter: Option<char>,
    /// The width.
    pub width: Option<usize>,
    /// The precision.
    pub precision: Option<usize>,
    /// The separator of elements.
    pub separator: Option<String>,
    /// The separator of key and value.
    pub separator2: Option<String>,
    /// The formats of elements.
    pub elements: Option<Arc<FormatMap>>,
}

/// Formats by type; the first type that takes a value decides.
pub(super) type FormatMap = Vec<(Type, Format)>;

/// The maximal width of a result.
const WIDTH_LIMIT: usize = 1 << 20;

impl Format {
    /// Reads a format.
    pub(super) fn parse(source: &str) -> EvalResult<Self> {
        let Some(format) = Self::read(source) else {
            return plain(format!(
                "The format '{source}' is not a valid format on the form '%<flags><width>.<prec><format>'"
            ));
        };
        let flags: Vec<char> = source.chars().skip(1).take_while(|c| is_flag(*c)).collect();
        if (1..flags.len()).any(|i| flags[..i].contains(&flags[i])) {
            return plain(format!("The same flag can only be used once, got '{source}'"));
        }
        if flags.iter().filter(|c| is_delimiter(**c)).count() > 1 {
            return plain(format!(
                "Only one of the delimiters [ {{ ( < | can be given in the format flags, got '{source}'"
            ));
        }
        if format.width.max(format.precision).is_some_and(|w| w > WIDTH_LIMIT) {
            return plain("the width of the format is too big");
        }
        Ok(format)
    }

    fn read(source: &str) -> Option<Self> {
        let rest = source.strip_prefix('%')?;
        let end = rest.find(|c| !is_flag(c))?;
        let (flags, rest) = rest.split_at(end);
        let digits = |text: &str| text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
        let (width, rest) = rest.split_at(digits(rest));
        let (precision, rest) = match rest.strip_prefix('.') {
            Some(rest) => {
                let (precision, rest) = rest.split_at(digits(rest));
                (Some(precision.parse().ok()?), rest)
            }
            None => (None, rest),
        };
        let mut letters = rest.chars();
        let letter = letters.next().filter(char::is_ascii_alphabetic)?;
        if letters.next().is_some() {
            return None;
        }
        Some(Self {
            source: source.into(),
            letter,
            alternative: flags.contains('#'),
            left: flags.contains('-'),
            blank: flags.contains(' '),
            delimiter: flags.chars().find(|c| is_delimiter(*c)),
            width: if width.is_empty() { None } else { Some(width.parse().ok()?) },
            precision,
            separator: None,
            separator2: None,
            elements: None,
        })
    }

    /// A valid format that only has a letter.
    fn letter(letter: char) -> Self {
        Self {
            source: format!("%{letter}"),
            letter,
            alternative: false,
            left: false,
            blank: false,
            delimiter: None,
            width: None,
            precision: None,
            separator: None,
            separator2: None,
            elements: None,
        }
    }

    /// The delimiters of a container.
    pub(super) fn delimiters(
        &self,
        usual: (&'static str, &'static str),
    ) -> (&'static str, &'static str) {
        match self.delimiter {
            Some('[') => ("[", "]"),
            Some('{') => ("{", "}"),
            Some('(') => ("(", ")"),
            Some('<') => ("<", ">"),
            Some(_) => ("|", "|"),
            None if self.blank => ("", ""),
            None => usual,
        }
    }

    /// The letter replaced, for formats that are handed on.
    #[inline]
    pub(super) fn with_letter(&self, letter: char) -> String {
        let mut source = self.source.clone();
        source.pop();
        source.push(letter);
        source
    }
}

fn is_flag(c: char) -> bool {
    c.is_whitespace() || "[+#0{<(|-".contains(c)
}

fn is_delimiter(c: char) -> bool {
    "[{(<|".contains(c)
}

fn named(name: &str) -> Type {
    builtin(name).unwrap_or(Type::Any)
}

/// The default formats.
pub(super) fn defaults() -> &'static FormatMap {
    static DEFAULTS: LazyLock<FormatMap> = LazyLock::new(|| {
        let container = |letter, separator2: &str| Format {
            separator: Some(", ".into()),
            separator2: Some(separator2.into()),
            elements: Some(Arc::clone(element_defaults())),
            ..Format::letter(letter)
        };
        vec![
            (named("Object"), Format::letter('p')),
            (named("Float"), Format::letter('f')),
            (named("Numeric"), Format::letter('d')),
            (named("Array"), container('a', ", ")),
            (named("Hash"), container('h', " => ")),
            (named("Binary"), Format::letter('B')),
            (Type::Any, Format::letter('s')),
        ]
    });
    &DEFAULTS
}

/// The default formats of elements.
pub(super) fn element_defaults() -> &'static Arc<FormatMap> {
    static ELEMENTS: LazyLock<Arc<FormatMap>> =
        LazyLock::new(|| Arc::new(vec![(Type::Any, Format::letter('p'))]));
    &ELEMENTS
}

/// Reads a map from types to formats.
pub(super) fn read_map(value: &Value) -> EvalResult<FormatMap> {
    let Some(entries) = value.as_hash() else {
        return plain(format!(
            "expected a hash with type to format mappings, got instance of '{}'",
            crate::types::label::class_name(value)
        ));
    };
    let mut map = Vec::with_capacity(entries.len());
    for (key, format) in entries {
        let Value::Type(kind) = key else {
            return plain(format!(
                "top level keys in the format hash must be data types, got instance of '{}'",
                crate::types::label::class_name(key)
            ));
        };
        map.push(((**kind).clone(), read_entry(format)?));
    }
    Ok(map)
}

fn read_entry(value: &Value) -> EvalResult<Format> {
    let text = |key: &str| value.get(key).and_then(Value::as_str).map(str::to_owned);
    let Some(entries) = value.as_hash() else {
        return Format::parse(value.as_str().unwrap_or_default());
    };
    let known = ["separator", "separator2", "format", "string_formats"];
    if entries.keys().any(|k| !k.as_str().is_some_and(|k| known.contains(&k))) {
        return plain(format!(
            "only 'separator', 'separator2', 'format', 'string_formats' are allowed in a container format, got {}",
            ruby_inspect(value)
        ));
    }
    let mut format = Format::parse(&text("format").unwrap_or_default())?;
    format.separator = text("separator");
    format.separator2 = text("separator2");
    if let Some(elements) = value.get("string_formats") {
        format.elements = Some(Arc::new(read_map(elements)?));
    }
    Ok(format)
}

/// Formats given over those that were there: a given type drops narrower ones.
pub(super) fn merge(lower: &FormatMap, higher: FormatMap) -> FormatMap {
    let dropped =
        |kind: &Type| higher.iter().any(|(given, _)| given != kind && is_assignable(given, kind));
    let mut merged: FormatMap = lower.iter().filter(|(kind, _)| !dropped(kind)).cloned().collect();
    for (kind, format) in higher {
        match merged.iter_mut().find(|(k, _)| *k == kind) {
            Some((_, existing)) => *existing = merge_one(existing, format),
            None => merged.push((kind, format)),
        }
    }
    sort(merged)
}

fn merge_one(lower: &Format, higher: Format) -> Format {
    let elements = match (&lower.elements, higher.elements) {
        (Some(lower), Some(higher)) => Some(Arc::new(merge(lower, FormatMap::clone(&higher)))),
        (lower, higher) => higher.or_else(|| lower.clone()),
    };
    Format {
        separator: higher.separator.or_else(|| lower.separator.clone()),
        separator2: higher.separator2.or_else(|| lower.separator2.clone()),
        elements,
        ..higher
    }
}

/// Sorts the formats: narrower types first, then types of a fixed rank, then others by their text.
fn sort(map: FormatMap) -> FormatMap {
    let mut sorted: FormatMap = Vec::with_capacity(map.len());
    for entry in map {
        let before = |other: &(Type, Format)| {
            let (a, b) = (&entry.0, &other.0);
            match (is_assignable(b, a), is_assignable(a, b)) {
                (true, false) => true,
                (false, true) => false,
                _ => {
                    let ranks = (rank(a), rank(b));
                    match ranks.0 == 0 || ranks.1 == 0 {
                        true => a.to_string() < b.to_string(),
                        false => ranks.0 < ranks.1,
                    }
                }
            }
        };
        // A wider type must stay behind every narrower one, so the last of those bounds the place.
        let narrower = sorted
            .iter()
            .rposition(|o| is_assignable(&entry.0, &o.0) && !is_assignable(&o.0, &entry.0));
        let start = narrower.map_or(0, |i| i + 1);
        let place = sorted[start..].iter().position(before).map_or(sorted.len(), |i| start + i);
        sorted.insert(place, entry);
    }
    sorted
}

fn rank(kind: &Type) -> u8 {
    match kind {
        Type::Struct(_) => 1,
        Type::Hash(..) => 2,
        Type::Tuple(..) => 3,
        Type::Array(..) => 4,
        Type::Pattern(_) => 10,
        Type::Enum { .. } => 11,
        Type::String(_) | Type::Literal(_) => 12,
        _ => 0,
    }
}
