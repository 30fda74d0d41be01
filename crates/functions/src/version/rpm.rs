//! The order of rpm.

use std::cmp::Ordering;

use super::debian::{compare_digit_bytes, take_while};

/// The parts of an rpm version: `epoch:version-release`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Evr<'a> {
    /// The number before the colon, if there is one.
    pub epoch: Option<&'a str>,
    /// The part between colon and hyphen.
    pub version: &'a str,
    /// The part after the hyphen, if there is one.
    pub release: Option<&'a str>,
}

impl<'a> Evr<'a> {
    /// The parts of a text.
    pub fn parse(text: &'a str) -> Self {
        let (epoch, rest) = match text.split_once(':') {
            Some((epoch, rest)) if epoch.bytes().all(|b| b.is_ascii_digit()) => (epoch, rest),
            _ => ("", text),
        };
        let (version, release) = match rest.rsplit_once('-') {
            Some((version, release)) => (version, Some(release)),
            None => (rest, None),
        };
        Self { epoch: (!epoch.is_empty()).then_some(epoch), version, release }
    }
}

/// Compares two package versions `epoch:version-release` like rpm; a missing epoch is 0. If one of
/// them has no release, releases are ignored.
pub fn compare_rpm(a: &str, b: &str) -> Ordering {
    let (a, b) = (Evr::parse(a), Evr::parse(b));
    let number = |epoch: Option<&str>| epoch.unwrap_or("0").to_string();
    compare_part(&number(a.epoch), &number(b.epoch))
        .then_with(|| compare_part(a.version, b.version))
        .then_with(|| match (a.release, b.release) {
            (Some(a), Some(b)) => compare_part(a, b),
            _ => Ordering::Equal,
        })
}

/// Compares versions or releases: runs of digits by value, runs of letters as text, digits after
/// letters. A tilde sorts before the end of the text, a caret after it and before anything else;
/// other characters only separate.
fn compare_part(a: &str, b: &str) -> Ordering {
    let (mut a, mut b) = (a.as_bytes(), b.as_bytes());
    loop {
        for text in [&mut a, &mut b] {
            take_while(text, |c| !c.is_ascii_alphanumeric() && *c != b'~' && *c != b'^');
        }
        let (x, y) = (a.first().copied(), b.first().copied());
        match (x, y) {
            (None, None) => return Ordering::Equal,
            (Some(b'~'), Some(b'~')) | (Some(b'^'), Some(b'^')) => {
                (a, b) = (&a[1..], &b[1..]);
                continue;
            }
            (Some(b'~'), _) => return Ordering::Less,
            (_, Some(b'~')) => return Ordering::Greater,
            (Some(_), None) => return Ordering::Greater,
            (None, Some(_)) => return Ordering::Less,
            (Some(b'^'), Some(_)) => return Ordering::Less,
            (Some(_), Some(b'^')) => return Ordering::Greater,
            (Some(x), Some(y)) if x.is_ascii_digit() != y.is_ascii_digit() => {
                return x.is_ascii_digit().cmp(&y.is_ascii_digit());
            }
            _ => {}
        }
        let order = if x.is_some_and(|c| c.is_ascii_digit()) {
            let digits = u8::is_ascii_digit;
            compare_digit_bytes(take_while(&mut a, digits), take_while(&mut b, digits))
        } else {
            let letters = u8::is_ascii_alphabetic;
            take_while(&mut a, letters).cmp(take_while(&mut b, letters))
        };
        if order != Ordering::Equal {
            return order;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rpm_order() {
        for (a, b) in [
            ("1.0", "2.0"),
            ("1.9", "1.10"),
            ("1.0a", "1.0.1"),
            ("1.0", "1.0a"),
            ("1.0~rc1", "1.0"),
            ("1.0~rc1", "1.0~rc2"),
            ("1.0", "1.0^git1"),
            ("1.0^git1", "1.0.1"),
            ("1.0^", "1.0^git1"),
            ("1.0^git1~pre", "1.0^git1"),
            ("1.0~rc1", "1.0~rc1^git1"),
            ("2.0-1", "1:1.0-1"),
            ("1.0-1", "1.0-2.el9"),
            ("fc4", "4"),
            ("99999999999999999999", "100000000000000000000"),
        ] {
            assert_eq!(compare_rpm(a, b), Ordering::Less, "{a} {b}");
            assert_eq!(compare_rpm(b, a), Ordering::Greater, "{b} {a}");
        }
        for (a, b) in [("1.0", "1_0"), ("1.0", "1.00"), ("0:1.0-1", "1.0-1"), ("1.0", "1.0-5")] {
            assert_eq!(compare_rpm(a, b), Ordering::Equal, "{a} {b}");
        }
    }
}
