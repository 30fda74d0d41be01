//! Instance checks of values against types, without type inference.

use std::sync::Arc;

use crate::types::aliases::{data, rich_data, rich_data_key};
use crate::types::assignable::{is_assignable, object_is_a};
use crate::types::infer::infer;
use crate::types::init::{init_accepts, init_fault};
use crate::types::object::has_parameters;
use crate::types::object::metatypes::is_metatype;
use crate::types::ruby_classes;
use crate::types::signature::callable_of;
use crate::types::undecided::undecided;
use crate::types::uri::{self, Uri};
use crate::types::{InitType, SizeRange, StructMember, Type, TypeAlias};
use crate::value::equality::case_matches;
use crate::value::{HashValue, Key, Value};

/// The aliases that are being resolved for one value, innermost first. An alias that recurs at the
/// same part of the value has no instances.
struct Guard<'a> {
    alias: *const TypeAlias,
    value: *const Value,
    outer: Option<&'a Guard<'a>>,
}

/// Whether `value` is an instance of `kind`.
#[inline]
pub fn is_instance(kind: &Type, value: &Value) -> bool {
    test(kind, value, None)
}

fn test(kind: &Type, value: &Value, guard: Option<&Guard<'_>>) -> bool {
    match kind {
        Type::Any | Type::Unit => true,
        Type::Undef => value.is_undef(),
        Type::Default => matches!(value, Value::Default),
        Type::String(size) => text_size(value, *size),
        Type::Literal(text) => value.as_str() == Some(text),
        Type::Enum { values, caseless } => is_one_of(values, *caseless, value),
        Type::Pattern(patterns) => value
            .as_str()
            .is_some_and(|s| patterns.is_empty() || patterns.iter().any(|p| p.is_match(s))),
        Type::Integer(range) => match value {
            Value::Int(i) => range.contains(*i),
            Value::Runtime(object) => {
                object.is_integer() && range.contains(object.nearest_integer())
            }
            _ => false,
        },
        Type::Float(range) => {
            matches!(value, Value::Float(f) if range.from <= *f && *f <= range.to)
        }
        Type::Boolean(expected) => {
            matches!(value, Value::Bool(b) if expected.is_none_or(|e| e == *b))
        }
        // As upstream, NaN is in no range.
        Type::Numeric => match value {
            Value::Float(number) => !number.is_nan(),
            Value::Runtime(object) => object.is_integer(),
            other => matches!(other, Value::Int(_)),
        },
        Type::ScalarData => is_scalar_data(value),
        // Numbers of Ruby that the language has no kind of value for are scalars, too.
        Type::Scalar => match value {
            Value::Runtime(object) => ruby_classes::is_a(object, "Numeric"),
            _ => is_scalar(value),
        },
        Type::Optional(inner) => {
            value.is_undef() || inner.as_ref().is_some_and(|t| test(t, value, guard))
        }
        Type::NotUndef(inner) => {
            !value.is_undef() && inner.as_ref().is_none_or(|t| test(t, value, guard))
        }
        Type::Variant(types) => types.iter().any(|t| test(t, value, guard)),
        Type::Array(..) | Type::Hash(..) | Type::Tuple(..) | Type::Struct(_) => {
            collection(kind, value, guard)
        }
        Type::Alias(alias) => named(alias, value, guard),
        Type::Data => test(data(), value, guard),
        Type::RichData => test(rich_data(), value, guard),
        Type::RichDataKey => test(rich_data_key(), value, guard),
        _ => rare(kind, value, guard),
    }
}

fn text_size(value: &Value, size: SizeRange) -> bool {
    match value {
        Value::Str(_) if size == SizeRange::ANY_SIZE => true,
        Value::Str(s) => size.contains(s.chars().count() as i64),
        _ => false,
    }
}

fn is_one_of(values: &[ecow::EcoString], caseless: bool, value: &Value) -> bool {
    let Some(text) = value.as_str() else { return false };
    match caseless {
        true => values.iter().any(|v| v.eq_ignore_ascii_case(text)),
        false if values.len() < 8 => values.iter().any(|v| v == text),
        false => values.binary_search_by(|v| v.as_str().cmp(text)).is_ok(),
    }
}

