//! Kinds that other programs implement: any executable with a manifest, such as the resources of
//! Microsoft DSC 3 and custom scripts.
//!
//! A program is called with the properties as JSON and answers with the state as JSON. Differences
//! come from the program's own test, or else from a comparison of the state with the properties.

mod call;
mod manifest;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use ordain_data::Value;
use ordain_functions::text::capitalize;
use ordain_graph::Resource;
use ordain_kinds::{AttributeSchema, AttributeType, KindSchema};
use serde_json::{Map, Value as Json};

use crate::kind::Registry;
use crate::kind::attributes::is_of_engine;
use crate::kind::attributes::reveal;
use crate::kind::differences::Differences;
use crate::kind::params::Params;
use crate::kind::tools::is_live;
use crate::kind::{AttributeError, Change, Instance, Kind, KindError, ParseContext};
use crate::kinds::shared::instances::unwanted;
use crate::system::host::Host;
use crate::system::watch::Watch;
use call::Verb;
pub use manifest::ManifestError;
use manifest::{Manifest, Returns};

/// The property for the existence of the resource, in both directions.
const EXIST: &str = "_exist";

/// The property by which `test` reports that everything is in the desired state.
const IN_DESIRED_STATE: &str = "_inDesiredState";

/// The interval of checks without paths to watch.
const POLL_INTERVAL: Duration = Duration::from_secs(60);

/// An external kind as front ends see it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ExternalType {
    /// Its name, such as `owner::name`.
    pub name: String,
    /// The attribute that defaults to the title.
    pub namevar: String,
    /// The attributes; `None` if it accepts any.
    pub attributes: Option<Vec<String>>,
}

/// A kind by its manifest.
#[derive(Debug)]
pub struct External {
    manifest: Arc<Manifest>,
    schema: KindSchema,
}

/// Makes a name live as long as the process: there are only as many as there are manifests.
fn leak(text: &str) -> &'static str {
    Box::leak(text.to_string().into_boxed_str())
}

impl External {
    fn new(manifest: Manifest) -> Self {
        let properties = manifest.properties();
        let namevar = manifest.ordain.name.as_deref().unwrap_or("name");
        let any =
            |name: &str, doc: &str| AttributeSchema::new(leak(name), AttributeType::Any, leak(doc));
        let mut attributes = vec![any(namevar, "Its name")];
        let others = properties.iter().flatten().filter(|(name, _)| name != namevar);
        attributes.extend(others.map(|(name, doc)| any(name, doc)));
        if !attributes.iter().any(|attribute| attribute.name == "ensure") {
            let doc = "present (default) or absent, where the program can remove it";
            attributes.push(any("ensure", doc));
        }
        Self {
            schema: KindSchema {
                is_open: properties.is_none(),
                ..KindSchema::new(
                    leak(&manifest.kind()),
                    leak(&manifest.description),
                    Vec::leak(attributes),
                )
            },
            manifest: Arc::new(manifest),
        }
    }

    /// The kind as front ends see it.
    pub fn described(&self) -> ExternalType {
        let names = || self.schema.attributes.iter().map(|a| a.name.to_string()).collect();
        ExternalType {
            name: self.schema.name.to_string(),
            namevar: self.schema.name_attribute().to_string(),
            attributes: (!self.schema.is_open).then(names),
        }
    }

    /// Whether the program has a property of this name.
    fn has_property(&self, name: &str) -> bool {
        let properties = self.manifest.properties();
        properties.is_none_or(|known| known.iter().any(|(known, _)| known == name))
    }
}

/// The kinds of all manifests of a directory.
///
/// # Errors
/// When the directory or a manifest in it cannot be read.
pub fn read(dir: &Path) -> Result<Vec<External>, ManifestError> {
    Ok(manifest::read_all(dir)?.into_iter().map(External::new).collect())
}

/// Adds the kinds of all manifests of a directory.
///
/// # Errors
/// As of [`read`].
pub fn register(registry: &mut Registry, dir: &Path) -> Result<(), ManifestError> {
    for kind in read(dir)? {
        registry.add(Box::new(kind));
    }
    Ok(())
}

/// The properties that a program reports.
type State = Map<String, Json>;

struct ExternalInstance {
    manifest: Arc<Manifest>,
    wanted: Map<String, Json>,
    /// Whether it should exist.
    present: bool,
    secrets: Vec<String>,
}

impl Kind for External {
    fn schema(&self) -> &KindSchema {
        &self.schema
    }

