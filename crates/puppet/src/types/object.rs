//! Object types: their definition from a hash, their attributes, and the equality and text of their
//! instances. `Deferred` and `Error` are built in.

use std::sync::{Arc, LazyLock};

use ecow::EcoString;
use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;

use crate::eval::compare::equals;
use crate::eval::error::{EvalResult, plain};
use crate::types::assignable::{is_assignable, resolved};
use crate::types::display::write_inner;
use crate::types::format::quoted::{write_hash, write_quoted, write_text_quoted};
use crate::types::parse::parse_static;
use crate::types::{
    AttributeRole, ObjectAttribute, ObjectType, Type, generalize, infer, is_instance,
};
use crate::value::{HashValue, Object, Value};

/// How many parents an object type may have.
const PARENT_LIMIT: usize = 100;

/// The type of all objects.
pub fn root() -> Arc<ObjectType> {
    static ROOT: LazyLock<Arc<ObjectType>> = LazyLock::new(|| {
        Arc::new(ObjectType {
            name: "Object".into(),
            parent: None,
            attributes: Vec::new(),
            equality: None,
            equality_include_type: true,
            functions: Vec::new(),
            type_parameters: Vec::new(),
        })
    });
    Arc::clone(&ROOT)
}

fn attribute(name: &str, kind: &'static str, value: Option<Value>) -> ObjectAttribute {
    let kind = (*parse_static(kind)).clone();
    ObjectAttribute { name: name.into(), kind, role: AttributeRole::Normal, value }
}

/// A call that is made when the catalog is applied.
pub fn deferred() -> Arc<ObjectType> {
    static DEFERRED: LazyLock<Arc<ObjectType>> = LazyLock::new(|| {
        Arc::new(ObjectType {
            name: "Deferred".into(),
            attributes: vec![
                attribute(
                    "name",
                    "Pattern[/\\A[$]?[a-z][a-z0-9_]*(?:::[a-z][a-z0-9_]*)*\\z/]",
                    None,
                ),
                attribute("arguments", "Optional[Array]", Some(Value::Undef)),
            ],
            ..bare()
        })
    });
    Arc::clone(&DEFERRED)
}

/// The built-in `Error`.
pub fn error() -> Arc<ObjectType> {
    static ERROR: LazyLock<Arc<ObjectType>> = LazyLock::new(|| {
        let text = "Optional[String[1]]";
        let undef = || Some(Value::Undef);
        Arc::new(ObjectType {
            name: "Error".into(),
            attributes: vec![
                attribute("msg", "String[1]", None),
                attribute("kind", text, undef()),
                attribute("details", "Optional[Hash[String[1], Data]]", undef()),
                attribute("issue_code", text, undef()),
            ],
            type_parameters: vec![
                ("kind".into(), (*parse_static("Optional[Variant[String, Regexp, Type[Enum], Type[Pattern], Type[NotUndef], Type[Undef]]]")).clone()),
                ("issue_code".into(), (*parse_static("Optional[Variant[String, Regexp, Type[Enum], Type[Pattern], Type[NotUndef], Type[Undef]]]")).clone()),
            ],
            ..bare()
        })
    });
    Arc::clone(&ERROR)
}

fn bare() -> ObjectType {
    ObjectType {
        name: EcoString::new(),
        parent: None,
        attributes: Vec::new(),
        equality: None,
        equality_include_type: true,
        functions: Vec::new(),
        type_parameters: Vec::new(),
    }
}

impl ObjectType {
    /// Whether this is `Object`, the type of all objects.
    pub fn is_root(&self) -> bool {
        self.name == "Object" && self.attributes.is_empty() && self.parent.is_none()
    }

    /// The parent, through any aliases.
    pub fn parent_object(&self) -> Option<Arc<ObjectType>> {
        match resolved(self.parent.as_ref()?) {
            Type::Object(parent) => Some(Arc::clone(parent)),
            _ => None,
        }
    }

    /// All attributes with those of the parents, which come first; one that is overridden stays where
    /// the parent has it.
    pub fn all_attributes(&self) -> IndexMap<EcoString, ObjectAttribute, FxBuildHasher> {
        let mut chain = vec![self.attributes.clone()];
        let mut parent = self.parent_object();
        while let Some(object) = parent.filter(|_| chain.len() < PARENT_LIMIT) {
            chain.push(object.attributes.clone());
            parent = object.parent_object();
        }
        let attributes = chain.into_iter().rev().flatten();
        attributes.map(|attribute| (attribute.name.clone(), attribute)).collect()
    }

