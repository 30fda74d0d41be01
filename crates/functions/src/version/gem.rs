//! The order of Ruby's gems.

use std::cmp::Ordering;

use super::debian::{compare_digit_bytes, take_while};

/// Compares two gem versions: numbers by value, text before numbers, and trailing zeros are
/// ignored. A hyphen begins a pre-release.
pub fn compare_gem(a: &str, b: &str) -> Ordering {
    let (a, b) = (a.replace('-', ".pre."), b.replace('-', ".pre."));
    let (a, b) = (segments(&a), segments(&b));
    let zero: &[u8] = b"0";
    for i in 0..a.len().max(b.len()) {
        let (x, y) = (a.get(i).copied().unwrap_or(zero), b.get(i).copied().unwrap_or(zero));
        let order = match (is_number(x), is_number(y)) {
            (true, true) => compare_digit_bytes(x, y),
            (false, false) => x.cmp(y),
            (x, y) => x.cmp(&y),
        };
        if order != Ordering::Equal {
            return order;
        }
    }
    Ordering::Equal
}

fn is_number(segment: &[u8]) -> bool {
    segment.first().is_some_and(u8::is_ascii_digit)
}

/// Runs of digits and runs of letters, without zeros at the end and before the first letters.
fn segments(version: &str) -> Vec<&[u8]> {
    let mut rest = version.as_bytes();
    let mut all = Vec::new();
    while !rest.is_empty() {
        for wanted in [u8::is_ascii_digit as fn(&u8) -> bool, u8::is_ascii_alphabetic] {
            let run = take_while(&mut rest, wanted);
            if !run.is_empty() {
                all.push(run);
            }
        }
        take_while(&mut rest, |b| !b.is_ascii_alphanumeric());
    }
    let first = all.iter().position(|s| !is_number(s)).unwrap_or(all.len());
    let text = all.split_off(first);
    let mut out = without_zeros(all);
    out.extend(without_zeros(text));
    out
}

fn without_zeros(mut segments: Vec<&[u8]>) -> Vec<&[u8]> {
    while segments.last().is_some_and(|s| s.iter().all(|b| *b == b'0')) {
        segments.pop();
    }
    segments
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gem_order() {
        for (a, b) in [
            ("1.0.a", "1.0"),
            ("1.0.a1", "1.0.a2"),
            ("1.0.a9", "1.0.a10"),
            ("1.0.a", "1.0.b"),
            ("1.9", "1.10"),
            ("1.0-1", "1.0"),
            ("1.8.2.b", "1.8.2"),
            ("5.0.0.rc1", "5.0"),
            ("1", "99999999999999999999"),
        ] {
            assert_eq!(compare_gem(a, b), Ordering::Less, "{a} {b}");
            assert_eq!(compare_gem(b, a), Ordering::Greater, "{b} {a}");
        }
        for (a, b) in [("1", "1.0.0"), ("1.0", "1.00"), ("1.0.a0", "1.a.0"), ("1-1", "1.pre.1")] {
            assert_eq!(compare_gem(a, b), Ordering::Equal, "{a} {b}");
        }
    }
}
