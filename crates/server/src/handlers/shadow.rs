//! The catalogs of the old server and of this one, compared.

use std::io::Read;
use std::sync::Arc;

use flate2::read::GzDecoder;
use hyper::StatusCode;
use jiff::Timestamp;
use ordain_fleet::{Change, compare_graphs, render};
use ordain_graph::Graph;
use ordain_graph::puppet_catalog;
use serde_json::{Value as Json, json};

use super::catalog::Asked;
use super::compiling::{Compiled, Wanted, classification, compile_node};
use crate::compile::OpenedEnvironment;
use crate::principal::Admin;
use crate::reply::Reply;
use crate::request::Request;
use crate::server::Server;
use crate::shadow::{
    ComparedFiles, Comparison, CopyingResources, NodeCode, NodeResult, Seconds, Shadow, View,
};
use crate::storage::{Receipt, Source, catalog_digest, stored};

/// The maximum length of an unpacked catalog in bytes.
const MAX_CATALOG: u64 = 256 << 20;
/// The name of the JSON document.
const FORMAT: &str = "ordain-shadow";
/// The type of a page.
const HTML: &str = "text/html; charset=utf-8";

/// The catalog of the old server, or its error.
type Theirs = Result<Graph, String>;

/// The result of a node.
struct Compared {
    result: NodeResult,
    /// The receipts of its data.
    receipts: Vec<Receipt>,
    /// The code, if both servers have a catalog, so that their files are compared, too.
    code: Option<NodeCode>,
}

/// Compiles a catalog as the old server did, and records the differences.
pub(crate) async fn compare(server: Arc<Server>, comparison: Comparison) {
    let node = comparison.identity.name.clone();
    let working = Arc::clone(&server);
    // The memory of the comparison counts until its files are compared, too.
    let work = move || (compared(&working, &comparison), comparison);
    let (result, _comparison) = match server.pool.run(work).await {
        Ok((result, comparison)) => (Ok(result), Some(comparison)),
        Err(refused) => (Err(refused), None),
    };
    let Some(shadow) = &server.shadow else { return };
    match result {
        Ok(Ok(Some(Compared { mut result, receipts, code }))) => {
            for receipt in receipts {
                if let Err(error) = stored(receipt).await {
                    tracing::warn!(node = node.as_str(), %error, "facts or catalog are not stored");
                }
            }
            if let Some(code) = code {
                let ComparedFiles { changes, not_compared } =
                    shadow.compare_files(&server, code).await;
                result.changes.extend(changes);
                result.files_not_compared = not_compared;
            }
            shadow.results.record(result);
        }
        Ok(Ok(None)) => {}
        Ok(Err(message)) => {
            tracing::warn!(node = node.as_str(), "the catalog is not compared: {message}");
            shadow.skip();
        }
        Err(_) => shadow.skip(),
    }
}

/// Compares; `None` if the reply has no catalog of the node.
fn compared(server: &Arc<Server>, comparison: &Comparison) -> Result<Option<Compared>, String> {
    let failed = |reply: Reply| format!("the request is not valid here ({})", reply.status);
    let asked = Asked::of(&comparison.identity, &comparison.request).map_err(failed)?;
    let Some(theirs) = theirs(comparison)? else { return Ok(None) };
    let environment_there = match &theirs {
        Ok(graph) => graph.environment.to_string(),
        Err(_) => asked.environment.clone(),
    };
    if environment_there != asked.environment && asked.checks_environment {
        // The agent asks again, with this environment.
        return Ok(None);
    }
    let mut receipts = Vec::new();
    let ours = compile(server, &asked, &environment_there, &mut receipts);
    let mut code = None;
    let changes = match (theirs, ours) {
        (Ok(theirs), Ok((ours, env))) => {
            let resources = CopyingResources::of(&theirs, &ours);
            code = Some(NodeCode { identity: comparison.identity.clone(), env, resources });
            compare_graphs(&theirs, &ours)
        }
        (Ok(_), Err(message)) => vec![Change::Fails { message, place: None }],
        (Err(message), Ok(_)) => vec![Change::FailsNoMore { message, place: None }],
        (Err(before), Err(message)) => vec![Change::StillFails { before, message, place: None }],
    };
    let result = NodeResult {
        node: comparison.identity.name.to_string(),
        environment: environment_there,
        sequence: comparison.sequence,
        changes,
        files_not_compared: 0,
    };
    Ok(Some(Compared { result, receipts, code }))
}

