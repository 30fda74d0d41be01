//! Conversion of parameters whose types contain types with features: hashes in declarations and
//! data become objects.

use std::sync::Arc;

use ecow::EcoString;
use ordain_source::Span;

use crate::catalog::{ParamOrigin, ParamSource, ResourceId};
use crate::error::{EvalError, EvalResult, Step, Unwind};
use crate::state::Compiler;
use crate::types::aliases::resolved;
use crate::types::models::PTYPE;
use crate::types::signature::{Signature, SignatureParam};
use crate::types::{ObjectType, Type, is_instance};
use crate::value::{HashValue, Value};

/// The maximal depth of the search in a type. Aliases may be recursive.
const DEPTH: u32 = 16;

/// Whether a type contains a type with features.
fn asks_for_objects(kind: &Type, depth: u32) -> bool {
    let any = |kind: &Type| depth > 0 && asks_for_objects(kind, depth - 1);
    match resolved(kind) {
        Type::Object(object) => object.model.is_some(),
        Type::Optional(Some(inner))
        | Type::NotUndef(Some(inner))
        | Type::Sensitive(Some(inner)) => any(inner),
        Type::Array(item, _) => any(item),
        Type::Hash(entry, _) => any(&entry.1),
        Type::Variant(all) | Type::Tuple(all, _) => all.iter().any(any),
        Type::Struct(members) => members.iter().any(|member| any(&member.kind)),
        _ => false,
    }
}

/// The path of the converted part in its value.
type Place = Vec<Step>;

