//! Runs the code of resource types over a finished catalog. It refuses and converts values, sets
//! defaults, and adds autorequires. Puppet does this where a catalog is applied, so a catalog for
//! an agent is not changed.

use std::path::PathBuf;

use ecow::EcoString;
use indexmap::IndexMap;
use ordain_source::{Diagnostic, FileId, Severity, Span, TextRange};
use rustc_hash::FxHashSet;
use serde_json::{Map, Value as Json, json};

use super::trace_text;
use crate::catalog::names::DuplicateName;
use crate::catalog::values::holds_deferred;
use crate::catalog::values::new_param;
use crate::catalog::{Autorequire, LostValue, ParamOrigin, ParamSource, ResourceId, ResourceKind};
use crate::error::{EvalResult, Unwind};
use crate::plugins::state::Callee;
use crate::state::Compiler;
use crate::value::Value;

const NOWHERE: Span = Span { file: FileId(0), range: TextRange { start: 0, end: 0 } };

/// The code of errors that types raise.
pub(crate) const REFUSED: &str = "puppet::resource";
/// The code of a type that cannot run.
const UNASKED: &str = "puppet::ruby";

/// Metaparameters that no type looks at.
const UNSEEN: &[&str] = &["before", "require", "notify", "subscribe", "alias", "stage"];

/// The answers of the types, by resource.
type TypeReports = Vec<(ResourceId, Json)>;

