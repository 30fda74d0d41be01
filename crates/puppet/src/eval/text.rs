//! The conversion of values to text in interpolations (not the same as `String($v)`).

use std::fmt::Write as _;

use ecow::EcoString;

use crate::types::display::write_type;
use crate::types::object::write_instance;
use crate::value::Value;

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
        Value::Array(items) => write_list(out, items),
        Value::Iterator(iterator) => write_list(out, &iterator.items),
        Value::Hash(entries) => {
            out.push('{');
            for (i, (key, value)) in entries.iter().enumerate() {
                if i > 0 {
                    out.push_str(", ");
                }
                write_text(out, key);
                out.push_str(" => ");
                write_text(out, value);
            }
            out.push('}');
        }
        Value::Regexp(r) => r.write_delimited(out),
        Value::Type(t) => write_type(out, t),
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
        Value::Object(object) => write_instance(out, object),
    }
}

fn write_list(out: &mut String, items: &[Value]) {
    out.push('[');
    for (i, item) in items.iter().enumerate() {
        if i > 0 {
            out.push_str(", ");
        }
        write_text(out, item);
    }
    out.push(']');
}

/// Appends the shortest text that reads back as this float.
pub fn write_float(out: &mut String, f: f64) {
    if f.is_nan() {
        out.push_str("NaN");
    } else if f.is_infinite() {
        out.push_str(if f > 0.0 { "Infinity" } else { "-Infinity" });
    } else if f != 0.0 && !(1e-4..1e16).contains(&f.abs()) {
        let text = format!("{f:e}");
        let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
        out.push_str(digits);
        if !digits.contains('.') {
            out.push_str(".0");
        }
        let (sign, exponent) = match exponent.strip_prefix('-') {
            Some(rest) => ('-', rest),
            None => ('+', exponent),
        };
        let _ = write!(out, "e{sign}{exponent:0>2}");
    } else {
        let _ = write!(out, "{f:?}");
    }
}

/// Appends a timestamp: `2020-01-01T00:00:00.000000000 UTC`.
pub fn write_timestamp(out: &mut String, ns: i128) {
    let seconds = ns.div_euclid(1_000_000_000);
    let (days, of_day) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
    let (year, month, day) = civil(days);
    let _ = write!(
        out,
        "{year:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}.{:09} UTC",
        of_day / 3600,
        of_day / 60 % 60,
        of_day % 60,
        ns.rem_euclid(1_000_000_000)
    );
}

/// The date of a day counted from 1970, in the proleptic Gregorian calendar.
fn civil(days: i128) -> (i128, i128, i128) {
    let shifted = days + 719_468;
    let era = shifted.div_euclid(146_097);
    let of_era = shifted.rem_euclid(146_097);
    let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
    (year_of_era + era * 400 + i128::from(month <= 2), month, day)
}

/// Appends a duration: `1-01:03:00.0`.
pub fn write_timespan(out: &mut String, ns: i128) {
    // The format is a constant that is known to be right.
    out.push_str(&ordain_functions::time::format_span("%D-%H:%M:%S.%-N", ns).unwrap_or_default());
}