/// Reads the reply of the old server; `None` if it is an error that is not about the catalog.
fn theirs(comparison: &Comparison) -> Result<Option<Theirs>, String> {
    let mut unpacked = Vec::new();
    let text: &[u8] = match comparison.is_gzip {
        true => {
            let mut reader = GzDecoder::new(&comparison.body[..]).take(MAX_CATALOG);
            reader.read_to_end(&mut unpacked).map_err(|error| error.to_string())?;
            &unpacked
        }
        false => &comparison.body,
    };
    if comparison.status == StatusCode::OK {
        return puppet_catalog::read(text)
            .map(|graph| Some(Ok(graph)))
            .map_err(|error| format!("the catalog of the old server cannot be read: {error}"));
    }
    let reply: Json = serde_json::from_slice(text).unwrap_or_default();
    let text = reply.get("message").and_then(Json::as_str);
    // Other programs than a server of Puppet, such as a proxy, have other forms of errors.
    Ok(text.map(|text| Err(text.trim_start_matches("Server Error: ").to_string())))
}

/// The catalog of this server, read as a program reads it, and the code that it is of.
fn compile(
    server: &Arc<Server>,
    asked: &Asked,
    environment_there: &str,
    receipts: &mut Vec<Receipt>,
) -> Result<(Graph, Arc<OpenedEnvironment>), String> {
    let sent = asked.facts.as_ref().map(|facts| &facts.values);
    let classification = classification(server, &asked.node, &asked.trusted, sent)?;
    let assigned = classification.environment.as_deref().unwrap_or(&asked.environment);
    if assigned != environment_there {
        return Err(format!(
            "the environment is {assigned} on this server, {environment_there} on the old one"
        ));
    }
    let env = server.environments.get(assigned);
    let env = env.map_err(|_| format!("Could not find environment '{assigned}'"))?;
    let source = Source { node: &asked.node, environment: &env.name, transaction: None };
    let facts = match &asked.facts {
        Some(facts) => {
            receipts.push(server.storage.replace_facts(&source, &facts.values, &asked.trusted));
            facts.values.clone()
        }
        None => {
            let stored = server.storage.facts(&asked.node)?;
            stored.ok_or_else(|| format!("There are no facts of {}", asked.node))?
        }
    };
    let wanted = Wanted {
        node: &asked.node,
        trusted: &asked.trusted,
        facts,
        classification,
        static_catalog: None,
    };
    let Compiled { text, exported, .. } =
        compile_node(server, &env, &wanted.request(server, &env))?;
    // Other nodes collect the exported resources.
    let digest = catalog_digest(&text, &env.name, &exported);
    receipts.push(server.storage.replace_catalog(&source, (&text, digest), &exported, None));
    let graph = puppet_catalog::read(&text);
    let graph = graph.map_err(|error| format!("the catalog cannot be read: {error}"))?;
    Ok((graph, env))
}

/// `GET /ordain/v1/shadow[?node=NAME]`: the differences as JSON.
pub(crate) async fn document(server: Arc<Server>, _: Admin, request: Request) -> Reply {
    super::blocking(server, move |server| match &server.shadow {
        Some(shadow) => {
            let view = shadow.results.view(request.target.query.get("node"));
            Reply::json(&json_of(server, &view))
        }
        None => no_old_server(),
    })
    .await
}

/// `GET /ordain/v1/shadow/page[?node=NAME]`: the differences as a page.
pub(crate) async fn page(server: Arc<Server>, _: Admin, request: Request) -> Reply {
    super::blocking(server, move |server| match &server.shadow {
        Some(shadow) => {
            let view = shadow.results.view(request.target.query.get("node"));
            Reply::new(StatusCode::OK, HTML, html_of(server, shadow, &view))
        }
        None => no_old_server(),
    })
    .await
}

fn no_old_server() -> Reply {
    Reply::not_found("this server stands in front of no old one")
}

fn old(server: &Server) -> &str {
    server.config.shadow.as_deref().unwrap_or_default()
}

