//! Text as Ruby treats it: quoting, case, successors, file names, sizes; and Python's quoting.

use std::sync::OnceLock;

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

/// The `inspect` of a symbol of Ruby.
///
/// ```
/// use ordain_functions::text::inspect_ruby_symbol;
/// assert_eq!(inspect_ruby_symbol("a_1?"), ":a_1?");
/// assert_eq!(inspect_ruby_symbol("a b"), ":\"a b\"");
/// ```
pub fn inspect_ruby_symbol(name: &str) -> String {
    const OPERATORS: [&str; 22] = [
        "+", "-", "*", "/", "%", "**", "==", "!=", "===", "=~", "!~", "<", "<=", ">", ">=", "<=>",
        "<<", ">>", "!", "[]", "[]=", "~",
    ];
    // Method names may end in a mark, variable names begin with one.
    let word = match name.strip_suffix(['?', '!', '=']) {
        Some(method) => method,
        None => ["@@", "@", "$"].iter().find_map(|mark| name.strip_prefix(mark)).unwrap_or(name),
    };
    let is_letter = |c: char| c.is_alphabetic() || c == '_' || !c.is_ascii();
    let is_word =
        word.starts_with(is_letter) && word.chars().all(|c| is_letter(c) || c.is_ascii_digit());
    match is_word || OPERATORS.contains(&name) {
        true => format!(":{name}"),
        false => format!(":{}", inspect_ruby(name)),
    }
}

/// A text as Python's `repr` quotes it.
///
/// ```
/// assert_eq!(ordain_functions::text::repr_python("it's\n"), r#""it's\n""#);
/// ```
pub fn repr_python(text: &str) -> String {
    let quote = if text.contains('\'') && !text.contains('"') { '"' } else { '\'' };
    let mut out = String::with_capacity(text.len() + 2);
    out.push(quote);
    for c in text.chars() {
        match c {
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if c == quote || c == '\\' => {
                out.push('\\');
                out.push(c);
            }
            ' '..='~' => out.push(c),
            c if c.is_ascii() || !is_python_printable(c) => match c as u32 {
                code @ ..=0xff => out.push_str(&format!("\\x{code:02x}")),
                code @ ..=0xffff => out.push_str(&format!("\\u{code:04x}")),
                code => out.push_str(&format!("\\U{code:08x}")),
            },
            c => out.push(c),
        }
    }
    out.push(quote);
    out
}

/// Whether Python's `str.isprintable` accepts the non-ASCII character.
#[expect(clippy::expect_used, reason = "the pattern is constant")]
fn is_python_printable(c: char) -> bool {
    static HIDDEN: OnceLock<regex::Regex> = OnceLock::new();
    let hidden = HIDDEN
        .get_or_init(|| regex::Regex::new(r"^[\p{C}\p{Z}]").expect("the pattern is well-formed"));
    !hidden.is_match(c.encode_utf8(&mut [0; 4]))
}

/// Whether Python's `str.isspace` accepts the character.
pub fn is_python_space(c: char) -> bool {
    c.is_whitespace() || ('\x1c'..='\x1f').contains(&c)
}

/// The first letter in upper case, the others in lower case.
pub fn capitalize(text: &str) -> String {
    let mut chars = text.chars();
    let Some(first) = chars.next() else { return String::new() };
    let mut upper = first.to_uppercase();
    // Of a letter such as `ß`, which becomes two, only the first is upper case.
    let head = upper.next().into_iter().chain(upper.flat_map(char::to_lowercase));
    head.chain(chars.flat_map(char::to_lowercase)).collect()
}

/// Lower case becomes upper case and vice versa.
pub fn swapcase(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_lowercase() { out.extend(c.to_uppercase()) } else { out.extend(c.to_lowercase()) }
    }
    out
}

/// Runs of the same character become one; with a set, only of characters in it.
pub fn squeeze(text: &str, set: Option<&CharSet>) -> String {
    let mut out = String::with_capacity(text.len());
    let mut last = None;
    for c in text.chars() {
        if last != Some(c) || set.is_some_and(|set| !set.contains(c)) {
            out.push(c);
        }
        last = Some(c);
    }
    out
}

/// A set of characters as Ruby's `squeeze`, `count` and `delete` take it: `a-z`, `^a-z`.
///
/// ```
/// let set = ordain_functions::text::CharSet::parse("a-cx")?;
/// assert!(set.contains('b') && set.contains('x') && !set.contains('d'));
/// # Ok::<(), ordain_functions::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CharSet {
    negated: bool,
    /// In order and apart from each other.
    ranges: Vec<(char, char)>,
}

