//! The order of dpkg.

use std::cmp::Ordering;

/// Compares two Debian package versions `epoch:upstream-revision`, as dpkg does: a tilde comes
/// before everything, even the end; letters come before other characters; digits by value.
pub fn compare_deb(a: &str, b: &str) -> Ordering {
    let ((epoch_a, rest_a), (epoch_b, rest_b)) = (split_epoch(a), split_epoch(b));
    let (upstream_a, revision_a) = rest_a.rsplit_once('-').unwrap_or((rest_a, ""));
    let (upstream_b, revision_b) = rest_b.rsplit_once('-').unwrap_or((rest_b, ""));
    compare_digits(epoch_a, epoch_b)
        .then_with(|| compare_deb_part(upstream_a.as_bytes(), upstream_b.as_bytes()))
        .then_with(|| compare_deb_part(revision_a.as_bytes(), revision_b.as_bytes()))
}

fn split_epoch(version: &str) -> (&str, &str) {
    match version.split_once(':') {
        Some((epoch, rest)) if epoch.bytes().all(|b| b.is_ascii_digit()) => (epoch, rest),
        _ => ("0", version),
    }
}

/// Compares runs of digits by value, of any length.
fn compare_digits(a: &str, b: &str) -> Ordering {
    let (a, b) = (a.trim_start_matches('0'), b.trim_start_matches('0'));
    a.len().cmp(&b.len()).then_with(|| a.cmp(b))
}

/// The rank of a character other than a digit; the end of the text and digits have rank 0.
fn deb_rank(byte: Option<u8>) -> i32 {
    match byte {
        Some(b'~') => -1,
        None => 0,
        Some(b) if b.is_ascii_digit() => 0,
        Some(b) if b.is_ascii_alphabetic() => i32::from(b),
        Some(b) => i32::from(b) + 256,
    }
}

fn compare_deb_part(mut a: &[u8], mut b: &[u8]) -> Ordering {
    let is_text = |text: &[u8]| text.first().is_some_and(|b| !b.is_ascii_digit());
    while !a.is_empty() || !b.is_empty() {
        while is_text(a) || is_text(b) {
            let order = deb_rank(a.first().copied()).cmp(&deb_rank(b.first().copied()));
            if order != Ordering::Equal {
                return order;
            }
            a = a.get(1..).unwrap_or_default();
            b = b.get(1..).unwrap_or_default();
        }
        let (x, y) =
            (take_while(&mut a, u8::is_ascii_digit), take_while(&mut b, u8::is_ascii_digit));
        let order = compare_digit_bytes(x, y);
        if order != Ordering::Equal {
            return order;
        }
    }
    Ordering::Equal
}

/// Splits off the leading bytes that match.
pub(super) fn take_while<'a>(text: &mut &'a [u8], wanted: fn(&u8) -> bool) -> &'a [u8] {
    let end = text.iter().position(|b| !wanted(b)).unwrap_or(text.len());
    let (head, rest) = text.split_at(end);
    *text = rest;
    head
}

/// Compares runs of digits by value.
pub(super) fn compare_digit_bytes(a: &[u8], b: &[u8]) -> Ordering {
    let trimmed = |text: &[u8]| text.iter().position(|&b| b != b'0').unwrap_or(text.len());
    let (a, b) = (&a[trimmed(a)..], &b[trimmed(b)..]);
    a.len().cmp(&b.len()).then_with(|| a.cmp(b))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn debian_order() {
        for (a, b) in [
            ("1.0~rc1", "1.0"),
            ("1.0", "1.0-1"),
            ("1.0-1", "1.0-2"),
            ("1.9", "1.10"),
            ("2.0", "1:1.0"),
            ("1.0a", "1.0+b"),
            ("1.0~~", "1.0~"),
            ("1.0-1", "1.0-1+deb12u1"),
            ("1", "1.0.0"),
            ("99999999999999999999", "100000000000000000000"),
        ] {
            assert_eq!(compare_deb(a, b), Ordering::Less, "{a} {b}");
            assert_eq!(compare_deb(b, a), Ordering::Greater, "{b} {a}");
        }
        assert_eq!(compare_deb("0:1.00-0", "1.0"), Ordering::Equal);
    }
}
