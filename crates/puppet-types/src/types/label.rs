//! The names of values and types in messages: `an Integer`, `a File['x'] Resource-Reference`.

use crate::types::Type;
use crate::types::display::expanded;
use crate::types::generalize::generalize;
use crate::types::infer::infer;
use crate::value::Value;

/// The name of a value in messages.
pub fn label(value: &Value) -> String {
    match value {
        Value::Undef => "Undef Value".into(),
        Value::Bool(_) => "Boolean".into(),
        Value::Int(_) => "Integer".into(),
        Value::Float(_) => "Float".into(),
        Value::Str(_) => "String".into(),
        Value::Array(_) => "Array".into(),
        Value::Hash(_) => "Hash".into(),
        Value::Regexp(_) => "Regexp".into(),
        Value::Type(kind) => type_label(kind),
        Value::Reference(_) => "Resource Statement".into(),
        Value::Sensitive(_) => "Sensitive".into(),
        Value::Binary(_) => "Binary".into(),
        Value::Timestamp(_) => "Timestamp".into(),
        Value::Timespan(_) => "Timespan".into(),
        Value::SemVer(_) => "Semver".into(),
        Value::SemVerRange(_) => "SemverRange".into(),
        Value::Runtime(object) if object.is_integer() => "Integer".into(),
        Value::Default
        | Value::Uri(_)
        | Value::Callable(_)
        | Value::Object(_)
        | Value::Instance(_)
        | Value::Iterator(_)
        | Value::Runtime(_) => "Object".into(),
    }
}

/// The name of a type in messages: `Integer-Type`.
pub fn type_label(kind: &Type) -> String {
    match kind {
        Type::Resource { title: Some(_), .. } => format!("{kind} Resource-Reference"),
        Type::Alias(_) => format!("{}-Type", expanded(kind)),
        _ => format!("{kind}-Type"),
    }
}

/// `a` or `an`, by the first letter. As upstream, `y` counts as a vowel.
#[inline]
pub fn article(text: &str) -> &'static str {
    let first = text.trim_start_matches(['"', '\'']).chars().next();
    match first.map(|c| c.to_ascii_lowercase()) {
        Some('a' | 'e' | 'i' | 'o' | 'u' | 'y') => "an",
        _ => "a",
    }
}

/// The text with its indefinite article.
pub fn with_article(text: &str) -> String {
    format!("{} {text}", article(text))
}

/// The label of a value with its indefinite article.
#[inline]
pub fn a_an(value: &Value) -> String {
    with_article(&label(value))
}

/// The label of a value with its indefinite article at the start of a sentence.
pub fn a_an_uc(value: &Value) -> String {
    let label = label(value);
    let article = if article(&label) == "an" { "An" } else { "A" };
    format!("{article} {label}")
}

/// The name in messages of the class of a value that cannot be used as a type's parameter.
pub fn class_name(value: &Value) -> String {
    let name = match value {
        Value::Undef => "NilClass",
        Value::Default => "Symbol",
        Value::Bool(true) => "TrueClass",
        Value::Bool(false) => "FalseClass",
        Value::Type(kind) => {
            let name = match &**kind {
                Type::Alias(_) => "TypeAlias",
                Type::Object(_) => "Object",
                kind => crate::types::simple_name::simple_name(kind),
            };
            return format!("Puppet::Pops::Types::P{name}Type");
        }
        Value::Timestamp(_) => "Puppet::Pops::Time::Timestamp",
        Value::Timespan(_) => "Puppet::Pops::Time::Timespan",
        Value::Binary(_) => "Puppet::Pops::Types::PBinaryType::Binary",
        Value::Sensitive(_) => "Puppet::Pops::Types::PSensitiveType::Sensitive",
        value => return label(value),
    };
    name.into()
}

/// The general type of a value that cannot be used as a key or parameter.
#[inline]
pub fn key_type_name(value: &Value) -> String {
    expanded(&generalize(&infer(value)))
}
