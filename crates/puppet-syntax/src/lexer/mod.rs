//! The lexer: text to tokens, by bytes, in one pass.
//!
//! It follows the token rules of the reference implementation, including where blanks matter: `[`
//! after a blank starts a list, `(` first on a line starts no call, `/` starts a regular expression
//! depending on the token before. Double-quoted text is cut into its parts here, so that the parser
//! sees one stream of tokens.

mod epp;
mod escape;
mod heredoc;
mod number;
mod strings;
mod token;

use std::rc::Rc;

use ecow::EcoString;
use ordain_functions::regex::{self, Dialect};
use ordain_source::{Diagnostic, FileId, PlaceMap, TextRange};

pub(crate) use token::{Token, TokenKind};

use crate::issue::problem;

/// The maximal nesting of strings in interpolations of strings.
const MAX_NESTING: u32 = 100;
/// The maximal nesting of heredocs in interpolations of heredocs. Each level copies its text.
const MAX_HEREDOC_NESTING: u32 = 10;

/// The text of an interpolated heredoc without its margin. It is lexed as a separate text, placed
/// after the file's text, with a map back to the places of the file.
pub(crate) struct Segment {
    /// The place of its first byte behind the file's text.
    pub(crate) base: u32,
    /// The text.
    pub(crate) text: Rc<str>,
    /// Maps positions in `text` to positions in the source.
    places: PlaceMap,
}

/// The result of the lexer.
pub(crate) struct Lexed {
    pub(crate) tokens: Vec<Token>,
    /// Texts of strings, escapes done.
    pub(crate) strings: Vec<EcoString>,
    /// Comments, places as in tokens.
    pub(crate) comments: Vec<TextRange>,
    /// Lexical errors, one for each [`TokenKind::Error`].
    pub(crate) errors: Vec<Diagnostic>,
    /// Warnings.
    pub(crate) warnings: Vec<Diagnostic>,
    pub(crate) segments: Vec<Segment>,
    /// The lines of the texts of heredocs, with those that end them.
    pub(crate) heredocs: Vec<TextRange>,
    file: FileId,
    /// The end of the file's text, where segments begin.
    source_end: u32,
    next_base: u32,
}

impl Lexed {
    /// The place in the file of a place that may be in a segment.
    pub(crate) fn place(&self, mut at: u32) -> u32 {
        while at > self.source_end {
            let index = self.segments.partition_point(|s| s.base <= at);
            let Some(segment) = index.checked_sub(1).and_then(|i| self.segments.get(i)) else {
                return self.source_end;
            };
            at = segment.places.place(at - segment.base);
        }
        at
    }

    /// The range in the file of a range that may be in a segment.
    #[inline]
    pub(crate) fn range(&self, start: u32, end: u32) -> TextRange {
        if end <= self.source_end { TextRange::new(start, end) } else { self.far_range(start, end) }
    }

    #[cold]
    fn far_range(&self, start: u32, end: u32) -> TextRange {
        let start = self.place(start);
        TextRange::new(start, self.place(end).max(start))
    }
}

/// An error that ends the lexing of a text.
struct Fatal(Box<Diagnostic>);

type Step = Result<(), Fatal>;

