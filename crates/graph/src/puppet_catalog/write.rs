//! Writing.

use ecow::EcoString;
use ordain_data::Value;
use ordain_source::SourceMap;
use rustc_hash::FxHashSet;
use serde::ser::{Serialize, SerializeMap, SerializeSeq, Serializer};

use super::RELATIONS;
use super::read::{parse_reference, references};
use super::value::Rich;
use crate::model::{Containment, EdgeKind, Graph, Resource, ResourceId, ResourceRef};
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

/// A graph as a Puppet catalog, to be serialised. Secrets are in clear, as agents need them.
///
/// Edges that no relation parameter of a resource says are added to `before` and `notify`.
pub fn write<'a>(
    graph: &'a Graph,
    sources: &'a SourceMap,
    envelope: &'a Envelope,
) -> impl Serialize + 'a {
    Catalog { graph, sources, envelope, extra: unsaid_edges(graph) }
}

struct Catalog<'a> {
    graph: &'a Graph,
    sources: &'a SourceMap,
    envelope: &'a Envelope,
    extra: Vec<Unsaid>,
}

impl Serialize for Catalog<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let graph = self.graph;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("tags", &Texts(&graph.tags))?;
        map.serialize_entry("name", graph.name.as_str())?;
        map.serialize_entry("version", &Rich(&self.envelope.version))?;
        map.serialize_entry("code_id", &self.envelope.code_id)?;
        map.serialize_entry("catalog_uuid", &self.envelope.uuid)?;
        map.serialize_entry("catalog_format", &2)?;
        map.serialize_entry("environment", graph.environment.as_str())?;
        map.serialize_entry("resources", &Resources(self))?;
        map.serialize_entry("edges", &Edges(graph))?;
        map.serialize_entry("classes", &Texts(&graph.classes))?;
        map.end()
    }
}

struct Texts<'a>(&'a [EcoString]);

impl Serialize for Texts<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.iter().map(EcoString::as_str))
    }
}

struct Edges<'a>(&'a Graph);

impl Serialize for Edges<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut seq = serializer.serialize_seq(None)?;
        for (outer, inner) in &self.0.containment {
            let (outer, inner) = (self.0.resource(*outer), self.0.resource(*inner));
            if !outer.is_virtual && !inner.is_virtual {
                seq.serialize_element(&EdgeEntry { source: &outer.id, target: &inner.id })?;
            }
        }
        seq.end()
    }
}

struct EdgeEntry<'a> {
    source: &'a ResourceRef,
    target: &'a ResourceRef,
}

impl Serialize for EdgeEntry<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(2))?;
        map.serialize_entry("source", &Shown(self.source))?;
        map.serialize_entry("target", &Shown(self.target))?;
        map.end()
    }
}

struct Shown<'a>(&'a ResourceRef);

impl Serialize for Shown<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self.0)
    }
}

struct Resources<'a>(&'a Catalog<'a>);

impl Serialize for Resources<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut seq = serializer.serialize_seq(None)?;
        for (id, resource) in self.0.graph.resources().filter(|(_, r)| !r.is_virtual) {
            let extra = &self.0.extra[id.0 as usize];
            seq.serialize_element(&Entry { catalog: self.0, resource, extra })?;
        }
        seq.end()
    }
}

struct Entry<'a> {
    catalog: &'a Catalog<'a>,
    resource: &'a Resource,
    extra: &'a Unsaid,
}

impl Serialize for Entry<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let resource = self.resource;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("type", resource.id.kind.as_str())?;
        map.serialize_entry("title", resource.id.title.as_str())?;
        map.serialize_entry("tags", &Texts(&resource.tags))?;
        // An included class or a node block has no place of its own in a catalog.
        if resource.containment != Containment::Class
            && let Some(place) = place(self.catalog.graph, resource.origin, self.catalog.sources)
        {
            if !place.file.is_empty() {
                map.serialize_entry("file", &place.file)?;
            }
            map.serialize_entry("line", &place.line)?;
        }
        map.serialize_entry("exported", &resource.exported)?;
        map.serialize_entry("kind", nature(resource))?;
        let parameters = Parameters { resource, extra: self.extra };
        if !parameters.is_empty() {
            map.serialize_entry("parameters", &parameters)?;
        }
        let secret = resource.attributes.iter().filter(|a| matches!(a.value, Value::Secret(_)));
        let secret: Vec<&str> = secret.map(|a| a.name.as_str()).collect();
        if !secret.is_empty() {
            map.serialize_entry("sensitive_parameters", &secret)?;
        }
        map.end()
    }
}

struct Parameters<'a> {
    resource: &'a Resource,
    extra: &'a Unsaid,
}

impl Parameters<'_> {
    fn is_empty(&self) -> bool {
        self.extra.is_empty() && self.resource.attributes.iter().all(|a| a.value.is_null())
    }

    fn unsaid(&self, name: &str) -> impl Iterator<Item = &str> {
        let kind = match name {
            "notify" => Some(EdgeKind::Notify),
            "before" => Some(EdgeKind::Before),
            _ => None,
        };
        self.extra.iter().filter(move |(k, _)| Some(*k) == kind).map(|(_, target)| target.as_str())
    }
}

impl Serialize for Parameters<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        let attributes = &self.resource.attributes;
        for attribute in attributes.iter().filter(|a| !a.value.is_null()) {
            let value = match &attribute.value {
                Value::Secret(inner) => inner,
                value => value,
            };
            let more: Vec<&str> = self.unsaid(&attribute.name).collect();
            if more.is_empty() {
                map.serialize_entry(attribute.name.as_str(), &Rich(value))?;
            } else {
                let mut all = references(value);
                all.extend(more);
                map.serialize_entry(attribute.name.as_str(), &all)?;
            }
        }
        for name in ["before", "notify"] {
            let said = attributes.iter().any(|a| a.name == name && !a.value.is_null());
            let more: Vec<&str> = self.unsaid(name).collect();
            if !said && !more.is_empty() {
                map.serialize_entry(name, &more)?;
            }
        }
        map.end()
    }
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

fn nature(resource: &Resource) -> &'static str {
    match resource.containment {
        Containment::ClassResource => "class",
        Containment::Define => "defined_type",
        Containment::Class if resource.id.kind != "Stage" => "unknown",
        Containment::Class | Containment::Leaf => "compilable_type",
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use serde_json::{Value as Json, json};

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
        let back = serde_json::to_value(write(&graph, &SourceMap::new(), &envelope)).unwrap();
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
        let json =
            serde_json::to_value(write(&graph, &SourceMap::new(), &Envelope::default())).unwrap();
        assert_eq!(json["resources"][0]["parameters"], json!({ "notify": ["File[b]"] }));
    }

    #[test]
    fn an_unknown_reference_is_named() {
        let broken = CATALOG.replace("Service[s]\"],", "Service[t]\"],");
        let error = read(broken.as_bytes()).unwrap_err().to_string();
        assert_eq!(error, "notify of File[conf]: the catalog has no resource Service[t]");
    }
}