impl Compiler<'_> {
    /// Shows the catalog to the types in Ruby, and returns their errors.
    pub(crate) fn examine_types(&mut self) -> Vec<Diagnostic> {
        let kinds = self.kinds_in_ruby();
        if kinds.is_empty() {
            let duplicates = self.catalog.duplicate_names();
            return duplicates.iter().map(|duplicate| self.cannot_alias(duplicate)).collect();
        }
        let names: Vec<&str> = kinds.keys().map(EcoString::as_str).collect();
        let what = format!("the resource types {}", names.join(", "));
        let callee = Callee { what: &what, place: "Ruby" };
        let reply = self.with_ruby(callee, NOWHERE, |this| this.ask_types(callee, &kinds));
        match reply {
            Ok((reply, mut found)) => {
                for (id, reply) in reply {
                    found.extend(self.apply_report(id, &reply));
                }
                let duplicates = self.catalog.duplicate_names();
                found.extend(duplicates.iter().map(|duplicate| self.cannot_alias(duplicate)));
                found
            }
            Err(unwind) => vec![types_not_run(&what, *unwind)],
        }
    }

    /// The error that a resource has the composite name of another.
    fn cannot_alias(&self, duplicate: &DuplicateName) -> Diagnostic {
        let resource = self.catalog.get(duplicate.resource);
        let first = self.catalog.get(duplicate.first);
        let at = self.place(resource.span).map(|p| format!(" at {p}")).unwrap_or_default();
        let other = self.place(first.span).map(|p| format!(" {p}")).unwrap_or_default();
        let (shown, parts) = (duplicate.name.shown(), duplicate.name.parts());
        let text = format!(
            "Cannot alias {} to {shown}{at}; resource [\"{}\", {parts}] already declared{other}",
            resource.reference(),
            resource.kind,
        );
        let mut out = Diagnostic::error(REFUSED, text);
        if let Some(span) = resource.span {
            out = out.at(span);
        }
        match first.span {
            Some(span) => out.related(span, "first declared here"),
            None => out,
        }
    }

    /// The Ruby types of the catalog, with their files.
    fn kinds_in_ruby(&self) -> IndexMap<EcoString, PathBuf> {
        let mut seen = FxHashSet::default();
        let mut kinds = IndexMap::new();
        for resource in &self.catalog.resources {
            let ResourceKind::Native(schema) = &resource.what else { continue };
            if schema.ruby.is_none() || resource.is_virtual || !seen.insert(resource.kind.clone()) {
                continue;
            }
            let name = resource.kind.to_lowercase();
            let settings = &self.settings;
            if settings.examines_native_only && !settings.native_kinds.contains(name.as_str()) {
                continue;
            }
            if let Some(file) = self.env.ruby_type_file(&name) {
                kinds.insert(name, file);
            }
        }
        kinds
    }

    fn ask_types(
        &mut self,
        callee: Callee<'_>,
        kinds: &IndexMap<EcoString, PathBuf>,
    ) -> EvalResult<(TypeReports, Vec<Diagnostic>)> {
        let mut warnings = Vec::new();
        let mut loaded = FxHashSet::default();
        for (name, file) in kinds {
            let place = file.display().to_string();
            let what = format!("the resource type `{name}`");
            let of_type = Callee { what: &what, place: &place };
            match self.load_type(of_type, name, file, NOWHERE) {
                Ok(_) => {
                    loaded.insert(name.clone());
                }
                // The conversation may be over.
                Err(unwind) if self.ruby.session.as_ref().is_none_or(|s| s.is_dead()) => {
                    return Err(unwind);
                }
                Err(unwind) => warnings.push(types_not_run(&what, *unwind)),
            }
        }
        let list = self.pack_catalog(&loaded);
        let reply = self.converse(callee, NOWHERE, json!(["examine", list]))?;
        let Json::Array(reply) = reply else { return Ok((Vec::new(), warnings)) };
        let count = self.catalog.resources.len();
        let reply = reply.into_iter().filter_map(|mut pair| {
            let id = u32::try_from(pair[0].as_u64()?).ok()?;
            ((id as usize) < count).then(|| (ResourceId(id), pair[1].take()))
        });
        Ok((reply.collect(), warnings))
    }

    /// All resources as types look them up.
    fn pack_catalog(&mut self, loaded: &FxHashSet<EcoString>) -> Vec<Json> {
        let mut list = Vec::new();
        for i in 0..self.catalog.resources.len() {
            let resource = &mut self.catalog.resources[i];
            if resource.is_virtual {
                continue;
            }
            let kind = resource.kind.to_lowercase();
            // Deferred values can be neither checked nor converted yet.
            let is_whole = !resource.params.iter().any(|param| holds_deferred(&param.value));
            let in_ruby = is_whole && loaded.contains(&kind);
            let native = matches!(resource.what, ResourceKind::Native(_));
            let params =
                if native { std::mem::take(&mut resource.params) } else { Default::default() };
            let mut values = Map::new();
            for param in &params {
                let is_seen = !UNSEEN.contains(&param.name.as_str());
                if !param.value.is_undef() && is_seen && !holds_deferred(&param.value) {
                    values.insert(param.name.to_string(), self.pack_value(&param.value));
                }
            }
            let resource = &mut self.catalog.resources[i];
            if native {
                resource.params = params;
            }
            let sensitive: Vec<&str> = resource.sensitive.iter().map(EcoString::as_str).collect();
            let tags: Vec<Json> = match in_ruby {
                true => {
                    let names = resource.tags.iter().map(|tag| self.catalog.tags.name(tag));
                    names.map(|name| json!(name.as_str())).collect()
                }
                false => Vec::new(),
            };
            let kind = if native { kind.as_str() } else { resource.kind.as_str() };
            list.push(json!([i, kind, resource.title.as_str(), values, in_ruby, sensitive, tags]));
        }
        list
    }

    /// Applies the answer of a type about a resource; returns its error.
    fn apply_report(&mut self, id: ResourceId, reply: &Json) -> Option<Diagnostic> {
        if let Some(error) = reply.get("error") {
            return Some(self.refusal(id, error));
        }
        let kind = self.catalog.get(id).kind.to_lowercase();
        if !self.settings.native_kinds.contains(kind.as_str()) {
            for (name, value) in reply["values"].as_object().into_iter().flatten() {
                self.take_value(id, name, value);
            }
        }
        let count = self.catalog.resources.len() as u64;
        for relation in reply["automatic"].as_array().into_iter().flatten() {
            let Some(other) = relation[1].as_u64().filter(|other| *other < count) else { continue };
            let other = ResourceId(other as u32);
            let kind = relation[0].as_str().unwrap_or_default();
            let (from, to) = match kind {
                "before" | "notify" => (id, other),
                _ => (other, id),
            };
            let notify = matches!(kind, "notify" | "subscribe");
            self.catalog.automatic.push(Autorequire { from, to, notify, by: id });
        }
        None
    }

    /// Applies a value that the type converted, or its default.
    fn take_value(&mut self, id: ResourceId, name: &str, given: &Json) {
        let resource = self.catalog.get(id);
        let before = resource.param(name).map(|param| param.value.clone());
        let is_title = given.as_str() == Some(resource.title.as_str());
        match &before {
            None | Some(Value::Undef) if given.is_null() || is_title => return,
            Some(before) if self.pack_value(&before.clone()) == *given => return,
            _ => {}
        }
        let Ok(value) = self.unpack_value(given) else { return };
        let resource = self.catalog.get_mut(id);
        let Some(param) = resource.param_mut(name) else {
            let origin = ParamOrigin { how: ParamSource::Kind, span: None, within: id };
            resource.params.push(new_param(name.into(), value, false, origin));
            return;
        };
        let was = std::mem::replace(&mut param.value, value);
        let origin = ParamOrigin { how: ParamSource::Kind, span: param.origin.span, within: id };
        let origin = std::mem::replace(&mut param.origin, origin);
        if !was.is_undef() {
            param.losers.push_latest(LostValue { value: was, origin });
        }
    }

    /// The error of a type, at the attribute or the resource that it is about.
    fn refusal(&self, id: ResourceId, error: &Json) -> Diagnostic {
        let resource = self.catalog.get(id);
        let message = error["message"].as_str().unwrap_or_default();
        let param = error["attribute"].as_str().and_then(|name| resource.param(name));
        let span = param.and_then(|param| param.origin.span).or(resource.span);
        let mut out = Diagnostic::new(Severity::Error, REFUSED, message.to_owned());
        if let Some(span) = span {
            out = out.at(span);
        }
        let place = format!("the resource type `{}`", resource.kind.to_lowercase());
        out.help(trace_text(Callee { what: &place, place: &place }, error))
    }
}

/// The warning that types could not run, so that their resources stay as declared.
fn types_not_run(what: &str, unwind: Unwind) -> Diagnostic {
    let (message, help) = match unwind {
        Unwind::Error(error) => (error.message, error.help),
        Unwind::Plain(error) => (error.message.clone(), error.help.into_iter().collect()),
        _ => ("it jumps out of its file".to_owned(), Vec::new()),
    };
    let text = format!("values of {what} are not checked: {message}");
    help.into_iter().fold(Diagnostic::warning(UNASKED, text), Diagnostic::help)
}
