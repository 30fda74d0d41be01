//! Types of versions, whose ranges are put together where they touch.

use ecow::{EcoString, eco_format};
use ordain_functions::version::{Range, Version};

use crate::error::{EvalResult, plain};
use crate::types::Type;
use crate::value::{SemVerRange, Value};

/// `SemVer[ranges]`: texts, or ranges.
///
/// # Errors
/// When a text is no range.
pub(crate) fn of_ranges(keys: &[Value]) -> EvalResult<Type> {
    let mut ranges = Vec::with_capacity(keys.len());
    for key in keys {
        ranges.push(match key {
            Value::SemVerRange(range) => SemVerRange::clone(range),
            key => {
                let text = key.as_str().unwrap_or_default();
                match text.parse::<Range>() {
                    Ok(range) => {
                        let text = if text.is_empty() { "*" } else { text };
                        SemVerRange { text: text.into(), range }
                    }
                    Err(error) => return plain(error.to_string()),
                }
            }
        });
    }
    Ok(Type::SemVer(merged_ranges(ranges).into()))
}

/// Merges ranges that overlap or touch: the last one absorbs those before it, then the last of the
/// remaining ones.
fn merged_ranges(mut ranges: Vec<SemVerRange>) -> Vec<SemVerRange> {
    let mut merged = Vec::with_capacity(ranges.len());
    while let Some(mut last) = ranges.pop() {
        ranges.retain(|range| match last.range.joined(&range.range) {
            Some(joined) => {
                last = SemVerRange { text: text_of_joined(&joined), range: joined };
                false
            }
            None => true,
        });
        merged.push(last);
    }
    merged.reverse();
    merged
}

fn text_of_joined(range: &Range) -> EcoString {
    let (high, included) = range.high().map_or((None, true), |(high, is)| (Some(high), is));
    text_between(range.low(), high, !included)
}

/// The text of a range between two versions. As upstream, the upper one comes first.
pub(crate) fn text_between(
    low: Option<&Version>,
    high: Option<&Version>,
    exclude_high: bool,
) -> EcoString {
    let low = low.map_or("0.0.0-".into(), ToString::to_string);
    let high = high.map_or("Infinity.0.0".into(), ToString::to_string);
    match exclude_high {
        true => eco_format!(">={high} <{low}"),
        false => eco_format!("{high} - {low}"),
    }
}
