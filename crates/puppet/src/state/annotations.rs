//! Annotations: objects that are attached to values from outside.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::error::{EvalResult, plain};
use crate::types::{ObjectType, Type, new, object};
use crate::value::Value;
use crate::value::ruby::{ruby_class, ruby_inspect};

/// The annotations of a compile, by their subject.
#[derive(Default)]
pub(crate) struct Annotations(FxHashMap<Subject, Vec<KeptAnnotation>>);

/// The subject of annotations. Subjects are compared by identity, not by equality.
#[derive(PartialEq, Eq, Hash)]
enum Subject {
    Place(usize),
    Type(Type),
}

/// An annotation with its subject, which is held so that its address is not reused.
struct KeptAnnotation {
    annotation: Value,
    _subject: Value,
}

impl KeptAnnotation {
    fn is_of(&self, kind: &ObjectType) -> bool {
        matches!(&self.annotation, Value::Object(object) if *object.kind == *kind)
    }
}

fn subject(value: &Value) -> Option<Subject> {
    let place = match value {
        Value::Object(object) => Arc::as_ptr(object).addr(),
        Value::Array(items) => Arc::as_ptr(items).addr(),
        Value::Hash(entries) => Arc::as_ptr(entries).addr(),
        Value::Sensitive(inner) => Arc::as_ptr(inner).addr(),
        Value::Regexp(regexp) => Arc::as_ptr(regexp).addr(),
        Value::Type(kind) => match &**kind {
            Type::Object(object) => Arc::as_ptr(object).addr(),
            kind => return Some(Subject::Type(kind.clone())),
        },
        _ => return None,
    };
    Some(Subject::Place(place))
}

/// The annotation in the definition of a type.
fn declared<'v>(kind: &ObjectType, value: &'v Value) -> Option<&'v Value> {
    let Value::Type(of) = value else { return None };
    let Type::Object(of) = &**of else { return None };
    let mut all = of.annotations.as_ref().and_then(Value::as_hash)?.iter();
    let (_, given) = all.find(|(key, _)| match key {
        Value::Type(key) => matches!(&**key, Type::Object(key) if **key == *kind),
        _ => false,
    })?;
    Some(given)
}

impl Annotations {
    /// The annotation of this type. An annotation in the definition of a type is made when it is
    /// first used.
    ///
    /// # Errors
    /// When the definition has no valid annotation of this type.
    pub(crate) fn find(
        &mut self,
        kind: &Arc<ObjectType>,
        value: &Value,
    ) -> EvalResult<Option<Value>> {
        let attached = subject(value).and_then(|subject| self.0.get(&subject));
        if let Some(known) =
            attached.and_then(|all| all.iter().find(|attached| attached.is_of(kind)))
        {
            return Ok(Some(known.annotation.clone()));
        }
        match declared(kind, value) {
            Some(given) => self.attach(kind, value, given).map(Some),
            None => Ok(None),
        }
    }

    /// Attaches a new annotation, made of a hash, to a value.
    ///
    /// # Errors
    /// When the hash does not fit the annotation, or the value cannot have annotations.
    pub(crate) fn attach(
        &mut self,
        kind: &Arc<ObjectType>,
        value: &Value,
        given: &Value,
    ) -> EvalResult {
        let annotation = new::object_of_hash(kind, given)?;
        match subject(value) {
            Some(subject) => {
                let all = self.0.entry(subject).or_default();
                all.retain(|attached| !attached.is_of(kind));
                all.push(KeptAnnotation {
                    annotation: annotation.clone(),
                    _subject: value.clone(),
                });
            }
            None if is_frozen(value) => {
                let (class, text) = (ruby_class(value), ruby_inspect(value));
                return plain(format!("can't modify frozen {class}: {text}"));
            }
            None => {}
        }
        Ok(annotation)
    }

    /// Replaces or removes the annotation of a type.
    ///
    /// # Errors
    /// As [`Annotations::attach`], and when the annotation is in the definition of the value.
    pub(crate) fn replace(
        &mut self,
        kind: &Arc<ObjectType>,
        value: &Value,
        given: &Value,
    ) -> EvalResult {
        let is_clear = given.as_str().is_some();
        if declared(kind, value).is_some()
            && let Value::Type(of) = value
        {
            let action = if is_clear { "clear" } else { "redefine" };
            let of = match &**of {
                Type::Object(object) => object.label().to_owned(),
                of => of.to_string(),
            };
            let name = kind.label();
            return plain(format!("attempt to {action} {name} annotation declared on {of}"));
        }
        if !is_clear {
            return self.attach(kind, value, given);
        }
        let Some(all) = subject(value).and_then(|subject| self.0.get_mut(&subject)) else {
            return Ok(Value::Undef);
        };
        let at = all.iter().position(|attached| attached.is_of(kind));
        Ok(at.map_or(Value::Undef, |at| all.remove(at).annotation))
    }
}

/// Whether the value cannot have annotations in the real program, because it is frozen.
fn is_frozen(value: &Value) -> bool {
    matches!(
        value,
        Value::Undef
            | Value::Default
            | Value::Bool(_)
            | Value::Int(_)
            | Value::Float(_)
            | Value::Str(_)
    )
}

/// The object type in an argument that names an annotation type.
pub(crate) fn annotation_type(value: &Value) -> Arc<ObjectType> {
    match value {
        Value::Type(kind) => match &**kind {
            Type::Object(object) => Arc::clone(object),
            _ => object::meta::annotation(),
        },
        _ => object::meta::annotation(),
    }
}
