//! Operators with two or three operands.

use ordain_syntax::operators::{self, Operators};

use super::*;

const OR: u8 = 1;
const CONDITION: u8 = 2;
pub(super) const CONCAT: u8 = 3;

/// Operators with their level; longer ones before their prefixes.
const OPERATORS: &[(&str, BinaryOp, u8)] = &[
    ("||", BinaryOp::Or, OR),
    ("//", BinaryOp::OrNull, OR),
    ("-or", BinaryOp::LogOr, 4),
    ("-and", BinaryOp::LogAnd, 4),
    ("==", BinaryOp::Eq, 5),
    ("!=", BinaryOp::Ne, 5),
    ("<=", BinaryOp::Le, 5),
    (">=", BinaryOp::Ge, 5),
    ("<", BinaryOp::Lt, 5),
    (">", BinaryOp::Gt, 5),
    ("+", BinaryOp::Add, 6),
    ("-", BinaryOp::Sub, 6),
    ("*", BinaryOp::Mul, 7),
    ("/", BinaryOp::Div, 7),
    ("%", BinaryOp::Mod, 7),
];

impl Operators for Parser<'_, '_> {
    type Node = ExprId;
    type Op = BinaryOp;
    type Error = ParseError;

    fn operand(&mut self) -> Result<ExprId> {
        self.unary()
    }

    /// The condition of `? :` is everything above the level of `||`.
    fn suffix(&mut self, left: ExprId, min: u8) -> Result<Option<ExprId>> {
        if min >= CONDITION {
            return Ok(None);
        }
        let before = self.cursor.pos();
        self.blanks();
        if !self.cursor.eat("?") {
            self.cursor.back_to(before);
            return Ok(None);
        }
        let yes = self.expression()?;
        self.expect(":")?;
        let no = self.expression()?;
        // The blank belongs to the next operand.
        self.trim_back();
        Ok(Some(self.push(Expr::Cond(left, yes, no), self.start(left))))
    }

    /// An operator with spaces around it, or the spaces between two operands.
    fn infix(&mut self, min: u8) -> Option<(BinaryOp, u8)> {
        let before = self.cursor.pos();
        let found = if self.blanks() { self.operator(min) } else { None };
        if found.is_none() {
            self.cursor.back_to(before);
        }
        found
    }

    fn right(&mut self, power: u8, count: u32) -> Result<ExprId> {
        if count >= MAX_CHAIN { self.refuse(TOO_LONG) } else { self.binary(power) }
    }

    fn join(&mut self, op: BinaryOp, left: ExprId, right: ExprId) -> Result<ExprId> {
        Ok(self.push(Expr::Binary(op, left, right), self.start(left)))
    }
}

impl Parser<'_, '_> {
    /// An expression whose operators are all above a level.
    pub(super) fn binary(&mut self, min: u8) -> Result<ExprId> {
        self.nested(|p| operators::expression(p, min))
    }

    fn start(&self, expr: ExprId) -> usize {
        self.exprs.span(expr).0 as usize
    }

    fn operator(&mut self, min: u8) -> Option<(BinaryOp, u8)> {
        let known = OPERATORS.iter().find(|(text, ..)| self.cursor.at(text));
        if let Some((text, op, level)) = known
            && *level > min
            && self.cursor.rest()[text.len()..].starts_with(is_blank)
        {
            self.cursor.skip(text.len());
            self.blanks();
            return Some((*op, *level));
        }
        (min < CONCAT && self.starts_operand()).then_some((BinaryOp::Concat, CONCAT))
    }

    fn starts_operand(&self) -> bool {
        let mut chars = self.cursor.rest().chars();
        let (first, second) = (chars.next(), chars.next());
        match first {
            Some('.') => second != Some('.'),
            Some('"' | '~' | '$' | '[' | '{' | '(') => true,
            Some('!') => second != Some('='),
            Some('*') => !second.is_some_and(is_blank),
            Some('-') => second.is_some_and(|c| c.is_ascii_digit()),
            Some(c) => is_name(c),
            None => false,
        }
    }
}
