//! Members of values: attributes and functions of objects, parts of URIs.

use std::sync::Arc;

use ecow::EcoString;
use ordain_ruby::{Error, Foreign, Host, HostError, Limits, Template, Trim, Value as Ruby};

use crate::error::{EvalResult, plain};
use crate::plugins::convert::{from_ruby, to_ruby};
use crate::state::Compiler;
use crate::types::mismatch::{accepts, describe_call};
use crate::types::object::lookup_context::{CONTEXT, context_type};
use crate::types::object::{attribute_value, member};
use crate::types::signature::{Signature, SignatureParam};
use crate::types::{AttributeRole, CallableType, ObjectFunction, ObjectType, Type};
use crate::value::closure::Closure;
use crate::value::{Object, Value};

/// The maximal stack and number of steps of a member in Ruby.
const STACK: usize = 1 << 20;
const STEPS: u64 = 1_000_000;

impl Compiler<'_> {
    /// The value of a member; `None` if the value has no member of this name.
    pub(super) fn call_member(
        &mut self,
        receiver: &Value,
        name: &str,
        args: &[Value],
        block: Option<&Arc<Closure>>,
    ) -> Option<EvalResult> {
        if let Value::Instance(object) = receiver {
            return self.instance_member(object, name, args, block);
        }
        let Value::Object(object) = receiver else {
            return member(receiver, name).map(Ok);
        };
        if args.is_empty()
            && block.is_none()
            && let Some(value) = object.values.get(name)
        {
            return Some(Ok(value.clone()));
        }
        // A context answers by itself.
        if object.kind.name == CONTEXT && !object.values.contains_key(name) {
            return refused_by_context(name, args, block).map(plain);
        }
        for owner in object.kind.line() {
            if let Some(attribute) = owner.attributes.iter().find(|a| a.name == name) {
                let label = format!("attribute {}[{name}]", owner.label());
                if !args.is_empty() || block.is_some() {
                    let none = [&Signature::default()];
                    let block = block.map(|block| &*block.signature);
                    return Some(plain(describe_call(&label, &none, args, block)));
                }
                if attribute.role == AttributeRole::Derived && !object.values.contains_key(name) {
                    let annotations = attribute.annotations.as_ref();
                    return Some(self.run_method(object, "derived ", &label, annotations, &[]));
                }
                return attribute_value(object, name).map(Ok);
            }
            if let Some(function) = owner.functions.iter().find(|f| f.name == name) {
                return Some(self.call_object_function(object, &owner, function, args, block));
            }
        }
        None
    }

    fn call_object_function(
        &mut self,
        object: &Arc<Object>,
        owner: &ObjectType,
        function: &ObjectFunction,
        args: &[Value],
        block: Option<&Arc<Closure>>,
    ) -> EvalResult {
        if let Some(refused) = refusal(owner, function, args, block) {
            return plain(refused);
        }
        let label = format!("function {}[{}]", owner.label(), function.name);
        if owner.name == "Error" {
            return Ok(attribute_value(object, "msg").unwrap_or_default());
        }
        self.run_method(object, "", &label, function.annotations.as_ref(), args)
    }

    /// Runs the Ruby code in the annotation of a member.
    fn run_method(
        &mut self,
        object: &Arc<Object>,
        how: &str,
        label: &str,
        annotations: Option<&Value>,
        args: &[Value],
    ) -> EvalResult {
        let Some((params, body)) = annotations.and_then(ruby_method) else {
            return plain(format!("no method is implemented for {how}{label}"));
        };
        let text = format!(
            "<% ordain_result((lambda {{ |{params}|\n{body}\n}}).call(*ordain_arguments)) %>"
        );
        let template = match Template::parse(&text, Trim::Explicit) {
            Ok(template) => template,
            Err(error) => return plain(format!("the method of {label}: {}", error.message)),
        };
        let mut receiver = Receiver { object, args, result: Value::Undef };
        let steps = self.budget.steps.left().min(STEPS);
        let mut limits = Limits { steps, stack: STACK, ..Limits::default() };
        let outcome = template.render(&mut receiver, &mut limits);
        self.budget.steps.charge(steps.saturating_sub(limits.steps));
        match outcome {
            Ok(_) => Ok(receiver.result),
            Err(Error::Exception(exception)) => plain(exception.message.to_string()),
            Err(Error::Limit { what, .. }) => plain(format!("the method of {label}: {what}")),
            Err(Error::Unsupported { what, .. }) => plain(format!(
                "the method of {label} uses {what}, which is beyond the Ruby that Ordain runs"
            )),
            Err(Error::Host { .. }) => plain(format!("the method of {label} failed")),
        }
    }
}

