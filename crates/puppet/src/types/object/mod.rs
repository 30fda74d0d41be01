//! Object types: their attributes and functions, and the equality of their instances. `Deferred`,
//! `Error`, `Annotation` and the types of types are built in.

mod define;
pub(crate) mod lookup_context;
pub(crate) mod meta;
pub(crate) mod parts;
mod write;

use std::sync::{Arc, LazyLock};

use ecow::EcoString;
use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;

use crate::error::{EvalResult, plain};
use crate::types::assignable::resolved;
use crate::types::parse::parse_static;
use crate::types::{
    AttributeRole, ObjectAttribute, ObjectFunction, ObjectType, Parameterized, SizeRange, Type,
    generalize, infer, is_instance,
};
use crate::value::compare::{case_matches, equals};
use crate::value::{HashValue, Object, Value};

pub(crate) use define::definition;
pub use define::{from_hash, of_definition};
pub(crate) use write::{write_definition, write_parameterized};

/// How many parents an object type may have.
const PARENT_LIMIT: usize = 100;

/// The type of all objects.
pub fn root() -> Arc<ObjectType> {
    static ROOT: LazyLock<Arc<ObjectType>> =
        LazyLock::new(|| Arc::new(ObjectType { name: "Object".into(), ..ObjectType::bare() }));
    Arc::clone(&ROOT)
}

fn attribute(name: &str, kind: &'static str, value: Option<Value>) -> ObjectAttribute {
    let kind = (*parse_static(kind)).clone();
    ObjectAttribute { kind, value, ..normal(name.into()) }
}

/// An attribute that takes anything.
fn normal(name: EcoString) -> ObjectAttribute {
    ObjectAttribute {
        name,
        kind: Type::Any,
        role: AttributeRole::Normal,
        value: None,
        is_final: false,
        overrides: false,
        annotations: None,
    }
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
            ..ObjectType::bare()
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
            functions: vec![ObjectFunction {
                name: "message".into(),
                kind: (*parse_static("Callable[[0, 0], String[1]]")).clone(),
                is_final: false,
                overrides: false,
                annotations: None,
            }],
            ..ObjectType::bare()
        })
    });
    Arc::clone(&ERROR)
}

/// `Puppet::Resource::Param`, an attribute of a resource type.
pub fn resource_param() -> Arc<ObjectType> {
    static PARAM: LazyLock<Arc<ObjectType>> = LazyLock::new(|| {
        Arc::new(ObjectType {
            name: PARAM_NAME.into(),
            attributes: vec![
                attribute("type", "Type", None),
                attribute("name", "String[1]", None),
                attribute("name_var", "Boolean", Some(Value::Bool(false))),
            ],
            equality: Some(vec!["name".into()]),
            ..ObjectType::bare()
        })
    });
    Arc::clone(&PARAM)
}

/// `Puppet::Resource::ResourceType3`, a resource type.
pub fn resource_type() -> Arc<ObjectType> {
    static KIND: LazyLock<Arc<ObjectType>> = LazyLock::new(|| {
        let params = || ObjectAttribute {
            kind: Type::Array(Arc::new(Type::Object(resource_param())), SizeRange::ANY_SIZE),
            value: Some(Value::array([])),
            ..normal(EcoString::new())
        };
        let patterns = "Optional[Hash[Regexp, Array[String[1]]]]";
        Arc::new(ObjectType {
            name: "Puppet::Resource::ResourceType3".into(),
            attributes: vec![
                attribute("name", "String[1]", None),
                ObjectAttribute { name: "properties".into(), ..params() },
                ObjectAttribute { name: "parameters".into(), ..params() },
                attribute("title_patterns_hash", patterns, Some(Value::Undef)),
                attribute("isomorphic", "Boolean", Some(Value::Bool(true))),
                attribute("capability", "Boolean", Some(Value::Bool(false))),
            ],
            equality: Some(vec!["name".into()]),
            ..ObjectType::bare()
        })
    });
    Arc::clone(&KIND)
}

/// The name of the type of attributes of resource types.
const PARAM_NAME: &str = "Puppet::Resource::Param";

/// Whether instances are objects of a class of Ruby's own: each equals itself alone, shows nothing
/// of its attributes, and is made of values in order.
pub(crate) fn has_ruby_class(kind: &ObjectType) -> bool {
    matches!(kind.name.as_str(), PARAM_NAME | "Puppet::Resource::ResourceType3")
        || kind.name == lookup_context::CONTEXT
}

/// The name of an attribute of a resource type, which is its text; `None` of other objects.
pub(crate) fn param_name(object: &Object) -> Option<&str> {
    let name = || object.values.get("name").and_then(Value::as_str);
    if object.kind.name == PARAM_NAME { name() } else { None }
}

/// Text of a key or name.
fn text_of(value: &Value) -> EcoString {
    crate::value::text::to_text(value)
}

