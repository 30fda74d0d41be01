//! Parses resources with the kinds of the registry.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::hash::{Hash, Hasher};
use std::path::PathBuf;
use std::sync::Arc;

use ordain_graph::{Graph, Resource, ResourceRef, json, protected};
use rustc_hash::FxHasher;

use super::model::{Prepared, Ready, RetryPolicy};
use crate::kind::params::{is_of_engine, reveal, scalar_text};
use crate::kind::{AttributeError, Kind, Level, ParseContext};
use crate::run::audit::Audit;
use crate::run::deferred::function_of;
use crate::run::redact::{RedactedInstance, Secrets};
use crate::run::schedule::Schedule;

impl Prepared {
    /// Parses a declared or generated resource.
    ///
    /// # Errors
    /// Everything that is wrong with it.
    pub fn parse(&self, resource: &Resource) -> Result<Ready, Vec<AttributeError>> {
        let Some(secrets) = Secrets::of(resource) else { return self.parse_in_clear(resource) };
        let parsed = self.parse_in_clear(resource);
        let mut ready = parsed.map_err(|errors| {
            errors.into_iter().map(|error| secrets.attribute_error(error)).collect::<Vec<_>>()
        })?;
        ready.instance = Box::new(RedactedInstance::new(ready.instance, secrets));
        Ok(ready)
    }

    /// Parses a resource; the errors may show its secrets.
    fn parse_in_clear(&self, resource: &Resource) -> Result<Ready, Vec<AttributeError>> {
        let Some(kind) = self.registry.get(&resource.id.kind) else {
            let name = resource.id.kind.to_lowercase();
            let message = format!("this machine's engine does not know kind {name} yet");
            return Err(vec![AttributeError::of_resource(message)]);
        };
        let resource = &*with_name_attribute(resource, kind);
        let mut errors = self.bad_attributes(resource, kind);
        let noop = resource.value("noop").and_then(scalar_text);
        let level = level(resource).unwrap_or_else(|error| {
            errors.push(error);
            Level::Notice
        });
        let find = |name: &ResourceRef| self.graph.find(name).map(|id| self.graph.resource(id));
        let files = || Arc::clone(self.files.get_or_init(|| Arc::new(declared_files(&self.graph))));
        let resolve_source = &*self.resolve_source;
        let of_kind = |name: &str| {
            let is_one = |r: &Resource| !r.is_virtual && r.id.kind.eq_ignore_ascii_case(name);
            self.graph.resources().map(|(_, r)| r).filter(|r| is_one(r)).collect()
        };
        let context = ParseContext {
            resolve_source,
            find: &find,
            files: &files,
            of_kind: &of_kind,
            registry: &self.registry,
            served: &self.graph.served,
            graph: &self.graph,
            graph_number: self.serial,
            without_deferred: &|resource| self.without_deferred(resource),
        };
        match kind.parse(resource, &context) {
            Ok(instance) if errors.is_empty() => {
                let noop = noop.map_or(self.options.noop, |n| n == "true");
                let (retry_policy, digest) = (RetryPolicy::of(resource), digest(resource));
                let schedule = self.schedule(resource).map_err(|error| vec![error])?;
                let audit = Audit::of(resource);
                let is_deferred = false;
                Ok(Ready {
                    instance,
                    noop,
                    level,
                    retry_policy,
                    digest,
                    schedule,
                    audit,
                    is_deferred,
                })
            }
            Ok(_) => Err(errors),
            Err(more) => {
                // A value that is not there fails the checks of values, too.
                let is_new = |e: &AttributeError| errors.iter().all(|o| o.attribute != e.attribute);
                let more: Vec<AttributeError> = more.into_iter().filter(is_new).collect();
                errors.extend(more);
                Err(errors)
            }
        }
    }

