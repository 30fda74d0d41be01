//! The parser: tokens to tree, by recursive descent, with operators by precedence.
//!
//! Functions have the names of the rules of the reference grammar (`egrammar.ra` upstream). The
//! reference is an LALR parser; the order of checks here ensures that the first error is reported
//! at the same token.

mod build;
mod control;
mod definition;
mod expression;
mod hint;
mod literal;
mod recover;
mod resource;
mod statement;
mod type_body;

use std::sync::Arc;

use ecow::EcoString;
use ordain_source::{Diagnostic, FileId, TextRange};
use ordain_syntax::Nesting;

use crate::ast::*;
use crate::issue::problem;
use crate::lexer::{Lexed, Token, TokenKind, lex};

pub(crate) use statement::STATEMENT_CALLS;

/// The maximal nesting of constructs.
const MAX_DEPTH: u32 = 200;
/// The maximal height of the tree; chains of operators count, too.
const MAX_HEIGHT: u16 = 1000;
/// The number of errors after which the parser stops.
const MAX_ERRORS: usize = 50;
/// The longest text, in bytes: places have 32 bits, and heredocs need some of them.
const MAX_TEXT: usize = 1 << 30;

/// A parsed text.
#[derive(Debug)]
pub struct Parsed {
    /// The tree.
    pub program: Program,
    /// Errors and warnings; among the errors the first one of the reference implementation is first.
    pub diagnostics: Vec<Diagnostic>,
    /// Whether the first error is that the text ends too early. Puppet reports no place for it.
    pub ends_early: bool,
}

/// Ends the parsing of a construct whose error was reported.
struct Abort;

type P<T> = Result<T, Abort>;

struct Parser<'t> {
    text: &'t str,
    file: FileId,
    lexed: Lexed,
    /// The index of the current token.
    pos: usize,
    program: Program,
    heights: Vec<u16>,
    /// Expressions that wait to become a run.
    stack: Vec<ExprId>,
    diagnostics: Vec<Diagnostic>,
    nesting: Nesting,
    /// The names of the classes around, outermost first.
    namespace: Vec<EcoString>,
    /// Whether a brace behind the expression that is parsed begins a branch.
    in_head: bool,
    errors: usize,
    /// Set after an error until a statement was parsed, because errors in between are consequences.
    quiet: bool,
    ends_early: bool,
}

/// Parses a text.
pub(super) fn parse(file: FileId, text: Arc<str>, epp: bool) -> Parsed {
    let (text, too_long) =
        if text.len() > MAX_TEXT { (Arc::from(""), true) } else { (text, false) };
    let mut parser = Parser {
        text: &text,
        file,
        lexed: lex(file, &text, epp),
        pos: 0,
        program: empty_program(file, Arc::clone(&text)),
        heights: Vec::new(),
        stack: Vec::new(),
        diagnostics: Vec::new(),
        nesting: Nesting::new(MAX_DEPTH),
        namespace: Vec::new(),
        in_head: false,
        errors: 0,
        quiet: false,
        ends_early: false,
    };
    parser.reserve();
    if too_long {
        let message = format!("The text is longer than {MAX_TEXT} bytes");
        let span = TextRange::default().in_file(file);
        parser.diagnostics.push(problem("TOO_LONG", message).at(span));
    }
    parser.program.body = parser.program_body(epp);
    parser.finish()
}

fn empty_program(file: FileId, text: Arc<str>) -> Program {
    Program {
        file,
        text,
        body: ExprId::new(0),
        definitions: Vec::new(),
        comments: Vec::new(),
        exprs: Default::default(),
        ranges: Vec::new(),
        lists: Default::default(),
        params: Default::default(),
        attributes: Default::default(),
        bodies: Default::default(),
        lambdas: Default::default(),
        calls: Default::default(),
        cases: Default::default(),
        definition_data: Default::default(),
        type_statements: Default::default(),
        settings: Default::default(),
        arrows: Vec::new(),
    }
}

