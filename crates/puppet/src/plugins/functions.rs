//! Functions of modules in Ruby: finding them, their signatures, and calls.

use std::sync::{Arc, OnceLock};

use ecow::EcoString;
use ordain_source::Span;
use serde_json::{Value as Json, json};

use super::wire::MARK;
use crate::error::{EvalResult, PlainError, plain};
use crate::functions::binding::check_arity;
use crate::load::ruby_source::{RubyFile, line_of_definition};
use crate::plugins::state::{Callee, Native};
use crate::plugins::state::{Dispatch, RubyFunction};
use crate::state::Compiler;
use crate::state::evaluate::Evaluate;
use crate::types::object::lookup_context::CONTEXT;
use crate::types::signature::{Signature, SignatureParam};
use crate::types::{Type, TypeAlias, mismatch, specialize};
use crate::value::Value;
use crate::value::closure::{Closure, ScopeId};

/// A call of a method of a loaded function.
#[derive(Clone, Copy)]
pub(super) struct MethodCall<'a> {
    /// The name of the function.
    pub name: &'a str,
    /// The number of the signature; `None` for functions of the older interface.
    pub number: Option<usize>,
    pub args: &'a [Value],
    pub block: Option<&'a Arc<Closure>>,
    /// The scope and the place of the call.
    pub at: (ScopeId, Span),
}

