//! Reading.

use std::sync::Arc;

use ecow::{EcoString, eco_format};
use ordain_data::Value;
use rustc_hash::FxHashSet;
use serde::Deserialize;
use serde_json::{Map as Object, Value as Json};

use super::relations::RELATIONS;
use super::value::read_rich;
use crate::json::ReadError;
use crate::model::{Attribute, Containment, Edge, Graph, Resource, ResourceId, ResourceRef};
use crate::origin::{Origin, OriginId, Step};
use crate::served::{FileMetadata, ServedFiles, ServedTree};

#[derive(Deserialize)]
struct Catalog {
    #[serde(default)]
    name: String,
    #[serde(default)]
    environment: Option<String>,
    #[serde(default)]
    tags: Vec<String>,
    #[serde(default)]
    classes: Vec<String>,
    resources: Vec<Entry>,
    #[serde(default)]
    edges: Vec<CatalogContainment>,
    code_id: Option<String>,
    #[serde(default)]
    metadata: Object<String, Json>,
    #[serde(default)]
    recursive_metadata: Object<String, Json>,
}

#[derive(Deserialize)]
struct Entry {
    #[serde(rename = "type")]
    kind: String,
    title: String,
    #[serde(default)]
    tags: Vec<String>,
    file: Option<String>,
    line: Option<u32>,
    #[serde(default)]
    exported: bool,
    #[serde(rename = "kind")]
    nature: Option<String>,
    #[serde(default)]
    parameters: Object<String, Json>,
    #[serde(default)]
    sensitive_parameters: Vec<String>,
}

#[derive(Deserialize)]
struct CatalogContainment {
    source: String,
    target: String,
}

/// Reads a catalog, possibly inside `{"data": …}` or `{"catalog": …}`.
///
/// # Errors
/// When the text is no catalog, or refers to a missing resource.
pub fn read(text: &[u8]) -> Result<Graph, ReadError> {
    let mut json: Json = serde_json::from_slice(text)?;
    for wrapper in ["data", "catalog"] {
        if let Some(inner) = json.get_mut(wrapper).filter(|j| j.get("resources").is_some()) {
            json = inner.take();
        }
    }
    let catalog: Catalog = serde_json::from_value(json)?;
    let mut graph = Graph::default();
    graph.name = catalog.name.into();
    graph.environment = catalog.environment.unwrap_or_default().into();
    graph.classes = catalog.classes.into_iter().map(EcoString::from).collect();
    graph.tags = catalog.tags.into_iter().map(EcoString::from).collect();
    graph.served = ServedFiles {
        code_id: catalog.code_id.map(EcoString::from),
        single: catalog.metadata.into_iter().map(file).collect::<Result<_, _>>()?,
        recursive: catalog.recursive_metadata.into_iter().map(trees).collect::<Result<_, _>>()?,
    };
    let containers: FxHashSet<&str> = catalog.edges.iter().map(|e| e.source.as_str()).collect();
    for entry in catalog.resources {
        add(&mut graph, entry, &containers);
    }
    for edge in &catalog.edges {
        let pair = (lookup(&graph, &edge.source)?, lookup(&graph, &edge.target)?);
        graph.containment.push(pair);
    }
    add_relations(&mut graph)?;
    Ok(graph)
}

fn file((title, json): (String, Json)) -> Result<(EcoString, FileMetadata), serde_json::Error> {
    Ok((title.into(), serde_json::from_value(json)?))
}

fn trees((title, json): (String, Json)) -> Result<(EcoString, Vec<ServedTree>), serde_json::Error> {
    let sources: Object<String, Json> = serde_json::from_value(json)?;
    let tree = |(source, json): (String, Json)| Ok((source.into(), serde_json::from_value(json)?));
    Ok((title.into(), sources.into_iter().map(tree).collect::<Result<_, _>>()?))
}

fn add(graph: &mut Graph, entry: Entry, containers: &FxHashSet<&str>) {
    let id = ResourceRef { kind: entry.kind.into(), title: entry.title.into() };
    let containment = match (entry.nature.as_deref(), id.kind.as_str()) {
        (Some("class"), _) => Containment::ClassResource,
        (_, "Class" | "Stage" | "Node") => Containment::Class,
        (Some("defined_type"), _) => Containment::Define,
        (Some(_), _) => Containment::Leaf,
        (None, _) if containers.contains(id.to_string().as_str()) => Containment::Define,
        (None, _) => Containment::Leaf,
    };
    let origin = origin(graph, entry.file, entry.line);
    let attributes = entry.parameters.iter().map(|(name, json)| {
        let value = read_rich(json);
        let secret = entry.sensitive_parameters.contains(name);
        let value = if secret { Value::Secret(Arc::new(value)) } else { value };
        Attribute { name: name.into(), value, origin, losers: Vec::new() }
    });
    let resource = Resource {
        containment,
        attributes: attributes.collect(),
        tags: entry.tags.into_iter().map(EcoString::from).collect(),
        exported: entry.exported,
        is_virtual: false,
        origin,
        id,
    };
    let names = aliases(&resource);
    let kind = resource.id.kind.clone();
    let id = graph.add(resource);
    for title in names {
        graph.add_alias(ResourceRef { kind: kind.clone(), title }, id);
    }
}

fn aliases(resource: &Resource) -> Vec<EcoString> {
    let name = if resource.id.kind == "File" { "path" } else { "name" };
    let mut names: Vec<EcoString> = Vec::new();
    for value in [name, "alias"].into_iter().filter_map(|n| resource.value(n)) {
        match value {
            Value::Str(s) => names.push(s.clone()),
            Value::List(items) => {
                names.extend(items.iter().filter_map(Value::as_str).map(EcoString::from));
            }
            _ => {}
        }
    }
    names
}

fn origin(graph: &mut Graph, file: Option<String>, line: Option<u32>) -> OriginId {
    let parent = file.zip(line).map(|(file, line)| {
        let step = Step::External(eco_format!("{file}:{line}"));
        graph.origins.intern(Origin { step, span: None, parent: None })
    });
    graph.origins.intern(Origin { step: Step::Declaration, span: None, parent })
}

fn lookup(graph: &Graph, text: &str) -> Result<ResourceId, ReadError> {
    graph
        .find_text(text)
        .ok_or_else(|| ReadError::new(format!("the catalog has no resource {text}")))
}

/// The texts of the references in a relationship parameter.
pub(super) fn references(value: &Value) -> Vec<&str> {
    match value {
        Value::Str(text) => vec![text],
        Value::List(items) => items.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    }
}

fn add_relations(graph: &mut Graph) -> Result<(), ReadError> {
    let mut edges = Vec::new();
    for (id, resource) in graph.resources() {
        for (name, other_first, kind) in RELATIONS {
            let Some(attribute) = resource.attribute(name) else { continue };
            for text in references(&attribute.value) {
                let other = lookup(graph, text)
                    .map_err(|e| ReadError::new(format!("{} of {}: {e}", name, resource.id)))?;
                let (from, to) = if other_first { (other, id) } else { (id, other) };
                edges.push((from, to, kind, resource.origin));
            }
        }
    }
    for (from, to, kind, parent) in edges {
        let step = Step::Relation;
        let origin = graph.origins.intern(Origin { step, span: None, parent: Some(parent) });
        graph.edges.push(Edge { from, to, kind, origin });
    }
    Ok(())
}
