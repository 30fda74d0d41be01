//! Types with parameters: `T[args]`, of the types that need no other definitions for that. The rest
//! is in [`crate::types::specialize`].

use std::sync::Arc;

use ecow::EcoString;

use crate::error::{Blame, EvalResult, issue, issue_at, plain};
use crate::types::assignable::{is_assignable, is_callable};
use crate::types::generalize::generalize;
use crate::types::infer::infer;
use crate::types::label::{a_an_uc, class_name, type_label, with_article};
use crate::types::parameter_errors::{arity, bad_key_name};
use crate::types::references::{self, flat};
use crate::types::variant::{enumeration, variant_of};
use crate::types::{CallableType, FloatRange, IntRange, Regexp, SizeRange, StructMember, Type};
use crate::value::text::to_text;
use crate::value::{HashValue, Value};

/// `T[args]`: a type, or a list of references where several titles are given.
///
/// # Errors
/// When the arguments do not fit the type.
pub(crate) fn specialize_plain(base: &Type, args: &[Value]) -> EvalResult {
    match base {
        Type::Resource { .. } => return references::resource(base, args),
        Type::Class(_) => return references::class(base, args),
        _ => {}
    }
    specialized(base, args).map(Value::of_type)
}

fn specialized(base: &Type, args: &[Value]) -> EvalResult<Type> {
    let keys = flat(args);
    let keys = keys.as_slice();
    match base {
        Type::Integer(_) => integer(keys),
        Type::Float(_) => float(keys),
        Type::String(_) | Type::Literal(_) => string(keys),
        Type::Boolean(_) => boolean(base, keys),
        Type::Enum { .. } => enum_of(base, keys),
        Type::Pattern(_) => pattern(base, keys),
        Type::Regexp(_) => regexp(base, keys),
        Type::Collection(_) => match keys {
            [_] | [_, _] => Ok(Type::Collection(written_size(0, keys)?)),
            _ => arity("Collection-Type", 1, Some(2), keys.len()),
        },
        Type::Array(..) => array(keys),
        Type::Hash(..) => hash(keys),
        Type::Tuple(..) => tuple(base, keys),
        Type::Struct(_) => structure(base, args),
        Type::Variant(_) => variant(base, keys),
        Type::Optional(_) => match one("Optional-Type", keys)? {
            Value::Str(s) => Ok(Type::Optional(Some(Arc::new(Type::Literal(s.clone()))))),
            key => Ok(Type::Optional(Some(type_key("Optional-Type", 0, key)?))),
        },
        Type::NotUndef(_) => not_undef(keys),
        Type::Type(_) => Ok(Type::Type(Some(only_type("Type-Type", keys)?))),
        Type::Iterable(_) => Ok(Type::Iterable(Some(only_type("Iterable-Type", keys)?))),
        Type::Iterator(_) => Ok(Type::Iterator(Some(only_type("Iterator-Type", keys)?))),
        Type::Sensitive(_) => {
            let inner = only_type("Sensitive-Type", keys)?;
            Ok(Type::Sensitive(Some(Arc::new(generalize(&inner)))))
        }
        Type::Callable(_) => callable(base, args),
        _ => rare(base, keys),
    }
}

fn rare(base: &Type, keys: &[Value]) -> EvalResult<Type> {
    match base {
        Type::Timestamp(_) => {
            times(base, keys, true).map(|r| Type::Timestamp((r != OPEN).then_some(r)))
        }
        Type::Timespan(_) => {
            times(base, keys, false).map(|r| Type::Timespan((r != OPEN).then_some(r)))
        }
        Type::SemVer(_) => {
            assert_keys(base, keys, 1, None, &["String", "SemanticPuppet::VersionRange"], |k| {
                matches!(k, Value::Str(_) | Value::SemVerRange(_))
            })?;
            crate::types::semver::of_ranges(keys)
        }
        Type::Runtime(_) => match keys {
            [Value::Str(runtime), Value::Str(name)] => {
                Ok(Type::Runtime(Some(Arc::new((runtime.clone(), name.clone())))))
            }
            _ => {
                assert_keys(base, keys, 2, Some(2), &["String", "String"], |v| {
                    matches!(v, Value::Str(_))
                })?;
                Ok(base.clone())
            }
        },
        Type::Reference(name) => unknown_type(name),
        Type::Alias(alias) if alias.target.get().is_none() => unknown_type(&alias.name),
        // The target of an alias takes no parameters by the alias's name.
        _ => issue_at(
            "OPERATOR_NOT_APPLICABLE",
            Blame::Left,
            format!("Operator '[]' is not applicable to {}.", with_article(&type_label(base))),
        ),
    }
}

