//! Schedules: the times at which resources may be applied.
//!
//! The rules are those of Puppet's type `schedule` (its type reference): ranges of the day, days of
//! the week, and repetitions in a period.

use std::time::Duration;

use jiff::civil::{Time, Weekday};
use jiff::{Timestamp, Zoned};
use ordain_graph::Resource;

use crate::kind::AttributeError;
use crate::kind::params::Params;

/// The interval at which schedules are checked during a watch.
pub(crate) const POLL_INTERVAL: Duration = Duration::from_secs(60);

/// The times at which a resource may be applied.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Schedule {
    /// Times of day; a range that ends before it begins crosses midnight.
    ranges: Vec<(Time, Time)>,
    /// The days on which it applies; all if empty.
    weekdays: Vec<Weekday>,
    period: Option<Period>,
    /// Whether periods are calendar periods instead of distances.
    by_number: bool,
    /// The number of times in a period.
    repeat: i64,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Period {
    Hourly,
    Daily,
    Weekly,
    Monthly,
    Never,
}

const PERIODS: [(&str, Period); 5] = [
    ("hourly", Period::Hourly),
    ("daily", Period::Daily),
    ("weekly", Period::Weekly),
    ("monthly", Period::Monthly),
    ("never", Period::Never),
];

const DAYS: [(&str, Weekday); 7] = [
    ("sunday", Weekday::Sunday),
    ("monday", Weekday::Monday),
    ("tuesday", Weekday::Tuesday),
    ("wednesday", Weekday::Wednesday),
    ("thursday", Weekday::Thursday),
    ("friday", Weekday::Friday),
    ("saturday", Weekday::Saturday),
];

impl Schedule {
    /// One of those that are always there.
    pub fn built_in(name: &str) -> Option<Self> {
        if name == "puppet" {
            return Some(Self { period: Some(Period::Hourly), repeat: 2, ..Self::default() });
        }
        let (_, period) = PERIODS.iter().find(|(known, _)| *known == name)?;
        Some(Self { period: Some(*period), repeat: 1, ..Self::default() })
    }

    /// Parses the schedule of a resource.
    ///
    /// # Errors
    /// Every bad attribute.
    pub fn parse(resource: &Resource) -> Result<Self, Vec<AttributeError>> {
        let mut p = Params::new(resource);
        let mut schedule = Self { repeat: 1, ..Self::default() };
        for text in p.list("range").unwrap_or_default() {
            match range(&text) {
                Ok(range) => schedule.ranges.push(range),
                Err(message) => p.error("range", message),
            }
        }
        for text in p.list("weekday").unwrap_or_default() {
            match day(&text) {
                Some(day) => schedule.weekdays.push(day),
                None => p.error("weekday", format!("{text} is not a valid day of the week")),
            }
        }
        let period = p.choice("period");
        schedule.period = PERIODS.iter().find(|(n, _)| Some(*n) == period).map(|(_, p)| *p);
        schedule.by_number = p.choice("periodmatch") == Some("number");
        if let Some(repeat) = p.integer("repeat", "Repeat must be a number") {
            schedule.repeat = repeat;
            if repeat < 1 {
                p.error("repeat", "Repeat must be a number");
            } else if repeat != 1 && schedule.by_number {
                let message = "Repeat must be 1 unless periodmatch is 'distance', not 'number'";
                p.error("repeat", message);
            }
        }
        p.finish(schedule)
    }

    /// Whether a resource may be applied now, given the time of its last check.
    ///
    /// A time in the future means that the clock was or is wrong; it counts as unknown.
    pub fn allows(&self, now: &Zoned, before: Option<Timestamp>) -> bool {
        let before = before.filter(|before| *before <= now.timestamp());
        let in_range = if self.ranges.is_empty() {
            self.has_day(now.weekday())
        } else {
            self.ranges.iter().any(|range| self.is_within(now, *range))
        };
        in_range && self.period.is_none_or(|period| self.is_due(period, now, before))
    }

    fn has_day(&self, day: Weekday) -> bool {
        self.weekdays.is_empty() || self.weekdays.contains(&day)
    }

    /// For a range across midnight, the day on which it begins counts.
    fn is_within(&self, now: &Zoned, (start, end): (Time, Time)) -> bool {
        let time = now.time();
        if start < end {
            return (start..=end).contains(&time) && self.has_day(now.weekday());
        }
        time >= start && self.has_day(now.weekday())
            || time <= end && self.has_day(now.weekday().previous())
    }

    fn is_due(&self, period: Period, now: &Zoned, known: Option<Timestamp>) -> bool {
        let seconds = match period {
            Period::Never => return false,
            Period::Hourly => 3600,
            Period::Daily => 86_400,
            Period::Weekly => 604_800,
            Period::Monthly => 2_592_000,
        };
        let distance = known.map_or(i64::MAX, |before| {
            now.timestamp().as_second().saturating_sub(before.as_second())
        });
        let before = known.unwrap_or(Timestamp::UNIX_EPOCH).to_zoned(now.time_zone().clone());
        if !self.by_number {
            return distance >= seconds / self.repeat.max(1);
        }
        match period {
            Period::Hourly => now.hour() != before.hour(),
            Period::Daily => now.day() != before.day(),
            Period::Monthly => now.month() != before.month(),
            _ => {
                let day = |at: &Zoned| at.weekday().to_sunday_zero_offset();
                day(&before) > day(now) || distance > seconds
            }
        }
    }
}

fn range(text: &str) -> Result<(Time, Time), String> {
    let (start, end) =
        text.split_once('-').ok_or_else(|| format!("Invalid range value '{text}'"))?;
    Ok((time(start, text)?, time(end, text)?))
}

