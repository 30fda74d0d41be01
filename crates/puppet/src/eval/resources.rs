//! Resource expressions, defaults for types, and overrides.

use std::sync::Arc;

use ecow::EcoString;
use ordain_source::Span;
use ordain_syntax::ListRef;
use smallvec::SmallVec;

use crate::catalog::no_title;
use crate::catalog::values::check_attributes;
use crate::catalog::values::{Declaration, as_parameter, is_class, new_param, untitled};
use crate::catalog::values::{kind_text, reference};
use crate::catalog::{Param, ParamOrigin, ParamSource, Params, PendingOverride, ResourceId};
use crate::error::{EvalError, EvalResult, PlainError, Unwind, plain, unplaced};
use crate::state::Compiler;
use crate::state::declare::Declare;
use crate::state::frame::Frame;
use crate::syntax::names::capitalized;
use crate::syntax::{Attribute, AttributeOp, Expr, ExprId, ResourceBody, ResourceForm};
use crate::types::Type;
use crate::types::label::type_label;
use crate::value::Value;
use crate::value::resource_key::reference_key;

/// One evaluated body of a resource expression.
struct Body {
    titles: SmallVec<[EcoString; 1]>,
    is_default: bool,
    params: Vec<Param>,
    span: Span,
}

impl Compiler<'_> {
    /// Declares resources; returns the list of their references.
    pub(crate) fn eval_resource(
        &mut self,
        f: &Frame,
        id: ExprId,
        form: ResourceForm,
        kind: ExprId,
        bodies: ListRef<ResourceBody>,
    ) -> EvalResult {
        let mut declared = Vec::new();
        self.declare_all(f, id, form, kind, bodies, |resource| declared.push(resource))?;
        let references = declared.iter().map(|&id| reference(&self.catalog.get(id).key()));
        Ok(Value::array(references))
    }

    /// Declares the resources of a resource expression.
    pub(crate) fn declare_all(
        &mut self,
        f: &Frame,
        id: ExprId,
        form: ResourceForm,
        kind: ExprId,
        bodies: ListRef<ResourceBody>,
        mut each: impl FnMut(ResourceId),
    ) -> EvalResult<()> {
        let kind = self.resource_type_name(f, kind)?;
        let span = f.program.span(id);
        if form == ResourceForm::Exported && self.settings.exports.is_none() {
            self.warn_at(
                "You cannot collect exported resources without storeconfigs being set; the export is ignored",
                span,
            );
        }
        let bodies = self.eval_bodies(f, id, bodies)?;
        let defaults = bodies.iter().find(|b| b.is_default).map(|b| b.params.clone());
        for body in bodies {
            let mut params = merge_params(defaults.as_deref(), body.params);
            if body.titles.is_empty() && !is_class(&kind) {
                self.declared_type(&kind)?;
            }
            let last = body.titles.len().saturating_sub(1);
            for (i, title) in body.titles.iter().enumerate() {
                let declaration = Declaration {
                    scope: f.scope,
                    span: body.span,
                    is_virtual: form != ResourceForm::Regular,
                    exported: form == ResourceForm::Exported,
                    title_is_text: true,
                };
                let params = if i == last { std::mem::take(&mut params) } else { params.clone() };
                each(self.declare_resource(&kind, title, params, declaration)?);
            }
        }
        Ok(())
    }

    /// The name of the type in front of the braces; `class` for classes.
    fn resource_type_name(&mut self, f: &Frame, id: ExprId) -> EvalResult<EcoString> {
        if let Expr::Name(name) = &f.program[id] {
            return Ok(name.clone());
        }
        let acceptable = match &f.program[id] {
            Expr::Ref(_) => true,
            Expr::Access(parts) => matches!(f.program[f.program.list(*parts)[0]], Expr::Ref(_)),
            _ => false,
        };
        let value = self.eval(f, id)?;
        let illegal = |c: &Self, actual: String| {
            let text = format!(
                "Illegal Resource Type expression, expected result to be a type name, or untitled Resource, got {actual}"
            );
            c.error(f, id, "ILLEGAL_RESOURCE_TYPE", text)
        };
        if !acceptable {
            return Err(illegal(self, kind_text(&value)));
        }
        match &value {
            Value::Type(kind) => match &**kind {
                Type::Class(None) => Ok("class".into()),
                Type::Resource { kind: Some(name), title: None } => Ok(name.clone()),
                other => Err(illegal(self, other.to_string())),
            },
            other => Err(illegal(self, kind_text(other))),
        }
    }

    /// Evaluates titles and attributes of all bodies.
    fn eval_bodies(
        &mut self,
        f: &Frame,
        id: ExprId,
        bodies: ListRef<ResourceBody>,
    ) -> EvalResult<Vec<Body>> {
        let program = &f.program;
        let mut out = Vec::with_capacity(bodies.len());
        let mut seen = rustc_hash::FxHashSet::default();
        for body in program.bodies(bodies) {
            let value = self.eval(f, body.title)?;
            if value.is_undef() {
                let text = "Missing title. The title expression resulted in undef";
                return Err(self.error(f, body.title, "MISSING_TITLE", text));
            }
            let mut several = Vec::new();
            let flat = match value {
                Value::Array(_) => {
                    crate::catalog::flatten_values(&value, &mut several);
                    several.as_slice()
                }
                _ => std::slice::from_ref(&value),
            };
            let alone = bodies.len() == 1 && flat.len() == 1;
            let mut titles = SmallVec::with_capacity(flat.len());
            let mut is_default = false;
            for (index, title) in flat.iter().enumerate() {
                let title = self.check_title(f, body.title, index, title)?;
                if !alone && !seen.insert(title.clone()) {
                    let shown = title.as_deref().unwrap_or("default");
                    let text = format!(
                        "The title '{shown}' has already been used in this resource expression"
                    );
                    return Err(self.error(f, id, "DUPLICATE_TITLE", text));
                }
                match title {
                    Some(title) => titles.push(title),
                    None => is_default = true,
                }
            }
            let params =
                self.eval_attributes(f, id, body.attributes, ParamSource::Declaration, true)?;
            let span = body.range.in_file(program.file);
            out.push(Body { titles, is_default, params, span });
        }
        Ok(out)
    }

    /// A title's text; `None` for `default`.
    fn check_title(
        &self,
        f: &Frame,
        at: ExprId,
        index: usize,
        title: &Value,
    ) -> EvalResult<Option<EcoString>> {
        match title {
            Value::Default => Ok(None),
            Value::Str(text) if text.is_empty() => {
                let text = format!(
                    "Empty string title at {index}. Title strings must have a length greater than zero."
                );
                Err(self.error(f, at, "EMPTY_STRING_TITLE_AT", text))
            }
            Value::Str(text) => Ok(Some(text.clone())),
            Value::Undef => {
                let text = format!(
                    "Missing title at index {index}. The title expression resulted in an undef title"
                );
                Err(self.error(f, at, "MISSING_TITLE_AT", text))
            }
            other => {
                let text = format!(
                    "Illegal title type at index {index}. Expected String, got {}",
                    kind_text(other)
                );
                Err(self.error(f, at, "ILLEGAL_TITLE_TYPE_AT", text))
            }
        }
    }

    /// Evaluates attribute operations, splats unfolded.
    pub(crate) fn eval_attributes(
        &mut self,
        f: &Frame,
        id: ExprId,
        attributes: ListRef<Attribute>,
        how: ParamSource,
        unique: bool,
    ) -> EvalResult<Vec<Param>> {
        let program = &f.program;
        let within = self.scopes.get(f.scope).resource;
        let mut out = Params::from(Vec::with_capacity(attributes.len()));
        for attribute in program.attributes(attributes) {
            let span = Some(attribute.range.in_file(program.file));
            let origin = ParamOrigin { how: how.clone(), span, within };
            let value = self.eval(f, attribute.value)?;
            let value = as_parameter(value).map_err(|fault| {
                let what = match attribute.op {
                    AttributeOp::Splat => "an Object",
                    AttributeOp::Append => "a '+>' expression",
                    AttributeOp::Set => "a '=>' expression",
                };
                let text = format!("Error while evaluating {what}, {fault}");
                EvalError::new("RUNTIME_ERROR", text, attribute.range.in_file(program.file))
            })?;
            if attribute.op == AttributeOp::Splat {
                let value = match &value {
                    Value::Instance(object) => {
                        let entries = self.features_given(object);
                        Value::Hash(Arc::new(
                            entries.map_err(|unwind| self.locate(f, attribute.value, unwind))?,
                        ))
                    }
                    _ => value,
                };
                let Value::Hash(entries) = &value else {
                    let text = format!("Expected value of type Hash, got {}", kind_text(&value));
                    return Err(self.error(f, attribute.value, "TYPE_MISMATCH", text));
                };
                for (name, value) in entries.iter() {
                    if name.is_undef() {
                        let text =
                            "Error while evaluating an Object, the name of an attribute is undef";
                        let at = attribute.range.in_file(program.file);
                        return Err(EvalError::new("RUNTIME_ERROR", text, at).into());
                    }
                    let name = crate::value::text::to_text(name);
                    let param = new_param(name, value.clone(), false, origin.clone());
                    self.add_param(f, id, &mut out, param, unique)?;
                }
                continue;
            }
            let append = attribute.op == AttributeOp::Append;
            let param = new_param(attribute.name.clone(), value, append, origin);
            self.add_param(f, id, &mut out, param, unique)?;
        }
        Ok(out.into_iter().collect())
    }

    fn add_param(
        &self,
        f: &Frame,
        id: ExprId,
        out: &mut Params,
        param: Param,
        unique: bool,
    ) -> EvalResult<()> {
        if unique && let Some(first) = out.named(&param.name) {
            let text = format!("The attribute '{}' has already been set", param.name);
            let mut error = EvalError::new("DUPLICATE_ATTRIBUE", text, f.program.span(id));
            error.related.extend(first.origin.span.map(|s| (s, "first set here".to_string())));
            error.related.extend(param.origin.span.map(|s| (s, "set again here".to_string())));
            return Err(error.into());
        }
        out.push(param);
        Ok(())
    }

    pub(crate) fn eval_resource_defaults(
        &mut self,
        f: &Frame,
        id: ExprId,
        kind: ExprId,
        attributes: ListRef<Attribute>,
    ) -> EvalResult {
        let value = match self.eval(f, kind)? {
            Value::Type(kind) => Value::of_type(self.referenced_resource(Type::clone(&kind))?),
            other => other,
        };
        let name = match &value {
            Value::Type(t) => match &**t {
                Type::Resource { kind: Some(name), title: None } => Some(name.clone()),
                _ => None,
            },
            _ => None,
        };
        let Some(name) = name else {
            let text = format!(
                "Illegal Resource Type expression, expected result to be a type name, or untitled Resource, got {}",
                kind_text(&value)
            );
            return Err(self.error(f, kind, "ILLEGAL_RESOURCE_TYPE", text));
        };
        let params = self.eval_attributes(f, id, attributes, ParamSource::TypeDefault, false)?;
        let scope = self.scopes.body_scope(f.scope);
        let known = self.defaults.of_scope_mut(scope, &name);
        for param in params {
            if let Some(first) = known.iter().find(|p| p.name == param.name) {
                let text = format!(
                    "Default already defined for {name} {{ {} }}; cannot redefine",
                    param.name
                );
                let mut unwind = unplaced(text, Some(f.program.span(id)));
                if let Unwind::Error(error) = &mut *unwind {
                    let first = first.origin.span;
                    error.related.extend(first.map(|s| (s, "first set here".to_string())));
                }
                return Err(unwind);
            }
            known.push(param);
        }
        Ok(value)
    }

    pub(crate) fn eval_resource_override(
        &mut self,
        f: &Frame,
        id: ExprId,
        resources: ExprId,
        attributes: ListRef<Attribute>,
    ) -> EvalResult {
        let value = self.eval(f, resources)?;
        let params = self.eval_attributes(f, id, attributes, ParamSource::Override, false)?;
        let mut references = Vec::new();
        crate::catalog::flatten_values(&value, &mut references);
        for reference in &references {
            let key = match reference {
                Value::Type(kind) | Value::Reference(kind)
                    if matches!(**kind, Type::Resource { .. }) =>
                {
                    reference_key(kind)
                }
                _ => None,
            };
            if let Some(shown) = untitled(reference) {
                let mut error = PlainError::new(no_title(&shown));
                // Only a bare name is shown with a colon.
                error.help = shown.strip_prefix(':').map(|name| {
                    let name = capitalized(name);
                    format!("defaults are set by the name of the type: `{name} {{ ... }}`")
                });
                return Err(error.into());
            }
            let Some(key) = key else {
                let actual = match reference {
                    Value::Type(kind) => type_label(kind),
                    Value::Undef => "Undef Value".into(),
                    other => kind_text(other),
                };
                let text =
                    format!("Resource Override can only operate on resources, got: {actual}");
                return Err(self.error(f, resources, "ILLEGAL_OVERRIDDEN_TYPE", text));
            };
            if !self.is_resource_type(&key.kind)? {
                return plain(format!("Unknown resource type: '{}'", key.kind.to_lowercase()));
            }
            let span = f.program.span(id);
            check_attributes(&params, &key, span)?;
            let scope = self.scopes.body_scope(f.scope);
            let pending = PendingOverride { key, params: params.clone(), scope, span };
            match self.find_named(&pending.key) {
                Some(resource) => self.override_resource(resource, &pending)?,
                None => self.catalog.overrides.push(pending),
            }
        }
        Ok(value)
    }
}

/// The parameters of a `default:` body, overridden by those of a title's own body.
fn merge_params(defaults: Option<&[Param]>, own: Vec<Param>) -> Vec<Param> {
    let Some(defaults) = defaults else { return own };
    let mut out = Params::from(defaults.to_vec());
    for param in own {
        match out.named_mut(&param.name) {
            Some(slot) => *slot = param,
            None => out.push(param),
        }
    }
    out.into_iter().collect()
}
