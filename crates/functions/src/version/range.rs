//! Ranges of Semantic Versions, in the npm grammar that Puppet supports.

use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

use super::semver::{Version, are_identifiers, number};
use crate::{Error, Result};

/// A set of versions: a union of intervals.
///
/// ```
/// use ordain_functions::version::{Range, Version};
/// let range: Range = ">=1.2 <2 || 3.x".parse()?;
/// assert!(range.includes(&"1.9.0".parse()?));
/// assert_eq!(range.to_string(), ">=1.2.0 <2.0.0 || >=3.0.0 <4.0.0");
/// # Ok::<(), ordain_functions::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Range {
    intervals: Vec<Interval>,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Interval {
    low: Option<Bound>,
    high: Option<Bound>,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Bound {
    version: Version,
    inclusive: bool,
}

impl Range {
    /// The range of all versions.
    pub fn all() -> Self {
        Range { intervals: vec![Interval { low: None, high: None }] }
    }

    /// The range of no version.
    pub fn none() -> Self {
        Range { intervals: Vec::new() }
    }

    /// The versions from `low` to `high`, which may be excluded. Without `high`, all from `low`.
    pub fn between(low: Version, high: Option<Version>, exclude_high: bool) -> Self {
        let low = Some(Bound { version: low, inclusive: true });
        let high = high.map(|version| Bound { version, inclusive: !exclude_high });
        Range::of(Interval { low, high })
    }

    fn of(interval: Interval) -> Self {
        if interval.is_empty() { Range::none() } else { Range { intervals: vec![interval] } }
    }

    /// Whether the version is in the range. A pre-release is only included if a bound is a
    /// pre-release of the same three numbers, or if the range has no bound at all.
    pub fn includes(&self, version: &Version) -> bool {
        self.intervals.iter().any(|interval| interval.includes(version))
    }

    /// The versions that are in both.
    pub fn intersection(&self, other: &Self) -> Self {
        let mut out = Range::none();
        for a in &self.intervals {
            for b in &other.intervals {
                let both = a.intersection(b);
                if !both.is_empty() {
                    out.add(both);
                }
            }
        }
        out
    }

    /// The lowest version of a range that is one interval with a lower bound.
    pub fn low(&self) -> Option<&Version> {
        match self.intervals.as_slice() {
            [one] => one.low.as_ref().map(|bound| &bound.version),
            _ => None,
        }
    }

    /// The highest version of a range that is one interval with an upper bound, and whether the
    /// version itself belongs to it.
    pub fn high(&self) -> Option<(&Version, bool)> {
        match self.intervals.as_slice() {
            [one] => one.high.as_ref().map(|bound| (&bound.version, bound.inclusive)),
            _ => None,
        }
    }

    /// The union of both, if each is one interval and there is no gap between them. As in Puppet,
    /// it does not matter whether a lower bound itself is excluded, and the other's upper bound is
    /// included in the result if it lies above an excluded one.
    pub fn joined(&self, other: &Self) -> Option<Self> {
        let (a, b) = (self.only()?, other.only()?);
        let reaches = |first: &Interval, second: &Interval| match &second.low {
            Some(low) => first.includes(&low.version),
            None => first.low.is_none(),
        };
        let meets = |first: &Interval, second: &Interval| match (&first.high, &second.low) {
            (Some(high), Some(low)) => {
                !high.inclusive && high.version.precedence(&low.version).is_eq()
            }
            _ => false,
        };
        if !reaches(a, b) && !reaches(b, a) && !meets(a, b) && !meets(b, a) {
            return None;
        }
        let version = |bound: &Bound| Bound { version: bound.version.clone(), inclusive: true };
        let low = match (&a.low, &b.low) {
            (Some(x), Some(y)) if x.version.precedence(&y.version).is_gt() => Some(version(y)),
            (Some(x), Some(_)) => Some(version(x)),
            _ => None,
        };
        let high = match (&a.high, &b.high) {
            _ if upper(&a.high, &b.high).is_gt() => a.high.clone(),
            (Some(x), Some(y))
                if !x.inclusive && x.version.precedence(&y.version).is_lt() && !meets(a, b) =>
            {
                Some(version(y))
            }
            _ => b.high.clone(),
        };
        Some(Range { intervals: vec![Interval { low, high }] })
    }

    /// Whether every version of this range is in the other, judging by the bounds. It does not
    /// matter whether a lower bound itself is excluded.
    pub fn is_within(&self, other: &Self) -> bool {
        let within = |a: &Interval, b: &Interval| {
            let low = match (&a.low, &b.low) {
                (_, None) => true,
                (None, Some(_)) => false,
                (Some(a), Some(b)) => b.version.precedence(&a.version).is_le(),
            };
            low && upper(&a.high, &b.high).is_le()
        };
        self.intervals.iter().all(|a| other.intervals.iter().any(|b| within(a, b)))
    }

    fn only(&self) -> Option<&Interval> {
        if let [one] = self.intervals.as_slice() { Some(one) } else { None }
    }

    /// Adds an interval, merged with the previous one if they touch.
    fn add(&mut self, interval: Interval) {
        if let Some(last) = self.intervals.last_mut()
            && let Some(joined) = last.joined(&interval)
        {
            *last = joined;
            return;
        }
        self.intervals.push(interval);
    }
}

fn lower(a: &Option<Bound>, b: &Option<Bound>) -> Ordering {
    match (a, b) {
        (None, None) => Ordering::Equal,
        (None, _) => Ordering::Less,
        (_, None) => Ordering::Greater,
        (Some(a), Some(b)) => {
            a.version.precedence(&b.version).then_with(|| b.inclusive.cmp(&a.inclusive))
        }
    }
}

fn upper(a: &Option<Bound>, b: &Option<Bound>) -> Ordering {
    match (a, b) {
        (None, None) => Ordering::Equal,
        (None, _) => Ordering::Greater,
        (_, None) => Ordering::Less,
        (Some(a), Some(b)) => {
            a.version.precedence(&b.version).then_with(|| a.inclusive.cmp(&b.inclusive))
        }
    }
}

impl Interval {
    fn exactly(version: Version) -> Self {
        let bound = Some(Bound { version, inclusive: true });
        Interval { low: bound.clone(), high: bound }
    }

    fn from(version: Version, inclusive: bool) -> Self {
        Interval { low: Some(Bound { version, inclusive }), high: None }
    }

    fn up_to(version: Version, inclusive: bool) -> Self {
        Interval { low: None, high: Some(Bound { version, inclusive }) }
    }

    fn half_open(low: Version, high: Version) -> Self {
        Interval {
            low: Some(Bound { version: low, inclusive: true }),
            high: Some(Bound { version: high, inclusive: false }),
        }
    }

    fn nothing() -> Self {
        let bound = Some(Bound { version: Version::new(0, 0, 0), inclusive: false });
        Interval { low: bound.clone(), high: bound }
    }

    fn is_empty(&self) -> bool {
        let (Some(low), Some(high)) = (&self.low, &self.high) else {
            return false;
        };
        match low.version.precedence(&high.version) {
            Ordering::Less => false,
            Ordering::Equal => !(low.inclusive && high.inclusive),
            Ordering::Greater => true,
        }
    }

    fn is_single(&self) -> bool {
        self.low.is_some() && self.low == self.high
    }

    fn includes(&self, version: &Version) -> bool {
        if let (Some(low), true) = (&self.low, self.is_single()) {
            return low.version == *version;
        }
        let above = self.low.as_ref().is_none_or(|low| match low.version.precedence(version) {
            Ordering::Less => true,
            Ordering::Equal => low.inclusive,
            Ordering::Greater => false,
        });
        let below = self.high.as_ref().is_none_or(|high| match version.precedence(&high.version) {
            Ordering::Less => true,
            Ordering::Equal => high.inclusive,
            Ordering::Greater => false,
        });
        above && below && self.admits_prerelease(version)
    }

    fn admits_prerelease(&self, version: &Version) -> bool {
        let is_same = |bound: &Bound| {
            bound.version.prerelease.is_some() && bound.version.numbers() == version.numbers()
        };
        version.prerelease.is_none()
            || self.low.is_none() && self.high.is_none()
            || [&self.low, &self.high].into_iter().flatten().any(is_same)
    }

    fn intersection(&self, other: &Self) -> Self {
        let low =
            if lower(&self.low, &other.low) == Ordering::Less { &other.low } else { &self.low };
        let high = if upper(&self.high, &other.high) == Ordering::Greater {
            &other.high
        } else {
            &self.high
        };
        Interval { low: low.clone(), high: high.clone() }
    }

    /// One interval for both, if there is no gap between them.
    fn joined(&self, other: &Self) -> Option<Self> {
        let reaches = |first: &Self, second: &Self| match (&first.high, &second.low) {
            (Some(high), Some(low)) => match high.version.precedence(&low.version) {
                Ordering::Less => false,
                Ordering::Equal => high.inclusive || low.inclusive,
                Ordering::Greater => true,
            },
            _ => true,
        };
        if !reaches(self, other) || !reaches(other, self) {
            return None;
        }
        let low =
            if lower(&self.low, &other.low) == Ordering::Less { &self.low } else { &other.low };
        let high = if upper(&self.high, &other.high) == Ordering::Greater {
            &self.high
        } else {
            &other.high
        };
        Some(Interval { low: low.clone(), high: high.clone() })
    }
}

impl fmt::Display for Range {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.intervals.is_empty() {
            return f.write_str("<0.0.0");
        }
        for (index, interval) in self.intervals.iter().enumerate() {
            if index > 0 {
                f.write_str(" || ")?;
            }
            interval.fmt(f)?;
        }
        Ok(())
    }
}

