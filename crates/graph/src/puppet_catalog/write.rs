//! Writing.

use ordain_data::Value;
use ordain_source::SourceMap;
use rustc_hash::FxHashSet;
use serde_json::{Map as Object, Value as Json, json};

use super::RELATIONS;
use super::read::{parse_reference, references};
use super::value::write_rich;
use crate::model::{Containment, EdgeKind, Graph, Resource, ResourceId};
use crate::place::place;

/// What a catalog says about itself beyond the graph.
#[derive(Clone, Debug, Default)]
pub struct Envelope {
    /// The version: a number or text.
    pub version: Value,
    /// The version of the code, if it is known.
    pub code_id: Option<String>,
    /// The identity of this catalog.
    pub uuid: String,
}

/// A graph as a Puppet catalog. Secrets are in clear, as agents need them.
///
/// Edges that no relation parameter of a resource says are added to `before` and `notify`.
pub fn write(graph: &Graph, sources: &SourceMap, envelope: &Envelope) -> Json {
    let extra = unsaid_edges(graph);
    let resources = graph.resources().filter(|(_, r)| !r.is_virtual);
    let edges = graph.containment.iter().filter(|(outer, inner)| {
        !graph.resource(*outer).is_virtual && !graph.resource(*inner).is_virtual
    });
    let name = |id: ResourceId| graph.resource(id).id.to_string();
    json!({
        "tags": graph.tags.iter().map(|t| t.as_str()).collect::<Vec<_>>(),
        "name": graph.name.as_str(),
        "version": write_rich(&envelope.version),
        "code_id": envelope.code_id,
        "catalog_uuid": envelope.uuid,
        "catalog_format": 2,
        "environment": graph.environment.as_str(),
        "resources": resources
            .map(|(id, r)| resource(graph, r, sources, &extra[id.0 as usize]))
            .collect::<Vec<_>>(),
        "edges": edges
            .map(|(outer, inner)| json!({ "source": name(*outer), "target": name(*inner) }))
            .collect::<Vec<_>>(),
        "classes": graph.classes.iter().map(|c| c.as_str()).collect::<Vec<_>>(),
    })
}

type Unsaid = Vec<(EdgeKind, String)>;

/// For each resource the edges from it that no parameter says.
fn unsaid_edges(graph: &Graph) -> Vec<Unsaid> {
    let mut said: FxHashSet<(ResourceId, ResourceId, EdgeKind)> = FxHashSet::default();
    for (id, resource) in graph.resources() {
        for (name, other_first, kind) in RELATIONS {
            let texts = resource.value(name).map(references).unwrap_or_default();
            let others = texts.into_iter().filter_map(|t| graph.find(&parse_reference(t)?));
            said.extend(others.map(|o| if other_first { (o, id, kind) } else { (id, o, kind) }));
        }
    }
    let mut extra: Vec<Unsaid> = vec![Vec::new(); graph.len()];
    for edge in &graph.edges {
        if said.insert((edge.from, edge.to, edge.kind)) {
            let target = graph.resource(edge.to).id.to_string();
            extra[edge.from.0 as usize].push((edge.kind, target));
        }
    }
    extra
}

fn resource(graph: &Graph, resource: &Resource, sources: &SourceMap, extra: &Unsaid) -> Json {
    let mut json = Object::new();
    json.insert("type".into(), resource.id.kind.as_str().into());
    json.insert("title".into(), resource.id.title.as_str().into());
    json.insert("tags".into(), resource.tags.iter().map(|t| t.as_str()).collect());
    // An included class or a node block has no place of its own in a catalog.
    let placed = resource.containment != Containment::Class;
    if let Some(place) = place(graph, resource.origin, sources).filter(|_| placed) {
        if !place.file.is_empty() {
            json.insert("file".into(), place.file.into());
        }
        json.insert("line".into(), place.line.into());
    }
    json.insert("exported".into(), resource.exported.into());
    json.insert("kind".into(), nature(resource).into());
    let (parameters, secret) = parameters(resource, extra);
    if !parameters.is_empty() {
        json.insert("parameters".into(), parameters.into());
    }
    if !secret.is_empty() {
        json.insert("sensitive_parameters".into(), secret.into());
    }
    Json::Object(json)
}

