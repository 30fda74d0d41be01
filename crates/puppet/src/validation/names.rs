//! The rules for names, and the comparison of qualified names.

use ecow::EcoString;
use ordain_source::{TextRange, suggest};

use crate::syntax::Program;

/// A name without its leading `::`. Most names have none, which the first letter shows quickly.
pub fn bare(name: &str) -> &str {
    if name.starts_with(':') { name.trim_start_matches("::") } else { name }
}

/// Splits a name at its last `::`. Most names have no colon at all.
pub fn split_name(name: &str) -> Option<(&str, &str)> {
    if name.contains(':') { name.rsplit_once("::") } else { None }
}

/// Whether this is a decimal number without leading zeros: the name of a match variable.
pub fn is_number(name: &str) -> bool {
    name == "0" || !name.starts_with('0') && !name.is_empty() && is_digits(name)
}

fn is_digits(text: &str) -> bool {
    text.bytes().all(|b| b.is_ascii_digit())
}

/// Whether a parameter's name clashes with match variables.
pub(super) fn is_numeric_parameter(name: &str) -> bool {
    let digits = name.strip_prefix("0x").unwrap_or(name);
    !digits.is_empty() && is_digits(digits)
}

fn is_segment(segment: &str, first: impl Fn(u8) -> bool) -> bool {
    let mut bytes = segment.bytes();
    bytes.next().is_some_and(first) && bytes.all(|b| b.is_ascii_alphanumeric() || b == b'_')
}

fn lower(b: u8) -> bool {
    b.is_ascii_lowercase()
}

fn lower_or_underscore(b: u8) -> bool {
    b.is_ascii_lowercase() || b == b'_'
}

/// `x`, `a::b`, `::a::_b`: only the last part may begin with an underscore.
pub(super) fn is_variable(name: &str) -> bool {
    if is_segment(name, lower_or_underscore) {
        return true;
    }
    let name = name.strip_prefix("::").unwrap_or(name);
    let (space, last) = split_name(name).unwrap_or(("", name));
    let space_good = space.is_empty() && !name.starts_with("::")
        || !space.is_empty() && space.split("::").all(|s| is_segment(s, lower));
    space_good && is_segment(last, lower_or_underscore)
}

/// The name of a parameter.
pub(super) fn is_parameter(name: &str) -> bool {
    is_segment(name, lower_or_underscore)
}

/// The name of a class, define or function.
pub(super) fn is_definition(name: &str) -> bool {
    name.split("::").all(|s| is_segment(s, lower))
}

/// The name of a type alias.
pub(super) fn is_alias(name: &str) -> bool {
    name.split("::").all(|s| is_segment(s, |b| b.is_ascii_uppercase()))
}

/// Whether a host name only has letters, digits, `_`, `-` and `.`.
pub(super) fn is_hostname(name: &str) -> bool {
    name.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.'))
}

/// A name as it is kept: in lower case without a leading `::`.
pub fn plain(name: &str) -> EcoString {
    let name = bare(name);
    match name.bytes().any(|b| b.is_ascii_uppercase() || !b.is_ascii()) {
        true => name.to_lowercase().into(),
        false => name.into(),
    }
}

/// The place of the parent's name in a class at a range.
pub fn parent_range(program: &Program, class: TextRange, parent: &str) -> Option<TextRange> {
    let text = program.text(class);
    text.match_indices("inherits").find_map(|(at, word)| {
        let rest = &text[at + word.len()..];
        let blanks = rest.len() - rest.trim_start().len();
        let name = &rest[blanks..];
        let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | ':');
        let end = name.find(|c| !is_name(c)).unwrap_or(name.len());
        let start = class.start + (at + word.len() + blanks) as u32;
        let range = TextRange::new(start, start + end as u32);
        (blanks > 0 && plain(&name[..end]) == plain(parent)).then_some(range)
    })
}

/// Whether a name differs from another by so little that it is mistyped and not another word.
pub fn is_misspelling(name: &str, near: &str) -> bool {
    let same = name.chars().zip(near.chars()).take_while(|(a, b)| a == b).count();
    let end = name.chars().rev().zip(near.chars().rev()).take_while(|(a, b)| a == b).count();
    let longest = name.chars().count().max(near.chars().count());
    longest >= 5 && same > 0 && same + end + 2 >= longest && name.len().abs_diff(near.len()) <= 1
}

/// Whether a name is a slip of another one, even if it may be a name that is not known here. Short
/// names may differ by one letter, longer ones also by letters that are left out at the end.
pub fn is_slip(name: &str, near: &str) -> bool {
    let longest = name.chars().count().max(near.chars().count());
    let shorter = name.len() >= 5 && near.len() <= name.len() + 2 && near.starts_with(name);
    let is_short = longest <= 5 && name.chars().next() == near.chars().next();
    // The nearest of short names has one letter that differs.
    shorter || is_misspelling(name, near) || is_short && suggest::nearest(name, [near]).is_some()
}

/// The nearest of some names, however they are ordered. Of names with several parts one may differ,
/// by a slip; of others no more than a slip does.
pub fn nearest<'a>(name: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    if split_name(name).is_none() {
        return suggest::nearest(name, names);
    }
    let parts: Vec<&str> = name.split("::").collect();
    let near = |other: &&str| {
        if !differ_in_one_part(name, other) {
            return false;
        }
        let others: Vec<&str> = other.split("::").collect();
        if others.len() != parts.len() {
            return false;
        }
        let mut differing = parts.iter().zip(&others).filter(|(a, b)| a != b);
        let (first, second) = (differing.next(), differing.next());
        let is_near = |a: &str, b: &str| {
            let short = a.len().max(b.len()) <= 6;
            (short || is_misspelling(a, b)) && suggest::nearest(a, [b]).is_some()
        };
        second.is_none() && first.is_some_and(|(a, b)| is_near(a, b))
    };
    // Among similar names those of the same namespace come first.
    let all: Vec<&str> = names.into_iter().filter(near).collect();
    let space = split_name(name).map(|(space, _)| space);
    let beside = all.iter().copied().filter(|other| split_name(other).map(|(s, _)| s) == space);
    suggest::nearest(name, beside).or_else(|| suggest::nearest(name, all.iter().copied()))
}

/// Whether names can differ in one part only, and by at most two characters in length. This quickly
/// excludes most names of a large repository.
fn differ_in_one_part(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    if a.len().abs_diff(b.len()) > 2 {
        return false;
    }
    let start = a.iter().zip(b).take_while(|(x, y)| x == y).count();
    let rest = a.len().min(b.len()) - start;
    let ends = a.iter().rev().zip(b.iter().rev()).take(rest);
    let end = ends.take_while(|(x, y)| x == y).count();
    let within = |name: &[u8]| !name[start..name.len() - end].contains(&b':');
    within(a) && within(b)
}

/// Names of types that no definition may have.
pub(super) const RESERVED_TYPES: [&str; 28] = [
    "type",
    "any",
    "unit",
    "scalar",
    "boolean",
    "numeric",
    "integer",
    "float",
    "collection",
    "array",
    "hash",
    "tuple",
    "struct",
    "variant",
    "optional",
    "enum",
    "regexp",
    "pattern",
    "runtime",
    "init",
    "object",
    "sensitive",
    "semver",
    "semverrange",
    "string",
    "timestamp",
    "timespan",
    "typeset",
];
