//! The parser: recursive descent, with the names of the grammar's productions.
//!
//! The first error ends the parse, as in the original. The expected tokens in messages are those of
//! the state of a table-driven parser for the grammar.

mod expr;
mod resource;
mod types;

use ecow::EcoString;
use ordain_source::TextRange;
use ordain_syntax::Nesting;

use super::ast::{
    Block, ClassNode, Expr, ExprId, ExprKind, ForNode, FuncDef, Name, Param, Stmt, StmtId,
    StmtKind, Tree, TypeNode, Widening, WideningKind,
};
use super::error::{SyntaxError, SyntaxKind};
use super::lexer::Lexed;
use super::token::{T, Token};
use crate::Edition;

/// The maximal nesting of productions.
const MAX_NESTING: u32 = 400;

pub(super) type Parsed<R> = Result<R, SyntaxError>;

/// The construct that a curly bracket opens, for the formatter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Brace {
    /// Statements.
    Block,
    /// The body of a function or a branch of an expression.
    Body,
    /// The body of a resource.
    Resource,
    /// A value or a type.
    Literal,
}

/// The results of parsing besides the tree.
pub(crate) struct Layout {
    /// The construct that each curly bracket opens, by the number of its token.
    pub(crate) braces: Vec<(u32, Brace)>,
    /// The first tokens of names of resources.
    pub(crate) spaced: Vec<u32>,
}

/// Parses tokens.
///
/// # Errors
/// With the first mistake.
pub(crate) fn parse(text: &str, lexed: Lexed, edition: Edition) -> Parsed<(Tree, Layout)> {
    let mut parser = Parser {
        text,
        tokens: &lexed.tokens,
        pos: 0,
        edition,
        tree: Tree::default(),
        nesting: Nesting::new(MAX_NESTING),
        pending: None,
        layout: Layout { braces: Vec::new(), spaced: Vec::new() },
    };
    let body = parser.program(T::End)?;
    if let Some(pending) = parser.pending {
        return Err(pending);
    }
    parser.tree.body = body;
    parser.tree.comments = lexed.comments;
    Ok((parser.tree, parser.layout))
}

/// The expected tokens in messages, for each place in a list.
struct ListTokens {
    /// At the first item on the line of the bracket.
    first: &'static [T],
    /// At an item on its own line.
    line: &'static [T],
    /// Behind an item on one line.
    after: &'static [T],
    /// Behind a comma on one line.
    next: &'static [T],
    /// After an item on its own line, where a comma belongs.
    comma: &'static [T],
}

const CALL_WORDS: ListTokens = ListTokens {
    first: &[T::CloseParen],
    line: &[T::CloseParen],
    after: &[T::CloseParen],
    next: &[],
    comma: &[],
};

struct Parser<'t> {
    text: &'t str,
    tokens: &'t [Token],
    pos: usize,
    edition: Edition,
    tree: Tree,
    nesting: Nesting,
    /// An error from the actions of the grammar. Errors of the grammar itself come first.
    pending: Option<SyntaxError>,
    layout: Layout,
}