impl CharSet {
    /// Parses a set; a backslash makes the next character literal.
    ///
    /// # Errors
    /// `invalid range "z-a" in string transliteration`
    pub fn parse(text: &str) -> Result<Self> {
        let negated = text.len() > 1 && text.starts_with('^');
        let mut chars = text[usize::from(negated)..].chars();
        let mut ranges = Vec::new();
        while let Some(low) = set_member(&mut chars) {
            let mut ahead = chars.clone();
            let high = if ahead.next() == Some('-') { set_member(&mut ahead) } else { None };
            let Some(high) = high else {
                ranges.push((low, low));
                continue;
            };
            if low > high {
                return Err(Error::Argument(format!(
                    "invalid range \"{low}-{high}\" in string transliteration"
                )));
            }
            ranges.push((low, high));
            chars = ahead;
        }
        Ok(Self::of(negated, ranges))
    }

    /// The characters in any of the ranges, or with `negated` all others.
    pub(crate) fn of(negated: bool, mut ranges: Vec<(char, char)>) -> Self {
        ranges.sort_unstable();
        ranges.dedup_by(|next, kept| {
            let touches = next.0 <= kept.1;
            if touches {
                kept.1 = kept.1.max(next.1);
            }
            touches
        });
        CharSet { negated, ranges }
    }

    /// Whether the character is in the set.
    pub fn contains(&self, c: char) -> bool {
        let after = self.ranges.partition_point(|&(low, _)| low <= c);
        let is_listed = after > 0 && c <= self.ranges[after - 1].1;
        is_listed != self.negated
    }
}

fn set_member(chars: &mut std::str::Chars<'_>) -> Option<char> {
    match chars.next()? {
        '\\' => Some(chars.next().unwrap_or('\\')),
        c => Some(c),
    }
}

