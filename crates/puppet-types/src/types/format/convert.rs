//! Values as text by a format.

use std::sync::Arc;

use ordain_functions::base64::{Mode, encode};
use ordain_functions::printf::ruby::{Arg, sprintf};
use ordain_functions::text::capitalize;

use super::literal::{write_indented_instance, write_instance};
use super::quoted::{quoted, write_quoted};
use super::spec::{Format, FormatMap, defaults, element_defaults, merge, read_map};
use crate::error::{EvalResult, plain};
use crate::types::object::type_parameters;
use crate::types::refusal::answered;
use crate::types::{Type, infer_set, is_assignable, is_instance};
use crate::value::quoting::{write_double_quoted, write_text_quoted};
use crate::value::text::{to_text, write_text};
use crate::value::{Object, Value};

/// The maximal nesting of values in indented text.
const DEPTH_LIMIT: usize = 1000;

/// `String.new($value, $formats)`.
///
/// # Errors
/// When a format is wrong, or does not fit the value.
pub fn to_string(value: &Value, formats: Option<&Value>) -> EvalResult<String> {
    let given = match formats {
        None | Some(Value::Default) => None,
        Some(Value::Str(format)) => {
            let kind = match value {
                Value::Array(_) => crate::types::builtin("Array").unwrap_or(Type::Any),
                Value::Hash(_) => crate::types::builtin("Hash").unwrap_or(Type::Any),
                other => infer_set(other),
            };
            Some(vec![(kind, Format::parse(format)?)])
        }
        Some(map) => Some(read_map(map)?),
    };
    let merged;
    let formats = match given {
        None => defaults(),
        Some(given) => {
            merged = merge(defaults(), given);
            &merged
        }
    };
    convert(value, formats, Indent { level: 0, first: true, on: false })
}

/// The position of indented text.
#[derive(Clone, Copy)]
struct Indent {
    level: usize,
    first: bool,
    on: bool,
}

impl Indent {
    fn padding(self) -> String {
        "  ".repeat(self.level)
    }

    fn breaks(self) -> bool {
        self.on && self.level > 0 && !self.first
    }

    fn inner(self, on: bool) -> Self {
        Self { level: self.level + 1, first: true, on }
    }
}

fn convert(value: &Value, formats: &FormatMap, indent: Indent) -> EvalResult<String> {
    if indent.level > DEPTH_LIMIT {
        return plain("the value is too deeply nested");
    }
    // The format of a value is looked up by its type, with exceptions: a type is an instance of
    // `Object`, but its type is not an object type; a URI with a port is not an instance of its own
    // type; and the type of an object is used without its parameters.
    let looked_up = match value {
        Value::Type(_) | Value::Uri(_) => Some(infer_set(value)),
        Value::Object(object) => Some(Type::Object(Arc::clone(&object.kind))),
        Value::Iterator(iterator) if matches!(*iterator.element, Type::Runtime(_)) => {
            Some(Type::clone(&iterator.element))
        }
        _ => None,
    };
    let fits = |kind: &Type| match &looked_up {
        Some(given) => is_assignable(kind, given),
        None => is_instance(kind, value),
    };
    let format = answered(|| formats.iter().find(|(kind, _)| fits(kind)))?.map(|(_, f)| f);
    let fallback;
    let format = match format {
        Some(format) => format,
        None => {
            fallback = Format::parse("%s")?;
            &fallback
        }
    };
    match value {
        Value::Array(items) => list(items, format, formats, indent),
        // A walk over a tree has its own formats, and shows its elements.
        Value::Iterator(iterator) if matches!(*iterator.element, Type::Runtime(_)) => {
            if !matches!(format.letter, 's' | 'p' | 'q') {
                return wrong("Runtime", format.letter, "spq");
            }
            let items = Value::array(iterator.items.iter().cloned());
            convert(&items, defaults(), indent)
        }
        Value::Iterator(iterator) => {
            convert(&Value::array(iterator.items.iter().cloned()), formats, indent)
        }
        Value::Runtime(object) if object.is_integer() && matches!(format.letter, 'd' | 'p') => {
            Ok(object.text.to_string())
        }
        Value::Runtime(object) => match format.letter {
            's' => Ok(object.text.to_string()),
            'q' => Ok(object.inspect.to_string()),
            'p' => Ok(quoted(value)),
            letter => wrong("Runtime", letter, "spq"),
        },
        Value::Hash(_) => hash(value, format, formats, indent),
        Value::Int(i) => integer(*i, format),
        Value::Float(f) => float(*f, format),
        Value::Str(text) => string(text, format),
        Value::Bool(b) => boolean(*b, format),
        Value::Undef => undef(format),
        Value::Default => default(format),
        Value::Binary(bytes) => binary(bytes, format),
        Value::Object(object) => instance(object, format, indent),
        Value::Regexp(_) | Value::Type(_) | Value::Reference(_) | Value::Uri(_) => {
            source_like(value, format)
        }
        Value::Timespan(ns) | Value::Timestamp(ns) => time(value, **ns, format),
        other => printed(&format.source, Arg::Other(&OpaqueValue(other))),
    }
}

