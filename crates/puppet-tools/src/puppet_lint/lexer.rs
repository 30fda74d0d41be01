//! Makes tokens of a manifest as puppet-lint does, oddities included: its places and its view of
//! strings decide its findings.

use super::strings::{self, Part, PartKind};
use super::token::{Kind, Token, Tokens, closes, is_word};

/// The maximum depth of strings in interpolations of strings.
const MAX_DEPTH: usize = 64;

/// The place and reason at which puppet-lint gives up.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct LexError {
    pub(super) line: u32,
    pub(super) column: u32,
    pub(super) reason: Option<&'static str>,
}

/// The tokens of a manifest.
///
/// # Errors
/// When a character begins no token, or a string does not end.
pub(super) fn lex(text: &str) -> Result<Tokens<'_>, LexError> {
    Lexer::new(text, 0, 0).run().map(Tokens::new)
}

struct Lexer<'t> {
    text: &'t str,
    /// Where the text is in the file.
    offset: u32,
    depth: usize,
    at: usize,
    line: u32,
    column: u32,
    tokens: Vec<Token<'t>>,
    /// The kind of the last code token.
    last_code: Option<Kind>,
    /// The tags of the heredocs whose texts are not reached.
    heredocs: std::collections::VecDeque<&'t str>,
    /// From here on there is no `*/`.
    no_star_end: usize,
    /// From here on there is no `/`.
    no_slash: usize,
    /// Up to here there is no `]` or `)` on the line.
    no_bracket: usize,
    no_paren: usize,
}

/// The types that have tokens of their own.
const TYPES: [&str; 28] = [
    "Integer",
    "Float",
    "Boolean",
    "Regexp",
    "String",
    "Array",
    "Hash",
    "Resource",
    "Class",
    "Collection",
    "Scalar",
    "Numeric",
    "CatalogEntry",
    "Data",
    "Tuple",
    "Struct",
    "Optional",
    "NotUndef",
    "Variant",
    "Enum",
    "Pattern",
    "Any",
    "Callable",
    "Type",
    "Runtime",
    "Undef",
    "Default",
    "Sensitive",
];

/// The operator or bracket at the start of a text, with its length.
fn sign(text: &[u8]) -> Option<(Kind, usize)> {
    Some(match text {
        [b'[', ..] => (Kind::LBrack, 1),
        [b']', ..] => (Kind::RBrack, 1),
        [b'{', ..] => (Kind::LBrace, 1),
        [b'}', ..] => (Kind::RBrace, 1),
        [b'(', ..] => (Kind::LParen, 1),
        [b')', ..] => (Kind::RParen, 1),
        [b'=', b'=', ..] => (Kind::IsEqual, 2),
        [b'=', b'~', ..] => (Kind::Match, 2),
        [b'=', b'>', ..] => (Kind::FArrow, 2),
        [b'=', ..] => (Kind::Equals, 1),
        [b'+', b'=', ..] => (Kind::Appends, 2),
        [b'+', b'>', ..] => (Kind::PArrow, 2),
        [b'+', ..] => (Kind::Plus, 1),
        [b'>', b'=', ..] => (Kind::GreaterEqual, 2),
        [b'>', b'>', ..] => (Kind::RShift, 2),
        [b'>', ..] => (Kind::Greater, 1),
        [b'<', b'=', ..] => (Kind::LessEqual, 2),
        [b'<', b'<', b'|', ..] => (Kind::LlCollect, 3),
        [b'<', b'-', ..] => (Kind::OutEdge, 2),
        [b'<', b'~', ..] => (Kind::OutEdgeSub, 2),
        [b'<', b'|', ..] => (Kind::LCollect, 2),
        [b'<', b'<', ..] => (Kind::LShift, 2),
        [b'<', ..] => (Kind::Less, 1),
        [b'!', b'~', ..] => (Kind::NoMatch, 2),
        [b'!', b'=', ..] => (Kind::NotEqual, 2),
        [b'!', ..] => (Kind::Not, 1),
        [b'|', b'>', b'>', ..] => (Kind::RrCollect, 3),
        [b'|', b'>', ..] => (Kind::RCollect, 2),
        [b'-', b'>', ..] => (Kind::InEdge, 2),
        [b'~', b'>', ..] => (Kind::InEdgeSub, 2),
        [b'-', ..] => (Kind::Minus, 1),
        [b',', ..] => (Kind::Comma, 1),
        [b'.', ..] => (Kind::Dot, 1),
        [b':', ..] => (Kind::Colon, 1),
        [b';', ..] => (Kind::Semic, 1),
        [b'?', ..] => (Kind::QMark, 1),
        [b'\\', ..] => (Kind::Backslash, 1),
        [b'*', ..] => (Kind::Times, 1),
        [b'%', ..] => (Kind::Modulo, 1),
        [b'|', ..] => (Kind::Pipe, 1),
        _ => return None,
    })
}

