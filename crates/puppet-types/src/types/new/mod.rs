//! The construction of values: `T.new(…)`.

mod collections;
mod constructors;
mod numbers;
mod others;
mod times;

use std::cell::Cell;
use std::sync::Arc;

use crate::error::{EvalResult, plain};
use crate::types::assignable::resolved;
use crate::types::infer::callable_of;
use crate::types::mismatch::{accepts, assert_instance, describe_call};
use crate::types::refusal::answered;
use crate::types::signature::{Signature, SignatureParam};
use crate::types::{CallableType, Type, generalize, is_instance, normalize};
use crate::value::Value;

use constructors::{Constructor, constructor};
pub(crate) use times::time_bound;

/// What construction asks of a compile.
pub trait Host {
    /// The present time in nanoseconds since 1970.
    fn now(&mut self) -> i128;
    /// The time zone of this machine, as an offset such as `+05:30`.
    fn zone(&mut self) -> String;
    /// The type that a text names.
    ///
    /// # Errors
    /// When the text is no type.
    fn type_of_text(&mut self, text: &str) -> EvalResult<Type>;
}

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

/// Makes an instance of an object type of the hash that says its attributes.
///
/// # Errors
/// When the hash does not fit.
pub fn object_of_hash(kind: &Arc<crate::types::ObjectType>, given: &Value) -> EvalResult {
    let hash = others::hash_type(kind);
    assert_instance(&format!("{} initializer", kind.label()), &hash, given)?;
    others::construct_object(kind, std::slice::from_ref(given))
}

fn unsupported<T>(kind: &Type) -> EvalResult<T> {
    // The alias is gone by then.
    plain(cannot_be_made(resolved(kind)))
}

fn cannot_be_made(kind: &Type) -> String {
    format!("Creation of new instance of type '{kind}' is not supported")
}

fn construct(kind: &Type, args: &[Value], host: &mut dyn Host) -> EvalResult {
    match resolved(kind) {
        Type::Init(Some(init)) => return construct_init(kind, &init.0, &init.1, args, host),
        Type::Optional(Some(inner)) | Type::NotUndef(Some(inner)) => {
            return construct(inner, args, host);
        }
        Type::Parameterized(parameterized) => {
            return others::construct_object(&parameterized.base, args);
        }
        Type::Object(object) if !object.is_root() => {
            if let Some(made) = crate::types::object::meta::construct(object, args) {
                return made;
            }
            return others::construct_object(object, args);
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

fn construct_init(
    init: &Type,
    target: &Type,
    arguments: &[Value],
    args: &[Value],
    host: &mut dyn Host,
) -> EvalResult {
    let [value] = args else {
        let Type::Init(_) = init else { return unsupported(init) };
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
    if let Some(reason) = init_fault(init, target, arguments) {
        return plain(reason);
    }
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

/// How deeply `Init` types may lead to each other.
const INIT_LIMIT: u32 = 6;

/// The signatures by which instances of a type are made.
fn signatures(kind: &Type) -> Vec<Signature> {
    match resolved(kind) {
        Type::Optional(Some(inner)) | Type::NotUndef(Some(inner)) => signatures(inner),
        Type::Object(object) if !object.is_root() => others::object_signatures(object),
        kind => constructor(kind).map_or_else(Vec::new, |c| c.signatures.to_vec()),
    }
}

/// Why `Init[T, args]` has no instances: there is no way to make a `T`, or none with these arguments.
/// What is a type of values already, or only says that there may be none, is no target.
pub(crate) fn init_fault(init: &Type, target: &Type, arguments: &[Value]) -> Option<String> {
    let fixed = matches!(target, Type::Init(_) | Type::Optional(_) | Type::NotUndef(_));
    let all = signatures(target);
    if fixed || all.is_empty() {
        return Some(cannot_be_made(target));
    }
    let fits = |signature: &Signature| {
        let count = arguments.len() + 1;
        signature.min() <= count
            && signature.max().is_none_or(|max| count <= max)
            && arguments.iter().enumerate().all(|(i, argument)| {
                let param = signature.params.get(i + 1).or(signature.params.last());
                param.is_some_and(|param| is_instance(&param.kind, argument))
            })
    };
    if arguments.is_empty() || all.iter().any(fits) {
        return None;
    }
    let name = generalize(target);
    let name = crate::types::display::simple_name(&name);
    Some(format!("The type '{init}' does not represent a valid set of parameters for {name}.new()"))
}

/// Whether a list is one argument rather than all of them: where it is an instance already, or a
/// signature of one parameter takes it.
fn takes_as_one(kind: &Type, value: &Value) -> bool {
    let one = std::slice::from_ref(value);
    let single = |s: &Signature| s.min() == 1 && s.max() == Some(1);
    is_instance(kind, value) || signatures(kind).iter().any(|s| single(s) && accepts(s, one, None))
}

/// Whether `Init[T, args]` takes a value that is no `T` yet.
///
/// An object type may be made of its own `Init`, so that the question leads back to itself; such a
/// circle takes nothing.
pub(crate) fn init_accepts(kind: &Type, args: &[Value], value: &Value) -> bool {
    thread_local! {
        static DEPTH: Cell<u32> = const { Cell::new(0) };
    }
    let depth = DEPTH.get();
    if depth >= INIT_LIMIT {
        return false;
    }
    DEPTH.set(depth + 1);
    let accepted = init_fits(kind, args, value);
    DEPTH.set(depth);
    accepted
}

fn init_fits(kind: &Type, args: &[Value], value: &Value) -> bool {
    let all = signatures(kind);
    if args.is_empty() {
        let one = std::slice::from_ref(value);
        return is_instance(kind, value)
            || all.iter().any(|s| s.min() <= 1 && accepts(s, one, None))
            || value.as_array().is_some_and(|items| {
                all.iter().any(|s| s.max() != Some(1) && accepts(s, items, None))
            });
    }
    let mut given = vec![value.clone()];
    given.extend_from_slice(args);
    all.iter().any(|s| accepts(s, &given, None))
}

/// Whether `Init[T, args]` takes values of a type; `takes` says whether a parameter does.
pub(crate) fn init_takes(kind: &Type, args: &[Value], takes: impl Fn(&Type) -> bool) -> bool {
    signatures(kind).iter().any(|signature| {
        let first = signature.params.first();
        let enough =
            signature.min() <= 1 + args.len() && signature.max().is_none_or(|max| max > args.len());
        enough && first.is_some_and(|p| takes(&normalize(&p.kind)))
    })
}