/// A value that the formatter only knows the texts of.
struct OpaqueValue<'a>(&'a Value);

impl ordain_functions::printf::ruby::Value for OpaqueValue<'_> {
    #[inline]
    fn display(&self) -> String {
        to_text(self.0).into()
    }

    #[inline]
    fn inspect(&self) -> String {
        quoted(self.0)
    }

    #[inline]
    fn class_name(&self) -> String {
        match self.0 {
            Value::SemVer(_) => "SemanticPuppet::Version".into(),
            Value::SemVerRange(_) => "SemanticPuppet::VersionRange".into(),
            other => crate::types::label::class_name(other),
        }
    }
}

/// Bytes, whose notation has those beyond ASCII as numbers.
struct Bytes<'a>(&'a [u8]);

impl ordain_functions::printf::ruby::Value for Bytes<'_> {
    #[inline]
    fn display(&self) -> String {
        String::from_utf8_lossy(self.0).into()
    }

    fn inspect(&self) -> String {
        let mut out = String::from("\"");
        for (i, &byte) in self.0.iter().enumerate() {
            let interpolates = || matches!(self.0.get(i + 1), Some(b'{' | b'$' | b'@'));
            match byte {
                b'"' | b'\\' => out.extend(['\\', byte as char]),
                b'#' if interpolates() => out.push_str("\\#"),
                b' '..=b'~' => out.push(byte as char),
                b'\n' => out.push_str("\\n"),
                b'\r' => out.push_str("\\r"),
                b'\t' => out.push_str("\\t"),
                0x07 => out.push_str("\\a"),
                0x08 => out.push_str("\\b"),
                0x0b => out.push_str("\\v"),
                0x0c => out.push_str("\\f"),
                0x1b => out.push_str("\\e"),
                _ => out.push_str(&format!("\\x{byte:02X}")),
            }
        }
        out.push('"');
        out
    }

    #[inline]
    fn class_name(&self) -> String {
        "String".into()
    }
}

/// A point in time or a duration: a number of seconds where the format wants a number.
fn time(value: &Value, ns: i128, format: &Format) -> EvalResult<String> {
    const NANOS: i128 = 1_000_000_000;
    match format.letter {
        'd' | 'i' | 'u' | 'x' | 'X' | 'o' | 'b' | 'B' | 'c' => {
            match i64::try_from(ns.div_euclid(NANOS)) {
                Ok(seconds) => printed(&format.source, Arg::Int(seconds)),
                Err(_) => plain("the time is too far away"),
            }
        }
        'e' | 'E' | 'f' | 'g' | 'G' | 'a' | 'A' => {
            printed(&format.source, Arg::Float(ordain_functions::time::seconds(ns)))
        }
        _ => printed(&format.source, Arg::Other(&OpaqueValue(value))),
    }
}

fn wrong<T>(kind: &str, letter: char, expected: &str) -> EvalResult<T> {
    plain(format!(
        "Illegal format '{letter}' specified for value of {kind} type - expected one of the characters '{expected}'"
    ))
}

fn printed(format: &str, arg: Arg<'_>) -> EvalResult<String> {
    match sprintf(format, &[arg]) {
        Ok(text) => Ok(text),
        Err(error) => plain(error.to_string()),
    }
}

/// A text with the width and flags of the format.
fn print(format: &Format, text: &str) -> EvalResult<String> {
    match format.source.len() {
        2 => Ok(text.into()),
        _ => printed(&format.with_letter('s'), Arg::Str(text)),
    }
}

