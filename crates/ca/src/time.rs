//! Times in certificates and in the inventory.

use std::sync::Arc;
use std::time::Duration;

use der::asn1::{GeneralizedTime, UtcTime};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use x509_cert::time::Time;

use crate::CaError;

/// Returns the current time. Tests use their own.
pub type Clock = Arc<dyn Fn() -> Timestamp + Send + Sync>;

/// The system clock.
#[must_use]
pub fn system_clock() -> Clock {
    Arc::new(Timestamp::now)
}

/// The first second of the year 2050, which a `UTCTime` cannot express.
const FIRST_GENERALIZED: i64 = 2_524_608_000;
/// The last second of the year 9999.
const LAST: i64 = 253_402_300_799;

/// Converts a time for a certificate. Times outside the years 1970 to 9999 become the nearest one
/// inside.
pub(crate) fn to_x509(time: Timestamp) -> Result<Time, CaError> {
    let seconds = time.as_second().clamp(0, LAST);
    let since_epoch = Duration::from_secs(seconds.unsigned_abs());
    let made = if seconds < FIRST_GENERALIZED {
        UtcTime::from_unix_duration(since_epoch).map(Time::UtcTime)
    } else {
        GeneralizedTime::from_unix_duration(since_epoch).map(Time::GeneralTime)
    };
    made.map_err(|_| CaError::Encoding("time"))
}

/// Converts a time of a certificate.
pub(crate) fn from_x509(time: Time) -> Timestamp {
    let seconds = i64::try_from(time.to_unix_duration().as_secs()).unwrap_or(LAST);
    Timestamp::from_second(seconds.min(LAST)).unwrap_or(Timestamp::MAX)
}

/// Formats a time as puppetserver does: `2026-11-26T10:00:00UTC`.
#[must_use]
pub fn format_time(time: Timestamp) -> String {
    time.to_zoned(TimeZone::UTC).strftime("%Y-%m-%dT%H:%M:%SUTC").to_string()
}

/// Parses the output of [`format_time`].
pub(crate) fn parse_time(text: &str) -> Option<Timestamp> {
    format!("{}Z", text.strip_suffix("UTC")?).parse().ok()
}

/// Adds seconds, which may be negative, to a time.
pub(crate) fn after(time: Timestamp, seconds: i64) -> Timestamp {
    let at = time.as_second().saturating_add(seconds);
    Timestamp::from_second(at).unwrap_or(if seconds < 0 { Timestamp::MIN } else { Timestamp::MAX })
}