const OPEN: (i128, i128) = (i128::MIN, i128::MAX);

fn unknown_type<T>(name: &str) -> EvalResult<T> {
    issue("UNKNOWN_RESOURCE_TYPE", format!("Resource type not found: {name}"))
}

fn base_label(base: &Type) -> String {
    a_an_uc(&Value::of_type(base.clone()))
}

pub(crate) fn one<'k>(label: &str, keys: &'k [Value]) -> EvalResult<&'k Value> {
    match keys {
        [key] => Ok(key),
        _ => arity(label, 1, Some(1), keys.len()),
    }
}

pub(crate) fn bad_type<T>(label: &str, index: usize, key: &Value) -> EvalResult<T> {
    let got = match key {
        Value::Uri(uri) => uri_class(uri.scheme.as_deref()),
        key => class_name(key),
    };
    let message = format!("{label}[] arguments must be types. Got {got}");
    issue_at("BAD_TYPE_SLICE_TYPE", Blame::Key(index), message)
}

/// The name of the class that a URI of a scheme has in Ruby.
fn uri_class(scheme: Option<&str>) -> String {
    let scheme = scheme.unwrap_or_default().to_ascii_lowercase();
    let class = match scheme.as_str() {
        "file" => "File",
        "mailto" => "MailTo",
        "http" | "https" | "ftp" | "ldap" | "ldaps" | "ws" | "wss" => {
            return format!("URI::{}", scheme.to_ascii_uppercase());
        }
        _ => "Generic",
    };
    format!("URI::{class}")
}

fn type_key(label: &str, index: usize, key: &Value) -> EvalResult<Arc<Type>> {
    match key {
        Value::Type(kind) => Ok(Arc::clone(kind)),
        key => bad_type(label, index, key),
    }
}

fn only_type(label: &str, keys: &[Value]) -> EvalResult<Arc<Type>> {
    type_key(label, 0, one(label, keys)?)
}

fn bad_specialization<T>(base: &Type, index: usize, key: &Value, expected: &str) -> EvalResult<T> {
    let (base, got) = (with_article(&type_label(base)), bad_key_name(key));
    issue_at(
        "BAD_TYPE_SPECIALIZATION",
        Blame::Key(index),
        format!(
            "Error creating type specialization of {base}, Cannot use {got} where {expected} is expected"
        ),
    )
}

fn assert_keys(
    base: &Type,
    keys: &[Value],
    min: usize,
    max: Option<usize>,
    expected: &[&str],
    fits: impl Fn(&Value) -> bool,
) -> EvalResult<()> {
    if keys.len() < min || max.is_some_and(|max| keys.len() > max) {
        return arity(&base_label(base), 1, max, keys.len());
    }
    match keys.iter().position(|k| !fits(k)) {
        Some(index) => bad_specialization(base, index, &keys[index], &expected.join(" or ")),
        None => Ok(()),
    }
}

fn range_error<T>(from: impl std::fmt::Display, to: impl std::fmt::Display) -> EvalResult<T> {
    plain(format!("'from' must be less or equal to 'to'. Got ({from}, {to}"))
}

fn bounded([from, to]: [Option<i64>; 2]) -> EvalResult<IntRange> {
    match (from, to) {
        (Some(from), Some(to)) if from > to => range_error(from, to),
        _ => Ok(IntRange::between(from, to)),
    }
}

