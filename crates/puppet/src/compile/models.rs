//! Types with features as resource types: their schema, their objects, and the checks of their
//! resources.

use std::sync::Arc;

use ecow::EcoString;
use ordain_source::{Span, suggest};

use crate::catalog::values::new_param;
use crate::catalog::{ParamOrigin, ParamSource, ResourceId, ResourceKind};
use crate::compile::links::{Purpose, is_link};
use crate::error::{EvalError, EvalResult, PlainError, Unwind};
use crate::eval::models::Entry;
use crate::load::RubyType;
use crate::load::native_type::NativeType;
use crate::schema::is_metaparameter;
use crate::state::Compiler;
use crate::syntax::definitions::TypeDef;
use crate::types::{ObjectType, Type};
use crate::value::Value;

impl Compiler<'_> {
    /// The type with features of this name in lower case, if a feature of it names resources.
    pub(super) fn model_resource(&mut self, lower: &str) -> EvalResult<Option<NativeType>> {
        let Some(kind) = self.model_named(lower)? else { return Ok(None) };
        self.layout(&kind)?;
        let Some(layout) = kind.model.as_ref().and_then(|m| m.layout.get()) else {
            return Ok(None);
        };
        if layout.namevars.is_empty() {
            return Ok(None);
        }
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
            namevars: layout
                .namevars
                .iter()
                .map(|&slot| layout.slots[slot].feature.name.clone())
                .collect(),
            isomorphic: true,
            patterns: !layout.patterns.is_empty(),
            title_patterns: (!layout.patterns.is_empty()).then(|| layout.patterns.clone()),
            ..RubyType::default()
        };
        Ok(Some(NativeType { table: None, ruby: Some(Arc::new(schema)), model: Some(kind) }))
    }

    /// Makes the object of a finished resource, as a check.
    pub(super) fn check_model(&mut self, id: ResourceId) -> EvalResult<()> {
        let resource = self.catalog.get(id);
        let ResourceKind::Native(schema) = &resource.what else { return Ok(()) };
        let Some(kind) = schema.model.clone() else { return Ok(()) };
        if resource.is_virtual && !resource.exported {
            return Ok(());
        }
        self.models.links.begin(id);
        let made = self.object_of(id, &kind, Purpose::Itself);
        self.models.links.end();
        made.map(drop)
    }

    /// For a define with the name of a type with features: makes the object of the instance, and
    /// sets the parameters that are features to the values of the object.
    pub(super) fn bind_features(&mut self, id: ResourceId, def: &TypeDef) -> EvalResult<()> {
        let Some(kind) = self.model_of_define(&def.name)? else { return Ok(()) };
        self.models.links.begin(id);
        let made = self.object_of(id, &kind, Purpose::Itself);
        self.models.links.end();
        let Value::Instance(object) = made? else { return Ok(()) };
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
            let origin = ParamOrigin { how: ParamSource::ParameterDefault, span, within: id };
            self.set_param(id, new_param(param.name.clone(), value, false, origin))?;
        }
        Ok(())
    }

    /// Makes the object of a resource from its parameters.
    pub(super) fn object_of(
        &mut self,
        id: ResourceId,
        kind: &Arc<ObjectType>,
        purpose: Purpose,
    ) -> EvalResult {
        let resource = self.catalog.get(id);
        let context = ErrorContext {
            kind: Arc::clone(kind),
            reference: resource.reference(),
            span: resource.span,
            secret: resource.sensitive.clone(),
        };
        let unknown = self.unknown_attribute(id, kind);
        let mut entries = self.entries_of(id, kind, purpose)?;
        let env = self.env;
        let error_for = |mut error: PlainError, span: Option<Span>| {
            if error.issue == Some("TYPE_TOO_FEW")
                && let Some((name, near, at)) = &unknown
            {
                error.help = Some(format!("`{name}` is no feature: did you mean `{near}`?"));
                error.related.extend(at.map(|at| (at, format!("there is no `{name}`"))));
            }
            let span = span.map(|span| match error.path.is_empty() {
                true => span,
                false => env.value_part(span, &error.path).unwrap_or(span),
            });
            context.error_for(error, span)
        };
        let layout = kind.model.as_ref().and_then(|m| m.layout.get());
        for entry in &mut entries {
            let slot = layout.and_then(|layout| Some(&layout.slots[layout.find(&entry.name)?]));
            let Some(slot) = slot.filter(|slot| is_link(slot)) else { continue };
            entry.value =
                self.link_targets(slot, &entry.value).map_err(|unwind| match *unwind {
                    Unwind::Plain(error) => error_for(error, entry.span),
                    other => Box::new(other),
                })?;
        }
        self.instantiate_entries(kind, entries, error_for).map_err(|unwind| match *unwind {
            Unwind::Error(error) => context.of_logic(error),
            other => Box::new(other),
        })
    }

    /// An attribute that neither the define nor its type has: its name, a suggestion, its place.
    fn unknown_attribute(
        &self,
        id: ResourceId,
        kind: &ObjectType,
    ) -> Option<(EcoString, EcoString, Option<Span>)> {
        let resource = self.catalog.get(id);
        let ResourceKind::Define(def) = &resource.what else { return None };
        let layout = kind.model.as_ref()?.layout.get()?;
        let params = def.program.params(def.params);
        let is_known = |name: &str| {
            layout.find(name).is_some()
                || is_metaparameter(name)
                || params.iter().any(|param| param.name == name)
        };
        let unknown = resource.params.iter().find(|param| !is_known(&param.name))?;
        let names = layout.slots.iter().map(|slot| slot.feature.name.as_str());
        let near = suggest::nearest(&unknown.name, names)?;
        Some((unknown.name.clone(), near.into(), unknown.origin.span))
    }

    /// The values that a resource gives to the features of its type: its title and its parameters.
    pub(super) fn entries_of(
        &mut self,
        id: ResourceId,
        kind: &Arc<ObjectType>,
        purpose: Purpose,
    ) -> EvalResult<Vec<Entry>> {
        let resource = self.catalog.get(id);
        let Some(layout) = kind.model.as_ref().and_then(|m| m.layout.get()) else {
            return Ok(Vec::new());
        };
        let mut entries = Vec::with_capacity(resource.params.len() + 1);
        let named = layout.namevar().filter(|_| layout.patterns.is_empty());
        if let Some(slot) = named.map(|slot| &layout.slots[slot])
            && resource.param(&slot.feature.name).is_none()
        {
            let (title, span) = (Value::Str(resource.title.clone()), resource.span);
            let value = self.title_as(slot, title);
            entries.push(Entry { name: slot.feature.name.clone(), value, span });
        }
        let resource = self.catalog.get(id);
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
        if purpose == Purpose::Target {
            for entry in &mut entries {
                let Some(slot) = layout.find(&entry.name) else { continue };
                entry.value =
                    self.parts_given(&layout.slots[slot], std::mem::take(&mut entry.value))?;
            }
        }
        Ok(entries)
    }
}

