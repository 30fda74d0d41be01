//! Splits text into tokens. The rules are tried in a fixed order, and the first match wins, as in
//! the original.

use crate::location::Location;

/// The reserved words.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub(super) enum Keyword {
    Typedef,
    As,
    Entity,
    Extends,
    End,
    In,
    Implementation,
    For,
    Matching,
    Index,
    Implement,
    Using,
    When,
    And,
    Or,
    Not,
    True,
    False,
    Import,
    Is,
    Defined,
    Dict,
    Null,
    Undef,
    Parents,
    If,
    Else,
    Elif,
}

impl Keyword {
    fn of(word: &str) -> Option<Self> {
        Some(match word {
            "typedef" => Self::Typedef,
            "as" => Self::As,
            "entity" => Self::Entity,
            "extends" => Self::Extends,
            "end" => Self::End,
            "in" => Self::In,
            "implementation" => Self::Implementation,
            "for" => Self::For,
            "matching" => Self::Matching,
            "index" => Self::Index,
            "implement" => Self::Implement,
            "using" => Self::Using,
            "when" => Self::When,
            "and" => Self::And,
            "or" => Self::Or,
            "not" => Self::Not,
            "true" => Self::True,
            "false" => Self::False,
            "import" => Self::Import,
            "is" => Self::Is,
            "defined" => Self::Defined,
            "dict" => Self::Dict,
            "null" => Self::Null,
            "undef" => Self::Undef,
            "parents" => Self::Parents,
            "if" => Self::If,
            "else" => Self::Else,
            "elif" => Self::Elif,
            _ => return None,
        })
    }
}

/// The kinds of tokens.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub(super) enum Kind {
    /// `matching /…/`
    Regex,
    /// `f"…"`
    FString,
    /// `r"…"`
    RString,
    Word(Keyword),
    /// A name that does not begin with a capital letter.
    Id,
    /// A name that begins with a capital letter.
    Cid,
    /// `::`
    Sep,
    /// `--`, `->`, `<-`
    Rel,
    /// A comparison.
    Cmp,
    /// `+=`
    Append,
    /// `"""…"""`
    Multi,
    Float,
    Int,
    String,
    Plus,
    Minus,
    Slash,
    Power,
    /// A single character.
    Char(u8),
    End,
    /// A character that begins no token.
    Illegal,
}

/// A token.
#[derive(Clone, Copy, Debug)]
pub(super) struct Token {
    /// Its kind.
    pub kind: Kind,
    /// The offset of its first byte.
    pub start: u32,
    /// The offset after its last byte.
    pub end: u32,
    /// The first line, as the original counts.
    pub line: u32,
    /// The last line.
    pub end_line: u32,
    /// The offset of the line from which columns are counted.
    pub line_start: u32,
}

/// The lexer.
#[derive(Clone)]
pub(super) struct Lexer<'a> {
    text: &'a str,
    is_ascii: bool,
    file: u32,
    at: usize,
    line: u32,
    line_start: usize,
}

impl<'a> Lexer<'a> {
    /// Creates a lexer at the beginning of a text.
    pub(super) fn new(text: &'a str, file: u32) -> Self {
        Self { text, is_ascii: text.is_ascii(), file, at: 0, line: 1, line_start: 0 }
    }

    /// The same for a text that begins at a line of its file.
    pub(super) fn at_line(self, line: u32) -> Self {
        Self { line, ..self }
    }

    /// The text of a token.
    pub(super) fn slice(&self, token: &Token) -> &'a str {
        &self.text[token.start as usize..token.end as usize]
    }

    /// Goes back to an offset inside the last token.
    pub(super) fn reread(&mut self, token: &Token, offset: u32) {
        self.at = (token.start + offset) as usize;
        self.line = token.line;
        self.line_start = token.line_start as usize;
    }

    fn chars(&self, from: usize, to: usize) -> u32 {
        // The original appends a line end, and the end of the text comes after it.
        if from >= to {
            0
        } else if self.is_ascii {
            (to - from) as u32
        } else {
            self.text[from..to].chars().count() as u32
        }
    }

    /// The place of a token.
    pub(super) fn location(&self, token: &Token) -> Location {
        let line_start = token.line_start as usize;
        let column = self.chars(line_start, token.start as usize) + 1;
        let end_column = if token.kind == Kind::Multi {
            let text = self.slice(token);
            let last = text.rfind('\n').map_or(0, |i| i + 1);
            text[last..].chars().count() as u32 + 1
        } else {
            column + self.chars(token.start as usize, token.end as usize)
        };
        Location { file: self.file, line: token.line, column, end_line: token.end_line, end_column }
    }

    /// The line of a token.
    pub(super) fn line_of(&self, token: &Token) -> Location {
        Location::line(self.file, token.line)
    }

    /// The place after a token.
    pub(super) fn behind(&self, token: &Token) -> Location {
        let column = self.chars(token.line_start as usize, token.end as usize) + 1;
        let line = token.end_line;
        Location { file: self.file, line, column, end_line: line, end_column: column }
    }

    /// The next token.
    pub(super) fn next(&mut self) -> Token {
        self.skip();
        let start = self.at;
        let line = self.line;
        let bytes = &self.text.as_bytes()[start..];
        let (kind, length) = scan(bytes);
        let end = match kind {
            Kind::Illegal => start + self.text[start..].chars().next().map_or(1, char::len_utf8),
            _ => start + length,
        };
        if kind == Kind::Multi {
            self.line += self.text[start..end].matches('\n').count() as u32;
        }
        self.at = end;
        Token {
            kind,
            start: start as u32,
            end: end as u32,
            line,
            end_line: self.line,
            line_start: self.line_start as u32,
        }
    }

    fn skip(&mut self) {
        let bytes = self.text.as_bytes();
        loop {
            match bytes.get(self.at) {
                Some(b' ' | b'\t') => self.at += 1,
                Some(b'\n') => {
                    self.at += 1;
                    self.line += 1;
                    self.line_start = self.at;
                }
                Some(b'#') => {
                    let rest = &bytes[self.at..];
                    let length = rest.iter().position(|&b| b == b'\n');
                    self.at += length.unwrap_or(rest.len());
                }
                Some(_) => return,
                None => {
                    // The original appends a line end, once.
                    if self.line_start <= self.text.len() {
                        self.line += 1;
                        self.line_start = self.text.len() + 1;
                    }
                    return;
                }
            }
        }
    }
}

