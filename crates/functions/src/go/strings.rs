//! The package `strings`: texts are bytes; an invalid byte counts as U+FFFD.

use std::borrow::Cow;

use crate::{Error, Result};

/// The maximum length of a repeated text.
const MAX_TEXT: usize = 32 << 20;

/// The characters of a text with their lengths in bytes.
pub fn decode(text: &[u8]) -> impl DoubleEndedIterator<Item = (usize, char, usize)> {
    let mut parts = Vec::new();
    let mut at = 0;
    for rune in super::quote::runes(text) {
        let (c, width) = rune.map_or(('\u{fffd}', 1), |c| (c, c.len_utf8()));
        parts.push((at, c, width));
        at += width;
    }
    parts.into_iter()
}

/// Two texts in a form that can be searched in linear time: unchanged if both are UTF-8, else with
/// a character for each byte.
fn searchable<'a>(text: &'a [u8], part: &'a [u8]) -> (Cow<'a, str>, Cow<'a, str>) {
    match (std::str::from_utf8(text), std::str::from_utf8(part)) {
        (Ok(text), Ok(part)) => (text.into(), part.into()),
        _ => {
            let wide =
                |bytes: &[u8]| bytes.iter().map(|byte| char::from(*byte)).collect::<String>();
            (wide(text).into(), wide(part).into())
        }
    }
}

/// The length in bytes of a prefix of the searched text in the original text.
#[expect(clippy::ptr_arg, reason = "it counts which of the two it is")]
fn bytes_before(searched: &Cow<'_, str>, beginning: &str) -> usize {
    match searched {
        Cow::Borrowed(_) => beginning.len(),
        Cow::Owned(_) => beginning.chars().count(),
    }
}

/// The position of the first occurrence of a part.
pub fn index(text: &[u8], part: &[u8]) -> Option<usize> {
    if part.is_empty() {
        return Some(0);
    }
    let (text, part) = searchable(text, part);
    text.split_once(&*part).map(|(before, _)| bytes_before(&text, before))
}

/// The position of the last occurrence of a part.
pub fn last_index(text: &[u8], part: &[u8]) -> Option<usize> {
    if part.is_empty() {
        return Some(text.len());
    }
    let (text, part) = searchable(text, part);
    text.rsplit_once(&*part).map(|(before, _)| bytes_before(&text, before))
}

/// The first position of any of some characters.
pub fn index_any(text: &[u8], chars: &[u8]) -> Option<usize> {
    let set: Vec<char> = decode(chars).map(|(_, c, _)| c).collect();
    decode(text).find(|(_, c, _)| set.contains(c)).map(|(at, ..)| at)
}

/// The last position of any of some characters.
pub fn last_index_any(text: &[u8], chars: &[u8]) -> Option<usize> {
    let set: Vec<char> = decode(chars).map(|(_, c, _)| c).collect();
    decode(text).rfind(|(_, c, _)| set.contains(c)).map(|(at, ..)| at)
}

/// The number of non-overlapping occurrences of a part; the empty part occurs around every
/// character.
pub fn count(text: &[u8], part: &[u8]) -> usize {
    if part.is_empty() {
        return super::quote::runes(text).count() + 1;
    }
    cuts(text, part, usize::MAX).len()
}

/// The non-overlapping occurrences of a non-empty part.
fn cuts(text: &[u8], part: &[u8], most: usize) -> Vec<usize> {
    let (searched, wanted) = searchable(text, part);
    let mut at = 0;
    let mut places = Vec::new();
    let mut pieces = searched.split(&*wanted).peekable();
    while let Some(piece) = pieces.next() {
        if pieces.peek().is_none() || places.len() == most {
            break;
        }
        at += bytes_before(&searched, piece);
        places.push(at);
        at += part.len();
    }
    places
}

