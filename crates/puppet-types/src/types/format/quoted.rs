//! Values as source text, as `String($v, '%p')` gives them and types show their parameters.

use std::fmt::Write as _;

use crate::types::display::write_type;
use crate::types::format::literal::write_instance;
use crate::value::notation::{
    base64, write_entries, write_float, write_items, write_timespan, write_timestamp,
};
use crate::value::quoting::write_text_quoted;
use crate::value::resource_key::write_reference;
use crate::value::{HashValue, Value};

/// A value as source text: the result of `String($value, '%p')`.
#[inline]
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
        Value::Reference(t) => write_reference(out, t),
        Value::Sensitive(_) => out.push_str("#<Sensitive [value redacted]>"),
        Value::Binary(bytes) => {
            out.push_str("Binary(\"");
            out.push_str(&base64(bytes));
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
        Value::Runtime(object) => write_text_quoted(out, &object.text),
        Value::Object(object) => write_instance(out, object),
        Value::Instance(instance) => instance.write(out),
    }
}

/// Writes a hash as source text.
fn write_hash(out: &mut String, entries: &HashValue) {
    write_entries(out, entries, " => ", write_quoted);
}