/// An end of a range, if it is one; `default` leaves it open.
fn bound(key: &Value) -> Option<Option<i64>> {
    match key {
        Value::Int(i) => Some(Some(*i)),
        Value::Default => Some(None),
        _ => None,
    }
}

fn integer(keys: &[Value]) -> EvalResult<Type> {
    if keys.is_empty() || keys.len() > 2 {
        let got = keys.len();
        let message =
            format!("Integer-Type supports [] with one or two arguments (from, to). Got {got}");
        return issue("BAD_INTEGER_SLICE_ARITY", message);
    }
    let mut ends = [None; 2];
    for (i, key) in keys.iter().enumerate() {
        match bound(key) {
            Some(end) => ends[i] = end,
            None => {
                let got = class_name(key);
                let message = format!(
                    "Integer-Type [] requires all arguments to be integers (or default). Got {got}"
                );
                return issue_at("BAD_INTEGER_SLICE_TYPE", Blame::Key(i), message);
            }
        }
    }
    bounded(ends).map(Type::Integer)
}

fn float(keys: &[Value]) -> EvalResult<Type> {
    if keys.is_empty() || keys.len() > 2 {
        let got = keys.len();
        let message =
            format!("Float-Type supports [] with one or two arguments (from, to). Got {got}");
        return issue("BAD_INTEGER_SLICE_ARITY", message);
    }
    let mut ends = [f64::NEG_INFINITY, f64::INFINITY];
    for (i, key) in keys.iter().enumerate() {
        match key {
            Value::Float(f) => ends[i] = *f,
            Value::Int(n) => ends[i] = *n as f64,
            Value::Default => {}
            key => {
                let got = class_name(key);
                let message = format!(
                    "Float-Type [] requires all arguments to be floats, or integers (or default). Got {got}"
                );
                return issue_at("BAD_INTEGER_SLICE_TYPE", Blame::Key(i), message);
            }
        }
    }
    if ends[0] > ends[1] {
        let text = |f: f64| to_text(&Value::Float(f));
        return range_error(text(ends[0]), text(ends[1]));
    }
    Ok(Type::Float(FloatRange { from: ends[0], to: ends[1] }))
}

/// A size from an integer type, or from one or two integers.
/// The size of a type that shows it, even where it is every size.
fn written_size(start: usize, keys: &[Value]) -> EvalResult<SizeRange> {
    let size = size(start, keys)?;
    Ok(if size == SizeRange::ANY_SIZE { SizeRange::WRITTEN_SIZE } else { size })
}

fn size(start: usize, keys: &[Value]) -> EvalResult<SizeRange> {
    if let [Value::Type(kind)] = keys
        && let Type::Integer(range) = &**kind
    {
        return Ok(range.of_sizes());
    }
    let mut ends = [None; 2];
    for (i, key) in keys.iter().enumerate() {
        match bound(key) {
            Some(end) => ends[i] = end,
            None => {
                let got = match key {
                    Value::Type(kind) => {
                        format!("{}-Type", crate::types::simple_name::simple_name(kind))
                    }
                    key => class_name(key),
                };
                let got = with_article(&got);
                let message = format!(
                    "A Type's size constraint arguments must be a single Integer type, or 1-2 integers (or default). Got {got}"
                );
                return issue_at("BAD_COLLECTION_SLICE_TYPE", Blame::Key(start + i), message);
            }
        }
    }
    bounded(ends).map(IntRange::of_sizes)
}

fn string(keys: &[Value]) -> EvalResult<Type> {
    match keys {
        [_] | [_, _] => Ok(Type::String(written_size(0, keys)?)),
        _ => {
            let got = keys.len();
            let message = format!("String supports [] with one or two arguments. Got {got}");
            issue("BAD_STRING_SLICE_ARITY", message)
        }
    }
}

fn boolean(base: &Type, keys: &[Value]) -> EvalResult<Type> {
    assert_keys(base, keys, 1, Some(1), &["TrueClass", "FalseClass"], |k| {
        matches!(k, Value::Bool(_))
    })?;
    Ok(Type::Boolean(keys.first().map(Value::is_true)))
}

