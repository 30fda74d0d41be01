//! The rules for names.

/// A name without `::` before it. Most names have none, which is quicker to see by the first letter.
pub(crate) fn bare(name: &str) -> &str {
    if name.starts_with(':') { name.trim_start_matches("::") } else { name }
}

/// What is before the last `::` of a name, and what is after it. Most names have no colon at all.
pub(crate) fn parted(name: &str) -> Option<(&str, &str)> {
    if name.contains(':') { name.rsplit_once("::") } else { None }
}

/// Whether this is a decimal number without leading zeros: the name of a match variable.
pub(super) fn is_number(name: &str) -> bool {
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
    let (space, last) = parted(name).unwrap_or(("", name));
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

/// Whether a host name holds nothing but letters, digits, `_`, `-` and `.`.
pub(super) fn is_hostname(name: &str) -> bool {
    name.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.'))
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