/// The parts between separators; an empty separator splits into characters.
pub fn split<'a>(text: &'a [u8], separator: &[u8]) -> Vec<&'a [u8]> {
    if separator.is_empty() {
        let parts = decode(text).filter_map(|(at, _, width)| text.get(at..at + width));
        return parts.collect();
    }
    let mut out = Vec::new();
    let mut from = 0;
    for at in cuts(text, separator, usize::MAX) {
        out.extend(text.get(from..at));
        from = at + separator.len();
    }
    out.extend(text.get(from..));
    out
}

/// Replaces the first occurrences of a part; a negative number means all.
///
/// # Errors
/// If the result is too long.
pub fn replace(text: &[u8], old: &[u8], new: &[u8], most: i64) -> Result<Vec<u8>> {
    let most = usize::try_from(most).unwrap_or(usize::MAX);
    let places: Vec<usize> = if old.is_empty() {
        let ends = decode(text).map(|(at, _, width)| at + width);
        std::iter::once(0).chain(ends).take(most).collect()
    } else {
        cuts(text, old, most)
    };
    let length = places.len().saturating_mul(new.len()).saturating_add(text.len());
    if length > MAX_TEXT {
        return Err(Error::Argument("the text has grown too long".into()));
    }
    let mut out = Vec::with_capacity(length);
    let mut from = 0;
    for at in places {
        out.extend(text.get(from..at).unwrap_or_default());
        out.extend(new);
        from = at + old.len();
    }
    out.extend(text.get(from..).unwrap_or_default());
    Ok(out)
}

/// Repeats a text.
///
/// # Errors
/// If the count is negative, or the result is too long.
pub fn repeat(text: &[u8], count: i64) -> Result<Vec<u8>> {
    let count = usize::try_from(count)
        .map_err(|_| Error::Argument("strings: negative Repeat count".into()))?;
    if text.len().saturating_mul(count) > MAX_TEXT {
        return Err(Error::Argument("strings: Repeat output length overflow".into()));
    }
    Ok(text.repeat(count))
}

fn map(text: &[u8], change: impl Fn(char) -> char) -> Vec<u8> {
    if text.is_ascii() {
        return text.iter().map(|b| change(char::from(*b))).collect::<String>().into_bytes();
    }
    decode(text).map(|(_, c, _)| change(c)).collect::<String>().into_bytes()
}

/// One character for another: upper case.
pub fn upper_char(c: char) -> char {
    let mut all = c.to_uppercase();
    match (all.next(), all.next()) {
        (Some(only), None) => only,
        _ => several_upper(c),
    }
}

/// Upper case of characters with several upper-case characters of which the iota subscript is none.
fn several_upper(c: char) -> char {
    let shifted = |by: u32| char::from_u32(u32::from(c) + by).unwrap_or(c);
    match c {
        '\u{1f80}'..='\u{1f87}' | '\u{1f90}'..='\u{1f97}' | '\u{1fa0}'..='\u{1fa7}' => shifted(8),
        '\u{1fb3}' | '\u{1fc3}' | '\u{1ff3}' => shifted(9),
        _ => c,
    }
}

/// One character for another: lower case.
pub fn lower_char(c: char) -> char {
    let mut all = c.to_lowercase();
    match (all.next(), all.next()) {
        (Some(only), None) => only,
        (Some(first), _) if c == '\u{130}' => first,
        _ => c,
    }
}

/// The title-case form of a character.
pub fn title_char(c: char) -> char {
    match c {
        '\u{1c4}'..='\u{1c6}' => '\u{1c5}',
        '\u{1c7}'..='\u{1c9}' => '\u{1c8}',
        '\u{1ca}'..='\u{1cc}' => '\u{1cb}',
        '\u{1f1}'..='\u{1f3}' => '\u{1f2}',
        '\u{10d0}'..='\u{10fa}' | '\u{10fd}'..='\u{10ff}' => c,
        _ => upper_char(c),
    }
}

/// All in upper case.
pub fn to_upper(text: &[u8]) -> Vec<u8> {
    map(text, upper_char)
}

/// All in lower case.
pub fn to_lower(text: &[u8]) -> Vec<u8> {
    map(text, lower_char)
}