fn enum_of(base: &Type, keys: &[Value]) -> EvalResult<Type> {
    let (texts, caseless) = match keys {
        [texts @ .., Value::Bool(caseless)] => (texts, *caseless),
        texts => (texts, false),
    };
    assert_keys(base, texts, 1, None, &["String"], |k| k.as_str().is_some())?;
    let values = texts.iter().filter_map(Value::as_str).map(EcoString::from).collect();
    Ok(enumeration(values, caseless))
}

fn broken_regexp<T>(reason: &str) -> EvalResult<T> {
    plain(reason)
}

fn compiled(source: &EcoString) -> EvalResult<Arc<Regexp>> {
    let regexp = Arc::new(Regexp::new(source.clone()));
    match regexp.regex() {
        Ok(_) => Ok(Arc::clone(&regexp)),
        Err(reason) => broken_regexp(reason),
    }
}

fn pattern(base: &Type, keys: &[Value]) -> EvalResult<Type> {
    let names = ["String", "Regexp", "Pattern-Type", "Regexp-Type"];
    assert_keys(base, keys, 1, None, &names, |k| match k {
        Value::Str(_) | Value::Regexp(_) => true,
        Value::Type(kind) => matches!(**kind, Type::Pattern(_) | Type::Regexp(_)),
        _ => false,
    })?;
    let mut patterns: Vec<Arc<Regexp>> = Vec::new();
    let mut add = |regexp: Arc<Regexp>| {
        if !patterns.contains(&regexp) {
            patterns.push(regexp);
        }
    };
    for key in keys {
        match key {
            Value::Str(source) => add(compiled(source)?),
            Value::Regexp(regexp) => add(Arc::clone(regexp)),
            Value::Type(kind) => match &**kind {
                Type::Pattern(more) => more.iter().cloned().for_each(&mut add),
                Type::Regexp(Some(regexp)) => add(Arc::clone(regexp)),
                _ => add(Arc::new(Regexp::new(""))),
            },
            _ => {}
        }
    }
    Ok(Type::Pattern(patterns.into()))
}

fn regexp(base: &Type, keys: &[Value]) -> EvalResult<Type> {
    if keys.len() > 1 {
        let label = base_label(base);
        let text = format!("{label}[] accepts 1 argument. Got {}", keys.len());
        return issue_at("BAD_TYPE_SLICE_ARITY", Blame::Key(1), text);
    }
    if keys.is_empty() {
        return arity(&base_label(base), 1, Some(1), 0);
    }
    assert_keys(base, keys, 1, Some(1), &["String", "Regexp"], |k| {
        matches!(k, Value::Str(_) | Value::Regexp(_))
    })?;
    match &keys[0] {
        Value::Str(source) => Ok(Type::Regexp(Some(compiled(source)?))),
        Value::Regexp(regexp) => Ok(Type::Regexp(Some(Arc::clone(regexp)))),
        _ => Ok(Type::Regexp(None)),
    }
}

/// Whether a size is written as that of an empty collection, which has no negative bound.
fn is_nothing(size: &[Value]) -> bool {
    match size {
        [Value::Int(0), Value::Int(0)] => true,
        [Value::Type(kind)] => **kind == Type::Integer(IntRange::new(0, 0)),
        _ => false,
    }
}

/// An array type; one that can only be empty has no element type.
fn array_of(element: Arc<Type>, start: usize, size: &[Value]) -> EvalResult<Type> {
    let element = if is_nothing(size) { Arc::new(Type::Unit) } else { element };
    Ok(Type::Array(element, written_size(start, size)?))
}

fn array(keys: &[Value]) -> EvalResult<Type> {
    let is_type = |v: &Value| matches!(v, Value::Type(_));
    match keys {
        [first] => Ok(Type::Array(type_key("Array-Type", 0, first)?, SizeRange::ANY_SIZE)),
        [first, _] if !is_type(first) => array_of(Arc::new(Type::Any), 0, keys),
        [first, _] | [first, _, _] => array_of(type_key("Array-Type", 0, first)?, 1, &keys[1..]),
        _ => arity("Array-Type", 1, Some(3), keys.len()),
    }
}

