//! The web explorer: files for browsers, and the documents that they ask for.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use hyper::{HeaderMap, StatusCode};
use ordain_ca::Certname;
use ordain_driver::puppet::shared::{SharedEnvironment, evaluation_message, puppet_message};
use ordain_explorer::{
    CONTENT_SECURITY_POLICY, ExplorerError, PageRequest, Viewer, asset, environment_of,
    last_report, store_document, why,
};
use ordain_graph::Graph;
use ordain_source::{Diagnostic, Severity};
use serde_json::json;
use tokio::time::sleep;

use super::code_name::Code;
use super::compiling::{Prepared, Wanted, classification, reply_of};
use super::explorer_compare;
use super::node_code::code_for;
use crate::compile::OpenedEnvironment;
use crate::principal::Explorer;
use crate::reply::{Body, JSON, Reply};
use crate::request::Request;
use crate::server::Server;
use crate::stream::BodyStream;

/// The interval of looks for new reports.
const LOOK: Duration = Duration::from_secs(3);
/// The number of these intervals after which a quiet stream says that it lives.
const ALIVE_AFTER: u32 = 10;
/// The environment of a node that has none.
const ENVIRONMENT: &str = "production";

/// `GET /explore/...`.
pub(crate) async fn get(server: Arc<Server>, user: Explorer, request: Request) -> Reply {
    let is_document = request.captured.path.first().is_some_and(|first| first == "api");
    let reply = if !is_document {
        let segments: Vec<&str> = request.captured.path.iter().map(String::as_str).collect();
        file(&segments)
    } else if is_of_another_site(&request.headers) {
        let text = "the request comes from a page of another site";
        Reply::text(StatusCode::FORBIDDEN, text)
    } else if request.captured.path[1..] == ["live"] {
        live(server)
    } else {
        let viewer = user.viewer().clone();
        document(server, viewer, request).await.header("cache-control", "no-store")
    };
    with_policy(reply)
}

/// Adds the headers that keep other sites out of the pages.
pub(crate) fn with_policy(reply: Reply) -> Reply {
    reply
        .header("content-security-policy", CONTENT_SECURITY_POLICY)
        .header("cross-origin-opener-policy", "same-origin")
        .header("cross-origin-resource-policy", "same-origin")
        .header("referrer-policy", "no-referrer")
}

/// Whether a browser says that another site asks. A compile should not be started from there.
pub(crate) fn is_of_another_site(headers: &HeaderMap) -> bool {
    let site = headers.get("sec-fetch-site").map(hyper::header::HeaderValue::as_bytes);
    !matches!(site, None | Some(b"same-origin" | b"none"))
}

/// A file of the pages. The segments are those after `/explore/`.
pub(crate) fn file(segments: &[&str]) -> Reply {
    let Some(found) = asset(segments) else {
        return Reply::not_found(format!("/explore/{}", segments.join("/")));
    };
    let caching = match found.is_immutable {
        true => "private, max-age=31536000, immutable",
        false => "no-cache",
    };
    Reply::new(StatusCode::OK, found.content_type, found.text).header("cache-control", caching)
}

async fn document(server: Arc<Server>, viewer: Viewer, request: Request) -> Reply {
    let rest = request.captured.path.get(1..).unwrap_or_default();
    match rest {
        [page] if page == "session" => Reply::json(&json!({
            "user": viewer.name,
            "environments": viewer.environments,
            "plan_environments": viewer.plan_environments,
        })),
        [nodes, node, page] if nodes == "nodes" && page == "why" => {
            let node = node.clone();
            let explain = move |server: &Arc<Server>| -> Prepared {
                explanation(server, &viewer, &node, &request).unwrap_or_else(|reply| reply).into()
            };
            reply_of(server, explain).await
        }
        [page, more @ ..] if matches!(page.as_str(), "revisions" | "diff" | "compare") => {
            let more = more.to_vec();
            let page = page.clone();
            explorer_compare::document(server, viewer, request, page, more).await
        }
        _ => {
            let Some(slot) = server.queries.slot().await else { return server.overloaded() };
            super::blocking(server, move |server| {
                let _slot = slot;
                stored(server, &viewer, &request)
            })
            .await
        }
    }
}

/// A document from the database.
fn stored(server: &Server, viewer: &Viewer, request: &Request) -> Reply {
    let segments = request.captured.path.iter().skip(1).map(String::as_str).collect();
    let parameters = request.target.query.iter();
    let parameters = parameters.map(|(name, value)| (name.as_str(), value.as_str())).collect();
    let request = PageRequest { segments, parameters };
    match store_document(server.queries.database(), viewer, &request) {
        Ok(document) => Reply::new(StatusCode::OK, document.content_type, document.text),
        Err(error) => refusal(&error),
    }
}

/// Compiles a node, and explains one of its resources or attributes. The parameter `code` names an
/// environment or a revision in place of the node's.
fn explanation(
    server: &Server,
    viewer: &Viewer,
    name: &str,
    request: &Request,
) -> Result<Reply, Reply> {
    let wrong = |error: ExplorerError| refusal(&error);
    let code = request.target.query.get("code").filter(|code| !code.is_empty());
    let compiled = compile_for(server, viewer, name, code)?;
    let sources = compiled.shared.sources();
    let resource = request.target.query.get("resource").unwrap_or_default();
    let attribute = request.target.query.get("attribute").filter(|name| !name.is_empty());
    let read = |path: &Path| ordain_source::read_input_text(&compiled.env.place(path)).ok();
    let mut document = why(&compiled.graph, sources, resource, attribute, &read).map_err(wrong)?;
    let warnings = compiled.diagnostics.iter().map(|one| puppet_message(one, sources));
    document["warnings"] = warnings.collect();
    document["environment"] = json!(compiled.env.name);
    Ok(Reply::json(&document))
}