impl Parser<'_> {
    fn peek(&self) -> T {
        self.tokens[self.pos].kind
    }

    fn peek_at(&self, ahead: usize) -> T {
        self.tokens.get(self.pos + ahead).map_or(T::End, |token| token.kind)
    }

    fn range(&self) -> TextRange {
        self.tokens[self.pos].range
    }

    /// The place of the first column of the next token.
    fn column(&self) -> TextRange {
        self.first_column(self.range())
    }

    fn first_column(&self, range: TextRange) -> TextRange {
        let first = self.text[range.start as usize..].chars().next();
        TextRange::new(range.start, range.start + first.map_or(0, char::len_utf8) as u32)
    }

    /// The range from the start of another to the end of the previous token.
    fn since(&self, start: TextRange) -> TextRange {
        TextRange::new(start.start, self.tokens[self.pos.saturating_sub(1)].range.end)
    }

    fn bump(&mut self) -> Token {
        let token = self.tokens[self.pos];
        if token.kind != T::End {
            self.pos += 1;
        }
        token
    }

    fn eat(&mut self, kind: T) -> bool {
        let found = self.peek() == kind;
        if found {
            self.bump();
        }
        found
    }

    fn expect(&mut self, kind: T) -> Parsed<Token> {
        self.expect_or(kind, &[kind])
    }

    /// Reads a token. If it is another one, the message names `words`.
    fn expect_or(&mut self, kind: T, words: &[T]) -> Parsed<Token> {
        if self.peek() == kind { Ok(self.bump()) } else { Err(self.unexpected(words)) }
    }

    fn unexpected(&self, words: &[T]) -> SyntaxError {
        let mut text = format!("syntax error: unexpected {}", self.peek().name());
        for (i, word) in words.iter().enumerate() {
            text.push_str(if i == 0 { ", expecting " } else { " or " });
            text.push_str(word.name());
        }
        let range = if self.peek() == T::End { TextRange::new(0, 0) } else { self.column() };
        SyntaxError { kind: SyntaxKind::Parser, text, range }
    }

    fn nested<R>(&mut self, production: impl FnOnce(&mut Self) -> Parsed<R>) -> Parsed<R> {
        if self.nesting.enter().is_err() {
            let text = "nested too deep".into();
            return Err(SyntaxError { kind: SyntaxKind::Parser, text, range: self.column() });
        }
        let result = production(self);
        self.nesting.leave();
        result
    }

    fn refuse(&mut self, kind: SyntaxKind, text: String, range: TextRange) {
        let range = self.first_column(range);
        self.pending.get_or_insert(SyntaxError { kind, text, range });
    }

    fn widen(&mut self, kind: WideningKind, range: TextRange) {
        self.tree.widenings.push(Widening { kind, range });
    }

    fn slice(&self, range: TextRange) -> EcoString {
        EcoString::from(&self.text[range.start as usize..range.end as usize])
    }

    fn push(&mut self, kind: ExprKind, range: TextRange) -> ExprId {
        self.tree.exprs.push(Expr { kind, range })
    }

    fn push_stmt(&mut self, kind: StmtKind, start: TextRange) -> StmtId {
        let range = self.since(start);
        self.tree.stmts.push(Stmt { kind, range })
    }

    fn open_curly(&mut self, brace: Brace) -> Parsed<Token> {
        self.open_curly_or(brace, &[T::OpenCurly])
    }

    fn open_curly_or(&mut self, brace: Brace, words: &[T]) -> Parsed<Token> {
        let at = self.pos as u32;
        let token = self.expect_or(T::OpenCurly, words)?;
        self.layout.braces.push((at, brace));
        Ok(token)
    }

    /// `[ item { "," item } ] | NL { NL | item "," NL }`, with its closing bracket.
    fn items<R>(
        &mut self,
        close: T,
        words: &ListTokens,
        starts: impl Fn(T) -> bool,
        mut item: impl FnMut(&mut Self) -> Parsed<R>,
    ) -> Parsed<Vec<R>> {
        let mut items = Vec::new();
        if self.eat(T::Newline) {
            while !self.eat(close) {
                if self.eat(T::Newline) {
                    continue;
                }
                if !starts(self.peek()) {
                    return Err(self.unexpected(words.line));
                }
                items.push(item(self)?);
                self.expect_or(T::Comma, words.comma)?;
                self.expect(T::Newline)?;
            }
            return Ok(items);
        }
        if self.eat(close) {
            return Ok(items);
        }
        let mut expected = words.first;
        loop {
            if !starts(self.peek()) {
                return Err(self.unexpected(expected));
            }
            items.push(item(self)?);
            if self.eat(close) {
                return Ok(items);
            }
            let comma = self.expect_or(T::Comma, words.after)?;
            if self.peek() == close && self.edition == Edition::Wide {
                self.widen(WideningKind::TrailingComma, comma.range);
                self.bump();
                return Ok(items);
            }
            expected = words.next;
        }
    }

    /// `{ NL | statement NL }`
    fn program(&mut self, end: T) -> Parsed<Block> {
        let mut block = Block::new();
        loop {
            while self.eat(T::Newline) {}
            if self.peek() == end {
                return Ok(block);
            }
            let statement = self.nested(Self::statement)?;
            block.push(statement);
            self.expect(T::Newline)?;
        }
    }

    fn block(&mut self) -> Parsed<Block> {
        self.block_or(&[T::OpenCurly])
    }

    fn block_or(&mut self, words: &[T]) -> Parsed<Block> {
        self.open_curly_or(Brace::Block, words)?;
        let block = self.program(T::CloseCurly)?;
        self.expect(T::CloseCurly)?;
        Ok(block)
    }

    fn statement(&mut self) -> Parsed<StmtId> {
        let start = self.range();
        let kind = match self.peek() {
            T::Dollar => self.bind()?,
            T::PanicIdentifier => self.panic()?,
            T::CollectIdentifier => {
                self.bump();
                if self.peek() != T::Identifier {
                    return Err(self.unexpected(&[T::Identifier]));
                }
                self.resource(true)?
            }
            T::Identifier => self.resource(false)?,
            T::CapitalizedIdentifier => self.edge()?,
            T::If => self.if_statement()?,
            T::For | T::ForKv => self.for_statement()?,
            T::FuncIdentifier => self.func_statement()?,
            T::ClassIdentifier => self.class()?,
            T::IncludeIdentifier => self.include()?,
            T::ImportIdentifier => self.import()?,
            _ => return Err(self.unexpected(&[])),
        };
        Ok(self.push_stmt(kind, start))
    }

    /// `var "=" expr | var type "=" expr`
    fn bind(&mut self) -> Parsed<StmtKind> {
        let (name, range) = self.var()?;
        if self.peek() == T::Eq {
            let text = "syntax error: additional equals in bind statement".into();
            let start = TextRange::new(range.start + 1, range.end);
            let range = self.first_column(start);
            return Err(SyntaxError { kind: SyntaxKind::AdditionalEquals, text, range });
        }
        let ty = if self.peek() == T::Equals { None } else { Some(self.type_node()?) };
        self.expect_or(T::Equals, if ty.is_some() { &[T::Equals] } else { &[] })?;
        let value = self.expr()?;
        if let Some(ty) = &ty {
            self.literal_fits(value, ty);
        }
        Ok(StmtKind::Bind { name, ty, value })
    }

    /// Refuses a literal whose kind contradicts the declared type.
    fn literal_fits(&mut self, value: ExprId, ty: &TypeNode) {
        let whole = value;
        let mut value = value;
        while let ExprKind::Paren(inner) = &self.tree.exprs[value].kind {
            value = *inner;
        }
        let own = match &self.tree.exprs[value].kind {
            ExprKind::Map(_) => "map",
            ExprKind::Bool(_) => "bool",
            ExprKind::Str(_) => "str",
            ExprKind::Int(_) => "int",
            ExprKind::Float(_) => "float",
            _ => return,
        };
        let wanted = ty.kind();
        if own != wanted {
            let cause = match own {
                "map" => "type is nil".to_owned(),
                _ => format!("base kind does not match ({own} != {wanted})"),
            };
            // The last token before the end of the line.
            let mut range = self.tree.exprs[whole].range;
            if whole != value {
                range.start = range.end - 1;
            }
            let text = format!("can't set return type in parser: {cause}");
            self.refuse(SyntaxKind::ReturnType, text, range);
        }
    }

    /// `"panic" "(" callargs ")"`
    fn panic(&mut self) -> Parsed<StmtKind> {
        let start = self.range();
        self.bump();
        self.expect(T::OpenParen)?;
        let args = self.call_args()?;
        let name = if args.len() == 2 { "panic_debug" } else { "panic" };
        let range = self.since(start);
        let call = self.push(ExprKind::Call(name.into(), args), range);
        Ok(StmtKind::Panic(call))
    }

    /// `"if" expr block [ "else" block ]`
    fn if_statement(&mut self) -> Parsed<StmtKind> {
        self.bump();
        let condition = self.expr()?;
        let then = self.block_or(&[])?;
        let other = if self.eat(T::Else) { Some(self.block()?) } else { None };
        Ok(StmtKind::If(condition, then, other))
    }

    /// `"for" var "," var "in" expr block`
    fn for_statement(&mut self) -> Parsed<StmtKind> {
        let is_map = self.bump().kind == T::ForKv;
        let index = self.var()?;
        self.expect(T::Comma)?;
        let value = self.var()?;
        self.expect(T::In)?;
        let over = self.expr()?;
        let body = self.block_or(&[])?;
        Ok(StmtKind::For(Box::new(ForNode { is_map, index, value, over, body })))
    }

    /// `"func" IDENTIFIER "(" params ")" [ type ] body`
    fn func_statement(&mut self) -> Parsed<StmtKind> {
        self.bump();
        let name = self.expect(T::Identifier)?;
        let name = self.slice(name.range);
        let func = self.func_rest()?;
        Ok(StmtKind::Func(name, Box::new(func)))
    }

    /// `"(" params ")" [ type ] body`
    fn func_rest(&mut self) -> Parsed<FuncDef> {
        self.expect(T::OpenParen)?;
        let params = self.params()?;
        let result = if self.is_function_type_next() { Some(self.type_node()?) } else { None };
        let words: &[T] = if result.is_some() { &[T::OpenCurly] } else { &[] };
        let body = self.body_or(words)?;
        Ok(FuncDef { params, result, body })
    }

    /// Whether a type begins here, rather than the body of a function.
    fn is_function_type_next(&self) -> bool {
        match self.peek() {
            T::OpenCurly => self.edition == Edition::Wide && self.is_bare_map_type(),
            kind => kind.starts_type(),
        }
    }

    /// `"class" colonname [ "(" params ")" ] block`
    fn class(&mut self) -> Parsed<StmtKind> {
        self.bump();
        let name = self.colon_name()?;
        let with_params = self.eat(T::OpenParen);
        let params = if with_params { self.params()? } else { Vec::new() };
        let words: &[T] =
            if with_params { &[T::OpenCurly] } else { &[T::OpenCurly, T::OpenParen, T::Colon] };
        let body = self.block_or(words)?;
        Ok(StmtKind::Class(Box::new(ClassNode { name, params, body })))
    }

    /// `"include" dotted [ "(" callargs ")" ] [ "as" IDENTIFIER ]`
    fn include(&mut self) -> Parsed<StmtKind> {
        self.bump();
        let name = self.dotted()?;
        let args = if self.eat(T::OpenParen) { self.call_args()? } else { Vec::new() };
        let alias = if self.eat(T::AsIdentifier) {
            let name = self.expect(T::Identifier)?;
            Some(self.slice(name.range))
        } else {
            None
        };
        Ok(StmtKind::Include { name, args, alias })
    }

    /// `"import" STRING [ "as" ( IDENTIFIER | "*" ) ]`
    fn import(&mut self) -> Parsed<StmtKind> {
        self.bump();
        let path = self.expect(T::String)?.range;
        let path = self.slice(TextRange::new(path.start + 1, path.end - 1));
        let alias = if self.eat(T::AsIdentifier) {
            if self.peek() != T::Multiply {
                self.expect_or(T::Identifier, &[T::Identifier, T::Multiply])?;
            } else {
                self.bump();
            }
            Some(self.slice(self.tokens[self.pos - 1].range))
        } else {
            None
        };
        Ok(StmtKind::Import { path, alias })
    }

    /// `IDENTIFIER | "map" | "collect"`
    fn plain(&mut self) -> Parsed<Name> {
        match self.peek() {
            T::Identifier | T::MapIdentifier | T::CollectIdentifier => {
                let range = self.bump().range;
                Ok(self.slice(range))
            }
            _ => Err(self.unexpected(&[T::MapIdentifier, T::Identifier, T::CollectIdentifier])),
        }
    }

    /// `plain { "." plain }`
    fn dotted(&mut self) -> Parsed<Name> {
        let mut name = self.plain()?;
        while self.eat(T::Dot) {
            name.push('.');
            name.push_str(&self.plain()?);
        }
        Ok(name)
    }

    /// `IDENTIFIER { ":" IDENTIFIER }`
    fn colon_name(&mut self) -> Parsed<Name> {
        let first = self.expect(T::Identifier)?;
        let mut name = self.slice(first.range);
        while self.eat(T::Colon) {
            let part = self.expect(T::Identifier)?;
            name.push(':');
            name.push_str(&self.slice(part.range));
        }
        Ok(name)
    }

    /// `"$" plain`
    fn var(&mut self) -> Parsed<(Name, TextRange)> {
        let start = self.expect(T::Dollar)?.range;
        let name = self.plain()?;
        Ok((name, self.since(start)))
    }

    /// The parameters after an opening parenthesis, and the closing one.
    fn params(&mut self) -> Parsed<Vec<Param>> {
        const WORDS: ListTokens = ListTokens {
            first: &[T::CloseParen],
            line: &[T::CloseParen],
            after: &[T::CloseParen],
            next: &[T::Dollar],
            comma: &[T::Comma],
        };
        self.items(T::CloseParen, &WORDS, |kind| kind == T::Dollar, Self::param)
    }

    /// `var [ type ]`
    fn param(&mut self) -> Parsed<Param> {
        let (name, range) = self.var()?;
        let at_end = matches!(self.peek(), T::Comma | T::CloseParen | T::Newline);
        let typed = self.peek().starts_type() || self.is_bare_map_type();
        let ty = if !at_end && typed { Some(self.type_node()?) } else { None };
        Ok(Param { name, ty, range })
    }
}
