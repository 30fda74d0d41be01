//! JSON Schema (draft 2020-12) for documents with instances of types.
//!
//! The schema has the properties of features that are data: values, their number, and whether they
//! are required. Checks and invariants are code and are left out.

mod regex;

use ecow::EcoString;
use serde_json::{Map, Value as Json, json};

use super::{ByName, all_features, by_name, chain};
use ordain_puppet::types::models::{Feature, FeatureKind, TypeModel, ValueType};
use ordain_puppet::types::specialize::parse_text;
use ordain_puppet::types::{IntRange, SizeRange, StructMember, Type};

/// The maximal nesting of types.
const MAX_DEPTH: usize = 50;

/// A schema, with notes about its gaps.
#[derive(Clone, PartialEq, Debug)]
pub struct Schema {
    /// The document.
    pub json: Json,
    /// Properties of the types that the schema lacks, in words.
    pub notes: Vec<String>,
}

/// The schema of documents whose outermost object is of one of the types. `named` resolves the
/// aliases that types use.
///
/// # Errors
/// When a type needs one that is missing.
pub fn schema(
    models: &[TypeModel],
    named: &mut dyn FnMut(&str) -> Option<Type>,
) -> Result<Schema, String> {
    let all = by_name(models);
    let mut writer = Writer { models, all, named, definitions: Map::new(), notes: Vec::new() };
    for model in models {
        writer.check_names(model)?;
        let family = writer.of_family(model);
        writer.definitions.insert(model.name.to_string(), family);
        if !model.is_abstract {
            let exact = writer.of_type(model);
            writer.definitions.insert(format!("{}!", model.name), exact);
        }
    }
    let any: Vec<Json> = models
        .iter()
        .filter(|model| !model.is_abstract)
        .map(|model| json!({"$ref": reference(&format!("{}!", model.name))}))
        .collect();
    let json = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "anyOf": any,
        "$defs": writer.definitions,
    });
    Ok(Schema { json, notes: writer.notes })
}

fn reference(name: &str) -> String {
    format!("#/$defs/{name}")
}

struct Writer<'m, 'n> {
    models: &'m [TypeModel],
    all: ByName<'m>,
    named: &'n mut dyn FnMut(&str) -> Option<Type>,
    /// Types and aliases by name. An exclamation mark means a type without its subtypes.
    definitions: Map<String, Json>,
    notes: Vec<String>,
}

