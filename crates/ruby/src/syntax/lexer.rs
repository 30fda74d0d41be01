//! The lexer. It reads one token at a time, because the meaning of a character depends on the
//! tokens before it.

use ecow::EcoString;
use num_bigint::BigInt;

use super::Part;
use super::parser::{Parse, Parser};
use super::token::{Delimiters, State, Tok, is_ident};
use crate::erb::{EMIT_MARK, TEXT_MARK};

const KEYWORDS: &[&str] = &[
    "BEGIN", "END", "__FILE__", "__LINE__", "alias", "and", "begin", "break", "case", "class",
    "def", "defined?", "do", "else", "elsif", "end", "ensure", "false", "for", "if", "in",
    "module", "next", "nil", "not", "or", "redo", "rescue", "retry", "return", "self", "super",
    "then", "true", "undef", "unless", "until", "when", "while", "yield",
];

/// Operators, longer ones first.
const OPERATORS: &[&str] = &[
    "**=", "<=>", "===", "...", "<<=", ">>=", "&&=", "||=", "&.", "**", "==", "!=", ">=", "<=",
    "&&", "||", "=~", "!~", "..", "::", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<", ">>",
    "->", "=>", "+", "-", "*", "/", "%", "&", "|", "^", "<", ">", "!", "~", "=", "?", ":", ",",
    ".", "(", ")", "[", "]", "{", "}", ";",
];

/// For each byte, the [`OPERATORS`] that begin with it, as a bit set in their order.
const BEGINNING: [u64; 128] = {
    let mut table = [0; 128];
    let mut i = 0;
    while i < OPERATORS.len() {
        table[OPERATORS[i].as_bytes()[0] as usize] |= 1 << i;
        i += 1;
    }
    table
};

/// The first operator that a text begins with.
fn operator(text: &str) -> Option<&'static str> {
    let first = usize::from(*text.as_bytes().first()?);
    let mut candidates = BEGINNING.get(first).copied()?;
    while candidates != 0 {
        let operator = OPERATORS[candidates.trailing_zeros() as usize];
        if text.starts_with(operator) {
            return Some(operator);
        }
        candidates &= candidates - 1;
    }
    None
}

/// Names of methods that are operators.
const METHOD_OPERATORS: &[&str] = &[
    "[]=", "<=>", "===", "[]", "**", "==", "=~", "!~", "!=", ">=", "<=", "<<", ">>", "+@", "-@",
    "+", "-", "*", "/", "%", "<", ">", "!", "&", "|", "^", "~",
];