fn nature(resource: &Resource) -> &'static str {
    match resource.containment {
        Containment::ClassResource => "class",
        Containment::Define => "defined_type",
        Containment::Class if resource.id.kind != "Stage" => "unknown",
        Containment::Class | Containment::Leaf => "compilable_type",
    }
}

fn parameters(resource: &Resource, extra: &Unsaid) -> (Object<String, Json>, Vec<String>) {
    let mut parameters = Object::new();
    let mut secret = Vec::new();
    for attribute in resource.attributes.iter().filter(|a| !a.value.is_null()) {
        let json = match &attribute.value {
            Value::Secret(inner) => {
                secret.push(attribute.name.to_string());
                write_rich(inner)
            }
            value => write_rich(value),
        };
        parameters.insert(attribute.name.to_string(), json);
    }
    for (kind, target) in extra {
        let name = if *kind == EdgeKind::Notify { "notify" } else { "before" };
        let slot = parameters.entry(name).or_insert_with(|| json!([]));
        match slot {
            Json::Array(items) => items.push(target.as_str().into()),
            single => *single = json!([single.take(), target]),
        }
    }
    (parameters, secret)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::super::read;
    use super::*;
    use crate::order::Relations;
    use crate::testing::{edge, leaf};

    const CATALOG: &str = r#"{
      "tags": ["settings"], "name": "web1", "version": 7, "code_id": null, "catalog_uuid": "u",
      "catalog_format": 2, "environment": "production",
      "resources": [
        {"type": "Stage", "title": "main", "tags": ["stage"], "exported": false,
         "kind": "compilable_type", "parameters": {"name": "main"}},
        {"type": "Class", "title": "C", "tags": ["c", "class"], "file": "site.pp", "line": 1,
         "exported": false, "kind": "class", "parameters": {"p": "x"},
         "sensitive_parameters": ["p"]},
        {"type": "File", "title": "conf", "tags": ["file"], "file": "site.pp", "line": 3,
         "exported": false, "kind": "compilable_type",
         "parameters": {"path": "/etc/conf", "notify": ["Service[s]"],
           "content": {"__ptype": "Binary", "__pvalue": "AP8="}}},
        {"type": "Service", "title": "s", "tags": ["service"], "exported": false,
         "kind": "compilable_type", "parameters": {"require": "File[/etc/conf]"}}
      ],
      "edges": [{"source": "Stage[main]", "target": "Class[C]"},
        {"source": "Class[C]", "target": "File[conf]"},
        {"source": "Class[C]", "target": "Service[s]"}],
      "classes": ["settings", "c"]
    }"#;

    #[test]
    fn a_catalog_reads_back_the_same() {
        let graph = read(CATALOG.as_bytes()).unwrap();
        let envelope = Envelope { version: Value::Int(7), code_id: None, uuid: "u".into() };
        let want: Json = serde_json::from_str(CATALOG).unwrap();
        let back = write(&graph, &SourceMap::new(), &envelope);
        assert_eq!(serde_json::to_string(&back).unwrap(), serde_json::to_string(&want).unwrap());
    }

    #[test]
    fn relations_and_secrets_are_read() {
        let graph = read(CATALOG.as_bytes()).unwrap();
        let kinds: Vec<_> = graph.edges.iter().map(|e| (e.from.0, e.to.0, e.kind)).collect();
        assert_eq!(kinds, [(2, 3, EdgeKind::Notify), (2, 3, EdgeKind::Before)]);
        let class = graph.resource(ResourceId(1));
        assert!(matches!(class.value("p"), Some(Value::Secret(_))));
        assert!(Relations::new(&graph).order().is_ok());
    }

    #[test]
    fn an_edge_that_no_parameter_says_becomes_one() {
        let mut graph = Graph::default();
        let (a, b) = (leaf(&mut graph, "a"), leaf(&mut graph, "b"));
        edge(&mut graph, a, b, EdgeKind::Notify);
        let json = write(&graph, &SourceMap::new(), &Envelope::default());
        assert_eq!(json["resources"][0]["parameters"], json!({ "notify": ["File[b]"] }));
    }

    #[test]
    fn an_unknown_reference_is_named() {
        let broken = CATALOG.replace("Service[s]\"],", "Service[t]\"],");
        let error = read(broken.as_bytes()).unwrap_err().to_string();
        assert_eq!(error, "notify of File[conf]: the catalog has no resource Service[t]");
    }
}