impl Compiler<'_> {
    /// Converts the arguments of a class or define.
    pub(super) fn convert_parameters(
        &mut self,
        id: ResourceId,
        signature: &Signature,
    ) -> EvalResult<()> {
        if !self.models.has_types() {
            return Ok(());
        }
        signature.params.iter().try_for_each(|wanted| self.convert_parameter(id, wanted).map(drop))
    }

    /// Converts the value of one parameter; `None` if it stays as it is.
    pub(super) fn convert_parameter(
        &mut self,
        id: ResourceId,
        wanted: &SignatureParam,
    ) -> EvalResult<Option<Value>> {
        if !self.models.has_types() || !asks_for_objects(&wanted.kind, DEPTH) {
            return Ok(None);
        }
        let Some(param) = self.catalog.get(id).param(&wanted.name) else { return Ok(None) };
        if is_instance(&wanted.kind, &param.value) {
            return Ok(None);
        }
        let value = param.value.clone();
        let mut place = Place::new();
        let made = match self.as_objects(&wanted.kind, &value, &mut place) {
            Ok(made) => made,
            Err(unwind) => return Err(self.at_parameter(id, &wanted.name, place, unwind)),
        };
        if let Some(param) = self.catalog.get_mut(id).param_mut(&wanted.name) {
            param.value = made.clone();
        }
        Ok(Some(made))
    }

    /// Replaces hashes by objects where the type has objects. `place` is the path of the last
    /// error.
    fn as_objects(&mut self, kind: &Type, value: &Value, place: &mut Place) -> EvalResult {
        match (resolved(kind), value) {
            (Type::Object(object), Value::Hash(given)) if object.model.is_some() => {
                self.object_of_hash(object, given)
            }
            (Type::Optional(Some(inner)) | Type::NotUndef(Some(inner)), _) if !value.is_undef() => {
                self.as_objects(inner, value, place)
            }
            (Type::Sensitive(Some(inner)), Value::Sensitive(value)) => {
                Ok(Value::Sensitive(Arc::new(self.as_objects(inner, value, place)?)))
            }
            (Type::Array(item, _), Value::Array(items)) => {
                self.items_as_objects(items, place, |_| Some(item))
            }
            (Type::Tuple(kinds, _), Value::Array(items)) => {
                self.items_as_objects(items, place, |i| kinds.get(i).or(kinds.last()))
            }
            (Type::Hash(entry, _), Value::Hash(entries)) => {
                self.entries_as_objects(entries, place, |_| Some(&entry.1))
            }
            (Type::Struct(members), Value::Hash(entries)) => {
                self.entries_as_objects(entries, place, |key| {
                    members.iter().find(|member| member.name == key).map(|member| &member.kind)
                })
            }
            (Type::Variant(all), _) if !all.iter().any(|kind| is_instance(kind, value)) => {
                match all.iter().find(|kind| takes_form(kind, value)) {
                    Some(kind) => self.as_objects(kind, value, place),
                    None => Ok(value.clone()),
                }
            }
            _ => Ok(value.clone()),
        }
    }

    fn items_as_objects<'t>(
        &mut self,
        items: &[Value],
        place: &mut Place,
        kind: impl Fn(usize) -> Option<&'t Type>,
    ) -> EvalResult {
        let mut out = Vec::with_capacity(items.len());
        for (i, item) in items.iter().enumerate() {
            place.push(Step::Item(i));
            out.push(match kind(i) {
                Some(kind) => self.as_objects(kind, item, place)?,
                None => item.clone(),
            });
            place.pop();
        }
        Ok(Value::array(out))
    }

    fn entries_as_objects<'t>(
        &mut self,
        entries: &HashValue,
        place: &mut Place,
        kind: impl Fn(&str) -> Option<&'t Type>,
    ) -> EvalResult {
        let mut out = HashValue::default();
        for (key, value) in entries {
            let name = crate::value::text::to_text(key);
            place.push(Step::Value(name.clone()));
            let value = match kind(&name) {
                Some(kind) => self.as_objects(kind, value, place)?,
                None => value.clone(),
            };
            place.pop();
            out.insert(key.clone(), value);
        }
        Ok(Value::Hash(Arc::new(out)))
    }

    /// The error of a conversion, at the part of the declaration or of the data that it is about.
    fn at_parameter(
        &mut self,
        id: ResourceId,
        name: &EcoString,
        mut place: Place,
        unwind: Box<Unwind>,
    ) -> Box<Unwind> {
        let mut error = match *unwind {
            Unwind::Plain(error) => error,
            other => return Box::new(other),
        };
        // The path of an error begins with its innermost step.
        place.extend(std::mem::take(&mut error.path).into_iter().rev());
        let resource = self.catalog.get(id);
        let is_secret = resource.param(name).is_some_and(|param| param.value.holds_sensitive());
        let reason = match is_secret {
            true => "the value is not acceptable; it is sensitive and not shown",
            false => error.message.as_str(),
        };
        let text = format!("{}: parameter '{name}': {reason}", resource.reference());
        let origin = resource.param(name).map(|param| param.origin.clone());
        let at = origin.and_then(|origin| self.part_of(&origin, &place)).or(resource.span);
        let issue = error.issue.unwrap_or("TYPE_WRONG_VALUE");
        let Some(at) = at else {
            error.message = text;
            return error.into();
        };
        let mut out = EvalError::new(issue, text, at);
        out.help.extend(error.help);
        out.related = error.related;
        out.into()
    }

    /// The place of a part of a value, in a declaration or in data.
    fn part_of(&self, origin: &ParamOrigin, path: &[Step]) -> Option<Span> {
        match &origin.how {
            ParamSource::Data(place) => self.data_part(place, path),
            _ => {
                // Paths of values are read from their innermost step.
                let path: Vec<Step> = path.iter().rev().cloned().collect();
                origin.span.map(|span| self.env.value_part(span, &path).unwrap_or(span))
            }
        }
    }
}

/// Whether a value has the form that is converted to a type, such as a hash for an object.
fn takes_form(kind: &Type, value: &Value) -> bool {
    match (resolved(kind), value) {
        (Type::Object(object), Value::Hash(given)) => {
            object.model.as_ref().is_some_and(|_| may_be_of(object, given))
        }
        (Type::Optional(Some(inner)) | Type::NotUndef(Some(inner)), value) => {
            takes_form(inner, value)
        }
        (Type::Array(item, _), Value::Array(items)) => {
            items.iter().all(|value| is_instance(item, value) || takes_form(item, value))
        }
        (Type::Hash(entry, _), Value::Hash(entries)) => entries
            .values()
            .all(|value| is_instance(&entry.1, value) || takes_form(&entry.1, value)),
        _ => false,
    }
}

/// Whether a hash has keys that are features of an object type.
fn may_be_of(kind: &ObjectType, given: &HashValue) -> bool {
    let layout = kind.model.as_ref().and_then(|model| model.layout.get());
    let known = |name: &str| name == PTYPE || layout.is_some_and(|l| l.find(name).is_some());
    given.keys().all(|key| key.as_str().is_some_and(known))
}
