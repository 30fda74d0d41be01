//! Defaults as text, in Ecore's `defaultValueLiteral` and in annotations.

use ordain_data::Value as Data;
use ordain_ecore::Classifier;

use crate::exchange::ANNOTATION;
use ordain_puppet::types::models::{self, Feature, FeatureKind, TypeModel, ValueType};

/// The literal of a default, if it is a single value.
pub(super) fn literal(value: &Data) -> Option<String> {
    match value {
        Data::Bool(flag) => Some(flag.to_string()),
        Data::Int(number) => Some(number.to_string()),
        Data::Float(number) => Some(format!("{number:?}")),
        Data::Str(text) => Some(text.to_string()),
        _ => None,
    }
}

/// The value of a literal for a type; `None` if it is not valid.
pub(super) fn of_literal(text: &str, kind: &ValueType) -> Option<Data> {
    match kind {
        ValueType::Integer => text.trim().parse().ok().map(Data::Int),
        ValueType::Float => {
            text.trim().parse::<f64>().ok().filter(|n| n.is_finite()).map(Data::Float)
        }
        ValueType::Boolean => match text.trim() {
            "true" => Some(Data::Bool(true)),
            "false" => Some(Data::Bool(false)),
            _ => None,
        },
        ValueType::Enum(values) => values.iter().any(|v| v == text).then(|| Data::str(text)),
        ValueType::String | ValueType::Any | ValueType::Other(_) => Some(Data::str(text)),
    }
}

/// A default in the syntax of the language.
pub(super) fn source(value: &Data) -> String {
    let mut feature = Feature::new("x", FeatureKind::Attribute(ValueType::Any));
    feature.default = Some(value.clone());
    let model = TypeModel { features: vec![feature], ..TypeModel::new("X") };
    let text = models::write(&[model]);
    let inner = text.split_once("default => ").map_or("", |(_, rest)| rest);
    inner.rsplit_once(" }\n").map_or(inner, |(value, _)| value).to_owned()
}

/// The value of a default in the syntax of the language.
pub(super) fn of_source(text: &str) -> Option<Data> {
    let text = format!("type X {{ attr x, Any {{ default => {text} }} }}");
    super::logic::only_model(&text)?.features.pop()?.default
}

/// The value of one of our annotations.
pub(super) fn note<'a>(all: &'a [ordain_ecore::Annotation], key: &str) -> Option<&'a str> {
    ordain_ecore::annotation(all, ANNOTATION)?.get(key)
}

/// The values of an enumeration of a package.
pub(super) fn symbols(classifier: &Classifier) -> Option<Vec<ecow::EcoString>> {
    let Classifier::Enumeration(one) = classifier else { return None };
    Some(one.literals.iter().map(|literal| literal.text().clone()).collect())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn defaults_go_there_and_back() {
        let list = Data::list([Data::str("a b"), Data::Int(-3), Data::str("default")]);
        for value in [Data::Bool(true), Data::Float(1e30), Data::str("it's\n}"), list] {
            let text = source(&value);
            assert_eq!(of_source(&text), Some(value), "{text}");
        }
        assert_eq!(of_literal("x", &ValueType::Integer), None);
        assert_eq!(of_literal(" 7", &ValueType::Integer), Some(Data::Int(7)));
    }
}
