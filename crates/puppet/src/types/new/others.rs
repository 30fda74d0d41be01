//! Conversions to versions, bytes, expressions, URIs and objects.

use std::sync::Arc;

use ecow::EcoString;
use indexmap::IndexMap;
use ordain_functions::base64::{Mode, decode};
use ordain_functions::version::{Range, Version};

use super::Host;
use crate::error::{EvalResult, plain};
use crate::types::mismatch::{accepts, describe_call};
use crate::types::object::has_ruby_class;
use crate::types::semver;
use crate::types::signature::{Signature, SignatureParam};
use crate::types::uri::{Uri, from_parts};
use crate::types::{AttributeRole, ObjectAttribute, ObjectType, Regexp, StructMember, Type};
use crate::value::{HashValue, Object, SemVerRange, Value};

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// `SemVer.new`
pub(super) fn semver(chosen: usize, args: &[Value], _: &mut dyn Host) -> EvalResult {
    let number = |value: Option<&Value>| value.and_then(Value::as_int).map_or(0, |i| i as u64);
    let part = |value: Option<&Value>| value.and_then(Value::as_str).map(str::to_owned);
    let version = match chosen {
        0 => return parse_version(text(&args[0])).map(|v| Value::SemVer(Arc::new(v))),
        1 => Version {
            major: number(args.first()),
            minor: number(args.get(1)),
            patch: number(args.get(2)),
            prerelease: part(args.get(3)),
            build: part(args.get(4)),
        },
        _ => Version {
            major: number(args[0].get("major")),
            minor: number(args[0].get("minor")),
            patch: number(args[0].get("patch")),
            prerelease: part(args[0].get("prerelease")),
            build: part(args[0].get("build")),
        },
    };
    Ok(Value::SemVer(Arc::new(version)))
}

fn parse_version(text: &str) -> EvalResult<Version> {
    match text.parse() {
        Ok(version) => Ok(version),
        Err(error) => plain(error.to_string()),
    }
}

pub(super) fn explain_semver(name: &str, args: &[Value]) -> Option<EvalResult> {
    match args {
        [Value::Str(text)] => {
            Some(plain(format!("'{name}' The string '{text}' cannot be converted to a SemVer")))
        }
        _ => None,
    }
}

/// `SemVerRange.new`
pub(super) fn semver_range(chosen: usize, args: &[Value], _: &mut dyn Host) -> EvalResult {
    let bounds = match chosen {
        0 => {
            let source = text(&args[0]);
            return match source.parse::<Range>() {
                Ok(range) => {
                    Ok(Value::SemVerRange(Arc::new(SemVerRange { text: source.into(), range })))
                }
                Err(error) => plain(error.to_string()),
            };
        }
        1 => [args.first(), args.get(1), args.get(2)],
        _ => [args[0].get("min"), args[0].get("max"), args[0].get("exclude_max")],
    };
    let version = |value: Option<&Value>| match value {
        Some(Value::SemVer(version)) => Some(Version::clone(version)),
        _ => None,
    };
    let low = version(bounds[0]);
    let high = version(bounds[1]);
    let exclude = bounds[2].is_some_and(Value::is_true);
    let text = semver::text_between(low.as_ref(), high.as_ref(), exclude);
    let range = match (low, high) {
        (None, None) => Range::all(),
        (low, high) => Range::between(low.unwrap_or(Version::new(0, 0, 0)), high, exclude),
    };
    Ok(Value::SemVerRange(Arc::new(SemVerRange { text, range })))
}

/// `Binary.new`
pub(super) fn binary(chosen: usize, args: &[Value], _: &mut dyn Host) -> EvalResult {
    let (from, format) = match chosen {
        2 => (args[0].get("value").unwrap_or(&Value::Undef), args[0].get("format")),
        _ => (&args[0], args.get(1)),
    };
    let bytes = match from {
        Value::Array(items) => {
            items.iter().filter_map(|v| u8::try_from(v.as_int()?).ok()).collect()
        }
        from => {
            let source = text(from);
            let decoded = match format.and_then(Value::as_str).unwrap_or("%B") {
                "%s" | "%r" => return Ok(Value::Binary(Arc::new(source.as_bytes().to_vec()))),
                "%b" => decode(source, Mode::Default),
                "%u" => decode(source, Mode::UrlSafe),
                _ => decode(source, Mode::Strict),
            };
            match decoded {
                Ok(bytes) => bytes,
                Err(error) => return plain(error.to_string()),
            }
        }
    };
    Ok(Value::Binary(Arc::new(bytes)))
}

