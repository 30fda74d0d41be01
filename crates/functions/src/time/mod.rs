//! Points in time and durations as text: Ruby's `strftime` and `strptime`, and Puppet's formats for
//! durations.
//!
//! Both are in nanoseconds; times count from 1970-01-01 UTC.

mod civil;
mod span;
pub(crate) mod strftime;
mod strptime;
mod zone;

pub use civil::{Civil, NANOS_PER_SECOND};
pub use span::{SPAN_FORMATS, SpanFormat, format_span, parse_span, span_from_fields};
pub use strftime::{MONTHS, WEEKDAYS, format};
pub use strptime::{FORMATS, FORMATS_WITHOUT_ZONE, parse, parse_any};
pub use zone::{clock_offset, offset, offset_at, offset_text, timestamp};

/// Nanoseconds as seconds, divided like Ruby's integers in lowest terms, which preserves
/// `1577934245.678`.
pub fn seconds(nanoseconds: i128) -> f64 {
    let (mut a, mut b) = (nanoseconds.unsigned_abs(), NANOS_PER_SECOND.unsigned_abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    let divisor = i128::try_from(a).unwrap_or(1);
    (nanoseconds / divisor) as f64 / (NANOS_PER_SECOND / divisor) as f64
}

/// The default format of times.
pub const DEFAULT_FORMAT: &str = "%FT%T.%N %Z";