impl Parser<'_> {
    pub(super) fn rest(&self) -> &str {
        &self.source[self.at..]
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    pub(super) fn peek_at(&self, n: usize) -> Option<u8> {
        self.source.as_bytes().get(self.at + n).copied()
    }

    /// The kind of token that may follow the current one.
    fn state(&self) -> State {
        match &self.token {
            Tok::Ident(_) if self.after_dot => State::Arg,
            Tok::Ident(name) if self.find_local(name).is_some() => State::End,
            Tok::Ident(_) | Tok::Const(_) => State::Arg,
            Tok::Keyword(word) => match *word {
                "end" | "self" | "nil" | "true" | "false" | "redo" | "retry" | "__FILE__"
                | "__LINE__" => State::End,
                "defined?" | "super" | "yield" => State::Arg,
                "return" | "break" | "next" | "rescue" => State::Middle,
                "def" => State::Name,
                _ => State::Begin,
            },
            Tok::Op(op) => match *op {
                ")" | "]" | "}" => State::End,
                "." | "&." => State::Name,
                "::" => State::Name,
                _ => State::Begin,
            },
            Tok::Label(_) | Tok::TextLabel(_) | Tok::LineEnd | Tok::Emit => State::Begin,
            _ => State::End,
        }
    }

    /// Moves to the next token and returns the previous one.
    pub(super) fn advance(&mut self) -> Parse<Tok> {
        let state = if self.is_started { self.state() } else { State::Begin };
        self.is_started = true;
        self.previous_line = self.line;
        let mut token = self.lex(state)?;
        self.after_dot = state == State::Name;
        std::mem::swap(&mut self.token, &mut token);
        Ok(token)
    }

    fn lex(&mut self, state: State) -> Parse<Tok> {
        self.space_before = false;
        loop {
            match self.peek() {
                Some(' ' | '\t' | '\r' | '\u{c}' | '\u{b}') => {
                    self.at += 1;
                    self.space_before = true;
                }
                Some('\\') if self.rest().starts_with("\\\n") => {
                    self.at += 2;
                    self.line += 1;
                    self.space_before = true;
                }
                Some('#') => self.skip_comment(),
                Some('\n') => {
                    let skips = matches!(state, State::Begin | State::Name) || self.continues();
                    self.line_break();
                    self.space_before = true;
                    if !skips {
                        return Ok(Tok::LineEnd);
                    }
                }
                Some(_) => break,
                None => return Ok(Tok::End),
            }
        }
        self.token_line = self.line;
        let Some(c) = self.peek() else { return Ok(Tok::End) };
        let is_value = match state {
            State::Begin | State::Middle => true,
            State::Arg => {
                self.space_before && !matches!(self.peek_at(1), Some(b' ' | b'\t' | b'\n' | b'\r'))
            }
            State::End | State::Name => false,
        };
        match c {
            TEXT_MARK => self.lex_text_mark(),
            EMIT_MARK => {
                self.at += 1;
                Ok(Tok::Emit)
            }
            '0'..='9' => self.lex_number(),
            '"' | '\'' => self.lex_quoted(c, state),
            '`' => Err(self.unsupported("a command in backticks")),
            '@' => self.lex_instance(),
            '$' => self.lex_global(),
            ':' => self.lex_colon(state),
            '%' if is_value && self.is_percent_literal(state) => self.lex_percent(),
            '/' if is_value && !(state == State::Arg && self.peek_at(1) == Some(b'=')) => {
                self.at += 1;
                self.lex_regex(Delimiters::same('/'))
            }
            '?' if matches!(state, State::Begin | State::Middle) => self.lex_character(),
            '<' if self.is_heredoc(state) => self.lex_heredoc(),
            c if c.is_alphabetic() || c == '_' => self.lex_word(state),
            _ => self.lex_operator(state, is_value),
        }
    }

    fn skip_comment(&mut self) {
        let length = self.rest().find('\n').unwrap_or(self.rest().len());
        self.at += length;
    }

    /// Skips a line break and the heredocs that began on the line.
    fn line_break(&mut self) {
        self.at += 1;
        self.line += 1;
        if let Some((end, line)) = self.heredoc_end.take() {
            (self.at, self.line) = (end, line);
        }
        if self.rest().starts_with("=begin") {
            let end = self.rest().find("\n=end").map_or(self.rest().len(), |i| i + 5);
            let lines = self.rest()[..end].bytes().filter(|b| *b == b'\n').count();
            self.line += u32::try_from(lines).unwrap_or(0);
            self.at += end;
            self.skip_comment();
        }
    }

    /// Whether the next line that is not empty continues with `.name`.
    fn continues(&self) -> bool {
        if self.heredoc_end.is_some() {
            return false;
        }
        for line in self.rest().lines() {
            let line = line.trim_start();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            return line.starts_with('.') && !line.starts_with("..") || line.starts_with("&.");
        }
        false
    }

    fn lex_text_mark(&mut self) -> Parse<Tok> {
        self.at += 1;
        let digits = self.rest().bytes().take_while(u8::is_ascii_digit).count();
        let number = self.rest()[..digits].parse::<usize>().ok();
        self.at += digits;
        match number.filter(|&n| n < self.texts.len()) {
            Some(number) => Ok(Tok::Text(number)),
            None => Err(self.error("Invalid char `\\x01' in expression")),
        }
    }

    fn lex_number(&mut self) -> Parse<Tok> {
        let start = self.at;
        let radix = match self.rest().as_bytes().get(..2) {
            Some(b"0x" | b"0X") => 16,
            Some(b"0b" | b"0B") => 2,
            Some(b"0o" | b"0O") => 8,
            _ => 10,
        };
        if radix != 10 {
            self.at += 2;
            let length =
                self.rest().bytes().take_while(|b| b.is_ascii_alphanumeric() || *b == b'_');
            let text: String = self.rest()[..length.count()].into();
            self.at += text.len();
            return self.integer(&text, radix);
        }
        let mut is_float = false;
        while let Some(b) = self.peek_at(0) {
            let next = self.peek_at(1);
            match b {
                b'0'..=b'9' => self.at += 1,
                b'_' if next.is_some_and(|b| b.is_ascii_digit()) => self.at += 1,
                b'.' if !is_float && next.is_some_and(|b| b.is_ascii_digit()) => {
                    is_float = true;
                    self.at += 1;
                }
                b'e' | b'E' if self.is_exponent() => {
                    is_float = true;
                    self.at += 2;
                }
                _ => break,
            }
        }
        let text = self.source[start..self.at].replace('_', "");
        if matches!(self.peek(), Some('r' | 'i'))
            && !self.peek_at(1).is_some_and(|b| b.is_ascii_alphabetic())
        {
            return Err(self.unsupported("a rational or complex number"));
        }
        if is_float {
            return Ok(Tok::Float(text.parse().unwrap_or(0.0)));
        }
        let is_octal = text.len() > 1 && text.starts_with('0');
        self.integer(&text, if is_octal { 8 } else { 10 })
    }

    fn is_exponent(&self) -> bool {
        match self.peek_at(1) {
            Some(b'+' | b'-') => self.peek_at(2).is_some_and(|b| b.is_ascii_digit()),
            Some(b) => b.is_ascii_digit(),
            None => false,
        }
    }

    fn integer(&self, text: &str, radix: u32) -> Parse<Tok> {
        let text = text.replace('_', "");
        if let Ok(i) = i64::from_str_radix(&text, radix) {
            return Ok(Tok::Int(i));
        }
        match BigInt::parse_bytes(text.as_bytes(), radix) {
            Some(big) if text.len() < 5000 => Ok(Tok::Big(Box::new(big))),
            _ => Err(self.error("numeric literal without digits")),
        }
    }

    fn lex_quoted(&mut self, quote: char, state: State) -> Parse<Tok> {
        self.at += 1;
        let parts = self.text_parts(Delimiters::same(quote), quote == '"')?;
        let may_label = state != State::End && self.ternaries == 0;
        if may_label && self.peek() == Some(':') && self.peek_at(1) != Some(b':') {
            self.at += 1;
            return Ok(Tok::TextLabel(parts));
        }
        Ok(Tok::Str(parts))
    }

    fn lex_instance(&mut self) -> Parse<Tok> {
        self.at += 1;
        if self.peek() == Some('@') {
            return Err(self.unsupported("a class variable"));
        }
        let name = self.word();
        if name.is_empty() || name.starts_with(|c: char| c.is_ascii_digit()) {
            return Err(
                self.error(format!("`@{name}' is not allowed as an instance variable name"))
            );
        }
        Ok(Tok::Instance(name))
    }

    fn lex_global(&mut self) -> Parse<Tok> {
        self.at += 1;
        let name = self.word();
        if !name.is_empty() {
            return Ok(match name.parse::<u32>() {
                Ok(n) if n > 0 => Tok::Group(n),
                _ => Tok::Global(name),
            });
        }
        match self.peek() {
            Some('~') => {
                self.at += 1;
                Ok(Tok::Group(0))
            }
            Some(
                c @ ('!' | '&' | '`' | '\'' | '+' | ';' | ',' | '/' | '.' | '<' | '>' | '*' | '$'
                | '?' | ':' | '"' | '@' | '\\'),
            ) => {
                self.at += c.len_utf8();
                Ok(Tok::Global(c.to_string().into()))
            }
            _ => {
                Err(self.error("`$' without identifiers is not allowed as a global variable name"))
            }
        }
    }

    /// The letters, digits and underscores from here.
    pub(super) fn word(&mut self) -> EcoString {
        let rest = self.rest();
        let length = rest.find(|c| !is_ident(c)).unwrap_or(rest.len());
        let word = EcoString::from(&rest[..length]);
        self.at += length;
        word
    }

    fn lex_colon(&mut self, state: State) -> Parse<Tok> {
        let next = self.peek_at(1);
        if next == Some(b':') {
            self.at += 2;
            let is_top = matches!(state, State::Begin | State::Middle)
                || state == State::Arg && self.space_before;
            return Ok(Tok::Op(if is_top { "::@" } else { "::" }));
        }
        let after = self.source[self.at + 1..].chars().next();
        let is_symbol = match state {
            State::End => false,
            State::Arg => self.space_before && (self.ternaries == 0 || next != Some(b' ')),
            _ => true,
        };
        if is_symbol {
            if next == Some(b'"') || next == Some(b'\'') {
                self.at += 2;
                let quote = if next == Some(b'"') { '"' } else { '\'' };
                let parts = self.text_parts(Delimiters::same(quote), quote == '"')?;
                return Ok(Tok::InterpolatedSymbol(parts));
            }
            if after.is_some_and(|c| c.is_alphabetic() || c == '_' || c == '@' || c == '$') {
                self.at += 1;
                return Ok(Tok::Symbol(self.symbol_name()));
            }
            let rest = &self.source[self.at + 1..];
            if let Some(op) = METHOD_OPERATORS.iter().find(|op| rest.starts_with(**op)) {
                self.at += 1 + op.len();
                return Ok(Tok::Symbol((*op).into()));
            }
        }
        self.at += 1;
        Ok(Tok::Op(":"))
    }

    fn symbol_name(&mut self) -> EcoString {
        let start = self.at;
        while matches!(self.peek(), Some('@' | '$')) {
            self.at += 1;
        }
        self.word();
        let next = self.peek_at(1);
        match self.peek() {
            Some('?' | '!') if next != Some(b'=') => self.at += 1,
            Some('=') if !matches!(next, Some(b'=' | b'~' | b'>')) => self.at += 1,
            _ => {}
        }
        self.source[start..self.at].into()
    }

    fn lex_character(&mut self) -> Parse<Tok> {
        let after = self.source[self.at + 1..].chars().next();
        match after {
            Some(c) if !c.is_whitespace() && c != '\\' => {
                let end = self.at + 1 + c.len_utf8();
                let follows = self.source[end..].chars().next();
                if is_ident(c) && follows.is_some_and(is_ident) {
                    self.at += 1;
                    return Ok(Tok::Op("?"));
                }
                self.at = end;
                Ok(Tok::Str(vec![Part::Text(c.to_string().into())]))
            }
            Some('\\') => Err(self.unsupported("an escaped character literal")),
            _ => {
                self.at += 1;
                Ok(Tok::Op("?"))
            }
        }
    }

    fn lex_word(&mut self, state: State) -> Parse<Tok> {
        let start = self.at;
        self.word();
        let next = self.peek_at(1);
        if matches!(self.peek(), Some('?' | '!'))
            && !(next == Some(b'=')
                && self.peek_at(2) != Some(b'=')
                && self.peek_at(2) != Some(b'~'))
        {
            self.at += 1;
        }
        let word = &self.source[start..self.at];
        let is_label = self.peek() == Some(':')
            && self.peek_at(1) != Some(b':')
            && state != State::Name
            && (state != State::End)
            && (self.ternaries == 0 || matches!(self.token, Tok::Op("(" | "," | "{" | "|")));
        if is_label {
            let word = EcoString::from(word);
            self.at += 1;
            return Ok(Tok::Label(word));
        }
        if state != State::Name
            && let Ok(i) = KEYWORDS.binary_search(&word)
        {
            return Ok(Tok::Keyword(KEYWORDS[i]));
        }
        let word = EcoString::from(word);
        // `def name=(value)`
        let is_setter = matches!(self.token, Tok::Keyword("def"))
            && self.peek() == Some('=')
            && self.peek_at(1) == Some(b'(');
        if is_setter {
            return Err(self.unsupported("the definition of an attribute"));
        }
        if word.starts_with(char::is_uppercase) && !word.ends_with(['?', '!']) {
            return Ok(Tok::Const(word));
        }
        Ok(Tok::Ident(word))
    }

    fn lex_operator(&mut self, state: State, is_value: bool) -> Parse<Tok> {
        if state == State::Name {
            let rest = self.rest();
            if rest.starts_with('(') {
                self.at += 1;
                return Ok(Tok::Op("("));
            }
            if let Some(op) = METHOD_OPERATORS.iter().find(|op| rest.starts_with(**op)) {
                let length = op.len();
                let name = EcoString::from(*op);
                self.at += length;
                return Ok(Tok::Ident(name));
            }
        }
        let Some(op) = operator(self.rest()) else {
            let c = self.peek().unwrap_or(' ');
            return Err(self.error(format!("Invalid char {c:?} in expression")));
        };
        self.at += op.len();
        // In `f -1`, `f *a`, `f [1]` and `f &b` an argument begins.
        let prefix = match op {
            "-" => "-@",
            "+" => "+@",
            "*" => "*@",
            "**" => "**@",
            "&" => "&@",
            "[" => "[@",
            _ => {
                return Ok(Tok::Op(if op == "(" && state == State::Arg && self.space_before {
                    "(@"
                } else {
                    op
                }));
            }
        };
        let is_prefix = match op {
            "[" => {
                matches!(state, State::Begin | State::Middle)
                    || state == State::Arg && self.space_before
            }
            _ => is_value,
        };
        Ok(Tok::Op(if is_prefix { prefix } else { op }))
    }
}
