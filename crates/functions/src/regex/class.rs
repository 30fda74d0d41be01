//! Character classes and character properties: Ruby's names, and bracket expressions translated to
//! the notation that both engines share.

use super::chars::Chars;

/// The maximum depth of bracket expressions.
const MAX_DEPTH: usize = 100;

/// The characters of `\w`, `\d`, `\s` and POSIX brackets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Charset {
    /// Shorthands are ASCII, brackets are Unicode: the default.
    Default,
    /// Everything is ASCII: `(?a)`.
    Ascii,
    /// Everything is Unicode: `(?u)`.
    Unicode,
}

/// The body of a bracket expression for a shorthand such as `\w`, without negation.
pub(super) fn shorthand(letter: char, charset: Charset) -> Option<&'static str> {
    let unicode = charset == Charset::Unicode;
    Some(match letter.to_ascii_lowercase() {
        'w' if unicode => r"\p{L}\p{M}\p{N}\p{Pc}",
        'w' => "0-9A-Za-z_",
        'd' if unicode => r"\p{Nd}",
        'd' => "0-9",
        's' if unicode => r"\s",
        's' => r"\t\n\x0B\f\r ",
        'h' => "0-9A-Fa-f",
        _ => return None,
    })
}

/// The body of a bracket expression for a POSIX bracket name.
fn posix(name: &str, ascii: bool) -> Option<&'static str> {
    Some(match (name, ascii) {
        ("alnum", true) => "0-9A-Za-z",
        ("alnum", false) => r"\p{Alphabetic}\p{Nd}",
        ("alpha", true) => "A-Za-z",
        ("alpha", false) => r"\p{Alphabetic}",
        ("ascii", _) => r"\x00-\x7F",
        ("blank", true) => r"\t ",
        ("blank", false) => r"\t\p{Zs}",
        ("cntrl", true) => r"\x00-\x1F\x7F",
        ("cntrl", false) => r"\p{Cc}",
        ("digit", true) => "0-9",
        ("digit", false) => r"\p{Nd}",
        ("graph", true) => r"\x21-\x7E",
        ("graph", false) => r"[^\s\p{Cc}\p{Cn}]",
        ("lower", true) => "a-z",
        ("lower", false) => r"\p{Lowercase}",
        ("print", true) => r"\x20-\x7E",
        ("print", false) => r"[^\p{Cc}\p{Cn}\p{Zl}\p{Zp}]",
        ("punct", true) => r"\x21-\x2F\x3A-\x40\x5B-\x60\x7B-\x7E",
        ("punct", false) => r"\p{P}\x24\x2B\x3C-\x3E\x5E\x60\x7C\x7E",
        ("space", true) => r"\t\n\x0B\f\r ",
        ("space", false) => r"\s",
        ("upper", true) => "A-Z",
        ("upper", false) => r"\p{Uppercase}",
        ("word", true) => "0-9A-Za-z_",
        ("word", false) => r"\p{L}\p{M}\p{N}\p{Pc}",
        ("xdigit", _) => "0-9A-Fa-f",
        _ => return None,
    })
}

/// Reads `{name}` after `\p` or `\P` and returns the bracket expression for it.
///
/// The caller has consumed the opening brace.
pub(super) fn property(
    chars: &mut Chars,
    negated: bool,
    charset: Charset,
) -> Result<String, String> {
    chars.advance(1);
    let mut name = String::new();
    let closed = loop {
        match chars.next() {
            Some('}') => break true,
            Some(c) => name.push(c),
            None => break false,
        }
    };
    let unknown = || format!("invalid character property name {{{name}}}");
    if !closed {
        return Err(unknown());
    }
    let (negated, bare) = match name.strip_prefix('^') {
        Some(bare) => (!negated, bare),
        None => (negated, name.as_str()),
    };
    let folded: String = bare
        .chars()
        .filter(|c| !matches!(c, ' ' | '_' | '-'))
        .collect::<String>()
        .to_ascii_lowercase();
    let body = match posix(&folded, charset == Charset::Ascii) {
        Some(body) => body.to_string(),
        None if folded == "any" => r"\x00-\x{10FFFF}".to_string(),
        None => {
            let text = format!(r"\p{{{bare}}}");
            let plain = !bare.is_empty()
                && bare.chars().all(|c| c.is_ascii_alphanumeric() || " _-".contains(c));
            if !plain || ::regex::Regex::new(&text).is_err() {
                return Err(unknown());
            }
            text
        }
    };
    Ok(format!("[{}{body}]", if negated { "^" } else { "" }))
}

/// One character, escaped as a literal in a bracket expression.
fn push_char(out: &mut String, c: char) {
    if c.is_ascii_alphanumeric() || !c.is_ascii() {
        out.push(c);
    } else {
        out.push_str(&format!(r"\x{:02X}", u32::from(c)));
    }
}

/// An item of a bracket expression: a character, which may begin or end a range, or a set.
enum Item {
    Char(char),
    Set(String),
}

/// Reads a bracket expression; the opening bracket has been consumed.
pub(super) fn read(chars: &mut Chars, charset: Charset) -> Result<String, String> {
    read_nested(chars, charset, 0)
}