struct Lexer<'t, 'o> {
    text: &'t str,
    bytes: &'t [u8],
    pos: usize,
    /// The start of this text in the map of places.
    base: u32,
    out: &'o mut Lexed,
    /// The kind of the token before; it decides the meaning of a slash.
    after: TokenKind,
    brace_count: u32,
    /// Whether only blanks were seen since the line began.
    fresh_line: bool,
    /// The position at which the lexer continues after the newline, if heredocs follow it.
    newline_jump: Option<usize>,
    epp: EppMode,
    epp_open: bool,
    /// The start of the open tag.
    epp_tag: usize,
    /// The starts of the open interpolations.
    interpolations: Vec<usize>,
    nesting: u32,
    heredoc_nesting: u32,
    /// The range of the last match, for the text of the error about unclosed quotes.
    matched: (usize, usize),
    /// Whether some `/` was found to have no other behind it.
    no_more_slashes: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum EppMode {
    Off,
    Text,
    Code,
    Expr,
}

/// The tokens of a text.
pub(crate) fn lex(file: FileId, text: &str, epp: bool) -> Lexed {
    let mut out = Lexed {
        tokens: Vec::with_capacity(text.len() / 5 + 4),
        strings: Vec::new(),
        comments: Vec::new(),
        errors: Vec::new(),
        warnings: Vec::new(),
        segments: Vec::new(),
        heredocs: Vec::new(),
        file,
        source_end: text.len() as u32,
        next_base: text.len() as u32 + 1,
    };
    let mut lexer = Lexer::new(text, 0, &mut out);
    if epp {
        lexer.epp = EppMode::Text;
        lexer.fresh_line = false;
    }
    lexer.run(epp);
    let end = text.len() as u32;
    out.tokens.push(Token { kind: TokenKind::Eof, start: end, end, aux: 0 });
    out
}

impl<'t, 'o> Lexer<'t, 'o> {
    fn new(text: &'t str, base: u32, out: &'o mut Lexed) -> Self {
        Self {
            text,
            bytes: text.as_bytes(),
            pos: 0,
            base,
            out,
            after: TokenKind::Eof,
            brace_count: 0,
            fresh_line: true,
            newline_jump: None,
            epp: EppMode::Off,
            epp_open: false,
            epp_tag: 0,
            interpolations: Vec::new(),
            nesting: 0,
            heredoc_nesting: 0,
            matched: (0, 0),
            no_more_slashes: false,
        }
    }

    fn run(&mut self, epp: bool) {
        if let Err(fatal) = self.byte_order_mark() {
            self.error_token(0, fatal);
            return;
        }
        if epp {
            self.push(TokenKind::EppStart, 0, 0);
            if let Err(fatal) = self.epp_text(false) {
                self.error_token(1, fatal);
                return;
            }
        }
        while self.pos < self.bytes.len() {
            let mark = self.out.tokens.len();
            if let Err(fatal) = self.token() {
                self.error_token(mark, fatal);
                if !self.resume_after_error() {
                    return;
                }
            }
            if let Some(last) = self.out.tokens.get(mark..).and_then(|t| t.last()) {
                self.after = last.kind;
            }
        }
        if epp && self.epp_open {
            let fatal = self.fatal("EPP_UNBALANCED_TAG", self.pos, || {
                "Unbalanced epp tag, reached <eof> without closing tag.".into()
            });
            let tag = self.epp_tag..self.epp_tag + 2;
            let fatal = self.pointing(fatal, tag, "this tag is not closed by `%>`");
            let mark = self.out.tokens.len();
            self.error_token(mark, fatal);
        }
    }

    /// After an error in one word the lexer can go on behind it; other errors end the lexing.
    fn resume_after_error(&mut self) -> bool {
        let Some(error) = self.out.errors.last() else { return false };
        if error.code == "puppet::regex" {
            return true;
        }
        let resumes = matches!(
            error.issue.as_deref(),
            Some(
                "ILLEGAL_NUMBER"
                    | "INVALID_HEX_NUMBER"
                    | "INVALID_OCTAL_NUMBER"
                    | "INVALID_DECIMAL_NUMBER"
                    | "ILLEGAL_CLASS_REFERENCE"
                    | "ILLEGAL_FULLY_QUALIFIED_CLASS_REFERENCE"
                    | "ILLEGAL_FULLY_QUALIFIED_NAME"
            )
        );
        if resumes {
            self.pos += 1;
            while self.bytes.get(self.pos).is_some_and(|&b| is_word(b) || b == b':' || b >= 0x80) {
                self.pos += 1;
            }
        }
        resumes
    }

    fn error_token(&mut self, mark: usize, fatal: Fatal) {
        self.out.tokens.truncate(mark);
        let at = fatal.0.peer_span().map_or(0, |span| span.range.start);
        let aux = self.out.errors.len() as u32;
        self.out.errors.push(*fatal.0);
        self.out.tokens.push(Token { kind: TokenKind::Error, start: at, end: at, aux });
    }

