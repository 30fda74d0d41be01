//! A fast path for integers: expressions that only calculate and compare numbers and parameters of
//! lambdas are evaluated without heap values, which cost more than the arithmetic.

use super::evaluator::{Env, Evaluator};
use crate::syntax::ast::{BinaryOp, Expr, ExprId, PathStep, Reference};
use crate::value::{Bound, Item, Value};

/// The maximum depth of such an expression.
const MAX_DEPTH: u32 = 16;

impl Evaluator<'_> {
    /// The value of an integer expression of numbers and integer parameters. `None`, without any
    /// effect, for any other expression.
    #[inline]
    pub(crate) fn whole_number(&mut self, id: ExprId, env: &Env) -> Option<i64> {
        let mut steps = 0;
        let number = self.number_of(id, env, MAX_DEPTH, &mut steps)?;
        self.charge(steps);
        Some(number)
    }

    /// As [`Self::whole_number`], for a comparison.
    #[inline]
    pub(crate) fn whole_comparison(&mut self, id: ExprId, env: &Env) -> Option<bool> {
        let Expr::Binary(op, a, b) = self.sources.exprs[id] else { return None };
        if !op.compares() {
            return None;
        }
        let mut steps = 1;
        let a = self.number_of(a, env, MAX_DEPTH, &mut steps)?;
        let b = self.number_of(b, env, MAX_DEPTH, &mut steps)?;
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

/// The name of a reference without a path.
#[inline]
pub(crate) fn local_name(reference: &Reference) -> Option<&str> {
    match &reference.path[..] {
        [PathStep::Key(name)] if !reference.absolute && reference.tag.is_none() => Some(name),
        _ => None,
    }
}

impl BinaryOp {
    /// Whether it is a comparison.
    #[inline]
    fn compares(self) -> bool {
        matches!(self, Self::Lt | Self::Le | Self::Gt | Self::Ge | Self::Eq | Self::Ne)
    }

    /// The result of a comparison of two integers; `None` for another operator.
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

    /// The result for two integers, for operators that never fail.
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
