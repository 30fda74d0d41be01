//! A fast path for integers: expressions that only calculate and compare numbers and parameters of
//! lambdas are evaluated without values in memory, which cost more than the arithmetic.

use super::evaluator::{Env, Evaluator};
use crate::syntax::ast::{BinaryOp, Expr, ExprId, PathStep, Reference};
use crate::value::{Bound, Item, Value};

/// How deep an expression is looked into.
const DEPTH: u32 = 16;

impl Evaluator<'_> {
    /// The value of an expression that is a whole number and needs nothing but numbers and parameters
    /// that are some. Any other expression has none, and nothing was done for it.
    #[inline]
    pub(crate) fn whole_number(&mut self, id: ExprId, env: &Env) -> Option<i64> {
        let mut steps = 0;
        let number = self.number_of(id, env, DEPTH, &mut steps)?;
        self.charge(steps);
        Some(number)
    }

    /// As [`Self::whole_number`], for the truth of a comparison.
    #[inline]
    pub(crate) fn whole_comparison(&mut self, id: ExprId, env: &Env) -> Option<bool> {
        let Expr::Binary(op, a, b) = self.sources.exprs[id] else { return None };
        if !op.compares() {
            return None;
        }
        let mut steps = 1;
        let a = self.number_of(a, env, DEPTH, &mut steps)?;
        let b = self.number_of(b, env, DEPTH, &mut steps)?;
        self.charge(steps);
        op.comparison(a, b)
    }

    /// The value of an operand: most are numbers or parameters.
    #[inline(always)]
    fn number_of(&self, id: ExprId, env: &Env, depth: u32, steps: &mut u64) -> Option<i64> {
        *steps += 1;
        match &self.sources.exprs[id] {
            Expr::Int(n) => Some(*n),
            Expr::Ref(reference) => match env.local(local_name(reference)?)? {
                Bound::Value(Item { value: Value::Int(n), .. }) => Some(*n),
                _ => None,
            },
            Expr::Group(_) | Expr::Binary(..) => self.number_of_more(id, env, depth, steps),
            _ => None,
        }
    }

    fn number_of_more(&self, id: ExprId, env: &Env, depth: u32, steps: &mut u64) -> Option<i64> {
        match &self.sources.exprs[id] {
            Expr::Group(inner) if depth > 0 => self.number_of(*inner, env, depth - 1, steps),
            Expr::Binary(op @ (BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul), a, b)
                if depth > 0 =>
            {
                let a = self.number_of(*a, env, depth - 1, steps)?;
                let b = self.number_of(*b, env, depth - 1, steps)?;
                op.arithmetic(a, b)
            }
            _ => None,
        }
    }
}

/// The name that a reference is, if it is nothing but one.
#[inline]
pub(crate) fn local_name(reference: &Reference) -> Option<&str> {
    match &reference.path[..] {
        [PathStep::Key(name)] if !reference.absolute && reference.tag.is_none() => Some(name),
        _ => None,
    }
}

impl BinaryOp {
    /// Whether it says how two values compare.
    #[inline]
    fn compares(self) -> bool {
        matches!(self, Self::Lt | Self::Le | Self::Gt | Self::Ge | Self::Eq | Self::Ne)
    }

    /// The comparison of two whole numbers, if it compares.
    #[inline]
    pub(crate) fn comparison(self, a: i64, b: i64) -> Option<bool> {
        Some(match self {
            Self::Lt => a < b,
            Self::Le => a <= b,
            Self::Gt => a > b,
            Self::Ge => a >= b,
            Self::Eq => a == b,
            Self::Ne => a != b,
            _ => return None,
        })
    }

    /// The result for two whole numbers, if it never fails.
    #[inline]
    pub(crate) fn arithmetic(self, a: i64, b: i64) -> Option<i64> {
        Some(match self {
            Self::Add => a.wrapping_add(b),
            Self::Sub => a.wrapping_sub(b),
            Self::Mul => a.wrapping_mul(b),
            _ => return None,
        })
    }
}
