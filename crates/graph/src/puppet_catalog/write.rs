//! Writing.

use std::io::{self, Write};
use std::sync::Arc;

use ecow::EcoString;
use indexmap::IndexMap;
use ordain_data::Value;
use ordain_source::{FileId, SourceFile, SourceMap, budget};
use rustc_hash::{FxHashMap, FxHashSet};

use super::read::references;
use super::relations::RELATIONS;
use super::text::Text;
use super::value::{self, write_rich};
use crate::locate::{SourcePosition, source_position};
use crate::model::{
    Attribute, Barrier, Containment, Edge, EdgeKind, Graph, Resource, ResourceId, ResourceRef,
};
use crate::served::ServedTree;

/// The maximum number of edges of barriers that are written one by one.
const MAX_EDGES: usize = 4_000_000;

/// The buffer size in bytes.
const BUFFER: usize = 1 << 16;

/// Fields of a catalog beyond the graph.
#[derive(Clone, Debug, Default)]
pub struct Envelope {
    /// The version: a number or text.
    pub version: Value,
    /// The version of the code, if it is known.
    pub code_id: Option<String>,
    /// The identity of this catalog.
    pub uuid: String,
}

/// Writes a graph as a Puppet catalog in JSON. Secrets are in clear text, as agents need them.
///
/// Edges without a relationship parameter are added to `before` and `notify`.
///
/// # Errors
/// When `out` cannot be written.
pub fn write(
    graph: &Graph,
    sources: &SourceMap,
    envelope: &Envelope,
    out: impl Write,
) -> io::Result<()> {
    let edges = graph.edges_of_barriers();
    if edges > budget::scaled_size(MAX_EDGES) {
        let text = format!(
            "the catalog would name each of {edges} relations; write `--format graph`, or {}",
            budget::HELP
        );
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, text));
    }
    let extra = implicit_edges(graph);
    // An untouched buffer takes no memory.
    let text = Text::with_capacity(2 * BUFFER);
    Writer { graph, sources, file: None, extra, text, out }.catalog(envelope)
}

struct Writer<'a, W> {
    graph: &'a Graph,
    sources: &'a SourceMap,
    /// The file of the last place, and its path as JSON.
    file: Option<(FileId, Arc<SourceFile>, Box<[u8]>)>,
    extra: FxHashMap<ResourceId, ImplicitEdges>,
    text: Text,
    out: W,
}

