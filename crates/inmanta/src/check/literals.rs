//! Values that stand in a constructor as they are and do not fit the attribute: known without a run.

use crate::error::{Class, Error};
use crate::program::Program;
use crate::syntax::ast::{BlockId, ExprId, ExprKind, NewId, StmtKind};
use crate::types::{Type, TypeId};
use crate::value::Value;

/// A value that does not fit.
pub struct Misfit {
    /// What is wrong.
    pub error: Box<Error>,
    /// Whether every run meets it: the constructor is at the top level of a file.
    pub is_certain: bool,
}

impl Program {
    /// All values of constructors that are known and do not fit their attribute. The model was
    /// checked before.
    pub fn misfits(&self) -> Vec<Misfit> {
        let mut certain = vec![false; self.news.len()];
        for top in &self.tops {
            self.mark(top.block, &mut certain);
        }
        let mut found = Vec::new();
        for (number, info) in self.news.iter().enumerate() {
            let Some(info) = info else { continue };
            let new = NewId::new(number as u32);
            let node = &self.ast.news[new];
            let names = self.ast.names.list(node.names).iter();
            for (name, value) in names.zip(self.ast.lists.list(node.values)) {
                let ExprKind::Const(value) = &self.ast.exprs[*value].kind else { continue };
                let Some(attribute) = self.attribute(info.entity, name.symbol) else { continue };
                if self.may_fit(value, self.attributes[attribute as usize].internal) {
                    continue;
                }
                let wanted = self.type_text(self.attributes[attribute as usize].internal);
                let text = format!("Invalid value {}, expected {wanted}", shown(value));
                let mut error = Error::new(Class::Runtime, text).at(name.at);
                let background = self.about_attribute(attribute, name.at);
                error.background = Some(Box::new(background));
                found.push(Misfit { error, is_certain: certain[number] });
            }
        }
        found
    }

    /// Marks the constructors that a block makes in any case.
    fn mark(&self, block: BlockId, certain: &mut [bool]) {
        let mut left: Vec<ExprId> = Vec::new();
        for stmt in &self.ast.blocks[block].statements {
            match &self.ast.stmts[*stmt].kind {
                StmtKind::Assign(_, _, value) | StmtKind::Expr(value) => left.push(*value),
                StmtKind::SetAttr { base, value, .. } => left.extend([*base, *value]),
                StmtKind::For { iterable, .. } => left.push(*iterable),
                StmtKind::If { condition, .. } => left.push(*condition),
                StmtKind::Annotations(..) => {}
            }
        }
        while let Some(id) = left.pop() {
            match &self.ast.exprs[id].kind {
                ExprKind::New(new) => {
                    if let Some(mark) = certain.get_mut(new.raw() as usize) {
                        *mark = true;
                    }
                }
                // What is made in these may never be.
                ExprKind::Cond(condition, ..) => {
                    left.push(*condition);
                    continue;
                }
                ExprKind::And(..) | ExprKind::Or(..) | ExprKind::Comprehension { .. } => continue,
                _ => {}
            }
            self.ast.children(id, &mut left);
        }
    }

    /// Whether a constant may be a value of a type. What a typedef asks besides is not looked at.
    fn may_fit(&self, value: &Value, ty: TypeId) -> bool {
        match (self.types.get(ty), value) {
            (Type::Nullable(_), Value::Null) => true,
            (Type::Nullable(inner) | Type::OrReference(inner), _) => self.may_fit(value, *inner),
            (Type::Typedef(id), _) => self.may_fit(value, self.typedefs[*id as usize].base),
            (Type::Union(items), _) => items.iter().any(|item| self.may_fit(value, *item)),
            (Type::String, _) => matches!(value, Value::Str(_)),
            (Type::Int, _) => matches!(value, Value::Int(_) | Value::BigInt(_) | Value::Bool(_)),
            (Type::Float, _) => matches!(value, Value::Float(_)),
            (Type::Number, _) => {
                matches!(value, Value::Int(_) | Value::BigInt(_) | Value::Float(_) | Value::Bool(_))
            }
            (Type::Bool, _) => matches!(value, Value::Bool(_)),
            (
                Type::List(_)
                | Type::AnyList
                | Type::LiteralList
                | Type::Dict(_)
                | Type::LiteralDict
                | Type::Entity(_),
                _,
            ) => !is_plain(value),
            _ => true,
        }
    }
}

/// Whether a value is one of no parts.
fn is_plain(value: &Value) -> bool {
    matches!(
        value,
        Value::Str(_) | Value::Int(_) | Value::BigInt(_) | Value::Float(_) | Value::Bool(_)
    )
}

/// A constant as it is written.
fn shown(value: &Value) -> String {
    match value {
        Value::Str(text) => format!("'{text}'"),
        Value::Int(number) => format!("'{number}'"),
        Value::BigInt(number) => format!("'{number}'"),
        Value::Float(number) => format!("'{}'", crate::value::float_text(*number)),
        Value::Bool(true) => "'true'".into(),
        Value::Bool(false) => "'false'".into(),
        _ => "'null'".into(),
    }
}
