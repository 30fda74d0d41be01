//! Semantic Versions as Puppet has them.

use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

use crate::{Error, Result};

/// A version `major.minor.patch-prerelease+build`.
///
/// Two versions that differ only in their build are neither equal nor is one before the other:
/// [`Version::precedence`] calls them equal, `==` does not.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Version {
    /// The first number.
    pub major: u64,
    /// The second number.
    pub minor: u64,
    /// The third number.
    pub patch: u64,
    /// The identifiers between hyphen and plus, with their dots; an empty text counts as none.
    pub prerelease: Option<String>,
    /// The identifiers after the plus, with their dots.
    pub build: Option<String>,
}

impl Version {
    /// A version of three numbers.
    pub fn new(major: u64, minor: u64, patch: u64) -> Self {
        Version { major, minor, patch, prerelease: None, build: None }
    }

    /// Compares without regard to the build.
    pub fn precedence(&self, other: &Self) -> Ordering {
        self.numbers().cmp(&other.numbers()).then_with(|| {
            match (&self.prerelease, &other.prerelease) {
                (None, None) => Ordering::Equal,
                (None, Some(_)) => Ordering::Greater,
                (Some(_), None) => Ordering::Less,
                (Some(a), Some(b)) => compare_identifiers(a, b),
            }
        })
    }

    pub(super) fn numbers(&self) -> (u64, u64, u64) {
        (self.major, self.minor, self.patch)
    }
}

fn compare_identifiers(a: &str, b: &str) -> Ordering {
    let (mut left, mut right) = (a.split('.'), b.split('.'));
    loop {
        let (x, y) = match (left.next(), right.next()) {
            (None, None) => return Ordering::Equal,
            (None, Some(_)) => return Ordering::Less,
            (Some(_), None) => return Ordering::Greater,
            (Some(x), Some(y)) => (x, y),
        };
        let order = match (is_number(x), is_number(y)) {
            (true, true) => x.len().cmp(&y.len()).then_with(|| x.cmp(y)),
            (true, false) => Ordering::Less,
            (false, true) => Ordering::Greater,
            (false, false) => x.cmp(y),
        };
        if order != Ordering::Equal {
            return order;
        }
    }
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())
}

impl FromStr for Version {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let bad =
            || Error::Version(format!("Unable to parse '{text}' as a semantic version identifier"));
        let (rest, build) = match text.split_once('+') {
            Some((rest, build)) => (rest, Some(build)),
            None => (text, None),
        };
        let (numbers, prerelease) = match rest.split_once('-') {
            Some((numbers, prerelease)) => (numbers, Some(prerelease)),
            None => (rest, None),
        };
        let parts: Vec<u64> =
            numbers.split('.').map(number).collect::<Option<_>>().ok_or_else(bad)?;
        let &[major, minor, patch] = parts.as_slice() else { return Err(bad()) };
        if ![prerelease, build].into_iter().flatten().all(are_identifiers) {
            return Err(bad());
        }
        if prerelease.is_some_and(|text| text.split('.').any(has_leading_zero)) {
            return Err(Error::Version(
                "Numeric pre-release identifiers MUST NOT contain leading zeroes".into(),
            ));
        }
        Ok(Version {
            major,
            minor,
            patch,
            prerelease: prerelease.map(str::to_string),
            build: build.map(str::to_string),
        })
    }
}

fn has_leading_zero(identifier: &str) -> bool {
    is_number(identifier) && identifier.len() > 1 && identifier.starts_with('0')
}

/// A number without leading zeros.
pub(super) fn number(text: &str) -> Option<u64> {
    if !is_number(text) || has_leading_zero(text) {
        return None;
    }
    text.parse().ok()
}

pub(super) fn are_identifiers(text: &str) -> bool {
    text.split('.').all(|identifier| {
        !identifier.is_empty() && identifier.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-')
    })
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.major, self.minor, self.patch)?;
        if let Some(prerelease) = &self.prerelease {
            write!(f, "-{prerelease}")?;
        }
        if let Some(build) = &self.build {
            write!(f, "+{build}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn version(text: &str) -> Version {
        text.parse().unwrap()
    }

    #[test]
    fn reads_and_prints() {
        for text in ["1.0.0", "1.0.0-rc1", "1.0.0-a.b+c.d", "1.0.0+01"] {
            assert_eq!(version(text).to_string(), text);
        }
        for text in ["1.0", "01.0.0", "1.0.0-", "v1.0.0", "1.0.0-a..b", ""] {
            let message = text.parse::<Version>().unwrap_err().to_string();
            assert_eq!(
                message,
                format!("Unable to parse '{text}' as a semantic version identifier")
            );
        }
        assert!("1.0.0-01".parse::<Version>().unwrap_err().to_string().contains("leading zeroes"));
    }

    #[test]
    fn precedence_is_that_of_the_specification() {
        let ordered =
            ["1.0.0-1", "1.0.0-9", "1.0.0-10", "1.0.0-a", "1.0.0-a.1", "1.0.0-b", "1.0.0", "1.0.1"];
        for pair in ordered.windows(2) {
            assert_eq!(version(pair[0]).precedence(&version(pair[1])), Ordering::Less, "{pair:?}");
        }
        assert_eq!(version("1.0.0+a").precedence(&version("1.0.0+b")), Ordering::Equal);
        assert_ne!(version("1.0.0+a"), version("1.0.0+b"));
    }
}
