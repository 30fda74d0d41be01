//! The operations that the evaluator offers to built-in functions, templates and Hiera.

use std::sync::Arc;

use ecow::EcoString;
use ordain_source::Span;

use crate::catalog::resource::Inclusion;
use crate::catalog::values::{Declaration, as_parameter, new_param, reference};
use crate::catalog::values::{reference_text, relationship_target};
use crate::catalog::{
    Declared, ParamOrigin, ParamSource, Resource, ResourceId, flatten_values, tags,
};
use crate::error::{EvalResult, PlainError, UnknownName, plain, unplaced};
use crate::functions::registry::builtins;
use crate::state::Compiler;
use crate::state::budget::Weight;
use crate::state::declare::Declare;
use crate::state::evaluate::Evaluate;
use crate::state::frame::Frame;
use crate::syntax::ExprId;
use crate::syntax::definitions::TypeDef;
use crate::types::ObjectType;
use crate::types::Type;
use crate::types::models::Instance;
use crate::value::HashValue;
use crate::value::Value;
use crate::value::closure::Closure;
use crate::value::closure::ScopeId;
use crate::value::resource_key::{ResourceKey, reference_key};
use std::path::Path;

/// A class to include.
enum Includable {
    /// It is in the catalog.
    Known(ResourceId),
    /// It was not in the catalog at the lookup.
    New(ResourceKey, Arc<TypeDef>),
}

