//! The types of values, and the common type of several.

use std::sync::Arc;

use ecow::EcoString;
use ordain_functions::version::{Range, Version};
use rustc_hash::FxHashSet;

use crate::types::aliases::{data, rich_data};
use crate::types::assignable::is_assignable;
use crate::types::variant::{enumeration, variant_of};
use crate::types::{FloatRange, IntRange, SizeRange, StructMember, Type};
use crate::value::{RuntimeObject, SemVerRange, Value};

pub use crate::types::generalize::generalize;
pub use crate::types::signature::callable_of;

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
        // The type of a walk over a tree is that of its runtime class.
        Value::Iterator(iterator) if matches!(*iterator.element, Type::Runtime(_)) => {
            Type::clone(&iterator.element)
        }
        Value::Iterator(iterator) => Type::Iterator(Some(iterator.of())),
        Value::Runtime(object) if object.is_integer() => {
            let nearest = object.nearest_integer();
            Type::Integer(IntRange::new(nearest, nearest))
        }
        Value::Runtime(object) => runtime_type(object),
    }
}

/// The type of a Ruby object is that of its class.
fn runtime_type(object: &RuntimeObject) -> Type {
    Type::Runtime(object.class.as_ref().map(|class| Arc::new(("ruby".into(), class.clone()))))
}

/// A reference to a class as one to a resource, which it is once it was given as a parameter.
pub(crate) fn as_resource(kind: &Type) -> Type {
    match kind {
        Type::Class(Some(name)) => {
            let key = crate::value::resource_key::ResourceKey::new("class", name);
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
        Value::SemVer(version) => {
            let range =
                Range::between(Version::clone(version), Some(Version::clone(version)), false);
            let text = ecow::eco_format!("{version} - {version}");
            Type::SemVer([SemVerRange { text, range }].into())
        }
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

/// The common type of values. Texts and integers, the usual elements, are gathered without making
/// a type of each, also where they are inside lists and hashes.
fn common<'a>(values: impl Iterator<Item = &'a Value>) -> Type {
    partial_type(values).kind()
}

fn partial_type<'a>(mut values: impl Iterator<Item = &'a Value>) -> PartialType<'a> {
    let Some(first) = values.next() else { return PartialType::Nothing };
    let mut result = PartialType::of(first);
    for value in values {
        match (&mut result, value) {
            (PartialType::Other(Type::Any), _) => break,
            (PartialType::Texts(texts), Value::Str(text)) => {
                texts.insert(text);
            }
            (PartialType::Integers(range), Value::Int(i)) => {
                *range = range.joined(IntRange::new(*i, *i));
            }
            (result, value) => result.add(PartialType::of(value)),
        }
    }
    result
}

/// A type in the making.
enum PartialType<'a> {
    /// The type of the elements of an empty list.
    Nothing,
    Undef,
    Texts(FxHashSet<&'a EcoString>),
    Integers(IntRange),
    Lists(Box<PartialType<'a>>, SizeRange),
    Hashes(Box<(PartialType<'a>, PartialType<'a>)>, SizeRange),
    Other(Type),
}

impl<'a> PartialType<'a> {
    fn of(value: &'a Value) -> Self {
        match value {
            Value::Undef => Self::Undef,
            Value::Str(s) => Self::Texts(FxHashSet::from_iter([s])),
            Value::Int(i) => Self::Integers(IntRange::new(*i, *i)),
            Value::Array(items) => {
                Self::Lists(Box::new(partial_type(items.iter())), exact_size(items.len()))
            }
            Value::Hash(entries) => {
                let parts = (partial_type(entries.keys()), partial_type(entries.values()));
                Self::Hashes(Box::new(parts), exact_size(entries.len()))
            }
            _ => Self::Other(infer(value)),
        }
    }

    /// As [`common_type`] does it.
    fn add(&mut self, other: Self) {
        match (&mut *self, other) {
            (Self::Undef, other) => *self = other,
            (_, Self::Undef) => {}
            (Self::Nothing, other) => *self = other,
            (_, Self::Nothing) => {}
            (Self::Texts(texts), Self::Texts(more)) => texts.extend(more),
            (Self::Integers(range), Self::Integers(more)) => *range = range.joined(more),
            (Self::Lists(element, size), Self::Lists(other, other_size)) => {
                if size.covers(other_size) && element.takes(&other) {
                    return;
                }
                if other_size.covers(*size) && other.takes(element) {
                    (*element, *size) = (other, other_size);
                    return;
                }
                element.add(*other);
                *size = SizeRange::ANY_SIZE;
            }
            (Self::Hashes(entry, size), Self::Hashes(other, other_size)) => {
                let takes = |to: &(Self, Self), from: &(Self, Self)| {
                    to.0.takes(&from.0) && to.1.takes(&from.1)
                };
                if size.covers(other_size) && takes(entry, &other) {
                    return;
                }
                if other_size.covers(*size) && takes(&other, entry) {
                    (*entry, *size) = (other, other_size);
                    return;
                }
                entry.0.add(other.0);
                entry.1.add(other.1);
                *size = SizeRange::ANY_SIZE;
            }
            (_, other) => {
                *self = Self::Other(common_type(&self.kind(), &other.kind()));
            }
        }
    }

    fn kind(&self) -> Type {
        match self {
            Self::Nothing => Type::Unit,
            Self::Undef => Type::Undef,
            Self::Texts(texts) => match texts.iter().next() {
                Some(only) if texts.len() == 1 => Type::Literal((*only).clone()),
                _ => enumeration(texts.iter().copied().cloned().collect(), false),
            },
            Self::Integers(range) => Type::Integer(*range),
            Self::Lists(element, size) => Type::Array(Arc::new(element.kind()), *size),
            Self::Hashes(entry, size) => {
                Type::Hash(Arc::new((entry.0.kind(), entry.1.kind())), *size)
            }
            Self::Other(kind) => kind.clone(),
        }
    }

    /// Whether every instance of the other is one of this.
    fn takes(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Nothing, _) | (_, Self::Nothing) => true,
            (Self::Undef, other) => matches!(other, Self::Undef),
            (_, Self::Undef) => is_assignable(&self.kind(), &Type::Undef),
            (Self::Texts(texts), Self::Texts(others)) => {
                others.len() <= texts.len() && others.is_subset(texts)
            }
            (Self::Integers(range), Self::Integers(other)) => range.covers(*other),
            (Self::Lists(element, size), Self::Lists(other, other_size)) => {
                size.covers(*other_size) && element.takes(other)
            }
            (Self::Hashes(entry, size), Self::Hashes(other, other_size)) => {
                size.covers(*other_size) && entry.0.takes(&other.0) && entry.1.takes(&other.1)
            }
            (Self::Other(_), _) | (_, Self::Other(_)) => is_assignable(&self.kind(), &other.kind()),
            _ => false,
        }
    }
}

/// A type that takes both.
pub fn common_type(a: &Type, b: &Type) -> Type {
    match (a, b) {
        (Type::Undef, _) => return b.clone(),
        (_, Type::Undef) => return a.clone(),
        (Type::Unit, _) => return b.clone(),
        (_, Type::Unit) => return a.clone(),
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
