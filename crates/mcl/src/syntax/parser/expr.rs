//! Expressions, by how tightly operators bind.

use ordain_source::TextRange;

use super::super::ast::{BinaryOp, ExprId, ExprKind, Name, WideningKind};
use super::super::token::T;
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

fn infix(kind: T) -> Option<(Infix, u8)> {
    let binary = |op, power| Some((Infix::Binary(op), power));
    match kind {
        T::Except => Some((Infix::Except, power::EXCEPT)),
        T::Or => binary(BinaryOp::Or, power::OR),
        T::And => binary(BinaryOp::And, power::AND),
        T::In => Some((Infix::In, power::COMPARISON)),
        T::Lt => binary(BinaryOp::Lt, power::COMPARISON),
        T::Gt => binary(BinaryOp::Gt, power::COMPARISON),
        T::Lte => binary(BinaryOp::Le, power::COMPARISON),
        T::Gte => binary(BinaryOp::Ge, power::COMPARISON),
        T::Eq => binary(BinaryOp::Eq, power::COMPARISON),
        T::Neq => binary(BinaryOp::Ne, power::COMPARISON),
        T::Plus => binary(BinaryOp::Add, power::SUM),
        T::Minus => binary(BinaryOp::Sub, power::SUM),
        T::Multiply => binary(BinaryOp::Mul, power::PRODUCT),
        T::Divide => binary(BinaryOp::Div, power::PRODUCT),
        _ => None,
    }
}

/// Whether an expression can begin with a token.
fn starts_expr(kind: T) -> bool {
    matches!(
        kind,
        T::Bool
            | T::String
            | T::Integer
            | T::Float
            | T::OpenBrack
            | T::OpenCurly
            | T::OpenParen
            | T::StructIdentifier
            | T::FuncIdentifier
            | T::Dollar
            | T::If
            | T::Not
            | T::Identifier
            | T::MapIdentifier
            | T::CollectIdentifier
    )
}

const LIST_WORDS: ListTokens =
    ListTokens { first: &[], line: &[], after: &[T::CloseBrack, T::Comma], next: &[], comma: &[] };
const MAP_WORDS: ListTokens = ListTokens { after: &[T::CloseCurly, T::Comma], ..LIST_WORDS };
const STRUCT_WORDS: ListTokens = ListTokens {
    first: &[T::Newline, T::CloseCurly, T::Identifier],
    line: &[T::Newline, T::CloseCurly, T::Identifier],
    after: &[T::CloseCurly, T::Comma],
    next: &[T::Identifier],
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
                T::OpenBrack => {
                    self.bump();
                    let index = self.expr()?;
                    self.expect_or(T::CloseBrack, &[])?;
                    left = self.join(ExprKind::Index(left, index), left);
                }
                T::Arrow => {
                    self.bump();
                    let name = self.expect(T::Identifier)?.range;
                    let name = self.slice(name);
                    let default = self.field_default()?;
                    defaulted |= default.is_some();
                    left = self.join(ExprKind::Field(left, name, default), left);
                }
                T::OldDefault
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
            T::Except => {
                self.bump();
                Some(self.nested(|parser| parser.operators(power::EXCEPT))?)
            }
            T::OldDefault => Some(self.old_default()?),
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
            T::Bool => ExprKind::Bool(self.bump_text() == "true"),
            T::String => {
                self.bump();
                ExprKind::Str(Vec::new())
            }
            T::Integer => ExprKind::Int(self.bump_text().parse().unwrap_or_default()),
            T::Float => ExprKind::Float(self.bump_text().parse().unwrap_or_default()),
            T::OpenBrack => {
                self.bump();
                let words = &LIST_WORDS;
                ExprKind::List(self.items(T::CloseBrack, words, starts_expr, Self::expr)?)
            }
            T::OpenCurly => {
                self.open_curly(Brace::Literal)?;
                let words = &MAP_WORDS;
                ExprKind::Map(self.items(T::CloseCurly, words, starts_expr, Self::pair)?)
            }
            T::StructIdentifier => self.struct_literal()?,
            T::OpenParen => {
                self.bump();
                let inner = self.expr()?;
                self.expect_or(T::CloseParen, &[])?;
                ExprKind::Paren(inner)
            }
            T::Dollar => self.var_or_call()?,
            T::Identifier | T::MapIdentifier | T::CollectIdentifier => {
                let name = self.dotted()?;
                self.expect_or(T::OpenParen, &[T::OpenParen, T::Dot])?;
                ExprKind::Call(name, self.call_args()?)
            }
            T::FuncIdentifier => return self.lambda_or_call(),
            T::If => self.if_expr()?,
            T::Not => {
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
        self.expect_or(T::Rocket, &[])?;
        Ok((key, self.expr()?))
    }

    fn struct_literal(&mut self) -> Parsed<ExprKind> {
        self.bump();
        self.open_curly(Brace::Literal)?;
        let starts = |kind| kind == T::Identifier;
        let fields = self.items(T::CloseCurly, &STRUCT_WORDS, starts, |parser| {
            let name = parser.bump().range;
            let name: Name = parser.slice(name);
            parser.expect(T::Rocket)?;
            Ok((name, parser.expr()?))
        })?;
        Ok(ExprKind::Struct(fields))
    }

    fn var_or_call(&mut self) -> Parsed<ExprKind> {
        self.bump();
        let name = self.dotted()?;
        if self.eat(T::OpenParen) {
            return Ok(ExprKind::CallVar(name, self.call_args()?));
        }
        Ok(ExprKind::Var(name))
    }

    fn lambda_or_call(&mut self) -> Parsed<ExprId> {
        let start = self.bump().range;
        let func = self.func_rest()?;
        let range = self.since(start);
        let mut expr = self.push(ExprKind::Lambda(Box::new(func)), range);
        if self.eat(T::OpenParen) {
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
        self.expect(T::Else)?;
        let other = self.body_or(&[T::OpenCurly])?;
        Ok(ExprKind::If([condition, then, other]))
    }

    /// `"{" {NL} expr {NL} "}"`
    pub(super) fn body_or(&mut self, words: &[T]) -> Parsed<ExprId> {
        self.open_curly_or(Brace::Body, words)?;
        while self.eat(T::Newline) {}
        let body = self.expr()?;
        while self.eat(T::Newline) {}
        self.expect_or(T::CloseCurly, &[T::Newline, T::CloseCurly])?;
        Ok(body)
    }

    /// The arguments after an opening parenthesis, and the closing one.
    pub(super) fn call_args(&mut self) -> Parsed<Vec<ExprId>> {
        self.items(T::CloseParen, &CALL_WORDS, starts_expr, Self::expr)
    }

    /// Whether a map type without its keyword begins here.
    pub(super) fn is_bare_map_type(&self) -> bool {
        if self.edition != Edition::Wide || self.peek() != T::OpenCurly {
            return false;
        }
        let (mut depth, mut at) = (0, 0);
        loop {
            match self.peek_at(at) {
                T::OpenCurly => depth += 1,
                T::CloseCurly if depth == 1 => return false,
                T::CloseCurly => depth -= 1,
                T::Colon if depth == 1 => return true,
                kind if super::types::is_type_token(kind) => {}
                _ => return false,
            }
            at += 1;
        }
    }
}
