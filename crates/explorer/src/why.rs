//! The explanation of a resource or attribute, with the source text around each place.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use ordain_data::Redactor;
use ordain_graph::explain::Explainer;
use ordain_graph::{Graph, ResourceId};
use ordain_puppet::provenance::Provenance;
use ordain_source::{SourceFile, SourceMap};
use serde_json::{Value as Json, json};

use crate::error::ExplorerError;

/// The lines before and after a place that are shown.
const AROUND: u32 = 4;

/// Reads a file that no source text of a compile is of, such as a data file.
pub type ReadText<'a> = dyn Fn(&Path) -> Option<String> + 'a;

/// Explains a resource, or one of its attributes, of a compiled graph. The document is that of
/// `ordain explain --format json`, with `sources`: the lines around each place by file. `read` reads
/// data files.
///
/// # Errors
/// When there is no such resource or attribute.
pub fn why(
    graph: &Graph,
    sources: &SourceMap,
    resource: &str,
    attribute: Option<&str>,
    read: &ReadText<'_>,
) -> Result<Json, ExplorerError> {
    let id = find(graph, resource)?;
    let (provenance, secrets) = (Provenance::new(graph, sources), graph.redactor());
    let explainer = Explainer {
        graph,
        sources,
        line: &|_, _| None,
        // The document has values, not their texts.
        shown: &|_| String::new(),
        secrets: &secrets,
        variables: &|explainer, origin| provenance.variables(explainer, origin),
    };
    let explanation = match attribute {
        Some(name) => {
            let found = graph.resource(id).attribute(name);
            let missing = || ExplorerError::Missing(format!("attribute {name} of {resource}"));
            explainer.attribute(id, found.ok_or_else(missing)?)
        }
        None => explainer.resource(id),
    };
    let mut document = explanation.json();
    let mut places = Vec::new();
    collect(&document, &mut places);
    document["sources"] = texts(graph, sources, &secrets, &places, read);
    Ok(document)
}

/// The resource with a name such as `File[/etc/motd]`.
pub(crate) fn find(graph: &Graph, name: &str) -> Result<ResourceId, ExplorerError> {
    graph.find_text(name).ok_or_else(|| ExplorerError::Missing(format!("resource {name}")))
}

/// A place of an explanation.
struct Shown {
    file: String,
    line: u32,
    /// Whether it is in data that the code looked up.
    is_data: bool,
}

/// The places of an explanation.
fn collect(document: &Json, places: &mut Vec<Shown>) {
    if let (Some(file), Some(line)) = (document["file"].as_str(), document["line"].as_u64()) {
        let (file, line) = (file.to_owned(), u32::try_from(line).unwrap_or(u32::MAX));
        places.push(Shown { file, line, is_data: document["step"] == "data" });
    }
    for part in ["causes", "from", "parts"] {
        for cause in document[part].as_array().into_iter().flatten() {
            collect(cause, places);
        }
    }
}

/// The lines around the places, by file and number, without secrets.
fn texts(
    graph: &Graph,
    sources: &SourceMap,
    secrets: &Redactor,
    places: &[Shown],
    read: &ReadText<'_>,
) -> Json {
    let mut files: BTreeMap<&str, BTreeMap<u32, String>> = BTreeMap::new();
    for Shown { file: name, line, is_data } in places {
        let (lines, is_data) = (files.entry(name).or_default(), *is_data);
        let Some(file) = file_of(graph, sources, name, read) else { continue };
        let first = if is_data { *line } else { line.saturating_sub(AROUND).max(1) };
        for number in first..=line.saturating_add(AROUND) {
            let start = file.line_start(number);
            if start == file.text.len() || is_data && number > *line && !continues(&file, number) {
                break;
            }
            let end = start + file.line_text(number).len();
            let text = file.shown(start..end);
            lines.insert(number, secrets.redact(&text).into_owned());
        }
    }
    let files = files.into_iter().map(|(name, lines)| {
        let lines = lines.into_iter().map(|(number, text)| json!({ "line": number, "text": text }));
        json!({ "file": name, "lines": lines.collect::<Vec<_>>() })
    });
    files.collect()
}