impl Evaluate for Compiler<'_> {
    #[inline]
    fn call_function(
        &mut self,
        name: &str,
        args: Vec<Value>,
        block: Option<Arc<Closure>>,
        scope: ScopeId,
        span: Span,
    ) -> EvalResult {
        self.call_named(name, args, block, scope, span)
    }

    #[inline]
    fn call_with(&mut self, closure: &Arc<Closure>, args: &[Value], weight: Weight) -> EvalResult {
        self.call_lambda(closure, args, weight)
    }

    #[inline]
    fn closure(&mut self, f: &Frame, id: ExprId) -> EvalResult<Arc<Closure>> {
        self.make_closure(f, id)
    }

    #[inline]
    fn type_of_text(&mut self, text: &str, span: Span) -> EvalResult<Type> {
        self.eval_type_text(text, span)
    }

    #[inline]
    fn named_type(&mut self, name: &str) -> EvalResult<Type> {
        self.eval_type_named(name)
    }

    #[inline]
    fn instantiate(
        &mut self,
        kind: &Arc<ObjectType>,
        args: &[Value],
        block: Option<&Arc<Closure>>,
    ) -> EvalResult {
        self.make_instance(kind, args, block)
    }

    #[inline]
    fn epp(&mut self, name: &str, args: Option<&Value>, scope: ScopeId, span: Span) -> EvalResult {
        self.render_epp_file(name, args, scope, span)
    }

    #[inline]
    fn inline_epp(
        &mut self,
        text: &str,
        args: Option<&Value>,
        scope: ScopeId,
        span: Span,
    ) -> EvalResult {
        self.render_epp_text(text, args, scope, span)
    }

    #[inline]
    fn erb(
        &mut self,
        name: &str,
        path: &Path,
        scope: ScopeId,
        span: Span,
    ) -> EvalResult<EcoString> {
        self.render_erb_file(name, path, scope, span)
    }

    #[inline]
    fn inline_erb(
        &mut self,
        text: &EcoString,
        scope: ScopeId,
        span: Span,
    ) -> EvalResult<EcoString> {
        self.render_erb_text(text, scope, span)
    }

    fn has_function(&mut self, name: &str) -> bool {
        builtins().contains_key(name)
            || matches!(self.env.find_function(name), Ok(Some(_)))
            || self.env.ruby_function(name).is_some()
    }

    fn only_in_ruby(&self, name: &str) -> Option<Arc<crate::load::RubyFile>> {
        let is_other = self.models.in_logic()
            || builtins().contains_key(name)
            || !matches!(self.env.find_function(name), Ok(None));
        if is_other { None } else { self.env.ruby_function(name) }
    }

    fn return_types(&mut self, name: &str, span: Option<Span>) -> EvalResult<Option<Vec<Type>>> {
        if let Some(def) = self.env.find_function(name)? {
            if def.returns.is_none() {
                return Ok(None);
            }
            let f = Frame { program: Arc::clone(&def.program), scope: ScopeId::TOP };
            let signature = self.signature(&f, def.params, def.returns)?;
            // As upstream, `Any` is no promise.
            let stated = signature.returns.clone().filter(|kind| *kind != Type::Any);
            return Ok(stated.map(|kind| vec![kind]));
        }
        match (self.only_in_ruby(name), span) {
            (Some(file), Some(span)) => self.ruby_return_types(&file, name, span),
            _ => Ok(None),
        }
    }

    fn include(
        &mut self,
        names: &[Value],
        how: Inclusion,
        scope: ScopeId,
        span: Span,
    ) -> EvalResult {
        let mut flat = Vec::new();
        names.iter().for_each(|v| flatten_values(v, &mut flat));
        let mut names = Vec::with_capacity(flat.len());
        for value in &flat {
            names.push(class_name(value)?);
        }
        // As upstream, all names are resolved before the first class enters the catalog.
        let mut found = Vec::with_capacity(names.len());
        for name in &names {
            found.push(self.class_to_include(name)?);
        }
        let mut ids = Vec::with_capacity(names.len());
        for class in found {
            ids.push(self.include_one(class, scope, span)?);
        }
        for &id in &ids {
            self.evaluate_body(id)?;
        }
        match how {
            Inclusion::Include => {}
            Inclusion::Contain => self.contain(&ids, scope),
            Inclusion::Require => self.require(&ids, scope, span),
        }
        Ok(Value::array(ids.iter().map(|&id| reference(&self.catalog.get(id).key()))))
    }

    fn create_resources(
        &mut self,
        kind: &str,
        resources: &[(Value, Value)],
        defaults: &Value,
        scope: ScopeId,
        span: Span,
    ) -> EvalResult<()> {
        let (kind, exported, is_virtual) = match (kind.strip_prefix("@@"), kind.strip_prefix('@')) {
            (Some(kind), _) => (kind, true, true),
            (None, Some(kind)) => (kind, false, true),
            (None, None) => (kind, false, false),
        };
        let within = self.scopes.get(scope).resource;
        let origin = ParamOrigin { how: ParamSource::Declaration, span: Some(span), within };
        let at = Declaration { scope, span, is_virtual, exported, title_is_text: true };
        for (title, attributes) in resources {
            let mut params: Vec<crate::catalog::Param> = Vec::new();
            for (name, value) in defaults.as_hash().into_iter().flatten() {
                let name = crate::value::text::to_text(name);
                let value = as_parameter(value.clone()).or_else(plain)?;
                params.push(new_param(name, value, false, origin.clone()));
            }
            for (name, value) in attributes.as_hash().into_iter().flatten() {
                let name = crate::value::text::to_text(name);
                let value = as_parameter(value.clone()).or_else(plain)?;
                let param = new_param(name, value, false, origin.clone());
                match params.iter_mut().find(|p| p.name == param.name) {
                    Some(slot) => *slot = param,
                    None => params.push(param),
                }
            }
            let at = Declaration { title_is_text: matches!(title, Value::Str(_)), ..at };
            let title = crate::types::format::ruby_text(title);
            self.declare_resource(kind, &title, params, at)?;
        }
        Ok(())
    }

    fn is_defined(&mut self, what: &Value, scope: ScopeId) -> EvalResult<bool> {
        match what {
            Value::Str(name) => match name.strip_prefix('$') {
                Some(name) => Ok(self.find_variable(scope, name).is_some()),
                None => {
                    let lower = name.strip_prefix("::").unwrap_or(name).to_lowercase();
                    let known = matches!(lower.as_str(), "" | "main");
                    Ok(known
                        || crate::types::builtin(name).is_some()
                        || self.is_resource_type(&lower)?
                        || self.find_class(&lower)?.is_some()
                        || self.env.find_alias(&lower)?.is_some())
                }
            },
            Value::Type(kind) | Value::Reference(kind) => match &**kind {
                Type::Resource { kind: Some(kind), title: None } => self.is_resource_type(kind),
                Type::Class(None) => Ok(true),
                Type::Type(Some(inner)) => match &**inner {
                    Type::Class(Some(name)) => Ok(self.find_class(name)?.is_some()),
                    Type::Resource { kind: Some(kind), .. } => self.is_resource_type(kind),
                    _ => Ok(true),
                },
                other => match reference_key(other) {
                    Some(key) => Ok(self.find_named(&key).is_some()),
                    None => Ok(true),
                },
            },
            _ => Ok(false),
        }
    }

    fn resource_parameter(&mut self, reference: &Type, name: &str) -> Option<Value> {
        let id = self.catalog.find(&reference_key(reference)?)?;
        let resource = self.catalog.get(id);
        let value = resource.param(name).map(|p| &p.value);
        Some(value.or_else(|| self.models.default_of(resource, name)).cloned().unwrap_or_default())
    }

    fn realize(&mut self, references: &[Value], span: Span) {
        let mut flat = Vec::new();
        references.iter().for_each(|v| flatten_values(v, &mut flat));
        for value in &flat {
            match relationship_target(value) {
                Some(key) => self.catalog.realize.push((key, span)),
                None => {
                    let bad = (reference_text(value), span);
                    self.catalog.not_realizable.get_or_insert(bad);
                }
            }
        }
    }

    fn tag(&mut self, names: &[EcoString], scope: ScopeId) -> EvalResult<()> {
        let id = self.scopes.get(scope).resource;
        for name in names {
            let name = name.to_lowercase();
            if !tags::is_valid(&name) {
                return self.invalid_tag(&name, self.catalog.get(id));
            }
            for part in tags::with_segments(&name) {
                let tag = self.catalog.tags.intern(part);
                self.catalog.get_mut(id).tags.insert(tag);
            }
        }
        Ok(())
    }

    fn tagged(&mut self, names: &[EcoString], scope: ScopeId) -> bool {
        let id = self.scopes.get(scope).resource;
        names.iter().all(|name| {
            let own = self.catalog.tags.find(name);
            own.is_some_and(|t| self.catalog.own_tags.contains(t)) || self.has_tag(id, name)
        })
    }

    fn features_of(&mut self, object: &Arc<Instance>) -> EvalResult<HashValue> {
        self.features_given(object)
    }

    fn resolve(&mut self, value: &Value, scope: ScopeId, span: Span) -> EvalResult {
        self.resolve_deferred(value, scope, span)
    }

    fn has_class(&mut self, name: &str) -> EvalResult<bool> {
        self.find_class(name).map(|found| found.is_some())
    }
}

