//! The reader: RFC 8259, and comments as Ruby's JSON library accepts them.

use ordain_source::TextRange;

use super::Error;
use crate::number::integer;
use crate::{Map, Value};

/// How deep lists and maps may be nested.
const DEPTH: u32 = 128;

/// Reads a text. Of equal keys the last one counts. A byte order mark is skipped.
///
/// # Errors
/// When the text is no JSON, or nested too deep.
pub fn read(text: &str) -> Result<Value, Error> {
    let start = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    let mut reader = Reader { text, at: start, depth: 0 };
    let value = reader.blanks().and_then(|()| reader.value());
    let end = value.and_then(|value| {
        reader.blanks()?;
        if reader.at < text.len() {
            Err(reader.fail("text after the end of the value"))
        } else {
            Ok(value)
        }
    });
    end.map_err(|problem| problem.at(text))
}

/// Like [`read`], for bytes: they must be UTF-8.
///
/// # Errors
/// As for [`read`], and when the bytes are no UTF-8 text.
pub fn read_bytes(bytes: &[u8]) -> Result<Value, Error> {
    match std::str::from_utf8(bytes) {
        Ok(text) => read(text),
        Err(e) => {
            let good = std::str::from_utf8(&bytes[..e.valid_up_to()]).unwrap_or_default();
            Err(Problem { at: good.len(), message: "the text is not UTF-8".into() }.at(good))
        }
    }
}

/// What is wrong, and the byte where.
pub(crate) struct Problem {
    pub(crate) at: usize,
    pub(crate) message: String,
}

impl Problem {
    /// The error in the text.
    pub(crate) fn at(self, text: &str) -> Error {
        let before = text.get(..self.at).unwrap_or(text);
        let line = before.bytes().filter(|b| *b == b'\n').count() + 1;
        let column = before.rsplit('\n').next().map_or(0, |l| l.chars().count()) + 1;
        let [line, column, at] =
            [line, column, self.at].map(|n| u32::try_from(n).unwrap_or(u32::MAX));
        Error { message: self.message, range: TextRange::new(at, at), line, column }
    }
}

struct Reader<'t> {
    text: &'t str,
    at: usize,
    depth: u32,
}

