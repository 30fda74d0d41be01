//! When an agent does something: random delays, and windows in which it changes nothing.

use std::time::Duration;

use jiff::civil::{DateTime, Time, Weekday};

use crate::error::AgentError;

/// A random duration below a bound, each as likely as the others. Agents that lost the same server
/// come back spread over the whole bound.
pub fn jitter(bound: Duration) -> Duration {
    bound.mul_f64(random_share())
}

/// A random number from 0 up to 1, which it never is.
fn random_share() -> f64 {
    let mut bytes = [0u8; 8];
    // Without random numbers all agents come back at once, which is no error.
    let _ = getrandom::fill(&mut bytes);
    (u64::from_le_bytes(bytes) >> 11) as f64 / (1u64 << 53) as f64
}

/// The delays after failures: the first one is drawn from a window, later ones from windows that
/// double up to a bound.
#[derive(Clone, Debug)]
pub struct Backoff {
    first: Duration,
    longest: Duration,
    failures: u32,
}

impl Backoff {
    /// Delays from these windows.
    pub fn new(first: Duration, longest: Duration) -> Self {
        Self { first, longest: longest.max(first), failures: 0 }
    }

    /// The window of the next delay.
    pub fn window(&self) -> Duration {
        let factor = 1u32 << self.failures.min(16);
        self.first.saturating_mul(factor).min(self.longest)
    }

    /// The next delay, after a failure. It is drawn from the whole window.
    pub fn next_delay(&mut self) -> Duration {
        self.delay_at(random_share())
    }

    /// As [`Backoff::next_delay`], with a random number from 0 up to 1 of the caller, such as a
    /// simulation.
    pub fn delay_at(&mut self, share: f64) -> Duration {
        let window = self.window();
        self.failures = self.failures.saturating_add(1);
        window.mul_f64(share)
    }

    /// Begins again after a success. Returns the delay until the next regular request: the interval, or
    /// after failures a random part of it. All agents that lost a server come back within one window,
    /// and would go on to ask in the same window of each interval.
    pub fn succeed(&mut self, interval: Duration) -> Duration {
        self.succeed_at(interval, random_share())
    }

    /// As [`Backoff::succeed`], with a random number from 0 up to 1 of the caller.
    pub fn succeed_at(&mut self, interval: Duration, share: f64) -> Duration {
        let failures = std::mem::take(&mut self.failures);
        if failures > 0 { interval.mul_f64(share) } else { interval }
    }
}

/// Windows of time in which an agent only observes.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Windows(Vec<Window>);

#[derive(Clone, PartialEq, Eq, Debug)]
struct Window {
    /// The days on which it begins; Monday is 0.
    days: [bool; 7],
    from: Time,
    to: Time,
}

impl Windows {
    /// Reads windows such as `22:00-05:00`, `sat,sun 00:00-24:00` or `mon-fri 08:00-18:00`. One that
    /// ends before it begins goes on to the next day.
    ///
    /// # Errors
    /// [`AgentError::Setting`].
    pub fn parse(texts: &[String]) -> Result<Self, AgentError> {
        texts.iter().map(|text| Window::parse(text)).collect::<Result<_, _>>().map(Self)
    }

    /// Whether a local time lies in one of the windows.
    pub fn contain(&self, now: DateTime) -> bool {
        self.0.iter().any(|window| window.contains(now))
    }

    /// Whether there is no window.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl Window {
    fn parse(text: &str) -> Result<Self, AgentError> {
        let wrong = || {
            let text =
                format!("`{text}` is no window, such as `22:00-05:00` or `sat,sun 00:00-24:00`");
            AgentError::Setting(text)
        };
        let (days, times) = match text.trim().rsplit_once(' ') {
            Some((days, times)) => (parse_days(days.trim()).ok_or_else(wrong)?, times),
            None => ([true; 7], text.trim()),
        };
        let (from, to) = times.split_once('-').ok_or_else(wrong)?;
        let from = parse_time(from).ok_or_else(wrong)?;
        let to = parse_time(to).ok_or_else(wrong)?;
        Ok(Self { days, from, to })
    }

    fn contains(&self, now: DateTime) -> bool {
        let today = now.weekday();
        let begins = |day: Weekday| self.days[day.to_monday_zero_offset() as usize & 7];
        let time = now.time();
        if self.from < self.to {
            return begins(today) && self.from <= time && time < self.to;
        }
        begins(today) && self.from <= time || begins(today.previous()) && time < self.to
    }
}

/// Days such as `mon-fri` or `sat,sun`.
fn parse_days(text: &str) -> Option<[bool; 7]> {
    const NAMES: [&str; 7] = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];
    let day = |name: &str| NAMES.iter().position(|known| known.eq_ignore_ascii_case(name.trim()));
    let mut days = [false; 7];
    for part in text.split(',') {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let (mut at, last) = (day(first)?, day(last)?);
        loop {
            days[at] = true;
            if at == last {
                break;
            }
            at = (at + 1) % 7;
        }
    }
    Some(days)
}

