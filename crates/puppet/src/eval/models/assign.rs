//! `$t[feature] = value` and `$t[feature] += value` in the initialiser of an object, and reading
//! features by `$o[feature]` and `$o.feature`.

use std::sync::Arc;

use ordain_source::suggest;

use crate::error::{EvalResult, PlainError, issue};
use crate::state::Compiler;
use crate::state::evaluate::Evaluate;
use crate::state::frame::Frame;
use crate::syntax::{AssignOp, ExprId, ExprList};
use crate::types::models::Instance;
use crate::value::Value;
use crate::value::closure::Closure;

impl Compiler<'_> {
    pub(crate) fn eval_element_assign(
        &mut self,
        f: &Frame,
        left: ExprId,
        op: AssignOp,
        parts: ExprList,
        right: ExprId,
    ) -> EvalResult {
        let parts: Vec<ExprId> = f.program.list(parts).to_vec();
        let refused = "Illegal attempt to assign via [index/key]. Not an assignable reference";
        let (&[target, key], AssignOp::Set | AssignOp::Append) = (parts.as_slice(), op) else {
            return Err(self.error(f, left, "ILLEGAL_INDEXED_ASSIGNMENT", refused));
        };
        let object = match self.eval(f, target)? {
            Value::Instance(object) if !object.is_finished() => object,
            _ => return Err(self.error(f, left, "ILLEGAL_INDEXED_ASSIGNMENT", refused)),
        };
        let key = self.eval(f, key)?;
        let name = crate::value::text::to_text(&key);
        let value = self.eval(f, right)?;
        let slot = self.feature_named(&object.kind, &name).map_err(|e| self.locate(f, left, e))?;
        let given = self.give(&object, slot, value.clone(), op == AssignOp::Append);
        given.map_err(|unwind| self.locate(f, right, unwind))?;
        Ok(value)
    }

    /// `$o[feature]`, or the list of several.
    pub(crate) fn instance_access(&mut self, object: &Arc<Instance>, keys: &[Value]) -> EvalResult {
        let mut out = Vec::with_capacity(keys.len());
        for key in keys {
            let name = crate::value::text::to_text(key);
            let slot = self.feature_named(&object.kind, &name)?;
            out.push(self.read_feature(object, slot)?);
        }
        Ok(if out.len() == 1 { out.swap_remove(0) } else { Value::array(out) })
    }

    /// The value of `$o.feature`, `$o.is_set('feature')` or a call of a function of the type;
    /// `None` for other functions.
    pub(crate) fn instance_member(
        &mut self,
        object: &Arc<Instance>,
        name: &str,
        args: &[Value],
        block: Option<&Arc<Closure>>,
    ) -> Option<EvalResult> {
        if let ("is_set", [key]) = (name, args) {
            return Some(self.is_set(object, key));
        }
        if let Some(method) = object.layout().method(name).cloned() {
            return Some(self.call_method(object, &method, args, block));
        }
        if !args.is_empty() {
            return match self.has_function(name) {
                true => None,
                false => Some(self.no_method(object, name)),
            };
        }
        match self.feature_named(&object.kind, name) {
            Ok(slot) => Some(self.read_feature(object, slot)),
            Err(_) if self.has_function(name) => None,
            Err(unwind) => Some(Err(unwind)),
        }
    }

    fn no_method(&self, object: &Instance, name: &str) -> EvalResult {
        let text = format!("Type '{}' has no function '{name}'", object.kind.name);
        let mut error = PlainError::issue("TYPE_UNKNOWN_FEATURE", text);
        let methods = object.layout().functions.iter().map(|method| method.name.as_str());
        let near = suggest::nearest(name, methods.chain(["is_set"]));
        error.help = near.map(|near| format!("did you mean `{near}`?"));
        Err(error.into())
    }

    fn is_set(&mut self, object: &Arc<Instance>, key: &Value) -> EvalResult {
        let Some(name) = key.as_str() else {
            return issue("TYPE_UNKNOWN_FEATURE", "is_set() takes the name of a feature");
        };
        let slot = self.feature_named(&object.kind, name)?;
        let derived = object.layout().slots[slot].derived.is_some();
        Ok(Value::Bool(derived || self.stored(object, slot).is_some()))
    }
}