impl<'m> Writer<'m, '_> {
    fn check_names(&self, model: &TypeModel) -> Result<(), String> {
        let targets = model.features.iter().filter_map(|feature| match &feature.kind {
            FeatureKind::Reference { target, .. } => Some(target),
            FeatureKind::Attribute(_) => None,
        });
        let missing =
            model.parent.iter().chain(targets).find(|name| !self.all.contains_key(name.as_str()));
        match missing {
            Some(name) => Err(format!(
                "'{}' needs the type '{name}', which is not among those to be exported",
                model.name
            )),
            None => Ok(()),
        }
    }

    /// Instances of a type or of one that inherits from it.
    fn of_family(&self, model: &TypeModel) -> Json {
        let family = self.models.iter().filter(|one| {
            !one.is_abstract && chain(one, &self.all).iter().any(|up| up.name == model.name)
        });
        let refs: Vec<Json> =
            family.map(|one| json!({"$ref": reference(&format!("{}!", one.name))})).collect();
        match refs.is_empty() {
            true => Json::Bool(false),
            false => json!({"anyOf": refs}),
        }
    }

    /// Instances of exactly this type.
    fn of_type(&mut self, model: &'m TypeModel) -> Json {
        let features = all_features(model, &self.all);
        let mut properties = Map::new();
        let mut required = vec![json!("__ptype")];
        properties.insert("__ptype".to_owned(), json!({"const": model.name.as_str()}));
        for feature in features {
            // Derived features are not read.
            if feature.derived.is_some() {
                continue;
            }
            let place = format!("{}.{}", model.name, feature.name);
            properties.insert(feature.name.to_string(), self.feature(&place, feature));
            if feature.multiplicity.lower > 0 {
                required.push(json!(feature.name.as_str()));
            }
        }
        json!({
            "type": "object",
            "properties": properties,
            "required": required,
            "additionalProperties": false,
        })
    }

    fn feature(&mut self, place: &str, feature: &Feature) -> Json {
        let one = match &feature.kind {
            FeatureKind::Reference { target, containment: true } => {
                json!({"$ref": reference(target)})
            }
            FeatureKind::Reference { containment: false, .. } => json!({
                "type": "object",
                "properties": {"__pref": {"type": "string"}},
                "required": ["__pref"],
                "additionalProperties": false,
            }),
            FeatureKind::Attribute(kind) => self.value_type(place, kind),
        };
        // Nothing is as good as leaving it out, and one value as good as a list of it.
        let lower = feature.multiplicity.lower;
        let mut any = vec![one.clone()];
        if feature.multiplicity.is_many() {
            let mut list = json!({"type": "array", "items": one});
            if lower > 0 {
                list["minItems"] = json!(lower);
            }
            if let Some(upper) = feature.multiplicity.upper {
                list["maxItems"] = json!(upper);
            }
            any.insert(0, list);
            any.truncate(if lower > 1 { 1 } else { 2 });
        }
        if lower == 0 {
            any.push(json!({"type": "null"}));
        }
        match any.len() {
            1 => any.remove(0),
            _ => json!({"anyOf": any}),
        }
    }

    fn value_type(&mut self, place: &str, kind: &ValueType) -> Json {
        match kind {
            ValueType::Any => json!(true),
            ValueType::Integer => json!({"type": "integer"}),
            ValueType::Float => json!({"type": "number"}),
            ValueType::String => json!({"type": "string"}),
            ValueType::Boolean => json!({"type": "boolean"}),
            ValueType::Enum(values) => enumeration(values),
            ValueType::Other(text) => match parse_text(text, self.named) {
                Ok(kind) => self.puppet(place, &kind, 0),
                Err(_) => self.unknown(place, text),
            },
        }
    }

    /// Notes that a property is missing, and returns the schema that accepts anything.
    fn unknown(&mut self, place: &str, what: &str) -> Json {
        self.notes.push(format!("{place}: {what} is not in the schema, which takes any value"));
        json!(true)
    }

    fn puppet(&mut self, place: &str, kind: &Type, depth: usize) -> Json {
        if depth > MAX_DEPTH {
            return self.unknown(place, "the levels below");
        }
        if let Some(said) = plain(kind) {
            return said;
        }
        let inner = |this: &mut Self, kind: &Type| this.puppet(place, kind, depth + 1);
        match kind {
            Type::NotUndef(None) => json!({"not": {"type": "null"}}),
            Type::NotUndef(Some(one)) => {
                let one = inner(self, one);
                json!({"allOf": [one, {"not": {"type": "null"}}]})
            }
            Type::Optional(None) => json!(true),
            Type::Optional(Some(one)) => json!({"anyOf": [inner(self, one), {"type": "null"}]}),
            Type::Variant(types) => {
                let types: Vec<Json> = types.iter().map(|one| inner(self, one)).collect();
                json!({"anyOf": types})
            }
            Type::Literal(_) | Type::Enum { .. } | Type::Pattern(_) => self.words(place, kind),
            Type::Array(item, size) => {
                let items = inner(self, item);
                sized(json!({"type": "array", "items": items}), *size, "Items")
            }
            Type::Hash(entry, size) => {
                let (names, values) = (inner(self, &entry.0), inner(self, &entry.1));
                let out = json!({"type": "object", "propertyNames": names, "additionalProperties": values});
                sized(out, *size, "Properties")
            }
            Type::Tuple(types, size) => self.tuple(place, types, *size, depth),
            Type::Struct(members) => self.structure(place, members, depth),
            Type::Alias(alias) => match alias.target.get() {
                // Written once: an alias may hold itself, or many others many times.
                Some(target) => {
                    if !self.definitions.contains_key(alias.name.as_str()) {
                        self.definitions.insert(alias.name.to_string(), json!(true));
                        let said = self.puppet(place, target, 0);
                        self.definitions.insert(alias.name.to_string(), said);
                    }
                    json!({"$ref": reference(&alias.name)})
                }
                None => self.unknown(place, &alias.name),
            },
            Type::Reference(name) | Type::Resource { kind: Some(name), title: None }
                if self.all.contains_key(name.as_str()) =>
            {
                json!({"$ref": reference(name)})
            }
            other => self.unknown(place, &other.to_string()),
        }
    }

    /// The types that restrict texts.
    fn words(&mut self, place: &str, kind: &Type) -> Json {
        match kind {
            Type::Literal(text) => json!({"const": text.as_str()}),
            Type::Enum { values, caseless: false } if values.is_empty() => {
                json!({"type": "string"})
            }
            Type::Enum { values, caseless: false } => enumeration(values),
            Type::Enum { .. } => {
                self.notes.push(format!("{place}: {kind} is any text in the schema"));
                json!({"type": "string"})
            }
            Type::Pattern(patterns) => {
                let all: Option<Vec<String>> =
                    patterns.iter().map(|one| regex::ecma(&one.source)).collect();
                match all.as_deref() {
                    Some([]) => json!({"type": "string"}),
                    Some([one]) => json!({"type": "string", "pattern": one}),
                    Some(several) => {
                        let each = several.iter().map(|one| json!({"pattern": one}));
                        json!({"type": "string", "anyOf": each.collect::<Vec<_>>()})
                    }
                    None => {
                        self.notes.push(format!("{place}: {kind} is any text in the schema"));
                        json!({"type": "string"})
                    }
                }
            }
            _ => json!({"type": "string"}),
        }
    }

    fn tuple(
        &mut self,
        place: &str,
        types: &[Type],
        size: Option<SizeRange>,
        depth: usize,
    ) -> Json {
        let each: Vec<Json> = types.iter().map(|one| self.puppet(place, one, depth + 1)).collect();
        let count = i64::try_from(types.len()).unwrap_or(i64::MAX);
        let size = size.unwrap_or(SizeRange::new(count, count));
        // The last type repeats.
        let rest = each.last().cloned().unwrap_or(json!(true));
        sized(json!({"type": "array", "prefixItems": each, "items": rest}), size, "Items")
    }

    fn structure(&mut self, place: &str, members: &[StructMember], depth: usize) -> Json {
        let mut properties = Map::new();
        let mut required = Vec::new();
        for member in members {
            let mut kind = self.puppet(place, &member.kind, depth + 1);
            if member.key_not_undef {
                kind = json!({"allOf": [kind, {"not": {"type": "null"}}]});
            }
            properties.insert(member.name.to_string(), kind);
            if !member.optional {
                required.push(json!(member.name.as_str()));
            }
        }
        json!({
            "type": "object",
            "properties": properties,
            "required": required,
            "additionalProperties": false,
        })
    }
}

