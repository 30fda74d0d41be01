//! Writing.

use ordain_data::Value;
use ordain_source::SourceMap;
use rustc_hash::FxHashSet;
use serde::ser::{Serialize, SerializeMap as _, Serializer};
use serde_json::{Map as Object, Value as Json, json};

use super::RELATIONS;
use super::read::{parse_reference, references};
use super::value::{Rich, write_rich};
use crate::model::{Attribute, Containment, EdgeKind, Graph, Resource, ResourceId, ResourceRef};
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
    serde_json::to_value(document(graph, sources, envelope))
        .expect("a catalog has text as keys only")
}

/// The same, to be written without a tree of the whole catalog in between.
pub fn document<'a>(
    graph: &'a Graph,
    sources: &'a SourceMap,
    envelope: &'a Envelope,
) -> impl Serialize + 'a {
    Document { graph, sources, envelope, extra: unsaid_edges(graph) }
}

struct Document<'a> {
    graph: &'a Graph,
    sources: &'a SourceMap,
    envelope: &'a Envelope,
    extra: Vec<Unsaid>,
}

impl Serialize for Document<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let graph = self.graph;
        let resources = Each(|| {
            let real = graph.resources().filter(|(_, r)| !r.is_virtual);
            real.map(|(id, r)| ResourceDocument { of: self, resource: r, id })
        });
        let edges = Each(|| {
            let real = |id: &ResourceId| !graph.resource(*id).is_virtual;
            let edges = graph.containment.iter().filter(move |(a, b)| real(a) && real(b));
            let name = |id: ResourceId| Displayed(&graph.resource(id).id);
            edges.map(move |(outer, inner)| EdgeDocument {
                source: name(*outer),
                target: name(*inner),
            })
        });
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("tags", &Each(|| graph.tags.iter().map(|t| t.as_str())))?;
        map.serialize_entry("name", graph.name.as_str())?;
        map.serialize_entry("version", &Rich(&self.envelope.version))?;
        map.serialize_entry("code_id", &self.envelope.code_id)?;
        map.serialize_entry("catalog_uuid", &self.envelope.uuid)?;
        map.serialize_entry("catalog_format", &2)?;
        map.serialize_entry("environment", graph.environment.as_str())?;
        map.serialize_entry("resources", &resources)?;
        map.serialize_entry("edges", &edges)?;
        map.serialize_entry("classes", &Each(|| graph.classes.iter().map(|c| c.as_str())))?;
        map.end()
    }
}

/// A list made while it is written.
struct Each<F>(F);

impl<F: Fn() -> I, I: Iterator<Item: Serialize>> Serialize for Each<F> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq((self.0)())
    }
}

/// A text made while it is written.
struct Displayed<'a, T>(&'a T);

impl<T: std::fmt::Display> Serialize for Displayed<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self.0)
    }
}

#[derive(serde::Serialize)]
struct EdgeDocument<'a> {
    source: Displayed<'a, ResourceRef>,
    target: Displayed<'a, ResourceRef>,
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

struct ResourceDocument<'a> {
    of: &'a Document<'a>,
    resource: &'a Resource,
    id: ResourceId,
}

impl Serialize for ResourceDocument<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { of, resource, id } = self;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("type", resource.id.kind.as_str())?;
        map.serialize_entry("title", resource.id.title.as_str())?;
        map.serialize_entry("tags", &Each(|| resource.tags.iter().map(|t| t.as_str())))?;
        // An included class or a node block has no place of its own in a catalog.
        let placed = resource.containment != Containment::Class;
        let place = if placed { place(of.graph, resource.origin, of.sources) } else { None };
        if let Some(place) = place {
            if !place.file.is_empty() {
                map.serialize_entry("file", &place.file)?;
            }
            map.serialize_entry("line", &place.line)?;
        }
        map.serialize_entry("exported", &resource.exported)?;
        map.serialize_entry("kind", nature(resource))?;
        let extra = &of.extra[id.0 as usize];
        if !extra.is_empty() {
            map.serialize_entry("parameters", &with_relations(resource, extra))?;
        } else if attributes(resource).next().is_some() {
            map.serialize_entry("parameters", &Parameters(resource))?;
        }
        let secret = |a: &&Attribute| matches!(a.value, Value::Secret(_));
        if attributes(resource).any(|a| secret(&a)) {
            let names = || attributes(resource).filter(secret).map(|a| a.name.as_str());
            map.serialize_entry("sensitive_parameters", &Each(names))?;
        }
        map.end()
    }
}

struct Parameters<'a>(&'a Resource);

impl Serialize for Parameters<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let entries = attributes(self.0).map(|a| (a.name.as_str(), Rich(in_clear(&a.value))));
        serializer.collect_map(entries)
    }
}

/// The attributes that a catalog shows.
fn attributes(resource: &Resource) -> impl Iterator<Item = &Attribute> {
    resource.attributes.iter().filter(|a| !a.value.is_null())
}

fn in_clear(value: &Value) -> &Value {
    match value {
        Value::Secret(inner) => inner,
        value => value,
    }
}

fn nature(resource: &Resource) -> &'static str {
    match resource.containment {
        Containment::ClassResource => "class",
        Containment::Define => "defined_type",
        Containment::Class if resource.id.kind != "Stage" => "unknown",
        Containment::Class | Containment::Leaf => "compilable_type",
    }
}

/// The parameters with edges that none of them says.
fn with_relations(resource: &Resource, extra: &Unsaid) -> Object<String, Json> {
    let shown = attributes(resource);
    let shown = shown.map(|a| (a.name.to_string(), write_rich(in_clear(&a.value))));
    let mut parameters: Object<String, Json> = shown.collect();
    for (kind, target) in extra {
        let name = if *kind == EdgeKind::Notify { "notify" } else { "before" };
        let slot = parameters.entry(name).or_insert_with(|| json!([]));
        match slot {
            Json::Array(items) => items.push(target.as_str().into()),
            single => *single = json!([single.take(), target]),
        }
    }
    parameters
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
