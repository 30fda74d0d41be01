//! Splits a template into text, and tags with their tokens.

use std::str::FromStr;

use ecow::EcoString;
use num_bigint::BigInt;
use ordain_functions::text::is_python_space;

/// The kinds of tokens. Messages print operators literally.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Token {
    Data(EcoString),
    BlockBegin,
    BlockEnd,
    VariableBegin,
    VariableEnd,
    Name(EcoString),
    Text(EcoString),
    Integer(BigInt),
    Float(f64),
    Operator(&'static str),
    End,
    /// A lexical error.
    Error(String),
}

/// A token with its line.
#[derive(Clone, Debug)]
pub(super) struct PositionedToken {
    pub(super) token: Token,
    pub(super) line: u32,
}

impl Token {
    /// The description in errors.
    pub(super) fn described(&self) -> String {
        match self {
            Self::Data(_) => "template data / text".into(),
            Self::BlockBegin => "begin of statement block".into(),
            Self::BlockEnd => "end of statement block".into(),
            Self::VariableBegin => "begin of print statement".into(),
            Self::VariableEnd => "end of print statement".into(),
            Self::Name(name) => name.to_string(),
            Self::Text(_) => "string".into(),
            Self::Integer(_) => "integer".into(),
            Self::Float(_) => "float".into(),
            Self::Operator(operator) => (*operator).into(),
            Self::End => "end of template".into(),
            Self::Error(text) => text.clone(),
        }
    }
}

/// The operators, longer ones before their prefixes.
const OPERATORS: &[&str] = &[
    "//", "**", "==", "!=", ">=", "<=", "+", "-", "/", "*", "%", "~", "[", "]", "(", ")", "{", "}",
    ">", "<", "=", ".", ":", "|", ",", ";",
];

/// All tokens of a template. The last one is the end or an error.
pub(super) fn tokens(source: &str) -> Vec<PositionedToken> {
    let source = source.replace("\r\n", "\n").replace('\r', "\n");
    let source = source.strip_suffix('\n').unwrap_or(&source);
    let mut lexer = Lexer { source, at: 0, line: 1, tokens: Vec::new() };
    let last = match lexer.run() {
        Ok(()) => Token::End,
        Err(text) => Token::Error(text),
    };
    // Jinja reports the end at the line of the last token.
    let line = match &last {
        Token::End => lexer.tokens.last().map_or(1, |token| token.line),
        _ => lexer.line,
    };
    lexer.tokens.push(PositionedToken { token: last, line });
    lexer.tokens
}

struct Lexer<'a> {
    source: &'a str,
    at: usize,
    line: u32,
    tokens: Vec<PositionedToken>,
}

/// The kinds of tags.
enum TagKind {
    /// A raw block, with the end of its first tag.
    Raw(usize),
    Comment,
    Block,
    Variable,
}

fn newlines(text: &str) -> u32 {
    u32::try_from(text.matches('\n').count()).unwrap_or(u32::MAX)
}

fn spaces(text: &str) -> usize {
    text.find(|c| !is_python_space(c)).unwrap_or(text.len())
}

/// The length of the end of a tag: `+%}`, `-%}` with the blanks after it, or `%}`.
fn tag_end(text: &str, close: &str, plus: bool) -> Option<usize> {
    if text.starts_with(close) {
        return Some(close.len());
    }
    if plus && text.strip_prefix('+').is_some_and(|rest| rest.starts_with(close)) {
        return Some(1 + close.len());
    }
    let rest = text.strip_prefix('-')?.strip_prefix(close)?;
    Some(1 + close.len() + spaces(rest))
}

