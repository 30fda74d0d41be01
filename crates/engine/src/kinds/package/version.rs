//! Debian versions and ranges of them.

use std::cmp::Ordering;

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
            let order = compare(version, bound);
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

/// Compares two versions as dpkg does.
pub(super) fn compare(a: &str, b: &str) -> Ordering {
    let (a, b) = (split(a), split(b));
    compare_digits(a.0, b.0)
        .then_with(|| compare_part(a.1, b.1))
        .then_with(|| compare_part(a.2, b.2))
}

/// Epoch, upstream version, revision.
fn split(version: &str) -> (&str, &str, &str) {
    let (epoch, rest) = version.split_once(':').unwrap_or(("0", version));
    let (upstream, revision) = rest.rsplit_once('-').unwrap_or((rest, ""));
    (epoch, upstream, revision)
}

/// Alternately what is no digit, letter by letter, and numbers.
fn compare_part(mut a: &str, mut b: &str) -> Ordering {
    while !a.is_empty() || !b.is_empty() {
        let (text_a, rest_a) = take(a, |c| !c.is_ascii_digit());
        let (text_b, rest_b) = take(b, |c| !c.is_ascii_digit());
        let (digits_a, next_a) = take(rest_a, |c| c.is_ascii_digit());
        let (digits_b, next_b) = take(rest_b, |c| c.is_ascii_digit());
        let order = compare_text(text_a, text_b).then_with(|| compare_digits(digits_a, digits_b));
        if order != Ordering::Equal {
            return order;
        }
        (a, b) = (next_a, next_b);
    }
    Ordering::Equal
}

fn take(text: &str, wanted: impl Fn(char) -> bool) -> (&str, &str) {
    text.split_at(text.find(|c| !wanted(c)).unwrap_or(text.len()))
}

/// A tilde comes before the end, the end before letters, letters before the rest.
fn compare_text(a: &str, b: &str) -> Ordering {
    let weight = |c: Option<u8>| match c {
        Some(b'~') => -1,
        None => 0,
        Some(c) if c.is_ascii_alphabetic() => i32::from(c),
        Some(c) => i32::from(c) + 256,
    };
    let length = a.len().max(b.len());
    let at = |t: &str, i: usize| weight(t.as_bytes().get(i).copied());
    let orders = (0..length).map(|i| at(a, i).cmp(&at(b, i)));
    orders.into_iter().find(|o| *o != Ordering::Equal).unwrap_or(Ordering::Equal)
}

/// Numbers of any length.
fn compare_digits(a: &str, b: &str) -> Ordering {
    let (a, b) = (a.trim_start_matches('0'), b.trim_start_matches('0'));
    a.len().cmp(&b.len()).then_with(|| a.cmp(b))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn versions_compare_as_dpkg_does() {
        for (a, b) in [
            ("1.0~rc1", "1.0"),
            ("1.0", "1.0-1"),
            ("1.0-1", "1.0-1+b1"),
            ("1.9", "1.10"),
            ("2.0", "1:0.1"),
            ("1.0a", "1.0+"),
            ("1.0~~", "1.0~"),
            ("1", "1.0.0"),
            ("99999999999999999999", "100000000000000000000"),
        ] {
            assert_eq!(compare(a, b), Ordering::Less, "{a} {b}");
            assert_eq!(compare(b, a), Ordering::Greater, "{b} {a}");
        }
        assert_eq!(compare("0:1.0", "1.00"), Ordering::Equal);
    }

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
