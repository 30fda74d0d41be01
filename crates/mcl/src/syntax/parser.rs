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
use super::token::{Token, TokenKind};
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
    let body = parser.program(TokenKind::End)?;
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
    first: &'static [TokenKind],
    /// At an item on its own line.
    line: &'static [TokenKind],
    /// Behind an item on one line.
    after: &'static [TokenKind],
    /// Behind a comma on one line.
    next: &'static [TokenKind],
    /// After an item on its own line, where a comma belongs.
    comma: &'static [TokenKind],
}

const CALL_WORDS: ListTokens = ListTokens {
    first: &[TokenKind::CloseParen],
    line: &[TokenKind::CloseParen],
    after: &[TokenKind::CloseParen],
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
    fn peek(&self) -> TokenKind {
        self.tokens[self.pos].kind
    }

    fn peek_at(&self, ahead: usize) -> TokenKind {
        self.tokens.get(self.pos + ahead).map_or(TokenKind::End, |token| token.kind)
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
        if token.kind != TokenKind::End {
            self.pos += 1;
        }
        token
    }

    fn eat(&mut self, kind: TokenKind) -> bool {
        let found = self.peek() == kind;
        if found {
            self.bump();
        }
        found
    }

    fn expect(&mut self, kind: TokenKind) -> Parsed<Token> {
        self.expect_or(kind, &[kind])
    }

    /// Reads a token. If it is another one, the message names `words`.
    fn expect_or(&mut self, kind: TokenKind, words: &[TokenKind]) -> Parsed<Token> {
        if self.peek() == kind { Ok(self.bump()) } else { Err(self.unexpected(words)) }
    }

    fn unexpected(&self, words: &[TokenKind]) -> SyntaxError {
        let range =
            if self.peek() == TokenKind::End { TextRange::new(0, 0) } else { self.column() };
        SyntaxError::unexpected(self.peek(), words, range)
    }

    fn nested<R>(&mut self, production: impl FnOnce(&mut Self) -> Parsed<R>) -> Parsed<R> {
        if self.nesting.enter().is_err() {
            return Err(SyntaxError::new(SyntaxKind::Parser, "nested too deep", self.column()));
        }
        let result = production(self);
        self.nesting.leave();
        result
    }

    fn refuse(&mut self, kind: SyntaxKind, text: String, range: TextRange) {
        let range = self.first_column(range);
        self.pending.get_or_insert(SyntaxError::new(kind, text, range));
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
        self.open_curly_or(brace, &[TokenKind::OpenCurly])
    }

    fn open_curly_or(&mut self, brace: Brace, words: &[TokenKind]) -> Parsed<Token> {
        let at = self.pos as u32;
        let token = self.expect_or(TokenKind::OpenCurly, words)?;
        self.layout.braces.push((at, brace));
        Ok(token)
    }

    /// `[ item { "," item } ] | NL { NL | item "," NL }`, with its closing bracket.
    fn items<R>(
        &mut self,
        close: TokenKind,
        words: &ListTokens,
        starts: impl Fn(TokenKind) -> bool,
        mut item: impl FnMut(&mut Self) -> Parsed<R>,
    ) -> Parsed<Vec<R>> {
        let mut items = Vec::new();
        if self.eat(TokenKind::Newline) {
            while !self.eat(close) {
                if self.eat(TokenKind::Newline) {
                    continue;
                }
                if !starts(self.peek()) {
                    return Err(self.unexpected(words.line));
                }
                items.push(item(self)?);
                self.expect_or(TokenKind::Comma, words.comma)?;
                self.expect(TokenKind::Newline)?;
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
            let comma = self.expect_or(TokenKind::Comma, words.after)?;
            if self.peek() == close && self.edition == Edition::Wide {
                self.widen(WideningKind::TrailingComma, comma.range);
                self.bump();
                return Ok(items);
            }
            expected = words.next;
        }
    }

    /// `{ NL | statement NL }`
    fn program(&mut self, end: TokenKind) -> Parsed<Block> {
        let mut block = Block::new();
        loop {
            while self.eat(TokenKind::Newline) {}
            if self.peek() == end {
                return Ok(block);
            }
            let statement = self.nested(Self::statement)?;
            block.push(statement);
            self.expect(TokenKind::Newline)?;
        }
    }

    fn block(&mut self) -> Parsed<Block> {
        self.block_or(&[TokenKind::OpenCurly])
    }

    fn block_or(&mut self, words: &[TokenKind]) -> Parsed<Block> {
        self.open_curly_or(Brace::Block, words)?;
        let block = self.program(TokenKind::CloseCurly)?;
        self.expect(TokenKind::CloseCurly)?;
        Ok(block)
    }

    fn statement(&mut self) -> Parsed<StmtId> {
        let start = self.range();
        let kind = match self.peek() {
            TokenKind::Dollar => self.bind()?,
            TokenKind::PanicIdentifier => self.panic()?,
            TokenKind::CollectIdentifier => {
                self.bump();
                if self.peek() != TokenKind::Identifier {
                    return Err(self.unexpected(&[TokenKind::Identifier]));
                }
                self.resource(true)?
            }
            TokenKind::Identifier => self.resource(false)?,
            TokenKind::CapitalizedIdentifier => self.edge()?,
            TokenKind::If => self.if_statement()?,
            TokenKind::For | TokenKind::ForKv => self.for_statement()?,
            TokenKind::FuncIdentifier => self.func_statement()?,
            TokenKind::ClassIdentifier => self.class()?,
            TokenKind::IncludeIdentifier => self.include()?,
            TokenKind::ImportIdentifier => self.import()?,
            _ => return Err(self.unexpected(&[])),
        };
        Ok(self.push_stmt(kind, start))
    }

    /// `var "=" expr | var type "=" expr`
    fn bind(&mut self) -> Parsed<StmtKind> {
        let (name, range) = self.var()?;
        if self.peek() == TokenKind::Eq {
            let text = "syntax error: additional equals in bind statement";
            let start = TextRange::new(range.start + 1, range.end);
            let range = self.first_column(start);
            return Err(SyntaxError::new(SyntaxKind::AdditionalEquals, text, range));
        }
        let ty = if self.peek() == TokenKind::Equals { None } else { Some(self.type_node()?) };
        self.expect_or(TokenKind::Equals, if ty.is_some() { &[TokenKind::Equals] } else { &[] })?;
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
        self.expect(TokenKind::OpenParen)?;
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
        let other = if self.eat(TokenKind::Else) { Some(self.block()?) } else { None };
        Ok(StmtKind::If(condition, then, other))
    }

    /// `"for" var "," var "in" expr block`
    fn for_statement(&mut self) -> Parsed<StmtKind> {
        let is_map = self.bump().kind == TokenKind::ForKv;
        let index = self.var()?;
        self.expect(TokenKind::Comma)?;
        let value = self.var()?;
        self.expect(TokenKind::In)?;
        let over = self.expr()?;
        let body = self.block_or(&[])?;
        Ok(StmtKind::For(Box::new(ForNode { is_map, index, value, over, body })))
    }

    /// `"func" IDENTIFIER "(" params ")" [ type ] body`
    fn func_statement(&mut self) -> Parsed<StmtKind> {
        self.bump();
        let name = self.expect(TokenKind::Identifier)?;
        let name = self.slice(name.range);
        let func = self.func_rest()?;
        Ok(StmtKind::Func(name, Box::new(func)))
    }

    /// `"(" params ")" [ type ] body`
    fn func_rest(&mut self) -> Parsed<FuncDef> {
        self.expect(TokenKind::OpenParen)?;
        let params = self.params()?;
        let result = if self.is_function_type_next() { Some(self.type_node()?) } else { None };
        let words: &[TokenKind] = if result.is_some() { &[TokenKind::OpenCurly] } else { &[] };
        let body = self.body_or(words)?;
        Ok(FuncDef { params, result, body })
    }

    /// Whether a type begins here, rather than the body of a function.
    fn is_function_type_next(&self) -> bool {
        match self.peek() {
            TokenKind::OpenCurly => self.edition == Edition::Wide && self.is_bare_map_type(),
            kind => kind.starts_type(),
        }
    }

    /// `"class" colonname [ "(" params ")" ] block`
    fn class(&mut self) -> Parsed<StmtKind> {
        self.bump();
        let name = self.colon_name()?;
        let with_params = self.eat(TokenKind::OpenParen);
        let params = if with_params { self.params()? } else { Vec::new() };
        let words: &[TokenKind] = if with_params {
            &[TokenKind::OpenCurly]
        } else {
            &[TokenKind::OpenCurly, TokenKind::OpenParen, TokenKind::Colon]
        };
        let body = self.block_or(words)?;
        Ok(StmtKind::Class(Box::new(ClassNode { name, params, body })))
    }

    /// `"include" dotted [ "(" callargs ")" ] [ "as" IDENTIFIER ]`
    fn include(&mut self) -> Parsed<StmtKind> {
        self.bump();
        let name = self.dotted()?;
        let args = if self.eat(TokenKind::OpenParen) { self.call_args()? } else { Vec::new() };
        let alias = if self.eat(TokenKind::AsIdentifier) {
            let name = self.expect(TokenKind::Identifier)?;
            Some(self.slice(name.range))
        } else {
            None
        };
        Ok(StmtKind::Include { name, args, alias })
    }

    /// `"import" STRING [ "as" ( IDENTIFIER | "*" ) ]`
    fn import(&mut self) -> Parsed<StmtKind> {
        self.bump();
        let path = self.expect(TokenKind::String)?.range;
        let path = self.slice(TextRange::new(path.start + 1, path.end - 1));
        let alias = if self.eat(TokenKind::AsIdentifier) {
            if self.peek() != TokenKind::Multiply {
                self.expect_or(
                    TokenKind::Identifier,
                    &[TokenKind::Identifier, TokenKind::Multiply],
                )?;
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
            TokenKind::Identifier | TokenKind::MapIdentifier | TokenKind::CollectIdentifier => {
                let range = self.bump().range;
                Ok(self.slice(range))
            }
            _ => Err(self.unexpected(&[
                TokenKind::MapIdentifier,
                TokenKind::Identifier,
                TokenKind::CollectIdentifier,
            ])),
        }
    }

    /// `plain { "." plain }`
    fn dotted(&mut self) -> Parsed<Name> {
        let mut name = self.plain()?;
        while self.eat(TokenKind::Dot) {
            name.push('.');
            name.push_str(&self.plain()?);
        }
        Ok(name)
    }

    /// `IDENTIFIER { ":" IDENTIFIER }`
    fn colon_name(&mut self) -> Parsed<Name> {
        let first = self.expect(TokenKind::Identifier)?;
        let mut name = self.slice(first.range);
        while self.eat(TokenKind::Colon) {
            let part = self.expect(TokenKind::Identifier)?;
            name.push(':');
            name.push_str(&self.slice(part.range));
        }
        Ok(name)
    }

    /// `"$" plain`
    fn var(&mut self) -> Parsed<(Name, TextRange)> {
        let start = self.expect(TokenKind::Dollar)?.range;
        let name = self.plain()?;
        Ok((name, self.since(start)))
    }

    /// The parameters after an opening parenthesis, and the closing one.
    fn params(&mut self) -> Parsed<Vec<Param>> {
        const WORDS: ListTokens = ListTokens {
            first: &[TokenKind::CloseParen],
            line: &[TokenKind::CloseParen],
            after: &[TokenKind::CloseParen],
            next: &[TokenKind::Dollar],
            comma: &[TokenKind::Comma],
        };
        self.items(TokenKind::CloseParen, &WORDS, |kind| kind == TokenKind::Dollar, Self::param)
    }

    /// `var [ type ]`
    fn param(&mut self) -> Parsed<Param> {
        let (name, range) = self.var()?;
        let at_end =
            matches!(self.peek(), TokenKind::Comma | TokenKind::CloseParen | TokenKind::Newline);
        let typed = self.peek().starts_type() || self.is_bare_map_type();
        let ty = if !at_end && typed { Some(self.type_node()?) } else { None };
        Ok(Param { name, ty, range })
    }
}
