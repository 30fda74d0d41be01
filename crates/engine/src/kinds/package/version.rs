//! Orders and ranges of versions.

use std::cmp::Ordering;

use ordain_functions::version::{Evr, PythonVersion, compare_deb, compare_python, compare_rpm};

use crate::kinds::file::glob;

/// The order of versions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Order {
    Debian,
    Rpm,
    Python,
}

impl Order {
    /// Compares a version with a bound. Invalid versions precede valid ones. For rpm a version with
    /// a release is above the same without one, as in Puppet (`1.0-1` is in `>1.0`).
    pub(super) fn compare(self, a: &str, b: &str) -> Ordering {
        match self {
            Self::Debian => compare_deb(a, b),
            Self::Rpm => {
                let is_more_exact =
                    Evr::parse(a).release.is_some() && Evr::parse(b).release.is_none();
                compare_rpm(a, b).then(is_more_exact.cmp(&false))
            }
            Self::Python => compare_python(a, b).unwrap_or_else(|| {
                let is_version = |text| PythonVersion::parse(text).is_some();
                is_version(a).cmp(&is_version(b)).then_with(|| a.cmp(b))
            }),
        }
    }

    /// Whether a text can be a version.
    fn is_version(self, text: &str) -> bool {
        let (epoch, rest) = match self {
            Self::Python => return PythonVersion::parse(text).is_some(),
            Self::Debian | Self::Rpm => text.split_once(':').unwrap_or(("0", text)),
        };
        let signs = if self == Self::Rpm { ".+-~^_" } else { ".+-~" };
        let allowed = |c: char| c.is_ascii_alphanumeric() || signs.contains(c);
        !epoch.is_empty()
            && epoch.bytes().all(|b| b.is_ascii_digit())
            && !rest.is_empty()
            && rest.chars().all(allowed)
    }
}

/// A range such as `>1.0 <=2.3`, or one version.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Range {
    order: Order,
    bounds: Vec<(Operator, String)>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Operator {
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    Equal,
}

impl Range {
    /// Parses a range; `None` if the text is none.
    pub(super) fn parse(text: &str, order: Order) -> Option<Self> {
        let bounds: Option<Vec<_>> =
            text.split_whitespace().map(|text| bound(text, order)).collect();
        bounds.filter(|b| !b.is_empty()).map(|bounds| Self { order, bounds })
    }

    /// Whether this is not just one version.
    pub(super) fn is_open(&self) -> bool {
        self.bounds.iter().any(|(o, _)| *o != Operator::Equal)
    }

    /// Whether a version is in the range.
    pub(super) fn contains(&self, version: &str) -> bool {
        self.bounds.iter().all(|(operator, bound)| {
            let order = self.order.compare(version, bound);
            match operator {
                Operator::Less => order == Ordering::Less,
                Operator::LessOrEqual => order != Ordering::Greater,
                Operator::Greater => order == Ordering::Greater,
                Operator::GreaterOrEqual => order != Ordering::Less,
                Operator::Equal => order == Ordering::Equal,
            }
        })
    }
}

/// Whether a version matches a pattern such as `2.*`. The tools accept such patterns in place of a
/// version.
pub(super) fn fits_pattern(wanted: &str, version: &str) -> bool {
    wanted.contains(['*', '?', '[']) && glob::matches_any(wanted, version)
}

fn bound(text: &str, order: Order) -> Option<(Operator, String)> {
    let operators = [
        ("<=", Operator::LessOrEqual),
        (">=", Operator::GreaterOrEqual),
        ("<", Operator::Less),
        (">", Operator::Greater),
    ];
    let found = operators.iter().find_map(|(sign, o)| Some((*o, text.strip_prefix(sign)?)));
    let (operator, version) = found.unwrap_or((Operator::Equal, text));
    order.is_version(version).then(|| (operator, version.to_string()))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn ranges() {
        let range = Range::parse(">=1.0 <2.0", Order::Debian).unwrap();
        assert!(range.is_open() && range.contains("1.0") && range.contains("1.9-1"));
        assert!(!range.contains("2.0") && !range.contains("1.0~rc1"));
        assert!(!Range::parse("1.0", Order::Debian).unwrap().is_open());
        assert_eq!(Range::parse("=> 1", Order::Debian), None);
        assert_eq!(Range::parse("", Order::Debian), None);
        assert!(!Range::parse(">1 <3 <2", Order::Debian).unwrap().contains("2.5"));
        let range = Range::parse(">1.0 <2", Order::Rpm).unwrap();
        assert!(range.contains("1.5-3") && range.contains("1.0-1") && !range.contains("2-1"));
        assert!(!Range::parse("<=1.0", Order::Rpm).unwrap().contains("1.0-1"));
        assert!(Range::parse(">=1.0.0", Order::Python).unwrap().contains("1"));
        assert!(!Range::parse(">=1.0", Order::Python).unwrap().contains("1.0rc1"));
        assert_eq!(Range::parse(">=x", Order::Python), None);
    }
    #[test]
    fn patterns() {
        assert!(fits_pattern("2.*", "2.10-3") && fits_pattern("1:[12].?-1", "1:2.0-1"));
        assert!(!fits_pattern("2.*", "3.2.1") && !fits_pattern("2.10", "2.10"));
    }
}