/// Whether a character is space inside a line.
fn is_blank(c: char) -> bool {
    matches!(
        c,
        '\t' | '\u{b}'
            | '\u{c}'
            | ' '
            | '\u{a0}'
            | '\u{1680}'
            | '\u{202f}'
            | '\u{205f}'
            | '\u{3000}'
    ) || ('\u{2000}'..='\u{200a}').contains(&c)
}

/// The length of the space at the start of a text.
fn blank_length(text: &str) -> usize {
    text.find(|c| !is_blank(c)).unwrap_or(text.len())
}

/// The length of the line end at the start of a text.
fn line_end_length(text: &str) -> usize {
    match text.as_bytes() {
        [b'\r', b'\n', ..] => 2,
        [b'\r' | b'\n', ..] => 1,
        _ => 0,
    }
}

impl<'t> Lexer<'t> {
    fn new(text: &'t str, offset: u32, depth: usize) -> Self {
        Self {
            text,
            offset,
            depth,
            at: 0,
            line: 1,
            column: 1,
            tokens: Vec::with_capacity(text.len() / 4),
            last_code: None,
            heredocs: std::collections::VecDeque::new(),
            no_star_end: usize::MAX,
            no_slash: usize::MAX,
            no_bracket: 0,
            no_paren: 0,
        }
    }