    /// What messages call the type.
    pub fn label(&self) -> &str {
        if self.name.is_empty() { "Object" } else { &self.name }
    }

    /// Whether instances have a member of this name.
    pub fn has_member(&self, name: &str) -> bool {
        self.all_attributes().contains_key(name)
            || self.functions.iter().any(|(function, _)| function == name)
            || self.parent_object().is_some_and(|parent| parent.has_member(name))
    }
}

/// Reads a member of a value: the attribute of an object, a part of a URI.
pub fn member(receiver: &Value, name: &str) -> Option<Value> {
    match receiver {
        Value::Object(object) => attribute_value(object, name),
        Value::Uri(uri) => uri.part(name),
        _ => None,
    }
}

/// Reads an attribute of an instance; `None` if its type has none of this name.
pub fn attribute_value(object: &Object, name: &str) -> Option<Value> {
    if let Some(value) = object.values.get(name) {
        return Some(value.clone());
    }
    let attribute = object.kind.all_attributes().swap_remove(name)?;
    Some(attribute.value.unwrap_or_default())
}

/// The object type that a hash defines.
///
/// # Errors
/// When the definition is wrong.
pub fn from_hash(name: &str, definition: &Value) -> EvalResult<Arc<ObjectType>> {
    let Value::Hash(entries) = definition else {
        return plain("An object type is defined by a hash");
    };
    let mut object = ObjectType { name: name.into(), ..bare() };
    if let Some(given) = definition.get("name").and_then(Value::as_str).filter(|_| name.is_empty())
    {
        object.name = given.into();
    }
    for (key, value) in entries.iter() {
        read_entry(&mut object, key.as_str().unwrap_or_default(), value)?;
    }
    check_against_parent(&object, definition)?;
    Ok(Arc::new(object))
}

fn read_entry(object: &mut ObjectType, key: &str, value: &Value) -> EvalResult<()> {
    match key {
        "parent" => match value {
            Value::Type(kind) => object.parent = Some((**kind).clone()),
            _ => return wrong_entry(key, "Type", value),
        },
        "attributes" => {
            for (name, given) in hash_of(key, value)? {
                let attribute = read_attribute(object.label(), name, given)?;
                object.attributes.push(attribute);
            }
        }
        "constants" => {
            for (name, constant) in hash_of(key, value)? {
                let name = text_of(name);
                if object.attributes.iter().any(|a| a.name == name) {
                    return plain(format!(
                        "attribute {}[{name}] is defined as both a constant and an attribute",
                        object.label()
                    ));
                }
                object.attributes.push(ObjectAttribute {
                    name,
                    kind: generalize(&infer(constant)),
                    role: AttributeRole::Constant,
                    value: Some(constant.clone()),
                });
            }
        }
        "functions" => {
            for (name, given) in hash_of(key, value)? {
                let kind = match given {
                    Value::Type(kind) => (**kind).clone(),
                    other => match other.get("type") {
                        Some(Value::Type(kind)) => (**kind).clone(),
                        _ => Type::Callable(None),
                    },
                };
                object.functions.push((text_of(name), kind));
            }
        }
        "type_parameters" => {
            for (name, given) in hash_of(key, value)? {
                let kind = match given {
                    Value::Type(kind) => (**kind).clone(),
                    other => match other.get("type") {
                        Some(Value::Type(kind)) => (**kind).clone(),
                        _ => Type::Any,
                    },
                };
                object.type_parameters.push((text_of(name), kind));
            }
        }
        "equality" => {
            object.equality = Some(match value {
                Value::Str(name) => vec![name.clone()],
                Value::Array(names) => names.iter().map(text_of).collect(),
                _ => return wrong_entry(key, "String or Array", value),
            });
        }
        "equality_include_type" => object.equality_include_type = value.is_true(),
        "name" | "checks" | "annotations" | "serialization" => {}
        other => {
            return plain(format!("object initializer has wrong type, unrecognized key '{other}'"));
        }
    }
    Ok(())
}

fn text_of(value: &Value) -> EcoString {
    crate::eval::text::to_text(value)
}

