//! Expressions, by how tightly operators bind.

use ordain_source::TextRange;

use super::super::ast::{BinaryOp, ExprId, ExprKind, Name, WideningKind};
use super::super::token::TokenKind;
use super::{Brace, CALL_WORDS, ListTokens, Parsed, Parser};
use crate::Edition;

/// The operators by precedence, the lowest first.
mod power {
    pub(super) const LOWEST: u8 = 0;
    pub(super) const EXCEPT: u8 = 2;
    pub(super) const OR: u8 = 3;
    pub(super) const AND: u8 = 4;
    pub(super) const COMPARISON: u8 = 5;
    pub(super) const SUM: u8 = 6;
    pub(super) const PRODUCT: u8 = 7;
    pub(super) const NOT: u8 = 8;
}

/// The expression of an infix operator.
#[derive(Clone, Copy)]
enum Infix {
    Binary(BinaryOp),
    In,
    Except,
}

fn infix(kind: TokenKind) -> Option<(Infix, u8)> {
    let binary = |op, power| Some((Infix::Binary(op), power));
    match kind {
        TokenKind::Except => Some((Infix::Except, power::EXCEPT)),
        TokenKind::Or => binary(BinaryOp::Or, power::OR),
        TokenKind::And => binary(BinaryOp::And, power::AND),
        TokenKind::In => Some((Infix::In, power::COMPARISON)),
        TokenKind::Lt => binary(BinaryOp::Lt, power::COMPARISON),
        TokenKind::Gt => binary(BinaryOp::Gt, power::COMPARISON),
        TokenKind::Lte => binary(BinaryOp::Le, power::COMPARISON),
        TokenKind::Gte => binary(BinaryOp::Ge, power::COMPARISON),
        TokenKind::Eq => binary(BinaryOp::Eq, power::COMPARISON),
        TokenKind::Neq => binary(BinaryOp::Ne, power::COMPARISON),
        TokenKind::Plus => binary(BinaryOp::Add, power::SUM),
        TokenKind::Minus => binary(BinaryOp::Sub, power::SUM),
        TokenKind::Multiply => binary(BinaryOp::Mul, power::PRODUCT),
        TokenKind::Divide => binary(BinaryOp::Div, power::PRODUCT),
        _ => None,
    }
}

/// Whether an expression can begin with a token.
fn starts_expr(kind: TokenKind) -> bool {
    matches!(
        kind,
        TokenKind::Bool
            | TokenKind::String
            | TokenKind::Integer
            | TokenKind::Float
            | TokenKind::OpenBrack
            | TokenKind::OpenCurly
            | TokenKind::OpenParen
            | TokenKind::StructIdentifier
            | TokenKind::FuncIdentifier
            | TokenKind::Dollar
            | TokenKind::If
            | TokenKind::Not
            | TokenKind::Identifier
            | TokenKind::MapIdentifier
            | TokenKind::CollectIdentifier
    )
}

const LIST_WORDS: ListTokens = ListTokens {
    first: &[],
    line: &[],
    after: &[TokenKind::CloseBrack, TokenKind::Comma],
    next: &[],
    comma: &[],
};
const MAP_WORDS: ListTokens =
    ListTokens { after: &[TokenKind::CloseCurly, TokenKind::Comma], ..LIST_WORDS };
const STRUCT_WORDS: ListTokens = ListTokens {
    first: &[TokenKind::Newline, TokenKind::CloseCurly, TokenKind::Identifier],
    line: &[TokenKind::Newline, TokenKind::CloseCurly, TokenKind::Identifier],
    after: &[TokenKind::CloseCurly, TokenKind::Comma],
    next: &[TokenKind::Identifier],
    comma: &[],
};

