//! References to resources and classes: `File['/x']`, `Resource['file', '/x']`, `Class['a']`.

use ecow::EcoString;
use ordain_puppet_syntax::names::capitalized;

use crate::error::{Blame, EvalResult, issue_at};
use crate::types::Type;
use crate::types::label::{a_an_uc, type_label, with_article};
use crate::types::parameter_errors::{arity, bad_key_name};
use crate::value::Value;

/// `Resource[name, title, …]`, `File[title, …]`: references, a list of them for several titles.
pub(super) fn resource(base: &Type, keys: &[Value]) -> EvalResult {
    let Type::Resource { kind, .. } = base else {
        return Ok(Value::Undef);
    };
    if keys.is_empty() {
        return arity(&base.to_string(), 1, None, 0);
    }
    let (name, titles) = match kind {
        Some(kind) => (kind.clone(), keys),
        None => (kind_name(&keys[0])?, &keys[1..]),
    };
    if !is_type_name(&name) {
        let message = format!(
            "Illegal type reference. The given name '{name}' does not conform to the naming rule"
        );
        return issue_at("ILLEGAL_CLASSREF", Blame::Key(0), message);
    }
    let of = |title: Option<EcoString>| {
        Value::of_type(Type::Resource { kind: Some(name.clone()), title })
    };
    if let [Value::Str(title)] = titles {
        return Ok(of(Some(title.clone())));
    }
    let many = titles.len() > 1 || matches!(titles.first(), Some(Value::Array(_)));
    if titles.is_empty() {
        return Ok(of(None));
    }
    let flat_titles: Vec<Value> = flat(titles).into_iter().filter(|t| !t.is_undef()).collect();
    if flat_titles.is_empty() {
        return Ok(if many { Value::array([]) } else { Value::Undef });
    }
    let shift = usize::from(kind.is_none());
    let mut references = Vec::with_capacity(flat_titles.len());
    for (i, title) in flat_titles.iter().enumerate() {
        match title {
            Value::Str(title) => references.push(of(Some(title.clone()))),
            other => {
                let (base, got) = (with_article(&type_label(base)), bad_key_name(other));
                let message = format!(
                    "Error creating type specialization of {base}, Cannot use {got} where a resource title String is expected"
                );
                let blame = Blame::Key((i + shift).min(keys.len() - 1));
                return issue_at("BAD_TYPE_SPECIALIZATION", blame, message);
            }
        }
    }
    Ok(if many { Value::array(references) } else { references.pop().unwrap_or_default() })
}

fn kind_name(key: &Value) -> EvalResult<EcoString> {
    match key {
        Value::Str(name) => Ok(capitalized(name)),
        Value::Type(kind) => match &**kind {
            Type::Resource { kind: Some(name), .. } => Ok(name.clone()),
            _ => bad_kind(key),
        },
        _ => bad_kind(key),
    }
}

fn bad_kind<T>(key: &Value) -> EvalResult<T> {
    let got = bad_key_name(key);
    issue_at(
        "ILLEGAL_RESOURCE_SPECIALIZATION",
        Blame::Key(0),
        format!("First argument to Resource[] must be a resource type or a String. Got {got}."),
    )
}

/// Whether this is the name of a resource type: capital segments, or all in lower case.
fn is_type_name(name: &str) -> bool {
    let name = name.strip_prefix("::").unwrap_or(name);
    let is_segment = |segment: &str| {
        segment.starts_with(|c: char| c.is_ascii_uppercase())
            && segment.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
    };
    // To search for a separator costs more than to look at a name without one.
    is_segment(name) || !name.is_empty() && name.split("::").all(is_segment)
}

/// Whether this is the name of a class.
fn is_class_name(name: &str) -> bool {
    !name.is_empty()
        && name.split("::").enumerate().all(|(i, segment)| {
            segment.starts_with(|c: char| c.is_ascii_lowercase() || i == 0 && c == '_')
                && segment.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
        })
}

/// `Class[name, …]`: references, a list of them for several names.
pub(super) fn class(base: &Type, keys: &[Value]) -> EvalResult {
    if keys.is_empty() {
        return arity(&base.to_string(), 1, None, 0);
    }
    let many = keys.len() > 1 || matches!(keys.first(), Some(Value::Array(_)));
    let names: Vec<Value> = flat(keys).into_iter().filter(|t| !t.is_undef()).collect();
    if names.is_empty() {
        return Ok(if many { Value::array([]) } else { Value::Undef });
    }
    let mut references = Vec::with_capacity(names.len());
    for (i, name) in names.iter().enumerate() {
        let blame = Blame::Key(i.min(keys.len() - 1));
        let Value::Str(text) = name else {
            let what = a_an_uc(name);
            let message = format!(
                "Illegal Class name in class reference. {what} cannot be used where a String is expected"
            );
            return issue_at("ILLEGAL_HOSTCLASS_NAME", blame, message);
        };
        let lower = text.to_lowercase();
        let lower = lower.strip_prefix("::").unwrap_or(&lower);
        if !is_class_name(lower) {
            let message = format!(
                "Illegal name. The given name '{text}' does not conform to the naming rule /^((::)?[a-z_]\\w*)(::[a-z]\\w*)*$/"
            );
            return issue_at("ILLEGAL_NAME", blame, message);
        }
        references.push(Value::of_type(Type::Class(Some(lower.into()))));
    }
    Ok(if many { Value::array(references) } else { references.pop().unwrap_or_default() })
}

/// The keys, with lists among them flattened.
pub fn flat(keys: &[Value]) -> Vec<Value> {
    let mut out = Vec::with_capacity(keys.len());
    for key in keys {
        match key {
            Value::Array(items) => out.extend(flat(items)),
            key => out.push(key.clone()),
        }
    }
    out
}
