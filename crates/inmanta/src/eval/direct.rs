//! Evaluates conditions of typedefs, which never wait for variables.

use super::net::Net;
use super::state::ids::Place;
use crate::diagnostics::{Class, Error, Result};
use crate::symbol::Symbol;
use crate::syntax::ast::{Callee, ExprId, ExprKind};
use crate::types::TypeId;
use crate::value::{Dict, Value};

/// The variables of a condition.
type Bindings = Vec<(Symbol, Value)>;

impl Net<'_> {
    /// Evaluates a condition for a value.
    pub(super) fn decide(&mut self, condition: ExprId, value: &Value) -> Result<Value> {
        let mut bindings: Bindings = Vec::new();
        if let Some(name) = self.program.self_name {
            bindings.push((name, value.clone()));
        }
        self.direct(condition, &mut bindings)
    }

    fn unresolved(&self, id: ExprId, name: Symbol) -> Box<Error> {
        let name = self.program.name(name);
        let message =
            format!("Unable to resolve `{name}`: a type constraint can not reference variables.");
        self.error_at(Place::expr(id), Error::new(Class::NotFound, message))
    }

    fn direct(&mut self, id: ExprId, bindings: &mut Bindings) -> Result<Value> {
        match self.program.ast.exprs[id].kind.clone() {
            ExprKind::Const(value) => Ok(value),
            ExprKind::Name(name, _) => {
                let found = bindings.iter().rev().find(|(k, _)| *k == name);
                found.map(|(_, value)| value.clone()).ok_or_else(|| self.unresolved(id, name))
            }
            ExprKind::Binary(op, a, b) => {
                let a = self.direct(a, bindings)?;
                let b = self.direct(b, bindings)?;
                self.binary(id, op, a, b)
            }
            ExprKind::And(a, b) => self.direct_logic(id, a, b, true, bindings),
            ExprKind::Or(a, b) => self.direct_logic(id, a, b, false, bindings),
            ExprKind::Not(a) => {
                let value = self.direct(a, bindings)?;
                self.negate(id, value)
            }
            ExprKind::Regex(subject, pattern) => {
                let value = self.direct(subject, bindings)?;
                self.matches(id, pattern, value)
            }
            ExprKind::Cond(c, a, b) => match self.direct(c, bindings)? {
                Value::Unknown(_) => Ok(self.unknown()),
                Value::Bool(true) => self.direct(a, bindings),
                Value::Bool(false) => self.direct(b, bindings),
                value => {
                    let message = format!(
                        "Invalid value `{}`: the condition for a conditional expression must be a \
                         boolean expression",
                        value.text(self)
                    );
                    Err(self.error_at(Place::expr(id), Error::new(Class::Runtime, message)))
                }
            },
            ExprKind::List(items) => {
                let items = self.program.ast.lists.list(items).to_vec();
                self.direct_list(&items, bindings)
            }
            ExprKind::Dict(keys, items) => {
                let mut dict = Dict::default();
                for (i, item) in self.program.ast.lists.list(items).to_vec().iter().enumerate() {
                    let value = self.direct(*item, bindings)?;
                    dict.insert(self.program.ast.keys.list(keys)[i].clone(), value);
                }
                Ok(Value::Dict(std::rc::Rc::new(dict)))
            }
            ExprKind::Comprehension { value, variable, iterable, guard } => {
                self.direct_comprehension(id, (value, variable, iterable, guard), bindings)
            }
            ExprKind::Call(_) => self.direct_call(id, bindings),
            _ => {
                let text = self.program.ast.reported(id);
                let message = format!("The statement {text} can not be executed in this context");
                Err(self.error_at(Place::expr(id), Error::new(Class::DirectExecute, message)))
            }
        }
    }

    fn direct_list(&mut self, items: &[ExprId], bindings: &mut Bindings) -> Result<Value> {
        let mut out = Vec::new();
        for &item in items {
            match self.direct(item, bindings)? {
                Value::List(inner) => out.extend(inner.iter().cloned()),
                value => out.push(value),
            }
        }
        Ok(Value::list(out))
    }

    fn direct_logic(
        &mut self,
        id: ExprId,
        a: ExprId,
        b: ExprId,
        is_and: bool,
        bindings: &mut Bindings,
    ) -> Result<Value> {
        let op = if is_and { "and" } else { "or" };
        let check = |net: &Self, value: Value, side| match value {
            Value::Bool(b) => Ok(b),
            _ => Err(net.error_at(Place::expr(id), net.not_bool(&value, side, op))),
        };
        let left = self.direct(a, bindings)?;
        let left = check(self, left, "left")?;
        if left != is_and {
            return Ok(Value::Bool(left));
        }
        let right = self.direct(b, bindings)?;
        check(self, right, "right").map(Value::Bool)
    }

    fn direct_comprehension(
        &mut self,
        id: ExprId,
        (value, variable, iterable, guard): (ExprId, Symbol, ExprId, Option<ExprId>),
        bindings: &mut Bindings,
    ) -> Result<Value> {
        let items = match self.direct(iterable, bindings)? {
            Value::Unknown(_) => return Ok(self.unknown()),
            Value::List(items) => items,
            other => {
                let message = format!(
                    "A list comprehension in a direct execute context can only be applied to \
                     lists, got {}",
                    other.python_type()
                );
                return Err(self.error_at(Place::expr(id), Error::new(Class::Typing, message)));
            }
        };
        let mut out = Vec::new();
        for item in items.iter() {
            bindings.push((variable, item.clone()));
            let taken = match guard.map(|guard| self.direct(guard, bindings)).transpose()? {
                None | Some(Value::Bool(true)) => true,
                Some(Value::Bool(false)) => false,
                Some(other) => {
                    let message = format!(
                        "Invalid value `{}`: the guard condition for a list comprehension must be \
                         a boolean expression",
                        other.text(self)
                    );
                    return Err(self.error_at(Place::expr(id), Error::new(Class::Typing, message)));
                }
            };
            if taken {
                out.push(self.direct(value, bindings)?);
            }
            bindings.pop();
        }
        Ok(Value::list(out))
    }

    fn direct_call(&mut self, id: ExprId, bindings: &mut Bindings) -> Result<Value> {
        let ExprKind::Call(call) = self.program.ast.exprs[id].kind else { return Ok(Value::Null) };
        let call = self.program.ast.calls[call].clone();
        let mut positional = Vec::new();
        for argument in self.program.ast.lists.list(call.positional).to_vec() {
            positional.push(self.direct(argument, bindings)?);
        }
        let mut named = Vec::new();
        let arguments = self.program.ast.lists.list(call.named).to_vec();
        for (name, argument) in call.names.iter().zip(arguments) {
            let name = self.program.ast.symbols.name(*name).clone();
            named.push((name, self.direct(argument, bindings)?));
        }
        match call.callee {
            Callee::Cast(ty) => self.cast(id, TypeId(ty), &positional, &named),
            Callee::Plugin(plugin) => self.call_directly(id, plugin, &positional, &named),
            Callee::Unresolved => Ok(Value::Null),
        }
    }
}