impl ObjectAttribute {
    /// Whether it is a constant that its value says all about.
    pub(crate) fn is_plain_constant(&self) -> bool {
        let kind = || self.value.as_ref().map(|value| generalize(&infer(value)));
        self.role == AttributeRole::Constant && kind().as_ref() == Some(&self.kind)
    }
}

impl ObjectType {
    /// A type without a name, a parent and members.
    pub(crate) fn bare() -> Self {
        Self {
            name: EcoString::new(),
            parent: None,
            attributes: Vec::new(),
            equality: None,
            equality_include_type: true,
            functions: Vec::new(),
            type_parameters: Vec::new(),
            checks: None,
            annotations: None,
            model: None,
        }
    }

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

    /// The object types that this one is: itself and its parents.
    pub(crate) fn line(self: &Arc<Self>) -> impl Iterator<Item = Arc<ObjectType>> {
        let first = Some(Arc::clone(self));
        std::iter::successors(first, |object| object.parent_object()).take(PARENT_LIMIT)
    }
}

/// Reads a member of a value: the attribute of an object, a part of a URI.
pub fn member(receiver: &Value, name: &str) -> Option<Value> {
    match receiver {
        // An error's text goes by two names.
        Value::Object(object) if name == "message" && object.kind.name == "Error" => {
            attribute_value(object, "msg")
        }
        Value::Object(object) => attribute_value(object, name),
        Value::Uri(uri) => crate::types::uri::part(uri, name),
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

/// The own attributes that decide equality.
fn deciding(object: &ObjectType) -> Vec<EcoString> {
    match &object.equality {
        Some(names) => names.clone(),
        None => {
            let relevant = object.attributes.iter().filter(|a| a.role != AttributeRole::Constant);
            relevant.map(|a| a.name.clone()).collect()
        }
    }
}

/// All type parameters, those of the parents first.
pub(crate) fn type_parameters(object: &ObjectType) -> Vec<(EcoString, Type)> {
    let mut all = object.parent_object().map_or_else(Vec::new, |parent| type_parameters(&parent));
    for (name, kind) in &object.type_parameters {
        match all.iter_mut().find(|(known, _)| known == name) {
            Some(known) => known.1 = kind.clone(),
            None => all.push((name.clone(), kind.clone())),
        }
    }
    all
}

/// The type of an instance, with its attributes as type parameters if its type has any.
pub(crate) fn type_of(object: &Object) -> Type {
    let parameters: Vec<_> = type_parameters(&object.kind)
        .into_iter()
        .map(|(name, _)| {
            let value = attribute_value(object, &name).unwrap_or_default();
            (name, value)
        })
        .collect();
    let base = Arc::clone(&object.kind);
    match parameters.is_empty() {
        true => Type::Object(base),
        false => Type::Parameterized(Arc::new(Parameterized { base, parameters })),
    }
}

/// Whether an instance has the type parameters that are asked for.
pub(crate) fn has_parameters(wanted: &Parameterized, object: &Object) -> bool {
    wanted.parameters.iter().all(|(name, expected)| {
        attribute_value(object, name).is_some_and(|v| case_matches(expected, &v).matched)
    })
}

/// `T[args]` of an object type with type parameters.
///
/// # Errors
/// When the type has none, or they do not fit.
pub(crate) fn parameterized(kind: &Arc<ObjectType>, keys: &[Value]) -> EvalResult<Type> {
    let all = type_parameters(kind);
    let label = kind.label();
    let Some((_, first)) = all.first() else {
        return plain(format!("The {label}-Type cannot be parameterized using []"));
    };
    let mut parameters = Vec::new();
    let mut give = |name: &EcoString, expected: &Type, value: &Value| {
        if !matches!(value, Value::Default) {
            let subject = format!("type_parameter {label}[{name}]");
            crate::types::mismatch::assert_instance(&subject, expected, value)?;
            parameters.push((name.clone(), value.clone()));
        }
        EvalResult::Ok(())
    };
    match keys {
        [Value::Hash(entries)] if !is_instance(first, &keys[0]) => {
            for (name, value) in entries.iter() {
                let name = text_of(name);
                let Some((_, expected)) = all.iter().find(|(known, _)| *known == name) else {
                    return plain(format!(
                        "'{name}' is not a known type parameter for {label}-Type"
                    ));
                };
                give(&name, expected, value)?;
            }
        }
        keys => {
            for ((name, expected), value) in all.iter().zip(keys) {
                give(name, expected, value)?;
            }
        }
    }
    if parameters.is_empty() {
        return plain(format!(
            "The {label}-Type cannot be parameterized using an empty parameter list"
        ));
    }
    Ok(Type::Parameterized(Arc::new(Parameterized { base: Arc::clone(kind), parameters })))
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
        said |= object.equality.is_some();
        names.extend(deciding(&object));
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
    if has_ruby_class(&object.kind) {
        return HashValue::default();
    }
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