/// A text with width and precision only.
fn padded(format: &Format, text: &str) -> String {
    let text: String = match format.precision {
        Some(precision) => text.chars().take(precision).collect(),
        None => text.into(),
    };
    let missing = format.width.unwrap_or(0).saturating_sub(text.chars().count());
    match format.left {
        true => format!("{text}{}", " ".repeat(missing)),
        false => format!("{}{text}", " ".repeat(missing)),
    }
}

fn integer(value: i64, format: &Format) -> EvalResult<String> {
    match format.letter {
        'd' | 'p' if format.source.len() == 2 => Ok(value.to_string()),
        'd' | 'x' | 'X' | 'o' | 'b' | 'B' | 'p' => printed(&format.source, Arg::Int(value)),
        'e' | 'E' | 'f' | 'g' | 'G' | 'a' | 'A' => {
            printed(&format.source, Arg::Float(value as f64))
        }
        'c' => {
            let c = u32::try_from(value).ok().and_then(char::from_u32);
            let Some(c) = c else {
                return plain(match u32::try_from(value) {
                    Ok(code) if code < 1 << 31 => "invalid byte sequence in UTF-8",
                    _ => "pack(U): value out of range",
                });
            };
            let text = if format.alternative { format!("\"{c}\"") } else { c.to_string() };
            print(format, &text)
        }
        's' if format.alternative => {
            printed(&format.with_letter('p'), Arg::Str(&value.to_string()))
        }
        's' => print(format, &value.to_string()),
        letter => wrong("Integer", letter, "dxXobBeEfgGaAspc"),
    }
}

fn float(value: f64, format: &Format) -> EvalResult<String> {
    let shortest = || {
        let mut out = String::new();
        crate::value::text::write_float(&mut out, value);
        out
    };
    match format.letter {
        'd' | 'x' | 'X' | 'o' | 'b' | 'B' => {
            let limit = 9_223_372_036_854_775_808.0;
            if !value.is_finite() {
                return plain(shortest());
            }
            match (-limit..limit).contains(&value) {
                true => printed(&format.source, Arg::Int(value.trunc() as i64)),
                false => printed(&format.source, Arg::Float(value.trunc())),
            }
        }
        'e' | 'E' | 'f' | 'g' | 'G' | 'a' | 'A' => printed(&format.source, Arg::Float(value)),
        'p' if format.source.len() == 2 => Ok(shortest()),
        'p' => printed(&format.with_letter('s'), Arg::Str(&shortest())),
        's' if format.alternative => print(format, &format!("\"{}\"", shortest())),
        's' => print(format, &shortest()),
        letter => wrong("Float", letter, "dxXobBeEfgGaAsp"),
    }
}

fn quote(text: &str) -> String {
    let mut out = String::new();
    write_text_quoted(&mut out, text);
    out
}

fn string(text: &str, format: &Format) -> EvalResult<String> {
    let changed = match format.letter {
        's' => return print(format, text),
        'p' if format.alternative => {
            let mut out = String::new();
            write_double_quoted(&mut out, text);
            return Ok(padded(format, &out));
        }
        'p' => return Ok(padded(format, &quote(text))),
        'c' => capitalize(text),
        'C' => text.split("::").map(capitalize).collect::<Vec<_>>().join("::"),
        'u' => text.to_uppercase(),
        'd' => text.chars().flat_map(char::to_lowercase).collect(),
        't' => text.trim_matches(|c: char| c.is_whitespace() || c == '\0').into(),
        letter => return wrong("String", letter, "cCudspt"),
    };
    match format.alternative {
        true => Ok(padded(format, &quote(&changed))),
        false => print(format, &changed),
    }
}

fn boolean(value: bool, format: &Format) -> EvalResult<String> {
    let word = match (format.letter, value) {
        ('t' | 's' | 'p', true) => "true",
        ('t' | 's' | 'p', false) => "false",
        ('T', true) => "True",
        ('T', false) => "False",
        ('y', true) => "yes",
        ('y', false) => "no",
        ('Y', true) => "Yes",
        ('Y', false) => "No",
        ('d' | 'x' | 'X' | 'o' | 'b' | 'B', _) => return integer(i64::from(value), format),
        ('e' | 'E' | 'f' | 'g' | 'G' | 'a' | 'A', _) => {
            return float(f64::from(u8::from(value)), format);
        }
        (letter, _) => return wrong("Boolean", letter, "tTyYdxXobBeEfgGaAsp"),
    };
    let short = format.alternative && "tTyY".contains(format.letter);
    Ok(padded(format, if short { &word[..1] } else { word }))
}