fn wrong_entry<T>(key: &str, expected: &str, value: &Value) -> EvalResult<T> {
    let got = generalize(&infer(value));
    plain(format!(
        "object initializer has wrong type, entry '{key}' expects {} value, got {got}",
        crate::types::label::with_article(expected)
    ))
}

fn hash_of<'v>(key: &str, value: &'v Value) -> EvalResult<&'v HashValue> {
    match value.as_hash() {
        Some(entries) => Ok(entries),
        None => wrong_entry(key, "Hash", value),
    }
}

fn read_attribute(label: &str, name: &Value, given: &Value) -> EvalResult<ObjectAttribute> {
    let name = text_of(name);
    let details = match given {
        Value::Type(kind) => {
            return Ok(ObjectAttribute {
                name,
                kind: (**kind).clone(),
                role: AttributeRole::Normal,
                value: None,
            });
        }
        Value::Hash(_) => given,
        other => {
            return plain(format!(
                "attribute {label}[{name}] has wrong type, expects a Type value, got {}",
                generalize(&infer(other))
            ));
        }
    };
    let kind = match details.get("type") {
        Some(Value::Type(kind)) => (**kind).clone(),
        _ => {
            return plain(format!(
                "initializer for attribute {label}[{name}] has wrong type, expects a value for key 'type'"
            ));
        }
    };
    let role = match details.get("kind").and_then(Value::as_str) {
        Some("constant") => AttributeRole::Constant,
        Some("derived") => AttributeRole::Derived,
        Some("given_or_derived") => AttributeRole::GivenOrDerived,
        Some("reference") => AttributeRole::Reference,
        _ => AttributeRole::Normal,
    };
    let value = details.get("value").cloned();
    if role == AttributeRole::Constant && value.is_none() {
        return plain(format!("attribute {label}[{name}] of kind 'constant' requires a value"));
    }
    if let Some(value) = &value
        && !is_instance(&kind, value)
    {
        let subject = format!("attribute {label}[{name}] value");
        crate::types::mismatch::assert_instance(&subject, &kind, value)?;
    }
    Ok(ObjectAttribute { name, kind, role, value })
}

fn check_against_parent(object: &ObjectType, definition: &Value) -> EvalResult<()> {
    let Some(parent) = object.parent_object() else { return Ok(()) };
    let inherited = parent.all_attributes();
    for attribute in &object.attributes {
        let Some(other) = inherited.get(&attribute.name) else { continue };
        let details = definition.get("attributes").and_then(|a| a.get(&attribute.name));
        let overrides = details.and_then(|d| d.get("override")).is_some_and(Value::is_true);
        let (label, name, of) = (object.label(), &attribute.name, parent.label());
        if !overrides {
            return plain(format!(
                "attribute {label}[{name}] attempts to override attribute {of}[{name}] without having override => true"
            ));
        }
        if !is_assignable(&other.kind, &attribute.kind) {
            return plain(format!(
                "attribute {label}[{name}] attempts to override attribute {of}[{name}] with a type that does not match"
            ));
        }
    }
    Ok(())
}

/// `T[args]` of an object type with type parameters.
///
/// # Errors
/// When the type has none.
pub(crate) fn parameterized(kind: &Arc<ObjectType>, keys: &[Value]) -> EvalResult<Type> {
    if kind.type_parameters.is_empty() {
        return plain(format!("The {}-Type cannot be parameterized using []", kind.label()));
    }
    if keys.len() > kind.type_parameters.len() {
        return plain(format!("{} has too many type parameters", kind.label()));
    }
    Ok(Type::Object(Arc::clone(kind)))
}

/// Whether two instances are equal by the rules of their types.
pub fn equal(a: &Object, b: &Object) -> bool {
    if a.kind.equality_include_type && a.kind != b.kind {
        return false;
    }
    let same = |name: &EcoString| match (attribute_value(a, name), attribute_value(b, name)) {
        (Some(x), Some(y)) => equals(&x, &y),
        (None, None) => true,
        _ => false,
    };
    let mut names: Vec<EcoString> = Vec::new();
    let mut kind = Some(Arc::clone(&a.kind));
    let mut said = false;
    while let Some(object) = kind {
        if let Some(equality) = &object.equality {
            said = true;
            names.extend(equality.iter().cloned());
        } else {
            let relevant = object.attributes.iter().filter(|a| a.role != AttributeRole::Constant);
            names.extend(relevant.map(|a| a.name.clone()));
        }
        kind = object.parent_object();
    }
    if !said && names.is_empty() {
        return a.kind == b.kind;
    }
    names.iter().all(same)
}

