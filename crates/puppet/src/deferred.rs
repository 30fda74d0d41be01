//! `Deferred('name', [arguments])`: calls that are made where a catalog is applied (upstream
//! `lib/puppet/pops/evaluator/deferred_resolver.rb`).

use std::sync::Arc;

use ecow::EcoString;
use ordain_data::Value as Data;
use ordain_graph::ResourceRef;
use ordain_source::{Diagnostic, FileId, Span, TextRange, limits};

use crate::catalog::values::{DEPTH, NAME, holds_deferred};
use crate::catalog::{ResourceId, ResourceKind};
use crate::diagnose::diagnose;
use crate::error::{EvalError, EvalResult, PlainError, Unwind};
use crate::eval::deferred_calls::DeferredPlace;
use crate::load::Environment;
use crate::state::Compiler;
use crate::state::frame::{STACK_SIZE, final_error};
use crate::state::log::LogEntry;
use crate::state::node::Node;
use crate::state::scope::{Scope, ScopeKind};
pub use crate::state::settings::Deferral;
use crate::state::settings::Settings;
use crate::types::new::{Host, new_instance};
use crate::types::{Regexp, Type, object, specialize};
use crate::value::closure::ScopeId;
use crate::value::rich::to_data;
use crate::value::{Object, Value};
use ordain_graph::language::Strict;

/// The code of a deferred call that fails.
const FAILED: &str = "puppet::deferred";

/// An attribute whose value is deferred, or has a deferred part.
#[derive(Clone, Debug)]
pub struct DeferredAttribute {
    /// The resource.
    pub resource: ResourceRef,
    /// The name of the attribute.
    pub name: EcoString,
    /// The value with its deferred calls.
    pub value: Value,
    /// Whether the result is secret in any case.
    pub is_secret: bool,
    /// The place of the attribute.
    pub span: Option<Span>,
}

/// The values of deferred attributes.
#[derive(Default)]
pub struct ResolvedAttributes {
    /// The value of each attribute, in order, or its errors.
    pub values: Vec<Result<Data, Vec<Diagnostic>>>,
    /// The log messages, in order.
    pub logs: Vec<LogEntry>,
    /// Warnings.
    pub diagnostics: Vec<Diagnostic>,
}

/// Makes the deferred calls in attributes of a catalog that was compiled before. They can use the
/// functions of the environment and the variable `$facts`.
pub fn resolve(
    env: &Environment,
    settings: Settings,
    node: &Node,
    attributes: &[DeferredAttribute],
) -> ResolvedAttributes {
    limits::on_deep_stack(STACK_SIZE, || {
        let mut resolver = resolver(env, settings, node);
        let mut out = ResolvedAttributes::default();
        for attribute in attributes {
            let value = resolver.resolve_attribute(attribute);
            out.values.push(value.map(|value| {
                let value = to_data(&value);
                let is_clear = attribute.is_secret && !matches!(value, Data::Secret(_));
                let value = if is_clear { Data::Secret(Arc::new(value)) } else { value };
                resolver.decrypted.mark(value)
            }));
        }
        let secrets = resolver.decrypted.redactor();
        out.logs = std::mem::take(&mut resolver.log.entries);
        out.diagnostics = std::mem::take(&mut resolver.log.diagnostics);
        if let Some(secrets) = secrets {
            out.hide(&secrets);
        }
        out
    })
}

impl ResolvedAttributes {
    /// Redacts the contents of encrypted data in messages.
    fn hide(&mut self, secrets: &ordain_data::Redactor) {
        let errors = self.values.iter_mut().filter_map(|value| value.as_mut().err());
        let found = errors.flatten().chain(&mut self.diagnostics);
        let texts = found.flat_map(Diagnostic::texts_mut);
        let logs = self.logs.iter_mut().map(|entry| &mut entry.message);
        for text in texts.chain(logs) {
            *text = secrets.redact(text).into_owned();
        }
    }
}

/// A compile that makes deferred calls. It has the functions of the environment, the facts, and an
/// empty catalog that must stay empty.
fn resolver<'e>(env: &'e Environment, settings: Settings, node: &Node) -> Compiler<'e> {
    let mut compiler = Compiler::new(env, settings, &node.name);
    compiler.begin(node);
    let facts = compiler.scopes.get(ScopeId::TOP).get("facts").cloned().unwrap_or_default();
    let main = compiler.scopes.get(ScopeId::TOP).resource;
    let mut top = Scope::new(ScopeKind::Top, None, main);
    top.replace("facts".into(), facts);
    *compiler.scopes.get_mut(ScopeId::TOP) = top;
    compiler
}