    fn byte_order_mark(&mut self) -> Step {
        let (name, size) = match self.bytes {
            [0xEF, 0xBB, 0xBF, ..] => ("UTF-8", 3),
            [0x00, 0x00, 0xFE, 0xFF, ..] => ("UTF-32", 4),
            [0x0E, 0xFE, 0xFF, ..] => ("SCSU", 3),
            _ => return Ok(()),
        };
        let bytes: Vec<String> = self.bytes[..size].iter().map(|b| format!("{b:X}")).collect();
        Err(self.fatal("ILLEGAL_BOM", 0, || {
            format!(
                "Illegal {name} Byte Order mark at beginning of input: [{}] - remove these from \
                 the puppet source",
                bytes.join(" ")
            )
        }))
    }

    #[cold]
    fn fatal(&self, issue: &'static str, at: usize, message: impl FnOnce() -> String) -> Fatal {
        let at = self.out.place(self.base + at as u32);
        Fatal(Box::new(problem(issue, message()).at(TextRange::new(at, at).in_file(self.out.file))))
    }

    /// Moves an error to the beginning of its subject.
    #[cold]
    fn pointing(&self, fatal: Fatal, at: std::ops::Range<usize>, text: &str) -> Fatal {
        let [start, end] = [at.start, at.end].map(|at| self.out.place(self.base + at as u32));
        let span = TextRange::new(start, end.max(start)).in_file(self.out.file);
        Fatal(Box::new(fatal.0.move_to(span, text)))
    }

    fn push(&mut self, kind: TokenKind, start: usize, end: usize) {
        let (start, end) = (self.base + start as u32, self.base + end as u32);
        self.out.tokens.push(Token { kind, start, end, aux: 0 });
    }

    fn push_text(&mut self, kind: TokenKind, start: usize, end: usize, text: EcoString) {
        let aux = self.out.strings.len() as u32;
        self.out.strings.push(text);
        let (start, end) = (self.base + start as u32, self.base + end as u32);
        self.out.tokens.push(Token { kind, start, end, aux });
    }

    /// A token of `len` bytes at the position.
    fn op(&mut self, kind: TokenKind, len: usize) -> Step {
        let start = self.pos;
        self.pos += len;
        self.push(kind, start, start + len);
        Ok(())
    }

    fn at(&self, ahead: usize) -> u8 {
        self.bytes.get(self.pos + ahead).copied().unwrap_or(0)
    }

    /// Lexes a token, blanks or a comment. It may push no token or several.
    fn token(&mut self) -> Step {
        let fresh = std::mem::replace(&mut self.fresh_line, false);
        match self.at(0) {
            b' ' | b'\t' | b'\r' => {
                self.fresh_line = fresh;
                self.blanks();
                Ok(())
            }
            b'\n' => {
                self.pos = self.newline_jump.take().unwrap_or(self.pos + 1);
                self.fresh_line = true;
                Ok(())
            }
            b'#' => {
                self.line_comment();
                Ok(())
            }
            b'a'..=b'z' | b'_' => self.bare_word(),
            b'A'..=b'Z' => self.class_reference(),
            b'$' => self.variable(),
            b'\'' => self.single_quoted(),
            b'"' => self.double_quoted(),
            b'0'..=b'9' => self.number(),
            b'(' => self.op(if fresh { TokenKind::WsLParen } else { TokenKind::LParen }, 1),
            _ => self.punctuation(fresh),
        }
    }

