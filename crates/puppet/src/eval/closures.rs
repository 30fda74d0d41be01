//! Calls of functions and lambdas in Puppet, and the values of their parameters.

use crate::error::{EvalError, EvalResult, PlainError, Unwind, plain};
use crate::state::Compiler;
use crate::state::budget::Weight;
use crate::state::frame::Frame;
use crate::state::scope::{Pending, Scope, ScopeKind, UNEVALUATED, not_reserved};
use crate::syntax::definitions::FunctionDef;
use crate::syntax::{Expr, ExprId, Param};
use crate::types::refusal::answered;
use crate::types::signature::Signature;
use crate::types::{Type, mismatch};
use crate::value::Value;
use crate::value::closure::{Closure, ScopeId};
use ecow::EcoString;
use ordain_syntax::ListRef;
use std::sync::Arc;

impl Compiler<'_> {
    pub(crate) fn call_defined(
        &mut self,
        def: &Arc<FunctionDef>,
        args: Vec<Value>,
        block: Option<&Arc<Closure>>,
    ) -> EvalResult {
        // A function sees the variables of the top scope, not those of the node block.
        let resource = self.scopes.get(ScopeId::TOP).resource;
        let mut scope = Scope::new(ScopeKind::Function, Some(ScopeId::TOP), resource);
        scope.module = def.module.clone();
        let scope = self.scopes.push(scope);
        let f = Frame { program: Arc::clone(&def.program), scope };
        let result = self.run_defined(def, &f, &args, block);
        self.scopes.drop_scope(scope);
        result
    }

    pub(crate) fn run_defined(
        &mut self,
        def: &Arc<FunctionDef>,
        f: &Frame,
        args: &[Value],
        block: Option<&Arc<Closure>>,
    ) -> EvalResult {
        let signature = self.signature(f, def.params, def.returns)?;
        if block.is_some() || !answered(|| mismatch::accepts(&signature, args, None))? {
            let block = block.map(|b| &*b.signature);
            let text = mismatch::describe_call(&def.name, &[&signature], args, block);
            return plain(text);
        }
        signature.needs_types(Some(args.len()))?;
        let result = self
            .bind(f, &def.name, def.params, (args, Weight::Unknown))
            .and_then(|()| self.check_defaults(def, &signature, f, args))
            .and_then(|()| self.eval(f, def.body));
        let value = match result {
            Ok(value) => value,
            Err(unwind) => match *unwind {
                // As upstream, the type of a value that is returned early is not checked.
                Unwind::Return(value, _) => return Ok(value),
                Unwind::Next(value, _) => value,
                // A `break()` ends the iteration around the call of the function.
                other => return Err(Box::new(other)),
            },
        };
        signature.needs_return_type()?;
        if let Some(kind) = &signature.returns {
            let subject = format!("value returned from {}", def.name);
            mismatch::assert_instance(&subject, kind, &value)?;
        }
        Ok(value)
    }

    /// Checks the default values of parameters.
    pub(crate) fn check_defaults(
        &self,
        def: &FunctionDef,
        signature: &Signature,
        f: &Frame,
        args: &[Value],
    ) -> EvalResult<()> {
        let params = f.program.params(def.params);
        let untyped = |i: usize| signature.params.get(i).is_none_or(|p| p.kind == Type::Any);
        if (args.len()..params.len()).all(untyped) {
            return Ok(());
        }
        let all = self.values_of(f, params);
        if answered(|| mismatch::accepts(signature, &all, None))? {
            return Ok(());
        }
        plain(mismatch::describe_call(&def.name, &[signature], &all, None))
    }

    /// The values that parameters have.
    pub(crate) fn values_of(&self, f: &Frame, params: &[Param]) -> Vec<Value> {
        let mut all = Vec::with_capacity(params.len());
        for param in params {
            match self.scopes.get(f.scope).get(&param.name) {
                Some(Value::Array(items)) if param.captures_rest => {
                    all.extend(items.iter().cloned())
                }
                Some(value) => all.push(value.clone()),
                None => {}
            }
        }
        all
    }

    /// As [`Compiler::call_closure`], with arguments that may have been weighed.
    pub(super) fn call_lambda(
        &mut self,
        closure: &Arc<Closure>,
        args: &[Value],
        weight: Weight,
    ) -> EvalResult {
        let outer = self.scopes.get(closure.scope);
        let mut scope = Scope::new(ScopeKind::Lambda, Some(closure.scope), outer.resource);
        scope.module = outer.module.clone();
        let scope = self.scopes.push(scope);
        let f = Frame { program: Arc::clone(&closure.program), scope };
        let lambda = closure.program.lambda(closure.lambda);
        let result = self
            .bind(&f, "lambda", lambda.params, (args, weight))
            .and_then(|()| self.check_block(closure, &f, args))
            .and_then(|()| self.eval(&f, lambda.body));
        self.scopes.drop_scope(scope);
        let value = match result {
            Ok(value) => value,
            Err(unwind) => match *unwind {
                Unwind::Next(value, _) => value,
                other => return Err(Box::new(other)),
            },
        };
        closure.signature.needs_return_type()?;
        if let Some(kind) = &closure.signature.returns {
            mismatch::assert_instance("value returned from lambda", kind, &value)?;
        }
        Ok(value)
    }

    /// Checks the arguments of a lambda, with the values of defaults. Extra arguments are ignored.
    pub(crate) fn check_block(
        &self,
        closure: &Closure,
        f: &Frame,
        args: &[Value],
    ) -> EvalResult<()> {
        let params = closure.program.params(closure.program.lambda(closure.lambda).params);
        let signature = &closure.signature;
        let untyped = signature.params.iter().all(|p| p.kind == Type::Any);
        if untyped && signature.params.len() <= params.len() {
            return Ok(());
        }
        let given = args.get(..params.len()).filter(|_| params.iter().all(|p| !p.captures_rest));
        if answered(|| given.is_some_and(|given| mismatch::accepts(signature, given, None)))? {
            return Ok(());
        }
        let all = self.values_of(f, params);
        if answered(|| mismatch::accepts(signature, &all, None))? {
            return Ok(());
        }
        plain(mismatch::describe_call("lambda", &[signature], &all, None))
    }

    /// Sets parameters from left to right; a default sees the earlier ones.
    pub(crate) fn bind(
        &mut self,
        f: &Frame,
        callee: &str,
        params: ListRef<Param>,
        (args, weight): (&[Value], Weight),
    ) -> EvalResult<()> {
        let params = f.program.params(params);
        self.with_pending(f, callee.into(), params, |this| {
            for (i, param) in params.iter().enumerate() {
                let value = this.bind_one(f, params, i, args)?;
                not_reserved(&param.name).or_else(plain)?;
                let is_given = i < args.len() && !param.captures_rest;
                this.budget.weigh_as(&value, if is_given { weight } else { Weight::Unknown })?;
                this.scopes.get_mut(f.scope).set(param.name.clone(), value);
            }
            Ok(())
        })
    }

    pub(crate) fn bind_one(
        &mut self,
        f: &Frame,
        params: &[Param],
        i: usize,
        args: &[Value],
    ) -> EvalResult {
        let param = &params[i];
        if param.captures_rest {
            let rest = args.get(i..).unwrap_or(&[]);
            return match (rest, param.default) {
                ([], Some(default)) | ([Value::Undef], Some(default)) => {
                    match self.eval_default(f, i, default)? {
                        list @ Value::Array(_) => Ok(list),
                        single => Ok(Value::array([single])),
                    }
                }
                _ => Ok(Value::array(rest.iter().cloned())),
            };
        }
        match (args.get(i), param.default) {
            (Some(value), _) => Ok(value.clone()),
            (None, Some(default)) => self.eval_default(f, i, default),
            (None, None) => {
                let text = format!("Parameter ${} is required but no value was given", param.name);
                let span = param.range.in_file(f.program.file);
                Err(EvalError::new("MISSING_REQUIRED_PARAMETER", text, span).into())
            }
        }
    }

    /// Sets parameters; meanwhile those without a value cannot be read.
    pub(crate) fn with_pending<T>(
        &mut self,
        f: &Frame,
        callee: EcoString,
        params: &[Param],
        bind: impl FnOnce(&mut Self) -> EvalResult<T>,
    ) -> EvalResult<T> {
        if params.iter().all(|p| p.default.is_none()) {
            return bind(self);
        }
        let names = params.iter().map(|p| p.name.clone()).collect();
        let pending = Pending::new(callee, names);
        self.scopes.begin_pending(f.scope, pending);
        let result = bind(self);
        self.scopes.end_pending(f.scope);
        result
    }

    /// Evaluates the default of parameter `i`. Reading a parameter without a value is an error of
    /// the call, so it gets no place. Groups of matches are dropped afterwards.
    pub(crate) fn eval_default(&mut self, f: &Frame, i: usize, default: ExprId) -> EvalResult {
        if let Some(pending) = &mut self.scopes.get_mut(f.scope).pending {
            pending.current = i;
        }
        self.guarded(f, |this| this.eval(f, default)).map_err(|unwind| match *unwind {
            Unwind::Error(error) if error.code == Some(UNEVALUATED) => {
                let related = error.span.map(|span| (span, "read here".to_string()));
                let related = related.into_iter().collect();
                PlainError { related, ..PlainError::new(error.message) }.into()
            }
            other => Box::new(other),
        })
    }

    /// A lambda as a value that can be called.
    pub(super) fn make_closure(&mut self, f: &Frame, id: ExprId) -> EvalResult<Arc<Closure>> {
        let Expr::Lambda(lambda) = f.program[id] else { return plain("not a lambda") };
        let code = f.program.lambda(lambda);
        let signature = self.signature(f, code.params, code.returns)?;
        Ok(Arc::new(Closure { program: Arc::clone(&f.program), lambda, scope: f.scope, signature }))
    }
}
