//! Calls: built-in functions, functions written in Puppet, lambdas, types called as functions.

use std::sync::{Arc, OnceLock};

use ecow::EcoString;
use ordain_source::Span;
use ordain_syntax::ListRef;
use rustc_hash::FxHashMap;

use crate::error::{EvalError, EvalResult, PlainError, Unwind, issue, plain};
use crate::eval::budget::Weight;
use crate::eval::call::Call as NativeCall;
use crate::eval::resources::NO_ITERATOR;
use crate::eval::scope::{Pending, Scope, ScopeKind};
use crate::eval::variables::{UNEVALUATED, not_reserved};
use crate::eval::{Compiler, Frame};
use crate::functions::{self, Function, ParamKind, Style};
use crate::load::Named;
use crate::syntax::definitions::FunctionDef;
use crate::syntax::{Call, CallForm, Expr, ExprId, ExprList, Param, Program};
use crate::types::refusal::answered;
use crate::types::signature::{NoType, Signature, SignatureParam};
use crate::types::{Type, infer::infer, mismatch, parse_static};
use crate::validation::ALIASES;
use crate::validation::names::nearest;
use crate::value::Value;
use crate::value::closure::Closure;
use crate::value::closure::ScopeId;

/// A built-in function with its signatures, which are made when it is first called.
struct Bound {
    function: &'static Function,
    /// Whether it is one of a module, which is native here.
    of_module: bool,
    signatures: OnceLock<Vec<Signature>>,
}

fn builtins() -> &'static FxHashMap<&'static str, Bound> {
    static TABLE: OnceLock<FxHashMap<&'static str, Bound>> = OnceLock::new();
    TABLE.get_or_init(|| {
        let core = functions::CORE.iter().map(|family| (family, false));
        let all = core.chain(functions::MODULES.iter().map(|family| (family, true)));
        let bound = all.flat_map(|(family, of_module)| {
            family.iter().map(move |function| {
                (function.name, Bound { function, of_module, signatures: OnceLock::new() })
            })
        });
        bound.collect()
    })
}

/// The names of all built-in functions, those of modules among them.
pub fn native_names<'a>() -> impl Iterator<Item = &'a str> {
    builtins().keys().copied()
}

/// Whether there is a built-in function, be it of a module.
pub fn is_native_function(name: &str) -> bool {
    builtins().contains_key(name)
}

/// The signatures of a built-in function of the language itself; none if it checks its arguments.
pub fn core_signatures(name: &str) -> Option<(&'static [Signature], Option<i32>)> {
    let bound = builtins().get(name).filter(|bound| !bound.of_module)?;
    Some(match &bound.function.style {
        Style::Dispatch(dispatches) => {
            let make = || dispatches.iter().map(native_signature).collect();
            (bound.signatures.get_or_init(make).as_slice(), None)
        }
        Style::Arity(arity, _) => (&[], Some(*arity)),
    })
}

/// Functions of the older kind take no iterators, also not inside of something.
fn without_iterators(value: &Value) -> EvalResult<()> {
    match value {
        Value::Array(items) => items.iter().try_for_each(without_iterators),
        Value::Hash(entries) => entries.values().try_for_each(without_iterators),
        Value::Iterator(iterator) if !matches!(*iterator.element, Type::Runtime(_)) => {
            plain(NO_ITERATOR)
        }
        _ => Ok(()),
    }
}

/// What a function of the older kind gives: its arguments were copies, so code that changes the
/// result in place changes nothing else.
fn own(value: Value) -> Value {
    match value {
        Value::Array(mut items) => {
            let changed = Arc::make_mut(&mut items);
            changed.iter_mut().for_each(own_part);
            Value::Array(items)
        }
        Value::Hash(mut entries) => {
            let changed = Arc::make_mut(&mut entries);
            changed.values_mut().for_each(own_part);
            Value::Hash(entries)
        }
        other => other,
    }
}

