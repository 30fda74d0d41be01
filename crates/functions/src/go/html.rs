//! The package `html`: characters with a meaning in HTML, and named entities.

use std::sync::OnceLock;

/// The text with `< > & ' "` escaped.
pub fn escape(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    for byte in text {
        match byte {
            b'<' => out.extend(b"&lt;"),
            b'>' => out.extend(b"&gt;"),
            b'&' => out.extend(b"&amp;"),
            b'\'' => out.extend(b"&#39;"),
            b'"' => out.extend(b"&#34;"),
            _ => out.push(*byte),
        }
    }
    out
}

/// The names of HTML's entities, sorted; a name without a semicolon is recognized without one.
fn names() -> &'static [(&'static str, String)] {
    static NAMES: OnceLock<Vec<(&'static str, String)>> = OnceLock::new();
    NAMES.get_or_init(|| {
        let lines = include_str!("entities.txt").lines().filter_map(|line| line.split_once(' '));
        let char = |hex: &str| u32::from_str_radix(hex, 16).ok().and_then(char::from_u32);
        lines.map(|(name, codes)| (name, codes.split(' ').filter_map(char).collect())).collect()
    })
}

/// The character of a name.
fn find(name: &[u8]) -> Option<&'static [u8]> {
    let names = names();
    let found = names.binary_search_by(|(known, _)| known.as_bytes().cmp(name)).ok()?;
    names.get(found).map(|(_, text)| text.as_bytes())
}

/// The maximum length of a name without a semicolon.
const MAX_BARE_LENGTH: usize = 6;

/// The text with `&lt;`, `&#60;`, `&#x3c;` and similar entities replaced.
pub fn unescape(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.iter().position(|b| *b == b'&') {
        out.extend(rest.get(..at).unwrap_or_default());
        rest = rest.get(at..).unwrap_or_default();
        let used = if rest.get(1) == Some(&b'#') {
            numbered(rest, &mut out)
        } else {
            named(rest, &mut out)
        };
        if used == 0 {
            out.push(b'&');
        }
        rest = rest.get(used.max(1)..).unwrap_or_default();
    }
    out.extend(rest);
    out
}

/// A numeric entity at the start of a text; returns its length in bytes.
fn numbered(text: &[u8], out: &mut Vec<u8>) -> usize {
    let is_hex = matches!(text.get(2), Some(b'x' | b'X'));
    let from = if is_hex { 3 } else { 2 };
    let digits = text.get(from..).unwrap_or_default();
    let radix = if is_hex { 16 } else { 10 };
    let length = digits.iter().take_while(|b| char::from(**b).is_digit(radix)).count();
    if length == 0 && !(is_hex && digits.first() == Some(&b';')) {
        return 0;
    }
    let mut number = 0_u32;
    for digit in digits.iter().take(length).filter_map(|b| char::from(*b).to_digit(radix)) {
        number = number.saturating_mul(radix).saturating_add(digit);
    }
    let c = match number {
        0x80..=0x9f => usize::try_from(number - 0x80).ok().and_then(|at| WINDOWS.get(at).copied()),
        0 => None,
        _ => char::from_u32(number),
    };
    out.extend(c.unwrap_or('\u{fffd}').encode_utf8(&mut [0; 4]).as_bytes());
    let end = from + length;
    end + usize::from(text.get(end) == Some(&b';'))
}

/// The characters from 0x80 on in the code page of Windows.
const WINDOWS: [char; 32] = [
    '\u{20ac}', '\u{81}', '\u{201a}', '\u{192}', '\u{201e}', '\u{2026}', '\u{2020}', '\u{2021}',
    '\u{2c6}', '\u{2030}', '\u{160}', '\u{2039}', '\u{152}', '\u{8d}', '\u{17d}', '\u{8f}',
    '\u{90}', '\u{2018}', '\u{2019}', '\u{201c}', '\u{201d}', '\u{2022}', '\u{2013}', '\u{2014}',
    '\u{2dc}', '\u{2122}', '\u{161}', '\u{203a}', '\u{153}', '\u{9d}', '\u{17e}', '\u{178}',
];

/// A named entity at the start of a text; returns its length in bytes.
fn named(text: &[u8], out: &mut Vec<u8>) -> usize {
    let body = text.get(1..).unwrap_or_default();
    let length = body.iter().take_while(|b| b.is_ascii_alphanumeric()).count();
    let has_end = body.get(length) == Some(&b';');
    let mut take = |length: usize| {
        let found = body.get(..length).and_then(find);
        out.extend(found.unwrap_or_default());
        found.is_some()
    };
    if has_end && take(length + 1) {
        return length + 2;
    }
    if take(length) {
        return length + 1;
    }
    let longest = length.saturating_sub(1).min(MAX_BARE_LENGTH);
    (2..=longest).rev().find(|length| take(*length)).map_or(0, |length| length + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_have_names() {
        assert_eq!(escape(b"<a href=\"x\">'&'"), b"&lt;a href=&#34;x&#34;&gt;&#39;&amp;&#39;");
        for (text, want) in [
            ("&lt;&#60;&#x3C;", "<<<"),
            ("&eacute;&notit;&not;&ampx", "é¬it;¬&x"),
            ("&#128;&#0;&#xd800;", "€\u{fffd}\u{fffd}"),
            ("&nope; & &#;", "&nope; & &#;"),
            ("&NotEqualTilde;", "≂̸"),
        ] {
            assert_eq!(unescape(text.as_bytes()), want.as_bytes(), "{text}");
        }
    }
}
