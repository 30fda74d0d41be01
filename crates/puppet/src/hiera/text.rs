//! Values as Ruby and Puppet write them in Hiera's messages.

use std::fmt::Write;

use crate::value::Value;

/// The text of a value inside a longer text: Ruby's `to_s`.
pub fn ruby_text(value: &Value) -> String {
    match value {
        Value::Undef => String::new(),
        Value::Str(text) => text.to_string(),
        other => {
            let mut out = String::new();
            inspect(other, &mut out);
            out
        }
    }
}

/// Appends a value as Ruby's `inspect` writes it.
pub fn inspect(value: &Value, out: &mut String) {
    match value {
        Value::Undef => out.push_str("nil"),
        Value::Default => out.push_str(":default"),
        Value::Bool(b) => out.push_str(if *b { "true" } else { "false" }),
        Value::Int(i) => _ = write!(out, "{i}"),
        Value::Float(f) => out.push_str(&float(*f)),
        Value::Str(text) => quote(text, out),
        Value::Array(items) => {
            out.push('[');
            for (i, item) in items.iter().enumerate() {
                out.push_str(if i == 0 { "" } else { ", " });
                inspect(item, out);
            }
            out.push(']');
        }
        Value::Hash(entries) => {
            out.push('{');
            for (i, (key, value)) in entries.iter().enumerate() {
                out.push_str(if i == 0 { "" } else { ", " });
                inspect(key, out);
                out.push_str("=>");
                inspect(value, out);
            }
            out.push('}');
        }
        Value::Sensitive(_) => out.push_str("#<Sensitive [value redacted]>"),
        other => _ = write!(out, "#<{}>", ruby_class(other)),
    }
}

fn float(f: f64) -> String {
    if f.is_nan() {
        return "NaN".to_owned();
    }
    if f.is_infinite() {
        return if f > 0.0 { "Infinity" } else { "-Infinity" }.to_owned();
    }
    let size = f.abs();
    if size != 0.0 && !(1e-4..1e16).contains(&size) {
        let text = format!("{f:e}");
        let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
        let point = if digits.contains('.') { "" } else { ".0" };
        let exponent: i32 = exponent.parse().unwrap_or(0);
        let sign = if exponent < 0 { '-' } else { '+' };
        return format!("{digits}{point}e{sign}{:02}", exponent.abs());
    }
    format!("{f:?}")
}

fn quote(text: &str, out: &mut String) {
    out.push('"');
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            '\u{1b}' => out.push_str("\\e"),
            '\u{7}' => out.push_str("\\a"),
            '\u{8}' => out.push_str("\\b"),
            '\u{b}' => out.push_str("\\v"),
            '\u{c}' => out.push_str("\\f"),
            '#' if matches!(chars.peek(), Some('{' | '$' | '@')) => out.push_str("\\#"),
            c if (c as u32) < 32 || c == '\u{7f}' => _ = write!(out, "\\x{:02X}", c as u32),
            c => out.push(c),
        }
    }
    out.push('"');
}

/// The name of the Ruby class of a value.
pub fn ruby_class(value: &Value) -> &'static str {
    match value {
        Value::Undef => "NilClass",
        Value::Default => "Symbol",
        Value::Bool(true) => "TrueClass",
        Value::Bool(false) => "FalseClass",
        Value::Int(_) => "Integer",
        Value::Float(_) => "Float",
        Value::Str(_) => "String",
        Value::Array(_) => "Array",
        Value::Hash(_) => "Hash",
        Value::Regexp(_) => "Regexp",
        Value::Sensitive(_) => "Puppet::Pops::Types::PSensitiveType::Sensitive",
        Value::Binary(_) => "Puppet::Pops::Types::PBinaryType::Binary",
        Value::Timestamp(_) => "Puppet::Pops::Time::Timestamp",
        Value::Timespan(_) => "Puppet::Pops::Time::Timespan",
        _ => "Object",
    }
}

/// The name of the type of a value, as messages about a wrong type show what they got.
pub fn type_word(value: &Value) -> &'static str {
    match value {
        Value::Undef => "Undef",
        Value::Default => "Default",
        Value::Bool(_) => "Boolean",
        Value::Int(_) => "Integer",
        Value::Float(_) => "Float",
        Value::Str(_) => "String",
        Value::Array(items) if items.is_empty() => "Array",
        Value::Array(_) => "Tuple",
        Value::Hash(entries) if entries.is_empty() => "Hash",
        Value::Hash(entries)
            if entries.keys().all(|k| k.as_str().is_some_and(|k| !k.is_empty())) =>
        {
            "Struct"
        }
        Value::Hash(_) => "Hash",
        Value::Regexp(_) => "Regexp",
        Value::Type(_) => "Type",
        Value::Sensitive(_) => "Sensitive",
        Value::Binary(_) => "Binary",
        Value::Timestamp(_) => "Timestamp",
        Value::Timespan(_) => "Timespan",
        Value::SemVer(_) => "SemVer",
        Value::SemVerRange(_) => "SemVerRange",
        Value::Uri(_) => "URI",
        Value::Callable(_) => "Callable",
        Value::Object(_) => "Object",
        Value::Iterator(_) => "Iterator",
    }
}

/// The message about what is wrong with the type of `subject`; `None` if nothing is.
pub fn mismatches(subject: &str, problems: &[String]) -> Option<String> {
    match problems {
        [] => None,
        [problem] => Some(format!("{subject} has wrong type, {problem}")),
        several => {
            let lines = several.iter().map(|p| format!(" {subject} has wrong type, {p}"));
            Some(lines.collect::<Vec<_>>().join("\n "))
        }
    }
}