/// The result of Ruby's `String#succ`: the rightmost letter or digit is incremented and carries to
/// the one on its left; without any, the last character is.
pub fn successor(text: &str) -> String {
    let mut chars: Vec<char> = text.chars().collect();
    let Some(last) = chars.iter().rposition(|&c| counts_up(c)) else {
        return successor_of_symbols(chars);
    };
    let mut at = last;
    loop {
        let (next, carry) = match chars[at] {
            'z' => ('a', Some('a')),
            'Z' => ('A', Some('A')),
            '9' => ('0', Some('1')),
            c => (next_in_alphabet(c), None),
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

fn counts_up(c: char) -> bool {
    c.is_alphabetic() || c.is_ascii_digit()
}

/// The next letter or digit, skipping a single other character.
fn next_in_alphabet(c: char) -> char {
    let mut following = (c..=char::MAX).skip(1).take(2);
    following.find(|&next| counts_up(next)).unwrap_or(c)
}

/// The letter or digit that receives a carry. Between a digit and a letter there may be no gap.
fn left_neighbour(chars: &[char], at: usize) -> Option<usize> {
    let left = chars[..at].iter().rposition(|&c| counts_up(c))?;
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

/// The texts of Ruby's `first..last` (`first...last` if `is_open`): numbers count by value, other
/// texts by [`successor`] until the end is reached or the text is longer than it. They are computed
/// lazily, because there may be very many.
pub fn range(first: &str, last: &str, is_open: bool) -> Box<dyn Iterator<Item = String>> {
    let number = |text: &str| -> Option<u64> {
        let is_digits = text.bytes().all(|b| b.is_ascii_digit());
        if is_digits && text.len() <= 18 { text.parse().ok() } else { None }
    };
    if let (Some(low), Some(high)) = (number(first), number(last)) {
        let (end, width) = (if is_open { high } else { high + 1 }, first.len());
        return Box::new((low..end).map(move |number| format!("{number:0width$}")));
    }
    if let ([low], [high]) = (first.as_bytes(), last.as_bytes())
        && low.is_ascii()
        && high.is_ascii()
    {
        let end = if is_open { *high } else { *high + 1 };
        return Box::new((*low..end).map(|byte| char::from(byte).to_string()));
    }
    let is_none = first > last || is_open && first == last || first == successor(last);
    let mut next = (!is_none).then(|| first.to_owned());
    let last = last.to_owned();
    Box::new(std::iter::from_fn(move || {
        let current = next.take()?;
        if current != last {
            let after = successor(&current);
            let is_over = after.is_empty() || after.len() > last.len() || is_open && after == last;
            next = (!is_over).then_some(after);
        }
        Some(current)
    }))
}

/// The number of bytes of a text such as `4 kB`, with binary units. The result may have a fraction.
///
/// # Errors
/// `to_bytes(): Unknown prefix x`
pub fn to_bytes(text: &str) -> Result<f64> {
    let number_end =
        text.find(|c: char| !(c.is_ascii_digit() || ".e+-".contains(c))).unwrap_or(text.len());
    let (number, rest) = text.split_at(number_end);
    let power = match rest.trim_ascii_start().chars().next() {
        None | Some('b' | 'B') => 0,
        Some('k') => 10,
        Some('M') => 20,
        Some('G') => 30,
        Some('T') => 40,
        Some('P') => 50,
        Some('E') => 60,
        Some(other) => return Err(Error::Argument(format!("to_bytes(): Unknown prefix {other}"))),
    };
    Ok(leading_number(number) * 2_f64.powi(power))
}

/// The longest numeric prefix; 0 without one.
fn leading_number(text: &str) -> f64 {
    let digits_end =
        |from: usize| from + text[from..].bytes().take_while(u8::is_ascii_digit).count();
    let begin = usize::from(text.starts_with(['+', '-']));
    let mut end = digits_end(begin);
    if text[end..].starts_with('.') && digits_end(end + 1) > end + 1 {
        end = digits_end(end + 1);
    }
    if end == begin {
        return 0.0;
    }
    if text[end..].starts_with('e') {
        let signed = end + 1 + usize::from(text[end + 1..].starts_with(['+', '-']));
        if digits_end(signed) > signed {
            end = digits_end(signed);
        }
    }
    text[..end].parse().unwrap_or(0.0)
}

/// The last component of a path, without the suffix; `.*` means any extension.
pub fn basename<'a>(path: &'a str, suffix: Option<&str>) -> &'a str {
    let trimmed = path.trim_end_matches('/');
    if trimmed.is_empty() {
        return if path.is_empty() { "" } else { "/" };
    }
    let name = trimmed.rsplit('/').next().unwrap_or(trimmed);
    let shorter = match suffix {
        Some(".*") => name.strip_suffix(extname(name)),
        Some(suffix) => name.strip_suffix(suffix),
        None => None,
    };
    shorter.filter(|shorter| !shorter.is_empty()).unwrap_or(name)
}

/// The path without its last part.
pub fn dirname(path: &str) -> &str {
    let slashes = path.len() - path.trim_start_matches('/').len();
    let path = &path[slashes.saturating_sub(1)..];
    match path.trim_end_matches('/').rsplit_once('/') {
        None if slashes > 0 => "/",
        None => ".",
        Some((head, _)) => match head.trim_end_matches('/') {
            "" => "/",
            head => head,
        },
    }
}

/// The extension of the last component of a path with its dot, or an empty text.
pub fn extname(path: &str) -> &str {
    let name = path.trim_end_matches('/').rsplit('/').next().unwrap_or(path);
    let bare = name.trim_start_matches('.');
    bare.rfind('.').map_or("", |dot| &bare[dot..])
}

/// Line ends of DOS become those of Unix.
pub fn dos2unix(text: &str) -> String {
    text.replace("\r\n", "\n")
}

/// Unix line ends become DOS line ends, after any number of carriage returns.
pub fn unix2dos(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        match line.strip_suffix('\n') {
            Some(body) => {
                out.push_str(body.trim_end_matches('\r'));
                out.push_str("\r\n");
            }
            None => out.push_str(line),
        }
    }
    out
}

/// The entity of a character with a meaning in XML and HTML.
pub fn xml_entity(c: char) -> Option<&'static str> {
    match c {
        '&' => Some("&amp;"),
        '<' => Some("&lt;"),
        '>' => Some("&gt;"),
        '"' => Some("&quot;"),
        _ => None,
    }
}

