//! PuppetDB's API: queries, and commands of other servers.

use std::io::Read;
use std::sync::Arc;

use bytes::Bytes;
use flate2::read::GzDecoder;
use hyper::{Method, StatusCode};
use ordain_fleet_store::{Command, format_time, now};
use ordain_puppetdb::QueryRequest;
use serde_json::{Value as Json, json};
use tokio::sync::oneshot;

use super::compiling::uuid;
use crate::principal::{CommandSender, QueryClient};
use crate::reply::{JSON, Reply};
use crate::request::{Request, accepts_gzip};
use crate::server::{BODY_UNIT, Server};
use crate::storage::{NotStored, stored};

/// The release of PuppetDB whose API this is. Clients refuse older ones.
pub(super) const VERSION: &str = "7.12.1";
/// How many times longer than its compressed form a body may be, if its sender does not say.
const RATIO: u64 = 32;

/// `GET /pdb/query/v4/…` and `POST`.
pub(crate) async fn query(server: Arc<Server>, _: QueryClient, request: Request) -> Reply {
    let accepts_gzip = accepts_gzip(request.header("accept-encoding").unwrap_or_default());
    let query = QueryRequest {
        segments: request.captured.path,
        parameters: request.target.query.iter().cloned().collect(),
        body: (request.method == Method::POST).then(|| request.body.to_vec()),
    };
    let Some(slot) = server.queries.slot().await else { return server.overloaded() };
    let (sender, receiver) = oneshot::channel();
    tokio::task::spawn_blocking(move || {
        server.queries.answer(&query, accepts_gzip, sender);
        drop(slot);
    });
    receiver
        .await
        .unwrap_or_else(|_| Reply::failed("the query met a bug in the server; see its log"))
}

/// `GET /pdb/meta/v1/version`.
pub(crate) async fn version(_: Arc<Server>, _: QueryClient, _: Request) -> Reply {
    Reply::json(&json!({ "version": VERSION }))
}

/// `GET /pdb/meta/v1/server-time`.
pub(crate) async fn server_time(_: Arc<Server>, _: QueryClient, _: Request) -> Reply {
    Reply::json(&json!({ "server_time": format_time(now()) }))
}

/// `POST /pdb/cmd/v1`: a command about a node. The reply is sent when it is stored.
pub(crate) async fn command(server: Arc<Server>, _: CommandSender, request: Request) -> Reply {
    let max_length = match uncompressed_length(&request, server.config.limits.body_length) {
        Ok(length) => length,
        Err(reply) => return reply,
    };
    let units = u32::try_from(max_length.div_ceil(BODY_UNIT)).unwrap_or(u32::MAX);
    let Ok(permit) = server.bodies.try_acquire_many(units) else { return server.overloaded() };
    let work = move || read(&request, max_length);
    let read = tokio::task::spawn_blocking(work).await;
    let command = match read {
        Ok(Ok(command)) => command,
        Ok(Err(reply)) => return reply,
        Err(_) => return Reply::failed("the command met a bug in the server; see its log"),
    };
    let receipt = server.storage.submit(command);
    drop(permit);
    match stored(receipt).await {
        Ok(()) => Reply::json(&json!({ "uuid": uuid() })),
        Err(NotStored::Refused(reason)) => refused(reason),
        Err(other) => server.not_stored(other),
    }
}

/// The reply for a command that is wrong, as PuppetDB words it.
fn refused(reason: impl Into<String>) -> Reply {
    let reason: String = reason.into();
    Reply::new(StatusCode::BAD_REQUEST, JSON, json!({ "error": reason }).to_string())
}

/// The maximum length of a body without its compression.
fn uncompressed_length(request: &Request, limit: u64) -> Result<u64, Reply> {
    let length = request.body.len() as u64;
    match request.header("content-encoding") {
        None | Some("identity") => Ok(length),
        Some("gzip") => {
            let declared = request.header("x-uncompressed-length");
            let declared = declared.and_then(|text| text.parse::<u64>().ok());
            let length = declared.unwrap_or_else(|| length.saturating_mul(RATIO).min(limit));
            match length <= limit {
                true => Ok(length),
                false => Err(too_long(limit)),
            }
        }
        Some(other) => {
            let text = format!("The content encoding {other} is not supported");
            Err(Reply::text(StatusCode::UNSUPPORTED_MEDIA_TYPE, text))
        }
    }
}

fn too_long(limit: u64) -> Reply {
    let text = format!("The body is longer than {limit} bytes without its compression");
    Reply::text(StatusCode::PAYLOAD_TOO_LARGE, text)
}

/// The body without its compression.
fn uncompressed(request: &Request, max_length: u64) -> Result<Bytes, Reply> {
    if request.header("content-encoding") != Some("gzip") {
        return Ok(request.body.clone());
    }
    let mut text = Vec::new();
    // One more byte tells a body that is too long.
    let mut decoder = GzDecoder::new(&request.body[..]).take(max_length.saturating_add(1));
    let read = decoder.read_to_end(&mut text);
    read.map_err(|error| refused(format!("the body is no gzip: {error}")))?;
    if text.len() as u64 > max_length {
        return Err(too_long(max_length));
    }
    Ok(text.into())
}

/// Reads a command: its name and version are parameters of the URL, or keys of the body beside
/// `payload`.
fn read(request: &Request, max_length: u64) -> Result<Command, Reply> {
    let body = uncompressed(request, max_length)?;
    let mut document: Json = serde_json::from_slice(&body)
        .map_err(|error| refused(format!("the command is no JSON: {error}")))?;
    let query = &request.target.query;
    let text = |name: &str| query.get(name).map(str::to_string);
    let (name, version, payload) = match text("command") {
        Some(name) => {
            let version = text("version").and_then(|version| version.parse().ok());
            (Some(name), version, document)
        }
        None => {
            let name = document.get("command").and_then(Json::as_str).map(str::to_string);
            let version = document.get("version").and_then(Json::as_i64);
            let payload = document.get_mut("payload").map(Json::take).unwrap_or_default();
            (name, version, payload)
        }
    };
    let (Some(name), Some(version)) = (name, version) else {
        return Err(refused("the command has no name or no version"));
    };
    let command = Command::from_json(&name, version, payload, now());
    let command = command.map_err(|error| refused(error.to_string()))?;
    if let Some(certname) = query.get("certname") {
        command.check_certname(certname).map_err(|error| refused(error.to_string()))?;
    }
    Ok(command)
}
