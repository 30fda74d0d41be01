//! Reading.

use std::path::Path;
use std::sync::Arc;

use ecow::{EcoString, eco_format};
use ordain_source::{FileId, Span, TextRange};
use serde::Deserialize;
use serde_json::Value as Json;

use super::error::ReadError;
use super::format::{FORMAT, VERSION};
use super::value::read_value;
use crate::model::{
    Attribute, Barrier, Containment, Edge, EdgeKind, Graph, OverriddenValue, Resource, ResourceId,
    ResourceRef,
};
use crate::origin::{DataStep, Origin, OriginId, Step};

#[derive(Deserialize)]
struct Document {
    format: String,
    version: u64,
    #[serde(default)]
    name: EcoText,
    #[serde(default)]
    environment: EcoText,
    #[serde(default)]
    classes: Vec<EcoText>,
    #[serde(default)]
    tags: Vec<EcoText>,
    origins: Vec<OriginDoc>,
    resources: Vec<ResourceDoc>,
    #[serde(default)]
    aliases: Vec<AliasDoc>,
    #[serde(default)]
    containment: Vec<(u32, u32)>,
    #[serde(default)]
    edges: Vec<EdgeDoc>,
    #[serde(default)]
    barriers: Vec<BarrierDoc>,
    #[serde(default)]
    automatic: Vec<EdgeDoc>,
}

#[derive(Deserialize, Default)]
#[serde(from = "String")]
struct EcoText(EcoString);

impl From<String> for EcoText {
    fn from(text: String) -> Self {
        Self(text.into())
    }
}

#[derive(Deserialize)]
struct OriginDoc {
    step: String,
    #[serde(default)]
    name: EcoText,
    #[serde(default)]
    key: EcoText,
    #[serde(default)]
    file: EcoText,
    #[serde(default)]
    line: u32,
    at: Option<At>,
    parent: Option<u32>,
}

#[derive(Deserialize)]
struct At {
    file: String,
    line: u32,
    column: u32,
    start: u32,
    end: u32,
}

#[derive(Deserialize)]
struct ResourceDoc {
    kind: EcoText,
    title: EcoText,
    containment: String,
    origin: u32,
    #[serde(default)]
    tags: Vec<EcoText>,
    #[serde(default)]
    exported: bool,
    #[serde(default, rename = "virtual")]
    is_virtual: bool,
    #[serde(default)]
    attributes: Vec<AttributeDoc>,
}

#[derive(Deserialize)]
struct AttributeDoc {
    name: EcoText,
    value: Json,
    origin: u32,
    #[serde(default)]
    losers: Vec<OverriddenValueDoc>,
}

#[derive(Deserialize)]
struct OverriddenValueDoc {
    value: Json,
    origin: u32,
}

#[derive(Deserialize)]
struct AliasDoc {
    kind: EcoText,
    title: EcoText,
    of: u32,
}

#[derive(Deserialize)]
struct EdgeDoc {
    from: u32,
    to: u32,
    kind: String,
    origin: u32,
}

#[derive(Deserialize)]
struct BarrierDoc {
    from: Vec<u32>,
    to: Vec<u32>,
    kind: String,
    origin: u32,
}

/// Reads a graph that [`super::write`] wrote.
///
/// `file` returns the id of an available source file. A place in any other file becomes a
/// [`Step::External`] with `file:line:column`.
///
/// # Errors
/// When the text is not such a document, or has a newer version.
pub fn read(text: &[u8], file: &dyn Fn(&Path) -> Option<FileId>) -> Result<Graph, ReadError> {
    let document: Document = serde_json::from_slice(text)?;
    if document.format != FORMAT {
        return Err(ReadError(format!("format `{}` is not `{FORMAT}`", document.format)));
    }
    if document.version > VERSION {
        let newest = format!("version {} is newer than {VERSION}", document.version);
        return Err(ReadError(newest));
    }
    let names = |names: Vec<EcoText>| names.into_iter().map(|n| n.0).collect();
    let mut reader = Reader { graph: Graph::default(), origins: Vec::new() };
    reader.graph.name = document.name.0;
    reader.graph.environment = document.environment.0;
    reader.graph.classes = names(document.classes);
    reader.graph.tags = names(document.tags);
    for origin in document.origins {
        reader.add_origin(origin, file)?;
    }
    let count = document.resources.len();
    for resource in document.resources {
        reader.add_resource(resource)?;
    }
    if reader.graph.len() != count {
        return Err(ReadError::new("a resource is there twice"));
    }
    reader.add_relations(document.aliases, document.containment)?;
    reader.graph.edges = reader.edges(document.edges)?;
    reader.graph.barriers = reader.barriers(document.barriers)?;
    reader.graph.automatic = reader.edges(document.automatic)?;
    Ok(reader.graph)
}

struct Reader {
    graph: Graph,
    /// The new id of each origin of the document.
    origins: Vec<OriginId>,
}