impl fmt::Display for Interval {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let (Some(low), true) = (&self.low, self.is_single()) {
            return low.version.fmt(f);
        }
        if let Some(low) = &self.low {
            write!(f, "{}{}", if low.inclusive { ">=" } else { ">" }, low.version)?;
        }
        if let Some(high) = &self.high {
            let gap = if self.low.is_some() { " " } else { "" };
            write!(f, "{gap}{}{}", if high.inclusive { "<=" } else { "<" }, high.version)?;
        }
        if self.low.is_none() && self.high.is_none() {
            f.write_str("*")?;
        }
        Ok(())
    }
}

/// A version with omitted or wildcard numbers.
struct Partial {
    major: Option<u64>,
    minor: Option<u64>,
    patch: Option<u64>,
    prerelease: Option<String>,
    build: Option<String>,
}

impl Partial {
    fn parse(text: &str) -> Option<Self> {
        let (rest, build) = match text.split_once('+') {
            Some((rest, build)) => (rest, Some(build)),
            None => (text, None),
        };
        let (numbers, prerelease) = match rest.split_once('-') {
            Some((numbers, prerelease)) => (numbers, Some(prerelease)),
            None => (rest, None),
        };
        let mut parts = [None; 3];
        let mut count = 0;
        for part in numbers.split('.') {
            let slot = parts.get_mut(count)?;
            *slot = if matches!(part, "x" | "X" | "*") { None } else { Some(number(part)?) };
            count += 1;
        }
        let has_tail = prerelease.is_some() || build.is_some();
        if has_tail && count < 3 || ![prerelease, build].into_iter().flatten().all(are_identifiers)
        {
            return None;
        }
        let major = parts[0];
        let minor = major.and(parts[1]);
        let patch = minor.and(parts[2]);
        let tail = |text: Option<&str>| text.filter(|_| patch.is_some()).map(str::to_string);
        Some(Partial { major, minor, patch, prerelease: tail(prerelease), build: tail(build) })
    }

