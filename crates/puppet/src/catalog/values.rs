//! Values as parameters of resources.

use crate::catalog::{LostValues, Param, ParamOrigin, no_title};
use crate::catalog::{flat, flatten_values, tags};
use crate::error::{EvalResult, unplaced};
use crate::types::Type;
use crate::types::format::{quoted, ruby_inspect, ruby_text};
use crate::value::closure::ScopeId;
use crate::value::resource_key::{ResourceKey, reference_key};
use crate::value::{HashValue, IteratorValue, Value};
use ecow::EcoString;
use ordain_source::Span;
use std::fmt::Write as _;
use std::sync::Arc;

/// The place of a declaration, and whether it is virtual or exported.
#[derive(Clone, Copy)]
pub(crate) struct Declaration {
    pub scope: ScopeId,
    pub span: Span,
    pub is_virtual: bool,
    pub exported: bool,
    /// Whether the title is a text, as in resource expressions; functions take other values.
    pub title_is_text: bool,
}

/// The resource that a value of a relationship metaparameter refers to: a reference, or its text.
pub(crate) fn relationship_target(value: &Value) -> Option<ResourceKey> {
    match value {
        Value::Type(kind) | Value::Reference(kind) => reference_key(kind),
        Value::Str(text) => {
            let (kind, rest) = text.split_once('[').filter(|(kind, _)| !kind.is_empty())?;
            let title = rest.strip_suffix(']').filter(|title| !title.is_empty())?;
            let title = title.trim_matches(|c| c == '\'' || c == '"');
            Some(ResourceKey::new(kind, title))
        }
        _ => None,
    }
}

/// Whether the name of a type in front of braces is `class`, in any case.
pub(crate) fn is_class(kind: &str) -> bool {
    kind.eq_ignore_ascii_case("class")
}

/// A parameter without history.
pub(crate) fn new_param(name: EcoString, value: Value, append: bool, origin: ParamOrigin) -> Param {
    Param { name, value, append, origin, losers: LostValues::default() }
}

/// Refuses an iterator as the value of a parameter.
pub(crate) const NO_ITERATOR: &str = "Use of an Iterator is not supported here";

/// Refuses an integer beyond 64 bits as the value of a parameter.
pub(crate) fn outside_of_range(digits: &str) -> String {
    let end = if digits.starts_with('-') { "min" } else { "max" };
    let shown = ordain_data::number::ruby_hexadecimal(digits);
    format!("Use of a Ruby Integer outside of Puppet Integer {end} range, got '{shown}'")
}

/// The class of a walk over a tree, the only iterator that a parameter may have while the catalog
/// is made.
pub(crate) fn walk_class(iterator: &IteratorValue) -> Option<&EcoString> {
    match &*iterator.element {
        Type::Runtime(Some(walk)) => Some(&walk.1),
        _ => None,
    }
}

/// Whether a value has a part that a catalog cannot hold.
pub(crate) fn has_foreign(value: &Value) -> bool {
    match value {
        Value::Array(items) => items.iter().any(has_foreign),
        Value::Hash(entries) => {
            entries.iter().any(|(key, item)| has_foreign(key) || has_foreign(item))
        }
        Value::Sensitive(inner) => has_foreign(inner),
        other => is_foreign(other),
    }
}

pub(crate) fn is_foreign(value: &Value) -> bool {
    match value {
        Value::Iterator(iterator) => walk_class(iterator).is_some(),
        // Symbols become their texts.
        Value::Runtime(object) => !object.is_symbol() && !object.is_integer(),
        _ => false,
    }
}

/// Visits the parts of a value that a catalog cannot hold: walks over trees, and objects of Ruby.
/// `visit` gets each of them with `path` and the steps to it. A key has the path of its hash.
///
/// # Errors
/// The errors of `visit`.
pub(crate) fn each_foreign<E>(
    value: &Value,
    path: &mut String,
    visit: &mut impl FnMut(&Value, &str) -> Result<(), E>,
) -> Result<(), E> {
    let len = path.len();
    match value {
        Value::Array(items) => items.iter().enumerate().try_for_each(|(i, item)| {
            path.truncate(len);
            let _ = write!(path, "[{i}]");
            each_foreign(item, path, visit)
        }),
        Value::Hash(entries) => entries.iter().try_for_each(|(key, item)| {
            path.truncate(len);
            each_foreign(key, path, visit)?;
            path.truncate(len);
            let _ = write!(path, "[{}]", quoted(key));
            each_foreign(item, path, visit)
        }),
        Value::Sensitive(inner) => each_foreign(inner, path, visit),
        other if is_foreign(other) => visit(other, path),
        _ => Ok(()),
    }
}

/// Refuses a reference to the type of all catalog entries.
pub(crate) const NOT_SPLIT: &str = "Cannot split the type Puppet::Pops::Types::PCatalogEntryType, it represents \
                         neither a PClassType, nor a PResourceType.";

