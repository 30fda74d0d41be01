//! Exports the resources of a model, as `inmanta export` does.
//!
//! If modules have resource classes in Python, these export all resources. Otherwise the resources
//! of `std` are exported here, without Python.

mod json;
mod references;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use ordain_data::{Map, Value as Data};

use crate::diagnostics::{Class, Error, Exception};
use crate::eval::Net;
use crate::model::plugin::{Context, Stop};
use crate::model::resource::{self, Export, Id, Kind, Resource, STD_KINDS};
use crate::python::Python;
use crate::value::{InstanceId, Names, Value};

use references::Collector;

/// The resources of a model that has run.
///
/// # Errors
/// If an id is invalid or occurs twice, or resources require each other in a cycle.
pub fn export(net: &mut Net<'_>, python: Option<&Python>) -> Result<Export, Box<Error>> {
    let instances: Vec<InstanceId> = net.instances().collect();
    let exported = match python.filter(|python| python.is_used()) {
        Some(python) => python.export(net, &instances),
        None => native(net, &instances),
    };
    let exported = exported.map_err(|stop| failed(&stop))?;
    check_sets(net, &exported).map_err(|stop| failed(&stop))?;
    Ok(exported)
}

/// Checks that no resource is part of several resource sets.
fn check_sets(net: &mut Net<'_>, exported: &Export) -> Result<(), Stop> {
    let sets: Vec<InstanceId> =
        net.instances().filter(|id| net.entity_name(*id) == "std::ResourceSet").collect();
    if sets.is_empty() {
        return Ok(());
    }
    let ids: HashMap<InstanceId, &Id> = exported
        .resources
        .iter()
        .filter_map(|resource| Some((resource.instance?, &*resource.id)))
        .collect();
    let mut of: HashMap<&Id, String> = HashMap::new();
    for set in sets {
        let name = net.attribute(set, "name")?.text(net);
        let Value::List(items) = attribute(net, set, "resources")? else { continue };
        for item in items.iter() {
            let Value::Instance(instance) = item else { continue };
            let Some(id) = ids.get(instance) else { continue };
            match of.get(id) {
                Some(other) if *other != name => {
                    let id = id.without_version();
                    let text = format!(
                        "resource '{id}' can not be part of multiple ResourceSets: {other} and {name}"
                    );
                    return Err(Stop::Error(Error::new(Class::Compiler, text)));
                }
                Some(_) => {}
                None => {
                    of.insert(id, name.clone());
                }
            }
        }
    }
    Ok(())
}

fn failed(stop: &Stop) -> Box<Error> {
    match stop {
        Stop::Error(error) => error.clone(),
        Stop::Raised { class, text } => Error::python(class, text.clone()),
        Stop::Explicit { message, .. } => Error::new(Class::Python, message.clone()),
        Stop::Unset(_) => Error::new(Class::Unset, "the model is not complete"),
        Stop::Unknown(_) => Error::new(Class::Python, "a value is not known yet"),
    }
}

fn native(context: &mut dyn Context, instances: &[InstanceId]) -> Result<Export, Stop> {
    let mut exported = Export::default();
    let mut seen = HashSet::new();
    for kind in STD_KINDS.iter().filter(|kind| !kind.fields.is_empty()) {
        for &instance in instances {
            if context.is_instance(instance, kind.entity) != Some(true) {
                continue;
            }
            let id = match resource::of_kind(context, kind, instance) {
                Ok(id) => id,
                Err(Stop::Unknown(_)) => {
                    exported.skipped.push(Value::Instance(instance).repr(context));
                    continue;
                }
                Err(stop) => return Err(stop),
            };
            let managed = attribute(context, instance, "managed")?;
            if matches!(managed, Value::Bool(false)) {
                continue;
            }
            let id = Arc::new(id);
            if !seen.insert(id.clone()) {
                let id = id.without_version();
                let text =
                    format!("Resource {id} exists more than once in the configuration model");
                return Err(Stop::raised(Exception::Resource, text));
            }
            let fields = fields(context, kind, &id, instance)?;
            let requires = Vec::new();
            exported.resources.push(Resource { id, instance: Some(instance), fields, requires });
        }
    }
    add_requires(context, &mut exported)?;
    Ok(exported)
}

/// The value of an attribute, which may be unknown.
fn attribute(context: &mut dyn Context, instance: InstanceId, name: &str) -> Result<Value, Stop> {
    match context.attribute(instance, name) {
        Err(Stop::Unknown(value)) => Ok(value),
        other => other,
    }
}

fn fields(
    context: &mut dyn Context,
    kind: &Kind,
    id: &Id,
    instance: InstanceId,
) -> Result<Map, Stop> {
    let mut collector = Collector::default();
    let mut places = Vec::new();
    let mut out = Map::default();
    for &field in kind.fields {
        let value = match field {
            "references" | "mutators" => {
                out.insert(Data::str(field), Data::Null);
                continue;
            }
            _ => attribute(context, instance, field)?,
        };
        out.insert(Data::str(field), collector.separated(&value, field, &mut places)?);
    }
    out.insert(Data::str("mutators"), references::mutators(&id.without_version(), &places));
    out.insert(Data::str("references"), collector.models());
    Ok(out)
}

