//! The resources of a model, as `inmanta export` writes them.
//!
//! Where modules bring resource classes in Python, these export all resources; else those of `std`
//! are exported here, and no Python is started.

mod id;
mod references;

use std::collections::{BTreeSet, HashMap, HashSet};

use ordain_data::{Map, Value as Data};

use crate::error::{Class, Error};
use crate::eval::Net;
use crate::functions::write_text;
use crate::plugin::{Context, Stop};
use crate::python::{Exported, Python};
use crate::value::{InstanceId, Names, Value, float_text};

pub use id::{Id, identity};
use id::{Kind, STD_KINDS};
use references::Collector;

/// The resources of a model that has run.
///
/// # Errors
/// If one cannot be exported: its id is not valid or there twice, or they need each other in a
/// cycle.
pub fn export(net: &mut Net<'_>, python: Option<&Python>) -> Result<Exported, Box<Error>> {
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
fn check_sets(net: &mut Net<'_>, exported: &Exported) -> Result<(), Stop> {
    let sets: Vec<InstanceId> =
        net.instances().filter(|id| net.entity_name(*id) == "std::ResourceSet").collect();
    if sets.is_empty() {
        return Ok(());
    }
    let ids: HashMap<InstanceId, &str> = exported
        .instances
        .iter()
        .zip(&exported.resources)
        .filter_map(|(instance, resource)| Some(((*instance)?, resource.get("id")?.as_str()?)))
        .collect();
    let mut of: HashMap<&str, String> = HashMap::new();
    for set in sets {
        let name = net.attribute(set, "name")?.text(net);
        let Value::List(items) = attribute(net, set, "resources")? else { continue };
        for item in items.iter() {
            let Value::Instance(instance) = item else { continue };
            let Some(id) = ids.get(instance) else { continue };
            let id = id.strip_suffix(",v=0").unwrap_or(id);
            match of.get(id) {
                Some(other) if *other != name => {
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
        Stop::Raised { class, text } => {
            let mut error = Error::new(Class::Python, text.clone());
            error.python = Some(format!("{class}: {text}"));
            error
        }
        Stop::Explicit { message, .. } => Error::new(Class::Python, message.clone()),
        Stop::Unset(_) => Error::new(Class::Unset, "the model is not complete"),
        Stop::Unknown(_) => Error::new(Class::Python, "a value is not known yet"),
    }
}

/// A resource before its requirements are known.
struct Made {
    id: Id,
    instance: InstanceId,
    fields: Map,
}

fn native(context: &mut dyn Context, instances: &[InstanceId]) -> Result<Exported, Stop> {
    let mut exported = Exported::default();
    let mut all = Vec::new();
    let mut seen = HashSet::new();
    for kind in STD_KINDS.iter().filter(|kind| !kind.fields.is_empty()) {
        for &instance in instances {
            if context.is_instance(instance, kind.entity) != Some(true) {
                continue;
            }
            let id = match id::of_kind(context, kind, instance) {
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
            if !seen.insert(id.clone()) {
                let id = id.without_version();
                let text =
                    format!("Resource {id} exists more than once in the configuration model");
                return Err(Stop::raised("inmanta.resources.ResourceException", text));
            }
            let fields = fields(context, kind, &id, instance)?;
            all.push(Made { id, instance, fields });
        }
    }
    finish(context, all, &mut exported)?;
    Ok(exported)
}

/// An attribute, known or not.
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

/// Adds requirements and ids, and checks that there is no cycle.
fn finish(context: &mut dyn Context, all: Vec<Made>, exported: &mut Exported) -> Result<(), Stop> {
    let ids: HashMap<InstanceId, String> =
        all.iter().map(|made| (made.instance, made.id.without_version())).collect();
    let mut edges: Vec<(String, Vec<String>)> = Vec::new();
    for mut made in all {
        let needed = match attribute(context, made.instance, "requires")? {
            Value::List(items) => items,
            _ => continue,
        };
        let found: BTreeSet<&String> = needed
            .iter()
            .filter_map(|item| match item {
                Value::Instance(instance) => ids.get(instance),
                _ => None,
            })
            .collect();
        if found.is_empty() && !needed.is_empty() {
            let shown = Value::List(needed.clone()).repr(context);
            exported.warnings.push(format!(
                "The resource {} had requirements before flattening, but not after flattening. \
                 Initial set was {shown}. Perhaps provides relation is not wired through correctly?",
                made.id.without_version()
            ));
        }
        let found: Vec<String> = found.into_iter().cloned().collect();
        let requires = Data::list(found.iter().map(|id| Data::str(id.as_str())));
        made.fields.insert(Data::str("requires"), requires);
        made.fields.insert(Data::str("id"), Data::str(made.id.to_string()));
        edges.push((made.id.without_version(), found));
        exported.resources.push(Data::Map(made.fields.into()));
        exported.instances.push(Some(made.instance));
    }
    match cycle(&edges) {
        Some(names) => {
            let text = format!("Cycle in dependencies: [{}]", names.join(", "));
            Err(Stop::raised("inmanta.export.DependencyCycleException", text))
        }
        None => Ok(()),
    }
}

/// The names of a cycle, if there is one.
fn cycle(edges: &[(String, Vec<String>)]) -> Option<Vec<String>> {
    let number: HashMap<&str, usize> =
        edges.iter().enumerate().map(|(at, (name, _))| (name.as_str(), at)).collect();
    // 0 is new, 1 is on the path, 2 is done.
    let mut state = vec![0u8; edges.len()];
    for start in 0..edges.len() {
        if state[start] != 0 {
            continue;
        }
        let mut path = vec![(start, 0)];
        state[start] = 1;
        while let Some((node, next)) = path.last_mut() {
            let Some(name) = edges[*node].1.get(*next) else {
                state[*node] = 2;
                path.pop();
                continue;
            };
            *next += 1;
            let Some(&other) = number.get(name.as_str()) else { continue };
            match state[other] {
                0 => {
                    state[other] = 1;
                    path.push((other, 0));
                }
                1 => {
                    let from = path.iter().position(|&(node, _)| node == other).unwrap_or(0);
                    let names = path[from..].iter().map(|&(node, _)| edges[node].0.clone());
                    return Some(names.collect());
                }
                _ => {}
            }
        }
    }
    None
}

/// The resources as the original writes them: one line, everything beyond ASCII escaped.
pub fn text(resources: &[Data]) -> String {
    let mut out = String::from("[");
    for (index, resource) in resources.iter().enumerate() {
        out.push_str(if index > 0 { ", " } else { "" });
        write(resource, &mut out);
    }
    out.push(']');
    if out.contains("</") { out.replace("</", "<\\/") } else { out }
}

fn write(data: &Data, out: &mut String) {
    match data {
        Data::Null => out.push_str("null"),
        Data::Bool(truth) => out.push_str(if *truth { "true" } else { "false" }),
        Data::Int(number) => out.push_str(&number.to_string()),
        Data::BigInt(digits) => out.push_str(digits),
        Data::Float(number) => out.push_str(&float_text(*number)),
        Data::Str(text) => write_text(text, out),
        Data::List(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                out.push_str(if index > 0 { ", " } else { "" });
                write(item, out);
            }
            out.push(']');
        }
        Data::Map(entries) => {
            out.push('{');
            for (index, (key, item)) in entries.iter().enumerate() {
                out.push_str(if index > 0 { ", " } else { "" });
                write(key, out);
                out.push_str(": ");
                write(item, out);
            }
            out.push('}');
        }
        // An export has neither.
        Data::Secret(inner) => write(inner, out),
        Data::Bytes(bytes) => write_text(&String::from_utf8_lossy(bytes), out),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cycles_are_found() {
        let edges = |list: &[(&str, &[&str])]| -> Vec<(String, Vec<String>)> {
            let names = |all: &[&str]| all.iter().map(|name| (*name).to_owned()).collect();
            list.iter().map(|(name, needed)| ((*name).to_owned(), names(needed))).collect()
        };
        assert_eq!(cycle(&edges(&[("a", &["b"]), ("b", &["c", "x"]), ("c", &[])])), None);
        let found = cycle(&edges(&[("a", &["b"]), ("b", &["c"]), ("c", &["b"])]));
        assert_eq!(found, Some(vec!["b".to_owned(), "c".to_owned()]));
    }

    #[test]
    fn text_is_that_of_python() {
        let wanted = r#"[{"a": [1, 1.0, null, true, 1180591620717411303424], "b": "\u00e9<\/x>"}]"#;
        let resources = ordain_data::json::read(&wanted.replace("\\/", "/")).unwrap();
        assert_eq!(text(resources.as_list().unwrap()), wanted);
    }
}
