//! Conversions to durations and points in time.

use std::sync::Arc;

use ordain_functions::time;

use super::host::Host;
use crate::error::{EvalResult, plain};
use crate::value::Value;
use crate::value::text::to_text;

const NANOS: i128 = 1_000_000_000;

fn seconds(value: &Value) -> i128 {
    match value {
        Value::Int(i) => i128::from(*i) * NANOS,
        Value::Float(f) => (f * NANOS as f64) as i128,
        _ => 0,
    }
}

fn formats(format: Option<&Value>) -> Option<Vec<&str>> {
    match format? {
        Value::Str(format) => Some(vec![format]),
        Value::Array(formats) => Some(formats.iter().filter_map(Value::as_str).collect()),
        _ => None,
    }
}

fn parse_span(text: &Value, format: Option<&Value>) -> EvalResult {
    let text = text.as_str().unwrap_or_default();
    let parsed = match (format, formats(format)) {
        (_, None) => time::parse_span(text, time::SPAN_FORMATS),
        (Some(Value::Str(format)), _) => {
            time::SpanFormat::new(format).and_then(|format| format.parse(text))
        }
        (_, Some(formats)) => time::parse_span(text, &formats),
    };
    match parsed {
        Ok(ns) => Ok(Value::Timespan(Arc::new(ns))),
        Err(error) => plain(error.to_string()),
    }
}

fn parse_stamp(text: &Value, format: Option<&Value>, zone: Option<&Value>) -> EvalResult {
    let text = text.as_str().unwrap_or_default();
    let zone = zone.and_then(Value::as_str).filter(|z| !z.is_empty());
    let parsed = match (format, formats(format)) {
        (_, None) => {
            let formats = if zone.is_some() { time::FORMATS_WITHOUT_ZONE } else { time::FORMATS };
            time::parse_any(text, formats, zone)
        }
        (Some(Value::Str(format)), _) => time::parse(text, format, zone),
        (_, Some(formats)) => time::parse_any(text, &formats, zone),
    };
    match parsed {
        Ok(ns) => Ok(Value::Timestamp(Arc::new(ns))),
        Err(error) => plain(error.to_string()),
    }
}

fn fields(negative: bool, values: impl Iterator<Item = i64>) -> Value {
    let mut fields = [0; 7];
    for (field, value) in fields.iter_mut().zip(values) {
        *field = value;
    }
    Value::Timespan(Arc::new(time::span_from_fields(negative, fields)))
}

/// `Timespan.new`
pub(super) fn timespan(chosen: usize, args: &[Value], _: &mut dyn Host) -> EvalResult {
    match chosen {
        0 => Ok(Value::Timespan(Arc::new(seconds(&args[0])))),
        1 => parse_span(&args[0], args.get(1)),
        2 => Ok(fields(false, args.iter().filter_map(Value::as_int))),
        3 => parse_span(args[0].get("string").unwrap_or(&Value::Undef), args[0].get("format")),
        _ => Ok(named_fields(&args[0])),
    }
}

fn named_fields(given: &Value) -> Value {
    const NAMES: [&str; 7] =
        ["days", "hours", "minutes", "seconds", "milliseconds", "microseconds", "nanoseconds"];
    let negative = given.get("negative").is_some_and(Value::is_true);
    let value = |name: &str| given.get(name).and_then(Value::as_int).unwrap_or(0);
    fields(negative, NAMES.into_iter().map(value))
}

/// `Timestamp.new`
pub(super) fn timestamp(chosen: usize, args: &[Value], host: &mut dyn Host) -> EvalResult {
    match chosen {
        0 => Ok(Value::Timestamp(Arc::new(host.now()))),
        1 => Ok(Value::Timestamp(Arc::new(seconds(&args[0])))),
        2 => parse_stamp(&args[0], args.get(1), here(args.get(2), host).as_ref()),
        _ => {
            let part = |name: &str| args[0].get(name);
            let text = part("string").unwrap_or(&Value::Undef);
            parse_stamp(text, part("format"), here(part("timezone"), host).as_ref())
        }
    }
}

/// A time zone; `current` is the zone of this machine.
fn here(zone: Option<&Value>, host: &mut dyn Host) -> Option<Value> {
    match zone {
        Some(Value::Str(name)) if name.eq_ignore_ascii_case("current") => {
            Some(Value::from(host.zone()))
        }
        other => other.cloned(),
    }
}

/// A bound of `Timestamp[…]` or `Timespan[…]`: a text, a number of seconds or a hash.
pub(crate) fn time_bound(value: &Value, stamp: bool) -> EvalResult<i128> {
    let made = match value {
        Value::Int(_) | Value::Float(_) => return Ok(seconds(value)),
        Value::Str(_) if stamp => parse_stamp(value, None, None)?,
        Value::Str(_) => parse_span(value, None)?,
        Value::Hash(_) => {
            let text = value.get("string");
            match (stamp, text) {
                (true, _) => {
                    let text = text.unwrap_or(&Value::Undef);
                    parse_stamp(text, value.get("format"), value.get("timezone"))?
                }
                (false, Some(text)) => parse_span(text, value.get("format"))?,
                (false, None) => named_fields(value),
            }
        }
        other => {
            let kind = if stamp { "Timestamp" } else { "Timespan" };
            return plain(format!(
                "Unable to create a Puppet::Pops::Time::{kind} from a {}",
                crate::types::label::class_name(other)
            ));
        }
    };
    match made {
        Value::Timestamp(ns) | Value::Timespan(ns) => Ok(*ns),
        other => plain(to_text(&other)),
    }
}