/// All in title case.
pub fn to_title(text: &[u8]) -> Vec<u8> {
    map(text, title_char)
}

/// The first letter of each word in title case.
pub fn title(text: &[u8]) -> Vec<u8> {
    let mut before = ' ';
    let mut out = String::with_capacity(text.len());
    for (_, c, _) in decode(text) {
        out.push(if separates(before) { title_char(c) } else { c });
        before = c;
    }
    out.into_bytes()
}

fn separates(c: char) -> bool {
    if c.is_ascii() {
        return !(c.is_ascii_alphanumeric() || c == '_');
    }
    is_space(c)
}

/// Whether a character is a blank.
pub fn is_space(c: char) -> bool {
    c.is_whitespace()
}

/// Whether two texts are equal except for case.
pub fn equal_fold(a: &[u8], b: &[u8]) -> bool {
    let fold = |(_, c, _): (usize, char, usize)| fold_char(c);
    decode(a).map(fold).eq(decode(b).map(fold))
}

/// A representative of all characters that differ in case only.
pub fn fold_char(c: char) -> char {
    match c {
        '\u{130}' | '\u{131}' => c,
        _ => lower_char(upper_char(c)),
    }
}

/// Replaces every run of invalid UTF-8.
pub fn to_valid_utf8(text: &[u8], replacement: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut is_in_run = false;
    for rune in super::quote::runes(text) {
        match rune {
            Ok(c) => out.extend(c.encode_utf8(&mut [0; 4]).as_bytes()),
            Err(_) if is_in_run => {}
            Err(_) => out.extend(replacement),
        }
        is_in_run = rune.is_err();
    }
    out
}

/// The text without these characters at its start.
pub fn trim_left<'a>(text: &'a [u8], is_cut: &dyn Fn(char) -> bool) -> &'a [u8] {
    let end = decode(text).find(|(_, c, _)| !is_cut(*c)).map_or(text.len(), |(at, ..)| at);
    text.get(end..).unwrap_or_default()
}

/// Without these characters at the end.
pub fn trim_right<'a>(text: &'a [u8], is_cut: &dyn Fn(char) -> bool) -> &'a [u8] {
    let end = decode(text).rfind(|(_, c, _)| !is_cut(*c)).map_or(0, |(at, _, width)| at + width);
    text.get(..end).unwrap_or_default()
}

/// Without blanks around it.
pub fn trim_space(text: &[u8]) -> &[u8] {
    trim_left(trim_right(text, &is_space), &is_space)
}

/// A text with values for `$name` and `${name}`. A name of one character may be one of `* # $ @ ! ?
/// -` or a digit; invalid references are removed.
pub fn expand(text: &[u8], value: &dyn Fn(&str) -> Vec<u8>) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.iter().position(|b| *b == b'$') {
        let after = rest.get(at + 1..).unwrap_or_default();
        out.extend(rest.get(..at).unwrap_or_default());
        if after.is_empty() {
            out.push(b'$');
            return out;
        }
        let (name, used) = shell_name(after);
        match name {
            [] if used > 0 => {}
            [] => out.push(b'$'),
            name => out.extend(value(&String::from_utf8_lossy(name))),
        }
        rest = after.get(used..).unwrap_or_default();
    }
    out.extend(rest);
    out
}

/// The name after a dollar sign, and its length in bytes. Invalid braces result in an empty name.
fn shell_name(text: &[u8]) -> (&[u8], usize) {
    let is_special = |b: u8| b"*#$@!?-".contains(&b) || b.is_ascii_digit();
    let is_name = |b: u8| b == b'_' || b.is_ascii_alphanumeric();
    match text {
        [b'{', special, b'}', ..] if is_special(*special) => {
            (text.get(1..2).unwrap_or_default(), 3)
        }
        [b'{', inner @ ..] => match inner.iter().position(|b| *b == b'}') {
            Some(0) => (&[], 2),
            Some(end) => (inner.get(..end).unwrap_or_default(), end + 2),
            None => (&[], 1),
        },
        [special, ..] if is_special(*special) => (text.get(..1).unwrap_or_default(), 1),
        _ => {
            let end = text.iter().take_while(|b| is_name(**b)).count();
            (text.get(..end).unwrap_or_default(), end)
        }
    }
}

