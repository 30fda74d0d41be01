//! Strings in double quotes, as JSON and HOCON write them.

use super::error::Problem;

/// Reads a string whose opening quote is at a byte; returns the text, and the position after the
/// closing quote. `plain` returns the length of the prefix without escapes.
pub(crate) fn quoted(
    text: &str,
    start: usize,
    plain: impl Fn(&str) -> usize,
) -> Result<(String, usize), Problem> {
    let mut string = Quoted { text, at: start + 1 };
    let mut out = String::new();
    loop {
        let end = string.at + plain(string.rest());
        out.push_str(text.get(string.at..end).unwrap_or_default());
        string.at = end;
        match string.peek() {
            Some('"') => return Ok((out, end + 1)),
            Some('\\') => out.push(string.escape()?),
            Some(_) => {
                let message = "a control character must be written as an escape".into();
                return Err(Problem { at: end, message });
            }
            None => return Err(Problem { at: start, message: "the string has no end".into() }),
        }
    }
}

struct Quoted<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Quoted<'t> {
    fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn expected(&self, wanted: &str) -> Problem {
        Problem::expected(self.text, self.at, wanted)
    }

    fn escape(&mut self) -> Result<char, Problem> {
        self.at += 1;
        let c = match self.peek() {
            Some('n') => '\n',
            Some('t') => '\t',
            Some('r') => '\r',
            Some('b') => '\u{8}',
            Some('f') => '\u{c}',
            Some(c @ ('"' | '\\' | '/')) => c,
            Some('u') => return self.unicode(),
            _ => return Err(self.expected("an escape")),
        };
        self.at += 1;
        Ok(c)
    }

    /// The digits after `\u`; a surrogate pair makes one character, half a pair is an error.
    fn unicode(&mut self) -> Result<char, Problem> {
        let first = self.hex4()?;
        if !(0xd800..0xdc00).contains(&first) {
            return Ok(char::from_u32(first).unwrap_or(char::REPLACEMENT_CHARACTER));
        }
        let before = self.at;
        if self.rest().starts_with("\\u") {
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
