//! Quoted text and interpolation.

use ecow::EcoString;

use super::escape::{self, Escapes};
use super::{Fatal, Lexer, MAX_NESTING, Step, TokenKind};

/// The end of a piece of text that can hold interpolations.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    /// The closing quote, or the end of a heredoc.
    Text,
    /// `${`
    Expression,
    /// `$`
    Dollar,
}

/// The kind of text that is being cut into parts.
#[derive(Clone, Copy)]
pub(super) struct Quote {
    /// Whether a double quote ends it; else the end of the text does.
    pub(super) quoted: bool,
    /// Whether a backslash can hide a dollar.
    pub(super) dollar_escape: bool,
    pub(super) escapes: Escapes,
    /// The start of the text.
    pub(super) start: usize,
}

impl Lexer<'_, '_> {
    pub(super) fn single_quoted(&mut self) -> Step {
        let start = self.pos;
        let mut at = self.behind_odd_quote(start + 1, b'\'');
        loop {
            match self.bytes.get(at) {
                Some(b'\\') => at += 2,
                Some(b'\'') => break,
                Some(_) => at += 1,
                None => return Err(self.unclosed(start, start + 1, "\"'\"")),
            }
        }
        let text = escape::single_quoted(&self.text[start + 1..at]);
        self.pos = at + 1;
        self.matched = (at, at + 1);
        self.push_text(TokenKind::Str, start, at + 1, text);
        Ok(())
    }

    /// The start of the search for the end of a text. As in upstream's pattern, a quote at the
    /// start belongs to the text if another end follows at once (`\'\'\'` is one quote).
    fn behind_odd_quote(&self, at: usize, quote: u8) -> usize {
        if self.bytes.get(at) != Some(&quote) {
            return at;
        }
        let mut next = at + 1;
        while self.bytes.get(next..next + 2) == Some(b"\\\\") {
            next += 2;
        }
        match self.bytes.get(next) {
            Some(&b) if b == quote || b == b'$' && quote == b'"' => next,
            _ => at,
        }
    }

    /// The text behind a position, for messages.
    pub(super) fn followed_by(&self, at: usize) -> String {
        let Some(rest) = self.text.get(at..).filter(|r| !r.is_empty()) else {
            return "<eof>".into();
        };
        let mut out: String = rest.chars().take(5).collect();
        out.push_str("...");
        out.replace('\t', "\\t").replace('\n', "\\n").replace('\r', "\\r")
    }

    /// The error of a text without an end that is opened at `start`. In double quotes inside of an
    /// interpolation it is the brace of that which is missing: the quote was to end the text around.
    fn unclosed(&self, start: usize, at: usize, after: &str) -> Fatal {
        let followed_by = self.followed_by(at);
        let fatal = self.fatal("UNCLOSED_QUOTE", at, || {
            format!("Unclosed quote after {after} followed by '{followed_by}'")
        });
        let is_double = self.bytes.get(start) == Some(&b'"');
        match self.interpolations.last().filter(|_| is_double) {
            Some(&dollar) => {
                self.pointing(fatal, dollar..dollar + 2, "this is not closed by a `}`")
            }
            None => self.pointing(fatal, start..start + 1, "this quote is not closed"),
        }
    }

    pub(super) fn double_quoted(&mut self) -> Step {
        let start = self.pos;
        self.matched = (start, start + 1);
        self.pos += 1;
        let escapes = Escapes::DOUBLE_QUOTED;
        let quote = Quote { quoted: true, dollar_escape: true, escapes, start };
        self.interpolated(start, quote)
    }

