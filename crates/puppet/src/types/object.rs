//! Object types: their definition from a hash, their attributes, and the equality and text of their
//! instances. `Deferred` and `Error` are built in.

use std::sync::{Arc, LazyLock};

use ecow::EcoString;
use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;

use crate::eval::compare::{case_matches, equals};
use crate::eval::error::{EvalResult, plain};
use crate::types::assignable::{is_assignable, resolved};
use crate::types::display::write_inner;
use crate::types::format::quoted::{write_hash, write_quoted, write_text_quoted};
use crate::types::parse::parse_static;
use crate::types::{
    AttributeRole, ObjectAttribute, ObjectType, Parameterized, Type, generalize, infer, is_instance,
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
                let constant = read_constant(object, text_of(name), constant)?;
                object.attributes.push(constant);
            }
        }
        "functions" => {
            for (name, given) in hash_of(key, value)? {
                let kind = type_of_member(given).unwrap_or(Type::Callable(None));
                object.functions.push((text_of(name), kind));
            }
        }
        "type_parameters" => {
            for (name, given) in hash_of(key, value)? {
                let kind = match type_of_member(given).unwrap_or(Type::Any) {
                    kind @ Type::Optional(_) => kind,
                    kind => Type::Optional(Some(Arc::new(kind))),
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

fn read_constant(
    object: &ObjectType,
    name: EcoString,
    constant: &Value,
) -> EvalResult<ObjectAttribute> {
    if object.attributes.iter().any(|a| a.name == name) {
        let label = object.label();
        return plain(format!(
            "attribute {label}[{name}] is defined as both a constant and an attribute"
        ));
    }
    Ok(ObjectAttribute {
        kind: generalize(&infer(constant)),
        role: AttributeRole::Constant,
        value: Some(constant.clone()),
        ..normal(name)
    })
}

/// The type that is given alone or under `type`.
fn type_of_member(given: &Value) -> Option<Type> {
    let kind = match given {
        Value::Type(kind) => kind,
        other => match other.get("type") {
            Some(Value::Type(kind)) => kind,
            _ => return None,
        },
    };
    Some((**kind).clone())
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
            // What may be undef is so unless it is given.
            let value = matches!(**kind, Type::Optional(_)).then_some(Value::Undef);
            return Ok(ObjectAttribute { kind: (**kind).clone(), value, ..normal(name) });
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
    let flag = |key: &str| details.get(key).is_some_and(Value::is_true);
    let (is_final, overrides) = (flag("final"), flag("override"));
    Ok(ObjectAttribute { name, kind, role, value, is_final, overrides })
}

fn check_against_parent(object: &ObjectType, definition: &Value) -> EvalResult<()> {
    if inherits_from_itself(object) {
        return plain(format!("The Object type '{}' inherits from itself", object.label()));
    }
    if let Some(Type::Reference(name)) = object.parent.as_ref().map(resolved)
        && !name.is_empty()
    {
        return plain(format!("reference to unresolved type '{name}'"));
    }
    let parent = object.parent_object();
    for name in object.equality.iter().flatten() {
        let own = object.attributes.iter().any(|attribute| attribute.name == *name);
        if !own && !parent.as_ref().is_some_and(|parent| has_attribute(parent, name)) {
            return plain(format!(
                "{} equality is referencing non existent attribute '{name}'",
                object.label()
            ));
        }
    }
    let Some(parent) = parent else { return Ok(()) };
    check_equality(object, &parent)?;
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

/// Whether the type under definition, whose alias stands for nothing yet, is among its own parents.
fn inherits_from_itself(object: &ObjectType) -> bool {
    let mut parent = object.parent.clone();
    for _ in 0..PARENT_LIMIT {
        parent = match parent {
            Some(Type::Alias(alias)) if alias.target.get().is_none() => {
                return alias.name == object.name;
            }
            Some(Type::Alias(alias)) => alias.target.get().cloned(),
            Some(Type::Object(next)) => next.parent.clone(),
            _ => return false,
        };
    }
    false
}

/// An attribute that decides equality already may not be said to do so again.
fn check_equality(object: &ObjectType, parent: &Arc<ObjectType>) -> EvalResult<()> {
    for name in object.equality.iter().flatten() {
        let mut definer = None;
        let mut current = Some(Arc::clone(parent));
        while let Some(kind) = current {
            if deciding(&kind).contains(name) {
                definer = Some(Arc::clone(&kind));
            }
            current = kind.parent_object();
        }
        if let Some(definer) = definer {
            let (label, of) = (object.label(), definer.label());
            return plain(format!(
                "{label} equality is referencing attribute {of}[{name}] which is included in equality of {of}"
            ));
        }
    }
    Ok(())
}

/// Whether a type or one that it inherits from has an attribute.
fn has_attribute(object: &Arc<ObjectType>, name: &str) -> bool {
    let mut current = Some(Arc::clone(object));
    while let Some(kind) = current {
        if kind.attributes.iter().any(|attribute| attribute.name == name) {
            return true;
        }
        current = kind.parent_object();
    }
    false
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

/// Writes `T['a', default]`: by position, or as a hash where there are more than two parameters.
pub(crate) fn write_parameterized(out: &mut String, kind: &Parameterized) {
    let all = type_parameters(&kind.base);
    out.push_str(kind.base.label());
    out.push('[');
    let given = |name: &EcoString| kind.parameters.iter().find(|(n, _)| n == name);
    if all.len() > 2 {
        let entries = kind.parameters.iter();
        write_hash(out, &entries.map(|(n, v)| (Value::Str(n.clone()), v.clone())).collect());
    } else {
        let count = all.iter().rposition(|(name, _)| given(name).is_some()).map_or(0, |i| i + 1);
        for (i, (name, _)) in all[..count].iter().enumerate() {
            if i > 0 {
                out.push_str(", ");
            }
            write_quoted(out, given(name).map_or(&Value::Default, |(_, value)| value));
        }
    }
    out.push(']');
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
    if !object.type_parameters.is_empty() {
        parts.entry("type_parameters");
        let entries = object.type_parameters.iter().map(|(name, kind)| {
            let kind = match kind {
                Type::Optional(Some(inner)) => (**inner).clone(),
                kind => kind.clone(),
            };
            (Value::Str(name.clone()), Value::of_type(kind))
        });
        write_hash(parts.out, &entries.collect());
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
        let role = attribute.role.word();
        let bare = role.is_none() && !attribute.is_final && !attribute.overrides;
        if bare && attribute.value.is_none() {
            write_inner(out, &attribute.kind);
            continue;
        }
        out.push_str("{type => ");
        write_inner(out, &attribute.kind);
        for (set, key) in [(attribute.is_final, "final"), (attribute.overrides, "override")] {
            if set {
                out.push_str(", ");
                out.push_str(key);
                out.push_str(" => true");
            }
        }
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
