//! Orders of versions: Puppet's `versioncmp`, Semantic Versions with ranges, and the orders of
//! dpkg, rpm, Python's packages and Ruby's gems.

mod debian;
mod gem;
mod python;
mod range;
mod rpm;
mod semver;

use std::cmp::Ordering;

pub use debian::compare_deb;
pub use gem::compare_gem;
pub use python::{PythonVersion, compare_python};
pub use range::Range;
pub use rpm::{Evr, compare_rpm};
pub use semver::Version;

/// Compares two versions as Puppet's `versioncmp` does.
///
/// Both are cut into hyphens, dots, runs of digits and runs of anything else. A hyphen comes
/// before a dot and a dot before the rest; numbers compare by value unless one begins with zero,
/// other text without regard to case. When one version runs out, the whole texts decide.
///
/// With `ignore_trailing_zeroes`, trailing zeros and dots before the first hyphen are ignored.
///
/// ```
/// use std::cmp::Ordering;
/// use ordain_functions::version::compare_puppet;
/// assert_eq!(compare_puppet("1.10", "1.9", false), Ordering::Greater);
/// assert_eq!(compare_puppet("2.0-rc1", "2.0", false), Ordering::Greater);
/// ```
pub fn compare_puppet(a: &str, b: &str, ignore_trailing_zeroes: bool) -> Ordering {
    if ignore_trailing_zeroes {
        return compare_puppet(&without_zeroes(a), &without_zeroes(b), false);
    }
    let (mut left, mut right) = (Pieces(a), Pieces(b));
    while let (Some(x), Some(y)) = (left.next(), right.next()) {
        if x != y {
            return compare_pieces(x, y);
        }
    }
    a.cmp(b)
}

fn compare_pieces(x: &str, y: &str) -> Ordering {
    for separator in ["-", "."] {
        if x == separator {
            return Ordering::Less;
        }
        if y == separator {
            return Ordering::Greater;
        }
    }
    let are_numbers = [x, y].iter().all(|piece| piece.bytes().all(|b| b.is_ascii_digit()));
    if are_numbers && !x.starts_with('0') && !y.starts_with('0') {
        return x.len().cmp(&y.len()).then_with(|| x.cmp(y));
    }
    x.to_uppercase().cmp(&y.to_uppercase())
}

fn without_zeroes(version: &str) -> String {
    let trimmed = version.trim_end_matches('-');
    let (first, rest) = match trimmed.split_once('-') {
        Some((first, rest)) => (first, Some(rest)),
        None => (trimmed, None),
    };
    let first = first.trim_end_matches(['.', '0']);
    rest.map_or_else(|| first.to_string(), |rest| format!("{first}-{rest}"))
}

/// The pieces that `versioncmp` compares one by one.
struct Pieces<'a>(&'a str);

impl<'a> Iterator for Pieces<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        let first = self.0.chars().next()?;
        let class = |c: char| match c {
            '-' | '.' => 0,
            c if c.is_ascii_digit() => 1,
            _ => 2,
        };
        let end = match class(first) {
            0 => 1,
            wanted => self.0.find(|c| class(c) != wanted).unwrap_or(self.0.len()),
        };
        let (piece, rest) = self.0.split_at(end);
        self.0 = rest;
        Some(piece)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn puppet_order() {
        for (a, b, order) in [
            ("1.10", "1.9", Ordering::Greater),
            ("1.0", "1.0.0", Ordering::Less),
            ("2.0-rc1", "2.0", Ordering::Greater),
            ("1.a", "1.B", Ordering::Less),
            ("1.01", "1.1", Ordering::Less),
            ("1-1", "1.1", Ordering::Less),
            ("1a", "1A", Ordering::Equal),
        ] {
            assert_eq!(compare_puppet(a, b, false), order, "{a} {b}");
        }
        assert_eq!(compare_puppet("1.0.0-1", "1-1", true), Ordering::Equal);
    }
}