    /// The schedule that a resource names.
    fn schedule(&self, resource: &Resource) -> Result<Option<Schedule>, AttributeError> {
        let Some(name) = resource.value("schedule").and_then(|v| scalar_text(reveal(v).0)) else {
            return Ok(None);
        };
        let reference = ResourceRef { kind: "Schedule".into(), title: name.as_str().into() };
        let wrong = |message| AttributeError::new("schedule", message);
        if let Some(declared) = self.graph.find(&reference) {
            let parsed = Schedule::parse(self.graph.resource(declared));
            let first = |errors: Vec<AttributeError>| errors.into_iter().next();
            return parsed.map(Some).map_err(|errors| {
                let why = first(errors).map(|error| error.message).unwrap_or_default();
                wrong(format!("schedule {name}: {why}"))
            });
        }
        let built_in = Schedule::built_in(&name);
        built_in.map(Some).ok_or_else(|| wrong(format!("Could not find schedule {name}")))
    }

    fn bad_attributes(&self, resource: &Resource, kind: &dyn Kind) -> Vec<AttributeError> {
        let known = |name: &str| {
            is_of_engine(name) || kind.schema().is_open || kind.schema().attribute(name).is_some()
        };
        let mut errors = Vec::new();
        for attribute in &resource.attributes {
            let name = attribute.name.as_str();
            let error = if !known(name) {
                format!("no attribute named '{name}'")
            } else if let Some(function) = function_of(&attribute.value) {
                format!("{name} is deferred, and function {function} is not available here")
            } else if json::is_omitted(&attribute.value) {
                format!("the secret {name} was omitted when this was saved")
            } else {
                continue;
            };
            errors.push(AttributeError::new(name, error));
        }
        errors
    }
}

/// Equal for resources of equal attributes.
fn digest(resource: &Resource) -> u64 {
    let mut hasher = FxHasher::default();
    for attribute in &resource.attributes {
        attribute.name.hash(&mut hasher);
        attribute.value.hash(&mut hasher);
    }
    hasher.finish()
}

/// The kinds whose resources are files at their `path`, be it by a file that they generate.
const OF_FILES: [&str; 2] = ["File", "Concat_file"];

/// The paths of all applied files, without a trailing slash.
fn declared_files(graph: &Graph) -> BTreeSet<PathBuf> {
    let is_file = |r: &Resource| OF_FILES.contains(&r.id.kind.as_str()) && !r.is_virtual;
    let files = graph.resources().filter(|(_, r)| is_file(r));
    let path = |r: &Resource| {
        let path = r.value("path").and_then(|v| scalar_text(reveal(v).0));
        let path = path.unwrap_or_else(|| r.id.title.to_string());
        PathBuf::from(protected::normal(&path))
    };
    files.map(|(_, r)| path(r)).collect()
}

/// `name` stands for the name attribute of every kind.
fn with_name_attribute<'r>(resource: &'r Resource, kind: &dyn Kind) -> Cow<'r, Resource> {
    let first = kind.schema().name_attribute();
    let others = kind.schema().attribute("name").is_some();
    if others || resource.value("name").is_none() || resource.value(first).is_some() {
        return Cow::Borrowed(resource);
    }
    let mut resource = resource.clone();
    for attribute in resource.attributes.iter_mut().filter(|a| a.name == "name") {
        attribute.name = first.into();
    }
    Cow::Owned(resource)
}

fn level(resource: &Resource) -> Result<Level, AttributeError> {
    let text = resource.value("loglevel").and_then(|v| scalar_text(reveal(v).0));
    Ok(match text.as_deref() {
        None | Some("notice") => Level::Notice,
        Some("debug" | "verbose") => Level::Debug,
        Some("info") => Level::Info,
        Some("warning") => Level::Warning,
        Some("err") => Level::Error,
        Some("alert") => Level::Alert,
        Some("emerg") => Level::Emergency,
        Some("crit") => Level::Critical,
        Some(other) => {
            let message = format!("Invalid loglevel {other}");
            return Err(AttributeError::new("loglevel", message));
        }
    })
}