    /// The lowest version it stands for.
    fn floor(&self) -> Version {
        Version {
            major: self.major.unwrap_or(0),
            minor: self.minor.unwrap_or(0),
            patch: self.patch.unwrap_or(0),
            prerelease: self.prerelease.clone(),
            build: self.build.clone(),
        }
    }

    fn is_full(&self) -> bool {
        self.patch.is_some()
    }

    fn next_major(&self) -> Version {
        Version::new(self.major.unwrap_or(0).saturating_add(1), 0, 0)
    }

    fn next_minor(&self) -> Version {
        Version::new(self.major.unwrap_or(0), self.minor.unwrap_or(0).saturating_add(1), 0)
    }

    /// The lowest version above all that it represents.
    fn ceiling(&self) -> Version {
        if self.minor.is_some() { self.next_minor() } else { self.next_major() }
    }
}

/// The interval of an operator and a partial version.
fn interval(operator: &str, partial: &Partial) -> Interval {
    let all = Interval { low: None, high: None };
    let Some(major) = partial.major else {
        return match operator {
            ">" => Interval::nothing(),
            "<" => Interval::up_to(Version::new(0, 0, 0), false),
            ">=" => Interval::from(Version::new(0, 0, 0), true),
            _ => all,
        };
    };
    match operator {
        ">" if partial.is_full() => Interval::from(partial.floor(), false),
        ">" => Interval::from(partial.ceiling(), true),
        ">=" => Interval::from(partial.floor(), true),
        "<" => Interval::up_to(partial.floor(), false),
        "<=" if partial.is_full() => Interval::up_to(partial.floor(), true),
        "<=" => Interval::up_to(partial.ceiling(), false),
        "~" | "~>" => Interval::half_open(partial.floor(), partial.ceiling()),
        "^" if major == 0 => Interval::half_open(partial.floor(), partial.ceiling()),
        "^" => Interval::half_open(partial.floor(), partial.next_major()),
        _ if partial.is_full() => Interval::exactly(partial.floor()),
        _ => Interval::half_open(partial.floor(), partial.ceiling()),
    }
}

