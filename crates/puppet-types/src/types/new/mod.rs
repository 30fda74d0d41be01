//! The construction of values: `T.new(…)`.

mod collections;
mod constructors;
mod host;
mod numbers;
mod object_signatures;
mod objects;
mod others;
pub(crate) mod signatures;
mod times;

use std::sync::Arc;

use crate::error::{EvalResult, plain};
use crate::types::aliases::resolved;
use crate::types::init::init_fault;
use crate::types::mismatch::{accepts, assert_instance, describe_call};
use crate::types::object::construct_type;
use crate::types::refusal::{answered, cannot_be_made, message};
use crate::types::signature::{Signature, SignatureParam, callable_of};
use crate::types::{CallableType, InitType, Type, is_instance};
use crate::value::Value;

use constructors::{Constructor, constructor};
use object_signatures::hash_type;
use objects::construct_object;
use signatures::signatures;

pub use host::Host;
pub(crate) use objects::constructor_values;
pub(crate) use times::time_bound;

/// Makes a value of a type from arguments. A single argument that is an instance already is the
/// result.
///
/// # Errors
/// When the arguments cannot be converted, or the type has no instances to make.
pub fn new_instance(kind: &Type, args: &[Value], host: &mut dyn Host) -> EvalResult {
    if let [only] = args
        && !matches!(kind, Type::Init(_))
        && answered(|| is_instance(kind, only))?
    {
        return Ok(only.clone());
    }
    let value = construct(kind, args, host)?;
    assert_instance(&format!("Converted value from {kind}.new()"), kind, &value)?;
    Ok(value)
}

/// Makes an instance of an object type from a hash of its attributes.
///
/// # Errors
/// When the hash does not fit.
pub fn object_of_hash(kind: &Arc<crate::types::ObjectType>, given: &Value) -> EvalResult {
    let hash = hash_type(kind);
    assert_instance(&format!("{} initializer", kind.label()), &hash, given)?;
    construct_object(kind, std::slice::from_ref(given))
}

fn unsupported<T>(kind: &Type) -> EvalResult<T> {
    // As upstream, the message names the target of the alias.
    plain(cannot_be_made(resolved(kind)))
}

fn construct(kind: &Type, args: &[Value], host: &mut dyn Host) -> EvalResult {
    match resolved(kind) {
        Type::Init(Some(init)) => return construct_init(kind, init, args, host),
        Type::Optional(Some(inner)) | Type::NotUndef(Some(inner)) => {
            return construct(inner, args, host);
        }
        Type::Parameterized(parameterized) => {
            return construct_object(&parameterized.base, args);
        }
        Type::Object(object) if !object.is_root() => {
            if let Some(made) = construct_type::construct(object, args) {
                return made;
            }
            return construct_object(object, args);
        }
        _ => {}
    }
    match constructor(kind) {
        Some(constructor) => constructor.call(args, host),
        None => unsupported(kind),
    }
}

impl Constructor {
    fn call(&self, args: &[Value], host: &mut dyn Host) -> EvalResult {
        if let Some(chosen) = self.signatures.iter().position(|s| accepts(s, args, None)) {
            return (self.body)(chosen, args, host);
        }
        if let Some(explain) = self.explain
            && let Some(message) = explain(self.name, args)
        {
            return message;
        }
        let signatures: Vec<&Signature> = self.signatures.iter().collect();
        plain(describe_call(self.name, &signatures, args, None))
    }
}

fn construct_init(kind: &Type, init: &InitType, args: &[Value], host: &mut dyn Host) -> EvalResult {
    let [value] = args else {
        let Type::Init(_) = kind else { return unsupported(kind) };
        let one = crate::types::IntRange::new(1, 1);
        let callable =
            CallableType { params: vec![Type::Any], size: one, block: None, returns: None };
        let param = || SignatureParam { name: "value".into(), kind: Type::Any, optional: false };
        let given =
            Signature { params: args.iter().map(|_| param()).collect(), ..Signature::default() };
        let text = crate::types::mismatch::describe_mismatch(
            "'new_Init'",
            &Type::Callable(Some(Arc::new(callable))),
            &callable_of(&given),
        );
        return plain(text);
    };
    if let Some(reason) = init_fault(init) {
        return plain(message(&reason));
    }
    let InitType { target, arguments, .. } = init;
    if !arguments.is_empty() {
        let mut all = vec![value.clone()];
        all.extend_from_slice(arguments);
        return new_instance(target, &all, host);
    }
    if let Value::Array(items) = value
        && !takes_as_one(target, value)
    {
        return new_instance(target, items, host);
    }
    new_instance(target, std::slice::from_ref(value), host)
}

/// Whether a list is one argument rather than all of them: where it is an instance already, or a
/// signature of one parameter takes it.
fn takes_as_one(kind: &Type, value: &Value) -> bool {
    let one = std::slice::from_ref(value);
    let single = |s: &Signature| s.min() == 1 && s.max() == Some(1);
    is_instance(kind, value) || signatures(kind).iter().any(|s| single(s) && accepts(s, one, None))
}
