//! Object types: their attributes and functions, and the equality of their instances. The built-in
//! ones are in [`builtin`] and [`meta`].

pub mod builtin;
pub(crate) mod construct_type;
pub mod define;
pub mod lookup_context;
pub mod meta;
pub mod metatypes;
pub mod parts;
pub mod write;

use std::sync::Arc;

use ecow::EcoString;
use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;

use crate::types::aliases::resolved;
use crate::types::generalize::generalize;
use crate::types::infer::infer;
use crate::types::{AttributeRole, ObjectAttribute, ObjectType, Parameterized, Type};
use crate::value::equality::{case_matches, equals};
use crate::value::{HashValue, Object, Value};

pub use builtin::{deferred, error, resource_param, resource_type};
pub use define::{from_hash, of_definition};

pub use crate::types::aliases::root;

/// The maximal number of parents of an object type.
pub(crate) const PARENT_LIMIT: usize = 100;

impl ObjectAttribute {
    /// An attribute that takes anything.
    pub fn of_any(name: EcoString) -> Self {
        Self {
            name,
            kind: Type::Any,
            role: AttributeRole::Normal,
            value: None,
            is_final: false,
            overrides: false,
            annotations: None,
        }
    }

    /// Whether it is a constant that its value describes completely.
    pub(crate) fn is_plain_constant(&self) -> bool {
        let kind = || self.value.as_ref().map(|value| generalize(&infer(value)));
        self.role == AttributeRole::Constant && kind().as_ref() == Some(&self.kind)
    }
}

impl ObjectType {
    /// A type without a name, a parent and members.
    pub fn bare() -> Self {
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
    #[inline]
    pub fn is_root(&self) -> bool {
        self.name == "Object" && self.attributes.is_empty() && self.parent.is_none()
    }

    /// The parent, through any aliases.
    #[inline]
    pub fn parent_object(&self) -> Option<Arc<ObjectType>> {
        match resolved(self.parent.as_ref()?) {
            Type::Object(parent) => Some(Arc::clone(parent)),
            _ => None,
        }
    }

    /// All attributes, those of the parents first. An overridden attribute stays at its position in
    /// the parent.
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

    /// The name of the type in messages.
    #[inline]
    pub fn label(&self) -> &str {
        if self.name.is_empty() { "Object" } else { &self.name }
    }

    /// The object types that this one is: itself and its parents.
    #[inline]
    pub fn line(self: &Arc<Self>) -> impl Iterator<Item = Arc<ObjectType>> {
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

/// Reads an attribute of an instance; `None` if its type has no such attribute.
#[inline]
pub fn attribute_value(object: &Object, name: &str) -> Option<Value> {
    if let Some(value) = object.values.get(name) {
        return Some(value.clone());
    }
    let attribute = object.kind.all_attributes().swap_remove(name)?;
    Some(attribute.value.unwrap_or_default())
}

/// The own attributes that decide equality.
pub(crate) fn deciding(object: &ObjectType) -> Vec<EcoString> {
    match &object.equality {
        Some(names) => names.clone(),
        None => {
            let relevant = object.attributes.iter().filter(|a| a.role != AttributeRole::Constant);
            relevant.map(|a| a.name.clone()).collect()
        }
    }
}

/// All type parameters, those of the parents first.
pub fn type_parameters(object: &ObjectType) -> Vec<(EcoString, Type)> {
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
pub fn type_of(object: &Object) -> Type {
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
#[inline]
pub fn has_parameters(wanted: &Parameterized, object: &Object) -> bool {
    wanted.parameters.iter().all(|(name, expected)| {
        attribute_value(object, name).is_some_and(|v| case_matches(expected, &v).matched)
    })
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
    if object.kind.has_ruby_class() {
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
