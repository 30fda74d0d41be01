//! Values as Ruby names, writes and compares them, where messages and old functions show it.

use ecow::EcoString;
use ordain_functions::text::inspect_ruby;

use crate::types::Type;
use crate::value::Value;
use crate::value::compare::equals;
use crate::value::resource_key::ResourceKey;
use crate::value::text::{to_text, write_entries, write_items, write_text};

/// The name of the Ruby class of a value, as many messages show it.
pub fn ruby_class(value: &Value) -> &str {
    match value {
        Value::Undef => "NilClass",
        Value::Default => "Symbol",
        Value::Bool(true) => "TrueClass",
        Value::Bool(false) => "FalseClass",
        Value::Int(_) => "Integer",
        Value::Float(_) => "Float",
        Value::Str(_) => "String",
        Value::Array(_) => "Array",
        Value::Hash(_) => "Hash",
        Value::Regexp(_) => "Regexp",
        Value::Type(kind) => type_class(kind),
        Value::Reference(_) => "Puppet::Resource",
        Value::Sensitive(_) => "Puppet::Pops::Types::PSensitiveType::Sensitive",
        Value::Binary(_) => "Puppet::Pops::Types::PBinaryType::Binary",
        Value::Timestamp(_) => "Puppet::Pops::Time::Timestamp",
        Value::Timespan(_) => "Puppet::Pops::Time::Timespan",
        Value::SemVer(_) => "SemanticPuppet::Version",
        Value::SemVerRange(_) => "SemanticPuppet::VersionRange",
        Value::Uri(_) => "URI::Generic",
        Value::Callable(_) => "Puppet::Pops::Evaluator::Closure::Dynamic",
        Value::Object(_) | Value::Instance(_) => "Object",
        Value::Iterator(_) => "Puppet::Pops::Types::Iterable::Iterator",
        Value::Runtime(object) => object.class.as_deref().unwrap_or("Object"),
    }
}

fn type_class(kind: &Type) -> &'static str {
    match kind {
        Type::Resource { .. } | Type::Class(_) => "Puppet::Resource",
        Type::Integer(_) => "Puppet::Pops::Types::PIntegerType",
        Type::String(_) => "Puppet::Pops::Types::PStringType",
        _ => "Puppet::Pops::Types::PAnyType",
    }
}

/// Ruby's `to_s`: containers show their inner form.
pub fn ruby_text(value: &Value) -> EcoString {
    match value {
        Value::Array(_) | Value::Hash(_) => {
            let mut out = String::new();
            write_inspect(&mut out, value);
            out.into()
        }
        Value::Regexp(regexp) => ruby_regexp(&regexp.source),
        _ => to_text(value),
    }
}

/// A regular expression in the form of Ruby's `to_s`.
fn ruby_regexp(source: &str) -> EcoString {
    ecow::eco_format!("(?-mix:{source})")
}

/// Ruby's `inspect`.
#[inline]
pub fn ruby_inspect(value: &Value) -> String {
    let mut out = String::new();
    write_inspect(&mut out, value);
    out
}

/// Appends the result of Ruby's `inspect`.
pub fn write_inspect(out: &mut String, value: &Value) {
    match value {
        Value::Undef => out.push_str("nil"),
        Value::Default => out.push_str(":default"),
        Value::Str(text) => out.push_str(&inspect_ruby(text)),
        Value::Array(items) => write_items(out, items, write_inspect),
        Value::Hash(entries) => write_entries(out, entries, "=>", write_inspect),
        Value::Sensitive(_) => out.push_str("#<Sensitive [value redacted]>"),
        Value::Runtime(object) => out.push_str(&object.inspect),
        Value::Type(kind) | Value::Reference(kind) => {
            write_text(out, value);
            write_name(out, kind);
        }
        _ => write_text(out, value),
    }
}

/// Appends the name attribute of a reference.
fn write_name(out: &mut String, reference: &Type) {
    let key = match reference {
        Type::Resource { kind: Some(kind), title: Some(title) } => ResourceKey::new(kind, title),
        Type::Class(Some(name)) => ResourceKey::new("class", name),
        _ => return,
    };
    let schema = crate::schema::find(&key.kind.to_lowercase());
    let name = schema.map_or("name", |schema| schema.namevar);
    out.push_str(&format!("{{:{name}=>{}}}", inspect_ruby(&key.title)));
}

/// Ruby's `==`: case counts, integers and floats may be equal.
pub fn ruby_equal(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Str(x), Value::Str(y)) => x == y,
        (Value::Array(x), Value::Array(y)) => {
            x.len() == y.len() && x.iter().zip(y.iter()).all(|(x, y)| ruby_equal(x, y))
        }
        (Value::Hash(x), Value::Hash(y)) => {
            let same = |(k, v): (&Value, &Value)| y.get(k).is_some_and(|w| ruby_equal(v, w));
            x.len() == y.len() && x.iter().all(same)
        }
        // A reference in an attribute is the type that was given for it.
        (Value::Type(x), Value::Reference(y)) | (Value::Reference(x), Value::Type(y)) => x == y,
        _ => equals(a, b),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ruby_shows_inner_values() {
        let value = Value::array([Value::str("a\n#{b"), Value::Undef, Value::Float(1.0)]);
        assert_eq!(ruby_text(&value), r#"["a\n\#{b", nil, 1.0]"#);
        assert_eq!(ruby_text(&Value::Undef), "");
    }
}