impl Compiler<'_> {
    /// Calls the function that a file of a module defines in Ruby.
    ///
    /// # Errors
    /// When the file cannot be loaded, no signature fits, or the code fails.
    pub(crate) fn call_ruby(
        &mut self,
        file: &Arc<RubyFile>,
        name: &str,
        args: &[Value],
        block: Option<&Arc<Closure>>,
        at: (ScopeId, Span),
    ) -> EvalResult {
        args.iter().try_for_each(|arg| self.budget.weigh_new(arg))?;
        if let Some(native) = self.native_function(file, name) {
            return self.dispatch(&native.function, Some(&native), name, args, block, at);
        }
        let span = at.1;
        let what = format!("function '{name}'");
        let known = self.ruby.functions.get(name).map(|function| function.place.clone());
        let place = known.unwrap_or_else(|| file.path.display().to_string());
        self.with_ruby(Callee { what: &what, place: &place }, span, |this| {
            let function = this.loaded_function(file, name, span)?;
            this.dispatch(&function, None, name, args, block, at)
        })
    }

    /// The return types of the signatures of a function; `None` if one has none.
    ///
    /// # Errors
    /// When the file cannot be loaded.
    pub(crate) fn ruby_return_types(
        &mut self,
        file: &Arc<RubyFile>,
        name: &str,
        span: Span,
    ) -> EvalResult<Option<Vec<Type>>> {
        if let Some(native) = self.native_function(file, name) {
            return Ok(native.function.return_types());
        }
        let what = format!("function '{name}'");
        let place = file.path.display().to_string();
        self.with_ruby(Callee { what: &what, place: &place }, span, |this| {
            Ok(this.loaded_function(file, name, span)?.return_types())
        })
    }

    /// Calls a function with one argument list after the other until it returns a value: the index
    /// of the successful call, and its value. `None` if the `ruby` process does not run the
    /// function.
    pub(crate) fn call_ruby_until_found(
        &mut self,
        name: &str,
        calls: &[Vec<Value>],
        at: (ScopeId, Span),
    ) -> Option<EvalResult<(usize, Value)>> {
        let name = name.strip_prefix("::").unwrap_or(name);
        let file = self.file_of_process(name)?;
        let what = format!("function '{name}'");
        let place = file.path.display().to_string();
        Some(self.with_ruby(Callee { what: &what, place: &place }, at.1, |this| {
            let function = this.loaded_function(&file, name, at.1)?;
            this.request_until_found(&function, name, calls, at)
        }))
    }

    /// The file of a function of the newer interface that only the `ruby` process runs.
    fn file_of_process(&mut self, name: &str) -> Option<Arc<RubyFile>> {
        let file = self.only_in_ruby(name).filter(|file| !file.is_old)?;
        self.native_function(&file, name).is_none().then_some(file)
    }

    fn request_until_found(
        &mut self,
        function: &RubyFunction,
        name: &str,
        calls: &[Vec<Value>],
        (scope, span): (ScopeId, Span),
    ) -> EvalResult<(usize, Value)> {
        let fitting = |args: &Vec<Value>| {
            args.iter().try_for_each(|arg| self.budget.weigh_new(arg)).ok()?;
            let chosen = function.signature_for(args, None)?;
            (!chosen.explains).then_some(chosen)
        };
        let chosen: Vec<&Dispatch> = calls.iter().map_while(fitting).collect();
        if chosen.len() < 2 {
            let args = calls.first().map_or(&[][..], Vec::as_slice);
            let value = self.dispatch(function, None, name, args, None, (scope, span))?;
            return Ok((0, value));
        }
        let (at, value) = self.with_shared_values(|this| -> EvalResult<_> {
            let pairs = chosen.iter().zip(calls);
            let packed =
                pairs.map(|(chosen, args)| json!([chosen.number, this.share_copies(args).1]));
            let packed: Vec<Json> = packed.collect();
            let request = json!(["call_until_found", name, scope.0, packed]);
            let answer = this.converse(function.callee(), span, request)?;
            let at = answer[0].as_u64().and_then(|at| usize::try_from(at).ok());
            Ok((at.unwrap_or_default(), this.unpack_value(&answer[1])))
        })?;
        let value = value.map_err(|unwind| function.about_result(unwind))?;
        self.budget.charge_result(&value);
        if let Some(chosen) = chosen.get(at) {
            chosen.check_returned(&value)?;
        }
        Ok((at, value))
    }

    fn dispatch(
        &mut self,
        function: &RubyFunction,
        native: Option<&Native>,
        name: &str,
        args: &[Value],
        block: Option<&Arc<Closure>>,
        at: (ScopeId, Span),
    ) -> EvalResult {
        if let Some(arity) = function.arity {
            check_arity(name, arity, args.len())?;
            let call = MethodCall { name, number: None, args, block: None, at };
            return self.call_method_of(function, native, call);
        }
        let Some(chosen) = function.signature_for(args, block.map(|b| &**b)) else {
            let all = function.dispatches.iter().filter(|d| !d.explains);
            let all: Vec<&Signature> = all.map(|d| &d.signature).collect();
            let block = block.map(|b| &*b.signature);
            return plain(mismatch::describe_call(name, &all, args, block));
        };
        let call = MethodCall { name, number: Some(chosen.number), args, block, at };
        let value = self.call_method_of(function, native, call)?;
        if chosen.explains {
            let text = crate::value::text::to_text(&value);
            return plain(format!("'{name}' {text}"));
        }
        chosen.check_returned(&value)?;
        Ok(value)
    }

    /// Calls a method of a function where it runs.
    fn call_method_of(
        &mut self,
        function: &RubyFunction,
        native: Option<&Native>,
        call: MethodCall<'_>,
    ) -> EvalResult {
        match native {
            Some(native) => self.run_native(native, call),
            None => self.request_call(function, call),
        }
    }

    /// Asks the `ruby` process to call a loaded function.
    pub(super) fn request_call(
        &mut self,
        function: &RubyFunction,
        call: MethodCall<'_>,
    ) -> EvalResult {
        let MethodCall { name, number, args, block, at: (scope, span) } = call;
        let mut block = block.map(|block| self.pack_value(&Value::Callable(Arc::clone(block))));
        if let Some(Json::Object(block)) = &mut block {
            // Values without marks are read faster.
            block.shift_remove(MARK);
        }
        let value = self.with_shared_values(|this| -> EvalResult<EvalResult> {
            // Puppet copies lists and hashes for functions of the older interface. Levels of Hiera
            // have options of their own.
            let gets_copies = function.arity.is_some() || args.iter().any(is_lookup_context);
            let (base, packed) = match gets_copies {
                true => this.share_copies(args),
                false => this.share(args, scope),
            };
            let request = json!(["call", name, number, scope.0, block, base, packed]);
            let answer = this.converse(function.callee(), span, request)?;
            Ok(this.unpack_value(&answer))
        })?;
        let value = value.map_err(|unwind| function.about_result(unwind))?;
        self.budget.charge_result(&value);
        Ok(value)
    }

    /// The function with its signatures, loaded into the `ruby` process if necessary.
    pub(super) fn loaded_function(
        &mut self,
        file: &Arc<RubyFile>,
        name: &str,
        span: Span,
    ) -> EvalResult<Arc<RubyFunction>> {
        let reply = self.ruby.session.as_ref().and_then(|s| s.loaded(name));
        if let (Some(function), Some(_)) = (self.ruby.functions.get(name), reply) {
            return Ok(Arc::clone(function));
        }
        let reply = reply.cloned();
        let text = self.env.world.read(&file.path).map_err(|error| {
            PlainError::new(format!("cannot read {}: {error}", file.path.display()))
        })?;
        let text = String::from_utf8_lossy(&text);
        let path = file.path.display().to_string();
        let mut function = RubyFunction {
            what: format!("function '{name}'"),
            place: format!("{path}:{}", line_of_definition(&text)),
            dispatches: Vec::new(),
            arity: None,
        };
        let reply = match reply {
            Some(reply) => reply,
            None => {
                let kind = if file.is_old { "old" } else { "new" };
                let request = json!(["load", name, kind, path, text]);
                let reply = self.converse(function.callee(), span, request)?;
                if let Some(session) = &mut self.ruby.session {
                    session.set_loaded(name, reply.clone());
                }
                reply
            }
        };
        if file.is_old {
            let arity = reply["arity"].as_i64().and_then(|arity| i32::try_from(arity).ok());
            function.arity = Some(arity.unwrap_or(-1));
        } else {
            function.dispatches = self.dispatches(&reply)?;
        }
        let function = Arc::new(function);
        self.ruby.functions.insert(name.into(), Arc::clone(&function));
        Ok(function)
    }

    /// The signatures that the `ruby` process reported.
    pub(super) fn dispatches(&mut self, reply: &Json) -> EvalResult<Vec<Dispatch>> {
        let locals = reply["types"].as_array().map_or(&[][..], Vec::as_slice);
        let locals: Vec<&str> = locals.iter().filter_map(Json::as_str).collect();
        let locals = self.local_types(&locals)?;
        let all = reply["dispatches"].as_array().map_or(&[][..], Vec::as_slice);
        let mut out = Vec::with_capacity(all.len());
        for (number, data) in all.iter().enumerate() {
            out.push(Dispatch {
                signature: self.read_signature(data, &locals)?,
                explains: data["mismatch"].as_bool().unwrap_or(false),
                method: data["method"].as_str().unwrap_or_default().to_owned(),
                number,
            });
        }
        Ok(out)
    }

    fn read_signature(&mut self, data: &Json, locals: &[Arc<TypeAlias>]) -> EvalResult<Signature> {
        let mut out = Signature { block_name: "block".into(), ..Signature::default() };
        for param in data["params"].as_array().into_iter().flatten() {
            let [kind, of, name] = [0, 1, 2].map(|i| param[i].as_str().unwrap_or_default());
            out.params.push(SignatureParam {
                name: name.into(),
                kind: self.parse_reported_type(of, locals)?,
                optional: matches!(kind, "optional" | "repeated"),
            });
            out.rest = kind.ends_with("repeated");
        }
        if let Some(of) = data["block"][0].as_str() {
            let kind = self.parse_reported_type(of, locals)?;
            let optional = data["block"][1].as_bool().unwrap_or(false);
            out.block = Some(if optional { Type::Optional(Some(Arc::new(kind))) } else { kind });
            out.block_name = data["block"][2].as_str().unwrap_or("block").into();
        }
        if let Some(of) = data["returns"].as_str() {
            out.returns = Some(self.parse_reported_type(of, locals)?);
        }
        Ok(out)
    }

    /// Parses and evaluates the text of a type in Ruby code.
    pub(super) fn parse_reported_type(
        &mut self,
        text: &str,
        locals: &[Arc<TypeAlias>],
    ) -> EvalResult<Type> {
        let mut named = |name: &str| {
            if let Some(alias) = locals.iter().find(|alias| alias.name == name) {
                return Some(Type::Alias(Arc::clone(alias)));
            }
            self.named_type(name).ok()
        };
        specialize::parse_text(text, &mut named)
    }

    /// The types of `local_types`, each written as `Name = Type`.
    fn local_types(&mut self, texts: &[&str]) -> EvalResult<Vec<Arc<TypeAlias>>> {
        let parts: Vec<(&str, &str)> =
            texts.iter().filter_map(|text| text.split_once('=')).collect();
        let alias = |name: &str| {
            Arc::new(TypeAlias { name: EcoString::from(name.trim()), target: OnceLock::new() })
        };
        let out: Vec<Arc<TypeAlias>> = parts.iter().map(|(name, _)| alias(name)).collect();
        for (alias, (_, text)) in out.iter().zip(&parts) {
            let target = self.parse_reported_type(text.trim(), &out)?;
            // The alias is new, so its target is not set.
            let _ = alias.target.set(crate::types::normalize(&target));
        }
        Ok(out)
    }
}

pub(super) fn is_lookup_context(value: &Value) -> bool {
    matches!(value, Value::Object(object) if object.kind.name == CONTEXT)
}