fn undef(format: &Format) -> EvalResult<String> {
    let text = match (format.letter, format.alternative) {
        ('n', false) => "nil",
        ('n', true) => "null",
        ('u', false) => "undef",
        ('u', true) => "undefined",
        ('d' | 'x' | 'X' | 'o' | 'b' | 'B' | 'e' | 'E' | 'f' | 'g' | 'G' | 'a' | 'A', _) => "NaN",
        ('v', _) => "n/a",
        ('V', _) => "N/A",
        ('s', false) => "",
        ('s', true) => "\"\"",
        ('p', false) => "undef",
        ('p', true) => "\"undef\"",
        (letter, _) => return wrong("Undef", letter, "nudxXobBeEfgGaAvVsp"),
    };
    Ok(padded(format, text))
}

fn default(format: &Format) -> EvalResult<String> {
    let text = match (format.letter, format.alternative) {
        ('d' | 's' | 'p', false) => "default",
        ('d' | 's' | 'p', true) => "\"default\"",
        ('D', false) => "Default",
        ('D', true) => "\"Default\"",
        (letter, _) => return wrong("Default", letter, "dDsp"),
    };
    Ok(padded(format, text))
}

fn binary(bytes: &[u8], format: &Format) -> EvalResult<String> {
    let text = match format.letter {
        's' if format.alternative => {
            return printed(&format.with_letter('p'), Arg::Other(&Bytes(bytes)));
        }
        's' => match std::str::from_utf8(bytes) {
            Ok(text) => text.into(),
            Err(_) => {
                return plain(
                    "The given binary value is not valid UTF-8 and cannot be converted to text",
                );
            }
        },
        'p' => {
            let text = print(format, &encode(bytes, Mode::Strict))?;
            return Ok(format!("Binary(\"{text}\")"));
        }
        'b' => encode(bytes, Mode::Default),
        'B' => encode(bytes, Mode::Strict),
        'u' => encode(bytes, Mode::UrlSafe),
        't' => "Binary".into(),
        'T' => "BINARY".into(),
        letter => return wrong("Binary", letter, "bButTsp"),
    };
    match format.alternative {
        true => printed(&format.with_letter('p'), Arg::Str(&text)),
        false => print(format, &text),
    }
}

/// Values that have a source text, and a text that differs only by quotes or delimiters.
fn source_like(value: &Value, format: &Format) -> EvalResult<String> {
    let (kind, expected) = match value {
        Value::Regexp(_) => ("Regexp", "sp"),
        Value::Type(_) => ("Type", "sp"),
        Value::Uri(_) => ("URI", "sp"),
        _ => ("Object", "spq"),
    };
    let mut text = String::new();
    match (format.letter, value) {
        ('p', _) => {
            write_quoted(&mut text, value);
            return match value {
                Value::Uri(_) => Ok(text),
                _ => print(format, &text),
            };
        }
        ('s', Value::Regexp(regexp)) => text.push_str(&regexp.text()),
        ('s', _) => write_text(&mut text, value),
        (letter, _) => return wrong(kind, letter, expected),
    }
    match (format.alternative, value) {
        (true, Value::Type(_)) => print(format, &format!("\"{text}\"")),
        (true, _) => print(format, &quote(&text)),
        (false, _) => print(format, &text),
    }
}

/// An instance of an object type; the alternative form has a line for each attribute.
fn instance(object: &Arc<Object>, format: &Format, indent: Indent) -> EvalResult<String> {
    let mut text = String::new();
    match format.letter {
        'p' if format.alternative || indent.on => {
            write_indented_instance(&mut text, object, indent.level);
        }
        's' => write_text(&mut text, &Value::Object(Arc::clone(object))),
        'p' => write_instance(&mut text, object),
        letter => return wrong("Object", letter, "spq"),
    }
    Ok(text)
}

/// Whether a value in a container uses the formats of the container, not those of elements. An
/// object whose type has parameters counts as an element.
fn is_container(value: &Value) -> bool {
    match value {
        Value::Array(_) | Value::Hash(_) => true,
        Value::Object(object) => type_parameters(&object.kind).is_empty(),
        _ => false,
    }
}