/// Reads an alternative between `||`.
fn conjunction(text: &str) -> Option<Interval> {
    let words: Vec<&str> = text.split_ascii_whitespace().collect();
    if let [low, "-", high] = words.as_slice() {
        let (low, high) = (Partial::parse(low)?, Partial::parse(high)?);
        if high.major.is_none() {
            return Some(Interval::nothing());
        }
        return Some(Interval {
            low: Some(Bound { version: low.floor(), inclusive: true }),
            high: Some(Bound { version: high.floor(), inclusive: true }),
        });
    }
    let mut out = Interval { low: None, high: None };
    let mut words = words.into_iter();
    while let Some(word) = words.next() {
        let operator = ["<=", ">=", "~>", "<", ">", "~", "^", "="]
            .into_iter()
            .find(|operator| word.starts_with(operator))
            .unwrap_or("");
        let mut version = &word[operator.len()..];
        if version.is_empty() {
            version = words.next()?;
        }
        if !operator.is_empty() {
            version = version.strip_prefix('v').unwrap_or(version);
        }
        out = out.intersection(&interval(operator, &Partial::parse(version)?));
    }
    Some(out)
}

impl FromStr for Range {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let mut out = Range::none();
        for part in text.split("||") {
            let interval = conjunction(part).ok_or_else(|| {
                let quoted = crate::text::inspect_ruby(text);
                Error::Version(format!("Unparsable version range: {quoted}"))
            })?;
            if !interval.is_empty() {
                out.add(interval);
            }
        }
        Ok(out)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn range(text: &str) -> Range {
        text.parse().unwrap()
    }

    #[test]
    fn every_notation_becomes_intervals() {
        for (text, canonical) in [
            (">=1.2 <2", ">=1.2.0 <2.0.0"),
            ("~1.2", ">=1.2.0 <1.3.0"),
            ("1.x", ">=1.0.0 <2.0.0"),
            ("1.2 - 2.0", ">=1.2.0 <=2.0.0"),
            ("", "*"),
            (">1", ">=2.0.0"),
            ("<=1.2", "<1.3.0"),
            ("^0.2", ">=0.2.0 <0.3.0"),
            ("^1.2.3-beta", ">=1.2.3-beta <2.0.0"),
            ("=1.2.3", "1.2.3"),
            (">2 <1", "<0.0.0"),
            (">= 1.2", ">=1.2.0"),
            ("1 || 2", ">=1.0.0 <3.0.0"),
            ("1.2.3||>2", "1.2.3 || >=3.0.0"),
        ] {
            assert_eq!(range(text).to_string(), canonical, "{text}");
        }
        assert_eq!(
            "foo".parse::<Range>().unwrap_err().to_string(),
            "Unparsable version range: \"foo\""
        );
    }

    #[test]
    fn prereleases_need_a_bound_of_the_same_version() {
        for (text, version, is_in) in [
            (">=1.0.0", "2.0.0-rc1", false),
            (">=1.0.0-a", "1.0.0-b", true),
            (">1.0.0-a", "1.0.1-b", false),
            ("<2.0.0-b", "2.0.0-a", true),
            ("*", "1.0.0-a", true),
            ("1.x", "1.5.0", true),
            ("=1.0.0", "1.0.0+b", false),
        ] {
            assert_eq!(range(text).includes(&version.parse().unwrap()), is_in, "{text} {version}");
        }
    }

    #[test]
    fn unions() {
        for (a, b, both) in [
            ("1.x", "2.x", Some(">=1.0.0 <3.0.0")),
            ("2.x", "1.x", Some(">=1.0.0 <3.0.0")),
            ("1.x", "3.x", None),
            (">=1.0.0", "2.x", Some(">=1.0.0")),
            ("1.0.0 - 2.0.0", "2.0.1 - 3.0.0", None),
            (">1.0.0 <=2.0.0", "2.0.0", Some(">=1.0.0 <=2.0.0")),
            ("<2.0.0", "<1.0.0", Some("<2.0.0")),
            ("1.2.x", "1.x", Some(">=1.0.0 <=2.0.0")),
            ("*", "1.x", Some("*")),
            ("1.x || 3.x", "2.x", None),
        ] {
            let joined = range(a).joined(&range(b)).map(|range| range.to_string());
            assert_eq!(joined.as_deref(), both, "{a} {b}");
        }
        assert!(range("1.x").is_within(&range(">=1.0.0 <3.0.0")));
        assert!(!range(">=1.0.0").is_within(&range("1.x")));
        assert!(!range("<=2.0.0").is_within(&range("<2.0.0")));
    }

    #[test]
    fn intersections() {
        for (a, b, both) in [
            (">=1", "<2", ">=1.0.0 <2.0.0"),
            ("1.x", "2.x", "<0.0.0"),
            ("1||3", ">=1.0.5", ">=1.0.5 <2.0.0 || >=3.0.0 <4.0.0"),
            ("1.0.0", ">=1", "1.0.0"),
            ("*", "*", "*"),
        ] {
            assert_eq!(range(a).intersection(&range(b)).to_string(), both, "{a} {b}");
        }
    }
}
