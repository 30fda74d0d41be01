//! The conversion of values to text in interpolations (not the same as `String($v)`).

use std::fmt::Write as _;

use ecow::EcoString;

use crate::types::display::write_type;
use crate::types::format::literal::write_instance;
use crate::types::{Type, generalize};
use crate::value::{IteratorValue, Value};

pub use crate::value::notation::{
    write_entries, write_float, write_items, write_timespan, write_timestamp,
};
pub use crate::value::resource_key::write_reference;

/// The text of a value in an interpolation.
#[inline]
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
        Value::Binary(bytes) => out.push_str(&crate::value::notation::base64(bytes)),
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
        Value::Object(object) => match object.param_name() {
            Some(name) => out.push_str(name),
            None => write_instance(out, object),
        },
        Value::Instance(instance) => instance.write(out),
        Value::Runtime(object) => out.push_str(&object.text),
    }
}

/// Iterators are named by the type of their elements; walks over trees show the elements.
fn write_iterator(out: &mut String, iterator: &IteratorValue) {
    match *iterator.element {
        Type::Runtime(_) => write_items(out, &iterator.items, write_text),
        ref element => {
            let _ = write!(out, "Iterator[{}]-Value", generalize(element));
        }
    }
}
