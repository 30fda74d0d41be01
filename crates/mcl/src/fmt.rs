//! The formatter. It keeps tokens on their lines and rewrites the blanks between them.
//!
//! Line ends are significant in mcl, so lists on one line stay on one line, and lists with a line
//! for each item keep their lines. Only bodies of resources get a line for each entry. Comments
//! stay in place.

use ordain_source::TextRange;

use crate::Edition;
use crate::syntax::ast::WideningKind;
use crate::syntax::error::SyntaxError;
use crate::syntax::lexer;
use crate::syntax::parser::{self, Brace};
use crate::syntax::token::{Token, TokenKind};

/// Formats a text.
///
/// # Errors
/// When the text is no valid mcl.
pub fn format(text: &str, edition: Edition) -> Result<String, SyntaxError> {
    let lexed = lexer::lex(text, edition)?;
    let tokens = lexed.tokens.clone();
    let (tree, layout) = parser::parse(text, lexed, edition)?;
    // Commas that only the wide edition accepts are removed.
    let mut superfluous: Vec<u32> = tree
        .widenings
        .iter()
        .filter(|w| w.kind == WideningKind::TrailingComma)
        .map(|w| w.range.start)
        .collect();
    superfluous.sort_unstable();
    let mut formatter = Formatter {
        text,
        braces: layout.braces.iter().peekable(),
        spaced: layout.spaced.iter().peekable(),
        superfluous,
        out: String::with_capacity(text.len()),
        closers: closers(&tokens),
        open: Vec::new(),
        before: None,
        newlines: 0,
    };
    let mut comments = tree.comments.iter().peekable();
    for (at, token) in tokens.iter().enumerate() {
        while let Some(comment) = comments.next_if(|c| c.start < token.range.start) {
            formatter.comment(*comment);
        }
        let next = tokens.get(at + 1).map_or(TokenKind::End, |next| next.kind);
        let has_comment_before = |end: Option<&Token>| {
            let end = end.map_or(0, |end| end.range.start);
            comments.clone().next().is_some_and(|comment| comment.start < end)
        };
        let around = TokenContext {
            next,
            has_comment: has_comment_before(tokens.get(at + 1)),
            inside: match formatter.closers[at] as usize {
                0 => BracketContent::Nothing,
                closer if has_comment_before(tokens.get(closer)) => BracketContent::Comment,
                closer if tokens[at + 1..closer].iter().all(|t| t.kind == TokenKind::Newline) => {
                    BracketContent::Nothing
                }
                _ => BracketContent::Something,
            },
        };
        formatter.token(at as u32, *token, around);
    }
    Ok(formatter.finish())
}

/// The context behind a token.
#[derive(Clone, Copy)]
struct TokenContext {
    next: TokenKind,
    /// Whether a comment stands before the next token.
    has_comment: bool,
    /// The content between a bracket and the one that closes it.
    inside: BracketContent,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum BracketContent {
    Nothing,
    Something,
    /// A comment, and maybe more.
    Comment,
}

/// For each opening bracket the number of its closing bracket.
fn closers(tokens: &[Token]) -> Vec<u32> {
    let mut closers = vec![0; tokens.len()];
    let mut open = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        if opens(token.kind) {
            open.push(at);
        } else if closes(token.kind)
            && let Some(opener) = open.pop()
        {
            closers[opener] = at as u32;
        }
    }
    closers
}

fn opens(kind: TokenKind) -> bool {
    matches!(kind, TokenKind::OpenCurly | TokenKind::OpenParen | TokenKind::OpenBrack)
}

fn closes(kind: TokenKind) -> bool {
    matches!(kind, TokenKind::CloseCurly | TokenKind::CloseParen | TokenKind::CloseBrack)
}

struct Formatter<'t> {
    text: &'t str,
    braces: std::iter::Peekable<std::slice::Iter<'t, (u32, Brace)>>,
    /// The tokens that always follow a space.
    spaced: std::iter::Peekable<std::slice::Iter<'t, u32>>,
    superfluous: Vec<u32>,
    closers: Vec<u32>,
    out: String,
    /// The open brackets.
    open: Vec<Open>,
    before: Option<TokenKind>,
    /// Pending line ends.
    newlines: usize,
}

#[derive(Clone, Copy)]
struct Open {
    brace: Option<Brace>,
    /// Whether its content is indented, because a line end follows the bracket.
    is_long: bool,
}

