//! Numbers, and the errors about words that look like one.

use super::{Lexer, Step, TokenKind, is_word};

impl Lexer<'_, '_> {
    pub(super) fn number(&mut self) -> Step {
        let start = self.pos;
        match self.number_end() {
            Some(end) => {
                self.pos = end;
                self.matched = (start, end);
                self.check_number(start, start, end)?;
                self.push(TokenKind::Number, start, end);
                Ok(())
            }
            None => self.bad_number(),
        }
    }

    fn digits(&self, mut at: usize) -> usize {
        while self.bytes.get(at).is_some_and(u8::is_ascii_digit) {
            at += 1;
        }
        at
    }

    /// Whether a number ends here. Letters beyond ASCII count as part of the word here, although
    /// they are not allowed in words.
    fn ends_word(&self, at: usize) -> bool {
        match self.bytes.get(at) {
            Some(byte) if !byte.is_ascii() => {
                let next = self.text.get(at..).and_then(|rest| rest.chars().next());
                !next.is_some_and(char::is_alphanumeric)
            }
            byte => !byte.is_some_and(|&b| is_word(b)),
        }
    }

    /// The longest number at the position that is followed by no letter.
    fn number_end(&self) -> Option<usize> {
        let start = self.pos;
        if self.at(0) == b'0' && matches!(self.at(1), b'x' | b'X') {
            let mut end = start + 2;
            while self.bytes.get(end).is_some_and(u8::is_ascii_hexdigit) {
                end += 1;
            }
            return (end > start + 2 && self.ends_word(end)).then_some(end);
        }
        let whole = self.digits(start);
        let fraction = match self.bytes.get(whole) {
            Some(b'.') => Some(self.digits(whole + 1)).filter(|&end| end > whole + 1),
            _ => None,
        };
        [fraction, Some(whole)]
            .into_iter()
            .flatten()
            .flat_map(|end| [self.exponent_end(end), Some(end)])
            .flatten()
            .find(|&end| self.ends_word(end))
    }

    fn exponent_end(&self, at: usize) -> Option<usize> {
        if !matches!(self.bytes.get(at), Some(b'e' | b'E')) {
            return None;
        }
        let first = at + 1 + usize::from(self.bytes.get(at + 1) == Some(&b'-'));
        Some(self.digits(first)).filter(|&end| end > first)
    }

    /// Reports a malformed number; a fraction is reported with the digits before its dot.
    fn bad_number(&mut self) -> Step {
        let at = self.pos;
        let end = self.word_end(at);
        let mut start = at;
        if at > 1 && self.bytes.get(at - 1) == Some(&b'.') {
            let digits = self.bytes[..at - 1].iter().rev().take_while(|b| b.is_ascii_digit());
            let count = digits.count();
            if count > 0 {
                start = at - 1 - count;
            }
        }
        self.check_number(start, start, end)?;
        let value = &self.text[start..end];
        Err(self.fatal("ILLEGAL_NUMBER", start + 1, || format!("Illegal number '{value}'")))
    }

    fn check_number(&self, at: usize, start: usize, end: usize) -> Step {
        let value = &self.text[start..end];
        let bytes = value.as_bytes();
        let (issue, what, good) = match bytes {
            [b'0', b'x' | b'X', rest @ ..] => (
                "INVALID_HEX_NUMBER",
                "Not a valid hex number ",
                !rest.is_empty() && rest.iter().all(u8::is_ascii_hexdigit),
            ),
            [b'0', next, ..] if *next != b'.' => (
                "INVALID_OCTAL_NUMBER",
                "Not a valid octal number ",
                bytes.iter().all(|b| matches!(b, b'0'..=b'7')),
            ),
            _ => match bytes.iter().position(|b| !b.is_ascii_digit()) {
                None => return Ok(()),
                Some(i) if matches!(bytes.get(i), Some(b'e' | b'E' | b'.')) => {
                    ("INVALID_DECIMAL_NUMBER", "Not a valid decimal number ", is_decimal(bytes))
                }
                Some(_) => {
                    return Err(
                        self.fatal("ILLEGAL_NUMBER", at, || format!("Illegal number '{value}'"))
                    );
                }
            },
        };
        if good { Ok(()) } else { Err(self.fatal(issue, at, || format!("{what}{value}"))) }
    }
}

/// Digits, optionally a fraction, optionally an exponent.
fn is_decimal(bytes: &[u8]) -> bool {
    let digits = |b: &[u8]| b.iter().take_while(|c| c.is_ascii_digit()).count();
    let mut at = digits(bytes);
    if bytes.get(at) == Some(&b'.') {
        let n = digits(&bytes[at + 1..]);
        if n == 0 {
            return false;
        }
        at += 1 + n;
    }
    if matches!(bytes.get(at), Some(b'e' | b'E')) {
        at += 1 + usize::from(bytes.get(at + 1) == Some(&b'-'));
        let n = digits(&bytes[at..]);
        if n == 0 {
            return false;
        }
        at += n;
    }
    at == bytes.len()
}