impl Reader {
    fn origin(&self, index: u32) -> Result<OriginId, ReadError> {
        let id = self.origins.get(index as usize).copied();
        id.ok_or_else(|| ReadError(format!("there is no origin {index} before its use")))
    }

    fn resource(&self, index: u32) -> Result<ResourceId, ReadError> {
        let known = (index as usize) < self.graph.len();
        known.then_some(ResourceId(index)).ok_or_else(|| ReadError(format!("no resource {index}")))
    }

    fn add_origin(
        &mut self,
        doc: OriginDoc,
        file: &dyn Fn(&Path) -> Option<FileId>,
    ) -> Result<(), ReadError> {
        let mut parent = doc.parent.map(|p| self.origin(p)).transpose()?;
        let mut span = None;
        if let Some(at) = &doc.at {
            match file(Path::new(&at.file)) {
                Some(id) => span = Some(Span { file: id, range: TextRange::new(at.start, at.end) }),
                None => {
                    let place = eco_format!("{}:{}:{}", at.file, at.line, at.column);
                    let step = Step::External(place);
                    parent = Some(self.graph.origins.intern(Origin { step, span: None, parent }));
                }
            }
        }
        let step = step(doc)?;
        let id = self.graph.origins.intern(Origin { step, span, parent });
        self.origins.push(id);
        Ok(())
    }

    fn add_resource(&mut self, doc: ResourceDoc) -> Result<(), ReadError> {
        let containment = match doc.containment.as_str() {
            "leaf" => Containment::Leaf,
            "class" => Containment::Class,
            "class-resource" => Containment::ClassResource,
            "define" => Containment::Define,
            other => return Err(ReadError(format!("unknown containment `{other}`"))),
        };
        let attributes = doc.attributes.into_iter().map(|a| self.attribute(a));
        let resource = Resource {
            id: ResourceRef { kind: doc.kind.0, title: doc.title.0 },
            containment,
            attributes: attributes.collect::<Result<_, _>>()?,
            tags: doc.tags.into_iter().map(|t| t.0).collect(),
            exported: doc.exported,
            is_virtual: doc.is_virtual,
            origin: self.origin(doc.origin)?,
        };
        self.graph.add(resource);
        Ok(())
    }

    fn attribute(&self, doc: AttributeDoc) -> Result<Attribute, ReadError> {
        let losers = doc.losers.iter().map(|l| {
            Ok(OverriddenValue { value: read_value(&l.value)?, origin: self.origin(l.origin)? })
        });
        Ok(Attribute {
            name: doc.name.0,
            value: read_value(&doc.value)?,
            origin: self.origin(doc.origin)?,
            losers: losers.collect::<Result<_, ReadError>>()?,
        })
    }

    fn add_relations(
        &mut self,
        aliases: Vec<AliasDoc>,
        containment: Vec<(u32, u32)>,
    ) -> Result<(), ReadError> {
        for alias in aliases {
            let of = self.resource(alias.of)?;
            self.graph.add_alias(ResourceRef { kind: alias.kind.0, title: alias.title.0 }, of);
        }
        for (outer, inner) in containment {
            let pair = (self.resource(outer)?, self.resource(inner)?);
            self.graph.containment.push(pair);
        }
        Ok(())
    }

    fn edges(&self, edges: Vec<EdgeDoc>) -> Result<Vec<Edge>, ReadError> {
        let edge = |edge: EdgeDoc| {
            let kind = edge_kind(&edge.kind)?;
            let (from, to) = (self.resource(edge.from)?, self.resource(edge.to)?);
            Ok(Edge { from, to, kind, origin: self.origin(edge.origin)? })
        };
        edges.into_iter().map(edge).collect()
    }

    fn barriers(&self, barriers: Vec<BarrierDoc>) -> Result<Vec<Barrier>, ReadError> {
        let ids = |ids: Vec<u32>| -> Result<Vec<ResourceId>, ReadError> {
            ids.into_iter().map(|id| self.resource(id)).collect()
        };
        let barrier = |barrier: BarrierDoc| {
            Ok(Barrier {
                from: ids(barrier.from)?,
                to: ids(barrier.to)?,
                kind: edge_kind(&barrier.kind)?,
                origin: self.origin(barrier.origin)?,
            })
        };
        barriers.into_iter().map(barrier).collect()
    }
}

fn edge_kind(text: &str) -> Result<EdgeKind, ReadError> {
    match text {
        "before" => Ok(EdgeKind::Before),
        "notify" => Ok(EdgeKind::Notify),
        other => Err(ReadError(format!("unknown kind of edge `{other}`"))),
    }
}