impl<'t> Formatter<'t> {
    fn slice(&self, range: TextRange) -> &'t str {
        &self.text[range.start as usize..range.end as usize]
    }

    fn depth(&self) -> usize {
        self.open.iter().filter(|open| open.is_long).count()
    }

    fn in_resource(&self) -> bool {
        self.open.last().is_some_and(|open| open.brace == Some(Brace::Resource))
    }

    /// Writes the pending line ends, at most one blank line, and the indentation.
    fn start_line(&mut self) -> bool {
        if self.newlines == 0 {
            return self.out.is_empty();
        }
        if !self.out.is_empty() {
            let count = self.newlines.min(2);
            self.out.push_str(&"\n".repeat(count));
            self.out.push_str(&"\t".repeat(self.depth()));
        }
        self.newlines = 0;
        true
    }

    fn comment(&mut self, range: TextRange) {
        let text = self.slice(range).trim_end();
        if !self.start_line() {
            self.out.push(' ');
        }
        self.out.push_str(text);
    }

    fn token(&mut self, at: u32, token: Token, around: TokenContext) {
        if self.superfluous.binary_search(&token.range.start).is_ok() {
            return;
        }
        match token.kind {
            TokenKind::Newline => {
                self.newlines += 1;
                return;
            }
            TokenKind::End => return,
            _ => {}
        }
        let closed = if closes(token.kind) { self.open.pop() } else { None };
        match closed {
            Some(open) if open.is_long => self.newlines = self.newlines.max(1),
            Some(_) => self.newlines = 0,
            None => {}
        }
        let forced = self.spaced.next_if(|number| **number == at).is_some();
        if !self.start_line() && (forced || self.needs_space(token.kind, around.next, closed, at)) {
            self.out.push(' ');
        }
        self.out.push_str(self.slice(token.range));
        let ends_line = around.next == TokenKind::Newline || around.has_comment;
        if opens(token.kind) {
            let brace = self.braces.next_if(|(number, _)| *number == at).map(|(_, brace)| *brace);
            let is_long = match (brace, around.inside) {
                (_, BracketContent::Nothing) => false,
                (Some(Brace::Resource | Brace::Block), _)
                | (Some(Brace::Body), BracketContent::Comment) => true,
                _ => ends_line,
            };
            self.open.push(Open { brace, is_long });
            if is_long && !ends_line {
                self.newlines = 1;
            }
        }
        if token.kind == TokenKind::Comma && self.in_resource() && !ends_line {
            self.newlines = self.newlines.max(1);
        }
        self.before = Some(token.kind);
    }

    /// Whether a space belongs between the previous token and this one on the same line.
    fn needs_space(
        &mut self,
        kind: TokenKind,
        next: TokenKind,
        closed: Option<Open>,
        at: u32,
    ) -> bool {
        let Some(before) = self.before else { return false };
        let around = self.open.last().and_then(|open| open.brace);
        match (before, kind) {
            (
                _,
                TokenKind::Comma
                | TokenKind::Semicolon
                | TokenKind::CloseParen
                | TokenKind::CloseBrack
                | TokenKind::Dot
                | TokenKind::Colon,
            )
            | (
                TokenKind::OpenParen | TokenKind::OpenBrack | TokenKind::Dollar | TokenKind::Dot,
                _,
            )
            | (TokenKind::OpenCurly, TokenKind::CloseCurly) => false,
            (_, TokenKind::CloseCurly) => {
                closed.is_some_and(|open| open.brace == Some(Brace::Body))
            }
            (TokenKind::Colon, _) => around == Some(Brace::Literal),
            (TokenKind::OpenCurly, _) => around == Some(Brace::Body),
            (TokenKind::CloseBrack, kind) if self.out.ends_with("[]") && starts_type(kind) => false,
            (TokenKind::StructIdentifier | TokenKind::MapIdentifier, TokenKind::OpenCurly) => {
                let brace = self.braces.peek().filter(|(number, _)| *number == at);
                brace.is_none_or(|(_, brace)| *brace != Brace::Literal)
            }
            (before, TokenKind::OpenParen) => !is_called(before),
            (before, TokenKind::OpenBrack) if next == TokenKind::CloseBrack => {
                before != TokenKind::CloseBrack
            }
            (before, TokenKind::OpenBrack) => !is_indexed(before),
            (_, TokenKind::Arrow) => next != TokenKind::Identifier,
            (TokenKind::Arrow, kind) => kind != TokenKind::Identifier,
            _ => true,
        }
    }

    fn finish(mut self) -> String {
        if !self.out.is_empty() {
            self.out.push('\n');
        }
        self.out
    }
}

/// Whether a parenthesis behind a token holds arguments.
fn is_called(before: TokenKind) -> bool {
    let callable = [
        TokenKind::Identifier,
        TokenKind::MapIdentifier,
        TokenKind::CollectIdentifier,
        TokenKind::FuncIdentifier,
        TokenKind::PanicIdentifier,
        TokenKind::CloseCurly,
    ];
    callable.contains(&before)
}

/// Whether a bracket behind a token is an index.
fn is_indexed(before: TokenKind) -> bool {
    let indexed = [
        TokenKind::Identifier,
        TokenKind::CapitalizedIdentifier,
        TokenKind::MapIdentifier,
        TokenKind::CollectIdentifier,
        TokenKind::String,
        TokenKind::CloseCurly,
        TokenKind::CloseParen,
        TokenKind::CloseBrack,
    ];
    indexed.contains(&before)
}

fn starts_type(kind: TokenKind) -> bool {
    let words = [
        TokenKind::BoolIdentifier,
        TokenKind::StrIdentifier,
        TokenKind::IntIdentifier,
        TokenKind::FloatIdentifier,
        TokenKind::VariantIdentifier,
        TokenKind::OpenBrack,
        TokenKind::MapIdentifier,
        TokenKind::StructIdentifier,
        TokenKind::FuncIdentifier,
    ];
    words.contains(&kind)
}