fn json_of(server: &Server, view: &View) -> Json {
    let time = |seconds: Option<Seconds>| {
        let time = seconds.and_then(|seconds| Timestamp::from_second(seconds).ok());
        time.map(|time| time.to_string())
    };
    let resources: Vec<Json> = resources(view)
        .into_iter()
        .map(|(name, nodes)| json!({ "resource": name, "nodes": nodes }))
        .collect();
    let nodes = view.nodes.iter().map(|(name, node)| {
        json!({
            "name": name,
            "environment": node.environment,
            "compared": time(Some(node.compared)),
            "differs_since": time(node.differs_since),
            "differences": node.count(),
            "not_listed": node.more,
            "files_not_compared": node.files_not_compared,
        })
    });
    let nodes: Vec<Json> = nodes.collect();
    let differing = view.nodes.iter().filter(|(_, node)| node.count() > 0).count();
    json!({
        "format": FORMAT,
        "version": 1,
        "old": old(server),
        "first_compared": time(view.began),
        "zero_since": time(view.zero_since),
        "counts": {
            "nodes": view.nodes.len(),
            "differing": differing,
            "compared": view.compared,
            "skipped": view.skipped,
        },
        "last_skipped": time(view.last_skipped),
        "resources": resources,
        "nodes": nodes,
        "differences": render::json(&view.diff),
    })
}

/// The resources that differ, with the number of nodes, those of most nodes first.
fn resources(view: &View) -> Vec<(String, usize)> {
    let mut counts = std::collections::BTreeMap::<&str, usize>::new();
    for node in &view.diff.nodes {
        let changes = node.changes.iter().map(|number| &view.diff.changes[*number as usize].change);
        let names: std::collections::BTreeSet<&str> =
            changes.filter_map(Change::resource).collect();
        for name in names {
            *counts.entry(name).or_default() += 1;
        }
    }
    let mut counts: Vec<(String, usize)> =
        counts.into_iter().map(|(name, count)| (name.to_string(), count)).collect();
    counts.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    counts
}

fn html_of(server: &Server, shadow: &Shadow, view: &View) -> String {
    /// The maximum number of nodes and of resources that are listed by name.
    const MAX_LISTED: usize = 100;
    let (all, differing) = shadow.results.counts();
    let title = match view.zero_since {
        Some(since) => format!("Zero differences since {}", shown(since)),
        None if all == 0 => "No catalog has been compared yet".to_string(),
        None => format!("{differing} of {all} nodes differ"),
    };
    let mut lines = vec![format!(
        "Catalogs of {} (-) and of this server (+): {} compared, {} not compared{}.",
        old(server),
        view.compared,
        view.skipped,
        view.last_skipped.map_or_else(String::new, |time| format!(", last at {}", shown(time))),
    )];
    if let Some(began) = view.began {
        lines.push(format!("First comparison: {}.", shown(began)));
    }
    let without: Vec<_> = view.nodes.iter().filter(|(_, n)| n.files_not_compared > 0).collect();
    if !without.is_empty() {
        let files: usize = without.iter().map(|(_, node)| node.files_not_compared).sum();
        let nodes = without.len();
        lines.push(format!(
            "The copied files of {files} resources on {nodes} nodes are not compared."
        ));
    }
    let resources = resources(view);
    for (name, nodes) in resources.iter().take(MAX_LISTED) {
        lines.push(format!("{name} differs on {nodes} nodes."));
    }
    let nodes: Vec<_> = view.nodes.iter().filter(|(_, node)| node.count() > 0).collect();
    for (name, node) in nodes.iter().take(MAX_LISTED) {
        let since = node.differs_since.map_or_else(String::new, shown);
        lines.push(format!(
            "{name} ({}): {} differences, since {since}; last compared {}.",
            node.environment,
            node.count(),
            shown(node.compared),
        ));
    }
    let hidden =
        resources.len().saturating_sub(MAX_LISTED) + nodes.len().saturating_sub(MAX_LISTED);
    if hidden > 0 {
        lines.push(format!("{hidden} more resources and nodes are in the JSON document."));
    }
    render::html_page(&view.diff, &title, &lines)
}

/// A time for people.
fn shown(seconds: Seconds) -> String {
    let time = Timestamp::from_second(seconds).unwrap_or_default();
    time.strftime("%Y-%m-%d %H:%M UTC").to_string()
}
