//! Writing.

use std::io;

use ordain_source::SourceMap;
use serde::Serialize;
use serde::ser::{SerializeSeq, Serializer};
use serde_json::{Value as Json, json};

use super::format::{FORMAT, VERSION, WITHOUT_BARRIERS};
use super::value::{Secrets, write_value};
use crate::model::{
    Attribute, Barrier, Containment, Edge, EdgeKind, Graph, Resource, ResourceId, ResourceRef,
};
use crate::origin::{Origin, Step};

#[derive(Serialize)]
struct Document<'a> {
    format: &'static str,
    version: u64,
    name: &'a str,
    environment: &'a str,
    classes: &'a Names<'a>,
    tags: &'a Names<'a>,
    origins: Stream<'a, Json>,
    resources: Stream<'a, Json>,
    aliases: Stream<'a, Json>,
    containment: Stream<'a, Json>,
    edges: Stream<'a, Json>,
    #[serde(skip_serializing_if = "Option::is_none")]
    barriers: Option<Stream<'a, Json>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    automatic: Option<Stream<'a, Json>>,
}

struct Names<'a>(&'a [ecow::EcoString]);

impl Serialize for Names<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.iter().map(|n| n.as_str()))
    }
}

/// Items that are created while they are written, so that a large graph is not in memory twice.
struct Stream<'a, T>(Box<dyn Fn() -> Box<dyn Iterator<Item = T> + 'a> + 'a>);

impl<T: Serialize> Serialize for Stream<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut seq = serializer.serialize_seq(None)?;
        for item in (self.0)() {
            seq.serialize_element(&item)?;
        }
        seq.end()
    }
}

/// Writes a graph as JSON on one line, with the places of its origins.
///
/// # Errors
/// When `out` cannot be written.
pub fn write(
    graph: &Graph,
    sources: &SourceMap,
    secrets: Secrets,
    out: impl io::Write,
) -> io::Result<()> {
    let document = Document {
        format: FORMAT,
        version: if graph.barriers.is_empty() { WITHOUT_BARRIERS } else { VERSION },
        name: &graph.name,
        environment: &graph.environment,
        classes: &Names(&graph.classes),
        tags: &Names(&graph.tags),
        origins: Stream(Box::new(|| Box::new(graph.origins.iter().map(|o| origin(o, sources))))),
        resources: Stream(Box::new(|| {
            Box::new(graph.resources().map(|(_, r)| resource(r, secrets)))
        })),
        aliases: Stream(Box::new(|| {
            let shown = move |name: &ResourceRef| {
                secrets == Secrets::Include || !graph.is_secret_alias(name)
            };
            let aliases = graph.aliases().filter(move |(name, _)| shown(name));
            let aliases = aliases.map(|(name, id)| {
                json!({ "kind": name.kind.as_str(), "title": name.title.as_str(), "of": id.0 })
            });
            Box::new(aliases)
        })),
        containment: Stream(Box::new(|| {
            Box::new(graph.containment.iter().map(|(outer, inner)| json!([outer.0, inner.0])))
        })),
        edges: Stream(Box::new(|| Box::new(graph.edges.iter().map(edge)))),
        barriers: (!graph.barriers.is_empty())
            .then(|| Stream::<Json>(Box::new(|| Box::new(graph.barriers.iter().map(barrier))))),
        automatic: (!graph.automatic.is_empty())
            .then(|| Stream::<Json>(Box::new(|| Box::new(graph.automatic.iter().map(edge))))),
    };
    serde_json::to_writer(out, &document).map_err(io::Error::from)
}

fn edge(edge: &Edge) -> Json {
    let kind = kind(edge.kind);
    json!({ "from": edge.from.0, "to": edge.to.0, "kind": kind, "origin": edge.origin.0 })
}

fn barrier(barrier: &Barrier) -> Json {
    let ids = |ids: &[ResourceId]| ids.iter().map(|id| Json::from(id.0)).collect::<Json>();
    let (from, to) = (ids(&barrier.from), ids(&barrier.to));
    let kind = kind(barrier.kind);
    json!({ "from": from, "to": to, "kind": kind, "origin": barrier.origin.0 })
}

fn kind(kind: EdgeKind) -> &'static str {
    match kind {
        EdgeKind::Before => "before",
        EdgeKind::Notify => "notify",
    }
}

fn origin(origin: &Origin, sources: &SourceMap) -> Json {
    let (name, detail) = step(&origin.step);
    let mut json = json!({ "step": name });
    for (key, value) in detail {
        json[key] = value;
    }
    if let Some(span) = origin.span {
        let file = sources.file(span.file);
        let at = file.line_col(span.range.start);
        json["at"] = json!({
            "file": file.path.to_string_lossy(),
            "line": at.line,
            "column": at.column,
            "start": span.range.start,
            "end": span.range.end,
        });
    }
    if let Some(parent) = origin.parent {
        json["parent"] = Json::from(parent.0);
    }
    json
}

fn step(step: &Step) -> (&'static str, Vec<(&'static str, Json)>) {
    let named = |step, name: &ecow::EcoString| (step, vec![("name", Json::from(name.as_str()))]);
    match step {
        Step::Declaration => ("declaration", Vec::new()),
        Step::TypeDefault => ("type-default", Vec::new()),
        Step::Override => ("override", Vec::new()),
        Step::CollectorOverride => ("collector-override", Vec::new()),
        Step::ParameterDefault => ("parameter-default", Vec::new()),
        Step::Relation => ("relation", Vec::new()),
        Step::Data(data) => {
            let mut detail =
                vec![("key", Json::from(data.key.as_str())), ("file", data.file.as_str().into())];
            if data.line > 0 {
                detail.push(("line", Json::from(data.line)));
            }
            ("data", detail)
        }
        Step::External(name) => named("external", name),
        Step::Class(name) => named("class", name),
        Step::Define(name) => named("define", name),
        Step::Node(name) => named("node", name),
        Step::Function(name) => named("function", name),
        Step::Kind(name) => named("kind", name),
        Step::Inherited(name) => named("inherited", name),
        Step::Exported(name) => named("exported", name),
    }
}

fn resource(resource: &Resource, secrets: Secrets) -> Json {
    let containment = match resource.containment {
        Containment::Leaf => "leaf",
        Containment::Class => "class",
        Containment::ClassResource => "class-resource",
        Containment::Define => "define",
    };
    let mut json = json!({
        "kind": resource.id.kind.as_str(),
        "title": resource.id.title.as_str(),
        "containment": containment,
        "origin": resource.origin.0,
        "tags": resource.tags.iter().map(|t| t.as_str()).collect::<Vec<_>>(),
        "attributes": resource.attributes.iter().map(|a| attribute(a, secrets)).collect::<Json>(),
    });
    if resource.exported {
        json["exported"] = Json::Bool(true);
    }
    if resource.is_virtual {
        json["virtual"] = Json::Bool(true);
    }
    json
}

fn attribute(attribute: &Attribute, secrets: Secrets) -> Json {
    let mut json = json!({
        "name": attribute.name.as_str(),
        "value": write_value(&attribute.value, secrets),
        "origin": attribute.origin.0,
    });
    if !attribute.losers.is_empty() {
        let losers = attribute.losers.iter();
        let losers = losers
            .map(|l| json!({ "value": write_value(&l.value, secrets), "origin": l.origin.0 }));
        json["losers"] = losers.collect();
    }
    json
}
