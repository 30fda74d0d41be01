//! Types with features as resource types: what declaring one asks, and what must hold of it.

use std::sync::Arc;

use ecow::EcoString;
use ordain_source::Span;

use crate::catalog::schema::{NativeType, is_metaparameter};
use crate::catalog::{How, ParamOrigin, ResourceId, ResourceKind};
use crate::eval::Compiler;
use crate::eval::error::{EvalError, EvalResult, PlainError, Unwind};
use crate::eval::models::Entry;
use crate::eval::resources::new_param;
use crate::load::{RubyType, TypeDef};
use crate::types::{ObjectType, Type};
use crate::value::Value;

impl Compiler<'_> {
    /// The type with features of this name in lower case, if a feature of it names resources.
    pub(super) fn modelled_resource(&mut self, lower: &str) -> EvalResult<Option<NativeType>> {
        let Some(kind) = self.model_named(lower)? else { return Ok(None) };
        self.layout(&kind)?;
        let Some(layout) = kind.model.as_ref().and_then(|m| m.layout.get()) else {
            return Ok(None);
        };
        let Some(namevar) = layout.namevar else { return Ok(None) };
        let reserved = |name: &str| name == "title" || is_metaparameter(name);
        if let Some(slot) = layout.slots.iter().find(|s| reserved(&s.feature.name)) {
            let name = &slot.feature.name;
            let text = format!(
                "Type '{}' can not be declared as a resource: every resource has '{name}'",
                kind.name
            );
            let mut error = PlainError::issue("TYPE_RESERVED_FEATURE", text);
            let place = slot.feature.span;
            error.related.extend(place.map(|s| (s, format!("`{name}` is defined here"))));
            return Err(error.into());
        }
        let given = layout.slots.iter().filter(|s| s.derived.is_none() || s.feature.setable);
        let schema = RubyType {
            attributes: given.map(|s| s.feature.name.clone()).collect(),
            namevars: vec![layout.slots[namevar].feature.name.clone()],
            isomorphic: true,
            ..RubyType::default()
        };
        Ok(Some(NativeType { table: None, ruby: Some(Arc::new(schema)), model: Some(kind) }))
    }

    /// Makes the object that a finished resource stands for, to see whether it can be made.
    pub(super) fn check_model(&mut self, id: ResourceId) -> EvalResult<()> {
        let resource = self.catalog.get(id);
        let ResourceKind::Native(schema) = &resource.what else { return Ok(()) };
        let Some(kind) = schema.model.clone() else { return Ok(()) };
        if resource.is_virtual && !resource.exported {
            return Ok(());
        }
        self.object_of(id, &kind).map(|_| ())
    }

    /// Where a define has the name of a type with features: makes the object that an instance of the
    /// define stands for, and gives the parameters that are features what readers of it see.
    pub(super) fn bind_features(&mut self, id: ResourceId, def: &TypeDef) -> EvalResult<()> {
        let Some(kind) = self.model_of_define(&def.name)? else { return Ok(()) };
        let Value::Instance(object) = self.object_of(id, &kind)? else { return Ok(()) };
        for param in def.program.params(def.params) {
            let Some(slot) = object.layout().find(&param.name) else { continue };
            let value = self.read_feature(&object, slot)?;
            if let Some(given) = self.catalog.get_mut(id).param_mut(&param.name) {
                given.value = value;
                continue;
            }
            let is_empty = value.is_undef() || value.as_array().is_some_and(<[Value]>::is_empty);
            if value.is_undef() || (is_empty && param.default.is_some()) {
                continue;
            }
            let span = object.layout().slots[slot].feature.span;
            let origin = ParamOrigin { how: How::ParameterDefault, span, within: id };
            self.set_param(id, new_param(param.name.clone(), value, false, origin))?;
        }
        Ok(())
    }

    /// The object of a type that a resource's parameters give.
    fn object_of(&mut self, id: ResourceId, kind: &Arc<ObjectType>) -> EvalResult {
        let resource = self.catalog.get(id);
        let Some(layout) = kind.model.as_ref().and_then(|m| m.layout.get()) else {
            return Ok(Value::Undef);
        };
        let title = Value::Str(resource.title.clone());
        let named = layout.namevar.map(|slot| layout.slots[slot].feature.name.clone());
        let mut entries = Vec::with_capacity(resource.params.len() + 1);
        if let Some(name) = named.filter(|name| resource.param(name).is_none()) {
            entries.push(Entry { name, value: title, span: resource.span });
        }
        for param in &resource.params {
            let Some(slot) = layout.find(&param.name) else { continue };
            if param.value.is_undef() {
                continue;
            }
            let secret = resource.sensitive.contains(&param.name)
                && matches!(layout.slots[slot].kind, Type::Sensitive(_));
            let value = match secret {
                true => Value::Sensitive(Arc::new(param.value.clone())),
                false => param.value.clone(),
            };
            entries.push(Entry { name: param.name.clone(), value, span: param.origin.span });
        }
        let told = Told {
            kind: Arc::clone(kind),
            reference: resource.reference(),
            span: resource.span,
            secret: resource.sensitive.clone(),
        };
        let env = self.env;
        self.instantiate_entries(kind, entries, |error, span| {
            let span = span.map(|span| match error.path.is_empty() {
                true => span,
                false => env.value_part(span, &error.path).unwrap_or(span),
            });
            told.tell(error, span)
        })
    }
}

/// How errors are told of the resource they are about.
struct Told {
    kind: Arc<ObjectType>,
    reference: String,
    span: Option<Span>,
    /// Attributes whose values are shown nowhere.
    secret: Vec<EcoString>,
}

impl Told {
    fn tell(&self, error: PlainError, span: Option<Span>) -> Box<Unwind> {
        let own = format!("{}: ", self.kind.name);
        let mut reason = error.message.strip_prefix(&own).unwrap_or(&error.message).to_owned();
        let shown = |name: &&EcoString| reason.starts_with(name.as_str());
        if let Some(name) = self.secret.iter().find(shown) {
            reason = format!("{name}: the value is not acceptable; it is sensitive and not shown");
        }
        let text = format!("{}: {reason}", self.reference);
        let issue = error.issue.unwrap_or("RUNTIME_ERROR");
        let Some(span) = span.or(self.span) else {
            return PlainError { message: text, ..error }.into();
        };
        let mut out = EvalError::new(issue, text, span);
        out.help.extend(error.help);
        (out.related, out.focus) = (error.related, error.focus);
        out.into()
    }
}
