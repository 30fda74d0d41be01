//! Object types from the hash that defines them.

use std::sync::Arc;

use ecow::EcoString;
use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;

use super::meta::object_definition;
use super::{PARENT_LIMIT, deciding};
use crate::error::{EvalResult, PlainError, plain};
use crate::types::aliases::{resolved, root};
use crate::types::assignable::is_assignable;
use crate::types::library::parse_static;
use crate::types::mismatch::assert_instance;
use crate::types::{
    AttributeRole, ObjectAttribute, ObjectFunction, ObjectType, Type, generalize, infer,
};
use crate::value::Value;
use crate::value::text::to_text;

const NAME: &str = r"Pattern[/\A[A-Z]\w*(?:::[A-Z]\w*)*\z/]";

const ATTRIBUTE: &str = r"Struct[{type => Type, Optional[final] => Boolean, Optional[override] => Boolean, Optional[kind] => Enum[constant, derived, given_or_derived, reference], value => Any, annotations => Optional[Hash[Type[Annotation], Hash[Pattern[/\A[a-z_]\w*\z/], Any]]]}]";

const FUNCTION: &str = r"Struct[{type => Type[Callable], Optional[final] => Boolean, Optional[override] => Boolean, annotations => Optional[Hash[Type[Annotation], Hash[Pattern[/\A[a-z_]\w*\z/], Any]]]}]";

/// The object type that a hash defines.
///
/// # Errors
/// When the definition is wrong.
pub fn from_hash(name: &str, definition: &Value) -> EvalResult<Arc<ObjectType>> {
    assert_instance("object initializer", object_definition(), definition)?;
    let mut object = ObjectType { name: name.into(), ..ObjectType::bare() };
    if let Some(given) = definition.get("name").and_then(Value::as_str).filter(|_| name.is_empty())
    {
        object.name = given.into();
    }
    if let Some(Value::Type(parent)) = definition.get("parent") {
        object.parent = Some((**parent).clone());
        check_parent(&object)?;
    }
    let inherited = Members::of_parents(&object);
    read_type_parameters(&mut object, definition)?;
    read_attributes(&mut object, definition, &inherited)?;
    read_functions(&mut object, definition, &inherited)?;
    read_equality(&mut object, definition, &inherited)?;
    object.checks = definition.get("checks").cloned();
    object.annotations = definition.get("annotations").filter(|a| !a.is_undef()).cloned();
    Ok(Arc::new(object))
}

/// The object type of `Object[DEFINITION]`: a hash defines one, a text names an empty one, and
/// without an argument it is `Object` itself.
///
/// # Errors
/// When the definition is wrong.
pub fn of_definition(definition: &Value) -> EvalResult<Arc<ObjectType>> {
    match definition {
        Value::Undef => Ok(root()),
        Value::Hash(entries) if entries.is_empty() => Ok(root()),
        Value::Str(_) | Value::Default => {
            assert_instance("object name", &parse_static(NAME), definition)?;
            from_hash("", &Value::hash([("name", definition.clone())]))
        }
        definition => {
            let object = from_hash("", definition)?;
            let is_bare = *object == ObjectType::bare() && object.checks.is_none();
            Ok(if is_bare { root() } else { object })
        }
    }
}

fn entries<'v>(definition: &'v Value, key: &str) -> impl Iterator<Item = (EcoString, &'v Value)> {
    let entries = definition.get(key).and_then(Value::as_hash);
    entries.into_iter().flatten().map(|(name, value)| (to_text(name), value))
}

fn check_parent(object: &ObjectType) -> EvalResult<()> {
    if inherits_from_itself(object) {
        return plain(format!("The Object type '{}' inherits from itself", object.label()));
    }
    match object.parent.as_ref().map(resolved) {
        Some(Type::Reference(name)) if !name.is_empty() => {
            plain(format!("reference to unresolved type '{name}'"))
        }
        Some(Type::Object(parent)) if parent.line().any(|one| one.model.is_some()) => {
            let label = object.label();
            let own = match label {
                "" => "T".to_owned(),
                name => name.to_owned(),
            };
            let mut error = PlainError::new(format!(
                "'{}' has features, which an Object type can not inherit",
                parent.name
            ));
            error.help =
                Some(format!("write `type {own} inherits {} {{ attr ... }}`", parent.name));
            Err(error.into())
        }
        _ => Ok(()),
    }
}

