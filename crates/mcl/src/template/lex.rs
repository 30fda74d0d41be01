//! Tokens of templates.

use ordain_functions::go::quote::{is_print, quote};

/// The kind of a token.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Token {
    Error,
    Eof,
    Text,
    Left,
    Right,
    Space,
    Bool,
    Char,
    Number,
    CharConstant,
    Str,
    RawStr,
    Identifier,
    Field,
    Variable,
    Assign,
    Declare,
    Pipe,
    LeftParen,
    RightParen,
    Dot,
    Nil,
    Block,
    Break,
    Continue,
    Define,
    Else,
    End,
    If,
    Range,
    Template,
    With,
}

/// A token with its text and place.
#[derive(Clone, Debug)]
pub(super) struct Item {
    pub token: Token,
    pub text: String,
    pub at: usize,
    pub line: usize,
    /// Whether it is the error of an action without its end.
    pub is_unclosed_action: bool,
}

impl Item {
    /// The token as messages show it.
    pub(super) fn show(&self) -> String {
        match self.token {
            Token::Eof => "EOF".into(),
            Token::Error => self.text.clone(),
            Token::Dot | Token::Nil => self.keyword(),
            token if keyword_of(token) => self.keyword(),
            _ if self.text.chars().count() > 10 => {
                let head: String = self.text.chars().take(10).collect();
                format!("{}...", quote(head.as_bytes()))
            }
            _ => quote(self.text.as_bytes()),
        }
    }

    fn keyword(&self) -> String {
        format!("<{}>", self.text)
    }
}

fn keyword_of(token: Token) -> bool {
    KEYWORDS.iter().any(|(_, keyword)| *keyword == token)
}

const KEYWORDS: [(&str, Token); 11] = [
    ("block", Token::Block),
    ("break", Token::Break),
    ("continue", Token::Continue),
    ("define", Token::Define),
    ("else", Token::Else),
    ("end", Token::End),
    ("if", Token::If),
    ("nil", Token::Nil),
    ("range", Token::Range),
    ("template", Token::Template),
    ("with", Token::With),
];

const BLANKS: [char; 4] = [' ', '\t', '\r', '\n'];

/// All tokens of a text; the last is an error or the end.
pub(super) fn tokens(text: &str) -> Vec<Item> {
    let mut lexer =
        Lexer { text, at: 0, start: 0, line: 1, counted: 0, parens: 0, items: Vec::new() };
    lexer.run();
    lexer.items
}

struct Lexer<'t> {
    text: &'t str,
    at: usize,
    start: usize,
    line: usize,
    /// Up to where newlines are counted.
    counted: usize,
    parens: usize,
    items: Vec<Item>,
}

impl<'t> Lexer<'t> {
    fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or("")
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn bump(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.at += c.len_utf8();
        Some(c)
    }

    /// The line of an offset, which must not precede the last requested one.
    fn line_of(&mut self, at: usize) -> usize {
        if at > self.counted {
            let between = self.text.as_bytes().get(self.counted..at).unwrap_or_default();
            self.line += between.iter().filter(|byte| **byte == b'\n').count();
            self.counted = at;
        }
        self.line
    }

    fn emit(&mut self, token: Token) {
        let text = self.text.get(self.start..self.at).unwrap_or("").to_owned();
        self.push(token, text);
    }

    fn push(&mut self, token: Token, text: String) {
        let line = self.line_of(self.start);
        self.items.push(Item { token, text, at: self.start, line, is_unclosed_action: false });
        self.start = self.at;
    }

    fn fail(&mut self, reason: impl Into<String>) -> bool {
        self.push(Token::Error, reason.into());
        false
    }

    fn unclosed_action(&mut self) -> bool {
        self.push(Token::Error, "unclosed action".into());
        if let Some(item) = self.items.last_mut() {
            item.is_unclosed_action = true;
        }
        false
    }

    fn run(&mut self) {
        while self.text_part() {
            if !self.left_delimiter() {
                return;
            }
        }
    }

