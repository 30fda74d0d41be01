//! Programs with a manifest: resources of Microsoft DSC 3 and custom scripts.
//!
//! A program is called with the properties as JSON and answers with the state as JSON. Differences
//! come from the program's own test, or else from a comparison of the state with the properties.

mod call;
mod document;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use ordain_data::Value;
use ordain_functions::text::capitalize;
use ordain_graph::Resource;
use serde_json::{Map, Value as Json};

use super::kind::ExternalKind;
use super::provider::{
    Applied, Call, ExternalProvider, KindDescription, Observation, PrepareRequest,
    PreparedResource, ResourceNumber, SharedProvider,
};
use crate::kind::differences::Differences;
use crate::kind::params::Params;
use crate::kind::params::{is_of_engine, reveal, scalar_text};
use crate::kind::{AttributeError, Change, KindError};
use crate::kinds::shared::instances::unwanted;
use crate::system::host::Host;
use call::Verb;
pub use document::ManifestError;
use document::{Manifest, Returns};

/// The property for the existence of the resource, in both directions.
const EXIST: &str = "_exist";

/// The property by which `test` reports that everything is in the desired state.
const IN_DESIRED_STATE: &str = "_inDesiredState";

/// The kinds of all manifests of a directory.
///
/// # Errors
/// When the directory or a manifest in it cannot be read.
pub fn read(dir: &Path) -> Result<Vec<ExternalKind>, ManifestError> {
    Ok(document::read_all(dir)?.into_iter().flat_map(kinds).collect())
}

/// The kind of a manifest.
fn kinds(manifest: Manifest) -> Vec<ExternalKind> {
    let description = describe(&manifest);
    let name_attribute = description.name_attribute.clone();
    let is_open = description.is_open;
    let resources = Mutex::default();
    let provider = ManifestProvider { manifest, name_attribute, is_open, resources };
    let provider: SharedProvider = Arc::new(provider);
    ExternalKind::all(&provider, [description])
}

fn describe(manifest: &Manifest) -> KindDescription {
    let properties = manifest.properties();
    let name_attribute = manifest.ordain.name.clone().unwrap_or_else(|| "name".into());
    let others = properties.iter().flatten().filter(|(name, _)| *name != name_attribute);
    let mut attributes: Vec<(String, String)> = others.cloned().collect();
    let has_ensure = attributes.iter().any(|(name, _)| name == "ensure");
    if !has_ensure && name_attribute != "ensure" {
        let doc = "present (default) or absent, where the program can remove it";
        attributes.push(("ensure".into(), doc.into()));
    }
    KindDescription {
        name: manifest.kind(),
        doc: manifest.description.clone(),
        name_attribute,
        attributes,
        is_open: properties.is_none(),
        has_instances: manifest.export.is_some() && call::can_remove(manifest),
        providers: None,
        fault: None,
    }
}

/// Calls the programs of a manifest.
struct ManifestProvider {
    manifest: Manifest,
    name_attribute: String,
    is_open: bool,
    resources: Mutex<BTreeMap<ResourceNumber, Arc<DesiredState>>>,
}

/// The properties that a program reports.
type State = Map<String, Json>;

/// The desired state of a resource.
struct DesiredState {
    properties: Map<String, Json>,
    /// Whether it should exist.
    present: bool,
    secrets: Vec<String>,
}

impl ManifestProvider {
    /// Whether the program has a property of this name.
    fn has_property(&self, name: &str) -> bool {
        let properties = self.manifest.properties();
        properties.is_none_or(|known| known.iter().any(|(known, _)| known == name))
    }

    fn parse(&self, resource: &Resource) -> Result<DesiredState, Vec<AttributeError>> {
        let mut p = Params::new(resource);
        let own_ensure = self.manifest.properties().is_some() && self.has_property("ensure");
        let absent = !own_ensure && p.one_of("ensure", &["present", "absent"]) == Some("absent");
        if absent && !call::can_remove(&self.manifest) {
            p.error("ensure", format!("{} cannot remove resources", self.manifest.name));
        }
        let mut properties = Map::new();
        let namevar = self.name_attribute.as_str();
        if self.has_property(namevar) && (!self.is_open || self.manifest.ordain.name.is_some()) {
            properties.insert(namevar.to_string(), resource.id.title.as_str().into());
        }
        for attribute in &resource.attributes {
            let name = attribute.name.as_str();
            let is_own = own_ensure || name != "ensure";
            if !is_own || is_of_engine(name) || attribute.value.is_null() {
                continue;
            }
            match json(reveal(&attribute.value).0) {
                Some(value) => drop(properties.insert(name.to_string(), value)),
                None => p.error(name, "cannot be written as JSON"),
            }
        }
        if absent {
            properties.insert(EXIST.to_string(), false.into());
        }
        let secrets = p.secrets();
        p.finish(DesiredState { properties, present: !absent, secrets })
    }

