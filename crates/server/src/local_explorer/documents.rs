//! The documents about a repository.

use std::time::{Duration, Instant};

use hyper::StatusCode;
use ordain_explorer::{
    Document, ExplorerError, GraphView, PageRequest, compared_document, graph_document,
    matching_resources, table_document, why,
};
use ordain_fleet::{FleetDiff, FleetError, NodeGraph, Repository};
use serde_json::{Value as Json, json};

use crate::comparisons::{self, Filters};
use crate::handlers::explorer_reply::{problem, refusal};
use crate::reply::Reply;
use crate::url::Target;

/// The maximum number of results of a kind.
const RESULTS: usize = 10;
/// The time in which nodes are compiled for a search.
const SEARCH: Duration = Duration::from_secs(5);

/// The reason why there is no document.
enum Refused {
    Page(ExplorerError),
    Repository(FleetError),
}

impl From<ExplorerError> for Refused {
    fn from(error: ExplorerError) -> Self {
        Self::Page(error)
    }
}

impl From<FleetError> for Refused {
    fn from(error: FleetError) -> Self {
        Self::Repository(error)
    }
}

/// Answers a request for a document. Compiles on this thread.
pub(super) fn answer(repository: &Repository, target: &Target) -> Reply {
    // The first two are `explore` and `api`.
    let segments = target.segments.iter().skip(2).map(String::as_str).collect();
    let parameters = target.query.iter();
    let parameters = parameters.map(|(name, value)| (name.as_str(), value.as_str())).collect();
    match document(repository, &PageRequest { segments, parameters }) {
        Ok(document) => Reply::new(StatusCode::OK, document.content_type, document.text),
        Err(Refused::Page(error)) => refusal(&error),
        Err(Refused::Repository(error)) => {
            let status = match error {
                FleetError::UnknownNode { .. } => StatusCode::NOT_FOUND,
                _ => StatusCode::UNPROCESSABLE_ENTITY,
            };
            problem(status, &error.to_string())
        }
    }
}

fn document(repository: &Repository, request: &PageRequest<'_>) -> Result<Document, Refused> {
    match request.segments[..] {
        ["session"] => Ok(Document::json(&session(repository))),
        ["revisions"] => revisions(repository, request),
        ["nodes"] => nodes(repository, request),
        ["search"] => Ok(search(repository, request)),
        ["diff", ref rest @ ..] => {
            let (before, after) = (request.parameter("before"), request.parameter("after"));
            let filters = Filters::of(request)?;
            let found = repository.diff(before, after, &filters.having)?;
            // A comparison without nodes has one of another name.
            let names = (!filters.nodes.is_empty() && !found.is_single)
                .then(|| repository.chosen_names(&filters.nodes));
            let found = filters.apply(found, names.as_ref());
            match rest {
                [] => Ok(comparisons::groups(&found, request)?),
                ["nodes"] => Ok(comparisons::nodes(&found, request)?),
                _ => Err(missing(request)),
            }
        }
        ["compare", ref rest @ ..] => compared(repository, rest, request),
        ["nodes", name] => node(repository, name, request),
        ["nodes", name, "why"] => explanation(repository, name, request),
        ["nodes", name, _] => {
            let found = repository.graph(name, request.parameter("revision"))?;
            Ok(graph_document(&view(&found), request)?)
        }
        _ => Err(missing(request)),
    }
}

fn missing(request: &PageRequest<'_>) -> Refused {
    ExplorerError::Missing(format!("page {}", request.segments.join("/"))).into()
}

fn view(found: &NodeGraph) -> GraphView<'_> {
    GraphView { graph: &found.graph, sources: found.sources(), facts: &found.facts }
}

fn session(repository: &Repository) -> Json {
    let names = repository.names();
    json!({
        "mode": "repository",
        "user": "",
        "path": repository.path().display().to_string(),
        "language": repository.language(),
        "nodes": names.len(),
        "first_node": names.first(),
        "has_revisions": !repository.commits().is_empty(),
    })
}

/// The last commits: `name`, `time`, `author`, `subject`.
fn revisions(repository: &Repository, request: &PageRequest<'_>) -> Result<Document, Refused> {
    let commits = repository.commits().into_iter().map(|commit| {
        let short: String = commit.id.chars().take(12).collect();
        vec![json!(short), json!(commit.time), json!(commit.author), json!(commit.subject)]
    });
    Ok(table_document(&["name", "time", "author", "subject"], commits.collect(), request)?)
}