/// Checks the arguments of a function of a context. Calls from Ruby are not checked, as upstream.
fn refused_by_context(name: &str, args: &[Value], block: Option<&Arc<Closure>>) -> Option<String> {
    let kind = context_type();
    let function = kind.functions.iter().find(|function| function.name == name)?;
    refusal(&kind, function, args, block)
}

/// Checks the arguments of a function of an object.
fn refusal(
    owner: &ObjectType,
    function: &ObjectFunction,
    args: &[Value],
    block: Option<&Arc<Closure>>,
) -> Option<String> {
    let signatures = signatures(&function.kind);
    if signatures.iter().any(|s| accepts(s, args, block.map(|b| &**b))) {
        return None;
    }
    let label = format!("function {}[{}]", owner.label(), function.name);
    let all: Vec<&Signature> = signatures.iter().collect();
    let block = block.map(|block| &*block.signature);
    Some(describe_call(&label, &all, args, block))
}

/// The parameters and the body in an annotation of the type `RubyMethod`.
fn ruby_method(annotations: &Value) -> Option<(EcoString, EcoString)> {
    let is_method = |key: &Value| match key {
        Value::Type(kind) => matches!(&**kind, Type::Object(kind) if kind.name == "RubyMethod"),
        _ => false,
    };
    let (_, given) = annotations.as_hash()?.iter().find(|(key, _)| is_method(key))?;
    let text = |key| given.get(key).and_then(Value::as_str).map(EcoString::from);
    Some((text("parameters").unwrap_or_default(), text("body")?))
}

/// The signatures of a function; it may have several.
fn signatures(kind: &Type) -> Vec<Signature> {
    match kind {
        Type::Variant(kinds) => kinds.iter().flat_map(signatures).collect(),
        Type::Callable(Some(callable)) => vec![signature(callable)],
        _ => vec![Signature { params: vec![any()], rest: true, ..Signature::default() }],
    }
}

fn any() -> SignatureParam {
    SignatureParam { name: EcoString::new(), kind: Type::Any, optional: true }
}

/// The maximal number of written-out parameters of a signature.
const MAX_PARAMS: i64 = 64;

fn signature(callable: &CallableType) -> Signature {
    let rest = callable.size.to > MAX_PARAMS;
    let count = if rest { callable.size.from.max(1) } else { callable.size.to };
    let count = count.clamp(0, MAX_PARAMS);
    let param = |i: i64| SignatureParam {
        name: EcoString::new(),
        kind: callable
            .params
            .get(i as usize)
            .or(callable.params.last())
            .map_or(Type::Any, Type::clone),
        optional: i >= callable.size.from,
    };
    Signature {
        params: (0..count).map(param).collect(),
        rest,
        block: callable.block.clone(),
        ..Signature::default()
    }
}

/// The object of a method, as its Ruby code sees it.
struct Receiver<'a> {
    object: &'a Object,
    args: &'a [Value],
    result: Value,
}

impl Host for Receiver<'_> {
    fn variable(&mut self, name: &str) -> Option<Ruby> {
        self.object.values.get(name).map(to_ruby)
    }

    fn call(
        &mut self,
        receiver: Option<&Foreign>,
        name: &str,
        args: &[Ruby],
    ) -> Result<Option<Ruby>, HostError> {
        match (receiver, name, args) {
            (None, "ordain_result", [result]) => {
                self.result = from_ruby(result, 0)?;
                Ok(Some(Ruby::Nil))
            }
            (None, "ordain_arguments", []) => {
                Ok(Some(Ruby::array(self.args.iter().map(to_ruby).collect())))
            }
            (None, name, []) => Ok(attribute_value(self.object, name).as_ref().map(to_ruby)),
            _ => Ok(None),
        }
    }
}
