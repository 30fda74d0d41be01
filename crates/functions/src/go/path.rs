//! Paths with slashes: the packages `path` and `path/filepath` on Unix.

use crate::{Error, Result};

/// The shortest equivalent path, judging by the text alone.
pub fn clean(path: &[u8]) -> Vec<u8> {
    let is_rooted = path.first() == Some(&b'/');
    let mut parts: Vec<&[u8]> = Vec::new();
    for part in path.split(|b| *b == b'/') {
        match part {
            b"" | b"." => {}
            b".." => match parts.last() {
                Some(last) if *last != b".." => {
                    parts.pop();
                }
                _ if is_rooted => {}
                _ => parts.push(part),
            },
            _ => parts.push(part),
        }
    }
    let body = parts.join(&b'/');
    match (is_rooted, body.is_empty()) {
        (true, _) => [b"/", &body[..]].concat(),
        (false, true) => b".".to_vec(),
        (false, false) => body,
    }
}

/// The last part.
pub fn base(path: &[u8]) -> Vec<u8> {
    if path.is_empty() {
        return b".".to_vec();
    }
    let end = path.iter().rposition(|b| *b != b'/').map_or(0, |at| at + 1);
    let path = path.get(..end).unwrap_or_default();
    let from = path.iter().rposition(|b| *b == b'/').map_or(0, |at| at + 1);
    match path.get(from..) {
        Some(name) if !name.is_empty() => name.to_vec(),
        _ => b"/".to_vec(),
    }
}

/// All but the last part, clean.
pub fn dir(path: &[u8]) -> Vec<u8> {
    let end = path.iter().rposition(|b| *b == b'/').map_or(0, |at| at + 1);
    clean(path.get(..end).unwrap_or_default())
}

/// The extension with its dot, if there is one.
pub fn ext(path: &[u8]) -> &[u8] {
    let name = path.iter().rposition(|b| *b == b'/').map_or(0, |at| at + 1);
    let name = path.get(name..).unwrap_or_default();
    let dot = name.iter().rposition(|b| *b == b'.');
    dot.and_then(|dot| name.get(dot..)).unwrap_or_default()
}

/// The non-empty parts joined by slashes and cleaned.
pub fn join(parts: &[&[u8]]) -> Vec<u8> {
    let parts: Vec<&[u8]> = parts.iter().copied().filter(|part| !part.is_empty()).collect();
    if parts.is_empty() { Vec::new() } else { clean(&parts.join(&b'/')) }
}

/// Whether a path stays below the directory that it is relative to.
pub fn is_local(path: &[u8]) -> bool {
    if path.is_empty() || path.first() == Some(&b'/') {
        return false;
    }
    let cleaned = clean(path);
    !cleaned.starts_with(b"../") && cleaned != b".."
}

/// Converts a path with slashes to a name below a directory.
///
/// # Errors
/// `invalid path`
pub fn localize(path: &[u8]) -> Result<Vec<u8>> {
    let is_part = |part: &[u8]| !matches!(part, b"" | b"." | b"..");
    let is_valid = path == b"." || path.split(|b| *b == b'/').all(is_part);
    let is_valid = is_valid && std::str::from_utf8(path).is_ok() && !path.contains(&0);
    if is_valid { Ok(path.to_vec()) } else { Err(Error::Argument("invalid path".into())) }
}

/// The relative path from one path to another.
///
/// # Errors
/// If it depends on the current directory.
pub fn rel(base: &[u8], target: &[u8]) -> Result<Vec<u8>> {
    let (from, to) = (clean(base), clean(target));
    let fail = || {
        let text = |path: &[u8]| String::from_utf8_lossy(path).into_owned();
        Error::Argument(format!("Rel: can't make {} relative to {}", text(target), text(base)))
    };
    if from == to {
        return Ok(b".".to_vec());
    }
    let from = if from == b"." { Vec::new() } else { from };
    let is_rooted = |path: &[u8]| path.first() == Some(&b'/');
    if is_rooted(&from) != is_rooted(&to) {
        return Err(fail());
    }
    let parts = |path: &[u8]| -> Vec<Vec<u8>> {
        path.split(|b| *b == b'/').filter(|part| !part.is_empty()).map(<[u8]>::to_vec).collect()
    };
    let (from, to) = (parts(&from), parts(&to));
    let common = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
    let up = from.get(common..).unwrap_or_default();
    if up.first().is_some_and(|part| part == b"..") {
        return Err(fail());
    }
    let down = to.get(common..).unwrap_or_default();
    let mut way: Vec<&[u8]> = vec![b".."; up.len()];
    way.extend(down.iter().map(Vec::as_slice).filter(|part| up.is_empty() || *part != b"."));
    Ok(way.join(&b'/'))
}

/// The maximum number of steps of a match.
const MAX_STEPS: u32 = 1_000_000;

