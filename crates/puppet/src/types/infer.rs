//! The types of values, and what types have in common.

use std::sync::Arc;

use ecow::EcoString;
use rustc_hash::FxHashSet;

use crate::eval::closure::Signature;
use crate::types::assignable::{is_assignable, variant_of};
use crate::types::normalize::{data, enumeration, rich_data};
use crate::types::{CallableType, FloatRange, IntRange, SizeRange, StructMember, Type};
use crate::value::Value;

/// The type of a value, with one type for all elements of a list.
pub fn infer(value: &Value) -> Type {
    match value {
        Value::Array(items) if items.is_empty() => empty_array(),
        Value::Array(items) => Type::Array(Arc::new(common(items.iter())), exact_size(items.len())),
        Value::Hash(entries) if entries.is_empty() => empty_hash(),
        Value::Hash(entries) => Type::Hash(
            Arc::new((common(entries.keys()), common(entries.values()))),
            exact_size(entries.len()),
        ),
        Value::Undef => Type::Undef,
        Value::Default => Type::Default,
        Value::Bool(b) => Type::Boolean(Some(*b)),
        Value::Int(i) => Type::Integer(IntRange::new(*i, *i)),
        Value::Float(f) => Type::Float(FloatRange { from: *f, to: *f }),
        Value::Str(s) => Type::Literal(s.clone()),
        Value::Regexp(r) => Type::Regexp(Some(Arc::clone(r))),
        Value::Type(t) => Type::Type(Some(Arc::clone(t))),
        Value::Reference(t) => Type::Type(Some(Arc::new(as_resource(t)))),
        Value::Sensitive(v) => Type::Sensitive(Some(Arc::new(generalize(&infer(v))))),
        Value::SemVer(_) => Type::SemVer([].into()),
        Value::SemVerRange(_) => Type::SemVerRange,
        Value::Uri(uri) => crate::types::uri::type_of(crate::types::uri::parts(uri)),
        Value::Binary(_) => Type::Binary,
        Value::Timestamp(ns) => Type::Timestamp(Some((**ns, **ns))),
        Value::Timespan(ns) => Type::Timespan(Some((**ns, **ns))),
        Value::Callable(closure) => callable_of(&closure.signature),
        Value::Object(object) => crate::types::object::type_of(object),
        Value::Instance(instance) => Type::Object(Arc::clone(&instance.kind)),
        // The type of a walk over a tree is that of a class of the runtime.
        Value::Iterator(iterator) if matches!(*iterator.element, Type::Runtime(_)) => {
            Type::clone(&iterator.element)
        }
        Value::Iterator(iterator) => Type::Iterator(Some(iterator.of())),
    }
}

/// A reference to a class as one to a resource, which it is once it was given as a parameter.
pub(crate) fn as_resource(kind: &Type) -> Type {
    match kind {
        Type::Class(Some(name)) => {
            let key = crate::catalog::ResourceKey::new("class", name);
            Type::Resource { kind: Some(key.kind), title: Some(key.title) }
        }
        other => other.clone(),
    }
}

/// The type of a value, with the types of all elements of lists and hashes.
pub fn infer_set(value: &Value) -> Type {
    match value {
        Value::Array(items) if items.is_empty() => empty_array(),
        Value::Array(items) => Type::Tuple(items.iter().map(infer_set).collect(), None),
        Value::Hash(entries) if entries.is_empty() => empty_hash(),
        Value::Hash(entries) => {
            let texts = entries.keys().all(|k| k.as_str().is_some_and(|s| !s.is_empty()));
            if texts {
                let members = entries.iter().map(|(key, value)| StructMember {
                    name: key.as_str().unwrap_or_default().into(),
                    optional: false,
                    key_not_undef: false,
                    kind: infer_set(value),
                });
                return Type::Struct(members.collect());
            }
            let keys = variant_of(entries.keys().map(infer_set));
            let values = variant_of(entries.values().map(infer_set));
            Type::Hash(Arc::new((keys, values)), exact_size(entries.len()))
        }
        Value::SemVer(version) => Type::SemVer([ecow::eco_format!("{version} - {version}")].into()),
        _ => infer(value),
    }
}

fn exact_size(count: usize) -> SizeRange {
    let count = count as i64;
    IntRange::new(count, count)
}

/// The type of an empty list.
pub(crate) fn empty_array() -> Type {
    Type::Array(Arc::new(Type::Unit), IntRange::new(0, 0))
}

/// The type of an empty hash.
pub(crate) fn empty_hash() -> Type {
    Type::Hash(Arc::new((Type::Unit, Type::Unit)), IntRange::new(0, 0))
}