    fn punctuation(&mut self, fresh: bool) -> Step {
        match (self.at(0), self.at(1)) {
            (b',', _) => self.op(TokenKind::Comma, 1),
            (b'=', b'>') => self.op(TokenKind::FArrow, 2),
            (b'=', b'=') => self.op(TokenKind::IsEqual, 2),
            (b'=', b'~') => self.op(TokenKind::Match, 2),
            (b'=', _) => self.op(TokenKind::Equals, 1),
            (b'{', _) => {
                self.brace_count = self.brace_count.wrapping_add(1);
                let after_mark = self.after == TokenKind::QMark;
                self.op(if after_mark { TokenKind::SelBrace } else { TokenKind::LBrace }, 1)
            }
            (b'}', _) => {
                self.brace_count = self.brace_count.wrapping_sub(1);
                self.op(TokenKind::RBrace, 1)
            }
            (b':', b':') => self.qualified(),
            (b':', _) => self.op(TokenKind::Colon, 1),
            (b'[', _) => {
                let starts = self.blank_before();
                self.op(if starts { TokenKind::ListStart } else { TokenKind::LBrack }, 1)
            }
            (b']', _) => self.op(TokenKind::RBrack, 1),
            (b')', _) => self.op(TokenKind::RParen, 1),
            (b'.', _) => self.op(TokenKind::Dot, 1),
            (b';', _) => self.op(TokenKind::Semic, 1),
            (b'?', _) => self.op(TokenKind::QMark, 1),
            (b'*', _) => self.op(TokenKind::Times, 1),
            (b'|', b'>') if self.at(2) == b'>' => self.op(TokenKind::RrCollect, 3),
            (b'|', b'>') => self.op(TokenKind::RCollect, 2),
            (b'|', _) => self.op(TokenKind::Pipe, 1),
            (b'@', b'(') => self.heredoc(),
            (b'@', b'@') => self.op(TokenKind::AtAt, 2),
            (b'@', _) => self.op(TokenKind::At, 1),
            (b'!', b'=') => self.op(TokenKind::NotEqual, 2),
            (b'!', b'~') => self.op(TokenKind::NoMatch, 2),
            (b'!', _) => self.op(TokenKind::Not, 1),
            (b'/', b'*') => self.block_comment(),
            (b'/', _) => self.slash(),
            _ => self.rare_punctuation(fresh),
        }
    }

    fn rare_punctuation(&mut self, fresh: bool) -> Step {
        let epp = self.epp != EppMode::Off;
        match (self.at(0), self.at(1)) {
            (b'-', b'%') if epp && self.at(2) == b'>' => self.epp_close(3, TokenKind::EppEndTrim),
            (b'%', b'>') if epp => self.epp_close(2, TokenKind::EppEnd),
            (b'-', b'>') => self.op(TokenKind::InEdge, 2),
            (b'-', b'=') => self.op(TokenKind::Deletes, 2),
            (b'-', _) => self.op(TokenKind::Minus, 1),
            (b'~', b'>') => self.op(TokenKind::InEdgeSub, 2),
            (b'+', b'=') => self.op(TokenKind::Appends, 2),
            (b'+', b'>') => self.op(TokenKind::PArrow, 2),
            (b'+', _) => self.op(TokenKind::Plus, 1),
            (b'<', b'<') if self.at(2) == b'|' => self.op(TokenKind::LlCollect, 3),
            (b'<', b'<') => self.op(TokenKind::LShift, 2),
            (b'<', b'=') => self.op(TokenKind::LessEqual, 2),
            (b'<', b'|') => self.op(TokenKind::LCollect, 2),
            (b'<', b'-') => self.op(TokenKind::OutEdge, 2),
            (b'<', b'~') => self.op(TokenKind::OutEdgeSub, 2),
            (b'<', _) => self.op(TokenKind::Less, 1),
            (b'>', b'>') => self.op(TokenKind::RShift, 2),
            (b'>', b'=') => self.op(TokenKind::GreaterEqual, 2),
            (b'>', _) => self.op(TokenKind::Greater, 1),
            (b'%', _) => self.op(TokenKind::Modulo, 1),
            (0x80.., _) if self.blanks() => {
                self.fresh_line = fresh;
                Ok(())
            }
            _ => {
                let len = self.text[self.pos..].chars().next().map_or(1, char::len_utf8);
                self.op(TokenKind::Other, len)
            }
        }
    }