/// A hash type; one that can only be empty has no key and value types.
fn hash_of(entry: (Type, Type), start: usize, size: &[Value]) -> EvalResult<Type> {
    let entry = if is_nothing(size) { (Type::Unit, Type::Unit) } else { entry };
    Ok(Type::Hash(Arc::new(entry), written_size(start, size)?))
}

fn hash(keys: &[Value]) -> EvalResult<Type> {
    if let [Value::Int(_), Value::Int(_)] = keys {
        return hash_of((Type::Any, Type::Any), 0, keys);
    }
    let mut types = Vec::with_capacity(2);
    for (i, key) in keys.iter().take(2).enumerate() {
        types.push(type_key("Hash-Type", i, key)?);
    }
    let [key, value] = types.as_slice() else {
        return arity("Hash-Type", 2, Some(4), keys.len());
    };
    let entry = ((**key).clone(), (**value).clone());
    match keys.len() {
        2 => Ok(Type::Hash(Arc::new(entry), SizeRange::ANY_SIZE)),
        3 | 4 => hash_of(entry, 2, &keys[2..]),
        count => arity("Hash-Type", 2, Some(4), count),
    }
}

fn is_range_key(key: &Value) -> bool {
    matches!(key, Value::Int(_) | Value::Default) || key.as_str() == Some("default")
}

/// Takes the size from the end of a list of parameters.
fn split_size(keys: &[Value]) -> EvalResult<(&[Value], Option<SizeRange>)> {
    let word = |v: &Value| if v.as_str().is_some() { Value::Default } else { v.clone() };
    match keys {
        [rest @ .., from, to] if is_range_key(from) && is_range_key(to) => {
            Ok((rest, Some(size(rest.len(), &[word(from), word(to)])?)))
        }
        [rest @ .., from] if is_range_key(from) => {
            Ok((rest, Some(size(rest.len(), &[word(from), Value::Default])?)))
        }
        _ => Ok((keys, None)),
    }
}

fn types_of(keys: &[Value]) -> Vec<Type> {
    keys.iter()
        .map(|key| match key {
            Value::Type(kind) => (**kind).clone(),
            Value::Str(name) => Type::Runtime(Some(Arc::new(("ruby".into(), name.clone())))),
            other => generalize(&infer(other)),
        })
        .collect()
}

fn tuple(base: &Type, keys: &[Value]) -> EvalResult<Type> {
    let (types, size) = split_size(keys)?;
    assert_keys(base, types, 1, None, &["Any-Type"], |k| matches!(k, Value::Type(_)))?;
    Ok(Type::Tuple(types_of(types).into(), size))
}

fn variant(base: &Type, keys: &[Value]) -> EvalResult<Type> {
    assert_keys(base, keys, 1, None, &["Any-Type"], |k| matches!(k, Value::Type(_)))?;
    Ok(variant_of(types_of(keys)))
}

fn not_undef(keys: &[Value]) -> EvalResult<Type> {
    match keys {
        [] => Ok(Type::NotUndef(None)),
        [Value::Str(s)] => Ok(Type::NotUndef(Some(Arc::new(Type::Literal(s.clone()))))),
        [Value::Type(kind)] if **kind == Type::Any => Ok(Type::NotUndef(None)),
        [Value::Type(kind)] => Ok(Type::NotUndef(Some(Arc::clone(kind)))),
        [other] => {
            let got = class_name(other);
            let message = format!("NotUndef-Type[] argument must be a Type or a String. Got {got}");
            issue_at("BAD_NOT_UNDEF_SLICE_TYPE", Blame::Key(0), message)
        }
        _ => arity("NotUndef-Type", 0, Some(1), keys.len()),
    }
}

fn structure(base: &Type, keys: &[Value]) -> EvalResult<Type> {
    assert_keys(base, keys, 1, Some(1), &["Hash"], |k| k.as_hash().is_some())?;
    let empty = HashValue::default();
    let entries = keys[0].as_hash().unwrap_or(&empty);
    let mut members = Vec::with_capacity(entries.len());
    for (key, value) in entries {
        members.push(member(key, value)?);
    }
    Ok(Type::Struct(members.into()))
}