/// Adds the requirements of each resource, and checks that there is no cycle. Resources whose
/// requirements are not known yet are left out.
fn add_requires(context: &mut dyn Context, exported: &mut Export) -> Result<(), Stop> {
    let ids: HashMap<InstanceId, (String, Arc<Id>)> = exported
        .resources
        .iter()
        .filter_map(|resource| {
            Some((resource.instance?, (resource.id.without_version(), resource.id.clone())))
        })
        .collect();
    for mut resource in std::mem::take(&mut exported.resources) {
        let Some(instance) = resource.instance else { continue };
        let Value::List(needed) = attribute(context, instance, "requires")? else { continue };
        let required = |item: &Value| match item {
            Value::Instance(instance) => ids.get(instance),
            _ => None,
        };
        let found: BTreeMap<&String, &Arc<Id>> =
            needed.iter().filter_map(required).map(|(text, id)| (text, id)).collect();
        if found.is_empty() && !needed.is_empty() {
            let shown = Value::List(needed.clone()).repr(context);
            exported.warnings.push(format!(
                "The resource {} had requirements before flattening, but not after flattening. \
                 Initial set was {shown}. Perhaps provides relation is not wired through correctly?",
                resource.id.without_version()
            ));
        }
        resource.requires = found.into_values().cloned().collect();
        exported.resources.push(resource);
    }
    match cycle(&exported.resources) {
        Some(members) => {
            let names: Vec<String> = members.into_iter().map(Id::without_version).collect();
            let text = format!("Cycle in dependencies: [{}]", names.join(", "));
            Err(Stop::raised(Exception::DependencyCycle, text))
        }
        None => Ok(()),
    }
}

/// The ids of the resources of a cycle, if there is one.
fn cycle(resources: &[Resource]) -> Option<Vec<&Id>> {
    #[derive(Clone, Copy, PartialEq)]
    enum State {
        New,
        OnPath,
        Done,
    }
    let positions: HashMap<&Id, usize> =
        resources.iter().enumerate().map(|(at, resource)| (&*resource.id, at)).collect();
    let mut states = vec![State::New; resources.len()];
    for start in 0..resources.len() {
        if states[start] != State::New {
            continue;
        }
        let mut path = vec![(start, 0)];
        states[start] = State::OnPath;
        while let Some((node, next)) = path.last_mut() {
            let Some(required) = resources[*node].requires.get(*next) else {
                states[*node] = State::Done;
                path.pop();
                continue;
            };
            *next += 1;
            let Some(&other) = positions.get(&**required) else { continue };
            match states[other] {
                State::New => {
                    states[other] = State::OnPath;
                    path.push((other, 0));
                }
                State::OnPath => {
                    let from = path.iter().position(|&(node, _)| node == other).unwrap_or(0);
                    return Some(
                        path[from..].iter().map(|&(node, _)| &*resources[node].id).collect(),
                    );
                }
                State::Done => {}
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(value: &str) -> Arc<Id> {
        let [entity, agent, attribute] = ["m::R", "agent", "name"].map(str::to_owned);
        Arc::new(Id { entity, agent, attribute, value: value.to_owned() })
    }

    fn resource(value: &str, requires: &[&str]) -> Resource {
        let requires = requires.iter().map(|value| id(value)).collect();
        Resource { id: id(value), instance: None, fields: Map::default(), requires }
    }

    #[test]
    fn cycles_are_found() {
        let found = |list: &[(&str, &[&str])]| -> Option<Vec<String>> {
            let all: Vec<_> = list.iter().map(|(value, needed)| resource(value, needed)).collect();
            cycle(&all).map(|ids| ids.into_iter().map(|id| id.value.clone()).collect())
        };
        assert_eq!(found(&[("a", &["b"]), ("b", &["c", "x"]), ("c", &[])]), None);
        let names = ["b", "c"].map(str::to_owned).to_vec();
        assert_eq!(found(&[("a", &["b"]), ("b", &["c"]), ("c", &["b"])]), Some(names));
    }

    #[test]
    fn text_is_that_of_python() {
        let fields = r#"{"a": [1, 1.0, null, true, 1180591620717411303424], "b": "\u00e9</x>"}"#;
        let read = ordain_data::json::read(fields);
        let Ok(Data::Map(fields)) = &read else { panic!("it is a map: {read:?}") };
        let mut resource = resource("é", &["a"]);
        resource.fields = (**fields).clone();
        let export = Export { resources: vec![resource], ..Export::default() };
        let wanted = concat!(
            r#"[{"a": [1, 1.0, null, true, 1180591620717411303424], "b": "\u00e9<\/x>", "#,
            r#""requires": ["m::R[agent,name=a]"], "id": "m::R[agent,name=\u00e9],v=0"}]"#
        );
        assert_eq!(export.text(), wanted);
    }
}
