//! Functions in Ruby that run without the `ruby` process.
//!
//! `ordain-ruby` runs a file if it supports all of it. When a running function needs something
//! unsupported, such as an unknown method, or ends with an exception, the process repeats the call
//! from its beginning. A journal has the effects so far, calls of other functions and messages, so
//! that they are not repeated. Results and errors, traces included, are therefore the same in both
//! ways.

use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use ecow::EcoString;
use ordain_ruby::{Dispatch, Error, Foreign, Interface, Limits, MethodArg, Value as Ruby};
use ordain_source::budget;
use serde_json::{Value as Json, json};

use super::functions::{MethodCall, is_lookup_context};
use super::native_host::FunctionHost;
use crate::error::{EvalResult, PlainError, Unwind, plain};
use crate::load::RubyFile;
use crate::plugins::native_host::CallFailure;
use crate::plugins::state::Journal;
use crate::plugins::state::Native;
use crate::plugins::state::RubyFunction;
use crate::state::Compiler;
use crate::value::Value;

/// The maximal stack of a function, in bytes.
const STACK: usize = 2 << 20;
/// The same in levels of the compile's own recursion.
const LEVELS: u32 = 100;
/// The maximal number of steps of a function. After that the process repeats the call, with its own
/// time limit.
const STEPS: u64 = 6_000_000;

impl Compiler<'_> {
    /// The function of a file, if it runs without the process.
    pub(super) fn native_function(
        &mut self,
        file: &Arc<RubyFile>,
        name: &str,
    ) -> Option<Arc<Native>> {
        if let Some(known) = self.ruby.natives.get(name) {
            return known.clone().filter(|native| native.source.function().is_some());
        }
        let native = self.new_native(file, name).map(Arc::new);
        self.ruby.natives.insert(name.into(), native.clone());
        native
    }

    fn new_native(&mut self, file: &Arc<RubyFile>, name: &str) -> Option<Native> {
        if !self.env.has_native_functions {
            return None;
        }
        let source = self.env.ruby_source(&file.path)?;
        let known = source.function().filter(|function| function.name == name)?;
        let mut function = RubyFunction {
            what: format!("function '{name}'"),
            place: format!("{}:{}", file.path.display(), source.line),
            dispatches: Vec::new(),
            arity: None,
        };
        match &known.interface {
            Interface::Old { arity, .. } if file.is_old => function.arity = Some(*arity),
            Interface::Dispatches(all) if !file.is_old => {
                let dispatches: Vec<Json> = all.iter().map(outline).collect();
                let types: Vec<&str> = known.local_types.iter().map(EcoString::as_str).collect();
                let reply = json!({ "dispatches": dispatches, "types": types });
                // The process reports errors in types.
                function.dispatches = self.dispatches(&reply).ok()?;
            }
            _ => return None,
        }
        Some(Native { file: Arc::clone(file), source, function })
    }

    /// Calls a method of a function that runs here.
    pub(super) fn run_native(&mut self, native: &Native, call: MethodCall<'_>) -> EvalResult {
        let mut journal = Journal::default();
        if let Some(value) = self.try_native(native, call, &mut journal)? {
            return Ok(value);
        }
        let (name, span) = (call.name, call.at.1);
        self.with_ruby(native.function.callee(), span, |this| {
            let function = this.loaded_function(&native.file, name, span)?;
            let outer = std::mem::replace(&mut this.ruby.journal, journal);
            let others = std::mem::replace(&mut this.ruby.shares_contexts, true);
            let result = this.request_call(&function, call);
            this.ruby.shares_contexts = others;
            this.ruby.journal = outer;
            result
        })
    }

    /// The value of a call; `None` if the process has to compute it.
    fn try_native(
        &mut self,
        native: &Native,
        call: MethodCall<'_>,
        journal: &mut Journal,
    ) -> EvalResult<Option<Value>> {
        let Some(function) = native.source.function() else { return Ok(None) };
        let (is_old, is_rvalue, dispatch) = match (&function.interface, call.number) {
            (Interface::Dispatches(all), Some(number)) => (false, true, all.get(number)),
            (Interface::Old { is_rvalue, .. }, _) => (true, *is_rvalue, None),
            (Interface::Dispatches(_), None) => return Ok(None),
        };
        if is_old && !call.args.iter().all(is_data) {
            // Their texts are made by the process.
            return Ok(None);
        }
        let steps = self.budget.steps.left().min(budget::scaled(STEPS));
        let mut limits = Limits { steps, stack: STACK, ..Limits::default() };
        // As in the process, Puppet copies lists and hashes for functions of the older interface,
        // and levels of Hiera have options of their own.
        let gets_copies = is_old || call.args.iter().any(is_lookup_context);
        self.check_nesting(native.function.callee())?;
        if !self.budget.descend(LEVELS) {
            return plain("stack level too deep");
        }
        self.ruby.native_calls += 1;
        let mut host = FunctionHost::new(self, call.at, is_old, journal);
        let args: Vec<Ruby> = call.args.iter().map(|arg| host.argument(arg, gets_copies)).collect();
        let (method, args) = match dispatch {
            Some(dispatch) => {
                (dispatch.method.as_str(), method_arguments(dispatch, args, &mut host))
            }
            None => ("", vec![Ruby::array(args)]),
        };
        let block = call.block.map(|block| foreign_block(&Value::Callable(Arc::clone(block))));
        let result = function.call(method, args, block, &mut host, &mut limits);
        let result = match result {
            Ok(value) => host.finish(if is_rvalue { value } else { Ruby::Nil }).map(Some),
            Err(error) => host.stop(error, native),
        };
        self.budget.ascend(LEVELS);
        self.ruby.native_calls -= 1;
        self.budget.steps.charge(steps.saturating_sub(limits.steps));
        if let Ok(Some(value)) = &result {
            self.budget.charge_result(value);
        }
        result.or_else(|stop| match stop {
            CallFailure::Unwind(unwind) => Err(unwind),
            CallFailure::Process => Ok(None),
        })
    }

    /// The error of an exception, if there is no process that could report it.
    fn exception_here(
        &mut self,
        native: &Native,
        exception: &ordain_ruby::Exception,
    ) -> Option<Box<Unwind>> {
        self.lacks_ruby()?;
        let class = exception.class_name.as_deref().unwrap_or(exception.class.name());
        let (path, line) = (native.file.path.display(), exception.line);
        let mut error = PlainError::new(exception.message.as_str());
        error.help = Some(format!("Ruby raised {class} at {path}:{line}"));
        Some(error.into())
    }
}