fn read_nested(chars: &mut Chars, charset: Charset, depth: usize) -> Result<String, String> {
    if depth > MAX_DEPTH {
        return Err("too deep nest level in regular expression".into());
    }
    let mut out = String::from("[");
    if chars.peek() == Some('^') {
        chars.advance(1);
        out.push('^');
    }
    let mut first = true;
    if chars.peek() == Some(']') && !later_bracket(chars) {
        return Err("empty char-class".into());
    }
    let mut has_operand = false;
    loop {
        let c = chars.next().ok_or("premature end of char-class")?;
        match c {
            ']' if !first => break,
            '&' if chars.peek() == Some('&') => {
                chars.advance(1);
                if !has_operand {
                    out.push_str(r"\x00-\x{10FFFF}");
                }
                out.push_str("&&");
                has_operand = false;
                first = false;
                continue;
            }
            _ => {
                let item = item(c, chars, charset, depth)?;
                range_or_item(item, chars, charset, depth, &mut out)?;
            }
        }
        has_operand = true;
        first = false;
    }
    if !has_operand {
        out.push_str(r"\x00-\x{10FFFF}");
    }
    out.push(']');
    Ok(out)
}

/// Whether another closing bracket follows the one that comes first in a class.
fn later_bracket(chars: &Chars) -> bool {
    let mut escaped = false;
    chars.rest().iter().skip(1).any(|&c| {
        let found = c == ']' && !escaped;
        escaped = c == '\\' && !escaped;
        found
    })
}

/// Writes an item, or the range that it begins.
fn range_or_item(
    item: Item,
    chars: &mut Chars,
    charset: Charset,
    depth: usize,
    out: &mut String,
) -> Result<(), String> {
    let is_range = chars.peek() == Some('-')
        && !matches!(chars.peek_at(1), None | Some(']'))
        && !chars.starts_with("-&&");
    match item {
        Item::Set(set) => {
            out.push_str(&set);
            if is_range && set.starts_with("[") && !matches!(chars.peek_at(1), Some('[')) {
                chars.advance(1);
                push_char(out, '-');
                if chars.peek() != Some('\\') {
                    return Err("unmatched range specifier in char-class".into());
                }
            }
            Ok(())
        }
        Item::Char(low) if is_range => {
            chars.advance(1);
            let next = chars.next().ok_or("premature end of char-class")?;
            match self::item(next, chars, charset, depth)? {
                Item::Char(high) if high < low => Err("empty range in char class".into()),
                Item::Char(high) => {
                    push_char(out, low);
                    out.push('-');
                    push_char(out, high);
                    // A hyphen directly after a range is literal.
                    if chars.peek() == Some('-')
                        && !matches!(chars.peek_at(1), None | Some(']' | '-'))
                    {
                        chars.advance(1);
                        push_char(out, '-');
                    }
                    Ok(())
                }
                Item::Set(_) if next == '[' => {
                    Err("unmatched range specifier in char-class".into())
                }
                Item::Set(_) => Err("char-class value at end of range".into()),
            }
        }
        Item::Char(c) => {
            push_char(out, c);
            Ok(())
        }
    }
}

/// Reads one item whose first character is `c`.
fn item(c: char, chars: &mut Chars, charset: Charset, depth: usize) -> Result<Item, String> {
    match c {
        '[' if chars.peek() == Some(':') => match posix_bracket(chars, charset)? {
            Some(set) => Ok(Item::Set(set)),
            None => Ok(Item::Set(read_nested(chars, charset, depth + 1)?)),
        },
        '[' => Ok(Item::Set(read_nested(chars, charset, depth + 1)?)),
        '\\' => escape(chars, charset),
        _ => Ok(Item::Char(c)),
    }
}

/// Reads `:name:]` after an opening bracket; without the closing part it is an ordinary class.
fn posix_bracket(chars: &mut Chars, charset: Charset) -> Result<Option<String>, String> {
    let rest = chars.rest();
    let negated = rest.get(1) == Some(&'^');
    let begin = 1 + usize::from(negated);
    let name = rest.iter().skip(begin).take_while(|c| !matches!(c, ':' | ']'));
    let name: String = name.collect();
    let end = begin + name.chars().count();
    if rest.get(end) != Some(&':') || rest.get(end + 1) != Some(&']') {
        return Ok(None);
    }
    let body = posix(&name, charset == Charset::Ascii).ok_or("invalid POSIX bracket type")?;
    chars.advance(end + 2);
    Ok(Some(format!("[{}{body}]", if negated { "^" } else { "" })))
}

/// Reads the rest of an escape sequence in a class.
fn escape(chars: &mut Chars, charset: Charset) -> Result<Item, String> {
    let c = chars.next().ok_or("premature end of char-class")?;
    if let Some(body) = shorthand(c, charset) {
        return Ok(Item::Set(format!("[{}{body}]", if c.is_ascii_uppercase() { "^" } else { "" })));
    }
    match c {
        'b' => Ok(Item::Char('\x08')),
        'p' | 'P' if chars.peek() == Some('{') => {
            Ok(Item::Set(property(chars, c == 'P', charset)?))
        }
        'u' if chars.peek() == Some('{') => {
            let mut list = chars.braced_code_points()?;
            match list.len() {
                1 => Ok(Item::Char(list.remove(0))),
                _ => {
                    let mut set = String::from("[");
                    list.into_iter().for_each(|c| push_char(&mut set, c));
                    set.push(']');
                    Ok(Item::Set(set))
                }
            }
        }
        '0'..='7' => chars.octal(c).map(Item::Char),
        _ => chars.escaped_char(c).map(Item::Char),
    }
}