/// The resource that an error is about.
struct ErrorContext {
    kind: Arc<ObjectType>,
    reference: String,
    span: Option<Span>,
    /// Attributes whose values must not be shown.
    secret: Vec<EcoString>,
}

impl ErrorContext {
    /// Adds the resource to an error in the code of its type, which stays at its place there.
    fn of_logic(&self, mut error: EvalError) -> Box<Unwind> {
        let at = self.span.filter(|span| error.span != Some(*span));
        error.name_resource(&self.reference, at);
        error.into()
    }

    fn error_for(&self, error: PlainError, span: Option<Span>) -> Box<Unwind> {
        let mut reason = error.reason_for(&self.kind.name).to_owned();
        let feature = error.subject.as_deref().and_then(|subject| subject.feature.as_ref());
        if let Some((name, _)) = feature.filter(|(name, _)| self.secret.contains(name)) {
            reason = format!("{name}: the value is not acceptable; it is sensitive and not shown");
        }
        let issue = error.issue.unwrap_or("RUNTIME_ERROR");
        let Some(span) = span.or(self.span) else {
            let message = format!("{}: {reason}", self.reference);
            return PlainError { message, subject: None, ..error }.into();
        };
        let mut out = EvalError::new(issue, reason, span);
        out.name_resource(&self.reference, None);
        out.help.extend(error.help);
        (out.related, out.focus) = (error.related, error.focus);
        out.into()
    }
}
