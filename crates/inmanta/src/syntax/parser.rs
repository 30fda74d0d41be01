//! The parser: files and statements.

use ordain_syntax::{ListRef, Nesting};

use super::ast::{Ast, Block, BlockId, Definition, ExprId, ExprKind, Name, Stmt, StmtKind, Unit};
use super::expressions::{Operand, Target};
use super::lexer::{Keyword, Kind, Lexer, Token};
use super::unescape::unescape;
use crate::error::{Class, Error, Result};
use crate::location::Location;
use crate::symbol::Symbol;

/// How deep a program may nest.
const DEPTH: u32 = 400;

/// A finding about code that is allowed but hardly meant.
#[derive(Clone, Debug)]
pub struct Doubt {
    /// Where.
    pub at: Location,
    /// The expected token.
    pub text: String,
}

/// Parses a file into the shared tree.
///
/// # Errors
/// The first thing that is wrong.
pub fn parse(ast: &mut Ast, text: &str, file: u32, doubts: &mut Vec<Doubt>) -> Result<Unit> {
    ast.expect(text.len());
    let mut lexer = Lexer::new(text, file);
    let token = lexer.next();
    let mut parser = Parser {
        ast,
        lexer,
        token,
        next: None,
        previous: None,
        previous_at: Location::default(),
        nesting: Nesting::new(DEPTH),
        doubts,
    };
    parser.file(text.is_empty())
}

pub(super) struct Parser<'a, 't> {
    pub(super) ast: &'a mut Ast,
    pub(super) lexer: Lexer<'t>,
    pub(super) token: Token,
    next: Option<Token>,
    /// The keyword before the token, if it was one that needs more behind it.
    previous: Option<Keyword>,
    previous_at: Location,
    pub(super) nesting: Nesting,
    doubts: &'a mut Vec<Doubt>,
}