    fn parse(
        &self,
        resource: &Resource,
        _: &ParseContext<'_>,
    ) -> Result<Box<dyn Instance>, Vec<AttributeError>> {
        let mut p = Params::new(resource);
        let own_ensure = self.manifest.properties().is_some() && self.has_property("ensure");
        let absent = !own_ensure && p.one_of("ensure", &["present", "absent"]) == Some("absent");
        if absent && !call::can_remove(&self.manifest) {
            p.error("ensure", format!("{} cannot remove resources", self.manifest.name));
        }
        let mut wanted = Map::new();
        let namevar = self.schema.name_attribute();
        if self.has_property(namevar)
            && (!self.schema.is_open || self.manifest.ordain.name.is_some())
        {
            wanted.insert(namevar.to_string(), resource.id.title.as_str().into());
        }
        for attribute in &resource.attributes {
            let name = attribute.name.as_str();
            let is_own = own_ensure || name != "ensure";
            if !is_own || is_of_engine(name) || attribute.value.is_null() {
                continue;
            }
            match json(reveal(&attribute.value).0) {
                Some(value) => drop(wanted.insert(name.to_string(), value)),
                None => p.error(name, "cannot be written as JSON"),
            }
        }
        if absent {
            wanted.insert(EXIST.to_string(), false.into());
        }
        let secrets = p.secrets();
        let manifest = Arc::clone(&self.manifest);
        let instance = ExternalInstance { manifest, wanted, present: !absent, secrets };
        p.finish(Box::new(instance) as Box<dyn Instance>)
    }

    fn has_instances(&self) -> bool {
        self.manifest.export.is_some() && call::can_remove(&self.manifest)
    }

    fn instances(&self, host: &Host) -> Result<Vec<Resource>, KindError> {
        let Some(command) = &self.manifest.export else { return Ok(Vec::new()) };
        let documents = call::run(&self.manifest, command, Verb::Export, &Map::new(), host)?;
        let namevar = self.schema.name_attribute();
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
            let parts: Vec<String> = self.schema.name.split("::").map(capitalize).collect();
            let kind = parts.join("::");
            out.push(unwanted(&kind, &title, &values));
        }
        Ok(out)
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
            let entry = |(key, value): (&Value, &Value)| {
                Some((crate::kind::attributes::scalar_text(key)?, json(value)?))
            };
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

impl ExternalInstance {
    /// The state from the program, with the differences if it reports them.
    fn state(&self, host: &Host) -> Result<(State, Option<Vec<String>>), KindError> {
        let (command, verb) = match (&self.manifest.test, &self.manifest.get) {
            (Some(test), _) => (test, Verb::Test),
            (None, Some(get)) => (get, Verb::Get),
            (None, None) => return Err(KindError::new("the manifest has neither get nor test")),
        };
        let mut documents =
            call::run(&self.manifest, command, verb, &self.wanted, host)?.into_iter();
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

    fn compare_properties(
        &self,
        state: &Map<String, Json>,
        differs: Option<&[String]>,
        to: &mut Differences<'_>,
    ) {
        for (name, wanted) in self.wanted.iter().filter(|(name, _)| !name.starts_with('_')) {
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
}

impl Instance for ExternalInstance {
    fn watches(&self, _: &Host) -> Vec<Watch> {
        self.manifest.ordain.watch.iter().cloned().map(Watch::Path).collect()
    }

    fn pause(&self, _: &Host) -> Option<Duration> {
        let own = &self.manifest.ordain;
        let told = own.pause.map(|seconds| Duration::from_secs(seconds.max(1)));
        told.or_else(|| own.watch.is_empty().then_some(POLL_INTERVAL))
    }

    fn compare(&self, host: &Host) -> Result<Vec<Change>, KindError> {
        if !is_live(host) {
            let text = "external kinds act on the running system, not on a directory";
            return Err(KindError::new(text));
        }
        let (state, differs) = self.state(host)?;
        let exists = state.get(EXIST).and_then(Json::as_bool).unwrap_or(true);
        let mut to = Differences::new(&self.secrets);
        match (exists, self.present) {
            (false, true) => to.create("absent", Value::str("present")),
            (true, false) => to.remove(Value::str("present"), "absent", "removed"),
            (false, false) => {}
            (true, true) => {
                let told = state.get(IN_DESIRED_STATE).and_then(Json::as_bool);
                if told == Some(true) {
                    return Ok(Vec::new());
                }
                self.compare_properties(&state, differs.as_deref(), &mut to);
                let changes = to.finish();
                if told == Some(false) && changes.is_empty() {
                    let mut to = Differences::new(&self.secrets);
                    to.property("state", Value::str("other"), Value::str("desired"));
                    return Ok(to.finish());
                }
                return Ok(changes);
            }
        }
        Ok(to.finish())
    }

    fn apply(&self, host: &Host, _: &[Change]) -> Result<(), KindError> {
        let command = match (&self.manifest.set, &self.manifest.delete) {
            (Some(set), _) if self.present || set.handles_exist => (set, Verb::Set),
            (_, Some(delete)) if !self.present => (delete, Verb::Delete),
            _ => {
                let text = format!("{} cannot change resources", self.manifest.name);
                return Err(KindError::new(text));
            }
        };
        call::run(&self.manifest, command.0, command.1, &self.wanted, host).map(drop)
    }
}