impl Lexer<'_> {
    fn rest(&self) -> &str {
        &self.source[self.at..]
    }

    fn push(&mut self, token: Token) {
        self.tokens.push(PositionedToken { token, line: self.line });
    }

    fn skip(&mut self, bytes: usize) {
        self.line += newlines(&self.source[self.at..self.at + bytes]);
        self.at += bytes;
    }

    fn run(&mut self) -> Result<(), String> {
        while self.at < self.source.len() {
            let Some((begin, opening)) = self.opening() else {
                let data = self.rest().into();
                self.push(Token::Data(data));
                self.skip(self.rest().len());
                return Ok(());
            };
            let is_stripped = self.source[begin + 2..].starts_with('-');
            self.data(begin, is_stripped);
            let sign = usize::from(self.source[begin + 2..].starts_with(['-', '+']));
            match opening {
                TagKind::Raw(end) => {
                    self.skip(end - self.at);
                    self.raw()?;
                }
                TagKind::Comment => {
                    self.skip(2 + sign);
                    self.comment()?;
                }
                TagKind::Block => {
                    self.push(Token::BlockBegin);
                    self.skip(2 + sign);
                    self.tag("%}", true)?;
                }
                TagKind::Variable => {
                    self.push(Token::VariableBegin);
                    self.skip(2 + sign);
                    self.tag("}}", false)?;
                }
            }
        }
        Ok(())
    }

    /// The offset and the kind of the next tag.
    fn opening(&self) -> Option<(usize, TagKind)> {
        let mut from = self.at;
        loop {
            let begin = from + self.source[from..].find('{')?;
            let opening = match self.source.as_bytes().get(begin + 1) {
                Some(b'%') => Some(match self.raw_tag(begin) {
                    Some(end) => TagKind::Raw(end),
                    None => TagKind::Block,
                }),
                Some(b'{') => Some(TagKind::Variable),
                Some(b'#') => Some(TagKind::Comment),
                _ => None,
            };
            if let Some(opening) = opening {
                return Some((begin, opening));
            }
            from = begin + 1;
        }
    }

    /// The end of a `{% raw %}` tag, if it is one.
    fn raw_tag(&self, begin: usize) -> Option<usize> {
        let text = &self.source[begin + 2..];
        let text = text.strip_prefix(['-', '+']).unwrap_or(text);
        let text = text[spaces(text)..].strip_prefix("raw")?;
        let text = &text[spaces(text)..];
        let end = tag_end(text, "%}", false)?;
        Some(self.source.len() - text.len() + end)
    }

    /// Adds the text before a tag.
    fn data(&mut self, end: usize, is_stripped: bool) {
        let text = &self.source[self.at..end];
        let kept = if is_stripped { text.trim_end_matches(is_python_space) } else { text };
        if !kept.is_empty() {
            let data = kept.into();
            self.push(Token::Data(data));
        }
        self.skip(end - self.at);
    }

    fn raw(&mut self) -> Result<(), String> {
        let mut from = self.at;
        while let Some(found) = self.source[from..].find("{%") {
            let begin = from + found;
            let text = &self.source[begin + 2..];
            let is_stripped = text.starts_with('-');
            let text = text.strip_prefix(['-', '+']).unwrap_or(text);
            if let Some(text) = text[spaces(text)..].strip_prefix("endraw") {
                let text = &text[spaces(text)..];
                if let Some(end) = tag_end(text, "%}", true) {
                    let after = self.source.len() - text.len() + end;
                    self.data(begin, is_stripped);
                    self.skip(after - self.at);
                    return Ok(());
                }
            }
            from = begin + 1;
        }
        if self.rest().is_empty() { Ok(()) } else { Err("Missing end of raw directive".into()) }
    }

    fn comment(&mut self) -> Result<(), String> {
        let Some(found) = self.rest().find("#}") else {
            return if self.rest().is_empty() {
                Ok(())
            } else {
                Err("Missing end of comment tag".into())
            };
        };
        let begin = self.at + found;
        let is_stripping = begin > self.at && self.source.as_bytes()[begin - 1] == b'-';
        let mut end = begin + 2;
        if is_stripping {
            end += spaces(&self.source[end..]);
        }
        self.skip(end - self.at);
        Ok(())
    }

    /// Reads the tokens of a tag, up to its end.
    fn tag(&mut self, close: &str, plus: bool) -> Result<(), String> {
        let mut open: Vec<&'static str> = Vec::new();
        while self.at < self.source.len() {
            if open.is_empty()
                && let Some(length) = tag_end(self.rest(), close, plus)
            {
                self.push(if plus { Token::BlockEnd } else { Token::VariableEnd });
                self.skip(length);
                return Ok(());
            }
            let blank = spaces(self.rest());
            if blank > 0 {
                self.skip(blank);
                continue;
            }
            if self.number() || self.name()? || self.text()? {
                continue;
            }
            let found = OPERATORS.iter().find(|operator| self.rest().starts_with(**operator));
            let Some(operator) = found else {
                let c = self.rest().chars().next().unwrap_or_default();
                let quoted = crate::value::string_repr(&c.to_string());
                let at = self.source[..self.at].chars().count();
                return Err(format!("unexpected char {quoted} at {at}"));
            };
            match *operator {
                "{" => open.push("}"),
                "(" => open.push(")"),
                "[" => open.push("]"),
                "}" | ")" | "]" => match open.pop() {
                    None => return Err(format!("unexpected '{operator}'")),
                    Some(expected) if expected != *operator => {
                        return Err(format!("unexpected '{operator}', expected '{expected}'"));
                    }
                    Some(_) => {}
                },
                _ => {}
            }
            self.push(Token::Operator(operator));
            self.skip(operator.len());
        }
        Ok(())
    }

    fn number(&mut self) -> bool {
        let text = self.rest();
        if !text.starts_with(|c: char| c.is_ascii_digit()) {
            return false;
        }
        let is_after_dot = self.source[..self.at].ends_with('.');
        if !is_after_dot
            && let Some(length) = float_length(text)
            && let Ok(number) = f64::from_str(&text[..length].replace('_', ""))
        {
            self.push(Token::Float(number));
            self.skip(length);
            return true;
        }
        let Some((radix, prefix, length)) = integer_length(text) else { return false };
        let digits = text[prefix..length].replace('_', "");
        let number = BigInt::parse_bytes(digits.as_bytes(), radix).unwrap_or_default();
        self.push(Token::Integer(number));
        self.skip(length);
        true
    }

    fn name(&mut self) -> Result<bool, String> {
        let text = self.rest();
        let is_part = |c: char| c.is_alphanumeric() || c == '_' || is_mark(c);
        let length = text.find(|c| !is_part(c)).unwrap_or(text.len());
        if length == 0 {
            return Ok(false);
        }
        let name: EcoString = text[..length].into();
        if !name.starts_with(|c: char| c.is_alphabetic() || c == '_') {
            return Err("Invalid character in identifier".into());
        }
        self.push(Token::Name(name));
        self.skip(length);
        Ok(true)
    }

    fn text(&mut self) -> Result<bool, String> {
        let text = self.rest();
        let Some(quote) = text.chars().next().filter(|c| matches!(c, '\'' | '"')) else {
            return Ok(false);
        };
        let mut is_escaped = false;
        for (at, c) in text.char_indices().skip(1) {
            match c {
                _ if is_escaped => is_escaped = false,
                '\\' => is_escaped = true,
                c if c == quote => {
                    let value = unescaped(&text[1..at])?;
                    self.push(Token::Text(value.into()));
                    self.skip(at + 1);
                    return Ok(true);
                }
                _ => {}
            }
        }
        Ok(false)
    }
}