fn is_scalar_data(value: &Value) -> bool {
    match value {
        Value::Runtime(object) => object.is_integer(),
        other => matches!(other, Value::Str(_) | Value::Int(_) | Value::Float(_) | Value::Bool(_)),
    }
}

fn is_scalar(value: &Value) -> bool {
    is_scalar_data(value)
        || matches!(
            value,
            Value::Regexp(_)
                | Value::Timestamp(_)
                | Value::Timespan(_)
                | Value::SemVer(_)
                | Value::SemVerRange(_)
        )
}

fn collection(kind: &Type, value: &Value, guard: Option<&Guard<'_>>) -> bool {
    match (kind, value) {
        (Type::Array(element, size), Value::Array(items)) => {
            size.contains(items.len() as i64)
                && (**element == Type::Any || items.iter().all(|item| test(element, item, guard)))
        }
        (Type::Hash(entry, size), Value::Hash(entries)) => {
            size.contains(entries.len() as i64)
                && entries.iter().all(|(k, v)| test(&entry.0, k, guard) && test(&entry.1, v, guard))
        }
        (Type::Tuple(types, size), Value::Array(items)) => tuple(types, *size, items, guard),
        (Type::Struct(members), Value::Hash(entries)) => structure(members, entries, guard),
        _ => false,
    }
}

fn tuple(
    types: &[Type],
    size: Option<SizeRange>,
    items: &[Value],
    guard: Option<&Guard<'_>>,
) -> bool {
    let fits = match size {
        Some(size) => size.contains(items.len() as i64),
        None => types.is_empty() || types.len() == items.len(),
    };
    let Some(last) = types.last() else { return fits };
    fits && items.iter().enumerate().all(|(i, v)| test(types.get(i).unwrap_or(last), v, guard))
}

fn structure(members: &[StructMember], entries: &HashValue, guard: Option<&Guard<'_>>) -> bool {
    let mut matched = 0;
    for (i, member) in members.iter().enumerate() {
        // Hashes are mostly written in the order of their types.
        let here = entries.get_index(i).filter(|(key, _)| key.as_str() == Some(&*member.name));
        match here.map(|(_, value)| value).or_else(|| entry(entries, &member.name)) {
            Some(value) if test(&member.kind, value, guard) => matched += 1,
            Some(_) => return false,
            None if !member.optional => return false,
            None => {}
        }
    }
    matched == entries.len()
}

/// The value of an entry; few entries are looked through faster than a name is hashed.
fn entry<'v>(entries: &'v HashValue, name: &str) -> Option<&'v Value> {
    const MAX_SEARCHED: usize = 8;
    if entries.len() > MAX_SEARCHED {
        return entries.get(&Key(name));
    }
    entries.iter().find(|(key, _)| key.as_str() == Some(name)).map(|(_, value)| value)
}

fn named(alias: &Arc<TypeAlias>, value: &Value, outer: Option<&Guard<'_>>) -> bool {
    let Some(target) = alias.target.get() else { return false };
    let mut frame = outer;
    while let Some(guard) = frame.filter(|guard| std::ptr::eq(guard.value, value)) {
        if std::ptr::eq(guard.alias, Arc::as_ptr(alias)) {
            return false;
        }
        frame = guard.outer;
    }
    test(target, value, Some(&Guard { alias: Arc::as_ptr(alias), value, outer }))
}