impl Compiler<'_> {
    /// A class by its name, loaded.
    fn class_to_include(&mut self, name: &str) -> EvalResult<Includable> {
        let lower = name.strip_prefix("::").unwrap_or(name).to_lowercase();
        let key = ResourceKey::new("class", &lower);
        if let Some(id) = self.catalog.find(&key) {
            return Ok(Includable::Known(id));
        }
        let Some(def) = self.find_class(&lower)? else {
            let mut error =
                PlainError::new(format!("Could not find class ::{lower} for {}", self.node));
            error.help = self.env.class_help(&lower);
            error.unknown = Some(UnknownName::IncludedClass(lower.into()));
            return Err(error.into());
        };
        Ok(Includable::New(key, def))
    }

    /// The class's resource, which is put into the catalog if necessary.
    fn include_one(
        &mut self,
        class: Includable,
        scope: ScopeId,
        span: Span,
    ) -> EvalResult<ResourceId> {
        let (key, def) = match class {
            Includable::Known(id) => return Ok(id),
            Includable::New(key, def) => (key, def),
        };
        // One before it may inherit from it.
        if let Some(id) = self.catalog.find(&key) {
            return Ok(id);
        }
        let at =
            Declaration { scope, span, is_virtual: false, exported: false, title_is_text: true };
        self.declare_class(def, Vec::new(), Declared::Implicitly, at)
    }

    fn contain(&mut self, ids: &[ResourceId], scope: ScopeId) {
        let container = self.scopes.get(scope).resource;
        for &id in ids {
            if id != container {
                self.catalog.edges.insert((container, id));
            }
        }
    }

    fn require(&mut self, ids: &[ResourceId], scope: ScopeId, span: Span) {
        let dependent = self.scopes.get(scope).resource;
        let mut items = match self.catalog.get(dependent).param("require") {
            Some(param) => {
                let mut items = Vec::new();
                flatten_values(&param.value, &mut items);
                items
            }
            None => Vec::new(),
        };
        items.extend(ids.iter().map(|&id| reference(&self.catalog.get(id).key())));
        let origin =
            ParamOrigin { how: ParamSource::Relation, span: Some(span), within: dependent };
        let param = new_param("require".into(), Value::array(items), false, origin);
        let resource = self.catalog.get_mut(dependent);
        match resource.param_mut("require") {
            Some(slot) => *slot = param,
            None => resource.params.push(param),
        }
    }

    /// If the resource was declared at a place, the error has this place.
    fn invalid_tag(&self, name: &str, resource: &Resource) -> EvalResult<()> {
        let text = format!("Invalid tag '{name}'");
        let declared = resource.declared == Declared::AsResource;
        match resource.span.filter(|_| declared) {
            Some(span) => Err(unplaced(text, Some(span))),
            None => plain(text),
        }
    }
}

/// The class that a value names.
fn class_name(value: &Value) -> EvalResult<EcoString> {
    match value {
        Value::Str(name) if name.is_empty() => plain("Cannot use empty string as a class name"),
        Value::Str(name) => Ok(name.clone()),
        Value::Undef => plain("Cannot use undef as a class name"),
        Value::Type(kind) | Value::Reference(kind) => match &**kind {
            Type::Class(Some(name)) => Ok(name.clone()),
            Type::Class(None) => plain("Cannot use an unspecific Class[] Type"),
            Type::Resource { kind: Some(kind), title: Some(title) }
                if kind.eq_ignore_ascii_case("class") =>
            {
                Ok(title.clone())
            }
            Type::Resource { kind: Some(kind), .. } => plain(format!(
                "Cannot use a Resource[{kind}] where a Resource['class', name] is expected"
            )),
            Type::Resource { .. } => {
                plain("Cannot use a Resource[] Type that is not a Class as a class name")
            }
            other => plain(format!("Cannot use {other} as a class name")),
        },
        other => plain(format!(
            "Cannot use {} where a class name is expected",
            crate::types::label::a_an(other)
        )),
    }
}