    fn run(mut self) -> Result<Vec<Token<'t>>, LexError> {
        while self.at < self.text.len() {
            if !self.plain() {
                self.special()?;
            }
        }
        Ok(self.tokens)
    }

    fn error(&self, reason: Option<&'static str>) -> LexError {
        LexError { line: self.line, column: self.column, reason }
    }

    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    /// Reads a token that needs no context.
    fn plain(&mut self) -> bool {
        let rest = self.rest();
        let Some(first) = rest.chars().next() else { return false };
        let (kind, length) = if is_blank(first) {
            (Kind::Whitespace, blank_length(rest))
        } else if let Some(length) = type_length(rest) {
            (Kind::Type, length)
        } else if let Some(length) = class_length(rest.as_bytes()) {
            (Kind::ClassRef, length)
        } else if let Some(length) = number_length(rest.as_bytes()) {
            (Kind::Number, length)
        } else if let Some(length) = name_length(rest.as_bytes()) {
            let word = &rest[..length];
            let kind = match rest.as_bytes().get(length) {
                Some(b'(') => Kind::FunctionName,
                _ => Kind::keyword(word).unwrap_or(Kind::Name),
            };
            (kind, length)
        } else if let Some(sign) = sign(rest.as_bytes()) {
            sign
        } else {
            return false;
        };
        self.take(kind, length, 0, 0);
        true
    }

    /// Reads a token of `length` bytes whose value leaves out bytes at its start and end.
    fn take(&mut self, kind: Kind, length: usize, skipped: usize, dropped: usize) {
        let (start, end) = (self.at, self.at + length);
        let value = &self.text[start + skipped..end - dropped];
        let offset = self.offset;
        self.push(kind, value, false, (offset + start as u32, offset + end as u32));
        self.at = end;
    }

    /// Reads a token that depends on those before, or has a text.
    fn special(&mut self) -> Result<(), LexError> {
        let rest = self.rest();
        let bytes = rest.as_bytes();
        let newline = line_end_length(rest);
        if newline > 0 {
            return self.line_end(newline);
        }
        match bytes[0] {
            b'$' => {
                let Some(length) = self.variable_length(bytes) else {
                    return Err(self.error(None));
                };
                let start = self.offset + self.at as u32;
                let range = (start, start + length as u32);
                self.push(Kind::Variable, &rest[1..length], true, range);
                self.at += length;
            }
            b'\'' => {
                if !rest[1..].contains('\'') {
                    return Err(self.error(None));
                }
                let end = strings::unescaped(bytes, 1, b'\'');
                let end = end.ok_or_else(|| self.error(Some("unterminated string")))?;
                self.take(Kind::SingleQuoted, end, 1, 1);
            }
            b'"' => self.string()?,
            b'#' => self.take(Kind::Comment, line_length(rest), 1, 0),
            b'@' => match self.heredoc_tag(rest) {
                Some(length) => {
                    self.heredocs.push_back(&rest[2..length - 1]);
                    self.take(Kind::HeredocOpen, length, 2, 1);
                }
                None => self.take(Kind::At, 1, 0, 0),
            },
            b'/' => self.slash(rest)?,
            _ => return Err(self.error(None)),
        }
        Ok(())
    }

    /// A comment, a regular expression, or a division.
    fn slash(&mut self, rest: &str) -> Result<(), LexError> {
        if rest.starts_with("//") {
            self.take(Kind::SlashComment, line_length(rest), 2, 0);
            return Ok(());
        }
        if rest.starts_with("/*") && self.at < self.no_star_end {
            match rest[2..].find("*/") {
                Some(length) => {
                    self.take(Kind::StarComment, length + 4, 0, 0);
                    return Ok(());
                }
                None => self.no_star_end = self.at,
            }
        }
        let may_be_regex = self.last_code.is_none_or(Kind::precedes_regex);
        if may_be_regex && self.at < self.no_slash {
            if rest[1..].contains('/') {
                let end = strings::unescaped(rest.as_bytes(), 1, b'/');
                let end = end.ok_or_else(|| self.error(None))?;
                self.take(Kind::Regex, end, 1, 1);
                return Ok(());
            }
            self.no_slash = self.at;
        }
        self.take(Kind::Div, 1, 0, 0);
        Ok(())
    }

    /// The length of `$name`, with the indexes that follow it on the line.
    fn variable_length(&mut self, bytes: &[u8]) -> Option<usize> {
        let mut end = 1 + strings::variable_name(&bytes[1..])?;
        while bytes.get(end) == Some(&b'[') && self.at + end >= self.no_bracket {
            let line = bytes[end..].iter().position(|b| *b == b'\n').unwrap_or(bytes.len() - end);
            // At least one character is between the brackets.
            let close = bytes[end..end + line].iter().skip(2).position(|b| *b == b']');
            match close {
                Some(close) => end += close + 3,
                None => {
                    self.no_bracket = self.at + end + line;
                    break;
                }
            }
        }
        Some(end)
    }

    /// The length of `@(TAG)`.
    fn heredoc_tag(&mut self, rest: &str) -> Option<usize> {
        if !rest.starts_with("@(") || self.at < self.no_paren {
            return None;
        }
        let line = rest.find('\n').unwrap_or(rest.len());
        let first = rest[2..].chars().next()?.len_utf8();
        match rest[..line].get(2 + first..).and_then(|tag| tag.find(')')) {
            Some(close) => Some(2 + first + close + 1),
            None => {
                self.no_paren = self.at + line;
                None
            }
        }
    }

    /// A line end with the indent or the heredoc after it.
    fn line_end(&mut self, length: usize) -> Result<(), LexError> {
        self.take(Kind::Newline, length, 0, 0);
        if let Some(tag) = self.heredocs.pop_front() {
            return self.heredoc(tag);
        }
        let indent = blank_length(self.rest());
        if indent > 0 {
            self.take(Kind::Indent, indent, 0, 0);
        }
        Ok(())
    }

    /// A string in double quotes.
    fn string(&mut self) -> Result<(), LexError> {
        let body = &self.text[self.at + 1..];
        let start = self.at + 1;
        if body.is_empty() {
            // puppet-lint passes over a quote at the end of the text.
            self.at += 1;
            return Ok(());
        }
        let scanned = strings::double_quoted(body);
        let (parts, length) = scanned.ok_or_else(|| self.error(Some("unterminated string")))?;
        if let [only] = &parts[..] {
            let range = self.range(start + only.start - 1, start + only.end + 1);
            self.push(Kind::DoubleQuoted, &body[only.start..only.end], false, range);
        } else {
            let kinds = [Kind::StringStart, Kind::StringMiddle, Kind::StringEnd];
            let is_ended = parts.last().is_some_and(|last| last.end + 1 == length);
            let tail = usize::from(is_ended && body[..length].ends_with('"'));
            self.parts(body, start, &parts, kinds, tail)?;
        }
        self.at = start + length;
        Ok(())
    }

    /// The text of a heredoc, up to the end of its terminator.
    fn heredoc(&mut self, tag: &str) -> Result<(), LexError> {
        let body = self.rest();
        let start = self.at;
        let (parts, length) = strings::heredoc(body, tag);
        self.at += length;
        match &parts[..] {
            // Without a terminator puppet-lint drops the rest of the file.
            [] => {}
            [only] => {
                let range = self.range(start + only.start, start + length);
                self.push_written(Kind::Heredoc, &body[only.start..only.end], false, range, {
                    &body[only.start..length]
                });
            }
            parts => {
                let kinds = [Kind::HeredocStart, Kind::HeredocMiddle, Kind::HeredocEnd];
                let end = length - parts[parts.len() - 1].end;
                self.parts(body, start, parts, kinds, end)?;
            }
        }
        Ok(())
    }

    fn range(&self, start: usize, end: usize) -> (u32, u32) {
        (self.offset + start as u32, self.offset + end as u32)
    }

    /// The parts of a string with interpolations; `tail` is the length of what ends it.
    fn parts(
        &mut self,
        body: &'t str,
        start: usize,
        parts: &[Part],
        [first, middle, last]: [Kind; 3],
        tail: usize,
    ) -> Result<(), LexError> {
        for (i, part) in parts.iter().enumerate() {
            let value = &body[part.start..part.end];
            let (from, to) = (start + part.start, start + part.end);
            match part.kind {
                PartKind::Text if i == 0 => {
                    let quote = usize::from(first == Kind::StringStart);
                    let range = self.range(from - quote, to);
                    self.push(first, value, false, range);
                }
                _ if i + 1 == parts.len() => {
                    let range = self.range(from, to + tail);
                    let written = &body[part.start..part.end + tail];
                    let written = if last == Kind::HeredocEnd { written } else { value };
                    self.push_written(last, value, false, range, written);
                }
                PartKind::Text => {
                    let range = self.range(from, to);
                    self.push(middle, value, false, range);
                }
                PartKind::Variable => {
                    let range = self.range(from, to);
                    let value = value.strip_prefix('$').unwrap_or(value);
                    self.push(Kind::BareVariable, value, true, range);
                }
                PartKind::Code => self.interpolation(value, from)?,
            }
        }
        Ok(())
    }

    /// The code between `${` and `}`.
    fn interpolation(&mut self, code: &'t str, start: usize) -> Result<(), LexError> {
        if self.depth >= MAX_DEPTH {
            return Err(self.error(Some("too deeply nested")));
        }
        let offset = self.offset + start as u32;
        let tokens = Lexer::new(code, offset, self.depth + 1).run()?;
        for (i, token) in tokens.into_iter().enumerate() {
            let is_name = token.kind == Kind::Name
                || Kind::keyword(token.value).is_some_and(|kind| kind == token.kind);
            let kind = if i == 0 && is_name { Kind::Variable } else { token.kind };
            self.push(kind, token.value, token.has_dollar, (token.start, token.end));
        }
        Ok(())
    }

    fn push(&mut self, kind: Kind, value: &'t str, has_dollar: bool, range: (u32, u32)) {
        self.push_written(kind, value, has_dollar, range, value);
    }

    /// Adds a token and moves on by the text that puppet-lint would write for it: `written`, with
    /// its quotes and signs.
    fn push_written(
        &mut self,
        kind: Kind,
        value: &'t str,
        has_dollar: bool,
        (start, end): (u32, u32),
        written: &str,
    ) {
        if kind == Kind::BareVariable {
            // The part before was written with `${`.
            self.column = self.column.saturating_sub(2);
        }
        let (line, column) = (self.line, self.column);
        let before = self.tokens.last().map(|t| t.kind);
        let (head, tail) = match kind {
            Kind::DoubleQuoted | Kind::SingleQuoted | Kind::Regex => (1, 1),
            Kind::StringStart => (1, 2),
            Kind::HeredocStart => (0, 2),
            Kind::StringMiddle | Kind::HeredocMiddle => (closes(before), 2),
            Kind::StringEnd => (closes(before), 1),
            Kind::HeredocEnd => (closes(before), 0),
            Kind::HeredocOpen => (2, 1),
            Kind::Variable => {
                let is_inside = self.last_code.is_some_and(Kind::opens_interpolation);
                (u32::from(!is_inside || has_dollar), 0)
            }
            // puppet-lint writes both comments with one sign.
            Kind::BareVariable | Kind::Comment => (1, 0),
            _ => (0, 0),
        };
        if kind == Kind::Newline {
            self.line += 1;
            self.column = 1;
        } else {
            self.move_over(written, head, tail);
        }
        if !kind.is_formatting() {
            self.last_code = Some(kind);
        }
        self.tokens.push(Token { kind, value, has_dollar, start, end, line, column });
    }

    /// Moves line and column over a text with `head` and `tail` characters around it.
    fn move_over(&mut self, text: &str, head: u32, tail: u32) {
        // Most tokens are short words and signs.
        if text.bytes().all(|b| b.is_ascii() && !matches!(b, b'\r' | b'\n')) {
            self.column += head + text.len() as u32 + tail;
            return;
        }
        let mut lines = 0;
        let mut last = text;
        loop {
            let at = line_length(last);
            if at == last.len() {
                break;
            }
            lines += 1;
            last = &last[at + line_end_length(&last[at..])..];
        }
        let length = if last.is_ascii() { last.len() } else { last.chars().count() } as u32;
        self.line += lines;
        self.column = if lines > 0 { 1 } else { self.column + head } + length + tail;
    }
}