    fn wanted(&self, number: ResourceNumber) -> Result<Arc<DesiredState>, KindError> {
        let resources = self.resources.lock().unwrap_or_else(PoisonError::into_inner);
        resources
            .get(&number)
            .cloned()
            .ok_or_else(|| KindError::new("the resource is not prepared"))
    }

    fn compare(&self, number: ResourceNumber, host: &Host) -> Result<Vec<Change>, KindError> {
        let wanted = self.wanted(number)?;
        let (state, differs) = self.state(&wanted, host)?;
        let exists = state.get(EXIST).and_then(Json::as_bool).unwrap_or(true);
        let mut to = Differences::new(&wanted.secrets);
        match (exists, wanted.present) {
            (false, true) => to.create("absent", Value::str("present")),
            (true, false) => to.remove(Value::str("present"), "absent", "removed"),
            (false, false) => {}
            (true, true) => {
                let reported = state.get(IN_DESIRED_STATE).and_then(Json::as_bool);
                if reported == Some(true) {
                    return Ok(Vec::new());
                }
                compare_properties(&wanted, &state, differs.as_deref(), &mut to);
                let changes = to.finish();
                if reported == Some(false) && changes.is_empty() {
                    let mut to = Differences::new(&wanted.secrets);
                    to.property("state", Value::str("other"), Value::str("desired"));
                    return Ok(to.finish());
                }
                return Ok(changes);
            }
        }
        Ok(to.finish())
    }

    /// The state from the program, with the differences if it reports them.
    fn state(
        &self,
        wanted: &DesiredState,
        host: &Host,
    ) -> Result<(State, Option<Vec<String>>), KindError> {
        let (command, verb) = match (&self.manifest.test, &self.manifest.get) {
            (Some(test), _) => (test, Verb::Test),
            (None, Some(get)) => (get, Verb::Get),
            (None, None) => return Err(KindError::new("the manifest has neither get nor test")),
        };
        let documents = call::run(&self.manifest, command, verb, &wanted.properties, host)?;
        let mut documents = documents.into_iter();
        let Some(Json::Object(state)) = documents.next() else {
            return Err(KindError::new(format!("{} printed no state", command.executable)));
        };
        let names = |list: Json| -> Vec<String> {
            let list = list.as_array().cloned().unwrap_or_default();
            list.iter().filter_map(|name| name.as_str().map(str::to_string)).collect()
        };
        let differs = match command.returns {
            Some(Returns::StateAndDiff) => documents.next().map(names),
            _ => None,
        };
        Ok((state, differs))
    }

    fn change(&self, number: ResourceNumber, host: &Host) -> Result<(), KindError> {
        let wanted = self.wanted(number)?;
        let command = match (&self.manifest.set, &self.manifest.delete) {
            (Some(set), _) if wanted.present || set.handles_exist => (set, Verb::Set),
            (_, Some(delete)) if !wanted.present => (delete, Verb::Delete),
            _ => {
                let text = format!("{} cannot change resources", self.manifest.name);
                return Err(KindError::new(text));
            }
        };
        call::run(&self.manifest, command.0, command.1, &wanted.properties, host).map(drop)
    }
}

impl ExternalProvider for ManifestProvider {
    fn prepare(&self, request: &PrepareRequest<'_>) -> Vec<PreparedResource> {
        let mut resources = self.resources.lock().unwrap_or_else(PoisonError::into_inner);
        let own = &self.manifest.ordain;
        let prepare =
            |(number, resource): &(ResourceNumber, Cow<'_, Resource>)| match self.parse(resource) {
                Err(errors) => PreparedResource { errors, ..PreparedResource::default() },
                Ok(wanted) => {
                    resources.insert(*number, Arc::new(wanted));
                    PreparedResource {
                        watches: own.watch.clone(),
                        poll_interval: own.pause.map(|seconds| Duration::from_secs(seconds.max(1))),
                        ..PreparedResource::default()
                    }
                }
            };
        request.resources.iter().map(prepare).collect()
    }