/// Whether the type under definition, whose alias is not resolved yet, is among its own parents.
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

/// The inherited members by name, each with the label of its type.
struct Members {
    attributes: IndexMap<EcoString, (String, ObjectAttribute), FxBuildHasher>,
    functions: IndexMap<EcoString, (String, ObjectFunction), FxBuildHasher>,
    parameters: IndexMap<EcoString, String, FxBuildHasher>,
}

impl Members {
    fn of_parents(object: &ObjectType) -> Self {
        let mut out = Self {
            attributes: IndexMap::default(),
            functions: IndexMap::default(),
            parameters: IndexMap::default(),
        };
        let mut parent = object.parent_object();
        for _ in 0..PARENT_LIMIT {
            let Some(object) = parent else { break };
            let label = object.label();
            for attribute in &object.attributes {
                let entry = out.attributes.entry(attribute.name.clone());
                entry.or_insert_with(|| (label.into(), attribute.clone()));
            }
            for function in &object.functions {
                let entry = out.functions.entry(function.name.clone());
                entry.or_insert_with(|| (label.into(), function.clone()));
            }
            for (name, _) in &object.type_parameters {
                out.parameters.entry(name.clone()).or_insert_with(|| label.into());
            }
            parent = object.parent_object();
        }
        out
    }

    /// The inherited member of this name, as a rule of overriding sees it.
    fn member(&self, name: &str) -> Option<Member<'_>> {
        if let Some((label, attribute)) = self.attributes.get(name) {
            return Some(Member::attribute(label, attribute));
        }
        let (label, function) = self.functions.get(name)?;
        Some(Member::function(label, function))
    }
}

/// An attribute or a function, as far as both have the same rules of overriding.
struct Member<'a> {
    word: &'static str,
    owner: &'a str,
    name: &'a str,
    kind: &'a Type,
    is_final: bool,
    is_constant: bool,
    overrides: bool,
}

impl<'a> Member<'a> {
    fn attribute(owner: &'a str, attribute: &'a ObjectAttribute) -> Self {
        let is_constant = attribute.role == AttributeRole::Constant;
        Self {
            word: "attribute",
            owner,
            name: &attribute.name,
            kind: &attribute.kind,
            is_final: attribute.is_final || is_constant,
            is_constant,
            overrides: attribute.overrides,
        }
    }

    fn function(owner: &'a str, function: &'a ObjectFunction) -> Self {
        Self {
            word: "function",
            owner,
            name: &function.name,
            kind: &function.kind,
            is_final: function.is_final,
            is_constant: false,
            overrides: function.overrides,
        }
    }

    fn label(&self) -> String {
        format!("{} {}[{}]", self.word, self.owner, self.name)
    }

    /// Checks that it may override the inherited member of its name.
    fn check_override(&self, inherited: &Members) -> EvalResult<()> {
        let (label, word) = (self.label(), self.word);
        let Some(other) = inherited.member(self.name) else {
            return match self.overrides {
                true => plain(format!(
                    "expected {label} to override an inherited {word}, but no such {word} was found"
                )),
                false => Ok(()),
            };
        };
        let of = other.label();
        if word != other.word {
            return plain(format!("{label} attempts to override {of}"));
        }
        if other.is_final && !(other.is_constant && self.is_constant) {
            return plain(format!("{label} attempts to override final {of}"));
        }
        if !self.overrides {
            return plain(format!(
                "{label} attempts to override {of} without having override => true"
            ));
        }
        if !is_assignable(other.kind, self.kind) {
            return plain(format!(
                "{label} attempts to override {of} with a type that does not match"
            ));
        }
        Ok(())
    }
}

