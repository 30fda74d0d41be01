//! A call of a built-in function: its arguments, its lambda, and its compile.

use std::sync::Arc;

use ecow::EcoString;
use ordain_source::Span;

use crate::error::{EvalResult, Unwind, plain};
use crate::state::Compiler;
use crate::state::budget::Weight;
use crate::state::evaluate::Evaluate;
use crate::value::closure::{Closure, ScopeId};
use crate::value::{HashValue, Value};

/// A call of a built-in function.
pub struct Call<'a, 'e> {
    /// The compile.
    pub compiler: &'a mut Compiler<'e>,
    /// The scope of the caller.
    pub scope: ScopeId,
    /// The function's name.
    pub name: &'static str,
    /// The arguments; their types fit the signature.
    pub args: Vec<Value>,
    /// The lambda, if one was given.
    pub block: Option<Arc<Closure>>,
    /// The place of the call.
    pub span: Span,
}

impl Call<'_, '_> {
    /// The argument at `i`; `undef` if it is missing.
    pub fn arg(&self, i: usize) -> &Value {
        self.args.get(i).unwrap_or(&Value::Undef)
    }

    /// The argument at `i`, moved out; `undef` if it is missing.
    pub fn take(&mut self, i: usize) -> Value {
        self.args.get_mut(i).map(std::mem::take).unwrap_or_default()
    }

    /// The argument at `i` if there is one; it may be `undef`.
    pub fn given(&self, i: usize) -> Option<&Value> {
        self.args.get(i)
    }

    /// The text at `i`; empty if the argument is not a text.
    pub fn str(&self, i: usize) -> EcoString {
        match self.args.get(i) {
            Some(Value::Str(s)) => s.clone(),
            _ => EcoString::new(),
        }
    }

    /// The integer at `i`, if the argument is one.
    pub fn int(&self, i: usize) -> Option<i64> {
        self.arg(i).as_int()
    }

    /// The list at `i`; empty if the argument is not a list.
    pub fn array(&self, i: usize) -> Arc<Vec<Value>> {
        match self.args.get(i) {
            Some(Value::Array(a)) => Arc::clone(a),
            _ => Arc::default(),
        }
    }

    /// The hash at `i`; empty if the argument is not a hash.
    pub fn hash(&self, i: usize) -> Arc<HashValue> {
        match self.args.get(i) {
            Some(Value::Hash(h)) => Arc::clone(h),
            _ => Arc::default(),
        }
    }

    /// The number of parameters of the lambda; `None` without a lambda, or if it takes any number.
    pub fn block_arity(&self) -> Option<usize> {
        self.block.as_ref().and_then(|b| b.signature.max())
    }

    /// Calls the lambda; `next` gives its value.
    ///
    /// # Errors
    /// Of the lambda, and when the call has no lambda.
    pub fn yield_block(&mut self, args: &[Value]) -> EvalResult {
        match self.block.clone() {
            Some(block) => self.compiler.call_closure(&block, args),
            None => plain(format!("{}(): expects a block", self.name)),
        }
    }

    /// As [`Call::yield_block`], with parts of the arguments of this call, which were weighed with
    /// the whole.
    ///
    /// # Errors
    /// As [`Call::yield_block`].
    pub fn yield_parts(&mut self, parts: &[Value]) -> EvalResult {
        match self.block.clone() {
            Some(block) => self.compiler.call_with(&block, parts, Weight::Known),
            None => plain(format!("{}(): expects a block", self.name)),
        }
    }

    /// Calls the lambda inside an iteration: `None` when it called `break()`.
    ///
    /// # Errors
    /// As [`Call::yield_block`].
    pub fn iterate(&mut self, args: &[Value]) -> EvalResult<Option<Value>> {
        ended(self.yield_block(args))
    }

    /// As [`Call::iterate`], with parts of the arguments of this call.
    ///
    /// # Errors
    /// As [`Call::yield_block`].
    pub fn iterate_parts(&mut self, parts: &[Value]) -> EvalResult<Option<Value>> {
        ended(self.yield_parts(parts))
    }
}

/// `None` for a lambda that called `break()`.
fn ended(result: EvalResult) -> EvalResult<Option<Value>> {
    match result {
        Ok(value) => Ok(Some(value)),
        Err(unwind) if matches!(*unwind, Unwind::Break(_)) => Ok(None),
        Err(unwind) => Err(unwind),
    }
}