/// Escapes characters with a meaning in XML; in an attribute also the surrounding quotes.
pub fn xml_encode(text: &str, for_attribute: bool) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    if for_attribute {
        out.push('"');
    }
    for c in text.chars() {
        match xml_entity(c) {
            Some(entity) if c != '"' || for_attribute => out.push_str(entity),
            _ => out.push(c),
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

    fn between(first: &str, last: &str) -> String {
        range(first, last, false).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn case() {
        assert_eq!(capitalize("éCOLE x"), "École x");
        assert_eq!(capitalize("ßA ΑΣ"), "Ssa ασ");
        assert_eq!(swapcase("aBcß1"), "AbCSS1");
    }

    #[test]
    fn sets_of_characters() {
        let squeezed = |text, set: &str| squeeze(text, Some(&CharSet::parse(set).unwrap()));
        assert_eq!(squeeze("aabbcc", None), "abc");
        for (text, set, expected) in [
            ("aabbcc---^^", "a-b", "abcc---^^"),
            ("aabb--cc", "a-", "abb-cc"),
            ("aabb--cc", "-c", "aabb-c"),
            ("aabb^^", "^", "aabb^"),
            ("aabb", "^a", "aab"),
            ("aabb--cc", "a\\-c", "abb-c"),
            ("aabb", "", "aabb"),
            ("aabb--ccdd", "a-b-d", "ab-ccd"),
            ("aabbccdd", "b-ca-b", "abcdd"),
        ] {
            assert_eq!(squeezed(text, set), expected, "{text} {set}");
        }
        let error = CharSet::parse("z-a").unwrap_err().to_string();
        assert_eq!(error, "invalid range \"z-a\" in string transliteration");
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
            ("a.9.9", "a.10.0"),
            ("a-9", "a-10"),
            ("9-9", "10-0"),
            ("zz-z", "aaa-a"),
            ("", ""),
            ("zz99", "aaa00"),
            ("***", "**+"),
            ("<<koala>>", "<<koalb>>"),
            ("aö", "aø"),
            ("a²", "b²"),
        ] {
            assert_eq!(successor(text), next, "{text}");
        }
    }

    #[test]
    fn ranges_end_as_in_ruby() {
        for (first, last, expected) in [
            ("a", "d", "a b c d"),
            ("Y", "a", "Y Z [ \\ ] ^ _ ` a"),
            ("host08", "host11", "host08 host09 host10 host11"),
            ("host8", "host10", ""),
            ("8", "10", "8 9 10"),
            ("08", "10", "08 09 10"),
            ("aa", "b", "aa"),
            ("y", "ab", ""),
            ("false", "true", "false"),
            ("d", "a", ""),
            ("AAa", "Zz", ""),
        ] {
            assert_eq!(between(first, last), expected, "{first}..{last}");
        }
        assert_eq!(range("a", "ab", false).count(), 28);
        assert_eq!(range("1.8", "2.0", true).collect::<Vec<_>>(), ["1.8", "1.9"]);
        assert_eq!(range("b", "b", true).count(), 0);
    }

    #[test]
    fn sizes() {
        assert_eq!(to_bytes("4 kB"), Ok(4096.0));
        assert_eq!(to_bytes("1.5M"), Ok(1_572_864.0));
        assert_eq!(to_bytes("42"), Ok(42.0));
        assert_eq!(to_bytes("-.5e+1."), Ok(-5.0));
        assert_eq!(to_bytes("1.e3"), Ok(1.0));
        assert_eq!(to_bytes("1 x").unwrap_err().to_string(), "to_bytes(): Unknown prefix x");
    }

    #[test]
    fn paths() {
        for (path, head, name) in [
            ("", ".", ""),
            ("/", "/", "/"),
            ("//", "/", "/"),
            ("a/", ".", "a"),
            ("/a/", "/", "a"),
            ("//a", "/", "a"),
            ("///a//b/", "/a", "b"),
            ("a//b", "a", "b"),
        ] {
            assert_eq!((dirname(path), basename(path, None)), (head, name), "{path}");
        }
        assert_eq!(basename("/a/b.rb/", Some(".rb")), "b");
        assert_eq!(basename("rb", Some("rb")), "rb");
        for (name, bare, extension) in [
            ("a.tar.gz", "a.tar", ".gz"),
            (".bashrc", ".bashrc", ""),
            ("..b", "..b", ""),
            ("a.", "a", "."),
        ] {
            assert_eq!((basename(name, Some(".*")), extname(name)), (bare, extension), "{name}");
        }
    }

    #[test]
    fn line_ends() {
        assert_eq!(dos2unix("a\r\nb\r"), "a\nb\r");
        assert_eq!(unix2dos("a\nb\r\r\n\nc"), "a\r\nb\r\n\r\nc");
    }

    #[test]
    fn xml() {
        assert_eq!(xml_encode("a<b & \"c\"", false), "a&lt;b &amp; \"c\"");
        assert_eq!(xml_encode("\"c\"", true), "\"&quot;c&quot;\"");
    }
}