/// Whether a character is allowed in names, beside letters and digits.
fn is_mark(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}' | '\u{b7}' | '\u{203f}' | '\u{2040}')
}

/// The length of digits, with `_` between them.
fn digits_length(text: &str, is_digit: fn(u8) -> bool) -> usize {
    let bytes = text.as_bytes();
    let mut at = 0;
    loop {
        match bytes.get(at) {
            Some(byte) if is_digit(*byte) => at += 1,
            Some(b'_') if at > 0 && bytes.get(at + 1).is_some_and(|byte| is_digit(*byte)) => {
                at += 2
            }
            _ => return at,
        }
    }
}

fn float_length(text: &str) -> Option<usize> {
    let decimal = |text: &str| digits_length(text, |byte| byte.is_ascii_digit());
    let whole = decimal(text);
    let mut length = whole;
    let mut is_float = false;
    if let Some(rest) = text[length..].strip_prefix('.') {
        let fraction = decimal(rest);
        if fraction > 0 {
            length += 1 + fraction;
            is_float = true;
        }
    }
    if let Some(rest) = text[length..].strip_prefix(['e', 'E']) {
        let sign = usize::from(rest.starts_with(['+', '-']));
        let exponent = decimal(&rest[sign..]);
        if exponent > 0 {
            length += 1 + sign + exponent;
            is_float = true;
        }
    }
    is_float.then_some(length)
}

