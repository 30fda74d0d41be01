//! The function calls in deferred values.

use std::sync::Arc;

use ordain_source::Span;

use crate::catalog::values::{DEPTH, NAME};
use crate::error::{EvalResult, PlainError};
use crate::state::Compiler;
use crate::state::evaluate::Evaluate;
use crate::value::closure::ScopeId;
use crate::value::{Object, Value};

impl Compiler<'_> {
    /// Replaces the deferred calls in a value by their results.
    pub(crate) fn resolve_deferred(
        &mut self,
        value: &Value,
        scope: ScopeId,
        span: Span,
    ) -> EvalResult {
        self.resolve_value(value, DeferredPlace { scope, span, is_strict: false }, DEPTH)
    }

    pub(crate) fn resolve_value(
        &mut self,
        value: &Value,
        place: DeferredPlace,
        depth: usize,
    ) -> EvalResult {
        let Some(depth) = depth.checked_sub(1) else {
            return Err(PlainError::new("a deferred value nests too deep").into());
        };
        match value {
            Value::Object(object) if object.kind.name == NAME => {
                self.call_deferred(object, place, depth)
            }
            Value::Array(items) => {
                let items = items.iter().map(|item| self.resolve_value(item, place, depth));
                Ok(Value::array(items.collect::<EvalResult<Vec<_>>>()?))
            }
            Value::Hash(entries) => {
                let entries = entries.iter().map(|(key, value)| {
                    Ok((key.clone(), self.resolve_value(value, place, depth)?))
                });
                Ok(Value::Hash(Arc::new(entries.collect::<EvalResult<_>>()?)))
            }
            Value::Sensitive(secret) => {
                Ok(Value::Sensitive(Arc::new(self.resolve_value(secret, place, depth)?)))
            }
            other => Ok(other.clone()),
        }
    }

    fn call_deferred(&mut self, object: &Object, place: DeferredPlace, depth: usize) -> EvalResult {
        let name = object.values.get("name").and_then(Value::as_str).unwrap_or_default();
        let args = object.values.get("arguments").and_then(Value::as_array).unwrap_or_default();
        let args = args.iter().map(|arg| self.resolve_value(arg, place, depth));
        let mut args = args.collect::<EvalResult<Vec<_>>>()?;
        let DeferredPlace { scope, span, is_strict } = place;
        let Some(variable) = name.strip_prefix('$') else {
            if !self.has_function(name) {
                let help = self.function_help(name);
                let error = PlainError::new(format!("Unknown function '{name}'"));
                return Err(PlainError { help, ..error }.into());
            }
            return self.call_function(name, args, None, scope, span);
        };
        let value = self.find_variable(scope, variable).cloned();
        if value.is_none() && is_strict {
            let help = "of the variables there is only $facts where a catalog is applied";
            let error = PlainError::new(format!("Undefined variable '{variable}'"));
            return Err(PlainError { help: Some(help.into()), ..error }.into());
        }
        args.insert(0, value.unwrap_or_default());
        self.call_function("dig", args, None, scope, span)
    }
}

/// The place of a deferred call.
#[derive(Clone, Copy)]
pub(crate) struct DeferredPlace {
    pub(crate) scope: ScopeId,
    pub(crate) span: Span,
    /// Whether an unknown variable is an error.
    pub(crate) is_strict: bool,
}