    /// Cuts text into parts; `start` is where the first token begins, the position where its text
    /// begins.
    pub(super) fn interpolated(&mut self, start: usize, quote: Quote) -> Step {
        if self.nesting >= MAX_NESTING {
            return Err(self.fatal("NESTING", start, || {
                format!("Text is nested more than {MAX_NESTING} levels deep in interpolations")
            }));
        }
        self.nesting += 1;
        let mut token_start = start;
        let mut first = true;
        loop {
            let (text, end, from_dollar) = self.piece(quote)?;
            let part = if first { TokenKind::DqPre } else { TokenKind::DqMid };
            match end {
                End::Text => {
                    let kind = if first { TokenKind::Str } else { TokenKind::DqPost };
                    self.push_text(kind, token_start, self.pos, text);
                    break;
                }
                End::Expression => {
                    self.push_text(part, token_start, self.pos, text);
                    self.embedded_expression()?;
                }
                End::Dollar => {
                    self.push_text(part, token_start, from_dollar, text);
                    let name_end = self.variable_end(self.pos);
                    self.matched = (self.pos, name_end);
                    self.pos = name_end;
                    self.push(TokenKind::Variable, from_dollar, name_end);
                }
            }
            token_start = self.pos;
            first = false;
        }
        self.nesting -= 1;
        Ok(())
    }

    /// The next piece of text, until an interpolation or the end, and the position of the dollar
    /// sign.
    fn piece(&mut self, quote: Quote) -> Result<(EcoString, End, usize), Fatal> {
        let start = self.pos;
        let first = |this: &Self, at| {
            if quote.quoted { this.behind_odd_quote(at, b'"') } else { at }
        };
        let mut searched_from = start;
        let mut at = first(self, start);
        let (end, stop) = loop {
            match self.bytes.get(at) {
                Some(b'\\') if quote.dollar_escape => at += 2,
                Some(b'"') if quote.quoted => {
                    self.pos = at + 1;
                    break (End::Text, at);
                }
                Some(b'$') if self.bytes.get(at + 1) == Some(&b'{') => {
                    self.pos = at + 2;
                    break (End::Expression, at);
                }
                Some(b'$') if self.variable_end(at + 1) > at + 1 => {
                    self.pos = at + 1;
                    break (End::Dollar, at);
                }
                Some(b'$') => {
                    searched_from = at + 1;
                    self.matched = (searched_from, searched_from);
                    at = first(self, searched_from);
                }
                Some(_) => at += 1,
                None if quote.quoted => {
                    let (from, to) = self.matched;
                    let after = match self.text.get(from..to).unwrap_or("") {
                        "'" => "\"'\"".to_owned(),
                        other => format!("'{other}'"),
                    };
                    return Err(self.unclosed(quote.start, searched_from, &after));
                }
                None => {
                    self.pos = self.bytes.len();
                    break (End::Text, self.bytes.len());
                }
            }
        };
        if end != End::Dollar {
            self.matched = (stop, self.pos);
        }
        Ok((self.unescape(start, stop, quote.escapes)?, end, stop))
    }

    /// The tokens of `${ … }`; the closing brace is consumed and gives no token.
    fn embedded_expression(&mut self) -> Step {
        let count = self.brace_count;
        self.interpolations.push(self.pos - 2);
        self.brace_count = self.brace_count.wrapping_add(1);
        self.blanks();
        let first = self.out.tokens.len();
        while self.pos < self.bytes.len() {
            let mark = self.out.tokens.len();
            let plain = self.bytes.get(self.pos) != Some(&b'"');
            self.token()?;
            let Some(&last) = self.out.tokens.get(mark..).and_then(|t| t.last()) else {
                self.blanks();
                continue;
            };
            if plain || self.out.tokens.len() == mark + 1 {
                self.after = last.kind;
            }
            if last.kind == TokenKind::RBrace && self.brace_count == count {
                self.out.tokens.pop();
                self.interpolations.pop();
                self.word_to_variable(first);
                return Ok(());
            }
        }
        Ok(())
    }

    /// A first word is a variable if it is alone or before `.` or `[`.
    fn word_to_variable(&mut self, first: usize) {
        let stands_alone = match self.out.tokens.get(first + 1) {
            None => true,
            Some(second) => matches!(second.kind, TokenKind::Dot | TokenKind::LBrack),
        };
        if let Some(token) = self.out.tokens.get_mut(first)
            && stands_alone
            && (matches!(token.kind, TokenKind::Number | TokenKind::Name | TokenKind::Word)
                || token.kind.is_keyword())
        {
            token.kind = TokenKind::Variable;
        }
    }
}