    /// Skips blanks; whether there were any.
    fn blanks(&mut self) -> bool {
        let start = self.pos;
        while let Some(&b) = self.bytes.get(self.pos) {
            match b {
                b' ' | b'\t' | b'\r' => self.pos += 1,
                0x80.. => match self.text[self.pos..].chars().next().filter(|&c| is_blank(c)) {
                    Some(c) => self.pos += c.len_utf8(),
                    None => break,
                },
                _ => break,
            }
        }
        self.matched = (start, self.pos);
        self.pos > start
    }

    /// Whether the position is at the start, or after a blank or newline.
    fn blank_before(&self) -> bool {
        match self.pos.checked_sub(1).and_then(|i| self.bytes.get(i)) {
            None => true,
            Some(b' ' | b'\t' | b'\r' | b'\n') => true,
            Some(0x80..) => self.text[..self.pos].chars().next_back().is_some_and(is_blank),
            Some(_) => false,
        }
    }

    fn line_comment(&mut self) {
        let start = self.pos;
        let rest = &self.bytes[start..];
        self.pos += rest.iter().position(|&b| b == b'\n').unwrap_or(rest.len());
        self.comment(start);
    }

    fn comment(&mut self, start: usize) {
        self.matched = (start, self.pos);
        let range = TextRange::new(self.base + start as u32, self.base + self.pos as u32);
        self.out.comments.push(range);
    }

    fn block_comment(&mut self) -> Step {
        let start = self.pos;
        match self.text[start + 2..].find("*/") {
            Some(len) => {
                self.pos = start + len + 4;
                self.comment(start);
                Ok(())
            }
            None => {
                Err(self.fatal("UNCLOSED_MLCOMMENT", start, || "Unclosed multiline comment".into()))
            }
        }
    }

    fn slash(&mut self) -> Step {
        use TokenKind::*;
        let divides = matches!(
            self.after,
            RParen | RBrack | RrCollect | RCollect | Name | ClassRef | Number | Str | True | False
        ) || matches!(
            self.after,
            DqPre | DqMid | DqPost | Heredoc | Regex | Variable | Word
        );
        if divides || self.no_more_slashes {
            return self.op(Div, 1);
        }
        let start = self.pos;
        let mut escaped = false;
        for (i, &b) in self.bytes[start + 1..].iter().enumerate() {
            match b {
                b'\\' => escaped = !escaped,
                b'/' if !escaped => {
                    self.pos = start + i + 2;
                    let text = self.text[start + 1..self.pos - 1].replace("\\/", "/");
                    if let Err(error) = regex::check(Dialect::Ruby, &text) {
                        let at = self.out.place(self.base + start as u32);
                        let span = TextRange::new(at, at).in_file(self.out.file);
                        let error = Diagnostic::error("puppet::regex", error.to_string()).at(span);
                        return Err(Fatal(Box::new(error)));
                    }
                    self.push_text(Regex, start, self.pos, text.into());
                    return Ok(());
                }
                _ => escaped = false,
            }
        }
        self.no_more_slashes = true;
        self.op(Div, 1)
    }

    /// The end of `\w*` from a position.
    fn word_end(&self, mut at: usize) -> usize {
        while self.bytes.get(at).is_some_and(|&b| is_word(b)) {
            at += 1;
        }
        at
    }

    /// The end of a segment of a bare word, without colons; the position itself if there is none.
    fn bare_segment(&self, at: usize) -> usize {
        if !self.bytes.get(at).is_some_and(|b| matches!(b, b'a'..=b'z' | b'_')) {
            return at;
        }
        let mut end = self.word_end(at + 1);
        let mut next = end;
        while self.bytes.get(next) == Some(&b'-') {
            next += 1;
            let word = self.word_end(next);
            if word > next {
                (next, end) = (word, word);
            }
        }
        end
    }

    /// The end of a bare word from a position.
    fn bare_end(&self, at: usize) -> usize {
        let colons = |i: usize| self.bytes.get(i..i + 2) == Some(b"::");
        let mut end = if colons(at) {
            let end = self.bare_segment(at + 2);
            if end == at + 2 {
                return at;
            }
            end
        } else {
            self.bare_segment(at)
        };
        while colons(end) {
            let next = self.bare_segment(end + 2);
            if next == end + 2 {
                break;
            }
            end = next;
        }
        end
    }