fn is_list_or_hash(value: &Value) -> bool {
    matches!(value, Value::Array(_) | Value::Hash(_))
}

fn element(
    value: &Value,
    format: &Format,
    formats: &FormatMap,
    indent: Indent,
) -> EvalResult<String> {
    if is_container(value) {
        return convert(value, formats, indent);
    }
    let elements = format.elements.as_ref().unwrap_or(element_defaults());
    convert(value, elements, indent)
}

fn list(
    items: &[Value],
    format: &Format,
    formats: &FormatMap,
    indent: Indent,
) -> EvalResult<String> {
    if !matches!(format.letter, 'a' | 's' | 'p') {
        return wrong("Array", format.letter, "asp");
    }
    let separator = format.separator.as_deref().unwrap_or(", ");
    let (open, close) = format.delimiters(("[", "]"));
    let indent = Indent { on: format.alternative || indent.on, ..indent };
    let inner = indent.inner(format.alternative);
    let mut texts = Vec::with_capacity(items.len());
    for item in items {
        texts.push(element(item, format, formats, Indent { first: false, ..inner })?);
    }
    let breaks = format.alternative && format.width.is_some_and(|w| widest(items, &texts) > w);
    let mut out = String::new();
    if indent.breaks() {
        out.push('\n');
        out.push_str(&indent.padding());
    }
    out.push_str(open);
    for (i, text) in texts.iter().enumerate() {
        let simple = !is_list_or_hash(&items[i]);
        if i == 0 {
            if breaks && simple {
                out.push(' ');
            }
        } else {
            out.push_str(separator);
            let after_container = format.alternative && is_list_or_hash(&items[i - 1]) && simple;
            if breaks && simple || after_container {
                if !out.ends_with('\n') {
                    out.truncate(out.trim_end().len());
                    out.push('\n');
                } else {
                    out.push('\n');
                }
                out.push_str(&inner.padding());
            }
        }
        if out.ends_with(' ') && text.starts_with('\n') {
            out.truncate(out.trim_end().len());
        }
        out.push_str(text);
    }
    out.push_str(close);
    Ok(out)
}

/// The length of the longest run of simple elements.
fn widest(items: &[Value], texts: &[String]) -> usize {
    let (mut widest, mut run) = (0, 0);
    for (item, text) in items.iter().zip(texts) {
        run = if is_list_or_hash(item) { 0 } else { run + text.chars().count() };
        widest = widest.max(run);
    }
    widest
}

fn hash(value: &Value, format: &Format, formats: &FormatMap, indent: Indent) -> EvalResult<String> {
    let Value::Hash(entries) = value else { return plain("not a hash") };
    if format.letter == 'a' {
        let pairs = entries.iter().map(|(k, v)| Value::array([k.clone(), v.clone()]));
        return convert(&Value::Array(Arc::new(pairs.collect())), formats, indent);
    }
    if !matches!(format.letter, 'h' | 's' | 'p') {
        return wrong("Hash", format.letter, "hasp");
    }
    let mut separator = format.separator.clone().unwrap_or_else(|| ", ".into());
    if format.alternative {
        if !separator.ends_with('\n') {
            separator.truncate(separator.trim_end().len());
        }
        separator.push('\n');
    }
    let association = format.separator2.as_deref().unwrap_or(" => ");
    let (open, close) = format.delimiters(("{", "}"));
    let indent = Indent { on: format.alternative || indent.on, ..indent };
    let inner = indent.inner(false);
    let padding = if format.alternative { inner.padding() } else { String::new() };
    let mut out = String::new();
    if indent.breaks() {
        out.push('\n');
        out.push_str(&indent.padding());
    }
    out.push_str(open);
    if format.alternative {
        out.push('\n');
    }
    for (i, (key, value)) in entries.iter().enumerate() {
        if i > 0 {
            out.push_str(&separator);
        }
        out.push_str(&padding);
        out.push_str(&element(key, format, formats, inner)?);
        out.push_str(association);
        out.push_str(&element(value, format, formats, inner)?);
    }
    if format.alternative {
        out.push('\n');
        out.push_str(&indent.padding());
    }
    out.push_str(close);
    Ok(out)
}
