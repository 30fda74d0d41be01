//! The proleptic Gregorian calendar.

/// The nanoseconds of a second.
pub const NANOS_PER_SECOND: i128 = 1_000_000_000;
const SECONDS_PER_DAY: i64 = 86_400;
const DAYS_PER_ERA: i64 = 146_097;
/// From 0000-03-01 to 1970-01-01.
const DAYS_TO_EPOCH: i64 = 719_468;

/// A date and a time of day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Civil {
    /// The year; the one before year 1 is 0.
    pub year: i64,
    /// 1 to 12.
    pub month: i64,
    /// 1 to 31.
    pub day: i64,
    /// 0 to 23.
    pub hour: i64,
    /// 0 to 59.
    pub minute: i64,
    /// 0 to 59.
    pub second: i64,
    /// 0 to 999 999 999.
    pub nanosecond: i64,
    /// Days since 1970-01-01.
    pub days: i64,
}

impl Civil {
    /// The date and time of a number of nanoseconds since the epoch.
    pub fn from_nanos(nanos: i128) -> Self {
        let seconds = nanos.div_euclid(NANOS_PER_SECOND) as i64;
        let nanosecond = nanos.rem_euclid(NANOS_PER_SECOND) as i64;
        let days = seconds.div_euclid(SECONDS_PER_DAY);
        let of_day = seconds.rem_euclid(SECONDS_PER_DAY);
        let (year, month, day) = date_of(days);
        let (hour, minute, second) = (of_day / 3600, of_day / 60 % 60, of_day % 60);
        Civil { year, month, day, hour, minute, second, nanosecond, days }
    }

    /// The nanoseconds since the epoch at a date and time. Days, hours and other fields that are
    /// too large carry over to the next unit.
    pub fn to_nanos(year: i64, month: i64, day: i64, clock: [i64; 3], nanosecond: i64) -> i128 {
        let days = i128::from(days_of(year, month, day));
        let [hour, minute, second] = clock.map(i128::from);
        (days * i128::from(SECONDS_PER_DAY) + hour * 3600 + minute * 60 + second) * NANOS_PER_SECOND
            + i128::from(nanosecond)
    }

    /// The day of the week, Sunday being 0.
    pub fn weekday(&self) -> i64 {
        (self.days + 4).rem_euclid(7)
    }

    /// The day of the year from 1.
    pub fn day_of_year(&self) -> i64 {
        self.days - days_of(self.year, 1, 1) + 1
    }

    /// The week of the year from 0, if weeks begin on that day.
    pub fn week_beginning(&self, first_weekday: i64) -> i64 {
        let since_begin = (self.weekday() - first_weekday).rem_euclid(7);
        (self.day_of_year() - 1 - since_begin + 7) / 7
    }

    /// The year and week of ISO 8601.
    pub fn iso_week(&self) -> (i64, i64) {
        let thursday = self.days - (self.weekday() + 6).rem_euclid(7) + 3;
        let (year, ..) = date_of(thursday);
        (year, (thursday - days_of(year, 1, 1)) / 7 + 1)
    }
}

fn days_of(year: i64, month: i64, day: i64) -> i64 {
    let from_march = (month + 9) % 12;
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let of_era = year.rem_euclid(400);
    let of_year = (153 * from_march + 2) / 5 + day - 1;
    era * DAYS_PER_ERA + of_era * 365 + of_era / 4 - of_era / 100 + of_year - DAYS_TO_EPOCH
}

fn date_of(days: i64) -> (i64, i64, i64) {
    let shifted = days + DAYS_TO_EPOCH;
    let era = shifted.div_euclid(DAYS_PER_ERA);
    let of_era = shifted.rem_euclid(DAYS_PER_ERA);
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let from_march = (5 * of_year + 2) / 153;
    let day = of_year - (153 * from_march + 2) / 5 + 1;
    let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
    (era * 400 + year + i64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_and_days_agree() {
        for days in (-1_000_000..1_000_000).step_by(997) {
            let (year, month, day) = date_of(days);
            assert_eq!(days_of(year, month, day), days);
        }
        assert_eq!(date_of(0), (1970, 1, 1));
        assert_eq!(date_of(18_321), (2020, 2, 29));
    }

    #[test]
    fn weeks() {
        let date = Civil::from_nanos(Civil::to_nanos(2021, 1, 3, [0; 3], 0));
        assert_eq!((date.weekday(), date.iso_week()), (0, (2020, 53)));
        assert_eq!((date.week_beginning(0), date.week_beginning(1)), (1, 0));
    }
}