/// A value in the form of a parameter: types of resources become references.
///
/// # Errors
/// When a parameter cannot have the value.
pub(crate) fn as_parameter(value: Value) -> Result<Value, String> {
    match value {
        Value::Array(ref items) if items.iter().any(changes) => {
            let items: Result<Vec<_>, _> = items.iter().cloned().map(as_parameter).collect();
            Ok(Value::array(items?))
        }
        Value::Hash(ref entries) if entries.iter().any(|(k, v)| changes(k) || changes(v)) => {
            let mut changed = HashValue::default();
            for (key, value) in entries.iter() {
                changed.insert(as_parameter(key.clone())?, as_parameter(value.clone())?);
            }
            Ok(Value::Hash(Arc::new(changed)))
        }
        Value::Iterator(ref iterator) if walk_class(iterator).is_none() => {
            Err(NO_ITERATOR.to_owned())
        }
        Value::Runtime(ref object) if object.is_integer() => Err(outside_of_range(&object.text)),
        Value::Type(kind) => match *kind {
            Type::Class(None) => Err(no_title("\"class\"")),
            Type::CatalogEntry => Err(NOT_SPLIT.to_owned()),
            // Each evaluation makes a new reference, because the reference may become a name in an
            // assignment.
            Type::Resource { kind: Some(_), .. } | Type::Class(_) => {
                Ok(Value::Reference(Arc::new(Arc::unwrap_or_clone(kind))))
            }
            _ => Ok(Value::Type(kind)),
        },
        other => Ok(other),
    }
}

/// Whether a value differs as a parameter.
pub(crate) fn changes(value: &Value) -> bool {
    match value {
        Value::Array(items) => items.iter().any(changes),
        Value::Hash(entries) => entries.iter().any(|(k, v)| changes(k) || changes(v)),
        Value::Iterator(_) => true,
        Value::Runtime(object) => object.is_integer(),
        Value::Type(kind) => {
            matches!(**kind, Type::Class(_) | Type::CatalogEntry | Type::Resource { .. })
        }
        _ => false,
    }
}

/// The text of a reference to a resource type without a title, in messages.
pub(crate) fn untitled(reference: &Value) -> Option<String> {
    match reference {
        Value::Type(kind) => match &**kind {
            Type::Resource { kind: Some(name), title: None } => {
                Some(format!(":{}", name.to_lowercase()))
            }
            Type::Resource { kind: Some(name), title: Some(title) } if title.is_empty() => {
                Some(format!("\"{name}[]\""))
            }
            _ => None,
        },
        _ => None,
    }
}

/// Checks the attributes of an override, as those of a resource.
pub(crate) fn check_attributes(params: &[Param], key: &ResourceKey, span: Span) -> EvalResult<()> {
    for (i, param) in params.iter().enumerate() {
        if params[..i].iter().any(|p| p.name == param.name) {
            let text = format!("Duplicate parameter '{}' for on {}", param.name, key.text());
            return Err(unplaced(text, Some(span)));
        }
        if param.name == "tag" {
            check_tags(param, Some(span))?;
        }
    }
    Ok(())
}

/// A reference to a resource, as a value.
pub(crate) fn reference(key: &ResourceKey) -> Value {
    Value::Type(Arc::new(if key.kind == "Class" {
        Type::Class(Some(key.title.to_lowercase()))
    } else {
        Type::Resource { kind: Some(key.kind.clone()), title: Some(key.title.clone()) }
    }))
}

/// The text of a value that is not a reference, for a message about it.
pub(crate) fn reference_text(value: &Value) -> String {
    match value {
        Value::Type(kind) | Value::Reference(kind) => match &**kind {
            Type::Resource { kind: Some(kind), title: None } => format!("{kind}[]"),
            other => other.to_string(),
        },
        Value::Array(_) | Value::Hash(_) => ruby_inspect(value).replace('"', "\\\""),
        other => ruby_text(other).into(),
    }
}

/// The name of the type, also in plain data.
pub(crate) const NAME: &str = "Deferred";

/// The maximal depth of values.
pub(crate) const DEPTH: usize = 200;

/// Whether a value is deferred, or has a deferred part.
pub(crate) fn holds_deferred(value: &Value) -> bool {
    holds(value, DEPTH)
}

pub(crate) fn holds(value: &Value, depth: usize) -> bool {
    let Some(depth) = depth.checked_sub(1) else { return false };
    match value {
        Value::Object(object) => object.kind.name == NAME,
        Value::Array(items) => items.iter().any(|item| holds(item, depth)),
        Value::Hash(entries) => entries.values().any(|value| holds(value, depth)),
        Value::Sensitive(inner) => holds(inner, depth),
        _ => false,
    }
}

/// The generalised type of a value in messages, such as `Integer`.
pub(crate) fn kind_text(value: &Value) -> String {
    crate::types::infer::generalize(&crate::types::infer::infer(value)).to_string()
}

/// The tags in a value of `tag`: of a hash, its keys and values.
pub(crate) fn tag_values<'v>(
    value: &'v Value,
    several: &'v mut Vec<Value>,
) -> impl Iterator<Item = &'v Value> {
    let values = match value {
        Value::Hash(entries) => {
            for (key, value) in &**entries {
                flatten_values(key, several);
                flatten_values(value, several);
            }
            &several[..]
        }
        // A reference is a resource without parameters, so it gives no tags. A walk over a tree is
        // refused when the catalog is finished.
        Value::Reference(_) | Value::Iterator(_) => &[],
        value => flat(value, several),
    };
    values.iter().filter(|v| !v.is_undef())
}

/// Checks that the values of a parameter `tag` are valid tags.
pub(crate) fn check_tags(param: &Param, span: Option<Span>) -> EvalResult<()> {
    let mut several = Vec::new();
    let lower = |value: &Value| ruby_text(value).to_lowercase();
    let is_bad = |value: &&Value| match value {
        Value::Str(text) if text.is_ascii() => !tags::is_valid(text),
        value => !tags::is_valid(&lower(value)),
    };
    let Some(bad) = tag_values(&param.value, &mut several).find(is_bad).map(lower) else {
        return Ok(());
    };
    Err(unplaced(format!("Invalid tag '{bad}'"), span))
}
