//! Types and values of literals before name resolution. Strings are not decoded yet, so that `"$"`
//! and `"\\$"` differ.

use crate::syntax::ast::{ExprId, ExprKind, FuncDef, Tree};
use crate::types::node::of_node;
use crate::types::{FuncType, Type};
use crate::value::Value;

/// The maximal depth. Keys of maps are small.
const MAX_DEPTH: u32 = 50;

/// A text and its tree.
#[derive(Clone, Copy)]
pub(super) struct LiteralTyper<'a> {
    pub(super) tree: &'a Tree,
    pub(super) text: &'a str,
}

impl LiteralTyper<'_> {
    /// The type of an expression.
    pub(super) fn ty(self, id: ExprId, depth: u32) -> Option<Type> {
        if depth > MAX_DEPTH {
            return None;
        }
        let depth = depth + 1;
        Some(match &self.tree.exprs[id].kind {
            ExprKind::Bool(_) => Type::Bool,
            ExprKind::Int(_) => Type::Int,
            ExprKind::Float(_) => Type::Float,
            ExprKind::Str(_) => Type::Str,
            ExprKind::Paren(inner) => return self.ty(*inner, depth),
            ExprKind::List(items) => Type::list(self.alike(items.iter().copied(), depth)?),
            ExprKind::Map(pairs) => Type::map(
                self.alike(pairs.iter().map(|(key, _)| *key), depth)?,
                self.alike(pairs.iter().map(|(_, value)| *value), depth)?,
            ),
            ExprKind::Struct(fields) if !fields.is_empty() => {
                let known: Option<Vec<_>> = fields
                    .iter()
                    .map(|(name, value)| Some((name.clone(), self.ty(*value, depth)?)))
                    .collect();
                Type::record(known?)
            }
            ExprKind::If([_, a, b]) | ExprKind::Except(a, b) => {
                match (self.ty(*a, depth), self.ty(*b, depth)) {
                    (Some(a), Some(b)) => return (a == b).then_some(a),
                    (a, b) => return a.or(b),
                }
            }
            ExprKind::Lambda(func) => return self.function(func, depth),
            _ => return None,
        })
    }

    fn alike(self, mut parts: impl Iterator<Item = ExprId>, depth: u32) -> Option<Type> {
        let first = self.ty(parts.next()?, depth)?;
        parts.all(|part| self.ty(part, depth).as_ref() == Some(&first)).then_some(first)
    }

    fn function(self, func: &FuncDef, depth: u32) -> Option<Type> {
        let args: Option<Vec<Type>> =
            func.params.iter().map(|param| param.ty.as_ref().map(of_node)).collect();
        let result = self.ty(func.body, depth).or_else(|| func.result.as_ref().map(of_node))?;
        let mut shape = FuncType::new(args?, result);
        shape.names = func.params.iter().map(|param| param.name.clone()).collect();
        Some(Type::Func(shape.into()))
    }

    /// The value of an expression that can be a key.
    pub(super) fn value(self, id: ExprId, depth: u32) -> Option<Value> {
        if depth > MAX_DEPTH {
            return None;
        }
        let depth = depth + 1;
        let expr = &self.tree.exprs[id];
        Some(match &expr.kind {
            ExprKind::Bool(value) => Value::Bool(*value),
            ExprKind::Int(value) => Value::Int(*value),
            ExprKind::Float(value) => Value::Float(*value),
            ExprKind::Str(_) => {
                let (start, end) = (expr.range.start as usize + 1, expr.range.end as usize - 1);
                self.text.get(start..end)?.into()
            }
            ExprKind::Paren(inner) => return self.value(*inner, depth),
            ExprKind::Except(value, _) => return self.value(*value, depth),
            ExprKind::If([condition, then, other]) => match self.value(*condition, depth)? {
                Value::Bool(true) => return self.value(*then, depth),
                _ => return self.value(*other, depth),
            },
            _ => return None,
        })
    }
}
