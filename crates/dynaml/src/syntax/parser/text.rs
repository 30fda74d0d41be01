//! Texts inside expressions: addresses, tags, escapes.

use ecow::EcoString;

use super::is_name;

/// The length of an IPv4 address at the start of a text.
pub(super) fn address_length(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut at = 0;
    for part in 0..4 {
        let start = at;
        while bytes.get(at).is_some_and(u8::is_ascii_digit) {
            at += 1;
        }
        if at == start {
            return None;
        }
        if part < 3 {
            if bytes.get(at) != Some(&b'.') {
                return None;
            }
            at += 1;
        }
    }
    Some(at)
}

/// A tag before `::`, and the length of both.
pub(super) fn tag_prefix(text: &str) -> Option<(EcoString, usize)> {
    // Not the whole of a long text is searched for every reference in it.
    let run = text.find(|c| !is_name(c) && !matches!(c, '.' | ':' | '-')).unwrap_or(text.len());
    let end = text[..run].find("::")?;
    let tag = &text[..end];
    let component = |c: &str| {
        c.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') && c.chars().all(is_name)
    };
    let document = tag.strip_prefix("doc.").or_else(|| tag.strip_prefix("doc:")).is_some_and(|n| {
        let digits = n.strip_prefix('-').unwrap_or(n);
        !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit())
    });
    (document || tag.split(['.', ':']).all(component)).then(|| (tag.into(), end + 2))
}

/// The unescaped text: the escapes of JSON; others keep their backslash.
pub(super) fn unescape(text: &str) -> EcoString {
    let mut out = EcoString::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        out.push_str(&rest[..at]);
        let after = &rest[at + 1..];
        let mut length = 1;
        match after.chars().next() {
            Some('n') => out.push('\n'),
            Some('t') => out.push('\t'),
            Some('r') => out.push('\r'),
            Some('b') => out.push('\u{8}'),
            Some('f') => out.push('\u{c}'),
            Some(c @ ('"' | '\\' | '/')) => out.push(c),
            Some('u') => match unicode_escape(after) {
                Some((c, len)) => {
                    out.push(c);
                    length = len;
                }
                None => out.push_str("\\u"),
            },
            Some(c) => {
                out.push('\\');
                out.push(c);
                length = c.len_utf8();
            }
            None => {
                out.push('\\');
                length = 0;
            }
        }
        rest = &after[length..];
    }
    out.push_str(rest);
    out
}

/// `u` and four hexadecimal digits, or a surrogate pair of these.
fn unicode_escape(text: &str) -> Option<(char, usize)> {
    let unit = |text: &str| u32::from_str_radix(text.get(1..5)?, 16).ok();
    let first = unit(text)?;
    if let Some(c) = char::from_u32(first) {
        return Some((c, 5));
    }
    let second = text.get(5..).and_then(|r| unit(r.strip_prefix('\\')?))?;
    let pair = [u16::try_from(first).ok()?, u16::try_from(second).ok()?];
    let c = char::decode_utf16(pair).next()?.ok()?;
    Some((c, 11))
}