impl Compiler<'_> {
    /// Replaces the deferred values of all resources by their values on this machine.
    pub(crate) fn resolve_catalog(&mut self, node: &Node) -> Vec<Diagnostic> {
        let deferred = self.deferred_params();
        if deferred.is_empty() {
            return Vec::new();
        }
        let mut resolver = resolver(self.env, self.settings.clone(), node);
        resolver.decrypted = std::mem::take(&mut self.decrypted);
        let mut found = Vec::new();
        for (id, attribute) in deferred {
            match resolver.resolve_attribute(&attribute) {
                Ok(value) => self.set_resolved(id, &attribute.name, value),
                Err(errors) => found.extend(errors),
            }
        }
        self.decrypted = std::mem::take(&mut resolver.decrypted);
        self.log.entries.append(&mut resolver.log.entries);
        self.log.diagnostics.append(&mut resolver.log.diagnostics);
        found
    }

    /// The deferred attributes of resources that are applied.
    pub(crate) fn deferred_attributes(&self) -> Vec<DeferredAttribute> {
        self.deferred_params().into_iter().map(|(_, attribute)| attribute).collect()
    }

    /// Parameters of classes and defines are left out: they have no effect on the machine.
    fn deferred_params(&self) -> Vec<(ResourceId, DeferredAttribute)> {
        let mut found = Vec::new();
        for (i, resource) in self.catalog.resources.iter().enumerate() {
            if resource.is_virtual || !matches!(resource.what, ResourceKind::Native(_)) {
                continue;
            }
            for param in resource.params.iter().filter(|param| holds_deferred(&param.value)) {
                let title = resource.title.clone();
                let attribute = DeferredAttribute {
                    resource: ResourceRef { kind: resource.kind.clone(), title },
                    name: param.name.clone(),
                    value: param.value.clone(),
                    is_secret: resource.sensitive.contains(&param.name),
                    span: param.origin.span.or(resource.span),
                };
                found.push((ResourceId(i as u32), attribute));
            }
        }
        found
    }

    fn set_resolved(&mut self, id: ResourceId, name: &EcoString, value: Value) {
        let resource = self.catalog.get_mut(id);
        let value = match value {
            Value::Sensitive(inner) => {
                if !resource.sensitive.contains(name) {
                    resource.sensitive.push(name.clone());
                }
                Arc::unwrap_or_clone(inner)
            }
            value => value,
        };
        if let Some(param) = resource.param_mut(name) {
            param.value = value;
        }
    }

    /// The value of an attribute, or its errors.
    fn resolve_attribute(
        &mut self,
        attribute: &DeferredAttribute,
    ) -> Result<Value, Vec<Diagnostic>> {
        let nowhere = Span { file: FileId(0), range: TextRange::default() };
        let span = attribute.span.unwrap_or(nowhere);
        let known = self.catalog.resources.len();
        let is_strict = self.settings.strict_variables || self.settings.strict == Strict::Error;
        let place = DeferredPlace { scope: ScopeId::TOP, span, is_strict };
        let value = self.resolve_value(&attribute.value, place, DEPTH).and_then(|value| {
            if self.catalog.resources.len() > known {
                let text = "a deferred call cannot declare anything: the catalog is finished";
                return Err(PlainError::new(text).into());
            }
            match value {
                Value::Undef => {
                    Err(PlainError::new(format!("Got nil value for {}", attribute.name)).into())
                }
                value => Ok(value),
            }
        });
        value.map_err(|unwind| self.failure(*unwind, attribute))
    }

    /// The errors of an attribute without a value, at the attribute or in the function that failed.
    fn failure(&self, unwind: Unwind, attribute: &DeferredAttribute) -> Vec<Diagnostic> {
        let is_plain = matches!(unwind, Unwind::Plain(_));
        let mut error: EvalError = final_error(Box::new(unwind));
        if is_plain {
            (error.span, error.code) = (attribute.span, Some(FAILED));
        }
        let DeferredAttribute { resource, name, .. } = attribute;
        let mut found = diagnose(self, &error);
        if let Some(first) = found.first_mut() {
            let out = first.clone();
            let elsewhere = attribute.span.filter(|span| error.span != Some(*span));
            *first = match elsewhere {
                Some(span) => out.related(span, "deferred here"),
                None => out,
            }
            .help(format!("the value of {name} of {resource} is deferred to the machine"));
        }
        found
    }
}