/// The type of something callable with these parameters.
pub fn callable_of(signature: &Signature) -> Type {
    let (from, to) = (signature.min() as i64, signature.params.len() as i64);
    let size = match signature.rest {
        true => IntRange::at_least(from.min(to)),
        false => IntRange::new(from, to),
    };
    Type::Callable(Some(Arc::new(CallableType {
        params: signature.params.iter().map(|p| p.kind.clone()).collect(),
        size,
        block: signature.block.clone(),
        returns: signature.returns.clone(),
    })))
}

/// The common type of values. Texts and integers, the usual elements, are gathered without making
/// a type of each.
fn common<'a>(values: impl Iterator<Item = &'a Value>) -> Type {
    let mut result = Gathered::Nothing;
    for value in values {
        result.add(value);
    }
    result.finish()
}

enum Gathered<'a> {
    Nothing,
    Undef,
    Texts(FxHashSet<&'a EcoString>),
    Integers(IntRange),
    Other(Type),
}

impl<'a> Gathered<'a> {
    fn add(&mut self, value: &'a Value) {
        match (&mut *self, value) {
            (Self::Nothing, Value::Undef) => *self = Self::Undef,
            (_, Value::Undef) => {}
            (Self::Nothing | Self::Undef, Value::Str(s)) => {
                *self = Self::Texts(FxHashSet::from_iter([s]));
            }
            (Self::Nothing | Self::Undef, Value::Int(i)) => {
                *self = Self::Integers(IntRange::new(*i, *i));
            }
            (Self::Nothing | Self::Undef, _) => *self = Self::Other(infer(value)),
            (Self::Texts(texts), Value::Str(s)) => {
                texts.insert(s);
            }
            (Self::Integers(range), Value::Int(i)) => {
                *range = range.joined(IntRange::new(*i, *i));
            }
            (Self::Other(Type::Any), _) => {}
            _ => {
                let so_far = std::mem::replace(self, Self::Nothing).finish();
                *self = Self::Other(common_type(&so_far, &infer(value)));
            }
        }
    }

    fn finish(self) -> Type {
        match self {
            Self::Nothing => Type::Unit,
            Self::Undef => Type::Undef,
            Self::Texts(texts) if texts.len() == 1 => {
                texts.into_iter().next().map_or(Type::Unit, |s| Type::Literal(s.clone()))
            }
            Self::Texts(texts) => enumeration(texts.into_iter().cloned().collect(), false),
            Self::Integers(range) => Type::Integer(range),
            Self::Other(kind) => kind,
        }
    }
}

/// A type that takes both.
pub fn common_type(a: &Type, b: &Type) -> Type {
    match (a, b) {
        (Type::Undef | Type::Unit, _) => return b.clone(),
        (_, Type::Undef | Type::Unit) => return a.clone(),
        _ => {}
    }
    if is_assignable(a, b) {
        return a.clone();
    }
    if is_assignable(b, a) {
        return b.clone();
    }
    of_one_kind(a, b).unwrap_or_else(|| {
        let takes = |kind: &Type| is_assignable(kind, a) && is_assignable(kind, b);
        if takes(&Type::Numeric) {
            Type::Numeric
        } else if takes(&Type::ScalarData) {
            Type::ScalarData
        } else if takes(&Type::Scalar) {
            Type::Scalar
        } else if takes(data()) {
            Type::Data
        } else if let (Type::Type(x), Type::Type(y)) = (a, b) {
            Type::Type(x.as_ref().zip(y.as_ref()).map(|(x, y)| Arc::new(common_type(x, y))))
        } else if takes(rich_data()) {
            Type::RichData
        } else {
            Type::Any
        }
    })
}

fn of_one_kind(a: &Type, b: &Type) -> Option<Type> {
    Some(match (a, b) {
        (Type::Array(x, _), Type::Array(y, _)) => {
            Type::Array(Arc::new(common_type(x, y)), SizeRange::ANY_SIZE)
        }
        (Type::Hash(x, _), Type::Hash(y, _)) => Type::Hash(
            Arc::new((common_type(&x.0, &y.0), common_type(&x.1, &y.1))),
            SizeRange::ANY_SIZE,
        ),
        (Type::Class(_), Type::Class(_)) => Type::Class(None),
        (Type::Resource { kind: x, .. }, Type::Resource { kind: y, .. }) => {
            Type::Resource { kind: if x == y { x.clone() } else { None }, title: None }
        }
        (Type::Integer(x), Type::Integer(y)) => Type::Integer(x.joined(*y)),
        (Type::Float(x), Type::Float(y)) => {
            Type::Float(FloatRange { from: x.from.min(y.from), to: x.to.max(y.to) })
        }
        (Type::Pattern(x), Type::Pattern(y)) => {
            let mut all = x.to_vec();
            all.extend(y.iter().filter(|p| !x.contains(p)).cloned());
            Type::Pattern(all.into())
        }
        (Type::Variant(x), Type::Variant(y)) => variant_of(x.iter().chain(y.iter()).cloned()),
        (Type::Regexp(_), Type::Regexp(_)) => Type::Regexp(None),
        (Type::Callable(_), Type::Callable(_)) => Type::Callable(None),
        _ => return common_text(a, b),
    })
}

