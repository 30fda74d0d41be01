//! Types without literal values, ranges and sizes.

use std::sync::Arc;

use crate::model::{CallableType, FloatRange, StructMember, Type};
use crate::types::range::{IntRange, SizeRange};
use crate::types::variant::variant_of;

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
