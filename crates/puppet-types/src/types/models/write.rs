//! Types as text of the language.

use std::fmt::Write as _;

use ordain_data::Value as Data;

use super::definition::{
    Annotations, Feature, FeatureKind, Function, Invariant, Logic, Multiplicity, TypeModel,
    ValueType,
};
use crate::types::Regexp;
use crate::types::format::quoted;
use crate::value::Value;

/// The definitions of types, in the usual layout.
pub fn write(models: &[TypeModel]) -> String {
    let mut out = String::new();
    for (i, model) in models.iter().enumerate() {
        if i > 0 {
            out.push('\n');
        }
        write_type(&mut out, model);
    }
    out
}

fn write_type(out: &mut String, model: &TypeModel) {
    let _ = write!(out, "type {}", model.name);
    if let Some(parent) = &model.parent {
        let _ = write!(out, " inherits {parent}");
    }
    out.push_str(" {\n");
    if model.is_abstract {
        out.push_str("  abstract\n");
    }
    if !model.title_patterns.is_empty() {
        let patterns: Vec<String> =
            model.title_patterns.iter().map(|pattern| regex(pattern)).collect();
        let _ = writeln!(out, "  title_patterns [{}]", patterns.join(", "));
    }
    if !model.annotations.is_empty() {
        let _ = writeln!(out, "  annotations {}", annotations(&model.annotations));
    }
    for feature in &model.features {
        write_feature(out, feature);
    }
    for Function { name, logic, .. } in &model.functions {
        let blank = if logic.source.starts_with('(') { "" } else { " " };
        let _ = writeln!(out, "  function {name}{blank}{}", logic.source);
    }
    for Invariant { title, logic } in &model.invariants {
        let title = title.as_ref().map_or_else(String::new, |t| format!("{t} "));
        let _ = writeln!(out, "  invariant {title}{}", logic.source);
    }
    out.push_str("}\n");
}

fn write_feature(out: &mut String, feature: &Feature) {
    let word = if feature.is_reference() { "has" } else { "attr" };
    let kind = match &feature.kind {
        FeatureKind::Reference { target, .. } => target.to_string(),
        FeatureKind::Attribute(kind) => value_type(kind),
    };
    let _ = write!(out, "  {word} {}, {kind}", feature.name);
    let settings = settings(feature);
    match settings.as_slice() {
        [] => out.push('\n'),
        [one] if !one.contains('\n') => {
            let _ = writeln!(out, " {{ {one} }}");
        }
        several => {
            out.push_str(" {\n");
            for setting in several {
                let _ = writeln!(out, "    {setting},");
            }
            out.push_str("  }\n");
        }
    }
}

fn value_type(kind: &ValueType) -> String {
    match kind {
        ValueType::Any => "Any".into(),
        ValueType::Integer => "Integer".into(),
        ValueType::Float => "Float".into(),
        ValueType::String => "String".into(),
        ValueType::Boolean => "Boolean".into(),
        ValueType::Enum(values) => {
            let values: Vec<String> = values.iter().map(|v| symbol(v)).collect();
            format!("enum[{}]", values.join(", "))
        }
        ValueType::Other(text) => text.to_string(),
    }
}

/// A bare word if possible, else text in quotes.
fn symbol(text: &str) -> String {
    let plain = |b: u8| b.is_ascii_alphanumeric() || b == b'_';
    let bare = text.starts_with(|c: char| c.is_ascii_lowercase()) && text.bytes().all(plain);
    let word = ordain_puppet_syntax::is_keyword(text);
    if bare && !word { text.into() } else { quoted(&Value::str(text)) }
}

fn settings(feature: &Feature) -> Vec<String> {
    let mut out = Vec::new();
    let Multiplicity { lower, upper } = feature.multiplicity;
    if lower != 0 {
        out.push(format!("min => {lower}"));
    }
    let usual = Multiplicity::of((lower != 0).then_some(lower), None);
    if usual.upper != upper {
        out.push(upper.map_or("max => unbound".into(), |upper| format!("max => {upper}")));
    }
    if let FeatureKind::Reference { containment: false, .. } = feature.kind {
        out.push("containment => false".into());
    }
    let mut flag = |name: &str, value: bool, usual: bool| {
        if value != usual {
            out.push(format!("{name} => {value}"));
        }
    };
    let derived = feature.derived.is_some();
    flag("unsettable", feature.unsettable, false);
    flag("transient", feature.transient, derived);
    flag("setable", feature.setable, !derived);
    flag("id", feature.id, false);
    flag("namevar", feature.namevar, false);
    out.extend(feature.default.as_ref().map(|d| format!("default => {}", default(d))));
    let mut code = |name: &str, logic: &Option<Logic>| {
        out.extend(logic.as_ref().map(|logic| format!("{name} => {}", logic.source)));
    };
    code("check", &feature.check);
    code("derived", &feature.derived);
    code("set", &feature.set);
    code("get", &feature.get);
    if !feature.annotations.is_empty() {
        out.push(format!("annotations => {}", annotations(&feature.annotations)));
    }
    out
}

/// A pattern between slashes.
fn regex(source: &str) -> String {
    let mut out = String::new();
    Regexp::new(source).write_delimited(&mut out);
    out
}

fn annotations(all: &Annotations) -> String {
    let text = |text: &str| quoted(&Value::str(text));
    let sources = all.iter().map(|(source, details)| {
        let value = |value: &Data| match value {
            Data::Str(written) => text(written),
            other => default(other),
        };
        let details: Vec<String> =
            details.iter().map(|(key, one)| format!("{} => {}", text(key), value(one))).collect();
        format!("{} => {{ {} }}", text(source), details.join(", "))
    });
    format!("{{ {} }}", sources.collect::<Vec<_>>().join(", "))
}

fn default(value: &Data) -> String {
    match value {
        Data::Bool(flag) => flag.to_string(),
        Data::Int(number) => number.to_string(),
        Data::Float(number) => format!("{number:?}"),
        Data::List(items) => {
            let items: Vec<String> = items.iter().map(default).collect();
            format!("[{}]", items.join(", "))
        }
        other => symbol(other.as_str().unwrap_or_default()),
    }
}