impl FunctionHost<'_, '_> {
    /// The result of a call that ended early.
    fn stop(&mut self, error: Error, native: &Native) -> Result<Option<Value>, CallFailure> {
        match error {
            Error::Host { error, .. } => match error.downcast::<Unwind>() {
                Ok(unwind) => {
                    self.flush_logs();
                    Err(CallFailure::Unwind(unwind))
                }
                Err(_) => Err(CallFailure::Process),
            },
            Error::Exception(_) if self.wants_change => {
                native.source.is_beyond.store(true, Ordering::Relaxed);
                Err(CallFailure::Process)
            }
            Error::Exception(exception) => {
                if let Some(number) = exception.host_error
                    && let Some(unwind) = self.journal.last_error(number)
                {
                    self.flush_logs();
                    return Err(CallFailure::Unwind(unwind));
                }
                match self.compiler.exception_here(native, &exception) {
                    Some(unwind) => {
                        self.flush_logs();
                        Err(CallFailure::Unwind(unwind))
                    }
                    None => Err(CallFailure::Process),
                }
            }
            Error::Unsupported { .. } => {
                native.source.is_beyond.store(true, Ordering::Relaxed);
                Err(CallFailure::Process)
            }
            Error::Limit { .. } => Err(CallFailure::Process),
        }
    }
}

/// The arguments of a method.
fn method_arguments(
    dispatch: &Dispatch,
    args: Vec<Ruby>,
    host: &mut FunctionHost<'_, '_>,
) -> Vec<Ruby> {
    let mut out = Vec::with_capacity(args.len() + 1);
    for arg in &dispatch.method_args {
        match arg {
            MethodArg::Scope => out.push(host.scope_value()),
            MethodArg::Argument(at) => out.extend(args.get(*at).cloned()),
            MethodArg::Rest(from) => out.extend(args.iter().skip(*from).cloned()),
        }
    }
    out
}

fn foreign_block(value: &Value) -> Rc<Foreign> {
    Rc::new(Foreign {
        class: "Proc".into(),
        text: "a lambda".into(),
        inner: Rc::new(value.clone()),
    })
}

/// Whether JSON can represent a value.
fn is_data(value: &Value) -> bool {
    match value {
        Value::Undef | Value::Bool(_) | Value::Int(_) | Value::Float(_) | Value::Str(_) => true,
        Value::Array(items) => items.iter().all(is_data),
        Value::Hash(entries) => entries.iter().all(|(k, v)| is_data(k) && is_data(v)),
        _ => false,
    }
}

/// A signature in the form in which the process reports it.
fn outline(dispatch: &Dispatch) -> Json {
    let params = dispatch.params.iter();
    let params: Vec<Json> =
        params.map(|p| json!([p.kind, p.of.as_str(), p.name.as_str()])).collect();
    let block = dispatch.block.as_ref();
    let block = block.map(|(of, name, optional)| json!([of.as_str(), optional, name.as_str()]));
    json!({
        "method": dispatch.method.as_str(),
        "params": params,
        "block": block,
        "returns": dispatch.returns.as_deref(),
        "mismatch": dispatch.explains,
    })
}