fn read_type_parameters(object: &mut ObjectType, definition: &Value) -> EvalResult<()> {
    let inherited = Members::of_parents(object).parameters;
    for (name, given) in entries(definition, "type_parameters") {
        let label = format!("type_parameter {}[{name}]", object.label());
        let given = match given {
            Value::Hash(_) => given.get("type").unwrap_or(&Value::Undef),
            given => given,
        };
        assert_instance(&label, &Type::Type(None), given)?;
        if let Some(owner) = inherited.get(&name) {
            return plain(format!(
                "{label} attempts to override type_parameter {owner}[{name}] without having override => true"
            ));
        }
        let kind = match given {
            Value::Type(kind) => (**kind).clone(),
            _ => Type::Any,
        };
        let kind = match kind {
            kind @ Type::Optional(_) => kind,
            kind => Type::Optional(Some(Arc::new(kind))),
        };
        object.type_parameters.push((name, kind));
    }
    Ok(())
}

fn read_attributes(
    object: &mut ObjectType,
    definition: &Value,
    inherited: &Members,
) -> EvalResult<()> {
    let label: EcoString = object.label().into();
    let given = definition.get("attributes");
    if let Some((name, _)) = entries(definition, "constants")
        .find(|(name, _)| given.is_some_and(|g| g.get(name).is_some()))
    {
        return plain(format!(
            "attribute {label}[{name}] is defined as both a constant and an attribute"
        ));
    }
    for (name, given) in entries(definition, "attributes") {
        let attribute = read_attribute(&label, name, given)?;
        Member::attribute(&label, &attribute).check_override(inherited)?;
        object.attributes.push(attribute);
    }
    for (name, constant) in entries(definition, "constants") {
        check_reserved(&name)?;
        let mut attribute = ObjectAttribute {
            kind: generalize(&infer(constant)),
            role: AttributeRole::Constant,
            value: Some(constant.clone()),
            ..ObjectAttribute::of_any(name)
        };
        // Constants need not declare that they override.
        attribute.overrides = inherited.member(&attribute.name).is_some();
        Member::attribute(&label, &attribute).check_override(inherited)?;
        attribute.overrides = false;
        object.attributes.push(attribute);
    }
    Ok(())
}

fn check_reserved(name: &str) -> EvalResult<()> {
    match name {
        "__ptype" | "__pvalue" => {
            plain(format!("The attribute '{name}' is reserved and cannot be used"))
        }
        _ => Ok(()),
    }
}

fn read_attribute(owner: &str, name: EcoString, given: &Value) -> EvalResult<ObjectAttribute> {
    let label = format!("attribute {owner}[{name}]");
    if !matches!(given, Value::Hash(_)) {
        assert_instance(&label, &Type::Type(None), given)?;
    }
    check_reserved(&name)?;
    if let Value::Type(kind) = given {
        // An optional attribute is undef unless it is given.
        let value = matches!(**kind, Type::Optional(_)).then_some(Value::Undef);
        return Ok(ObjectAttribute {
            kind: (**kind).clone(),
            value,
            ..ObjectAttribute::of_any(name)
        });
    }
    assert_instance(&format!("initializer for {label}"), &parse_static(ATTRIBUTE), given)?;
    let kind = match given.get("type") {
        Some(Value::Type(kind)) => (**kind).clone(),
        _ => Type::Any,
    };
    let role = match given.get("kind").and_then(Value::as_str) {
        Some("constant") => AttributeRole::Constant,
        Some("derived") => AttributeRole::Derived,
        Some("given_or_derived") => AttributeRole::GivenOrDerived,
        Some("reference") => AttributeRole::Reference,
        _ => AttributeRole::Normal,
    };
    let value = given.get("value").cloned();
    check_role(&label, role, given, value.is_some())?;
    if let Some(value) = value.as_ref().filter(|v| !matches!(v, Value::Default)) {
        assert_instance(&format!("{label} value"), &kind, value)?;
    }
    let (is_final, overrides) = (is_set(given, "final"), is_set(given, "override"));
    let annotations = given.get("annotations").filter(|a| !a.is_undef()).cloned();
    Ok(ObjectAttribute { name, kind, role, value, is_final, overrides, annotations })
}

fn is_set(given: &Value, key: &str) -> bool {
    given.get(key).is_some_and(Value::is_true)
}

