//! The web explorer: files for browsers, and the documents that they ask for.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use hyper::StatusCode;
use ordain_ca::Certname;
use ordain_driver::puppet::shared::{evaluation_message, puppet_message};
use ordain_explorer::{
    CONTENT_SECURITY_POLICY, ExplorerError, PageRequest, Viewer, asset, environment_of,
    last_report, store_document, why,
};
use ordain_source::Severity;
use serde_json::json;
use tokio::time::sleep;

use super::compiling::{Prepared, Wanted, classification, reply_of};
use super::node_code::code_for;
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
        file(&request)
    } else if is_of_another_site(&request) {
        let text = "the request comes from a page of another site";
        Reply::text(StatusCode::FORBIDDEN, text)
    } else if request.captured.path[1..] == ["live"] {
        live(server)
    } else {
        let viewer = user.viewer().clone();
        document(server, viewer, request).await.header("cache-control", "no-store")
    };
    reply
        .header("content-security-policy", CONTENT_SECURITY_POLICY)
        .header("cross-origin-opener-policy", "same-origin")
        .header("cross-origin-resource-policy", "same-origin")
        .header("referrer-policy", "no-referrer")
}

/// Whether a browser says that another site asks. A compile should not be started from there.
fn is_of_another_site(request: &Request) -> bool {
    !matches!(request.header("sec-fetch-site"), None | Some("same-origin" | "none"))
}

fn file(request: &Request) -> Reply {
    let segments: Vec<&str> = request.captured.path.iter().map(String::as_str).collect();
    let Some(found) = asset(&segments) else {
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

/// Compiles a node, and explains one of its resources or attributes.
fn explanation(
    server: &Server,
    viewer: &Viewer,
    name: &str,
    request: &Request,
) -> Result<Reply, Reply> {
    let failed = |message: String| problem(StatusCode::UNPROCESSABLE_ENTITY, &message);
    let wrong = |error: ExplorerError| refusal(&error);
    let node = Certname::new(name).map_err(|e| problem(StatusCode::BAD_REQUEST, &e.to_string()))?;
    let environment = environment_of(server.queries.database(), viewer, name).map_err(wrong)?;
    let environment = environment.unwrap_or_else(|| ENVIRONMENT.to_string());
    if !viewer.may_plan(&environment) {
        let text = format!("{} has not the role `plan` in {environment}", viewer.name);
        return Err(problem(StatusCode::FORBIDDEN, &text));
    }
    let facts = server.storage.facts(&node).map_err(failed)?;
    let facts = facts.ok_or_else(|| failed(format!("there are no facts of {node}")))?;
    // The last certificate of the node said this.
    let trusted = facts.get("trusted").cloned().unwrap_or_default();
    let classification = classification(server, &node, &trusted, Some(&facts)).map_err(failed)?;
    let assigned = classification.environment.clone().unwrap_or(environment);
    if !viewer.may_plan(&assigned) {
        let text = format!("{} has not the role `plan` in {assigned}", viewer.name);
        return Err(problem(StatusCode::FORBIDDEN, &text));
    }
    let env = code_for(server, &node, &assigned)?;
    let shared = server.environments.with_history(&env).map_err(failed)?;
    let wanted =
        Wanted { node: &node, trusted: &trusted, facts, classification, static_catalog: None };
    let mut found = shared.compile(wanted.request(server, &env));
    let Some(graph) = found.graph.take() else {
        let error = found.diagnostics.iter().find(|one| one.severity == Severity::Error);
        let text = error.map(|error| evaluation_message(error, shared.sources()));
        return Err(failed(text.unwrap_or_else(|| "the compile has no result".to_string())));
    };
    let resource = request.target.query.get("resource").unwrap_or_default();
    let attribute = request.target.query.get("attribute").filter(|name| !name.is_empty());
    let mut document = why(&graph, shared.sources(), resource, attribute).map_err(wrong)?;
    let warnings = found.diagnostics.iter().map(|one| puppet_message(one, shared.sources()));
    document["warnings"] = warnings.collect();
    document["environment"] = json!(env.name);
    Ok(Reply::json(&document))
}

/// The reply for a request without a document.
fn refusal(error: &ExplorerError) -> Reply {
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

fn problem(status: StatusCode, text: &str) -> Reply {
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