    fn forget(&self, numbers: &[ResourceNumber], _graphs: &[u64]) {
        let mut resources = self.resources.lock().unwrap_or_else(PoisonError::into_inner);
        numbers.iter().for_each(|number| drop(resources.remove(number)));
    }

    fn observe(&self, of: &[ResourceNumber], call: &Call<'_>) -> Vec<Observation> {
        let observe = |number: &ResourceNumber| Observation {
            changes: self.compare(*number, call.host),
            log: Vec::new(),
        };
        of.iter().map(observe).collect()
    }

    fn apply(&self, of: ResourceNumber, _changes: &[Change], call: &Call<'_>) -> Applied {
        let result = self.change(of, call.host);
        Applied { outcomes: Vec::new(), log: Vec::new(), result }
    }

    fn instances(&self, kind: &str, call: &Call<'_>) -> Result<Vec<Resource>, KindError> {
        let Some(command) = &self.manifest.export else { return Ok(Vec::new()) };
        let documents = call::run(&self.manifest, command, Verb::Export, &Map::new(), call.host)?;
        let namevar = self.name_attribute.as_str();
        let mut out = Vec::new();
        for state in documents {
            let Json::Object(state) = state else { continue };
            let title = state.get(namevar).map_or_else(
                || Json::Object(state.clone()).to_string(),
                |name| name.as_str().map_or_else(|| name.to_string(), str::to_string),
            );
            let shown = state.iter().filter(|(name, _)| !name.starts_with('_') && *name != namevar);
            let values: Vec<(&str, Value)> =
                shown.map(|(name, state)| (name.as_str(), value(state))).collect();
            let parts: Vec<String> = kind.split("::").map(capitalize).collect();
            out.push(unwanted(&parts.join("::"), &title, &values));
        }
        Ok(out)
    }
}

fn compare_properties(
    wanted: &DesiredState,
    state: &State,
    differs: Option<&[String]>,
    to: &mut Differences<'_>,
) {
    for (name, wanted) in wanted.properties.iter().filter(|(name, _)| !name.starts_with('_')) {
        let now = state.get(name);
        let is_other = match differs {
            Some(differs) => differs.contains(name),
            None => !now.is_some_and(|now| has(now, wanted)),
        };
        if is_other {
            to.property(name, now.map_or(Value::Null, value), value(wanted));
        }
    }
}

/// A value in the JSON form for programs.
fn json(value: &Value) -> Option<Json> {
    Some(match reveal(value).0 {
        Value::Null => Json::Null,
        Value::Bool(flag) => (*flag).into(),
        Value::Int(number) => (*number).into(),
        Value::BigInt(digits) => digits.parse::<serde_json::Number>().ok()?.into(),
        Value::Float(number) => serde_json::Number::from_f64(*number)?.into(),
        Value::Str(text) => text.as_str().into(),
        Value::List(items) => items.iter().map(json).collect::<Option<Vec<_>>>()?.into(),
        Value::Map(entries) => {
            let entry = |(key, value): (&Value, &Value)| Some((scalar_text(key)?, json(value)?));
            entries.iter().map(entry).collect::<Option<Map<_, _>>>()?.into()
        }
        _ => return None,
    })
}

/// A reported value, for messages.
fn value(json: &Json) -> Value {
    match json {
        Json::Null => Value::Null,
        Json::Bool(flag) => Value::Bool(*flag),
        Json::Number(number) => number
            .as_i64()
            .map_or_else(|| Value::Float(number.as_f64().unwrap_or_default()), Value::Int),
        Json::String(text) => Value::str(text.as_str()),
        Json::Array(items) => Value::list(items.iter().map(value)),
        Json::Object(_) => Value::str(json.to_string()),
    }
}

/// Whether a state contains everything wanted: objects need the wanted members, all else must be
/// equal.
fn has(state: &Json, wanted: &Json) -> bool {
    match (state, wanted) {
        (Json::Object(state), Json::Object(wanted)) => {
            wanted.iter().all(|(name, wanted)| state.get(name).is_some_and(|s| has(s, wanted)))
        }
        (Json::Number(a), Json::Number(b)) => a.as_f64() == b.as_f64(),
        _ => state == wanted,
    }
}