impl Parser<'_> {
    pub(super) fn expr(&mut self) -> Parsed<ExprId> {
        self.nested(|parser| parser.operators(power::LOWEST))
    }

    /// An expression whose operators all have a higher precedence than `min`.
    fn operators(&mut self, min: u8) -> Parsed<ExprId> {
        let mut left = self.operand()?;
        loop {
            left = self.suffixes(left)?;
            let Some((op, power)) = infix(self.peek()).filter(|(_, power)| *power > min) else {
                return Ok(left);
            };
            self.bump();
            let right = self.nested(|parser| parser.operators(power))?;
            let kind = match op {
                Infix::Binary(op) => ExprKind::Binary(op, left, right),
                Infix::In => ExprKind::In(left, right),
                Infix::Except => ExprKind::Except(left, right),
            };
            left = self.join(kind, left);
            if power == power::COMPARISON
                && infix(self.peek()).is_some_and(|(_, next)| next == power)
            {
                return Err(self.unexpected(&[]));
            }
        }
    }

    fn join(&mut self, kind: ExprKind, left: ExprId) -> ExprId {
        let range = self.since(self.tree.exprs[left].range);
        self.push(kind, range)
    }

    /// The suffixes of an operand: indexes and fields.
    fn suffixes(&mut self, mut left: ExprId) -> Parsed<ExprId> {
        let mut defaulted = false;
        loop {
            match self.peek() {
                TokenKind::OpenBrack => {
                    self.bump();
                    let index = self.expr()?;
                    self.expect_or(TokenKind::CloseBrack, &[])?;
                    left = self.join(ExprKind::Index(left, index), left);
                }
                TokenKind::Arrow => {
                    self.bump();
                    let name = self.expect(TokenKind::Identifier)?.range;
                    let name = self.slice(name);
                    let default = self.field_default()?;
                    defaulted |= default.is_some();
                    left = self.join(ExprKind::Field(left, name, default), left);
                }
                TokenKind::OldDefault
                    if !defaulted && matches!(self.tree.exprs[left].kind, ExprKind::Index(..)) =>
                {
                    let default = self.old_default()?;
                    left = self.join(ExprKind::Except(left, default), left);
                    defaulted = true;
                }
                _ => return Ok(left),
            }
        }
    }

    /// The default after the name of a field.
    fn field_default(&mut self) -> Parsed<Option<ExprId>> {
        Ok(match self.peek() {
            TokenKind::Except => {
                self.bump();
                Some(self.nested(|parser| parser.operators(power::EXCEPT))?)
            }
            TokenKind::OldDefault => Some(self.old_default()?),
            _ => None,
        })
    }

    /// The default after `||`, as in released versions.
    fn old_default(&mut self) -> Parsed<ExprId> {
        let range = self.bump().range;
        self.widen(WideningKind::OldDefault, range);
        self.nested(|parser| parser.operators(power::LOWEST))
    }

    fn operand(&mut self) -> Parsed<ExprId> {
        let start = self.range();
        let kind = match self.peek() {
            TokenKind::Bool => ExprKind::Bool(self.bump_text() == "true"),
            TokenKind::String => {
                self.bump();
                ExprKind::Str(Vec::new())
            }
            TokenKind::Integer => ExprKind::Int(self.bump_text().parse().unwrap_or_default()),
            TokenKind::Float => ExprKind::Float(self.bump_text().parse().unwrap_or_default()),
            TokenKind::OpenBrack => {
                self.bump();
                let words = &LIST_WORDS;
                ExprKind::List(self.items(TokenKind::CloseBrack, words, starts_expr, Self::expr)?)
            }
            TokenKind::OpenCurly => {
                self.open_curly(Brace::Literal)?;
                let words = &MAP_WORDS;
                ExprKind::Map(self.items(TokenKind::CloseCurly, words, starts_expr, Self::pair)?)
            }
            TokenKind::StructIdentifier => self.struct_literal()?,
            TokenKind::OpenParen => {
                self.bump();
                let inner = self.expr()?;
                self.expect_or(TokenKind::CloseParen, &[])?;
                ExprKind::Paren(inner)
            }
            TokenKind::Dollar => self.var_or_call()?,
            TokenKind::Identifier | TokenKind::MapIdentifier | TokenKind::CollectIdentifier => {
                let name = self.dotted()?;
                self.expect_or(TokenKind::OpenParen, &[TokenKind::OpenParen, TokenKind::Dot])?;
                ExprKind::Call(name, self.call_args()?)
            }
            TokenKind::FuncIdentifier => return self.lambda_or_call(),
            TokenKind::If => self.if_expr()?,
            TokenKind::Not => {
                self.bump();
                ExprKind::Not(self.nested(|parser| parser.operators(power::NOT))?)
            }
            _ => return Err(self.unexpected(&[])),
        };
        let range = self.since(start);
        Ok(self.push(kind, range))
    }

    fn bump_text(&mut self) -> &str {
        let TextRange { start, end } = self.bump().range;
        &self.text[start as usize..end as usize]
    }

    /// `expr "=>" expr`
    fn pair(&mut self) -> Parsed<(ExprId, ExprId)> {
        let key = self.expr()?;
        self.expect_or(TokenKind::Rocket, &[])?;
        Ok((key, self.expr()?))
    }

    fn struct_literal(&mut self) -> Parsed<ExprKind> {
        self.bump();
        self.open_curly(Brace::Literal)?;
        let starts = |kind| kind == TokenKind::Identifier;
        let fields = self.items(TokenKind::CloseCurly, &STRUCT_WORDS, starts, |parser| {
            let name = parser.bump().range;
            let name: Name = parser.slice(name);
            parser.expect(TokenKind::Rocket)?;
            Ok((name, parser.expr()?))
        })?;
        Ok(ExprKind::Struct(fields))
    }

    fn var_or_call(&mut self) -> Parsed<ExprKind> {
        self.bump();
        let name = self.dotted()?;
        if self.eat(TokenKind::OpenParen) {
            return Ok(ExprKind::CallVar(name, self.call_args()?));
        }
        Ok(ExprKind::Var(name))
    }

    fn lambda_or_call(&mut self) -> Parsed<ExprId> {
        let start = self.bump().range;
        let func = self.func_rest()?;
        let range = self.since(start);
        let mut expr = self.push(ExprKind::Lambda(Box::new(func)), range);
        if self.eat(TokenKind::OpenParen) {
            let args = self.call_args()?;
            let range = self.since(start);
            expr = self.push(ExprKind::CallLambda(expr, args), range);
        }
        Ok(expr)
    }

    /// `"if" expr body "else" body`
    fn if_expr(&mut self) -> Parsed<ExprKind> {
        self.bump();
        let condition = self.expr()?;
        let then = self.body_or(&[])?;
        self.expect(TokenKind::Else)?;
        let other = self.body_or(&[TokenKind::OpenCurly])?;
        Ok(ExprKind::If([condition, then, other]))
    }

    /// `"{" {NL} expr {NL} "}"`
    pub(super) fn body_or(&mut self, words: &[TokenKind]) -> Parsed<ExprId> {
        self.open_curly_or(Brace::Body, words)?;
        while self.eat(TokenKind::Newline) {}
        let body = self.expr()?;
        while self.eat(TokenKind::Newline) {}
        self.expect_or(TokenKind::CloseCurly, &[TokenKind::Newline, TokenKind::CloseCurly])?;
        Ok(body)
    }

    /// The arguments after an opening parenthesis, and the closing one.
    pub(super) fn call_args(&mut self) -> Parsed<Vec<ExprId>> {
        self.items(TokenKind::CloseParen, &CALL_WORDS, starts_expr, Self::expr)
    }

    /// Whether a map type without its keyword begins here.
    pub(super) fn is_bare_map_type(&self) -> bool {
        if self.edition != Edition::Wide || self.peek() != TokenKind::OpenCurly {
            return false;
        }
        let (mut depth, mut at) = (0, 0);
        loop {
            match self.peek_at(at) {
                TokenKind::OpenCurly => depth += 1,
                TokenKind::CloseCurly if depth == 1 => return false,
                TokenKind::CloseCurly => depth -= 1,
                TokenKind::Colon if depth == 1 => return true,
                kind if super::types::is_type_token(kind) => {}
                _ => return false,
            }
            at += 1;
        }
    }
}