fn rare(kind: &Type, value: &Value, guard: Option<&Guard<'_>>) -> bool {
    match (kind, value) {
        (Type::Regexp(source), Value::Regexp(r)) => {
            source.as_ref().is_none_or(|s| s.source == r.source)
        }
        (Type::Collection(size), Value::Array(items)) => size.contains(items.len() as i64),
        (Type::Collection(size), Value::Hash(entries)) => size.contains(entries.len() as i64),
        (Type::Type(None), Value::Type(_) | Value::Reference(_)) => true,
        (Type::Type(Some(inner)), Value::Reference(t)) => {
            is_assignable(inner, &crate::types::infer::as_resource(t))
        }
        (Type::Type(Some(inner)), Value::Type(t)) => is_assignable(inner, t),
        (Type::CatalogEntry | Type::Resource { .. } | Type::Class(_), _) => false,
        (Type::Sensitive(inner), Value::Sensitive(v)) => {
            inner.as_ref().is_none_or(|t| test(t, v, guard))
        }
        (Type::Binary, Value::Binary(_)) | (Type::SemVerRange, Value::SemVerRange(_)) => true,
        (Type::SemVer(ranges), Value::SemVer(version)) => {
            ranges.is_empty() || ranges.iter().any(|r| r.range.includes(version))
        }
        (Type::Uri(parts), Value::Uri(uri)) => {
            parts.as_ref().is_none_or(|parts| has_parts(parts, uri))
        }
        (Type::Timestamp(range), Value::Timestamp(ns))
        | (Type::Timespan(range), Value::Timespan(ns)) => {
            range.is_none_or(|(from, to)| from <= **ns && **ns <= to)
        }
        (Type::Callable(_), Value::Callable(closure)) => {
            is_assignable(kind, &callable_of(&closure.signature))
        }
        (Type::Init(None), _) => test(rich_data(), value, guard),
        (Type::Init(Some(init)), _) => {
            can_be_made(init) && (test(&init.target, value, guard) || init_accepts(init, value))
        }
        (Type::Parameterized(wanted), Value::Object(o)) => {
            object_is_a(&o.kind, &wanted.base) && has_parameters(wanted, o)
        }
        (Type::Object(object), Value::Object(o)) => object_is_a(&o.kind, object),
        (Type::Object(object), Value::Instance(i)) => object_is_a(&i.kind, object),
        (Type::Iterable(_) | Type::Iterator(_), _) => iterates(kind, value),
        (Type::Object(object), Value::Type(t)) => object.is_root() || is_metatype(&object.name, t),
        (Type::Object(_), _) => is_assignable(kind, &infer(value)),
        (Type::Runtime(wanted), Value::Runtime(object)) => wanted
            .as_ref()
            .is_none_or(|wanted| wanted.0 == "ruby" && ruby_classes::is_a(object, &wanted.1)),
        (Type::Runtime(_), Value::Iterator(walk)) => is_assignable(kind, &walk.element),
        (Type::TypeSet(_), Value::Type(t)) => matches!(**t, Type::TypeSet(_)),
        (Type::TypeSet(_), _) => is_assignable(kind, &infer(value)),
        _ => false,
    }
}

/// Whether a value is an instance of an `Iterable` or `Iterator` type.
fn iterates(kind: &Type, value: &Value) -> bool {
    let any = matches!(kind, Type::Iterable(element) if element.as_ref().is_none_or(|e| **e == Type::Any));
    match value {
        Value::Array(_) | Value::Hash(_) if any => true,
        Value::Runtime(object) if any => ruby_classes::is_a(object, "Range"),
        // With an element type, upstream asks the inferred type of the number, which has no end.
        Value::Int(i) if *i < 0 && any => false,
        Value::Iterator(iterator) => is_assignable(kind, &Type::Iterator(Some(iterator.of()))),
        value => is_assignable(kind, &infer(value)),
    }
}

/// Whether there is a way to make the target of an `Init`; the test has no answer if not.
fn can_be_made(init: &InitType) -> bool {
    let fault = init_fault(init);
    let is_made = fault.is_none();
    fault.into_iter().for_each(undecided);
    is_made
}

/// Whether a URI has all these parts; a part may be a type or an expression.
fn has_parts(parts: &Value, uri: &Uri) -> bool {
    parts.as_hash().is_none_or(|entries| {
        entries.iter().all(|(key, option)| {
            let part = uri::part(uri, key.as_str().unwrap_or_default());
            case_matches(option, &part.unwrap_or_default()).matched
        })
    })
}