/// The graph of a node with the origins of its values.
pub(super) struct CompiledNode {
    pub(super) graph: Graph,
    shared: SharedEnvironment,
    env: Arc<OpenedEnvironment>,
    diagnostics: Vec<Diagnostic>,
}

/// Compiles a node with its stored facts, with the code that it gets, or that of a named environment
/// or revision.
///
/// # Errors
/// The reply if there is no such node or code, the user may not see the code, or the compile fails.
pub(super) fn compile_for(
    server: &Server,
    viewer: &Viewer,
    name: &str,
    code: Option<&str>,
) -> Result<CompiledNode, Reply> {
    let failed = |message: String| problem(StatusCode::UNPROCESSABLE_ENTITY, &message);
    let wrong = |error: ExplorerError| refusal(&error);
    let node = Certname::new(name).map_err(|e| problem(StatusCode::BAD_REQUEST, &e.to_string()))?;
    let environment = environment_of(server.queries.database(), viewer, name).map_err(wrong)?;
    let environment = environment.unwrap_or_else(|| ENVIRONMENT.to_string());
    check_plan(viewer, &environment)?;
    let facts = server.storage.facts(&node).map_err(failed)?;
    let facts = facts.ok_or_else(|| failed(format!("there are no facts of {node}")))?;
    // The last certificate of the node said this.
    let trusted = facts.get("trusted").cloned().unwrap_or_default();
    let classification = classification(server, &node, &trusted, Some(&facts)).map_err(failed)?;
    let env = match code {
        Some(code) => {
            let code = Code::parse(code);
            check_plan(viewer, code.environment)?;
            code.open(server)?
        }
        None => {
            let assigned = classification.environment.clone().unwrap_or(environment);
            check_plan(viewer, &assigned)?;
            code_for(server, &node, &assigned)?
        }
    };
    let shared = server.environments.with_history(&env).map_err(failed)?;
    let wanted =
        Wanted { node: &node, trusted: &trusted, facts, classification, static_catalog: None };
    let mut found = shared.compile(wanted.request(server, &env));
    let Some(graph) = found.graph.take() else {
        let error = found.diagnostics.iter().find(|one| one.severity == Severity::Error);
        let text = error.map(|error| evaluation_message(error, shared.sources()));
        return Err(failed(text.unwrap_or_else(|| "the compile has no result".to_string())));
    };
    Ok(CompiledNode { graph, shared, env, diagnostics: found.diagnostics })
}

/// Refuses users who may not see the code of an environment.
pub(super) fn check_plan(viewer: &Viewer, environment: &str) -> Result<(), Reply> {
    if viewer.may_plan(environment) {
        return Ok(());
    }
    let text = format!("{} has not the role `plan` in {environment}", viewer.name);
    Err(problem(StatusCode::FORBIDDEN, &text))
}

/// The reply for a request that gets no document.
pub(crate) fn refusal(error: &ExplorerError) -> Reply {
    let status = match error {
        ExplorerError::Missing(_) => StatusCode::NOT_FOUND,
        ExplorerError::Parameter(_) => StatusCode::BAD_REQUEST,
        ExplorerError::Store(error) => {
            tracing::warn!(%error, "a page of the explorer fails");
            StatusCode::SERVICE_UNAVAILABLE
        }
    };
    problem(status, &error.to_string())
}

/// A reply with an error that pages show.
pub(crate) fn problem(status: StatusCode, text: &str) -> Reply {
    Reply::new(status, JSON, json!({ "error": text }).to_string())
}

/// Server-sent events: one whenever a report was stored.
fn live(server: Arc<Server>) -> Reply {
    let (sender, stream) = BodyStream::new(1);
    let mut end = server.ending.subscribe();
    tokio::spawn(async move {
        let mut known = None;
        for round in 0u32.. {
            let asking = Arc::clone(&server);
            let look = move || last_report(asking.queries.database());
            // While the database fails, there is no news.
            let last = tokio::task::spawn_blocking(look).await.ok().and_then(Result::ok);
            let part = match last {
                Some(last) if known != Some(last) => {
                    known = Some(last);
                    Some(format!("event: reports\ndata: {last}\n\n"))
                }
                _ if round % ALIVE_AFTER == 0 => Some(": alive\n\n".to_string()),
                _ => None,
            };
            if let Some(part) = part
                && sender.send(part.into()).await.is_err()
            {
                return;
            }
            tokio::select! {
                () = sleep(LOOK) => {}
                () = sender.closed() => return,
                () = async { let _ = end.wait_for(|is_ending| *is_ending).await; } => break,
            }
        }
        // The empty part is the end of the body; the browser may have left.
        let _ = sender.send(Bytes::new()).await;
    });
    let reply = Reply::new(StatusCode::OK, "text/event-stream", Bytes::new());
    Reply { body: Body::Stream(stream), ..reply }.header("cache-control", "no-store")
}