/// The attributes of an instance as the hash that would make it again: without those that have
/// their default.
pub fn init_hash(object: &Object) -> HashValue {
    let attributes = object.kind.all_attributes();
    let mut out = HashValue::default();
    for (name, value) in &object.values {
        let default = attributes.get(name).and_then(|a| a.value.as_ref());
        if default != Some(value) {
            out.insert(Value::Str(name.clone()), value.clone());
        }
    }
    out
}

/// Writes an instance as the call that makes it: `T({'a' => 1})`.
pub fn write_instance(out: &mut String, object: &Object) {
    out.push_str(object.kind.label());
    out.push('(');
    write_hash(out, &init_hash(object));
    out.push(')');
}

/// Writes the definition of an object type: `Object[{name => 'X', attributes => {…}}]`.
pub(crate) fn write_definition(out: &mut String, object: &ObjectType) {
    if object.is_root() {
        out.push_str("Object");
        return;
    }
    out.push_str("Object[{");
    let mut parts = Parts { out, first: true };
    if !object.name.is_empty() {
        parts.entry("name");
        write_text_quoted(parts.out, &object.name);
    }
    if let Some(parent) = &object.parent {
        parts.entry("parent");
        write_inner(parts.out, parent);
    }
    let is_short = |a: &&ObjectAttribute| {
        a.role == AttributeRole::Constant
            && a.value.as_ref().is_some_and(|v| generalize(&infer(v)) == a.kind)
    };
    let own: Vec<_> = object.attributes.iter().filter(|a| !is_short(a)).collect();
    if !own.is_empty() {
        parts.entry("attributes");
        write_attributes(parts.out, &own);
    }
    let constants: Vec<_> = object.attributes.iter().filter(is_short).collect();
    if !constants.is_empty() {
        parts.entry("constants");
        let entries = constants
            .iter()
            .map(|a| (Value::Str(a.name.clone()), a.value.clone().unwrap_or_default()));
        write_hash(parts.out, &entries.collect());
    }
    if !object.functions.is_empty() {
        parts.entry("functions");
        let entries = object.functions.iter();
        let entries =
            entries.map(|(name, kind)| (Value::Str(name.clone()), Value::of_type(kind.clone())));
        write_hash(parts.out, &entries.collect());
    }
    if let Some(equality) = &object.equality {
        parts.entry("equality");
        let names = equality.iter().cloned().map(Value::Str);
        write_quoted(parts.out, &Value::array(names));
    }
    if !object.equality_include_type {
        parts.entry("equality_include_type");
        parts.out.push_str("false");
    }
    out.push_str("}]");
}

struct Parts<'o> {
    out: &'o mut String,
    first: bool,
}

impl Parts<'_> {
    fn entry(&mut self, key: &str) {
        if !std::mem::replace(&mut self.first, false) {
            self.out.push_str(", ");
        }
        self.out.push_str(key);
        self.out.push_str(" => ");
    }
}

fn write_attributes(out: &mut String, attributes: &[&ObjectAttribute]) {
    out.push('{');
    for (i, attribute) in attributes.iter().enumerate() {
        if i > 0 {
            out.push_str(", ");
        }
        write_text_quoted(out, &attribute.name);
        out.push_str(" => ");
        let role = match attribute.role {
            AttributeRole::Normal => None,
            AttributeRole::Constant => Some("constant"),
            AttributeRole::Derived => Some("derived"),
            AttributeRole::GivenOrDerived => Some("given_or_derived"),
            AttributeRole::Reference => Some("reference"),
        };
        if role.is_none() && attribute.value.is_none() {
            write_inner(out, &attribute.kind);
            continue;
        }
        out.push_str("{type => ");
        write_inner(out, &attribute.kind);
        if let Some(role) = role {
            out.push_str(", kind => ");
            out.push_str(role);
        }
        if let Some(value) = &attribute.value {
            out.push_str(", value => ");
            write_quoted(out, value);
        }
        out.push('}');
    }
    out.push('}');
}