    /// Reads text up to an action. Returns whether there is one.
    fn text_part(&mut self) -> bool {
        let Some(length) = self.rest().find("{{") else {
            self.at = self.text.len();
            if self.at > self.start {
                self.emit(Token::Text);
            }
            self.start = self.at;
            self.emit(Token::Eof);
            return false;
        };
        let after = self.rest().get(length + 2..).unwrap_or("");
        let is_trimmed = has_left_trim(after);
        let whole = self.rest().get(..length).unwrap_or("");
        let kept = if is_trimmed { whole.trim_end_matches(BLANKS) } else { whole };
        self.at += kept.len();
        if !kept.is_empty() {
            self.emit(Token::Text);
        }
        self.at = self.start + whole.len() - kept.len();
        self.start = self.at;
        true
    }

    /// The start of an action with its content.
    fn left_delimiter(&mut self) -> bool {
        let after = self.rest().get(2..).unwrap_or("");
        let trim = if has_left_trim(after) { 2 } else { 0 };
        if after.get(trim..).is_some_and(|body| body.starts_with("/*")) {
            self.at += 2 + trim;
            return self.comment();
        }
        self.at += 2;
        self.emit(Token::Left);
        self.at += trim;
        self.start = self.at;
        self.parens = 0;
        while self.inside_action() {
            if self.items.last().is_some_and(|item| item.token == Token::Right) {
                return true;
            }
        }
        false
    }

    fn comment(&mut self) -> bool {
        self.start = self.at;
        let Some(end) = self.rest().find("*/") else { return self.fail("unclosed comment") };
        self.at += end + 2;
        match self.right_delimiter() {
            None => self.fail("comment ends before closing delimiter"),
            Some(is_trimmed) => {
                self.close(is_trimmed);
                self.start = self.at;
                true
            }
        }
    }

    /// Whether the end of an action is here, and whether it trims the following blanks.
    fn right_delimiter(&self) -> Option<bool> {
        let rest = self.rest();
        if has_right_trim(rest) && rest.get(2..).is_some_and(|rest| rest.starts_with("}}")) {
            return Some(true);
        }
        rest.starts_with("}}").then_some(false)
    }

    /// Skips the end of an action and the blanks that it trims.
    fn close(&mut self, is_trimmed: bool) {
        self.at += if is_trimmed { 4 } else { 2 };
        if is_trimmed {
            let rest = self.rest();
            self.at += rest.len() - rest.trim_start_matches(BLANKS).len();
        }
    }

    /// Reads one token. Returns whether it is valid.
    fn inside_action(&mut self) -> bool {
        if let Some(is_trimmed) = self.right_delimiter() {
            if self.parens > 0 {
                return self.fail("unclosed left paren");
            }
            if is_trimmed {
                self.at += 2;
                self.start = self.at;
            }
            self.at += 2;
            self.emit(Token::Right);
            if is_trimmed {
                let rest = self.rest();
                self.at += rest.len() - rest.trim_start_matches(BLANKS).len();
                self.start = self.at;
            }
            return true;
        }
        let Some(c) = self.peek() else { return self.unclosed_action() };
        match c {
            c if BLANKS.contains(&c) => self.space(),
            '"' => self.quoted('"', "unterminated quoted string", Token::Str),
            '\'' => self.quoted('\'', "unterminated character constant", Token::CharConstant),
            '`' => self.raw(),
            '$' => {
                self.bump();
                self.name(Token::Variable)
            }
            '.' if !self
                .rest()
                .get(1..)
                .is_some_and(|r| r.starts_with(|c: char| c.is_ascii_digit())) =>
            {
                self.bump();
                self.name(Token::Field)
            }
            '.' | '+' | '-' | '0'..='9' => self.number(),
            c if is_name(c) => self.word(),
            _ => self.mark(c),
        }
    }

    fn mark(&mut self, c: char) -> bool {
        self.bump();
        match c {
            '=' => self.emit(Token::Assign),
            ':' if self.bump() != Some('=') => return self.fail("expected :="),
            ':' => self.emit(Token::Declare),
            '|' => self.emit(Token::Pipe),
            '(' => {
                self.parens += 1;
                self.emit(Token::LeftParen);
            }
            ')' if self.parens == 0 => return self.fail("unexpected right paren"),
            ')' => {
                self.parens -= 1;
                self.emit(Token::RightParen);
            }
            c if c.is_ascii() && is_print(c) => self.emit(Token::Char),
            c => {
                let text = format!("unrecognized character in action: {}", code(c));
                return self.fail(text);
            }
        }
        true
    }

