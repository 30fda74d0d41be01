//! Evaluates expressions whose variables are ready.

use std::rc::Rc;

use ordain_source::budget;
use ordain_source::limits::{Exceeded, most_items};
use ordain_syntax::ListRef;

use super::net::Net;
use super::state::ids::{Place, ScopeId};
use super::state::unit::Values;
use crate::diagnostics::{Class, Error, Result};
use crate::syntax::ast::{BinOp, ExprId, ExprKind};
use crate::value::Value;

impl Net<'_> {
    /// Evaluates an expression; `values` are those of the variables that it waited for.
    pub(super) fn execute(
        &mut self,
        id: ExprId,
        scope: ScopeId,
        values: &mut Values,
    ) -> Result<Value> {
        match &self.program.ast.exprs[id].kind {
            ExprKind::Const(value) => Ok(value.clone()),
            ExprKind::Name(..)
            | ExprKind::Attr(..)
            | ExprKind::And(..)
            | ExprKind::Or(..)
            | ExprKind::Cond(..)
            | ExprKind::Comprehension { .. }
            | ExprKind::Call(_)
            | ExprKind::Lookup(_)
            | ExprKind::Defined(..) => Ok(values.next()),
            ExprKind::Binary(op, a, b) => {
                let (op, a, b) = (*op, *a, *b);
                let left = self.execute(a, scope, values)?;
                let right = self.execute(b, scope, values)?;
                self.binary(id, op, left, right)
            }
            ExprKind::Not(inner) => {
                let value = self.execute(*inner, scope, values)?;
                self.negate(id, value)
            }
            &ExprKind::Regex(subject, pattern) => {
                let value = self.execute(subject, scope, values)?;
                self.matches(id, pattern, value)
            }
            &ExprKind::List(items) => {
                let items = self.execute_all(items, scope, values)?;
                flat(items).map_err(|error| self.error_at(Place::expr(id), error))
            }
            ExprKind::Dict(keys, items) => {
                let keys = *keys;
                let items = self.execute_all(*items, scope, values)?;
                let keys = self.program.ast.keys.list(keys).iter().cloned();
                Ok(Value::Dict(Rc::new(keys.zip(items).collect())))
            }
            ExprKind::Entry(map, key) => {
                let (map, key) = (*map, *key);
                let map = self.execute(map, scope, values)?;
                let key = self.execute(key, scope, values)?;
                self.entry(id, &map, &key)
            }
            ExprKind::New(new) => self.construct_from(id, *new, scope, values),
            ExprKind::Format(format) => {
                let format = *format;
                let variables = self.program.ast.formats[format].variables;
                let arguments = self.execute_all(variables, scope, values)?;
                self.format_string(id, format, arguments)
            }
            ExprKind::Splat(inner) => {
                let value = self.execute(*inner, scope, values)?;
                self.splat(id, value)
            }
        }
    }

    /// Evaluates several expressions.
    fn execute_all(
        &mut self,
        items: ListRef<ExprId>,
        scope: ScopeId,
        values: &mut Values,
    ) -> Result<Vec<Value>> {
        let mut out = Vec::with_capacity(items.len());
        for i in 0..items.len() {
            let item = self.program.ast.lists.list(items)[i];
            out.push(self.execute(item, scope, values)?);
        }
        Ok(out)
    }

    /// Evaluates `map[key]`.
    pub(super) fn entry(&self, id: ExprId, map: &Value, key: &Value) -> Result<Value> {
        let fail = |class, message: String| {
            Err(self.error_at(Place::expr(id), Error::new(class, message)))
        };
        if map.is_unknown() {
            return Ok(self.unknown());
        }
        let Value::Dict(dict) = map else {
            let message = format!(
                "dict lookup is only possible on dicts, {} is not an object",
                map.text(self)
            );
            return fail(Class::Typing, message);
        };
        if key.is_unknown() {
            return Ok(self.unknown());
        }
        let Value::Str(key) = key else {
            let message = format!("dict keys must be string, {} is not a string", key.text(self));
            return fail(Class::Typing, message);
        };
        if let Some(value) = dict.get(key) {
            return Ok(value.clone());
        }
        let options: Vec<&str> = dict.keys().map(ecow::EcoString::as_str).collect();
        let options = options.join(",");
        fail(Class::Key, format!("key {key} not found in dict, options are [{options}]"))
    }

    /// Evaluates a binary operator.
    pub(super) fn binary(&self, id: ExprId, op: BinOp, a: Value, b: Value) -> Result<Value> {
        self.count_compared(op, &b)
            .and_then(|()| super::operators::binary(op, &a, &b, self))
            .map_err(|error| self.error_at(Place::expr(id), error))
    }

    /// Counts the items of a list that is searched.
    fn count_compared(&self, op: BinOp, list: &Value) -> Result<()> {
        /// The limit for comparisons of items in a run.
        const MAX_COMPARISONS: u64 = 300_000_000;
        if let (BinOp::In, Value::List(items)) = (op, list) {
            let compared = self.compared.get().saturating_add(items.len() as u64);
            self.compared.set(compared);
            if compared > budget::scaled(MAX_COMPARISONS) {
                let text = Exceeded::Steps(budget::scaled(MAX_COMPARISONS)).to_string();
                return Err(Error::new(Class::Runtime, text));
            }
        }
        Ok(())
    }

    /// The dict of a `**` argument.
    fn splat(&self, id: ExprId, value: Value) -> Result<Value> {
        if matches!(value, Value::Dict(_)) {
            return Ok(value);
        }
        let message = "The ** operator can only be applied to dictionaries";
        Err(self.error_at(Place::expr(id), Error::new(Class::Typing, message)))
    }

    /// Evaluates `not`.
    pub(super) fn negate(&self, id: ExprId, value: Value) -> Result<Value> {
        match value {
            Value::Bool(b) => Ok(Value::Bool(!b)),
            Value::Unknown(_) => Ok(self.unknown()),
            _ => {
                let message =
                    format!("Invalid value `{}`: `not` expects a boolean", value.text(self));
                let class = self.bool_error_class(&value);
                Err(self.error_at(Place::expr(id), Error::new(class, message)))
            }
        }
    }

    /// Whether a text begins with a pattern.
    pub(super) fn matches(&self, id: ExprId, pattern: u32, value: Value) -> Result<Value> {
        match &value {
            Value::Unknown(_) => Ok(self.unknown()),
            Value::Str(text) => {
                let regex = &self.program.ast.patterns[pattern as usize].regex;
                regex.matches_start(text).map(Value::Bool).map_err(|error| {
                    self.error_at(Place::expr(id), Error::new(Class::Runtime, error.to_string()))
                })
            }
            _ => {
                let message = format!(
                    "Regex can only be match with strings. {} is of type <class '{}'>",
                    value.text(self),
                    super::units::python_class(&value)
                );
                Err(self.error_at(Place::expr(id), Error::new(Class::Typing, message)))
            }
        }
    }
}

/// Builds a list; nested lists are flattened.
fn flat(values: Vec<Value>) -> Result<Value> {
    let length = |value: &Value| if let Value::List(inner) = value { inner.len() } else { 1 };
    if values.iter().map(length).sum::<usize>() > most_items() {
        return Err(Error::new(Class::Runtime, "the list is too long"));
    }
    let mut out = Vec::with_capacity(values.len());
    for value in values {
        match value {
            Value::List(inner) => out.extend(inner.iter().cloned()),
            value => out.push(value),
        }
    }
    Ok(Value::list(out))
}