/// `HH:MM`; `24:00` is the end of the day.
fn parse_time(text: &str) -> Option<Time> {
    let (hour, minute) = text.trim().split_once(':')?;
    if (hour.len(), minute.len()) != (2, 2) {
        return None;
    }
    let (hour, minute): (i8, i8) = (hour.parse().ok()?, minute.parse().ok()?);
    if (hour, minute) == (24, 0) {
        return Some(Time::MIN);
    }
    Time::new(hour, minute, 0, 0).ok()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn windows_may_span_midnight_and_days() {
        let contains = |window: &str, time: &str| {
            Windows::parse(&[window.to_string()]).unwrap().contain(time.parse().unwrap())
        };
        // 2026-11-27 is a Friday.
        for (window, time, expected) in [
            ("22:00-05:00", "2026-11-27T22:00", true),
            ("22:00-05:00", "2026-11-27T04:59", true),
            ("22:00-05:00", "2026-11-27T05:00", false),
            ("mon-fri 08:00-18:00", "2026-11-27T17:59", true),
            ("mon-fri 08:00-18:00", "2026-11-28T12:00", false),
            ("fri 22:00-05:00", "2026-11-28T04:00", true),
            ("fri 22:00-05:00", "2026-11-27T04:00", false),
            ("sat,sun 00:00-24:00", "2026-11-29T23:59", true),
            ("sat,sun 00:00-24:00", "2026-11-30T00:00", false),
            ("sun-mon 10:00-11:00", "2026-11-30T10:30", true),
        ] {
            assert_eq!(contains(window, time), expected, "{window} {time}");
        }
        for wrong in ["", "22-05", "x 22:00-05:00", "22:00-25:00", "mon- 22:00-23:00", "2:00-3:00"]
        {
            assert!(Windows::parse(&[wrong.to_string()]).is_err(), "{wrong}");
        }
    }

    #[test]
    fn reconnects_are_spread_over_the_whole_window() {
        // The fullest of ten parts of the window has less than three times the mean.
        let window = Duration::from_secs(60);
        let mut parts = [0usize; 10];
        for _ in 0..10_000 {
            let delay = Backoff::new(window, window).next_delay();
            parts[(delay.as_secs_f64() / 6.0) as usize] += 1;
        }
        assert!(parts.iter().all(|n| (500..1_500).contains(n)), "{parts:?}");
        let mut backoff = Backoff::new(Duration::from_secs(10), window);
        let windows = (0..5).map(|_| {
            let window = backoff.window().as_secs();
            backoff.next_delay();
            window
        });
        assert_eq!(windows.collect::<Vec<_>>(), [10, 20, 40, 60, 60]);
        let interval = Duration::from_secs(1800);
        assert!(backoff.succeed(interval) < interval);
        assert_eq!(backoff.window().as_secs(), 10);
        assert_eq!(backoff.succeed(interval), interval);
    }

    /// The times at which agents ask after an outage that begins at 0 and lasts `outage` seconds: of the
    /// first request that is answered, and of all later ones within three intervals. Time is virtual.
    fn requests_after(outage: f64, interval: f64, agents: usize) -> (Vec<f64>, Vec<f64>) {
        let seconds = Duration::from_secs_f64;
        let (mut first, mut later) = (Vec::new(), Vec::new());
        for _ in 0..agents {
            let mut backoff = Backoff::new(seconds(60.0), seconds(interval));
            let mut now = 0.0;
            while now < outage || now == 0.0 {
                now += backoff.next_delay().as_secs_f64();
            }
            first.push(now - outage);
            while now < outage + 3.0 * interval {
                now += backoff.succeed(seconds(interval)).as_secs_f64();
                later.push(now - outage);
            }
        }
        (first, later)
    }

    /// The largest number of times within a part of a range, in relation to the mean.
    fn peak(times: &[f64], from: f64, to: f64) -> f64 {
        let mut parts = vec![0usize; 60];
        let inside = times.iter().filter(|time| (from..to).contains(*time));
        inside.for_each(|time| parts[((time - from) / (to - from) * 60.0) as usize] += 1);
        let mean = parts.iter().sum::<usize>() as f64 / 60.0;
        parts.iter().max().copied().unwrap_or_default() as f64 / mean
    }

    #[test]
    fn agents_stay_apart_after_outages_of_any_length() {
        let interval = 1800.0;
        for (outage, window) in [(1.0, 60.0), (600.0, 600.0), (86_400.0, interval)] {
            let (first, later) = requests_after(outage, interval, 20_000);
            let come_back = peak(&first, 0.0, window);
            let regular = peak(&later, interval, 2.0 * interval);
            assert!(come_back <= 3.0, "outage of {outage} s: {come_back}");
            assert!(regular <= 3.0, "after an outage of {outage} s: {regular}");
        }
    }
}
