//! Types with parameters: `T[args]`.

use std::sync::Arc;

use ecow::EcoString;

use crate::error::{EvalResult, issue, plain};
use crate::types::instance::is_instance;
use crate::types::library::{builtin, parse_static};
use crate::types::mismatch::assert_instance;
use crate::types::new::signatures::signatures;
use crate::types::object::define::of_definition;
use crate::types::object::type_parameters;
use crate::types::parameters::{bad_type, one, specialize_plain};
use crate::types::references::flat;
use crate::types::text_reader::read_with;
use crate::types::uri::{self, Uri};
use crate::types::{InitType, ObjectType, Parameterized, Type, TypeSet};
use crate::value::Value;
use crate::value::text::to_text;

/// The type that a text names, built from built-in types and given names.
///
/// # Errors
/// When the text is no type.
#[inline]
pub fn parse_text(text: &str, named: &mut dyn FnMut(&str) -> Option<Type>) -> EvalResult<Type> {
    read_with(text, &mut |name| builtin(name).or_else(|| named(name)), specialize_value)
}

/// `T[args]` where the result is one type.
///
/// # Errors
/// When the arguments do not fit the type.
pub fn specialize(base: &Type, args: &[Value]) -> EvalResult<Type> {
    match specialize_value(base, args)? {
        Value::Type(kind) => Ok((*kind).clone()),
        _ => issue("BAD_TYPE_SPECIALIZATION", format!("{base}[] does not name one type")),
    }
}

/// `T[args]`: a type, or a list of references where several titles are given.
///
/// # Errors
/// When the arguments do not fit the type.
pub fn specialize_value(base: &Type, args: &[Value]) -> EvalResult {
    let kind = match base {
        Type::Init(_) => init(args)?,
        Type::Uri(_) => uri(one("URI-Type", &flat(args))?)?,
        // One without a name is taken for `Object` itself.
        Type::Object(kind) if kind.is_root() || kind.name.is_empty() => {
            Type::Object(of_definition(one("Object-Type", &flat(args))?)?)
        }
        Type::Object(kind) => parameterized(kind, &flat(args))?,
        Type::TypeSet(_) => Type::TypeSet(TypeSet::from_hash(one("TypeSet-Type", &flat(args))?)?),
        _ => return specialize_plain(base, args),
    };
    Ok(Value::of_type(kind))
}

fn init(keys: &[Value]) -> EvalResult<Type> {
    match keys {
        [Value::Type(kind), arguments @ ..] => {
            let (target, arguments) = ((**kind).clone(), arguments.to_vec());
            Ok(Type::Init(Some(Arc::new(InitType { target, arguments, signatures }))))
        }
        [other, ..] => bad_type("Init-Type", 0, other),
        [] => bad_type("Init-Type", 0, &Value::Undef),
    }
}

fn uri(key: &Value) -> EvalResult<Type> {
    match key {
        key @ Value::Str(text) if text.is_empty() => bad_type("URI-Type", 0, key),
        Value::Str(text) => match text.parse::<Uri>() {
            Ok(uri) if uri.scheme.is_some() => Ok(uri::type_of(uri::parts(&uri))),
            _ => plain(format!(
                "URI-Type parameter has wrong type, expects an address with a scheme, got '{text}'"
            )),
        },
        key @ Value::Hash(_) if may_be_parts(key) => Ok(uri::type_of(key.clone())),
        key => bad_type("URI-Type", 0, key),
    }
}

/// Whether a hash may describe the parts of a type of URIs: texts, port numbers, and types and
/// expressions for them.
fn may_be_parts(given: &Value) -> bool {
    const TEXT: &str = "Optional[Variant[String[1], Regexp, Type[Pattern], Type[Enum], \
                        Type[NotUndef], Type[Undef]]]";
    const PORT: &str = "Optional[Variant[Integer[0], Type[NotUndef], Type[Undef]]]";
    given.as_hash().into_iter().flatten().all(|(name, part)| match name.as_str() {
        Some("port") => is_instance(&parse_static(PORT), part),
        Some("scheme" | "userinfo" | "host" | "path" | "query" | "fragment" | "opaque") => {
            is_instance(&parse_static(TEXT), part)
        }
        _ => false,
    })
}

/// `T[args]` of an object type with type parameters.
///
/// # Errors
/// When the type has no parameters, or the arguments do not fit.
fn parameterized(kind: &Arc<ObjectType>, keys: &[Value]) -> EvalResult<Type> {
    let all = type_parameters(kind);
    let label = kind.label();
    let Some((_, first)) = all.first() else {
        return plain(format!("The {label}-Type cannot be parameterized using []"));
    };
    let mut parameters = Vec::new();
    let mut give = |name: &EcoString, expected: &Type, value: &Value| {
        if !matches!(value, Value::Default) {
            let subject = format!("type_parameter {label}[{name}]");
            assert_instance(&subject, expected, value)?;
            parameters.push((name.clone(), value.clone()));
        }
        EvalResult::Ok(())
    };
    match keys {
        [Value::Hash(entries)] if !is_instance(first, &keys[0]) => {
            for (name, value) in entries.iter() {
                let name = to_text(name);
                let Some((_, expected)) = all.iter().find(|(known, _)| *known == name) else {
                    return plain(format!(
                        "'{name}' is not a known type parameter for {label}-Type"
                    ));
                };
                give(&name, expected, value)?;
            }
        }
        keys => {
            for ((name, expected), value) in all.iter().zip(keys) {
                give(name, expected, value)?;
            }
        }
    }
    if parameters.is_empty() {
        return plain(format!(
            "The {label}-Type cannot be parameterized using an empty parameter list"
        ));
    }
    Ok(Type::Parameterized(Arc::new(Parameterized { base: Arc::clone(kind), parameters })))
}
