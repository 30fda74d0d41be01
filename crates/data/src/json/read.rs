//! The reader: RFC 8259, and comments as Ruby's JSON library accepts them.

use super::error::{Error, Problem};
use super::string;
use crate::number::integer;
use crate::{Map, Value};

/// The maximum depth of lists and maps.
const MAX_DEPTH: u32 = 128;

/// Reads a text. Of equal keys the last one wins. A byte order mark is skipped.
///
/// # Errors
/// When the text is not JSON, or nested too deeply.
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
/// As for [`read`], and when the bytes are not UTF-8.
pub fn read_bytes(bytes: &[u8]) -> Result<Value, Error> {
    match std::str::from_utf8(bytes) {
        Ok(text) => read(text),
        Err(e) => {
            let good = bytes.get(..e.valid_up_to()).unwrap_or_default();
            let good = std::str::from_utf8(good).unwrap_or_default();
            Err(Problem { at: good.len(), message: "the text is not UTF-8".into() }.at(good))
        }
    }
}

struct Reader<'t> {
    text: &'t str,
    at: usize,
    depth: u32,
}

impl<'t> Reader<'t> {
    fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or_default()
    }

    /// The text from a byte to the current one.
    fn since(&self, start: usize) -> &'t str {
        self.text.get(start..self.at).unwrap_or_default()
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn fail(&self, message: impl Into<String>) -> Problem {
        Problem { at: self.at, message: message.into() }
    }

    fn expected(&self, wanted: &str) -> Problem {
        Problem::expected(self.text, self.at, wanted)
    }

    fn blanks(&mut self) -> Result<(), Problem> {
        loop {
            while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
                self.at += 1;
            }
            let rest = self.rest();
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
        if self.depth >= MAX_DEPTH {
            return Err(self.fail(format!("the values are nested more than {MAX_DEPTH} deep")));
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
            if self.rest().starts_with(word) {
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
        let whole = self.since(digits);
        if whole.starts_with('0') && whole.len() > 1 {
            self.at = digits;
            return Err(self.fail("a number must not start with `0`"));
        }
        let end = self.at;
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
        let read = if self.at == end {
            integer(negative, self.since(digits), 10)
        } else {
            self.since(start).parse().ok().map(Value::Float)
        };
        read.ok_or_else(|| self.fail("no number"))
    }

    fn string(&mut self) -> Result<String, Problem> {
        let plain =
            |rest: &str| rest.bytes().take_while(|b| !matches!(b, b'"' | b'\\' | 0..=0x1f)).count();
        let (out, end) = string::quoted(self.text, self.at, plain)?;
        self.at = end;
        Ok(out)
    }
}