fn step(doc: OriginDoc) -> Result<Step, ReadError> {
    Ok(match doc.step.as_str() {
        "declaration" => Step::Declaration,
        "type-default" => Step::TypeDefault,
        "override" => Step::Override,
        "collector-override" => Step::CollectorOverride,
        "parameter-default" => Step::ParameterDefault,
        "relation" => Step::Relation,
        "data" => {
            let data = DataStep { key: doc.key.0, file: doc.file.0, line: doc.line };
            Step::Data(Arc::new(data))
        }
        "external" => Step::External(doc.name.0),
        "class" => Step::Class(doc.name.0),
        "define" => Step::Define(doc.name.0),
        "node" => Step::Node(doc.name.0),
        "function" => Step::Function(doc.name.0),
        "kind" => Step::Kind(doc.name.0),
        "inherited" => Step::Inherited(doc.name.0),
        "exported" => Step::Exported(doc.name.0),
        other => return Err(ReadError(format!("unknown step `{other}`"))),
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use ordain_data::Value;
    use ordain_source::SourceMap;

    use super::super::{Secrets, write};
    use super::*;
    use crate::locate::place;
    use crate::testing::{edge, leaf, named};

    fn sample(sources: &SourceMap) -> Graph {
        let mut graph = Graph::default();
        graph.name = "web1".into();
        let class = named(&mut graph, "Class", "A", Containment::Class);
        let file = leaf(&mut graph, "/etc/motd");
        let id = sources.add("site.pp", "class a {\n  file { '/etc/motd': }\n}\n");
        let span = Some(TextRange::new(12, 33).in_file(id));
        let parent = Origin { step: Step::Class("a".into()), span: None, parent: None };
        let parent = Some(graph.origins.intern(parent));
        let origin = graph.origins.intern(Origin { step: Step::Declaration, span, parent });
        let secret = Value::Secret(Arc::new(Value::str("hunter2")));
        let loser = OverriddenValue { value: Value::str("old"), origin };
        graph.resource_mut(file).attributes.push(Attribute {
            name: "content".into(),
            value: secret,
            origin,
            losers: vec![loser],
        });
        graph.add_alias(ResourceRef { kind: "File".into(), title: "motd".into() }, file);
        graph.containment.push((class, file));
        let other = leaf(&mut graph, "/x");
        edge(&mut graph, file, other, EdgeKind::Notify);
        graph
    }

    fn text(graph: &Graph, sources: &SourceMap, secrets: Secrets) -> String {
        let mut out = Vec::new();
        write(graph, sources, secrets, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn a_graph_reads_back_byte_for_byte() {
        let sources = SourceMap::new();
        let graph = sample(&sources);
        let first = text(&graph, &sources, Secrets::Include);
        let same_file = |_: &Path| Some(FileId(0));
        let back = read(first.as_bytes(), &same_file).unwrap();
        assert_eq!(text(&back, &sources, Secrets::Include), first);
        let motd = ResourceRef { kind: "File".into(), title: "motd".into() };
        assert_eq!(back.find(&motd), Some(ResourceId(1)));
    }

    #[test]
    fn barriers_make_a_document_of_a_newer_version() {
        let sources = SourceMap::new();
        let mut graph = sample(&sources);
        let without = text(&graph, &sources, Secrets::Include);
        let (from, to) = (vec![ResourceId(0), ResourceId(1)], vec![ResourceId(2)]);
        let origin = graph.edges[0].origin;
        graph.barriers.push(Barrier { from, to, kind: EdgeKind::Before, origin });
        let with = text(&graph, &sources, Secrets::Include);
        assert!(without.contains("\"version\":1") && with.contains("\"version\":2"), "{with}");
        let back = read(with.as_bytes(), &|_| Some(FileId(0))).unwrap();
        assert_eq!(back.barriers, graph.barriers);
    }

    #[test]
    fn places_survive_without_the_sources() {
        let sources = SourceMap::new();
        let graph = sample(&sources);
        let back = read(text(&graph, &sources, Secrets::Omit).as_bytes(), &|_| None).unwrap();
        let origin = back.resource(ResourceId(1)).attribute("content").unwrap().origin;
        let at = place(&back, origin, &SourceMap::new()).unwrap();
        assert_eq!(at.to_string(), "site.pp:2:3");
    }

    #[test]
    fn secrets_are_left_out() {
        let sources = SourceMap::new();
        let graph = sample(&sources);
        assert!(!text(&graph, &sources, Secrets::Omit).contains("hunter2"));
    }

    #[test]
    fn broken_documents_are_refused() {
        let good = r#"{"format":"ordain-graph","version":1,"origins":[{"step":"relation"}],
            "resources":[{"kind":"A","title":"x","containment":"leaf","origin":0}]"#;
        let cases = [
            (String::from("{}"), "missing field"),
            (
                format!(
                    "{good},\"edges\":[{{\"from\":0,\"to\":1,\"kind\":\"before\",\"origin\":0}}]}}"
                ),
                "no resource 1",
            ),
            (good.replace("\"version\":1", "\"version\":3") + "}", "newer"),
            (good.replace("ordain-graph", "x") + "}", "is not"),
            (good.replace("relation", "x") + "}", "unknown step"),
            (good.replace("\"origin\":0", "\"origin\":7") + "}", "no origin 7"),
        ];
        for (text, want) in cases {
            let error = read(text.as_bytes(), &|_| None).unwrap_err().to_string();
            assert!(error.contains(want), "{error}");
        }
    }
}
