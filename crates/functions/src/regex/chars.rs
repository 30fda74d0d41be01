//! The characters of a pattern, and context-independent escapes.

/// The characters of a pattern and a position in it.
pub(super) struct Chars {
    pub(super) all: Vec<char>,
    pub(super) at: usize,
}

impl Chars {
    pub(super) fn peek(&self) -> Option<char> {
        self.peek_at(0)
    }

    pub(super) fn peek_at(&self, offset: usize) -> Option<char> {
        self.all.get(self.at + offset).copied()
    }

    pub(super) fn next(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.at += 1;
        Some(c)
    }

    pub(super) fn advance(&mut self, count: usize) {
        self.at = (self.at + count).min(self.all.len());
    }

    pub(super) fn rest(&self) -> &[char] {
        &self.all[self.at..]
    }

    pub(super) fn starts_with(&self, text: &str) -> bool {
        text.chars().enumerate().all(|(index, c)| self.peek_at(index) == Some(c))
    }

    /// Up to `limit` digits of the radix; `None` if there is none.
    pub(super) fn digits(&mut self, radix: u32, limit: usize) -> Option<u32> {
        let mut value: Option<u32> = None;
        for _ in 0..limit {
            let Some(digit) = self.peek().and_then(|c| c.to_digit(radix)) else { break };
            value = Some(value.unwrap_or(0).saturating_mul(radix).saturating_add(digit));
            self.at += 1;
        }
        value
    }

    /// The character of an octal escape whose first digit is `first`.
    pub(super) fn octal(&mut self, first: char) -> Result<char, String> {
        let mut value = first.to_digit(8).unwrap_or(0);
        for _ in 0..2 {
            let Some(digit) = self.peek().and_then(|c| c.to_digit(8)) else { break };
            value = value * 8 + digit;
            self.at += 1;
        }
        match u8::try_from(value) {
            Ok(byte) if byte.is_ascii() => Ok(char::from(byte)),
            Ok(byte) => self.multibyte(byte),
            Err(_) => Err("invalid escape code".into()),
        }
    }

    /// The characters in the braces of `\u{61 62}`; the caller has seen the brace.
    pub(super) fn braced_code_points(&mut self) -> Result<Vec<char>, String> {
        self.advance(1);
        let mut list = Vec::new();
        loop {
            while self.peek() == Some(' ') {
                self.advance(1);
            }
            if self.peek() == Some('}') && !list.is_empty() {
                self.advance(1);
                return Ok(list);
            }
            let code = self.digits(16, 8).ok_or("invalid Unicode list")?;
            list.push(char::from_u32(code).ok_or("invalid Unicode range")?);
        }
    }

    /// The character of a context-independent escape sequence that begins with `c`.
    pub(super) fn escaped_char(&mut self, c: char) -> Result<char, String> {
        Ok(match c {
            't' => '\t',
            'n' => '\n',
            'r' => '\r',
            'f' => '\x0c',
            'v' => '\x0b',
            'a' => '\x07',
            'e' => '\x1b',
            'x' => {
                let value = self.digits(16, 2).ok_or("invalid hex escape")?;
                match u8::try_from(value) {
                    Ok(byte) if !byte.is_ascii() => self.multibyte(byte)?,
                    _ => char::from_u32(value).ok_or("invalid hex escape")?,
                }
            }
            'u' => {
                let start = self.at;
                let value = self.digits(16, 4);
                match value {
                    Some(value) if self.at - start == 4 => {
                        char::from_u32(value).ok_or("invalid Unicode range")?
                    }
                    _ => return Err("invalid Unicode escape".into()),
                }
            }
            'c' => self.control()?,
            'C' => match (self.next(), self.peek()) {
                (Some('-'), Some(_)) => self.control()?,
                _ => return Err("too short control escape".into()),
            },
            'M' => return Err("too short escaped multibyte character".into()),
            _ => c,
        })
    }

    fn control(&mut self) -> Result<char, String> {
        match self.next() {
            Some('?') => Ok('\x7f'),
            Some(c) => {
                char::from_u32(u32::from(c) & 0x1f).ok_or_else(|| "invalid control escape".into())
            }
            None => Err("too short control escape".into()),
        }
    }

    /// The character of several `\xHH` bytes, the first of which has been read.
    fn multibyte(&mut self, first: u8) -> Result<char, String> {
        let wanted = match first {
            0xC2..=0xDF => 2,
            0xE0..=0xEF => 3,
            0xF0..=0xF4 => 4,
            _ => return Err("invalid multibyte escape".into()),
        };
        let mut bytes = vec![first];
        while bytes.len() < wanted {
            if !self.starts_with("\\x") {
                return Err("too short escaped multibyte character".into());
            }
            self.advance(2);
            let value = self.digits(16, 2).ok_or("invalid hex escape")?;
            bytes.push(u8::try_from(value).unwrap_or(0));
        }
        let text = std::str::from_utf8(&bytes).map_err(|_| "invalid multibyte escape")?;
        text.chars().next().ok_or_else(|| "invalid multibyte escape".into())
    }
}