/// `Regexp.new`
pub(super) fn regexp(_: usize, args: &[Value], _: &mut dyn Host) -> EvalResult {
    let source = text(&args[0]);
    let source: EcoString = match args.get(1).is_some_and(Value::is_true) {
        true => ordain_functions::regex::escape(source).into(),
        false => source.into(),
    };
    let regexp = Regexp::new(source);
    match regexp.regex() {
        Ok(_) => Ok(Value::Regexp(Arc::new(regexp))),
        Err(reason) => plain(reason),
    }
}

/// `URI.new`
pub(super) fn uri(chosen: usize, args: &[Value], _: &mut dyn Host) -> EvalResult {
    let uri = match chosen {
        0 => text(&args[0]).parse::<Uri>()?,
        _ => from_parts(&args[0]),
    };
    Ok(Value::Uri(Arc::new(uri)))
}

/// Attributes that may be given when an instance is made.
fn settable(object: &ObjectType) -> impl Iterator<Item = ObjectAttribute> {
    let all = object.all_attributes().into_values();
    all.filter(|a| !matches!(a.role, AttributeRole::Constant | AttributeRole::Derived))
}

/// Attributes that are given when an instance is made, those without a value first.
fn given_attributes(object: &ObjectType) -> Vec<ObjectAttribute> {
    let (mut required, optional): (Vec<_>, Vec<_>) =
        settable(object).partition(|a| !is_optional(a));
    required.extend(optional);
    required
}

fn is_optional(attribute: &ObjectAttribute) -> bool {
    attribute.value.is_some()
}

/// The type of the hash that says the attributes of an instance.
pub(super) fn hash_type(object: &ObjectType) -> Type {
    let members = settable(object).map(|a| StructMember {
        optional: is_optional(&a) || takes_undef(&a.kind, 0),
        name: a.name,
        key_not_undef: false,
        kind: a.kind,
    });
    Type::Struct(members.collect())
}

/// The signatures of an object type's construction: one hash, or the attributes in order.
pub(super) fn object_signatures(object: &ObjectType) -> Vec<Signature> {
    let attributes = given_attributes(object);
    let kind = hash_type(object);
    let hash = Signature {
        params: vec![SignatureParam { name: "hash".into(), kind, optional: false }],
        ..Signature::default()
    };
    let positions = Signature {
        params: attributes
            .into_iter()
            .map(|a| SignatureParam { optional: is_optional(&a), name: a.name, kind: a.kind })
            .collect(),
        ..Signature::default()
    };
    if has_ruby_class(object) { vec![positions] } else { vec![hash, positions] }
}

/// Whether `undef` is an instance, told from the type alone: asking what a nested `Init` takes could
/// lead back to the object type that is asked about.
fn takes_undef(kind: &Type, depth: u32) -> bool {
    match kind {
        Type::Any | Type::Unit | Type::Undef | Type::Optional(_) | Type::Data | Type::RichData => {
            true
        }
        Type::Variant(members) => members.iter().any(|m| takes_undef(m, depth)),
        Type::Alias(alias) if depth < 64 => {
            alias.target.get().is_some_and(|target| takes_undef(target, depth + 1))
        }
        _ => false,
    }
}

/// Makes an instance of an object type.
pub(super) fn construct_object(object: &Arc<ObjectType>, args: &[Value]) -> EvalResult {
    let signatures = object_signatures(object);
    let Some(chosen) = signatures.iter().position(|s| accepts(s, args, None)) else {
        let all: Vec<&Signature> = signatures.iter().collect();
        return plain(describe_call(&format!("new_{}", object.label()), &all, args, None));
    };
    let by_hash = chosen == 0 && !has_ruby_class(object);
    let given = given_attributes(object);
    let empty = HashValue::default();
    let mut values = IndexMap::default();
    for (name, attribute) in object.all_attributes() {
        let Some(position) = given.iter().position(|a| a.name == name) else { continue };
        let value = match by_hash {
            true => {
                let entries = args[0].as_hash().unwrap_or(&empty);
                entries.get(&crate::value::Key(&name)).cloned()
            }
            false => args.get(position).cloned(),
        };
        // What has no value here may be undef, or the signature would not have taken it.
        values.insert(name, value.or(attribute.value).unwrap_or_default());
    }
    Ok(Value::Object(Arc::new(Object { kind: Arc::clone(object), values })))
}