fn member(key: &Value, value: &Value) -> EvalResult<StructMember> {
    let fail = |message: String| plain(message);
    let kind = types_of(std::slice::from_ref(value)).remove(0);
    let of = |name: &EcoString, optional, key_not_undef| {
        Ok(StructMember { name: name.clone(), optional, key_not_undef, kind: kind.clone() })
    };
    let no_text = |kind: &Type| {
        fail(format!(
            "Unable to extract a non-empty literal string from Struct member key type {kind}"
        ))
    };
    match key {
        Value::Str(name) if name.is_empty() => {
            fail("Struct element key cannot be an empty String".into())
        }
        Value::Str(name) => of(name, is_assignable(&kind, &Type::Undef), false),
        Value::Type(key_type) => match &**key_type {
            Type::Optional(Some(inner)) => match &**inner {
                Type::Literal(name) if !name.is_empty() => of(name, true, false),
                _ => no_text(key_type),
            },
            Type::NotUndef(Some(inner)) => match &**inner {
                Type::Literal(name) if !name.is_empty() => of(name, false, true),
                _ => no_text(key_type),
            },
            Type::Literal(name) if !name.is_empty() => of(name, false, false),
            Type::Enum { values, .. } if values.len() == 1 => of(&values[0], false, false),
            Type::Optional(_) | Type::NotUndef(_) | Type::String(_) | Type::Enum { .. } => {
                no_text(key_type)
            }
            _ => bad_member(key),
        },
        _ => bad_member(key),
    }
}

fn bad_member<T>(key: &Value) -> EvalResult<T> {
    let got = class_name(key);
    plain(format!(
        "Illegal Struct member key type. Expected NotUndef, Optional, String, or Enum. Got: {got}"
    ))
}

fn callable(base: &Type, keys: &[Value]) -> EvalResult<Type> {
    let Some(Value::Array(params)) = keys.first() else {
        return callable_of(keys, None);
    };
    match keys {
        [_, Value::Type(returns)] => {
            callable_of(params, Some((**returns).clone()).filter(|t| *t != Type::Any))
        }
        [_, other] => bad_specialization(base, 1, other, "Any-Type"),
        _ => arity(&base_label(base), 2, Some(2), keys.len()),
    }
}

fn callable_of(keys: &[Value], returns: Option<Type>) -> EvalResult<Type> {
    let (keys, block) = match keys {
        [rest @ .., Value::Type(last)] if is_callable(last, true) => (rest, Some((**last).clone())),
        keys => (keys, None),
    };
    let (params, size) = split_size(keys)?;
    let mut params = types_of(params);
    if params.is_empty() && size.is_some_and(|s| s.to > 0) {
        params.push(Type::Unit);
    }
    let count = params.len() as i64;
    let size = size.map_or(IntRange::new(count, count), IntRange::written);
    Ok(Type::Callable(Some(Arc::new(CallableType { params, size, block, returns }))))
}

fn times(base: &Type, keys: &[Value], stamp: bool) -> EvalResult<(i128, i128)> {
    if keys.len() > 2 {
        return arity(&base_label(base), 0, Some(2), keys.len());
    }
    let mut ends = OPEN;
    for (i, key) in keys.iter().enumerate() {
        let end = match key {
            Value::Default | Value::Undef => continue,
            Value::Timestamp(ns) if stamp => **ns,
            Value::Timespan(ns) if !stamp => **ns,
            other => crate::types::new::time_bound(other, stamp)?,
        };
        match i {
            0 => ends.0 = end,
            _ => ends.1 = end,
        }
    }
    if ends.0 > ends.1 {
        let shown = |ns: i128| match stamp {
            true => to_text(&Value::Timestamp(Arc::new(ns))),
            false => to_text(&Value::Timespan(Arc::new(ns))),
        };
        return range_error(shown(ends.0), shown(ends.1));
    }
    Ok(ends)
}