fn check_role(label: &str, role: AttributeRole, given: &Value, has_value: bool) -> EvalResult<()> {
    let word = role.word().unwrap_or_default();
    match role {
        AttributeRole::Constant if given.get("final").is_some_and(|v| !v.is_true()) => {
            plain(format!("{label} of kind 'constant' cannot be combined with final => false"))
        }
        AttributeRole::Constant if !has_value => {
            plain(format!("{label} of kind 'constant' requires a value"))
        }
        AttributeRole::Derived | AttributeRole::GivenOrDerived if has_value => {
            plain(format!("{label} of kind '{word}' cannot be combined with an attribute value"))
        }
        _ => Ok(()),
    }
}

fn read_functions(
    object: &mut ObjectType,
    definition: &Value,
    inherited: &Members,
) -> EvalResult<()> {
    let owner: EcoString = object.label().into();
    for (name, given) in entries(definition, "functions") {
        let function = match given {
            Value::Hash(_) => {
                let subject = format!("initializer for function '{name}'");
                assert_instance(&subject, &parse_static(FUNCTION), given)?;
                ObjectFunction {
                    kind: type_in(given.get("type")),
                    is_final: is_set(given, "final"),
                    overrides: is_set(given, "override"),
                    annotations: given.get("annotations").filter(|a| !a.is_undef()).cloned(),
                    name,
                }
            }
            given => {
                let subject = format!("function {owner}[{name}]");
                assert_instance(&subject, &parse_static("Type[Callable]"), given)?;
                let kind = type_in(Some(given));
                ObjectFunction { name, kind, is_final: false, overrides: false, annotations: None }
            }
        };
        let label = Member::function(&owner, &function).label();
        if object.attributes.iter().any(|a| a.name == function.name) {
            return plain(format!("{label} conflicts with attribute with the same name"));
        }
        Member::function(&owner, &function).check_override(inherited)?;
        object.functions.push(function);
    }
    Ok(())
}

fn type_in(given: Option<&Value>) -> Type {
    match given {
        Some(Value::Type(kind)) => (**kind).clone(),
        _ => Type::Callable(None),
    }
}

fn read_equality(
    object: &mut ObjectType,
    definition: &Value,
    inherited: &Members,
) -> EvalResult<()> {
    let included = definition.get("equality_include_type").is_none_or(Value::is_true);
    object.equality_include_type = included;
    let names = match definition.get("equality") {
        Some(Value::Str(name)) => vec![name.clone()],
        Some(Value::Array(names)) => names.iter().map(to_text).collect(),
        _ => return Ok(()),
    };
    if !names.is_empty() && !included {
        return plain(
            "equality_include_type = false cannot be combined with non empty equality specification",
        );
    }
    for name in &names {
        check_equality(object, inherited, name)?;
    }
    object.equality = Some(names);
    Ok(())
}

fn check_equality(object: &ObjectType, inherited: &Members, name: &EcoString) -> EvalResult<()> {
    let label = object.label();
    let own_attribute = object.attributes.iter().find(|a| a.name == *name);
    let own_function = object.functions.iter().find(|f| f.name == *name);
    let member = inherited
        .member(name)
        .or_else(|| own_attribute.map(|a| Member::attribute(label, a)))
        .or_else(|| own_function.map(|f| Member::function(label, f)));
    let Some(member) = member else {
        return plain(format!("{label} equality is referencing non existent attribute '{name}'"));
    };
    let what = member.label();
    if member.word != "attribute" {
        return plain(format!(
            "{label} equality is referencing {what}. Only attribute references are allowed"
        ));
    }
    if inherited.attributes.contains_key(name)
        && let Some(of) = definer(object, name)
    {
        return plain(format!(
            "{label} equality is referencing {what} which is included in equality of {of}"
        ));
    }
    if member.is_constant {
        return plain(format!(
            "{label} equality is referencing constant {what}. Reference to constant is not allowed in equality"
        ));
    }
    Ok(())
}

/// The farthest parent whose equality an attribute decides already.
fn definer(object: &ObjectType, name: &EcoString) -> Option<EcoString> {
    let mut definer = None;
    let mut current = object.parent_object();
    for _ in 0..PARENT_LIMIT {
        let Some(kind) = current else { break };
        if deciding(&kind).contains(name) {
            definer = Some(kind.label().into());
        }
        current = kind.parent_object();
    }
    definer
}