/// Whether a whole name matches a pattern of `*`, `?`, `[a-z]` and `\c`; `*` and `?` match no
/// slash.
///
/// # Errors
/// `syntax error in pattern`
pub fn matches(pattern: &[u8], name: &[u8]) -> Result<bool> {
    let bad = || Error::Argument("syntax error in pattern".into());
    let tokens = tokens(pattern);
    let name: Vec<char> = super::strings::decode(name).map(|(_, c, _)| c).collect();
    let (mut at, mut token) = (0, 0);
    // The position to continue if the part after the last star does not match.
    let mut star: Option<(usize, usize)> = None;
    let mut steps = 0;
    loop {
        steps += 1;
        if steps > MAX_STEPS {
            return Err(Error::Argument("the match takes too many steps".into()));
        }
        match tokens.get(token) {
            Some(Token::Bad) => return Err(bad()),
            Some(Token::Star) => {
                star = Some((token, at));
                token += 1;
                continue;
            }
            Some(one) if name.get(at).is_some_and(|c| one.fits(*c)) => {
                token += 1;
                at += 1;
                continue;
            }
            None if at == name.len() => return Ok(true),
            _ => {}
        }
        match star {
            Some((back, from)) if name.get(from).is_some_and(|c| *c != '/') => {
                star = Some((back, from + 1));
                (token, at) = (back + 1, from + 1);
            }
            _ if tokens.contains(&Token::Bad) => return Err(bad()),
            _ => return Ok(false),
        }
    }
}

#[derive(PartialEq)]
enum Token {
    Star,
    Any,
    One(char),
    Class { is_negated: bool, ranges: Vec<(char, char)> },
    Bad,
}

impl Token {
    fn fits(&self, c: char) -> bool {
        match self {
            Self::Any => c != '/',
            Self::One(one) => *one == c,
            Self::Class { is_negated, ranges } => {
                ranges.iter().any(|(low, high)| (*low..=*high).contains(&c)) != *is_negated
            }
            Self::Star | Self::Bad => false,
        }
    }
}

/// Stands for a byte that is no UTF-8.
const NO_CHAR: char = '\u{10ffff}';

fn tokens(pattern: &[u8]) -> Vec<Token> {
    // Invalid UTF-8 is accepted except in a class.
    let char = |(_, c, width)| if c == '\u{fffd}' && width == 1 { NO_CHAR } else { c };
    let chars: Vec<char> = super::strings::decode(pattern).map(char).collect();
    let mut chars = chars.into_iter().peekable();
    let mut out = Vec::new();
    while let Some(c) = chars.next() {
        out.push(match c {
            '*' => Token::Star,
            '?' => Token::Any,
            '\\' => chars.next().map_or(Token::Bad, Token::One),
            '[' => class(&mut chars).unwrap_or(Token::Bad),
            NO_CHAR => Token::One('\u{fffd}'),
            c => Token::One(c),
        });
        if out.last() == Some(&Token::Bad) {
            break;
        }
    }
    out
}

fn class(chars: &mut std::iter::Peekable<std::vec::IntoIter<char>>) -> Option<Token> {
    let is_negated = chars.next_if_eq(&'^').is_some();
    let mut ranges = Vec::new();
    loop {
        if chars.peek() == Some(&']') && !ranges.is_empty() {
            chars.next();
            return Some(Token::Class { is_negated, ranges });
        }
        let low = class_char(chars)?;
        let high = if chars.next_if_eq(&'-').is_some() { class_char(chars)? } else { low };
        ranges.push((low, high));
    }
}

fn class_char(chars: &mut std::iter::Peekable<std::vec::IntoIter<char>>) -> Option<char> {
    let c = match chars.next()? {
        '\\' => chars.next()?,
        '-' | ']' | NO_CHAR => return None,
        c => c,
    };
    // A class must not end in the middle of a range.
    chars.peek().map(|_| c)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn paths_are_cleaned_and_taken_apart() {
        for (path, want) in [("", "."), ("/..//a/./b/..", "/a"), ("a/../..", ".."), ("//", "/")] {
            assert_eq!(clean(path.as_bytes()), want.as_bytes(), "{path}");
        }
        assert_eq!(base(b"/a/b//"), b"b");
        assert_eq!(base(b"//"), b"/");
        assert_eq!(dir(b"/a/b/"), b"/a/b");
        assert_eq!(ext(b"/a.d/b.tar.gz"), b".gz");
        assert_eq!(join(&[b"", b"a", b"../b"]), b"b");
        assert_eq!(rel(b"/a/b", b"/a/c/d").unwrap(), b"../c/d");
        assert!(rel(b"a", b"/a").is_err() && rel(b"../a", b"b").is_err());
        assert!(is_local(b"a/../b") && !is_local(b"a/../../b") && !is_local(b"/a"));
    }

    #[test]
    fn names_match_patterns() {
        for (pattern, name, want) in [
            ("a*c", "abbc", true),
            ("a*c", "ab/c", false),
            ("a?", "a/", false),
            ("[^a-c]x", "dx", true),
            ("*x", "xxx", true),
            ("\\*", "*", true),
            ("", "", true),
        ] {
            assert_eq!(matches(pattern.as_bytes(), name.as_bytes()).unwrap(), want, "{pattern}");
        }
        for bad in ["[", "[]a]", "[a", "a\\", "[-]", "[a-]"] {
            assert!(matches(bad.as_bytes(), b"a").is_err(), "{bad}");
        }
    }
}