impl<W: Write> Writer<'_, W> {
    fn catalog(mut self, envelope: &Envelope) -> io::Result<()> {
        let graph = self.graph;
        self.text.begin(b'{');
        self.texts("tags", &graph.tags);
        self.entry("name", &graph.name);
        self.text.plain_key("version");
        write_rich(&mut self.text, &envelope.version);
        match envelope.code_id.as_deref().or(graph.served.code_id.as_deref()) {
            Some(id) => self.entry("code_id", id),
            None => self.word("code_id", "null"),
        }
        self.entry("catalog_uuid", &envelope.uuid);
        self.word("catalog_format", "2");
        self.entry("environment", &graph.environment);
        self.text.plain_key("resources");
        self.text.begin(b'[');
        for (id, resource) in graph.resources().filter(|(_, r)| !r.is_virtual) {
            self.resource(id, resource);
            self.check_numbers(resource)?;
            self.pass_on(BUFFER)?;
        }
        self.text.end(b']');
        self.edges()?;
        self.texts("classes", &graph.classes);
        self.served()?;
        self.text.end(b'}');
        self.pass_on(0)
    }

    /// Writes the metadata of file sources.
    fn served(&mut self) -> io::Result<()> {
        let served = &self.graph.served;
        if !served.single.is_empty() {
            self.text.plain_key("metadata");
            self.text.begin(b'{');
            for (title, file) in &served.single {
                self.text.key(title);
                self.text.number(file);
                self.pass_on(BUFFER)?;
            }
            self.text.end(b'}');
        }
        if !served.recursive.is_empty() {
            self.text.plain_key("recursive_metadata");
            self.text.begin(b'{');
            for (title, trees) in &served.recursive {
                self.text.key(title);
                self.trees(trees)?;
            }
            self.text.end(b'}');
        }
        Ok(())
    }

    fn trees(&mut self, trees: &[ServedTree]) -> io::Result<()> {
        self.text.begin(b'{');
        for (source, files) in trees {
            self.text.key(source);
            self.text.begin(b'[');
            for file in files {
                self.text.item();
                self.text.number(file);
                self.pass_on(BUFFER)?;
            }
            self.text.end(b']');
        }
        self.text.end(b'}');
        Ok(())
    }

    /// Flushes the buffer if it exceeds this many bytes.
    fn pass_on(&mut self, limit: usize) -> io::Result<()> {
        if self.text.bytes().len() > limit {
            self.out.write_all(self.text.bytes())?;
            self.text.clear();
        }
        Ok(())
    }

    fn entry(&mut self, key: &'static str, text: &str) {
        self.text.plain_key(key);
        self.text.string(text);
    }

    fn word(&mut self, key: &'static str, word: &'static str) {
        self.text.plain_key(key);
        self.text.word(word);
    }

    fn texts(&mut self, key: &'static str, texts: &[EcoString]) {
        self.text.plain_key(key);
        self.text.strings(texts.iter().map(EcoString::as_str));
    }

    fn edges(&mut self) -> io::Result<()> {
        self.text.plain_key("edges");
        self.text.begin(b'[');
        // Edges of one container are adjacent, so their common part is made once.
        let mut last = None;
        let mut source = Text::default();
        for &(outer, inner) in &self.graph.containment {
            let contained = self.graph.resource(inner);
            let container = self.graph.resource(outer);
            if container.is_virtual || contained.is_virtual {
                continue;
            }
            if last != Some(outer) {
                last = Some(outer);
                source.clear();
                source.json(br#"{"source":"#);
                source.reference(&container.id.kind, &container.id.title);
                source.json(br#","target":"#);
            }
            self.text.item();
            self.text.json(source.bytes());
            self.text.reference(&contained.id.kind, &contained.id.title);
            self.text.json(b"}");
            self.pass_on(BUFFER)?;
        }
        self.text.end(b']');
        Ok(())
    }

    /// Refuses numbers that JSON cannot represent: an agent would see missing values.
    fn check_numbers(&self, resource: &Resource) -> io::Result<()> {
        for attribute in &resource.attributes {
            if let Some(number) = value::non_finite(&attribute.value) {
                let number = ordain_data::number::ruby_float(number);
                let (name, id) = (&attribute.name, &resource.id);
                let text = format!("{number} not allowed in JSON: the value of {name} of {id}");
                return Err(io::Error::new(io::ErrorKind::InvalidData, text));
            }
        }
        Ok(())
    }

    fn resource(&mut self, id: ResourceId, resource: &Resource) {
        self.text.item();
        self.text.json(br#"{"type":"#);
        self.text.string(&resource.id.kind);
        self.text.json(br#","title":"#);
        self.text.string(&resource.id.title);
        self.text.json(br#","tags":"#);
        self.text.strings(resource.tags.iter().map(EcoString::as_str));
        // A catalog has no place for an included class or a node block.
        if resource.containment != Containment::Class || resource.id.kind == "Stage" {
            self.place(resource);
        }
        if resource.exported {
            self.text.json(br#","exported":true,"kind":"#);
        } else {
            self.text.json(br#","exported":false,"kind":"#);
        }
        self.text.word(nature(resource));
        self.parameters(id, resource);
        let mut secret = resource.attributes.iter().filter(|a| matches!(a.value, Value::Secret(_)));
        if let Some(first) = secret.next() {
            self.text.plain_key("sensitive_parameters");
            let all = std::iter::once(first).chain(secret);
            self.text.strings(all.map(|a| a.name.as_str()));
        }
        self.text.end(b'}');
    }

    fn place(&mut self, resource: &Resource) {
        match source_position(self.graph, resource.origin) {
            Some(SourcePosition::Source(span)) => {
                let known = self.file.take().filter(|(id, ..)| *id == span.file);
                let (_, file, path) = known.unwrap_or_else(|| {
                    let file = self.sources.file(span.file);
                    let mut path = Text::default();
                    path.string(&file.path.to_string_lossy());
                    (span.file, file, path.bytes().into())
                });
                self.file_line(&path, file.line(span.range.start));
                self.file = Some((span.file, file, path));
            }
            Some(SourcePosition::Known(place)) => {
                let mut path = Text::default();
                path.string(&place.file);
                self.file_line(path.bytes(), place.line);
            }
            None => {}
        }
    }

    /// Writes a place; the path of the file is already JSON.
    fn file_line(&mut self, path: &[u8], line: u32) {
        if path != b"\"\"" {
            self.text.json(br#","file":"#);
            self.text.json(path);
        }
        self.text.json(br#","line":"#);
        self.text.unsigned(line);
    }

    fn parameters(&mut self, id: ResourceId, resource: &Resource) {
        let extra = self.extra.get(&id).map_or(&[][..], Vec::as_slice);
        let graph = self.graph;
        let text = &mut self.text;
        let is_set = |value: &Value| match value {
            Value::Secret(inner) => !inner.is_null(),
            value => !value.is_null(),
        };
        let set = || resource.attributes.iter().filter(|a| is_set(&a.value));
        let form = set().map(|a| Letters::of(&a.name)).max();
        if extra.is_empty() && form.is_none() {
            return;
        }
        text.json(br#","parameters":"#);
        text.begin(b'{');
        let write_one = |text: &mut Text, name: &str, attribute: &Attribute| {
            match form {
                Some(Letters::Plain) => text.plain_key(name),
                _ => text.key(name),
            }
            let value = match &attribute.value {
                Value::Secret(inner) => inner,
                value => value,
            };
            let more = implicit_references(graph, extra, name);
            if more.is_empty() {
                write_rich(text, value);
            } else {
                let more = more.iter().map(String::as_str);
                text.strings(references(value).into_iter().chain(more));
            }
        };
        if form == Some(Letters::Other) {
            for (name, attribute) in in_small_letters(set()) {
                write_one(text, &name, attribute);
            }
        } else {
            set().for_each(|attribute| write_one(text, &attribute.name, attribute));
        }
        for name in ["before", "notify"] {
            let more = implicit_references(graph, extra, name);
            if !more.is_empty() && !set().any(|a| a.name == name) {
                text.plain_key(name);
                text.strings(more.iter().map(String::as_str));
            }
        }
        text.end(b'}');
    }
}

type ImplicitEdges = Vec<(EdgeKind, ResourceId)>;

/// The letters of an attribute's name, which tell how it is written as a key.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Letters {
    /// Small letters, digits and underscores: nothing to change or to escape.
    Plain,
    /// The name is as [`in_small_letters`] gives it.
    Small,
    /// The name may have capitals.
    Other,
}

impl Letters {
    fn of(name: &str) -> Self {
        let is_plain =
            |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
        if name.bytes().all(is_plain) {
            Self::Plain
        } else if name.bytes().all(|byte| byte.is_ascii() && !byte.is_ascii_uppercase()) {
            Self::Small
        } else {
            Self::Other
        }
    }
}

/// Attributes with names in lower case, as upstream writes them. If names become equal, the last
/// value takes the place of the first.
fn in_small_letters<'a>(
    attributes: impl Iterator<Item = &'a Attribute>,
) -> IndexMap<EcoString, &'a Attribute> {
    attributes.map(|attribute| (attribute.name.to_lowercase(), attribute)).collect()
}

/// The references that have to be added to a parameter.
fn implicit_references(graph: &Graph, extra: &[(EdgeKind, ResourceId)], name: &str) -> Vec<String> {
    let kind = match name {
        _ if extra.is_empty() => return Vec::new(),
        "notify" => EdgeKind::Notify,
        "before" => EdgeKind::Before,
        _ => return Vec::new(),
    };
    let targets = extra.iter().filter(|(of, _)| *of == kind);
    targets.map(|(_, target)| graph.resource(*target).id.to_string()).collect()
}

/// The edges without a parameter, by their first resource.
fn implicit_edges(graph: &Graph) -> FxHashMap<ResourceId, ImplicitEdges> {
    let mut extra: FxHashMap<ResourceId, ImplicitEdges> = FxHashMap::default();
    if graph.barriers.is_empty() && graph.edges.iter().all(|edge| has_parameter(graph, edge)) {
        return extra;
    }
    let mut declared: FxHashSet<(ResourceId, ResourceId, EdgeKind)> = FxHashSet::default();
    declared.reserve(graph.edges.len());
    for (id, resource) in graph.resources() {
        for (name, other_first, kind) in RELATIONS {
            let Some(value) = resource.value(name) else { continue };
            let others = references(value).into_iter().filter_map(|text| referred(graph, text));
            declared
                .extend(others.map(|o| if other_first { (o, id, kind) } else { (id, o, kind) }));
        }
    }
    let of_barriers = graph.barriers.iter().flat_map(Barrier::edges);
    for edge in graph.edges.iter().cloned().chain(of_barriers) {
        if declared.insert((edge.from, edge.to, edge.kind)) {
            extra.entry(edge.from).or_default().push((edge.kind, edge.to));
        }
    }
    extra
}

/// The resource of a reference. A file reference may end in slashes, unlike the title.
fn referred(graph: &Graph, text: &str) -> Option<ResourceId> {
    graph.find_text(text).or_else(|| {
        let path = text.strip_prefix("File[")?.strip_suffix("/]")?;
        graph.find_text(&format!("File[{}]", path.trim_end_matches('/')))
    })
}

/// Whether a parameter of one end names the other. Long lists are not searched, as there may be an
/// edge for each of their items.
fn has_parameter(graph: &Graph, edge: &Edge) -> bool {
    const SHORT: usize = 8;
    let (from, to) = (graph.resource(edge.from), graph.resource(edge.to));
    RELATIONS.iter().filter(|(_, _, kind)| *kind == edge.kind).any(|(name, other_first, _)| {
        let (own, other) = if *other_first { (to, &from.id) } else { (from, &to.id) };
        match own.value(name) {
            Some(Value::Str(text)) => names(text, other),
            Some(Value::List(items)) if items.len() <= SHORT => {
                items.iter().filter_map(Value::as_str).any(|text| names(text, other))
            }
            _ => false,
        }
    })
}

/// Whether a text is the reference `Kind[title]` of this resource.
fn names(text: &str, id: &ResourceRef) -> bool {
    let title = text.strip_prefix(id.kind.as_str()).and_then(|rest| rest.strip_prefix('['));
    title.and_then(|rest| rest.strip_suffix(']')) == Some(id.title.as_str())
}

/// The kind of the type of a resource, as JSON.
fn nature(resource: &Resource) -> &'static str {
    match resource.containment {
        Containment::ClassResource => r#""class""#,
        Containment::Define => r#""defined_type""#,
        Containment::Class if resource.id.kind != "Stage" => r#""unknown""#,
        Containment::Class | Containment::Leaf => r#""compilable_type""#,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use serde_json::{Value as Json, json};

    use super::super::read;
    use super::*;
    use crate::relations::Relations;
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

    fn written(graph: &Graph, envelope: &Envelope) -> Json {
        let mut text = Vec::new();
        write(graph, &SourceMap::new(), envelope, &mut text).unwrap();
        serde_json::from_slice(&text).unwrap()
    }

    #[test]
    fn a_catalog_reads_back_the_same() {
        let graph = read(CATALOG.as_bytes()).unwrap();
        let envelope = Envelope { version: Value::Int(7), code_id: None, uuid: "u".into() };
        let want: Json = serde_json::from_str(CATALOG).unwrap();
        let back = written(&graph, &envelope);
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
        let json = written(&graph, &Envelope::default());
        assert_eq!(json["resources"][0]["parameters"], json!({ "notify": ["File[b]"] }));
    }

    #[test]
    fn numbers_without_a_form_in_json_are_refused() {
        for (number, shown) in [(f64::NAN, "NaN"), (f64::NEG_INFINITY, "-Infinity")] {
            let mut graph = Graph::default();
            let a = leaf(&mut graph, "a");
            let value = Value::list([Value::Float(1.0), Value::Float(number)]);
            let name = "mode".into();
            let origin = graph.resource(a).origin;
            let attribute = Attribute { name, value, origin, losers: Vec::new() };
            graph.resource_mut(a).attributes.push(attribute);
            let error = write(&graph, &SourceMap::new(), &Envelope::default(), &mut Vec::new());
            let text = error.unwrap_err().to_string();
            assert_eq!(text, format!("{shown} not allowed in JSON: the value of mode of File[a]"));
        }
    }

    #[test]
    fn an_unknown_reference_is_named() {
        let broken = CATALOG.replace("Service[s]\"],", "Service[t]\"],");
        let error = read(broken.as_bytes()).unwrap_err().to_string();
        assert_eq!(error, "notify of File[conf]: the catalog has no resource Service[t]");
    }
}
