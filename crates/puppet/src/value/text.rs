//! The conversion of values to text in interpolations (not the same as `String($v)`).

use std::fmt::Write as _;

use ecow::EcoString;
use ordain_functions::time::Civil;

use crate::types::display::write_type;
use crate::types::format::write_instance;
use crate::types::{Type, generalize};
use crate::value::resource_key::reference_key;
use crate::value::{HashValue, IteratorValue, Value};

/// The text of a value in an interpolation.
pub fn to_text(value: &Value) -> EcoString {
    match value {
        Value::Str(s) => s.clone(),
        Value::Undef => EcoString::new(),
        _ => {
            let mut out = String::new();
            write_text(&mut out, value);
            out.into()
        }
    }
}

/// Appends the text of a value in an interpolation.
pub fn write_text(out: &mut String, value: &Value) {
    match value {
        Value::Undef => {}
        Value::Default => out.push_str("default"),
        Value::Bool(b) => out.push_str(if *b { "true" } else { "false" }),
        Value::Int(i) => {
            let _ = write!(out, "{i}");
        }
        Value::Float(f) => write_float(out, *f),
        Value::Str(s) => out.push_str(s),
        Value::Array(items) => write_items(out, items, write_text),
        Value::Iterator(iterator) => write_iterator(out, iterator),
        Value::Hash(entries) => write_entries(out, entries, " => ", write_text),
        Value::Regexp(r) => r.write_delimited(out),
        Value::Type(t) => write_type(out, t),
        Value::Reference(t) => write_reference(out, t),
        Value::Sensitive(_) => out.push_str("Sensitive [value redacted]"),
        Value::Binary(bytes) => out.push_str(&crate::types::format::base64(bytes)),
        Value::Timestamp(ns) => write_timestamp(out, **ns),
        Value::Timespan(ns) => write_timespan(out, **ns),
        Value::SemVer(version) => {
            let _ = write!(out, "{version}");
        }
        Value::SemVerRange(range) => out.push_str(&range.text),
        Value::Uri(uri) => {
            let _ = write!(out, "{uri}");
        }
        Value::Callable(_) => out.push_str("Callable"),
        Value::Object(object) => match crate::types::object::param_name(object) {
            Some(name) => out.push_str(name),
            None => write_instance(out, object),
        },
        Value::Instance(instance) => instance.write(out),
        Value::Runtime(object) => out.push_str(&object.text),
    }
}

/// Iterators are named by what they yield; walks over trees show it.
fn write_iterator(out: &mut String, iterator: &IteratorValue) {
    match *iterator.element {
        Type::Runtime(_) => write_items(out, &iterator.items, write_text),
        ref element => {
            let _ = write!(out, "Iterator[{}]-Value", generalize(element));
        }
    }
}

/// Appends a reference that was given as a parameter: the title is not quoted, and the name of a
/// class has capitals.
pub fn write_reference(out: &mut String, kind: &Type) {
    match (reference_key(kind), kind) {
        (Some(key), _) => out.push_str(&key.text()),
        (None, kind) => {
            let _ = write!(out, "{kind}[]");
        }
    }
}

/// Appends a list in brackets, each item as `write` has it.
pub fn write_items(out: &mut String, items: &[Value], write: fn(&mut String, &Value)) {
    out.push('[');
    for (i, item) in items.iter().enumerate() {
        out.push_str(if i > 0 { ", " } else { "" });
        write(out, item);
    }
    out.push(']');
}

/// Appends a hash in braces, keys and values as `write` has them.
pub fn write_entries(
    out: &mut String,
    entries: &HashValue,
    arrow: &str,
    write: fn(&mut String, &Value),
) {
    out.push('{');
    for (i, (key, value)) in entries.iter().enumerate() {
        out.push_str(if i > 0 { ", " } else { "" });
        write(out, key);
        out.push_str(arrow);
        write(out, value);
    }
    out.push('}');
}

/// Appends the shortest text that reads back as this float.
pub fn write_float(out: &mut String, f: f64) {
    out.push_str(&ordain_functions::float::to_ruby(f));
}

/// Appends a timestamp: `2020-01-01T00:00:00.000000000 UTC`.
pub fn write_timestamp(out: &mut String, ns: i128) {
    let Civil { year, month, day, hour, minute, second, nanosecond, .. } = Civil::from_nanos(ns);
    let _ = write!(
        out,
        "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{nanosecond:09} UTC"
    );
}

/// Appends a duration: `1-01:03:00.0`.
pub fn write_timespan(out: &mut String, ns: i128) {
    // The format is a constant that is known to be right.
    out.push_str(&ordain_functions::time::format_span("%D-%H:%M:%S.%-N", ns).unwrap_or_default());
}