/// The characters of a set, for the trims.
pub fn cutset(chars: &[u8]) -> Vec<char> {
    decode(chars).map(|(_, c, _)| c).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn bytes_that_are_no_characters_are_found() {
        assert_eq!(index(b"\xc3\xa9a\xff\xfe", b"\xff"), Some(3));
        assert_eq!(index("éa".as_bytes(), b"\xa9"), Some(1));
        assert_eq!(last_index(b"\xffaa\xffaaa", b"aa"), Some(5));
        assert_eq!(index(b"\xff", "ÿ".as_bytes()), None);
        assert_eq!(split(b"a\xffb\xff", b"\xff"), [&b"a"[..], b"b", b""]);
        assert_eq!(replace(b"\xe9a\xe9", b"\xe9", "é".as_bytes(), 1).unwrap(), b"\xc3\xa9a\xe9");
        assert_eq!(count(b"\xffaaaaa", b"aa"), 2);
    }

    /// A search from each found position would take minutes here.
    #[test]
    fn many_places_take_the_time_of_one_pass() {
        let start = std::time::Instant::now();
        for fill in [b'a', 0xff] {
            let text = vec![fill; 1_000_000];
            assert_eq!(count(&text, &text[..1]), text.len());
            assert_eq!(split(&text, &text[..1]).len(), text.len() + 1);
            assert_eq!(replace(&text, &text[..1], b"bb", -1).unwrap().len(), 2 * text.len());
            assert!(replace(&text, &text[..1], &text, -1).is_err());
            assert_eq!(index(&text, &[&text[..500_000], b"x"].concat()), None);
        }
        assert!(start.elapsed().as_secs() < 20, "{:?}", start.elapsed());
    }

    #[test]
    fn texts_are_cut_and_joined() {
        assert_eq!(split(b"a,b,,c", b","), [&b"a"[..], b"b", b"", b"c"]);
        assert_eq!(split("aé\u{ff}".as_bytes(), b"").len(), 3);
        assert_eq!(split(b"", b",").len(), 1);
        assert_eq!(replace(b"abab", b"ab", b"x", 1).unwrap(), b"xab");
        assert_eq!(replace("é!".as_bytes(), b"", b"-", -1).unwrap(), "-é-!-".as_bytes());
        assert_eq!(count(b"cheese", b"e"), 3);
        assert!(repeat(b"aaaaaaaa", 1 << 60).is_err() && repeat(b"a", -1).is_err());
    }

    #[test]
    fn case_is_by_character() {
        assert_eq!(to_upper("ßaǆᾳ".as_bytes()), "ßAǄᾼ".as_bytes());
        assert_eq!(to_title("ǆ".as_bytes()), "ǅ".as_bytes());
        assert_eq!(title(b"her majesty's royal_car"), b"Her Majesty'S Royal_car");
        assert!(equal_fold("ΣK".as_bytes(), "ς\u{212a}".as_bytes()));
        assert!(!equal_fold("ı".as_bytes(), b"i"));
        assert_eq!(to_upper(&[b'a', 0xff]), "A\u{fffd}".as_bytes());
        assert_eq!(to_valid_utf8(&[b'a', 0xff, 0xfe, b'b'], b"?"), b"a?b");
    }

    #[test]
    fn characters_are_trimmed() {
        assert_eq!(trim_space("\u{a0} a b\u{2003}\n".as_bytes()), b"a b");
        let set = cutset("é!".as_bytes());
        assert_eq!(trim_right("a!é".as_bytes(), &|c| set.contains(&c)), b"a");
        assert_eq!(last_index_any("aéb".as_bytes(), "é".as_bytes()), Some(1));
    }
}