/// The value that plain data of a graph represents, with its deferred calls.
///
/// # Errors
/// The reason why the data cannot be read back.
pub fn of_data(data: &Data) -> Result<Value, String> {
    read(data, DEPTH)
}

fn read(data: &Data, depth: usize) -> Result<Value, String> {
    let depth = depth.checked_sub(1).ok_or("it nests too deep")?;
    match data {
        Data::List(items) => {
            let items = items.iter().map(|item| read(item, depth));
            Ok(Value::array(items.collect::<Result<Vec<_>, _>>()?))
        }
        Data::Secret(inner) => Ok(Value::Sensitive(Arc::new(read(inner, depth)?))),
        Data::Map(entries) => match data.get("__ptype").and_then(Data::as_str) {
            Some(kind) => read_object(kind, data, depth),
            None => {
                let entries = entries.iter().map(|(k, v)| Ok((read(k, depth)?, read(v, depth)?)));
                Ok(Value::Hash(Arc::new(entries.collect::<Result<_, String>>()?)))
            }
        },
        other => Ok(crate::value::rich::from_data(other)),
    }
}

fn read_object(kind: &str, data: &Data, depth: usize) -> Result<Value, String> {
    let value = data.get("__pvalue");
    let text = value.and_then(Data::as_str);
    match (kind, text) {
        (NAME, _) => {
            let attribute = |name: &str| {
                let value = data.get(name).map(|value| read(value, depth)).transpose()?;
                Ok::<_, String>((EcoString::from(name), value.unwrap_or_default()))
            };
            let values = [attribute("name")?, attribute("arguments")?].into_iter().collect();
            Ok(Value::Object(Arc::new(Object { kind: object::deferred(), values })))
        }
        ("Default", _) => Ok(Value::Default),
        ("Sensitive", _) => {
            let value = value.map(|value| read(value, depth)).transpose()?;
            Ok(Value::Sensitive(Arc::new(value.unwrap_or_default())))
        }
        ("Hash", _) => {
            let flat = value.and_then(Data::as_list).unwrap_or_default();
            let pairs = flat.chunks_exact(2);
            let pairs = pairs.map(|pair| Ok((read(&pair[0], depth)?, read(&pair[1], depth)?)));
            Ok(Value::Hash(Arc::new(pairs.collect::<Result<_, String>>()?)))
        }
        ("Regexp", Some(text)) => Ok(Value::Regexp(Arc::new(Regexp::new(text)))),
        _ => text
            .and_then(|text| of_text(kind, text))
            .or_else(|| of_type(kind, data))
            .ok_or_else(|| format!("an argument of type {kind} cannot be read back from a graph")),
    }
}

/// The value of a type whose values are written as texts.
fn of_text(kind: &str, text: &str) -> Option<Value> {
    const KINDS: [&str; 6] = ["Binary", "SemVer", "SemVerRange", "Timespan", "Timestamp", "URI"];
    let kind = KINDS.into_iter().find(|known| *known == kind)?;
    new_instance(&crate::types::parse_static(kind), &[Value::from(text)], &mut NoHost).ok()
}

/// A type in the form of an object without parameters, such as `Pcore::IntegerType`.
fn of_type(kind: &str, data: &Data) -> Option<Value> {
    let name = kind.strip_prefix("Pcore::")?.strip_suffix("Type")?;
    let is_bare = data.as_map().is_some_and(|entries| entries.len() == 1);
    let parsed = is_bare.then(|| NoHost.type_of_text(name).ok()).flatten()?;
    Some(Value::of_type(parsed))
}

/// A host without a clock and without types of modules. Values that are written as texts need
/// neither.
struct NoHost;

impl Host for NoHost {
    fn now(&mut self) -> i128 {
        0
    }

    fn zone(&mut self) -> String {
        "+00:00".into()
    }

    fn type_of_text(&mut self, text: &str) -> EvalResult<Type> {
        specialize::parse_text(text, &mut |_| None)
    }
}