/// The nodes whose name contains the parameter `q`.
fn nodes(repository: &Repository, request: &PageRequest<'_>) -> Result<Document, Refused> {
    let text = request.parameter("q").unwrap_or_default().to_lowercase();
    let names = repository.names().into_iter();
    let names = names.filter(|name| name.to_lowercase().contains(&text));
    let rows = names.map(|name| vec![json!(name)]).collect();
    Ok(table_document(&["name"], rows, request)?)
}

/// A node: its graph in numbers, or the error of its compile.
fn node(
    repository: &Repository,
    name: &str,
    request: &PageRequest<'_>,
) -> Result<Document, Refused> {
    // A node that does not compile has facts nevertheless.
    repository.facts(name)?;
    let document = match repository.graph(name, request.parameter("revision")) {
        Ok(found) => json!({
            "name": name,
            "environment": found.graph.environment.as_str(),
            "resources": found.graph.len(),
            "warnings": found.warnings,
            "may_plan": true,
        }),
        Err(error) => json!({ "name": name, "failure": error.to_string() }),
    };
    Ok(Document::json(&document))
}

fn explanation(
    repository: &Repository,
    name: &str,
    request: &PageRequest<'_>,
) -> Result<Document, Refused> {
    let found = repository.graph(name, request.parameter("revision"))?;
    let resource = request.parameter("resource").unwrap_or_default();
    let attribute = request.parameter("attribute");
    let read = |path: &std::path::Path| found.read(path);
    let mut document = why(&found.graph, found.sources(), resource, attribute, &read)?;
    document["warnings"] = json!(found.warnings);
    Ok(Document::json(&document))
}

/// The differences of two nodes, each at a revision: of their graphs, or with `facts` of their facts.
fn compared(
    repository: &Repository,
    rest: &[&str],
    request: &PageRequest<'_>,
) -> Result<Document, Refused> {
    let name = |side: &str| {
        let missing = || ExplorerError::Parameter(format!("`{side}` names no node"));
        request.parameter(side).ok_or_else(missing)
    };
    let (before, after) = (name("a")?, name("b")?);
    if rest == ["facts"] {
        let (before, after) = (repository.facts(before)?, repository.facts(after)?);
        return Ok(compared_document(&before, &after, request)?);
    }
    if !rest.is_empty() {
        return Err(missing(request));
    }
    let (old, new) = (request.parameter("a_revision"), request.parameter("b_revision"));
    let (one, two) = (repository.graph(before, old)?, repository.graph(after, new)?);
    let label = |node: &str, revision: Option<&str>| {
        revision.map_or_else(|| node.to_owned(), |revision| format!("{node} at {revision}"))
    };
    let (before, after) = (label(before, old), label(after, new));
    let found = FleetDiff::of_graphs((&before, &one.graph), (&after, &two.graph));
    Ok(comparisons::groups(&found, request)?)
}

/// Nodes and resources whose name contains the parameter `q`, in the work tree. Nodes are compiled
/// for it as long as that takes no longer than [`SEARCH`]; `incomplete` says that some were left out.
fn search(repository: &Repository, request: &PageRequest<'_>) -> Document {
    let text = request.parameter("q").unwrap_or_default().trim().to_lowercase();
    if text.is_empty() {
        return Document::json(&json!({ "results": [] }));
    }
    let names = repository.names();
    let found = names.iter().filter(|name| name.to_lowercase().contains(&text)).take(RESULTS);
    let mut results: Vec<Json> =
        found.map(|name| json!({ "kind": "node", "name": name })).collect();
    let mut resources: Vec<String> = Vec::new();
    let (begin, mut is_incomplete) = (Instant::now(), false);
    for node in &names {
        if resources.len() >= RESULTS || begin.elapsed() > SEARCH {
            is_incomplete = true;
            break;
        }
        // A node that does not compile has no resources; its page has the error.
        let Ok(graph) = repository.graph(node, None) else { continue };
        for name in matching_resources(&graph.graph, &text, RESULTS) {
            if resources.len() < RESULTS && !resources.contains(&name) {
                results.push(json!({ "kind": "resource", "name": name, "node": node }));
                resources.push(name);
            }
        }
    }
    Document::json(&json!({ "results": results, "incomplete": is_incomplete }))
}
