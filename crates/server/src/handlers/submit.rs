//! The data that agents send: facts and reports.

use std::sync::Arc;

use hyper::StatusCode;
use ordain_ca::Certname;
use serde_json::{Value as Json, json};

use crate::facts::FactSet;
use crate::principal::OwnName;
use crate::reply::Reply;
use crate::request::Request;
use crate::server::Server;
use crate::storage::{Receipt, Source, stored};
use crate::trusted;

/// Whether a body is JSON or PSON by its type.
fn is_json(request: &Request) -> bool {
    matches!(request.content_type(), "application/json" | "text/pson" | "pson" | "text/json")
}

fn unsupported(request: &Request) -> Reply {
    let text = format!(
        "Client sent a mime-type ({}) that doesn't correspond to a format we support",
        request.content_type()
    );
    Reply::error(StatusCode::UNSUPPORTED_MEDIA_TYPE, "UNSUPPORTED_MEDIA_TYPE", text)
}

/// `PUT facts/NAME`.
pub(crate) async fn facts(server: Arc<Server>, node: OwnName, request: Request) -> Reply {
    if !is_json(&request) {
        return unsupported(&request);
    }
    let environment = match request.environment() {
        Ok(name) => name.to_string(),
        Err(reply) => return reply,
    };
    let identity = node.identity().clone();
    let working = Arc::clone(&server);
    let work = move || {
        let facts = FactSet::read(&request.body, &identity.name).map_err(Reply::bad_request)?;
        let source = Source { node: &identity.name, environment: &environment, transaction: None };
        let trusted = trusted::of(&identity);
        Ok(working.storage.replace_facts(&source, &facts.values, &trusted))
    };
    acknowledged(&server, blocking(work).await).await
}

/// Replies when something is stored.
async fn acknowledged(server: &Server, receipt: Result<Receipt, Reply>) -> Reply {
    match receipt {
        Ok(receipt) => match stored(receipt).await {
            Ok(()) => Reply::json(&json!([])),
            Err(reason) => server.not_stored(reason),
        },
        Err(reply) => reply,
    }
}

/// `PUT report/NAME`. The report must be that of the node.
pub(crate) async fn report(server: Arc<Server>, node: OwnName, request: Request) -> Reply {
    if !is_json(&request) {
        return unsupported(&request);
    }
    let name = node.identity().name.clone();
    let working = Arc::clone(&server);
    let work = move || {
        let report: Json = serde_json::from_slice(&request.body)
            .map_err(|error| Reply::bad_request(format!("The report is no JSON: {error}")))?;
        check_report(&report, &name).map_err(Reply::bad_request)?;
        let text = |key: &str| report.get(key).and_then(Json::as_str);
        let environment = text("environment").unwrap_or("production");
        let status = text("status").unwrap_or("unknown");
        tracing::info!(node = name.as_str(), environment, status, "a report arrives");
        working.metrics.note_report(status);
        working.runs.end(&name);
        let transaction = text("transaction_uuid");
        let source = Source { node: &name, environment, transaction };
        Ok(working.storage.store_report(&source, &report))
    };
    acknowledged(&server, blocking(work).await).await
}

/// Runs work on a thread for it.
async fn blocking(
    work: impl FnOnce() -> Result<Receipt, Reply> + Send + 'static,
) -> Result<Receipt, Reply> {
    tokio::task::spawn_blocking(work)
        .await
        .unwrap_or_else(|_| Err(Reply::failed("the request met a bug; see the server's log")))
}

/// Checks that a report is an object of the node.
fn check_report(report: &Json, name: &Certname) -> Result<(), String> {
    let host = report.get("host").and_then(Json::as_str);
    match host {
        Some(host) if host == name.as_str() => Ok(()),
        Some(host) => Err(format!("The report of {host} was sent for {name}")),
        None => Err("The report has no host".to_string()),
    }
}
