//! The text of the parts of values: floats, times, bytes, and the brackets of lists and hashes.

use std::fmt::Write as _;

use ordain_functions::time::Civil;

use crate::value::{HashValue, Value};

/// Appends a list in brackets; `write` writes each item.
pub fn write_items(out: &mut String, items: &[Value], write: fn(&mut String, &Value)) {
    out.push('[');
    for (i, item) in items.iter().enumerate() {
        out.push_str(if i > 0 { ", " } else { "" });
        write(out, item);
    }
    out.push(']');
}

/// Appends a hash in braces; `write` writes keys and values.
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
#[inline]
pub fn write_float(out: &mut String, f: f64) {
    out.push_str(&ordain_functions::float::to_ruby(f));
}

/// Appends a timestamp: `2020-01-01T00:00:00.000000000 UTC`.
#[inline]
pub fn write_timestamp(out: &mut String, ns: i128) {
    let Civil { year, month, day, hour, minute, second, nanosecond, .. } = Civil::from_nanos(ns);
    let _ = write!(
        out,
        "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{nanosecond:09} UTC"
    );
}

/// Appends a duration: `1-01:03:00.0`.
#[inline]
pub fn write_timespan(out: &mut String, ns: i128) {
    // The format is a valid constant.
    out.push_str(&ordain_functions::time::format_span("%D-%H:%M:%S.%-N", ns).unwrap_or_default());
}

/// Bytes in base 64, without line breaks.
#[inline]
pub fn base64(bytes: &[u8]) -> String {
    ordain_functions::base64::encode(bytes, ordain_functions::base64::Mode::Strict)
}
