//! The web explorer: files for browsers, and the documents that they ask for.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use hyper::StatusCode;
use ordain_explorer::{
    CONTENT_SECURITY_POLICY, PageRequest, Role, Viewer, asset, last_report, store_document,
};
use ordain_fleet_store::FleetRunSettings;
use serde_json::json;
use tokio::time::sleep;

use super::compiling::{Prepared, reply_of};
use super::explorer_code::explanation;
use super::explorer_compare;
use super::explorer_reply::refusal;
use crate::principal::Explorer;
use crate::reply::{Body, Reply};
use crate::request::{Request, is_of_another_site};
use crate::server::Server;
use crate::stream::BodyStream;

/// The interval of looks for new reports.
const LOOK: Duration = Duration::from_secs(3);
/// The number of these intervals after which a quiet stream says that it lives.
const ALIVE_AFTER: u32 = 10;

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
            "environments": viewer.environments(Role::Read),
            "plan_environments": viewer.environments(Role::Plan),
            "run_environments": viewer.environments(Role::Run),
            "admin_environments": viewer.environments(Role::Admin),
            "may_sign": viewer.has(Role::Sign),
            "fleet_run": {
                "at_once": FleetRunSettings::AT_ONCE,
                "most_at_once": FleetRunSettings::MOST_AT_ONCE,
                "stop_at": FleetRunSettings::STOP_AT,
            },
            "can_sign_out": server
                .sign_in
                .as_ref()
                .is_some_and(|sign_in| sign_in.viewer(&request.headers).is_some()),
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