/// A time of day: hour, and optionally minute and second.
fn time(part: &str, whole: &str) -> Result<Time, String> {
    let invalid = || format!("Invalid range value '{whole}'");
    let mut numbers = [0i8; 3];
    let parts: Vec<&str> = part.trim().split(':').collect();
    if parts.len() > 3 {
        return Err(invalid());
    }
    for (number, part) in numbers.iter_mut().zip(parts) {
        if part.is_empty() || !part.bytes().all(|b| b.is_ascii_digit()) {
            return Err(invalid());
        }
        *number = part.parse().unwrap_or(i8::MAX);
    }
    let [hour, minute, second] = numbers;
    if hour > 23 {
        return Err(format!("Invalid hour '{hour}'"));
    }
    if minute > 59 {
        return Err(format!("Invalid minute '{minute}'"));
    }
    Time::new(hour, minute, second, 0).map_err(|_| invalid())
}

/// A day by number, where 0 is Sunday, or by name; three letters are enough.
fn day(text: &str) -> Option<Weekday> {
    if let Ok(number) = text.parse::<usize>() {
        return DAYS.get(number).map(|(_, day)| *day);
    }
    let lower = text.to_lowercase();
    let stem = lower.strip_suffix("day").unwrap_or(&lower);
    let is_one = |name: &str| {
        let long = name.strip_suffix("day").unwrap_or(name);
        stem == &name[..3]
            || stem == long
            || name == "tuesday" && stem == "tues"
            || name == "thursday" && stem == "thurs"
    };
    DAYS.iter().find(|(name, _)| is_one(name)).map(|(_, day)| *day)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use jiff::tz::TimeZone;

    use super::*;

    fn at(text: &str) -> Zoned {
        text.parse::<jiff::civil::DateTime>().unwrap().to_zoned(TimeZone::UTC).unwrap()
    }

    fn allows(schedule: &Schedule, now: &str, before: Option<&str>) -> bool {
        schedule.allows(&at(now), before.map(|before| at(before).timestamp()))
    }

    #[test]
    fn ranges_go_over_midnight_on_the_day_that_they_begin() {
        let night = Schedule {
            ranges: vec![range("22:00 - 4").unwrap()],
            weekdays: vec![day("Sat").unwrap()],
            repeat: 1,
            ..Schedule::default()
        };
        // 2026-11-21 is a Saturday.
        for (now, want) in [
            ("2026-11-21T21:59:59", false),
            ("2026-11-21T22:00:00", true),
            ("2026-11-22T03:59:00", true),
            ("2026-11-22T04:00:01", false),
            ("2026-11-22T23:00:00", false),
            ("2026-11-21T02:00:00", false),
        ] {
            assert_eq!(allows(&night, now, None), want, "{now}");
        }
    }

    #[test]
    fn periods_are_distances_or_numbers() {
        let hourly = Schedule::built_in("hourly").unwrap();
        assert!(allows(&hourly, "2026-11-21T10:00:00", None));
        assert!(!allows(&hourly, "2026-11-21T10:00:00", Some("2026-11-21T09:30:00")));
        assert!(allows(&hourly, "2026-11-21T10:30:00", Some("2026-11-21T09:30:00")));
        let twice = Schedule::built_in("puppet").unwrap();
        assert!(allows(&twice, "2026-11-21T10:00:00", Some("2026-11-21T09:30:00")));
        let numbered = Schedule { by_number: true, ..hourly };
        assert!(allows(&numbered, "2026-11-21T10:00:00", Some("2026-11-21T09:59:59")));
        assert!(!allows(&numbered, "2026-11-21T10:59:59", Some("2026-11-21T10:00:00")));
        let weekly = Schedule { period: Some(Period::Weekly), ..numbered };
        assert!(allows(&weekly, "2026-11-22T10:00:00", Some("2026-11-21T09:59:59")));
        assert!(!allows(&weekly, "2026-11-21T10:00:00", Some("2026-11-19T09:59:59")));
        assert!(!allows(&Schedule::built_in("never").unwrap(), "2026-11-21T10:00:00", None));
        assert_eq!(Schedule::built_in("yearly"), None);
    }

    #[test]
    fn a_time_in_the_future_is_not_known() {
        for name in ["hourly", "daily", "weekly", "monthly", "puppet"] {
            let schedule = Schedule::built_in(name).unwrap();
            for before in ["2100-01-01T00:00:00", "9999-12-30T00:00:00", "2026-11-21T10:00:01"] {
                assert!(allows(&schedule, "2026-11-21T10:00:00", Some(before)), "{name} {before}");
            }
            // Clocks that begin in 1970, or before it.
            for now in ["1970-01-01T00:00:00", "1969-12-31T23:59:59", "-009999-01-03T00:00:00"] {
                assert!(allows(&schedule, now, Some("2026-11-21T10:00:00")), "{name} {now}");
                assert!(allows(&schedule, now, None), "{name} {now}");
                assert!(!allows(&schedule, now, Some(now)), "{name} {now}");
            }
            assert!(allows(&schedule, "9999-12-30T00:00:00", Some("-009999-01-03T00:00:00")));
        }
    }

    #[test]
    fn bad_values_are_told() {
        assert_eq!(range("24 - 1"), Err("Invalid hour '24'".into()));
        assert_eq!(range("1:60 - 2"), Err("Invalid minute '60'".into()));
        assert!(range("1").is_err() && range("a - b").is_err() && range("1:2:3:4 - 5").is_err());
        for good in ["0", "sun", "Tues", "Tuesday", "thurs", "SATURDAY", "satur"] {
            assert!(day(good).is_some(), "{good}");
        }
        for bad in ["7", "su", "foo", "day", ""] {
            assert!(day(bad).is_none(), "{bad}");
        }
    }
}