/// Whether a line of a data file belongs to the same key as the line before. The next key is left
/// out: it may be a secret of which the graph of this node knows nothing.
fn continues(file: &SourceFile, line: u32) -> bool {
    let is_yaml = file.path.extension().is_some_and(|end| end == "yaml" || end == "yml");
    is_yaml && file.line_text(line).starts_with([' ', '\t', '-'])
}

/// A file: the text of the compile, or for data files the one that is read.
fn file_of(
    graph: &Graph,
    sources: &SourceMap,
    name: &str,
    read: &ReadText<'_>,
) -> Option<Arc<SourceFile>> {
    let path = Path::new(name);
    let spans = graph.origins.iter().filter_map(|origin| origin.span);
    let known: BTreeSet<_> = spans.map(|span| span.file).collect();
    let compiled = known.into_iter().map(|id| sources.file(id)).find(|file| file.path == path);
    compiled.or_else(|| Some(Arc::new(SourceFile::new(path, read(path)?))))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use ordain_data::Value;
    use ordain_graph::{Attribute, Containment, DataStep, Origin, Resource, ResourceRef, Step};
    use ordain_source::{Span, TextRange};

    use super::*;

    #[test]
    fn source_lines_are_beside_the_places_without_secrets() {
        let sources = SourceMap::new();
        let text = "file { '/a':\n  mode => '0644',\n  content => 'hunter2-secret',\n}\n";
        let file = sources.add("site.pp", text);
        let mut graph = Graph::default();
        let span = Span { file, range: TextRange::new(0, 4) };
        let origin = graph.origins.intern(Origin {
            step: Step::Declaration,
            span: Some(span),
            parent: None,
        });
        let attribute = |name: &str, value: Value| Attribute {
            name: name.into(),
            value,
            origin,
            losers: Vec::new(),
        };
        graph.add(Resource {
            id: ResourceRef { kind: "File".into(), title: "/a".into() },
            containment: Containment::Leaf,
            attributes: vec![
                attribute("mode", "0644".into()),
                attribute("content", Value::Secret(Arc::new("hunter2-secret".into()))),
            ],
            tags: Vec::new(),
            exported: false,
            is_virtual: false,
            origin,
        });
        let found = why(&graph, &sources, "File[/a]", Some("mode"), &|_| None).unwrap();
        assert_eq!(found["causes"][0]["file"], "site.pp");
        assert_eq!(
            found["sources"][0]["lines"][1],
            json!({ "line": 2, "text": "  mode => '0644'," })
        );
        assert!(!found.to_string().contains("hunter2"), "{found}");
        assert!(why(&graph, &sources, "File[/b]", None, &|_| None).is_err());
        assert!(why(&graph, &sources, "File[/a]", Some("owner"), &|_| None).is_err());
    }

    #[test]
    fn other_keys_of_a_data_file_are_not_beside_the_place() {
        let sources = SourceMap::new();
        let mut graph = Graph::default();
        let data = DataStep { key: "users".into(), file: "common.yaml".into(), line: 2 };
        let step = Step::Data(Arc::new(data));
        let origin = graph.origins.intern(Origin { step, span: None, parent: None });
        graph.add(Resource {
            id: ResourceRef { kind: "User".into(), title: "a".into() },
            containment: Containment::Leaf,
            attributes: Vec::new(),
            tags: Vec::new(),
            exported: false,
            is_virtual: false,
            origin,
        });
        let read =
            |_: &Path| Some("password: p1\nusers:\n- a\n  # b\nother_password: p2\n".to_owned());
        let found = why(&graph, &sources, "User[a]", None, &read).unwrap();
        let lines = found["sources"][0]["lines"].as_array().unwrap();
        let texts: Vec<&str> = lines.iter().map(|line| line["text"].as_str().unwrap()).collect();
        assert_eq!(texts, ["users:", "- a", "  # b"]);
    }
}