/// The base of a number, the length of its prefix, and its whole length.
fn integer_length(text: &str) -> Option<(u32, usize, usize)> {
    type Table = (&'static str, u32, fn(u8) -> bool);
    let tables: [Table; 3] = [
        ("0b", 2, |byte| matches!(byte, b'0' | b'1')),
        ("0o", 8, |byte| matches!(byte, b'0'..=b'7')),
        ("0x", 16, |byte| byte.is_ascii_hexdigit()),
    ];
    let start = text.get(..2).unwrap_or_default().to_ascii_lowercase();
    for (prefix, radix, is_digit) in tables {
        if start == prefix {
            let rest = &text[2..];
            let skipped = usize::from(rest.starts_with('_'));
            let length = digits_length(&rest[skipped..], is_digit);
            if length > 0 {
                return Some((radix, 2, 2 + skipped + length));
            }
        }
    }
    let length = if text.starts_with('0') {
        digits_length(text, |byte| byte == b'0')
    } else {
        digits_length(text, |byte| byte.is_ascii_digit())
    };
    (length > 0).then_some((10, 0, length))
}

/// Decodes `xXX`, `uXXXX` and `UXXXXXXXX`: the character, and the number of digits.
fn hex_escape(kind: char, text: &str) -> Result<(char, usize), String> {
    let (length, shown) = match kind {
        'x' => (2, "\\xXX"),
        'u' => (4, "\\uXXXX"),
        _ => (8, "\\UXXXXXXXX"),
    };
    let digits = text.get(..length).filter(|d| d.bytes().all(|b| b.is_ascii_hexdigit()));
    let Some(digits) = digits else { return Err(format!("truncated {shown} escape")) };
    let code = u32::from_str_radix(digits, 16).unwrap_or(u32::MAX);
    if code > 0x10_ffff {
        return Err("illegal Unicode character".into());
    }
    Ok((char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER), length))
}

/// Decodes Python's escapes.
fn unescaped(text: &str) -> Result<String, String> {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        out.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        let Some(c) = rest.chars().next() else { return Err("\\ at end of string".into()) };
        rest = &rest[c.len_utf8()..];
        let plain = match c {
            '\n' => continue,
            '\\' | '\'' | '"' => c,
            'a' => '\x07',
            'b' => '\x08',
            'f' => '\x0c',
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            'v' => '\x0b',
            '0'..='7' => {
                let more = rest.bytes().take(2).take_while(|b| matches!(b, b'0'..=b'7')).count();
                let digits = format!("{c}{}", &rest[..more]);
                rest = &rest[more..];
                let code = u32::from_str_radix(&digits, 8).unwrap_or_default();
                char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER)
            }
            'x' | 'u' | 'U' => {
                let (found, length) = hex_escape(c, rest)?;
                rest = &rest[length..];
                found
            }
            'N' => {
                let name = rest.strip_prefix('{').and_then(|rest| rest.split_once('}'));
                let Some((name, after)) = name.filter(|(name, _)| !name.is_empty()) else {
                    return Err("malformed \\N character escape".into());
                };
                let Some(found) = unicode_names2::character(name) else {
                    return Err("unknown Unicode character name".into());
                };
                rest = after;
                found
            }
            _ => {
                out.push('\\');
                c
            }
        };
        out.push(plain);
    }
    out.push_str(rest);
    Ok(out)
}