    fn bare_word(&mut self) -> Step {
        let start = self.pos;
        self.pos = self.bare_end(start);
        self.matched = (start, self.pos);
        let word = &self.bytes[start..self.pos];
        let kind = if word.len() <= 8
            && let Some(keyword) = TokenKind::keyword(word)
        {
            keyword
        } else {
            name_or_word(word)
        };
        self.push(kind, start, self.pos);
        Ok(())
    }

    /// `::` with the name behind it.
    fn qualified(&mut self) -> Step {
        let start = self.pos;
        if self.at(2).is_ascii_uppercase() {
            let end = self.class_reference_end();
            if self.bytes.get(end..end + 2) == Some(b"::") {
                return Err(self.fatal("ILLEGAL_FULLY_QUALIFIED_CLASS_REFERENCE", end + 3, || {
                    "Illegal fully qualified class reference".into()
                }));
            }
            self.pos = end;
            self.matched = (start, end);
            self.push(TokenKind::ClassRef, start, end);
            return Ok(());
        }
        let end = self.bare_end(start);
        if end == start {
            return Err(self.fatal("ILLEGAL_FULLY_QUALIFIED_NAME", start + 2, || {
                "Illegal fully qualified name".into()
            }));
        }
        self.pos = end;
        self.matched = (start, end);
        self.push(name_or_word(&self.bytes[start..end]), start, end);
        Ok(())
    }

    fn class_reference_end(&self) -> usize {
        let mut end = self.pos;
        loop {
            let at = if self.bytes.get(end..end + 2) == Some(b"::") { end + 2 } else { end };
            if !self.bytes.get(at).is_some_and(u8::is_ascii_uppercase) {
                return end;
            }
            end = self.word_end(at + 1);
        }
    }

    fn class_reference(&mut self) -> Step {
        let start = self.pos;
        let end = self.class_reference_end();
        if self.bytes.get(end..end + 2) == Some(b"::") {
            return Err(
                self.fatal("ILLEGAL_CLASS_REFERENCE", end + 1, || "Illegal class reference".into())
            );
        }
        self.pos = end;
        self.matched = (start, end);
        self.push(TokenKind::ClassRef, start, end);
        Ok(())
    }

    /// The end of a variable's name from a position, which is behind the dollar.
    fn variable_end(&self, at: usize) -> usize {
        let colons = |i: usize| self.bytes.get(i..i + 2) == Some(b"::");
        let first = if colons(at) { at + 2 } else { at };
        let mut end = self.word_end(first);
        if end == first {
            return at;
        }
        while colons(end) {
            let next = self.word_end(end + 2);
            if next == end + 2 {
                break;
            }
            end = next;
        }
        end
    }

    fn variable(&mut self) -> Step {
        let start = self.pos;
        let end = self.variable_end(start + 1);
        self.pos = end;
        self.matched = (start, end);
        self.push(TokenKind::Variable, start, end);
        Ok(())
    }
}

/// Whether a bare word is a name: each part begins with a letter, and there is no hyphen.
fn name_or_word(word: &[u8]) -> TokenKind {
    let mut part_start = true;
    let mut i = 0;
    while let Some(&b) = word.get(i) {
        match b {
            b':' => {
                part_start = true;
                i += 1;
            }
            b'-' => return TokenKind::Word,
            b'_' if part_start => return TokenKind::Word,
            _ => part_start = false,
        }
        i += 1;
    }
    TokenKind::Name
}

fn is_word(b: u8) -> bool {
    b.is_ascii_alphanumeric() || b == b'_'
}

/// A blank other than a newline.
fn is_blank(c: char) -> bool {
    matches!(
        c,
        ' ' | '\t' | '\u{a0}' | '\u{1680}' | '\u{2000}'
            ..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{3000}'
    )
}