impl Lexer<'_> {
    /// The place of the end of the text.
    pub(super) fn end_location(&self) -> Location {
        let line = self.line;
        // The original counts the line end that it appends, and one byte more.
        Location { file: self.file, line, column: 2, end_line: line, end_column: 2 }
    }
}

fn scan(bytes: &[u8]) -> (Kind, usize) {
    let Some(&first) = bytes.first() else { return (Kind::End, 0) };
    let second = bytes.get(1).copied().unwrap_or_default();
    match first {
        b'a'..=b'z' | b'A'..=b'Z' | b'_' => scan_word(bytes, first, second),
        b'"' => scan_quote(bytes),
        b'\'' => quoted(bytes).map_or((Kind::Illegal, 1), |n| (Kind::String, n)),
        b':' if second == b':' => (Kind::Sep, 2),
        b'-' if matches!(second, b'-' | b'>') => (Kind::Rel, 2),
        b'<' if second == b'-' => (Kind::Rel, 2),
        b'!' | b'=' | b'>' | b'<' if second == b'=' => (Kind::Cmp, 2),
        b'<' | b'>' => (Kind::Cmp, 1),
        b'+' if second == b'=' => (Kind::Append, 2),
        b'-' | b'.' | b'0'..=b'9' if number(bytes).is_some() => {
            number(bytes).unwrap_or((Kind::Illegal, 1))
        }
        b'+' => (Kind::Plus, 1),
        b'-' => (Kind::Minus, 1),
        b'/' => (Kind::Slash, 1),
        b'*' if second == b'*' => (Kind::Power, 2),
        b':' | b'[' | b']' | b'(' | b')' | b'=' | b',' | b'.' | b'{' | b'}' | b'?' | b'*'
        | b'%' => (Kind::Char(first), 1),
        _ => (Kind::Illegal, 1),
    }
}

fn scan_word(bytes: &[u8], first: u8, second: u8) -> (Kind, usize) {
    if matches!(first, b'f' | b'r')
        && matches!(second, b'"' | b'\'')
        && let Some(length) = quoted(&bytes[1..])
    {
        return (if first == b'f' { Kind::FString } else { Kind::RString }, length + 1);
    }
    if first == b'm'
        && let Some(length) = regex(bytes)
    {
        return (Kind::Regex, length);
    }
    let is_part = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-');
    let length = bytes.iter().position(|b| !is_part(b)).unwrap_or(bytes.len());
    if first.is_ascii_uppercase() {
        return (Kind::Cid, length);
    }
    let word = std::str::from_utf8(&bytes[..length]).unwrap_or_default();
    (Keyword::of(word).map_or(Kind::Id, Kind::Word), length)
}

/// The length of `matching /…/`.
fn regex(bytes: &[u8]) -> Option<usize> {
    let rest = bytes.strip_prefix(b"matching")?;
    let blanks = rest.iter().position(|b| !b.is_ascii_whitespace() && *b != 0x0b)?;
    if blanks == 0 || rest[blanks] != b'/' {
        return None;
    }
    let body = blanks + 1;
    let mut at = body;
    loop {
        match rest.get(at)? {
            b'/' if at > body => return Some(8 + at + 1),
            b'/' | b'\n' => return None,
            b'\\' if matches!(rest.get(at + 1), None | Some(b'\n')) => return None,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
}

/// The length of a text in quotes on one line.
fn quoted(bytes: &[u8]) -> Option<usize> {
    let quote = *bytes.first()?;
    let mut at = 1;
    loop {
        match *bytes.get(at)? {
            b if b == quote => return Some(at + 1),
            b'\n' => return None,
            b'\\' if matches!(bytes.get(at + 1), None | Some(b'\n')) => return None,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
}

fn scan_quote(bytes: &[u8]) -> (Kind, usize) {
    let opening = bytes.iter().take(5).take_while(|b| **b == b'"').count();
    // As many quotes as possible open the string, but fewer if it cannot be closed otherwise.
    for open in (3..=opening).rev() {
        if let Some(at) = find(&bytes[open..], b"\"\"\"") {
            let tail = &bytes[open + at..];
            let close = tail.iter().take(5).take_while(|b| **b == b'"').count();
            return (Kind::Multi, open + at + close);
        }
    }
    quoted(bytes).map_or((Kind::Illegal, 1), |n| (Kind::String, n))
}

fn find(bytes: &[u8], what: &[u8]) -> Option<usize> {
    bytes.windows(what.len()).position(|window| window == what)
}

fn number(bytes: &[u8]) -> Option<(Kind, usize)> {
    let digits = |from: usize| {
        bytes.get(from..).map_or(0, |b| b.iter().take_while(|b| b.is_ascii_digit()).count())
    };
    let sign = usize::from(bytes.first() == Some(&b'-'));
    let whole = digits(sign);
    if bytes.get(sign + whole) == Some(&b'.') {
        let fraction = digits(sign + whole + 1);
        if fraction > 0 {
            return Some((Kind::Float, sign + whole + 1 + fraction));
        }
    }
    (whole > 0).then_some((Kind::Int, sign + whole))
}
