//! Ranges of Debian versions.

use std::cmp::Ordering;

use ordain_functions::version::compare_deb;

/// A range such as `>1.0 <=2.3`, or one version.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Range {
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
    /// The range in a text; `None` if it is none.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let bounds: Option<Vec<_>> = text.split_whitespace().map(bound).collect();
        bounds.filter(|b| !b.is_empty() && b.len() <= 2).map(|bounds| Self { bounds })
    }

    /// Whether this is not just one version.
    pub(super) fn is_open(&self) -> bool {
        self.bounds.iter().any(|(o, _)| *o != Operator::Equal)
    }

    /// Whether a version is in the range.
    pub(super) fn contains(&self, version: &str) -> bool {
        self.bounds.iter().all(|(operator, bound)| {
            let order = compare_deb(version, bound);
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

fn bound(text: &str) -> Option<(Operator, String)> {
    let operators = [
        ("<=", Operator::LessOrEqual),
        (">=", Operator::GreaterOrEqual),
        ("<", Operator::Less),
        (">", Operator::Greater),
    ];
    let found = operators.iter().find_map(|(sign, o)| Some((*o, text.strip_prefix(sign)?)));
    let (operator, version) = found.unwrap_or((Operator::Equal, text));
    is_version(version).then(|| (operator, version.to_string()))
}

/// Whether a text can be a version.
fn is_version(text: &str) -> bool {
    let (epoch, rest) = text.split_once(':').unwrap_or(("0", text));
    let allowed = |c: char| c.is_ascii_alphanumeric() || ".+-~".contains(c);
    !epoch.is_empty()
        && epoch.bytes().all(|b| b.is_ascii_digit())
        && !rest.is_empty()
        && rest.chars().all(allowed)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn ranges() {
        let range = Range::parse(">=1.0 <2.0").unwrap();
        assert!(range.is_open() && range.contains("1.0") && range.contains("1.9-1"));
        assert!(!range.contains("2.0") && !range.contains("1.0~rc1"));
        assert!(!Range::parse("1.0").unwrap().is_open());
        assert_eq!(Range::parse("=> 1"), None);
        assert_eq!(Range::parse(""), None);
    }
}
