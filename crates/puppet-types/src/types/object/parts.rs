//! The parts of types: the attributes of a type as an object, which `tree_each` visits. Attributes
//! of the parent type are not included, so `Array[String, 1]` has no size.

use std::sync::Arc;

use indexmap::IndexMap;

use crate::types::object::meta;
use crate::types::{CallableType, Regexp, SizeRange, StructMember, Type};
use crate::value::{HashValue, Object, Value};

/// The attributes of a type by name, in the order in which they are walked.
pub fn parts(kind: &Type) -> Vec<(&'static str, Value)> {
    let one = |name, value| vec![(name, value)];
    match kind {
        Type::Array(element, _) => one("element_type", type_value(element)),
        Type::Hash(entry, _) => {
            vec![("key_type", type_value(&entry.0)), ("value_type", type_value(&entry.1))]
        }
        Type::Optional(inner)
        | Type::NotUndef(inner)
        | Type::Iterable(inner)
        | Type::Iterator(inner)
        | Type::Type(inner) => one("type", or_undef(inner.as_deref().map(type_value))),
        Type::Init(init) => vec![
            ("type", or_undef(init.as_ref().map(|init| type_value(&init.target)))),
            (
                "init_args",
                Value::array(init.iter().flat_map(|init| init.arguments.iter().cloned())),
            ),
        ],
        Type::Variant(types) => one("types", list(types)),
        Type::Tuple(types, size) => vec![("types", list(types)), ("size_type", sized(*size))],
        Type::Struct(members) => one("elements", Value::array(members.iter().map(element))),
        Type::Collection(size) => one("size_type", said(*size)),
        Type::String(size) => one("size_type_or_value", said(*size)),
        Type::Literal(text) => one("size_type_or_value", Value::Str(text.clone())),
        Type::Enum { values, caseless } => vec![
            ("values", Value::array(values.iter().cloned().map(Value::Str))),
            ("case_insensitive", Value::Bool(*caseless)),
        ],
        Type::Pattern(patterns) => {
            let regexp = |r: &Arc<Regexp>| Value::of_type(Type::Regexp(Some(Arc::clone(r))));
            one("patterns", Value::array(patterns.iter().map(regexp)))
        }
        Type::Regexp(regexp) => one("pattern", text(regexp.as_ref().map(|r| r.source.as_str()))),
        Type::Callable(callable) => callable_parts(callable.as_deref()),
        _ => named_parts(kind),
    }
}

/// Those of types that are about something that has a name or bounds.
fn named_parts(kind: &Type) -> Vec<(&'static str, Value)> {
    match kind {
        Type::Class(name) => vec![("class_name", text(name.as_deref()))],
        Type::Resource { kind, title } => {
            let name = kind.as_deref().map(ordain_puppet_syntax::names::capitalized);
            vec![("type_name", text(name.as_deref())), ("title", text(title.as_deref()))]
        }
        Type::Runtime(runtime) => vec![
            ("runtime", text(runtime.as_ref().map(|r| r.0.as_str()))),
            ("name_or_pattern", text(runtime.as_ref().map(|r| r.1.as_str()))),
        ],
        Type::Timestamp(range) => times(*range, |ns| Value::Timestamp(Arc::new(ns))),
        Type::Timespan(range) => times(*range, |ns| Value::Timespan(Arc::new(ns))),
        Type::SemVer(ranges) => {
            let ranges = ranges.iter().map(|range| Value::SemVerRange(Arc::new(range.clone())));
            vec![("ranges", Value::array(ranges))]
        }
        Type::Uri(parts) => {
            vec![("parameters", parts.as_ref().map_or(Value::Undef, |parts| Value::clone(parts)))]
        }
        _ => Vec::new(),
    }
}

fn callable_parts(callable: Option<&CallableType>) -> Vec<(&'static str, Value)> {
    let params = callable.map(|callable| {
        let exact = SizeRange::new(callable.params.len() as i64, callable.params.len() as i64);
        let is_sized = callable.size != exact || callable.params.is_empty();
        let size = is_sized.then_some(callable.size);
        Value::of_type(Type::Tuple(callable.params.as_slice().into(), size))
    });
    let block = callable.and_then(|callable| callable.block.as_ref());
    let returns = callable.and_then(|callable| callable.returns.as_ref());
    vec![
        ("param_types", or_undef(params)),
        ("block_type", or_undef(block.map(type_value))),
        ("return_type", or_undef(returns.map(type_value))),
    ]
}

fn type_value(kind: &Type) -> Value {
    Value::of_type(kind.clone())
}

fn or_undef(value: Option<Value>) -> Value {
    value.unwrap_or_default()
}

fn text(text: Option<&str>) -> Value {
    text.map_or(Value::Undef, Value::str)
}

fn list(types: &[Type]) -> Value {
    Value::array(types.iter().map(type_value))
}

fn sized(size: Option<SizeRange>) -> Value {
    or_undef(size.map(|size| Value::of_type(Type::Integer(size))))
}

fn said(size: SizeRange) -> Value {
    sized((!size.is_unsaid_size()).then_some(size))
}

/// The ends of a range of times; one that cannot be reached is open.
fn times(range: Option<(i128, i128)>, value: fn(i128) -> Value) -> Vec<(&'static str, Value)> {
    let (from, to) = range.unwrap_or((i128::MIN, i128::MAX));
    let end = |ns: i128, open: i128| if ns == open { Value::Undef } else { value(ns) };
    vec![("from", end(from, i128::MIN)), ("to", end(to, i128::MAX))]
}

/// An entry of a `Struct` as the object that it is in the model of types.
fn element(member: &StructMember) -> Value {
    let name = Type::Literal(member.name.clone());
    let key = match (member.optional, member.key_not_undef) {
        (true, _) => Type::Optional(Some(Arc::new(name))),
        (false, true) => Type::NotUndef(Some(Arc::new(name))),
        (false, false) => name,
    };
    let Some(Type::Object(kind)) = meta::named("Pcore::StructElement") else {
        return Value::Hash(Arc::new(HashValue::default()));
    };
    let values = [("key_type", type_value(&key)), ("value_type", type_value(&member.kind))];
    let values: IndexMap<_, _, _> =
        values.map(|(name, value)| (name.into(), value)).into_iter().collect();
    Value::Object(Arc::new(Object { kind, values }))
}
