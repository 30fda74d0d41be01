//! Points in time and durations as text: Ruby's `strftime` and `strptime`, and the formats that
//! Puppet has for durations.
//!
//! Both kinds are nanoseconds: since 1970-01-01 UTC, or in all.

mod civil;
mod span;
pub(crate) mod strftime;
mod strptime;
mod zone;

pub use civil::{Civil, NANOS_PER_SECOND};
pub use span::{SPAN_FORMATS, SpanFormat, format_span, parse_span, span_from_fields};
pub use strftime::{MONTHS, WEEKDAYS, format};
pub use strptime::{FORMATS, FORMATS_WITHOUT_ZONE, parse, parse_any};
pub use zone::{offset, offset_at, offset_text};

/// How a point in time is printed if no format is given.
pub const DEFAULT_FORMAT: &str = "%FT%T.%N %Z";
