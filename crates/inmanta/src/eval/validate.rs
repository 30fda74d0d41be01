//! Checks values against types.

use std::rc::Rc;

use super::net::Net;
use crate::check::literals::StaticError;
use crate::diagnostics::{Class, Error, Exception, Fault, Result};
use crate::model::plugin::Origin;
use crate::types::{Type, TypeId};
use crate::value::{ObjectKind, Reference, Value};

impl Net<'_> {
    fn static_error(&self, class: Class, value: &Value, ty: TypeId) -> Box<Error> {
        let ty = self.program.type_text(ty);
        Error::new(class, format!("Invalid value '{}', expected {ty}", value.text(self)))
    }

    /// Checks that a value fits a type.
    ///
    /// # Errors
    /// If the value does not fit.
    pub(super) fn validate(&mut self, value: &Value, ty: TypeId) -> Result<()> {
        let wanted = self.program.types.get(ty);
        let fits = match (wanted, value) {
            (Type::OrReference(_) | Type::Reference(_), Value::Object(object))
                if matches!(object.sort, ObjectKind::BareReference) =>
            {
                return Err(assertion());
            }
            (Type::OrReference(inner), value) => {
                let inner = *inner;
                return if self.reference_of(value).is_some() {
                    self.validate_reference(value, inner, ty)
                } else {
                    self.validate(value, inner)
                };
            }
            (Type::Nullable(_), Value::Null) => true,
            (Type::Nullable(inner), value) => {
                let inner = *inner;
                return self.validate(value, inner);
            }
            (&Type::Reference(inner), _) => return self.validate_reference(value, inner, ty),
            (Type::Union(items), value) => {
                let items = items.clone();
                return self.validate_union(value, &items, ty);
            }
            (&Type::Entity(entity), _) => return self.validate_entity(value, entity),
            (&Type::Typedef(id), _) => return self.validate_typedef(value, id),
            (Type::List(_) | Type::AnyList | Type::LiteralList, value) => {
                let inner = match wanted {
                    Type::List(inner) => Some(*inner),
                    Type::LiteralList => Some(self.program.types.add(Type::Literal)),
                    _ => None,
                };
                return self.validate_list(value, inner, ty);
            }
            (Type::Dict(_) | Type::LiteralDict, value) => {
                let inner = match wanted {
                    Type::Dict(inner) => *inner,
                    _ => self.program.types.add(Type::Literal),
                };
                return self.validate_dict(value, inner, ty);
            }
            (Type::Literal, value) => return self.validate_literal(value),
            (_, Value::Unknown(_)) => true,
            (Type::Any, Value::Reference(_)) => return Err(unexpected_any()),
            (Type::Any, _) => true,
            (_, Value::Reference(_)) => return Err(self.unexpected(value, ty)),
            (Type::Null, value) => matches!(value, Value::Null),
            (Type::String, Value::Str(_))
            | (Type::Int, Value::Int(_) | Value::BigInt(_) | Value::Bool(_))
            | (Type::Float, Value::Float(_))
            | (Type::Number, Value::Int(_) | Value::BigInt(_) | Value::Float(_) | Value::Bool(_))
            | (Type::Bool, Value::Bool(_)) => true,
            _ => false,
        };
        if fits { Ok(()) } else { Err(self.static_error(Class::Runtime, value, ty)) }
    }

    fn unexpected(&self, value: &Value, ty: TypeId) -> Box<Error> {
        debug_assert!(matches!(value, Value::Reference(_)), "only references are unexpected");
        let message = format!(
            "References are not allowed for values of type `{}`. To work with references, \
             explicitly declare support with a `... | Reference[...]` annotation.",
            self.program.type_name(ty)
        );
        Error::new(Class::UnexpectedReference, message)
    }

    fn validate_reference(&mut self, value: &Value, inner: TypeId, ty: TypeId) -> Result<()> {
        if let Some(reference) = self.reference_of(value) {
            let computed = self.program.resolve(1, &reference.computes);
            if computed.is_ok_and(|computed| self.is_subtype(computed, inner)) {
                return Ok(());
            }
        }
        let text = match self.program.types.get(ty) {
            Type::OrReference(_) => format!("Reference[{}]", self.program.type_name(inner)),
            _ => self.program.type_text(ty),
        };
        let message = format!("Invalid value: {} is not a subtype of {text}", value.text(self));
        Err(Error::new(Class::Typing, message))
    }

    /// Whether a type accepts references.
    pub(super) fn takes_references(&self, ty: TypeId) -> bool {
        match self.program.types.get(ty) {
            Type::Reference(_) | Type::OrReference(_) => true,
            Type::Nullable(inner) => self.takes_references(*inner),
            Type::Union(items) => items.iter().any(|item| self.takes_references(*item)),
            _ => false,
        }
    }

    /// The reference in a value, or behind an instance of a dataclass.
    pub(super) fn reference_of(&self, value: &Value) -> Option<Rc<Reference>> {
        match value {
            Value::Reference(reference) => Some(Rc::clone(reference)),
            Value::Instance(instance) => match self.origins.get(instance) {
                Some(Origin::Reference(reference)) => Some(Rc::clone(reference)),
                _ => None,
            },
            _ => None,
        }
    }

    /// Whether a type is a subtype of another one, for the values of references.
    fn is_subtype(&self, a: TypeId, b: TypeId) -> bool {
        if a == b {
            return true;
        }
        match (self.program.types.get(a), self.program.types.get(b)) {
            (_, Type::Any | Type::Literal) => true,
            (Type::Nullable(a), Type::Nullable(b)) => self.is_subtype(*a, *b),
            (_, Type::Nullable(b)) => self.is_subtype(a, *b),
            (Type::Int | Type::Float, Type::Number) => true,
            (Type::Typedef(id), _) => self.is_subtype(self.program.typedefs[*id as usize].base, b),
            (Type::Entity(a), Type::Entity(b)) => self.program.is_entity(*a, *b),
            (_, Type::Union(items)) => items.iter().any(|item| self.is_subtype(a, *item)),
            (_, Type::OrReference(inner)) => self.is_subtype(a, *inner),
            _ => false,
        }
    }

    fn validate_union(&mut self, value: &Value, items: &[TypeId], ty: TypeId) -> Result<()> {
        for item in items {
            if self.validate(value, *item).is_ok() {
                return Ok(());
            }
        }
        let text = self.program.type_name(ty);
        let message = format!("Invalid value '{}', expected {text}", value.text(self));
        Err(Error::new(Class::Typing, message))
    }

    fn validate_entity(&self, value: &Value, entity: u32) -> Result<()> {
        let full = &self.program.entities[entity as usize].full_name;
        let Value::Instance(id) = value else {
            if value.is_unknown() {
                return Ok(());
            }
            let message =
                format!("Invalid type for value '{}', should be type {full}", value.text(self));
            return Err(Error::new(Class::Runtime, message));
        };
        let own = self.instances[id.0 as usize].entity;
        if self.program.is_entity(own, entity) {
            return Ok(());
        }
        let message = format!("Invalid class type for {}, should be {full}", value.text(self));
        Err(Error::new(Class::Runtime, message))
    }

    fn validate_list(&mut self, value: &Value, inner: Option<TypeId>, ty: TypeId) -> Result<()> {
        let Value::List(items) = value else {
            if value.is_unknown() {
                return Ok(());
            }
            return Err(self.misfit_list(value, ty));
        };
        let Some(inner) = inner else { return Ok(()) };
        items.iter().try_for_each(|item| {
            if item.is_unknown() { Ok(()) } else { self.validate(item, inner) }
        })
    }

    fn misfit_list(&self, value: &Value, ty: TypeId) -> Box<Error> {
        let text = match self.program.types.get(ty) {
            Type::LiteralList | Type::AnyList => "list".into(),
            _ if !self.is_written(ty) => "None".into(),
            _ => self.program.type_text(ty),
        };
        let message = format!("Invalid value '{}', expected {text}", value.text(self));
        Error::new(Class::Typing, message)
    }

    /// Whether the model language can express a type.
    fn is_written(&self, ty: TypeId) -> bool {
        match self.program.types.get(ty) {
            Type::List(inner) | Type::Nullable(inner) | Type::OrReference(inner) => {
                self.is_written(*inner)
            }
            Type::Any | Type::Union(_) | Type::Reference(_) => false,
            _ => true,
        }
    }

    fn validate_dict(&mut self, value: &Value, inner: TypeId, ty: TypeId) -> Result<()> {
        let Value::Dict(entries) = value else {
            if value.is_unknown() {
                return Ok(());
            }
            debug_assert!(ty.0 < self.program.types.len() as u32, "the type is known");
            let message = format!("Invalid value '{}', expected dict", value.text(self));
            return Err(Error::new(Class::Runtime, message));
        };
        entries.values().try_for_each(|item| {
            if item.is_unknown() { Ok(()) } else { self.validate(item, inner) }
        })
    }

    /// Checks that a value consists of plain values and references.
    fn validate_literal(&self, value: &Value) -> Result<()> {
        match literal(value) {
            Literal::Yes => return Ok(()),
            Literal::Stumbles => return Err(assertion()),
            Literal::No => {}
        }
        let message = format!("Invalid value '{}', expected Literal", value.text(self));
        Err(Error::new(Class::Typing, message))
    }

    /// The constants in constructors that do not satisfy their typedefs, found without a run.
    pub fn unmet_conditions(&mut self) -> Vec<StaticError> {
        let mut found = Vec::new();
        for constant in self.program.typedef_constants() {
            let result = self.validate_typedef(&constant.value, constant.typedef);
            if std::mem::take(&mut self.needs_plugin) {
                continue;
            }
            let Err(mut error) = result else { continue };
            error.location = Some(constant.at);
            error.background = Some(Box::new(constant.background));
            found.push(StaticError { error, is_certain: constant.is_certain });
        }
        found
    }

    fn validate_typedef(&mut self, value: &Value, id: u32) -> Result<()> {
        if value.is_unknown() {
            return Ok(());
        }
        let typedef = &self.program.typedefs[id as usize];
        let (base, condition, at) = (typedef.base, typedef.condition, typedef.at);
        self.validate(value, base)?;
        let result = self.decide(condition, value)?;
        if result.is_truthy() && !matches!(result, Value::Null) {
            return Ok(());
        }
        let constraint = self.program.ast.pretty(condition);
        let message =
            format!("Invalid value {}, does not match constraint `{constraint}`", value.repr(self));
        let full = self.program.typedefs[id as usize].full_name.clone();
        Err(Error::new(Class::Runtime, message).with_fault(Fault::UnmetCondition).by(full, at))
    }
}

