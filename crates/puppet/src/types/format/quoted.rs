//! Values as source text, as `String($v, '%p')` gives them and types show their parameters.

use std::fmt::Write as _;

use crate::types::display::write_type;
use crate::types::format::literal::write_instance;
use crate::value::text::{
    write_entries, write_float, write_items, write_timespan, write_timestamp,
};
use crate::value::{HashValue, Value};

/// A value as source text: exactly what `String($value, '%p')` gives.
pub fn quoted(value: &Value) -> String {
    let mut out = String::new();
    write_quoted(&mut out, value);
    out
}

/// Writes a value as source text.
pub fn write_quoted(out: &mut String, value: &Value) {
    match value {
        Value::Undef => out.push_str("undef"),
        Value::Default => out.push_str("default"),
        Value::Bool(b) => out.push_str(if *b { "true" } else { "false" }),
        Value::Int(i) => {
            let _ = write!(out, "{i}");
        }
        Value::Float(f) => write_float(out, *f),
        Value::Str(s) => write_text_quoted(out, s),
        Value::Array(items) => write_items(out, items, write_quoted),
        Value::Iterator(iterator) => write_items(out, &iterator.items, write_quoted),
        Value::Hash(entries) => write_hash(out, entries),
        Value::Regexp(r) => r.write_delimited(out),
        Value::Type(t) => write_type(out, t),
        Value::Reference(t) => crate::value::text::write_reference(out, t),
        Value::Sensitive(_) => out.push_str("#<Sensitive [value redacted]>"),
        Value::Binary(bytes) => {
            out.push_str("Binary(\"");
            out.push_str(&crate::types::format::base64(bytes));
            out.push_str("\")");
        }
        Value::Timestamp(ns) => {
            out.push_str("Timestamp('");
            write_timestamp(out, **ns);
            out.push_str("')");
        }
        Value::Timespan(ns) => {
            out.push_str("Timespan('");
            write_timespan(out, **ns);
            out.push_str("')");
        }
        Value::SemVer(version) => {
            let _ = write!(out, "{version}");
        }
        Value::SemVerRange(range) => {
            let _ = write!(out, "{}", range.range);
        }
        Value::Uri(uri) => {
            let _ = write!(out, "URI('{uri}')");
        }
        Value::Callable(_) => out.push_str("Callable"),
        Value::Runtime(object) if object.is_integer() => out.push_str(&object.text),
        Value::Runtime(object) => write_text_quoted(out, &object.text),
        Value::Object(object) => write_instance(out, object),
        Value::Instance(instance) => instance.write(out),
    }
}

/// Writes a hash as source text.
fn write_hash(out: &mut String, entries: &HashValue) {
    write_entries(out, entries, " => ", write_quoted);
}

/// Writes text as source text: in single quotes unless it has control characters.
pub fn write_text_quoted(out: &mut String, text: &str) {
    if text.bytes().any(|b| b < 0x20) {
        write_double_quoted(out, text);
        return;
    }
    out.push('\'');
    // What follows a backslash stays as it is, a quote too, as upstream has it.
    let mut escaped = false;
    for c in text.chars() {
        if c == '\'' && !escaped {
            out.push('\\');
        }
        escaped = c == '\\' && !escaped;
        out.push(c);
    }
    out.push('\'');
}

/// Writes text in double quotes.
pub fn write_double_quoted(out: &mut String, text: &str) {
    out.push('"');
    for c in text.chars() {
        match c {
            '\t' => out.push_str("\\t"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '$' => out.push_str("\\$"),
            c if (c as u32) < 0x20 => {
                let _ = write!(out, "\\u{{{:X}}}", c as u32);
            }
            c => out.push(c),
        }
    }
    out.push('"');
}