/// The length of a built-in type.
fn type_length(text: &str) -> Option<usize> {
    if !text.as_bytes()[0].is_ascii_uppercase() {
        return None;
    }
    let ends = |length: usize| {
        text[length..].chars().next().is_none_or(|c| !c.is_alphanumeric() && c != '_')
    };
    TYPES.iter().find(|word| begins(text, word) && ends(word.len())).map(|word| word.len())
}

/// Whether a text begins with another one. Most do not have its first byte, which is compared first.
fn begins(text: &str, with: &str) -> bool {
    text.as_bytes().first() == with.as_bytes().first() && text.starts_with(with)
}

/// The length of the first line of a text, without its end.
fn line_length(text: &str) -> usize {
    text.bytes().position(|b| matches!(b, b'\r' | b'\n')).unwrap_or(text.len())
}

/// The length of a name of a class or type in capitals, such as `::Apache::Vhost`.
fn class_length(bytes: &[u8]) -> Option<usize> {
    let mut end = 0;
    loop {
        let start = if bytes[end..].starts_with(b"::") { end + 2 } else { end };
        if !bytes.get(start).is_some_and(u8::is_ascii_uppercase) {
            return (end > 0).then_some(end);
        }
        let rest = &bytes[start + 1..];
        end = start + 1 + rest.iter().take_while(|b| is_word(**b) || **b == b'-').count();
    }
}