/// The types for a keyword with bounds.
fn plain(kind: &Type) -> Option<Json> {
    Some(match kind {
        Type::Any | Type::Unit | Type::RichData | Type::Data => json!(true),
        Type::Undef => json!({"type": "null"}),
        Type::Numeric => json!({"type": "number"}),
        Type::Scalar | Type::ScalarData => json!({"type": ["string", "number", "boolean"]}),
        Type::Integer(range) => within(json!({"type": "integer"}), *range),
        Type::Float(range) => {
            let mut out = json!({"type": "number"});
            for (key, bound) in [("minimum", range.from), ("maximum", range.to)] {
                if bound.is_finite() {
                    out[key] = json!(bound);
                }
            }
            out
        }
        Type::Boolean(None) => json!({"type": "boolean"}),
        Type::Boolean(Some(flag)) => json!({"const": flag}),
        Type::String(size) => sized(json!({"type": "string"}), *size, "Length"),
        Type::Collection(_) => json!({"type": ["array", "object"]}),
        _ => return None,
    })
}

fn enumeration(values: &[EcoString]) -> Json {
    json!({"enum": values.iter().map(EcoString::as_str).collect::<Vec<_>>()})
}

fn within(mut out: Json, range: IntRange) -> Json {
    if let Some(from) = range.first() {
        out["minimum"] = json!(from);
    }
    if let Some(to) = range.last() {
        out["maximum"] = json!(to);
    }
    out
}

fn sized(mut out: Json, size: SizeRange, what: &str) -> Json {
    if size.from > 0 {
        out[format!("min{what}")] = json!(size.from);
    }
    if let Some(to) = size.last() {
        out[format!("max{what}")] = json!(to);
    }
    out
}
