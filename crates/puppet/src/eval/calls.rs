//! Calls: built-in functions, functions written in Puppet, lambdas, types called as functions.

use std::sync::Arc;

use ecow::EcoString;
use ordain_source::Span;
use ordain_source::inputs::is_recording;

use crate::catalog::values::NO_ITERATOR;
use crate::error::{EvalResult, PlainError, issue, plain};
use crate::functions::Style;
use crate::functions::binding::check_arity;
use crate::functions::call::Call as NativeCall;
use crate::functions::registry::{Bound, builtins, native_signature};
use crate::load::NameKind;
use crate::state::Compiler;
use crate::state::evaluate::Evaluate;
use crate::state::frame::Frame;
use crate::syntax::definitions::FunctionDef;
use crate::syntax::{Call, CallForm, Expr, ExprId, ExprList};
use crate::types::refusal::answered;
use crate::types::signature::Signature;
use crate::types::{Type, mismatch};
use crate::validation::ALIASES;
use crate::validation::names::nearest;
use crate::value::Value;
use crate::value::closure::{Closure, ScopeId};
use crate::value::ruby::ruby_inspect;

/// The type that a function declares for its results.
pub(crate) enum DeclaredResult {
    /// This type.
    Type(Type),
    /// It declares none.
    Undeclared,
}

/// Refuses iterators, also as parts, as arguments of functions of the older interface.
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

/// The result of a function of the older interface. Its arguments were copies, so in-place changes
/// of the result affect nothing else.
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
        let args = match name.as_str() {
            "dig" | "get" if is_recording() => self.eval_args_of_path(f, &name, call.args)?,
            _ => self.eval_args(f, call.args)?,
        };
        let block = self.block_for(f, call, &name)?;
        if call.form == CallForm::Method
            && let [receiver, rest @ ..] = args.as_slice()
            && let Some(result) = self.call_member(receiver, &name, rest, block.as_ref())
        {
            return result;
        }
        self.call_function(&name, args, block, f.scope, f.program.span(id))
    }

    /// The lambda of a call. Its parameter types are evaluated when a signature is matched.
    /// Functions of the older interface do not match them, so unknown types in their lambdas are no
    /// errors.
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

    pub(super) fn eval_args(&mut self, f: &Frame, args: ExprList) -> EvalResult<Vec<Value>> {
        let args = f.program.list(args);
        let mut out = Vec::with_capacity(args.len());
        self.eval_arg_list(f, args, &mut out)?;
        Ok(out)
    }

    /// Appends the values of arguments.
    pub(super) fn eval_arg_list(
        &mut self,
        f: &Frame,
        args: &[ExprId],
        out: &mut Vec<Value>,
    ) -> EvalResult<()> {
        for &arg in args {
            if let Expr::Splat(inner) = f.program[arg] {
                out.extend(self.eval_unfolded(f, inner)?);
            } else {
                out.push(self.eval(f, arg)?);
            }
        }
        Ok(())
    }

    /// Calls a function by name: built-in, or written in Puppet.
    ///
    /// # Errors
    /// When the function is unknown, its arguments do not fit, or it fails.
    pub(super) fn call_named(
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

    /// The items that a lambda rejects.
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

    /// The function in Puppet that replaces a built-in one. Functions of the site program replace
    /// all; files of modules only replace functions that belong to modules.
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

    pub(crate) fn function_help(&self, name: &str) -> Option<String> {
        let written = self.env.names_like(NameKind::Function, name);
        let known = builtins().keys().copied().chain(written.iter().map(EcoString::as_str));
        let mut known: Vec<&str> = known.collect();
        known.sort_unstable();
        self.env.missing_member_help(name, nearest(name, known))
    }

    /// The type that a function declares for the result of a call with these arguments. `None` if
    /// the function is not known here. A function in Ruby with several signatures declares nothing.
    ///
    /// # Errors
    /// When the function does not take the arguments, or cannot be loaded.
    pub(crate) fn declared_result(
        &mut self,
        name: &str,
        args: &[Value],
        span: Span,
    ) -> EvalResult<Option<DeclaredResult>> {
        let own;
        let signatures: &[Signature] = if let Some(bound) = builtins().get(name) {
            let Style::Dispatch(dispatches) = &bound.function.style else {
                return Ok(Some(DeclaredResult::Undeclared));
            };
            bound.signatures.get_or_init(|| dispatches.iter().map(native_signature).collect())
        } else {
            let Some(def) = self.env.find_function(name)? else {
                if self.only_in_ruby(name).is_none() {
                    return Ok(None);
                }
                let declared = self.return_types(name, Some(span))?.unwrap_or_default();
                let [kind] = &declared[..] else { return Ok(Some(DeclaredResult::Undeclared)) };
                return Ok(Some(DeclaredResult::Type(kind.clone())));
            };
            let f = Frame { program: Arc::clone(&def.program), scope: ScopeId::TOP };
            own = [Signature::clone(&*self.signature(&f, def.params, def.returns)?)];
            &own
        };
        let fits = |signature: &&Signature| mismatch::accepts(signature, args, None);
        let Some(chosen) = answered(|| signatures.iter().find(fits))? else {
            let args = ruby_inspect(&Value::array(args.iter().cloned()));
            return plain(format!("No matching arity found for {name} with arguments {args}"));
        };
        // `Any` promises nothing, as upstream has it.
        let declared = chosen.returns.clone().filter(|kind| *kind != Type::Any);
        Ok(Some(declared.map_or(DeclaredResult::Undeclared, DeclaredResult::Type)))
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
        args.iter().try_for_each(|arg| self.budget.weigh_new(arg))?;
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
}