/// The length of a number.
fn number_length(bytes: &[u8]) -> Option<usize> {
    let digits = |from: usize, test: fn(&u8) -> bool| {
        bytes.get(from..).map_or(0, |rest| rest.iter().take_while(|b| test(b)).count())
    };
    let is_end = |at: usize| !bytes.get(at).is_some_and(|b| is_word(*b) || *b >= 0x80);
    if matches!(bytes, [b'0', b'x' | b'X', ..]) {
        let length = digits(2, u8::is_ascii_hexdigit);
        if length > 0 && is_end(2 + length) {
            return Some(2 + length);
        }
    }
    let whole = digits(0, u8::is_ascii_digit);
    if whole == 0 {
        return None;
    }
    let exponent = |at: usize| {
        matches!(bytes.get(at), Some(b'e' | b'E')).then_some(())?;
        let start = at + 1 + usize::from(bytes.get(at + 1) == Some(&b'-'));
        let length = digits(start, u8::is_ascii_digit);
        (length > 0).then_some(start + length)
    };
    let fraction = digits(whole + 1, u8::is_ascii_digit);
    let fraction = (bytes.get(whole) == Some(&b'.') && fraction > 0).then(|| whole + 1 + fraction);
    let ends = [fraction.and_then(exponent), fraction, exponent(whole), Some(whole)];
    ends.into_iter().flatten().find(|end| is_end(*end))
}

/// The length of a name, such as `::apache::vhost`.
fn name_length(bytes: &[u8]) -> Option<usize> {
    let is_part = |b: &u8| is_word(*b) || *b == b'-';
    let part = |from: usize| from + 1 + bytes[from + 1..].iter().take_while(|b| is_part(b)).count();
    let start = if bytes.starts_with(b"::") { 2 } else { 0 };
    let first = bytes.get(start)?;
    if !(first.is_ascii_lowercase() || first.is_ascii_digit() || *first == b'_') {
        return None;
    }
    let mut end = part(start);
    while bytes[end..].starts_with(b"::")
        && bytes.get(end + 2).is_some_and(|b| b.is_ascii_lowercase() || b.is_ascii_digit())
    {
        end = part(end + 2);
    }
    Some(end)
}