impl Parser<'_> {
    fn reserve(&mut self) {
        let tokens = self.lexed.tokens.len();
        self.program.ranges.reserve(tokens / 2);
        self.heights.reserve(tokens / 2);
    }

    fn finish(mut self) -> Parsed {
        let comments = std::mem::take(&mut self.lexed.comments);
        let mut comments: Vec<TextRange> =
            comments.into_iter().map(|c| self.lexed.range(c.start, c.end)).collect();
        if !comments.is_sorted_by_key(|c| c.start) {
            comments.sort_by_key(|c| c.start);
        }
        self.program.comments = comments;
        self.diagnostics.append(&mut self.lexed.warnings);
        let Self { program, diagnostics, ends_early, .. } = self;
        Parsed { program, diagnostics, ends_early }
    }

    fn program_body(&mut self, epp: bool) -> ExprId {
        if epp {
            return self.epp_expression();
        }
        let mark = self.stack.len();
        self.statements(TokenKind::Eof);
        match self.stack.len() - mark {
            0 => {
                let end = self.text.len() as u32;
                self.nop(end)
            }
            1 => self.stack.pop().unwrap_or(ExprId::new(0)),
            _ => self.block_since(mark, None),
        }
    }

    fn token(&self) -> Token {
        self.lexed.tokens[self.pos]
    }

    fn kind(&self) -> TokenKind {
        self.lexed.tokens[self.pos].kind
    }

    /// The kind of the token after the current one.
    fn next_kind(&self) -> TokenKind {
        self.lexed.tokens.get(self.pos + 1).map_or(TokenKind::Eof, |t| t.kind)
    }

    fn at(&self, kind: TokenKind) -> bool {
        self.kind() == kind
    }

    /// The current token, which is consumed; the end stays.
    fn bump(&mut self) -> Token {
        let token = self.token();
        if token.kind != TokenKind::Eof {
            self.pos += 1;
        }
        token
    }

    /// Consumes the current token if it is of this kind.
    fn eat(&mut self, kind: TokenKind) -> bool {
        let is = self.at(kind);
        if is {
            self.pos += 1;
        }
        is
    }

    fn expect(&mut self, kind: TokenKind) -> P<Token> {
        if self.at(kind) { Ok(self.bump()) } else { Err(self.unexpected()) }
    }

    /// The place of a token in the file.
    fn range(&self, token: Token) -> TextRange {
        self.lexed.range(token.start, token.end)
    }

    /// From the start of a token to the end of the last consumed one.
    fn range_from(&self, start: Token) -> TextRange {
        let end = self.pos.checked_sub(1).map_or(start.end, |i| self.lexed.tokens[i].end);
        self.lexed.range(start.start, end.max(start.start))
    }

    /// From a place in the file to the end of the last consumed token.
    fn range_from_place(&self, start: u32) -> TextRange {
        let end = self.pos.checked_sub(1).map_or(0, |i| self.lexed.tokens[i].end);
        TextRange::new(start, self.lexed.range(end, end).start.max(start))
    }

    /// The text of a token in the file or heredoc.
    fn slice(&self, token: Token) -> &str {
        let (start, end) = (token.start as usize, token.end as usize);
        if end <= self.text.len() {
            return &self.text[start..end];
        }
        let index = self.lexed.segments.partition_point(|s| s.base <= token.start);
        let Some(segment) = index.checked_sub(1).and_then(|i| self.lexed.segments.get(i)) else {
            return "";
        };
        let base = segment.base as usize;
        segment.text.get(start - base..end - base).unwrap_or("")
    }

    /// The text of a string token, its escapes done.
    fn string(&mut self, token: Token) -> EcoString {
        self.lexed.strings.get(token.aux as usize).cloned().unwrap_or_default()
    }

    /// A level of nesting around the contents of brackets of any kind.
    fn enclosed<R>(&mut self, f: impl FnOnce(&mut Self) -> P<R>) -> P<R> {
        let outer = std::mem::replace(&mut self.in_head, false);
        let result = self.nested(f);
        self.in_head = outer;
        result
    }

    /// The expression of an `if`, `unless` or `case`, with a brace behind it.
    fn head(&mut self) -> P<ExprId> {
        let outer = std::mem::replace(&mut self.in_head, true);
        let result = self.nested(Self::expression);
        self.in_head = outer;
        result
    }

    /// A level of nesting around `f`.
    fn nested<R>(&mut self, f: impl FnOnce(&mut Self) -> P<R>) -> P<R> {
        if self.nesting.enter().is_err() {
            let range = self.range(self.token());
            return Err(self.too_deep(range));
        }
        let result = f(self);
        self.nesting.leave();
        result
    }
}