fn common_text(a: &Type, b: &Type) -> Option<Type> {
    let texts = |t: &Type| match t {
        Type::Literal(s) => Some(vec![s.clone()]),
        Type::Enum { values, .. } => Some(values.to_vec()),
        _ => None,
    };
    let is_text = |t: &Type| matches!(t, Type::String(_) | Type::Literal(_) | Type::Enum { .. });
    if !is_text(a) || !is_text(b) {
        return None;
    }
    match (a, b) {
        (Type::String(x), Type::String(y))
            if *x != SizeRange::ANY_SIZE && *y != SizeRange::ANY_SIZE =>
        {
            return Some(Type::String(x.joined(*y)));
        }
        (Type::Enum { .. }, Type::String(_)) | (Type::String(_), Type::Enum { .. }) => {
            return Some(Type::Enum { values: [].into(), caseless: false });
        }
        _ => {}
    }
    match (texts(a), texts(b)) {
        (Some(mut x), Some(y)) => {
            x.extend(y);
            Some(enumeration(x, false))
        }
        _ => Some(Type::String(SizeRange::ANY_SIZE)),
    }
}

/// The type without literal values, ranges and sizes.
pub fn generalize(kind: &Type) -> Type {
    let inner = |t: &Option<Arc<Type>>| t.as_ref().map(|t| Arc::new(generalize(t)));
    match kind {
        Type::Integer(_) => Type::Integer(IntRange::ANY),
        Type::Float(_) => Type::Float(FloatRange::ANY),
        Type::Boolean(_) => Type::Boolean(None),
        Type::String(_) | Type::Literal(_) => Type::String(SizeRange::ANY_SIZE),
        Type::Enum { values, .. } => {
            let sizes = || values.iter().map(|v| v.chars().count() as i64);
            let size = sizes().min().zip(sizes().max());
            Type::String(size.map_or(SizeRange::ANY_SIZE, |(from, to)| IntRange::new(from, to)))
        }
        Type::Parameterized(parameterized) => Type::Object(Arc::clone(&parameterized.base)),
        Type::Callable(Some(callable)) => Type::Callable(Some(Arc::new(CallableType {
            params: callable.params.iter().map(generalize).collect(),
            size: callable.size,
            block: callable.block.as_ref().map(generalize),
            returns: callable.returns.as_ref().map(generalize),
        }))),
        Type::Collection(_) => Type::Collection(SizeRange::ANY_SIZE),
        Type::Timestamp(_) => Type::Timestamp(None),
        Type::Timespan(_) => Type::Timespan(None),
        Type::Uri(_) => Type::Uri(None),
        Type::Optional(t) => Type::Optional(inner(t)),
        Type::NotUndef(t) => Type::NotUndef(inner(t)),
        Type::Type(t) => Type::Type(inner(t)),
        Type::Iterable(t) => Type::Iterable(inner(t)),
        Type::Iterator(t) => Type::Iterator(inner(t)),
        Type::Sensitive(t) => Type::Sensitive(inner(t)),
        Type::Array(element, _) => Type::Array(Arc::new(generalize(element)), SizeRange::ANY_SIZE),
        Type::Hash(entry, size) => {
            let empty = entry.0 == Type::Unit && entry.1 == Type::Unit && size.to == 0;
            if empty {
                return kind.clone();
            }
            Type::Hash(Arc::new((generalize(&entry.0), generalize(&entry.1))), SizeRange::ANY_SIZE)
        }
        Type::Tuple(types, size) => Type::Tuple(types.iter().map(generalize).collect(), *size),
        Type::Struct(members) => Type::Struct(
            members
                .iter()
                .map(|m| StructMember { kind: generalize(&m.kind), ..m.clone() })
                .collect(),
        ),
        Type::Variant(types) if types.is_empty() => kind.clone(),
        Type::Variant(types) => variant_of(types.iter().map(generalize)),
        _ => kind.clone(),
    }
}
