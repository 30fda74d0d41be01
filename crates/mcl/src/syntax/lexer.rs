//! The lexer. It makes one pass over the bytes and stops at the first error.

use ordain_source::TextRange;

use super::error::{SyntaxError, SyntaxKind};
use super::token::{Token, TokenKind};
use crate::Edition;

/// The result of the lexer.
#[derive(Default, Debug)]
pub struct Lexed {
    /// The tokens; the last one is [`TokenKind::End`].
    pub tokens: Vec<Token>,
    /// The comments, each from `#` to before the end of its line.
    pub comments: Vec<TextRange>,
}

/// Cuts a text into tokens.
///
/// # Errors
/// At the first text that is no token.
pub fn lex(text: &str, edition: Edition) -> Result<Lexed, SyntaxError> {
    let mut lexer = Lexer { text, bytes: text.as_bytes(), pos: 0, edition, out: Lexed::default() };
    lexer.out.tokens.reserve(text.len() / 5);
    while lexer.pos < lexer.bytes.len() {
        lexer.token()?;
    }
    let end = text.len() as u32;
    let added = edition == Edition::Wide
        && lexer.out.tokens.last().is_some_and(|last| last.kind != TokenKind::Newline);
    if added {
        lexer.push(TokenKind::Newline, end as usize);
    }
    let range = TextRange::new(end, end);
    lexer.out.tokens.push(Token { kind: TokenKind::End, range });
    Ok(lexer.out)
}

struct Lexer<'t> {
    text: &'t str,
    bytes: &'t [u8],
    pos: usize,
    edition: Edition,
    out: Lexed,
}

