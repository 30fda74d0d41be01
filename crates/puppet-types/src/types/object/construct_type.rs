//! Types from the arguments of their type: `Pcore::IntegerType(1, 2)` is `Integer[1, 2]`.

use std::sync::Arc;

use crate::error::{EvalResult, plain};
use crate::types::library::builtin;
use crate::types::mismatch::{accepts, describe_call};
use crate::types::signature::{Signature, SignatureParam};
use crate::types::specialize::specialize_value;
use crate::types::{CallableType, IntRange, ObjectAttribute, ObjectType, Type, TypeSet};
use crate::value::Value;

/// Makes a type from the arguments of its metatype: `Pcore::IntegerType(1, 2)` is `Integer[1, 2]`.
/// `None` if the object type is not a metatype.
pub(crate) fn construct(object: &ObjectType, args: &[Value]) -> Option<EvalResult> {
    let word = object.name.strip_prefix("Pcore::")?.strip_suffix("Type")?;
    let signature = signature(object);
    if !accepts(&signature, args, None) {
        let name = format!("new_{}", object.name);
        return Some(plain(describe_call(&name, &[&signature], args, None)));
    }
    let base = match word {
        "TypeReference" => builtin("TypeReference")?,
        word => builtin(word)?,
    };
    Some(made(word, &base, args))
}

fn signature(object: &ObjectType) -> Signature {
    let mut attributes: Vec<ObjectAttribute> = object.all_attributes().into_values().collect();
    // The size comes last where a type has parts.
    attributes.sort_by_key(|a| a.name == "size_type");
    let params = attributes.into_iter().map(|a| SignatureParam {
        optional: a.value.is_some(),
        name: a.name,
        kind: a.kind,
    });
    Signature { params: params.collect(), ..Signature::default() }
}

fn made(word: &str, base: &Type, args: &[Value]) -> EvalResult {
    let items = |value: &Value| value.as_array().map_or_else(Vec::new, <[Value]>::to_vec);
    let first = args.first().filter(|arg| !arg.is_undef());
    let mut keys: Vec<Value> = match (word, first) {
        ("Variant" | "Enum" | "Pattern" | "Tuple" | "SemVer", Some(list)) => {
            let mut keys = items(list);
            keys.extend_from_slice(&args[1..]);
            keys
        }
        ("Init", Some(kind)) => {
            let mut keys = vec![kind.clone()];
            keys.extend(args.get(1).map_or_else(Vec::new, items));
            keys
        }
        ("Integer" | "Float" | "Timestamp" | "Timespan", _) => {
            let open = |arg: &Value| if arg.is_undef() { Value::Default } else { arg.clone() };
            args.iter().map(open).collect()
        }
        ("Array" | "Hash", Some(_)) => {
            let any = |arg: &Value| {
                if arg.is_undef() { Value::of_type(Type::Any) } else { arg.clone() }
            };
            args.iter().map(any).collect()
        }
        ("String", Some(Value::Str(text))) => {
            return Ok(Value::of_type(Type::Literal(text.clone())));
        }
        ("TypeReference", Some(Value::Str(name))) => {
            return Ok(Value::of_type(Type::Reference(name.clone())));
        }
        ("Callable", _) => return Ok(Value::of_type(callable(args))),
        ("Struct", Some(elements)) => vec![members(&items(elements))],
        ("TypeSet", Some(definition)) => {
            return TypeSet::from_hash(definition).map(|set| Value::of_type(Type::TypeSet(set)));
        }
        _ => args.to_vec(),
    };
    if word == "Hash" && keys.len() == 1 {
        keys.push(Value::of_type(Type::Any));
    }
    while keys.last().is_some_and(Value::is_undef) {
        keys.pop();
    }
    match keys.is_empty() || word == "Numeric" {
        true => Ok(Value::of_type(base.clone())),
        false => specialize_value(base, &keys),
    }
}

fn members(elements: &[Value]) -> Value {
    let entry = |element: &Value| match element {
        Value::Object(object) => {
            let part = |name| object.values.get(name).cloned().unwrap_or_default();
            (part("key_type"), part("value_type"))
        }
        _ => Default::default(),
    };
    Value::Hash(Arc::new(elements.iter().map(entry).collect()))
}

fn callable(args: &[Value]) -> Type {
    let kind = |i: usize| match args.get(i) {
        Some(Value::Type(kind)) => Some(Type::clone(kind)),
        _ => None,
    };
    let Some(Type::Tuple(params, size)) = kind(0) else { return Type::Callable(None) };
    let count = params.len() as i64;
    Type::Callable(Some(Arc::new(CallableType {
        params: params.to_vec(),
        size: size.unwrap_or(IntRange::new(count, count)),
        block: kind(1),
        returns: kind(2).filter(|kind| *kind != Type::Any),
    })))
}