    fn space(&mut self) -> bool {
        while self.peek().is_some_and(|c| BLANKS.contains(&c)) {
            // The last blank may belong to a trimming end of the action.
            if self.right_delimiter() == Some(true) {
                break;
            }
            self.bump();
        }
        self.emit(Token::Space);
        true
    }

    fn quoted(&mut self, mark: char, reason: &str, token: Token) -> bool {
        self.bump();
        loop {
            match self.bump() {
                Some('\\') if self.peek().is_some_and(|c| c != '\n') => {
                    self.bump();
                }
                None | Some('\n' | '\\') => return self.fail(reason),
                Some(c) if c == mark => break,
                _ => {}
            }
        }
        self.emit(token);
        true
    }

    fn raw(&mut self) -> bool {
        self.bump();
        let Some(end) = self.rest().find('`') else {
            return self.fail("unterminated raw quoted string");
        };
        self.at += end + 1;
        self.emit(Token::RawStr);
        true
    }

    /// Whether a name may end here.
    fn is_terminated(&self) -> bool {
        match self.peek() {
            None | Some('.' | ',' | '|' | ':' | ')' | '(') => true,
            Some(c) => BLANKS.contains(&c) || self.rest().starts_with("}}"),
        }
    }

    fn skip_name(&mut self) {
        while self.peek().is_some_and(is_name) {
            self.bump();
        }
    }

    fn bad_character(&mut self) -> bool {
        let c = self.peek().unwrap_or(' ');
        self.fail(format!("bad character {}", code(c)))
    }

    /// Reads the name after a dot or a dollar sign.
    fn name(&mut self, token: Token) -> bool {
        if self.is_terminated() {
            self.emit(if token == Token::Field { Token::Dot } else { token });
            return true;
        }
        self.skip_name();
        if !self.is_terminated() {
            return self.bad_character();
        }
        self.emit(token);
        true
    }

    fn word(&mut self) -> bool {
        self.skip_name();
        if !self.is_terminated() {
            return self.bad_character();
        }
        let word = self.text.get(self.start..self.at).unwrap_or("");
        let keyword = KEYWORDS.iter().find(|(text, _)| *text == word);
        self.emit(match keyword {
            Some((_, token)) => *token,
            None if matches!(word, "true" | "false") => Token::Bool,
            None => Token::Identifier,
        });
        true
    }

    fn number(&mut self) -> bool {
        if matches!(self.peek(), Some('+' | '-')) {
            self.bump();
        }
        let lower = self.rest().to_ascii_lowercase();
        let is_hex = lower.starts_with("0x");
        let is_other = lower.starts_with("0o") || lower.starts_with("0b");
        if is_hex || is_other {
            self.at += 2;
        }
        let is_digit =
            |c: char| c == '_' || if is_hex { c.is_ascii_hexdigit() } else { c.is_ascii_digit() };
        self.skip(is_digit);
        if self.peek() == Some('.') {
            self.bump();
            self.skip(is_digit);
        }
        let exponent = if is_hex { ['p', 'P'] } else { ['e', 'E'] };
        if !is_other && self.peek().is_some_and(|c| exponent.contains(&c)) {
            self.bump();
            if matches!(self.peek(), Some('+' | '-')) {
                self.bump();
            }
            self.skip(|c| c == '_' || c.is_ascii_digit());
        }
        if self.peek().is_some_and(is_name) {
            self.bump();
            let text = self.text.get(self.start..self.at).unwrap_or("");
            return self.fail(format!("bad number syntax: {}", quote(text.as_bytes())));
        }
        self.emit(Token::Number);
        true
    }

    fn skip(&mut self, is_part: impl Fn(char) -> bool) {
        while self.peek().is_some_and(&is_part) {
            self.bump();
        }
    }
}

fn has_left_trim(after: &str) -> bool {
    let mut chars = after.chars();
    chars.next() == Some('-') && chars.next().is_some_and(|c| BLANKS.contains(&c))
}

fn has_right_trim(rest: &str) -> bool {
    let mut chars = rest.chars();
    chars.next().is_some_and(|c| BLANKS.contains(&c)) && chars.next() == Some('-')
}

fn is_name(c: char) -> bool {
    c == '_' || c.is_alphabetic() || c.is_numeric()
}

/// A character with its number: `U+0023 '#'`.
fn code(c: char) -> String {
    let number = u32::from(c);
    if is_print(c) { format!("U+{number:04X} '{c}'") } else { format!("U+{number:04X}") }
}