fn own_part(part: &mut Value) {
    if matches!(part, Value::Array(_) | Value::Hash(_)) {
        *part = own(std::mem::take(part));
    }
}

fn native_signature(dispatch: &functions::Dispatch) -> Signature {
    let kind = |text: &'static str| Type::clone(&parse_static(text));
    let params = dispatch.params.iter().map(|p| SignatureParam {
        name: p.name.into(),
        kind: kind(p.of),
        optional: matches!(p.kind, ParamKind::Optional | ParamKind::Repeated),
    });
    let last = dispatch.params.last().map(|p| p.kind);
    Signature {
        params: params.collect(),
        rest: matches!(last, Some(ParamKind::Repeated | ParamKind::RequiredRepeated)),
        block: dispatch.block.map(|(text, optional)| {
            if optional { Type::Optional(Some(Arc::new(kind(text)))) } else { kind(text) }
        }),
        block_name: "block".into(),
        returns: dispatch.returns.map(kind),
        no_type: None,
    }
}

impl Compiler<'_> {
    pub(crate) fn eval_call(&mut self, f: &Frame, id: ExprId, call: &Call) -> EvalResult {
        let name: EcoString = match &f.program[call.callee] {
            Expr::Name(name) => name.clone(),
            Expr::Ref(_) | Expr::Access(_) => {
                let mut args = vec![self.eval(f, call.callee)?];
                args.extend(self.eval_args(f, call.args)?);
                let block = self.block(f, call)?;
                return self.call_function("new", args, block, f.scope, f.program.span(id));
            }
            Expr::RenderText(_) => {
                return issue(
                    "ILLEGAL_EPP_PARAMETERS",
                    "Ambiguous EPP parameter expression. Probably missing '<%-' before parameters to remove leading whitespace",
                );
            }
            _ => return issue("ILLEGAL_EXPRESSION", "Illegal expression: not a function name"),
        };
        let args = self.eval_args(f, call.args)?;
        let block = self.block_for(f, call, &name)?;
        if call.form == CallForm::Method
            && let [receiver, rest @ ..] = args.as_slice()
            && let Some(result) = self.call_member(receiver, &name, rest, block.as_ref())
        {
            return result;
        }
        self.call_function(&name, args, block, f.scope, f.program.span(id))
    }

    /// The lambda of a call. The types of its parameters are evaluated when the function is asked
    /// whether it takes it: there has to be one, and those of the older kind never ask.
    fn block_for(
        &mut self,
        f: &Frame,
        call: &Call,
        name: &str,
    ) -> EvalResult<Option<Arc<Closure>>> {
        self.block(f, call).or_else(|unwind| {
            let bare = name.strip_prefix("::").unwrap_or(name);
            let asks = match builtins().get(bare) {
                Some(bound) => matches!(bound.function.style, Style::Dispatch(_)),
                None => call.form == CallForm::Method || self.has_function(bare),
            };
            if asks { Err(unwind) } else { Ok(None) }
        })
    }

    fn block(&mut self, f: &Frame, call: &Call) -> EvalResult<Option<Arc<Closure>>> {
        match call.lambda {
            Some(lambda) => self.closure(f, lambda).map(Some),
            None => Ok(None),
        }
    }

    /// `a.b` without parentheses is a call of `b` with `a`, unless `a` has a member of that name.
    pub(crate) fn eval_dot(
        &mut self,
        f: &Frame,
        id: ExprId,
        left: ExprId,
        right: ExprId,
    ) -> EvalResult {
        let receiver = self.eval(f, left)?;
        let Expr::Name(name) = &f.program[right] else {
            return issue("ILLEGAL_EXPRESSION", "Illegal expression: not a function name");
        };
        if let Some(result) = self.call_member(&receiver, name, &[], None) {
            return result;
        }
        let name = name.clone();
        self.call_function(&name, vec![receiver], None, f.scope, f.program.span(id))
    }

    fn eval_args(&mut self, f: &Frame, args: ExprList) -> EvalResult<Vec<Value>> {
        let args = f.program.list(args);
        let mut out = Vec::with_capacity(args.len());
        for &arg in args {
            if let Expr::Splat(inner) = f.program[arg] {
                out.extend(self.eval_unfolded(f, inner)?);
            } else {
                out.push(self.eval(f, arg)?);
            }
        }
        Ok(out)
    }

    /// Calls a function by name: built-in, or written in Puppet.
    ///
    /// # Errors
    /// When there is none, its arguments do not fit, or it fails.
    pub fn call_function(
        &mut self,
        name: &str,
        args: Vec<Value>,
        block: Option<Arc<Closure>>,
        scope: ScopeId,
        span: Span,
    ) -> EvalResult {
        let name = name.strip_prefix("::").unwrap_or(name);
        if self.models.in_logic() {
            self.refuse_impure(name)?;
            if let Some((_, meant)) = ALIASES.iter().find(|(alias, _)| *alias == name) {
                return self.call_function(meant, args, block, scope, span);
            }
            match (name, args.as_slice(), &block) {
                ("not", [value], None) => return Ok(Value::Bool(!value.is_true())),
                ("reject", _, Some(block)) => return self.reject(&args, block),
                _ => {}
            }
        }
        if let Some(result) = self.call_context(name, &args, block.as_ref()) {
            return result;
        }
        let bound = builtins().get(name);
        if let Some(def) = self.written_function(name, bound)? {
            return self.call_defined(&def, args, block.as_ref());
        }
        if let Some(bound) = bound {
            return self.call_builtin(bound, args, block, scope, span);
        }
        if let Some(file) = self.env.ruby_function(name) {
            return self.call_ruby(&file, name, &args, block.as_ref(), (scope, span));
        }
        if name == crate::plugins::RUBY_BLOCK {
            return self.call_ruby_block(&args, (scope, span));
        }
        let mut error =
            PlainError::issue("UNKNOWN_FUNCTION", format!("Unknown function: '{name}'."));
        error.help = self.function_help(name);
        Err(error.into())
    }

    /// The items that a lambda does not want.
    fn reject(&mut self, args: &[Value], block: &Arc<Closure>) -> EvalResult {
        let items = match args {
            [Value::Array(items)] => items.to_vec(),
            [Value::Hash(entries)] => {
                entries.iter().map(|(k, v)| Value::array([k.clone(), v.clone()])).collect()
            }
            _ => return plain("reject(): expects a list or hash"),
        };
        let mut out = Vec::new();
        for item in items {
            if !self.call_closure(block, std::slice::from_ref(&item))?.is_true() {
                out.push(item);
            }
        }
        Ok(match args {
            [Value::Hash(entries)] => {
                let kept = out.iter().filter_map(|pair| pair.as_array()?.first().cloned());
                let kept = kept.filter_map(|k| entries.get(&k).map(|v| (k.clone(), v.clone())));
                Value::Hash(Arc::new(kept.collect()))
            }
            _ => Value::array(out),
        })
    }

    /// The function of this name that is written in Puppet and called in place of a built-in one:
    /// the site program hides all of them, the files of modules those that are native here though
    /// a module has them.
    fn written_function(
        &self,
        name: &str,
        bound: Option<&Bound>,
    ) -> EvalResult<Option<Arc<FunctionDef>>> {
        match bound {
            Some(bound) if !bound.of_module => Ok(self.env.known_function(name)),
            _ => self.env.find_function(name),
        }
    }

    /// The file of a function that calls mean, if it is written in Ruby.
    pub(crate) fn only_in_ruby(&self, name: &str) -> Option<Arc<crate::plugins::RubyFile>> {
        let is_other = self.models.in_logic()
            || builtins().contains_key(name)
            || !matches!(self.env.find_function(name), Ok(None));
        if is_other { None } else { self.env.ruby_function(name) }
    }

    pub(crate) fn function_help(&self, name: &str) -> Option<String> {
        let written = self.env.names_like(Named::Function, name);
        let known = builtins().keys().copied().chain(written.iter().map(EcoString::as_str));
        let mut known: Vec<&str> = known.collect();
        known.sort_unstable();
        self.env.missing_member_help(name, nearest(name, known))
    }

    /// Whether a function of this name can be called.
    pub fn has_function(&mut self, name: &str) -> bool {
        builtins().contains_key(name)
            || matches!(self.env.find_function(name), Ok(Some(_)))
            || self.env.ruby_function(name).is_some()
    }

    fn call_builtin(
        &mut self,
        bound: &'static Bound,
        args: Vec<Value>,
        block: Option<Arc<Closure>>,
        scope: ScopeId,
        span: Span,
    ) -> EvalResult {
        let name = bound.function.name;
        args.iter().try_for_each(|arg| self.weigh_new(arg))?;
        match &bound.function.style {
            Style::Arity(arity, body) => {
                check_arity(name, *arity, args.len())?;
                args.iter().try_for_each(without_iterators)?;
                let mut call = NativeCall { compiler: self, scope, name, args, block, span };
                let result = body(&mut call);
                drop(call);
                result.map(own)
            }
            Style::Dispatch(dispatches) => {
                let signatures = bound
                    .signatures
                    .get_or_init(|| dispatches.iter().map(native_signature).collect());
                let fits = |s: &Signature| mismatch::accepts(s, &args, block.as_deref());
                let Some(i) = answered(|| signatures.iter().position(fits))? else {
                    let named = dispatches.iter().zip(signatures).filter(|(d, _)| !d.explains);
                    let all: Vec<&Signature> = named.map(|(_, signature)| signature).collect();
                    return plain(mismatch::describe_call(
                        name,
                        &all,
                        &args,
                        block.as_ref().map(|b| &*b.signature),
                    ));
                };
                if let Some(block) = &block {
                    block.signature.needs_types(None)?;
                }
                let body = dispatches[i].body;
                body(&mut NativeCall { compiler: self, scope, name, args, block, span })
            }
        }
    }

    fn call_defined(
        &mut self,
        def: &Arc<FunctionDef>,
        args: Vec<Value>,
        block: Option<&Arc<Closure>>,
    ) -> EvalResult {
        // A function sees what is at the top, not what the block of the node has.
        let resource = self.scopes.get(ScopeId::TOP).resource;
        let mut scope = Scope::new(ScopeKind::Function, Some(ScopeId::TOP), resource);
        scope.module = def.module.clone();
        let scope = self.scopes.push(scope);
        let f = Frame { program: Arc::clone(&def.program), scope };
        let result = self.run_defined(def, &f, &args, block);
        self.scopes.drop_scope(scope);
        result
    }

    fn run_defined(
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
                // What is returned early is of any type, as upstream has it.
                Unwind::Return(value, _) => return Ok(value),
                Unwind::Next(value, _) => value,
                // A `break()` ends the iteration that the function is called from.
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

    /// Checks the values of parameters that were not given.
    fn check_defaults(
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
    fn values_of(&self, f: &Frame, params: &[Param]) -> Vec<Value> {
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

    /// Calls a lambda with these arguments; `next` gives its value.
    ///
    /// # Errors
    /// When the arguments do not fit, and those of its body.
    pub fn call_closure(&mut self, closure: &Arc<Closure>, args: &[Value]) -> EvalResult {
        self.call_with(closure, args, Weight::Unknown)
    }

    /// As [`Compiler::call_closure`], with arguments that may have been weighed.
    pub(crate) fn call_with(
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

    /// Checks what a lambda was given, values of defaults included. Arguments beyond its parameters
    /// do not count.
    fn check_block(&self, closure: &Closure, f: &Frame, args: &[Value]) -> EvalResult<()> {
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

    /// Gives parameters their values, from left to right; a default sees those before it.
    fn bind(
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
                this.weigh_as(&value, if is_given { weight } else { Weight::Unknown })?;
                this.scopes.get_mut(f.scope).set(param.name.clone(), value);
            }
            Ok(())
        })
    }

    fn bind_one(&mut self, f: &Frame, params: &[Param], i: usize, args: &[Value]) -> EvalResult {
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

    /// Gives parameters their values; meanwhile those without one cannot be read.
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
        self.scopes.get_mut(f.scope).pending = Some(Box::new(pending));
        self.pending += 1;
        let result = bind(self);
        self.pending -= 1;
        self.scopes.get_mut(f.scope).pending = None;
        result
    }

    /// Evaluates the default of parameter `i`. Reading a parameter without a value is an error of
    /// the call, so it has no place of its own. Results of matches end with it.
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
    pub(crate) fn closure(&mut self, f: &Frame, id: ExprId) -> EvalResult<Arc<Closure>> {
        let Expr::Lambda(lambda) = f.program[id] else { return plain("not a lambda") };
        let code = f.program.lambda(lambda);
        let signature = self.signature(f, code.params, code.returns)?;
        Ok(Arc::new(Closure { program: Arc::clone(&f.program), lambda, scope: f.scope, signature }))
    }

    /// The parameters of something callable, their types evaluated; kept for the whole compile.
    ///
    /// # Errors
    /// Of the types, and when a parameter that must be given stands behind one that need not.
    pub(crate) fn signature(
        &mut self,
        f: &Frame,
        params: ListRef<Param>,
        returns: Option<ExprId>,
    ) -> EvalResult<Arc<Signature>> {
        self.evaluate_types(f, params, returns, true)
    }

    /// As [`Self::signature`], in any order of required and optional parameters.
    pub(crate) fn parameter_types(
        &mut self,
        f: &Frame,
        params: ListRef<Param>,
    ) -> EvalResult<Arc<Signature>> {
        self.evaluate_types(f, params, None, false)
    }

    fn evaluate_types(
        &mut self,
        f: &Frame,
        params: ListRef<Param>,
        returns: Option<ExprId>,
        in_order: bool,
    ) -> EvalResult<Arc<Signature>> {
        let key = signature_key(&f.program, params, returns);
        if let Some(known) = key.and_then(|k| self.signatures.get(&k)) {
            return Ok(Arc::clone(known));
        }
        let mut out = Signature { block_name: "block".into(), ..Signature::default() };
        let program = &f.program;
        let mut is_optional = false;
        for param in program.params(params) {
            let kind = self.stated_type(f, param.kind, &mut out)?;
            let before = out.params.len();
            if param.captures_rest {
                rest_params(&mut out, param, kind);
            } else {
                let optional = param.default.is_some();
                out.params.push(SignatureParam { name: param.name.clone(), kind, optional });
            }
            let required = out.params[before..].iter().any(|p| !p.optional);
            if in_order && is_optional && required && param.default.is_none() {
                let text = format!(
                    "Parameter ${} is required but appears after optional parameters",
                    param.name
                );
                let span = param.range.in_file(program.file);
                return Err(EvalError::new("REQUIRED_PARAMETER_AFTER_OPTIONAL", text, span).into());
            }
            is_optional |= !required || param.default.is_some();
        }
        if returns.is_some() {
            out.returns = Some(self.stated_type(f, returns, &mut out)?);
        }
        let signature = Arc::new(out);
        if let Some(key) = key {
            self.signatures.insert(key, Arc::clone(&signature));
        }
        Ok(signature)
    }

    /// The type that is stated for the next of `signature`.
    fn stated_type(
        &mut self,
        f: &Frame,
        stated: Option<ExprId>,
        signature: &mut Signature,
    ) -> EvalResult<Type> {
        let Some(stated) = stated else { return Ok(Type::Any) };
        match self.eval(f, stated)? {
            Value::Type(kind) => Ok(Type::clone(&kind)),
            other => {
                signature.no_type.get_or_insert_with(|| NoType {
                    at: signature.params.len(),
                    got: crate::types::generalize(&infer(&other)).to_string().into(),
                    class: functions::support::ruby_class(&other).into(),
                    span: f.program.span(stated),
                });
                Ok(Type::Any)
            }
        }
    }

    /// Takes over parameters whose types were evaluated by another compile.
    pub(crate) fn know_signature(
        &mut self,
        program: &Arc<Program>,
        params: ListRef<Param>,
        signature: Arc<Signature>,
    ) {
        if let Some(key) = signature_key(program, params, None) {
            self.signatures.entry(key).or_insert(signature);
        }
    }

    /// Evaluates an expression that must give a type.
    pub(crate) fn eval_type(&mut self, f: &Frame, id: ExprId) -> EvalResult<Arc<Type>> {
        match self.eval(f, id)? {
            Value::Type(kind) => Ok(kind),
            other => {
                let got = crate::types::generalize(&infer(&other));
                let text = format!("Expected value of type Type, got {got}");
                Err(self.error(f, id, "TYPE_MISMATCH", text))
            }
        }
    }

    /// The scope that templates see: that of the node, or the top; in a function the top.
    pub(crate) fn global_scope(&self, from: ScopeId) -> ScopeId {
        let mut at = from;
        loop {
            let scope = self.scopes.get(at);
            match (scope.kind, scope.parent) {
                (ScopeKind::Node | ScopeKind::Top, _) => return at,
                (_, Some(parent)) => at = parent,
                (_, None) => return ScopeId::TOP,
            }
        }
    }
}

/// Parameter lists are runs of one arena, so where a run begins identifies it.
fn signature_key(
    program: &Arc<Program>,
    params: ListRef<Param>,
    returns: Option<ExprId>,
) -> Option<(usize, u32)> {
    if params.is_empty() && returns.is_some() {
        return None;
    }
    let start = if params.is_empty() { u32::MAX } else { params.start() };
    Some((Arc::as_ptr(program) as usize, start))
}

/// The most parameters that a bounded rest parameter is written out as.
const MAX_REST: i64 = 64;

/// A parameter that takes the rest: an array type says how many there may be, and of what type.
fn rest_params(out: &mut Signature, param: &Param, kind: Type) {
    let (kind, size) = match kind {
        Type::Array(element, size) => (Type::clone(&element), size),
        other => (other, crate::types::IntRange::ANY_SIZE),
    };
    let required = size.from.clamp(0, MAX_REST);
    let most = size.to.min(MAX_REST);
    let push = |out: &mut Signature, optional| {
        let (name, kind) = (param.name.clone(), kind.clone());
        out.params.push(SignatureParam { name, kind, optional });
    };
    // A default has to have so many, too.
    (0..required).for_each(|_| push(out, false));
    if size.to <= MAX_REST {
        (required..most).for_each(|_| push(out, true));
    } else {
        out.rest = true;
        if required == 0 {
            push(out, true);
        }
    }
}

pub(crate) fn check_arity(name: &str, arity: i32, given: usize) -> EvalResult<()> {
    let wanted = if arity < 0 { (-arity - 1) as usize } else { arity as usize };
    if arity >= 0 && given != wanted {
        return plain(format!("{name}(): Wrong number of arguments given ({given} for {wanted})"));
    }
    if arity < 0 && given < wanted {
        return plain(format!(
            "{name}(): Wrong number of arguments given ({given} for minimum {wanted})"
        ));
    }
    Ok(())
}

/// An error for a jump that has nowhere to go.
pub(crate) fn misplaced(jump: &str, span: Span) -> Box<Unwind> {
    let text = format!("{jump}() from context where this is illegal");
    EvalError { is_jump: true, ..EvalError::without_issue(text, span) }.into()
}