fn unexpected_any() -> Box<Error> {
    let message = "References are not allowed for values of type `object`. While the `object` \
                   Python type is technically compatible with any value, references are considered \
                   special DSL values and are therefore guarded so that they don't accidentally \
                   show up where they are not expected. To work with references, explicitly declare \
                   support with a `object | Reference` annotation.";
    Error::new(Class::UnexpectedReference, message)
}

/// Whether a value is a literal.
enum Literal {
    Yes,
    No,
    /// The original fails during the check.
    Stumbles,
}

fn literal(value: &Value) -> Literal {
    fn all<'a>(mut items: impl Iterator<Item = &'a Value>) -> Literal {
        items
            .find_map(|item| match literal(item) {
                Literal::Yes => None,
                other => Some(other),
            })
            .unwrap_or(Literal::Yes)
    }
    match value {
        Value::Instance(_) => Literal::No,
        Value::List(items) => all(items.iter()),
        Value::Dict(entries) => all(entries.values()),
        Value::Object(object) => match object.sort {
            ObjectKind::Number => Literal::Yes,
            ObjectKind::BareNone | ObjectKind::BareReference => Literal::Stumbles,
            _ => Literal::No,
        },
        _ => Literal::Yes,
    }
}

/// The original's error for a case that it considers impossible.
fn assertion() -> Box<Error> {
    Error::python(&Exception::AssertionError, "")
}