impl Lexer<'_> {
    fn push(&mut self, kind: TokenKind, end: usize) {
        let range = TextRange::new(self.pos as u32, end as u32);
        self.out.tokens.push(Token { kind, range });
        self.pos = end;
    }

    fn peek(&self, ahead: usize) -> u8 {
        self.bytes.get(self.pos + ahead).copied().unwrap_or(0)
    }

    fn token(&mut self) -> Result<(), SyntaxError> {
        match self.bytes[self.pos] {
            b' ' | b'\t' => self.pos += 1,
            b'\n' => self.push(TokenKind::Newline, self.pos + 1),
            b'#' => {
                let rest = &self.bytes[self.pos..];
                let len = rest.iter().position(|b| *b == b'\n').unwrap_or(rest.len());
                let range = TextRange::new(self.pos as u32, (self.pos + len) as u32);
                self.out.comments.push(range);
                self.pos += len;
            }
            b'"' => return self.string(),
            b'0'..=b'9' => return self.number(),
            b'-' if self.peek(1).is_ascii_digit() => return self.number(),
            b'a'..=b'z' | b'A'..=b'Z' => self.word(),
            _ => return self.symbol(),
        }
        Ok(())
    }

    fn string(&mut self) -> Result<(), SyntaxError> {
        let mut at = self.pos + 1;
        while let Some(byte) = self.bytes.get(at) {
            match byte {
                b'"' => {
                    self.push(TokenKind::String, at + 1);
                    return Ok(());
                }
                b'\\' => at += 2,
                _ => at += 1,
            }
        }
        Err(self.unknown())
    }

    fn number(&mut self) -> Result<(), SyntaxError> {
        let digits = |from: usize| {
            let rest = &self.bytes[from.min(self.bytes.len())..];
            from + rest.iter().position(|b| !b.is_ascii_digit()).unwrap_or(rest.len())
        };
        let first = self.pos + usize::from(self.bytes[self.pos] == b'-');
        let end = digits(first);
        let is_float = self.bytes.get(end) == Some(&b'.')
            && self.bytes.get(end + 1).is_some_and(u8::is_ascii_digit);
        if is_float {
            let end = digits(end + 1);
            let text = &self.text[self.pos..end];
            if !text.parse::<f64>().is_ok_and(f64::is_finite) {
                return Err(self.refused(SyntaxKind::FloatOverflow, text));
            }
            self.push(TokenKind::Float, end);
        } else {
            let text = &self.text[self.pos..end];
            if text.parse::<i64>().is_err() {
                return Err(self.refused(SyntaxKind::IntegerOverflow, text));
            }
            self.push(TokenKind::Integer, end);
        }
        Ok(())
    }

    fn word(&mut self) {
        let is_capital = self.bytes[self.pos].is_ascii_uppercase();
        let rest = &self.bytes[self.pos + 1..];
        let goes_on = |b: &u8| b.is_ascii_lowercase() || b.is_ascii_digit() || *b == b'_';
        let len = rest.iter().position(|b| !goes_on(b)).unwrap_or(rest.len());
        // Words do not end in an underscore.
        let len = rest[..len].iter().rposition(|b| *b != b'_').map_or(0, |last| last + 1);
        let end = self.pos + 1 + len;
        let word = &self.text[self.pos..end];
        let kind = if is_capital {
            TokenKind::CapitalizedIdentifier
        } else {
            TokenKind::keyword(word).unwrap_or(TokenKind::Identifier)
        };
        self.push(kind, end);
    }

    fn symbol(&mut self) -> Result<(), SyntaxError> {
        let (kind, len) = match (self.bytes[self.pos], self.peek(1), self.peek(2)) {
            (b'<', b'|', b'>') => (TokenKind::Except, 3),
            (b'<', b'=', _) => (TokenKind::Lte, 2),
            (b'<', ..) => (TokenKind::Lt, 1),
            (b'>', b'=', _) => (TokenKind::Gte, 2),
            (b'>', ..) => (TokenKind::Gt, 1),
            (b'=', b'>', _) => (TokenKind::Rocket, 2),
            (b'=', b'=', _) => (TokenKind::Eq, 2),
            (b'=', ..) => (TokenKind::Equals, 1),
            (b'!', b'=', _) => (TokenKind::Neq, 2),
            (b'-', b'>', _) => (TokenKind::Arrow, 2),
            (b'-', ..) => (TokenKind::Minus, 1),
            (b'?', b':', _) => (TokenKind::Elvis, 2),
            (b'|', b'|', _) if self.edition == Edition::Wide => (TokenKind::OldDefault, 2),
            (b'{', ..) => (TokenKind::OpenCurly, 1),
            (b'}', ..) => (TokenKind::CloseCurly, 1),
            (b'(', ..) => (TokenKind::OpenParen, 1),
            (b')', ..) => (TokenKind::CloseParen, 1),
            (b'[', ..) => (TokenKind::OpenBrack, 1),
            (b']', ..) => (TokenKind::CloseBrack, 1),
            (b'$', ..) => (TokenKind::Dollar, 1),
            (b',', ..) => (TokenKind::Comma, 1),
            (b':', ..) => (TokenKind::Colon, 1),
            (b';', ..) => (TokenKind::Semicolon, 1),
            (b'.', ..) => (TokenKind::Dot, 1),
            (b'+', ..) => (TokenKind::Plus, 1),
            (b'*', ..) => (TokenKind::Multiply, 1),
            (b'/', ..) => (TokenKind::Divide, 1),
            _ => return Err(self.unknown()),
        };
        self.push(kind, self.pos + len);
        Ok(())
    }

    fn unknown(&self) -> SyntaxError {
        let c = self.text[self.pos..].chars().next().unwrap_or_default();
        let kind = if c == '\r' { SyntaxKind::CarriageReturn } else { SyntaxKind::Unrecognized };
        self.refused(kind, c.encode_utf8(&mut [0; 4]))
    }

    /// An error about a text, at its first column.
    fn refused(&self, kind: SyntaxKind, text: &str) -> SyntaxError {
        let first = self.text[self.pos..].chars().next().map_or(0, char::len_utf8);
        let range = TextRange::new(self.pos as u32, (self.pos + first) as u32);
        SyntaxError::new(kind, text, range)
    }
}