impl<'t> Parser<'_, 't> {
    pub(super) fn kind(&self) -> Kind {
        self.token.kind
    }

    pub(super) fn is(&self, c: u8) -> bool {
        self.token.kind == Kind::Char(c)
    }

    pub(super) fn is_word(&self, word: Keyword) -> bool {
        self.token.kind == Kind::Word(word)
    }

    pub(super) fn text(&self) -> &'t str {
        self.lexer.slice(&self.token)
    }

    /// The token behind the current one.
    pub(super) fn peek(&mut self) -> Kind {
        if self.next.is_none() {
            self.next = Some(self.lexer.next());
        }
        self.next.map_or(Kind::End, |token| token.kind)
    }

    pub(super) fn advance(&mut self) -> Token {
        let token = self.token;
        self.previous = match token.kind {
            Kind::Word(
                Keyword::True
                | Keyword::False
                | Keyword::Null
                | Keyword::Undef
                | Keyword::Defined
                | Keyword::End
                | Keyword::Parents,
            ) => None,
            Kind::Word(word) => {
                self.previous_at = self.lexer.location(&token);
                Some(word)
            }
            _ => None,
        };
        self.token = self.next.take().unwrap_or_else(|| self.lexer.next());
        token
    }

    /// The state, to come back to.
    pub(super) fn mark(&self) -> (Lexer<'t>, Token, Option<Token>, Option<Keyword>) {
        (self.lexer.clone(), self.token, self.next, self.previous)
    }

    pub(super) fn reset(&mut self, mark: (Lexer<'t>, Token, Option<Token>, Option<Keyword>)) {
        (self.lexer, self.token, self.next, self.previous) = mark;
    }

    /// Splits the current token, which is taken as its first byte only.
    pub(super) fn split(&mut self, kind: Kind) {
        self.lexer.reread(&self.token, 1);
        self.next = None;
        self.token.end = self.token.start + 1;
        self.token.kind = kind;
    }

    /// The error that the current token is not expected where it stands.
    pub(super) fn unexpected<T>(&mut self) -> Result<T> {
        let token = self.token;
        let text = self.lexer.slice(&token);
        Err(match token.kind {
            Kind::Illegal => {
                let at = Location { ..self.lexer.location(&token) };
                syntax(at, format!("Illegal character '{text}'"))
            }
            Kind::Word(_) => reserved(text, self.lexer.location(&token)),
            _ if self.previous.is_some() => {
                let at = self.previous_at;
                let word = self.previous.map(|word| format!("{word:?}").to_lowercase());
                reserved(&word.unwrap_or_default(), at)
            }
            Kind::End => syntax(self.lexer.end_location(), "Unexpected end of file"),
            _ => {
                let shown = self.shown(&token);
                let message = format!("Syntax error at token {shown}");
                Error::new(Class::Parser, message).at(self.lexer.behind(&token))
            }
        })
    }

    /// The value of a token, as it prints.
    fn shown(&mut self, token: &Token) -> String {
        let text = self.lexer.slice(token);
        let shown = |inner: &str| unescape(inner).unwrap_or_else(|_| inner.to_owned());
        match token.kind {
            Kind::String => shown(&text[1..text.len() - 1]),
            Kind::Multi => shown(&text[3..text.len() - 3]),
            Kind::FString => shown(&text[2..text.len() - 1]),
            Kind::RString => text[2..text.len() - 1].to_owned(),
            Kind::Int => match text.strip_prefix('-') {
                Some(digits) => format!("-{}", trim_zeros(digits)),
                None => trim_zeros(text).to_owned(),
            },
            Kind::Float => crate::value::float_text(text.parse().unwrap_or_default()),
            Kind::Regex => text[text.find('/').unwrap_or_default()..].to_owned(),
            _ => text.to_owned(),
        }
    }

    pub(super) fn expect(&mut self, c: u8) -> Result<Token> {
        if self.is(c) { Ok(self.advance()) } else { self.unexpected() }
    }

    pub(super) fn expect_word(&mut self, word: Keyword) -> Result<Token> {
        if self.is_word(word) { Ok(self.advance()) } else { self.unexpected() }
    }

    pub(super) fn expect_kind(&mut self, kind: Kind) -> Result<Token> {
        if self.kind() == kind { Ok(self.advance()) } else { self.unexpected() }
    }

    pub(super) fn intern(&mut self, token: &Token) -> Symbol {
        let text = self.lexer.slice(token);
        self.ast.symbols.intern(text)
    }

    pub(super) fn name_of(&mut self, token: &Token) -> Name {
        Name { symbol: self.intern(token), at: self.lexer.location(token) }
    }

    /// A name that does not begin with a capital.
    pub(super) fn id(&mut self) -> Result<Name> {
        let token = self.expect_kind(Kind::Id)?;
        Ok(self.name_of(&token))
    }

    pub(super) fn deeper(&mut self) -> Result<()> {
        let at = self.lexer.location(&self.token);
        self.nesting.enter().map_err(|_| syntax(at, "the model nests too deep here"))
    }

    pub(super) fn exprs(&mut self, ids: impl IntoIterator<Item = ExprId>) -> ListRef<ExprId> {
        self.ast.lists.extend(ids)
    }

    /// The text of a multi-line string, if one stands here.
    pub(super) fn docstring(&mut self) -> Result<Option<ecow::EcoString>> {
        if self.kind() != Kind::Multi {
            return Ok(None);
        }
        let token = self.advance();
        Ok(Some(self.unescaped(&token, 3, 3)?.into()))
    }

    /// The text of a token behind some bytes and before some, without its escapes.
    pub(super) fn unescaped(&self, token: &Token, skip: usize, end: usize) -> Result<String> {
        let text = self.lexer.slice(token);
        unescape(&text[skip..text.len() - end]).map_err(|why| {
            let mut error = Error::python("UnicodeDecodeError", why);
            let place = (self.lexer.location(token), "in this text".to_owned());
            error.background.get_or_insert_default().places.push(place);
            error
        })
    }

    fn file(&mut self, is_empty: bool) -> Result<Unit> {
        let mut unit = Unit::default();
        let mut block = Block::default();
        if !is_empty {
            unit.comment = self.docstring()?;
            while self.kind() != Kind::End {
                self.top(&mut unit, &mut block)?;
            }
        }
        unit.block = Some(self.ast.blocks.push(block));
        Ok(unit)
    }

    fn top(&mut self, unit: &mut Unit, block: &mut Block) -> Result<()> {
        let definition = match self.kind() {
            Kind::Word(Keyword::Entity) => Definition::Entity(self.entity()?),
            Kind::Word(Keyword::Implement) => Definition::Implement(self.implement()?),
            Kind::Word(Keyword::Implementation) => {
                Definition::Implementation(self.implementation()?)
            }
            Kind::Word(Keyword::Typedef) => Definition::Typedef(self.typedef()?),
            Kind::Word(Keyword::Index) => Definition::Index(self.index()?),
            Kind::Word(Keyword::Import) => Definition::Import(self.import()?),
            Kind::Cid | Kind::Id => {
                if let Some(relation) = self.relation()? {
                    if !relation.annotations.is_empty() {
                        let (left, right) =
                            (relation.left.entity.symbol, relation.right.entity.symbol);
                        let kind = StmtKind::Annotations(relation.annotations, left, right);
                        block.statements.push(self.ast.stmts.push(Stmt { kind, at: relation.at }));
                    }
                    Definition::Relation(relation)
                } else {
                    block.statements.push(self.statement()?);
                    return Ok(());
                }
            }
            _ => {
                block.statements.push(self.statement()?);
                return Ok(());
            }
        };
        unit.definitions.push(definition);
        Ok(())
    }

    /// Statements in the order in which they are run, which is not the one they are written in.
    pub(super) fn statements(&mut self) -> Result<BlockId> {
        self.deeper()?;
        let mut block = Block::default();
        while self.starts_statement() {
            block.statements.push(self.statement()?);
        }
        block.statements.reverse();
        self.nesting.leave();
        Ok(self.ast.blocks.push(block))
    }

    fn starts_statement(&self) -> bool {
        match self.kind() {
            Kind::Word(word) => matches!(
                word,
                Keyword::For
                    | Keyword::If
                    | Keyword::Not
                    | Keyword::True
                    | Keyword::False
                    | Keyword::Null
            ),
            Kind::Char(c) => matches!(c, b'(' | b'[' | b'{'),
            kind => matches!(
                kind,
                Kind::Id
                    | Kind::Cid
                    | Kind::Int
                    | Kind::Float
                    | Kind::String
                    | Kind::FString
                    | Kind::RString
                    | Kind::Multi
                    | Kind::Regex
            ),
        }
    }

    fn statement(&mut self) -> Result<super::ast::StmtId> {
        let statement = match self.kind() {
            Kind::Word(Keyword::For) => self.for_loop()?,
            Kind::Word(Keyword::If) => {
                let line = self.advance();
                let at = self.lexer.line_of(&line);
                let mut statement = self.if_body()?;
                statement.at = at;
                self.expect_word(Keyword::End)?;
                statement
            }
            Kind::Id => match self.named_operand()? {
                Operand::Target(target) if self.is(b'=') => self.assignment(target, false)?,
                Operand::Target(target) if self.kind() == Kind::Append => {
                    self.assignment(target, true)?
                }
                Operand::Target(Target { expr: left, .. }) | Operand::Other(left) => {
                    let value = self.continue_expression(left, 0)?;
                    self.bare(value)
                }
            },
            _ => {
                let token = self.token;
                let value = self.expression()?;
                self.doubt(&token, value);
                self.bare(value)
            }
        };
        Ok(self.ast.stmts.push(statement))
    }

    fn bare(&mut self, value: ExprId) -> Stmt {
        Stmt { kind: StmtKind::Expr(value), at: self.ast.exprs[value].at }
    }

    /// A number alone is hardly a statement that anybody meant.
    fn doubt(&mut self, token: &Token, value: ExprId) {
        if !matches!(self.ast.exprs[value].kind, ExprKind::Const(_)) {
            return;
        }
        let text = self.lexer.slice(token);
        let text = if matches!(token.kind, Kind::Int | Kind::Float) && text.starts_with('-') {
            format!("`{text}` is a statement of its own here: a blank is missing behind the minus")
        } else {
            format!("`{text}` is a statement of its own here and does nothing")
        };
        self.doubts.push(Doubt { at: self.lexer.location(token), text });
    }

    fn assignment(&mut self, target: Target, append: bool) -> Result<Stmt> {
        let sign = self.advance();
        let at = self.lexer.line_of(&sign);
        let value = self.expression()?;
        let kind = match target.attribute {
            None => {
                let text = self.ast.name(target.name.symbol).to_owned();
                if append {
                    let message = format!("Can not perform += on variable {text}");
                    return Err(syntax(target.name.at, message));
                }
                self.no_hyphen(target.name)?;
                StmtKind::Assign(target.name, super::ast::Slot::Unresolved, value)
            }
            Some((base, name)) => StmtKind::SetAttr { base, name, value, append },
        };
        Ok(Stmt { kind, at })
    }

    fn for_loop(&mut self) -> Result<Stmt> {
        let word = self.advance();
        let at = self.lexer.line_of(&word);
        let variable = self.id()?.symbol;
        self.expect_word(Keyword::In)?;
        let iterable = self.expression()?;
        self.expect(b':')?;
        let block = self.statements()?;
        self.expect_word(Keyword::End)?;
        Ok(Stmt { kind: StmtKind::For { variable, iterable, block }, at })
    }

    fn if_body(&mut self) -> Result<Stmt> {
        self.deeper()?;
        let condition = self.expression()?;
        let colon = self.expect(b':')?;
        let at = self.lexer.line_of(&colon);
        let then = self.statements()?;
        let otherwise = if self.is_word(Keyword::Else) {
            self.advance();
            self.expect(b':')?;
            self.statements()?
        } else {
            let mut block = Block::default();
            if self.is_word(Keyword::Elif) {
                self.advance();
                let nested = self.if_body()?;
                block.statements.push(self.ast.stmts.push(nested));
            }
            self.ast.blocks.push(block)
        };
        self.nesting.leave();
        Ok(Stmt { kind: StmtKind::If { condition, then, otherwise }, at })
    }

    /// Names must not have a hyphen, although the lexer takes them.
    pub(super) fn no_hyphen(&mut self, name: Name) -> Result<()> {
        let text = self.ast.name(name.symbol);
        if !text.contains('-') {
            return Ok(());
        }
        let message =
            format!("The use of '-' in identifiers is not allowed. please rename {text}.");
        Err(Error::new(Class::Hyphen, message).by(text, name.at))
    }
}

fn trim_zeros(digits: &str) -> &str {
    let trimmed = digits.trim_start_matches('0');
    if trimmed.is_empty() { "0" } else { trimmed }
}

fn reserved(word: &str, at: Location) -> Box<Error> {
    syntax(at, format!("invalid identifier, {word} is a reserved keyword"))
}

/// A syntax error.
pub(super) fn syntax(at: Location, message: impl AsRef<str>) -> Box<Error> {
    Error::new(Class::Parser, format!("Syntax error: {}", message.as_ref())).at(at)
}
