//! Text as Ruby treats it: quoting, case, successors, file names, sizes.

use crate::{Error, Result};

/// A text as Ruby's `String#inspect` quotes it.
///
/// ```
/// assert_eq!(ordain_functions::text::inspect_ruby("a\"\n#{"), r##""a\"\n\#{""##);
/// ```
pub fn inspect_ruby(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '"' | '\\' => {
                out.push('\\');
                out.push(c);
            }
            '#' if matches!(chars.peek(), Some('{' | '$' | '@')) => out.push_str("\\#"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\x0c' => out.push_str("\\f"),
            '\x0b' => out.push_str("\\v"),
            '\x08' => out.push_str("\\b"),
            '\x07' => out.push_str("\\a"),
            '\x1b' => out.push_str("\\e"),
            c if (c as u32) < 0x20 => out.push_str(&format!("\\u{:04X}", c as u32)),
            c if c.is_control()
                || c as u32 & 0xfffe == 0xfffe
                || matches!(c, '\u{2028}' | '\u{2029}') =>
            {
                out.push_str(&format!("\\u{:04X}", c as u32));
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// The first letter in upper case, the others in lower case.
pub fn capitalize(text: &str) -> String {
    let mut chars = text.chars();
    match chars.next() {
        Some(first) => first.to_uppercase().chain(chars.flat_map(char::to_lowercase)).collect(),
        None => String::new(),
    }
}

/// Capitals become small letters and the other way round.
pub fn swapcase(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_uppercase() {
            out.extend(c.to_lowercase());
        } else {
            out.extend(c.to_uppercase());
        }
    }
    out
}

/// Runs of the same character become one; with a set such as `a-z` or `^a-z`, only of characters
/// in it.
pub fn squeeze(text: &str, set: Option<&str>) -> String {
    let set = set.map(CharSet::new);
    let mut out = String::with_capacity(text.len());
    let mut last = None;
    for c in text.chars() {
        if last != Some(c) || set.as_ref().is_some_and(|set| !set.contains(c)) {
            out.push(c);
        }
        last = Some(c);
    }
    out
}

/// A set of characters as Ruby's `squeeze`, `count` and `delete` take it.
struct CharSet {
    negated: bool,
    ranges: Vec<(char, char)>,
}

impl CharSet {
    fn new(text: &str) -> Self {
        let negated = text.len() > 1 && text.starts_with('^');
        let mut chars = text[usize::from(negated)..].chars().peekable();
        let mut ranges = Vec::new();
        while let Some(c) = chars.next() {
            let low = if c == '\\' { chars.next().unwrap_or(c) } else { c };
            let mut ahead = chars.clone();
            match (ahead.next(), ahead.next()) {
                (Some('-'), Some(high)) => {
                    ranges.push((low, high));
                    chars = ahead;
                }
                _ => ranges.push((low, low)),
            }
        }
        CharSet { negated, ranges }
    }

    fn contains(&self, c: char) -> bool {
        self.ranges.iter().any(|&(low, high)| low <= c && c <= high) != self.negated
    }
}

/// The text that follows in Ruby's `String#succ`: the rightmost letter or digit counts up and
/// carries to the one on its left; without any, the last character does.
///
/// ```
/// use ordain_functions::text::successor;
/// assert_eq!(successor("host09"), "host10");
/// assert_eq!(successor("Zz"), "AAa");
/// ```
pub fn successor(text: &str) -> String {
    let mut chars: Vec<char> = text.chars().collect();
    let Some(last) = chars.iter().rposition(char::is_ascii_alphanumeric) else {
        return successor_of_symbols(chars);
    };
    let mut at = last;
    loop {
        let (next, carry) = match chars[at] {
            'z' => ('a', Some('a')),
            'Z' => ('A', Some('A')),
            '9' => ('0', Some('1')),
            c => (char::from_u32(c as u32 + 1).unwrap_or(c), None),
        };
        chars[at] = next;
        let Some(carried) = carry else { break };
        match left_neighbour(&chars, at) {
            Some(left) => at = left,
            None => {
                chars.insert(at, carried);
                break;
            }
        }
    }
    chars.into_iter().collect()
}

/// The letter or digit that a carry goes to. Between a digit and a letter there may be no gap.
fn left_neighbour(chars: &[char], at: usize) -> Option<usize> {
    let left = chars[..at].iter().rposition(char::is_ascii_alphanumeric)?;
    let has_gap = left + 1 < at;
    if has_gap && chars[left].is_ascii_digit() != chars[at].is_ascii_digit() {
        return None;
    }
    Some(left)
}

fn successor_of_symbols(mut chars: Vec<char>) -> String {
    for at in (0..chars.len()).rev() {
        let after = (chars[at] as u32 + 1..=char::MAX as u32).find_map(char::from_u32);
        if let Some(next) = after {
            chars[at] = next;
            return chars.into_iter().collect();
        }
        chars[at] = '\u{1}';
    }
    chars.into_iter().collect()
}

/// The texts from one to another in Ruby's `first..last`: numbers count by value, other texts by
/// [`successor`] until the end is reached or the text has grown longer than it.
///
/// # Errors
/// [`Error::Argument`] if there are more than `limit`.
pub fn range(first: &str, last: &str, limit: usize) -> Result<Vec<String>> {
    let too_many = || Error::Argument(format!("the range has more than {limit} elements"));
    let is_digits = |text: &str| {
        !text.is_empty() && text.len() <= 18 && text.bytes().all(|b| b.is_ascii_digit())
    };
    if is_digits(first) && is_digits(last) {
        let bound = |text: &str| text.parse::<u64>().unwrap_or(0);
        let (low, high, width) = (bound(first), bound(last), first.len());
        if high.saturating_sub(low) >= limit as u64 {
            return Err(too_many());
        }
        return Ok((low..=high).map(|number| format!("{number:0width$}")).collect());
    }
    let mut out = Vec::new();
    if let ([low], [high]) = (first.as_bytes(), last.as_bytes())
        && low.is_ascii()
        && high.is_ascii()
    {
        return Ok((*low..=*high).map(|byte| char::from(byte).to_string()).collect());
    }
    if first > last {
        return Ok(out);
    }
    let after_last = successor(last);
    let mut current = first.to_string();
    while current != after_last {
        if out.len() >= limit {
            return Err(too_many());
        }
        let is_last = current == last;
        let next = successor(&current);
        out.push(current);
        if is_last || next.is_empty() || next.len() > last.len() {
            break;
        }
        current = next;
    }
    Ok(out)
}

/// The number of bytes in a text such as `4 kB`, units being steps of 1024.
///
/// # Errors
/// `to_bytes(): Unknown prefix x`
pub fn to_bytes(text: &str) -> Result<i64> {
    let number_end =
        text.find(|c: char| !(c.is_ascii_digit() || ".e+-".contains(c))).unwrap_or(text.len());
    let (number, rest) = text.split_at(number_end);
    let shift = match rest.trim_start().chars().next() {
        None | Some('b' | 'B') => 0,
        Some('k') => 10,
        Some('M') => 20,
        Some('G') => 30,
        Some('T') => 40,
        Some('P') => 50,
        Some('E') => 60,
        Some(other) => return Err(Error::Argument(format!("to_bytes(): Unknown prefix {other}"))),
    };
    Ok((leading_number(number) * (1_u64 << shift) as f64) as i64)
}

/// The longest part at the beginning that is a number; 0 without one.
fn leading_number(text: &str) -> f64 {
    let digits_end =
        |from: usize| from + text[from..].bytes().take_while(u8::is_ascii_digit).count();
    let begin = usize::from(text.starts_with(['+', '-']));
    let mut end = digits_end(begin);
    if end == begin {
        return 0.0;
    }
    if text[end..].starts_with('.') && digits_end(end + 1) > end + 1 {
        end = digits_end(end + 1);
    }
    if text[end..].starts_with('e') {
        let signed = end + 1 + usize::from(text[end + 1..].starts_with(['+', '-']));
        if digits_end(signed) > signed {
            end = digits_end(signed);
        }
    }
    text[..end].parse().unwrap_or(0.0)
}

/// The last part of a path, without the suffix; `.*` stands for any extension.
pub fn basename(path: &str, suffix: Option<&str>) -> String {
    let trimmed = path.trim_end_matches('/');
    if trimmed.is_empty() {
        return if path.is_empty() { String::new() } else { "/".into() };
    }
    let name = trimmed.rsplit('/').next().unwrap_or(trimmed);
    let shorter = match suffix {
        Some(".*") => name.strip_suffix(extname(name).as_str()),
        Some(suffix) => name.strip_suffix(suffix),
        None => None,
    };
    shorter.filter(|shorter| !shorter.is_empty()).unwrap_or(name).into()
}

/// The path without its last part.
pub fn dirname(path: &str) -> String {
    let trimmed = path.trim_end_matches('/');
    if trimmed.is_empty() {
        return if path.is_empty() { ".".into() } else { "/".into() };
    }
    match trimmed.rsplit_once('/') {
        None => ".".into(),
        Some((head, _)) => {
            let head = head.trim_end_matches('/');
            let bare = head.trim_start_matches('/');
            if bare.len() < head.len() {
                format!("/{bare}")
            } else if head.is_empty() {
                "/".into()
            } else {
                head.into()
            }
        }
    }
}

/// The extension of the last part of a path with its dot, or nothing.
pub fn extname(path: &str) -> String {
    let name = path.trim_end_matches('/').rsplit('/').next().unwrap_or(path);
    let begin = name.len() - name.trim_start_matches('.').len();
    match name[begin..].rfind('.') {
        Some(dot) if begin + dot > 0 => name[begin + dot..].into(),
        _ => String::new(),
    }
}

/// Line ends of DOS become those of Unix.
pub fn dos2unix(text: &str) -> String {
    text.replace("\r\n", "\n")
}

/// Line ends of Unix become those of DOS; lines that have them are left.
pub fn unix2dos(text: &str) -> String {
    dos2unix(text).replace('\n', "\r\n")
}

/// Escapes what XML gives a meaning; for an attribute also the quotes around it.
pub fn xml_encode(text: &str, for_attribute: bool) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    if for_attribute {
        out.push('"');
    }
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' if for_attribute => out.push_str("&quot;"),
            c => out.push(c),
        }
    }
    if for_attribute {
        out.push('"');
    }
    out
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn case() {
        assert_eq!(capitalize("éCOLE x"), "École x");
        assert_eq!(swapcase("aBc"), "AbC");
        assert_eq!(squeeze("aabbcc", None), "abc");
        assert_eq!(squeeze("aabbcc", Some("a-b")), "abcc");
    }

    #[test]
    fn successors_carry() {
        for (text, next) in [
            ("a", "b"),
            ("az", "ba"),
            ("Zz", "AAa"),
            ("a9", "b0"),
            ("host09", "host10"),
            ("1.9", "2.0"),
            ("a-9", "a-10"),
            ("9-9", "10-0"),
            ("", ""),
            ("zz99", "aaa00"),
            ("***", "**+"),
            ("<<koala>>", "<<koalb>>"),
        ] {
            assert_eq!(successor(text), next, "{text}");
        }
        assert_eq!(range("host8", "host10", 9).unwrap().len(), 0);
        assert_eq!(range("host08", "host10", 9).unwrap(), ["host08", "host09", "host10"]);
        assert_eq!(range("8", "10", 9).unwrap(), ["8", "9", "10"]);
        assert!(range("a", "zzz", 9).is_err());
    }

    #[test]
    fn sizes() {
        assert_eq!(to_bytes("4 kB").unwrap(), 4096);
        assert_eq!(to_bytes("1.5M").unwrap(), 1_572_864);
        assert_eq!(to_bytes("42").unwrap(), 42);
        assert_eq!(to_bytes("1 x").unwrap_err().to_string(), "to_bytes(): Unknown prefix x");
    }

    #[test]
    fn paths() {
        assert_eq!(
            (basename("/a/b.rb", Some(".rb")), dirname("/a/b.rb")),
            ("b".into(), "/a".into())
        );
        assert_eq!(
            (basename("/", None), dirname("a"), dirname("//a")),
            ("/".into(), ".".into(), "/".into())
        );
        assert_eq!(
            (extname("a.tar.gz"), extname(".bashrc"), extname("a")),
            (".gz".into(), String::new(), String::new())
        );
    }

    #[test]
    fn xml() {
        assert_eq!(xml_encode("a<b & \"c\"", false), "a&lt;b &amp; \"c\"");
        assert_eq!(xml_encode("\"c\"", true), "\"&quot;c&quot;\"");
    }
}