impl Reader<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn fail(&self, message: impl Into<String>) -> Problem {
        Problem { at: self.at, message: message.into() }
    }

    fn expected(&self, what: &str) -> Problem {
        match self.text.get(self.at..).and_then(|rest| rest.chars().next()) {
            Some(c) => self.fail(format!("expected {what}, found `{}`", c.escape_debug())),
            None => self.fail(format!("expected {what}, but the text ends")),
        }
    }

    fn blanks(&mut self) -> Result<(), Problem> {
        loop {
            while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
                self.at += 1;
            }
            let rest = &self.text[self.at..];
            let length = if rest.starts_with("//") {
                rest.find('\n').unwrap_or(rest.len())
            } else if let Some(body) = rest.strip_prefix("/*") {
                match body.find("*/") {
                    Some(end) => end + 4,
                    None => return Err(self.fail("the comment has no end")),
                }
            } else {
                return Ok(());
            };
            self.at += length;
        }
    }

    fn value(&mut self) -> Result<Value, Problem> {
        match self.peek() {
            Some(b'{') => self.nested(Self::map),
            Some(b'[') => self.nested(Self::list),
            Some(b'"') => Ok(Value::from(self.string()?)),
            Some(b'-' | b'0'..=b'9') => self.number(),
            _ => self.word(),
        }
    }

    fn nested(
        &mut self,
        read: impl FnOnce(&mut Self) -> Result<Value, Problem>,
    ) -> Result<Value, Problem> {
        if self.depth >= DEPTH {
            return Err(self.fail(format!("the values are nested more than {DEPTH} deep")));
        }
        self.depth += 1;
        self.at += 1;
        let value = read(self)?;
        self.depth -= 1;
        Ok(value)
    }

    fn word(&mut self) -> Result<Value, Problem> {
        let words =
            [("null", Value::Null), ("true", Value::Bool(true)), ("false", Value::Bool(false))];
        for (word, value) in words {
            if self.text[self.at..].starts_with(word) {
                self.at += word.len();
                return Ok(value);
            }
        }
        Err(self.expected("a value"))
    }

    fn list(&mut self) -> Result<Value, Problem> {
        let mut items = Vec::new();
        loop {
            self.blanks()?;
            if self.peek() == Some(b']') && items.is_empty() {
                break;
            }
            items.push(self.value()?);
            self.blanks()?;
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(b']') => break,
                _ => return Err(self.expected("`,` or `]`")),
            }
        }
        self.at += 1;
        Ok(Value::List(items.into()))
    }

    fn map(&mut self) -> Result<Value, Problem> {
        let mut map = Map::default();
        loop {
            self.blanks()?;
            match self.peek() {
                Some(b'}') if map.is_empty() => break,
                Some(b'"') => {}
                _ => return Err(self.expected("a key in double quotes")),
            }
            let key = self.string()?;
            self.blanks()?;
            if self.peek() != Some(b':') {
                return Err(self.expected("`:`"));
            }
            self.at += 1;
            self.blanks()?;
            let value = self.value()?;
            map.insert(key.into(), value);
            self.blanks()?;
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(b'}') => break,
                _ => return Err(self.expected("`,` or `}`")),
            }
        }
        self.at += 1;
        Ok(Value::Map(map.into()))
    }

    fn digits(&mut self) -> Result<(), Problem> {
        let start = self.at;
        while self.peek().is_some_and(|b| b.is_ascii_digit()) {
            self.at += 1;
        }
        if self.at == start { Err(self.expected("a digit")) } else { Ok(()) }
    }

    fn number(&mut self) -> Result<Value, Problem> {
        let start = self.at;
        let negative = self.peek() == Some(b'-');
        self.at += usize::from(negative);
        let digits = self.at;
        self.digits()?;
        if self.text.as_bytes()[digits] == b'0' && self.at > digits + 1 {
            self.at = digits;
            return Err(self.fail("a number must not start with `0`"));
        }
        let whole = self.at;
        if self.peek() == Some(b'.') {
            self.at += 1;
            self.digits()?;
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            self.at += 1;
            if matches!(self.peek(), Some(b'+' | b'-')) {
                self.at += 1;
            }
            self.digits()?;
        }
        let read = if self.at == whole {
            integer(negative, &self.text[digits..whole], 10)
        } else {
            self.text[start..self.at].parse().ok().map(Value::Float)
        };
        read.ok_or_else(|| self.fail("no number"))
    }

    fn string(&mut self) -> Result<String, Problem> {
        let start = self.at;
        self.at += 1;
        let mut out = String::new();
        loop {
            let rest = &self.text.as_bytes()[self.at..];
            let plain = rest.iter().take_while(|b| !matches!(b, b'"' | b'\\' | 0..=0x1f)).count();
            out.push_str(&self.text[self.at..self.at + plain]);
            self.at += plain;
            match self.peek() {
                Some(b'"') => break,
                Some(b'\\') => out.push(self.escape()?),
                Some(_) => {
                    return Err(self.fail("a control character must be written as an escape"));
                }
                None => {
                    self.at = start;
                    return Err(self.fail("the string has no end"));
                }
            }
        }
        self.at += 1;
        Ok(out)
    }

    fn escape(&mut self) -> Result<char, Problem> {
        self.at += 1;
        let c = match self.peek() {
            Some(b'n') => '\n',
            Some(b't') => '\t',
            Some(b'r') => '\r',
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(c @ (b'"' | b'\\' | b'/')) => char::from(c),
            Some(b'u') => return self.unicode(),
            _ => return Err(self.expected("an escape")),
        };
        self.at += 1;
        Ok(c)
    }

    /// What follows `\u`; two halves of a pair make one character, a half alone none.
    fn unicode(&mut self) -> Result<char, Problem> {
        let first = self.hex4()?;
        if !(0xd800..0xdc00).contains(&first) {
            return Ok(char::from_u32(first).unwrap_or(char::REPLACEMENT_CHARACTER));
        }
        let before = self.at;
        if self.text[self.at..].starts_with("\\u") {
            self.at += 1;
            let second = self.hex4()?;
            if (0xdc00..0xe000).contains(&second) {
                let code = 0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00);
                return Ok(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER));
            }
            self.at = before;
        }
        Ok(char::REPLACEMENT_CHARACTER)
    }

    fn hex4(&mut self) -> Result<u32, Problem> {
        self.at += 1;
        let digits = self
            .text
            .get(self.at..self.at + 4)
            .filter(|d| d.bytes().all(|b| b.is_ascii_hexdigit()));
        match digits.and_then(|d| u32::from_str_radix(d, 16).ok()) {
            Some(code) => {
                self.at += 4;
                Ok(code)
            }
            None => Err(self.expected("four hexadecimal digits")),
        }
    }
}
