//! Documents about a compiled graph, in the forms of those about a stored catalog.

use ordain_data::Value;
use ordain_graph::json::{Secrets, redacted, write_value};
use ordain_graph::locate::place;
use ordain_graph::{Edge, EdgeKind, Graph, Resource, ResourceId};
use ordain_source::SourceMap;
use serde_json::{Map, Value as Json, json};

use crate::document::{Document, table_document};
use crate::error::ExplorerError;
use crate::facts::{differing_facts, facts_document};
use crate::links::Links;
use crate::request::PageRequest;
use crate::why::find;

/// The relations of barriers up to which they are shown one by one.
const MAX_BARRIER_EDGES: usize = 200_000;

/// A compiled graph with the facts of its node.
pub struct GraphView<'a> {
    /// The graph.
    pub graph: &'a Graph,
    /// The source texts that its origins refer to.
    pub sources: &'a SourceMap,
    /// The facts; a map.
    pub facts: &'a Value,
}

/// Answers a request for `facts`, `resources`, `resource` or `graph` of a compiled graph. The last
/// segment names the page.
///
/// # Errors
/// When there is no such page or resource, or a parameter is wrong.
pub fn graph_document(
    view: &GraphView<'_>,
    request: &PageRequest<'_>,
) -> Result<Document, ExplorerError> {
    match request.segments.last() {
        Some(&"facts") => facts_document(&write_value(view.facts, Secrets::Omit), request),
        Some(&"resources") => view.resources(request),
        Some(&"resource") => view.resource(request.parameter("resource").unwrap_or_default()),
        Some(&"graph") => Ok(Document::json(&view.links().neighbourhood(request)?)),
        _ => Err(ExplorerError::Missing(format!("page {}", request.segments.join("/")))),
    }
}

/// The facts that differ between two nodes, as a table: `fact`, `before`, `after`.
///
/// # Errors
/// When a parameter is wrong.
pub fn compared_document(
    before: &Value,
    after: &Value,
    request: &PageRequest<'_>,
) -> Result<Document, ExplorerError> {
    let [before, after] = [before, after].map(|facts| write_value(facts, Secrets::Omit));
    table_document(&["fact", "before", "after"], differing_facts(&before, &after), request)
}

/// The names of the resources of a graph that contain a text in lower case, at most so many.
pub fn matching_resources(graph: &Graph, text: &str, most: usize) -> Vec<String> {
    let names = shown_resources(graph).map(|(_, resource)| resource.id.to_string());
    names.filter(|name| name.to_lowercase().contains(text)).take(most).collect()
}

/// The resources without those that nothing realizes.
fn shown_resources(graph: &Graph) -> impl Iterator<Item = (ResourceId, &Resource)> {
    graph.resources().filter(|(_, resource)| !resource.is_virtual)
}

/// The word for a relation.
fn word(kind: EdgeKind) -> &'static str {
    match kind {
        EdgeKind::Before => "before",
        EdgeKind::Notify => "notifies",
    }
}

impl GraphView<'_> {
    fn name(&self, id: ResourceId) -> String {
        self.graph.resource(id).id.to_string()
    }

    fn place(&self, resource: &Resource) -> (Json, Json) {
        let found = place(self.graph, resource.origin, self.sources);
        found.map_or_else(Default::default, |place| (json!(place.file), json!(place.line)))
    }

    /// The resources whose name or file contains the parameter `q`.
    fn resources(&self, request: &PageRequest<'_>) -> Result<Document, ExplorerError> {
        let text = request.parameter("q").unwrap_or_default().to_lowercase();
        let mut rows: Vec<Vec<Json>> = shown_resources(self.graph)
            .map(|(_, resource)| {
                let (file, line) = self.place(resource);
                vec![json!(resource.id.to_string()), file, line]
            })
            .filter(|row| {
                let has = |cell: &Json| {
                    cell.as_str().is_some_and(|cell| cell.to_lowercase().contains(&text))
                };
                has(&row[0]) || has(&row[1])
            })
            .collect();
        rows.sort_by(|a, b| a[0].as_str().cmp(&b[0].as_str()));
        table_document(&["resource", "file", "line"], rows, request)
    }

    /// The attributes, tags and relations of a resource. Secrets are left out, also as parts of other
    /// values.
    fn resource(&self, name: &str) -> Result<Document, ExplorerError> {
        let id = find(self.graph, name)?;
        let resource = self.graph.resource(id);
        let secrets = self.graph.redactor();
        let value = |value: &Value| redacted(write_value(value, Secrets::Omit), &secrets);
        let attributes = resource.attributes.iter();
        let attributes: Map<String, Json> = attributes
            .map(|attribute| (attribute.name.to_string(), value(&attribute.value)))
            .collect();
        let mut relations = Vec::new();
        self.each_relation(|from, to, kind| {
            if from == id || to == id {
                let (from, to) = (self.name(from), self.name(to));
                relations.push(json!({ "from": from, "to": to, "kind": kind }));
            }
        });
        let (file, line) = self.place(resource);
        Ok(Document::json(&json!({
            "resource": resource.id.to_string(),
            "parameters": attributes,
            "tags": resource.tags.iter().map(|tag| tag.as_str()).collect::<Vec<_>>(),
            "file": file,
            "line": line,
            "relations": relations,
        })))
    }

    fn links(&self) -> Links {
        let mut links = Links::default();
        self.each_relation(|from, to, kind| links.add(&self.name(from), &self.name(to), kind));
        for (_, resource) in shown_resources(self.graph) {
            links.number(&resource.id.to_string());
        }
        links
    }

    /// Calls a function with each relation: from a container or an earlier resource, to its content
    /// or a later one.
    fn each_relation(&self, mut each: impl FnMut(ResourceId, ResourceId, &'static str)) {
        for (container, content) in &self.graph.containment {
            each(*container, *content, "contains");
        }
        let mut edge = |edge: &Edge| each(edge.from, edge.to, word(edge.kind));
        self.graph.edges.iter().chain(&self.graph.automatic).for_each(&mut edge);
        if self.graph.edges_of_barriers() <= MAX_BARRIER_EDGES {
            let barriers = self.graph.barriers.iter();
            barriers.flat_map(|barrier| barrier.edges()).for_each(|found| edge(&found));
        }
    }
}
