//! Passes a request to the old server and its reply to the agent.

use bytes::Bytes;
use http_body_util::{BodyExt, Limited};
use hyper::body::{Body as _, Incoming};
use hyper::header::{self, HeaderMap};
use hyper::{Method, Response, StatusCode};

use super::capture::{Capture, CaptureEnds, Share};
use super::headers::{remove_of_connection, set_identity};
use super::passed::PassedBody;
use super::state::{Comparison, Shadow};
use super::upstream::Lease;
use crate::body::Outgoing;
use crate::client::Client;
use crate::identity::{DatabaseAccess, Identity};
use crate::reply::Reply;
use crate::request::{Captured, Request};
use crate::request_body;
use crate::server::Server;
use crate::url::Target;

/// The address of the revocation lists.
const LISTS: &str = "/puppet-ca/v1/certificate_revocation_list/ca";
/// The maximum length of revocation lists in bytes.
const MAX_LISTS: usize = 64 << 20;

/// Whether this server itself answers requests for a path.
pub(crate) fn is_own(path: &str) -> bool {
    path.starts_with("/ordain/") || path.starts_with("/explore/")
}

/// The request for a catalog that will be compared.
struct Asked {
    identity: Identity,
    request: Request,
    share: Share,
}

/// Passes a request.
///
/// # Errors
/// The reply if the old server does not answer, or the body cannot be read.
pub(crate) async fn pass(
    shadow: &Shadow,
    server: &Server,
    client: &Client,
    request: hyper::Request<Incoming>,
) -> Result<Response<Outgoing>, Reply> {
    let limits = &server.config.limits;
    let (head, incoming) = request.into_parts();
    let asked = catalog_request(client, &head);
    let length = incoming.size_hint().upper().filter(|length| *length <= limits.body_length);
    // The body takes memory twice: as it comes, and decoded.
    let share =
        length.filter(|_| asked.is_some()).and_then(|length| shadow.memory.take(2 * length));
    let (outgoing, is_in_memory, asked) = match (asked, share) {
        (Some((identity, target)), Some(share)) => {
            // The share counts it from here on.
            let (body, _) = request_body::read(incoming, limits.body_length, server).await?;
            let request = Request {
                method: head.method.clone(),
                target,
                headers: head.headers.clone(),
                body: body.clone(),
                identity: Some(identity.clone()),
                access: DatabaseAccess::default(),
                viewer: None,
                captured: Captured::default(),
            };
            (Outgoing::Bytes(Some(body)), true, Some(Asked { identity, request, share }))
        }
        (asked, _) => {
            if asked.is_some() {
                shadow.skip();
            }
            let is_empty = incoming.is_end_stream();
            let body = match is_empty {
                true => Outgoing::Bytes(None),
                false => Outgoing::Passed(Box::pin(PassedBody::new(incoming, limits.body))),
            };
            (body, is_empty, None)
        }
    };
    let sequence = shadow.next_sequence();
    let (response, lease) = forward(shadow, client, head, (outgoing, is_in_memory)).await?;
    let (mut head, incoming) = response.into_parts();
    remove_of_connection(&mut head.headers);
    let mut body = PassedBody::new(incoming, limits.body);
    if let Some(asked) = asked
        && matches!(head.status, StatusCode::OK | StatusCode::INTERNAL_SERVER_ERROR)
    {
        body = captured(shadow, body, asked, (head.status, &head.headers, sequence));
    }
    Ok(Response::from_parts(head, Outgoing::Passed(Box::pin(body.lease(lease)))))
}

/// The node and the target of a request for its own catalog.
fn catalog_request(
    client: &Client,
    head: &hyper::http::request::Parts,
) -> Option<(Identity, Target)> {
    if !matches!(head.method, Method::GET | Method::POST) {
        return None;
    }
    let identity = client.identity.as_ref()?;
    let target = Target::decode(head.uri.path_and_query()?.as_str()).ok()?;
    let [api, version, indirection, name] = target.segments.as_slice() else { return None };
    let is_catalog = api == "puppet" && version == "v3" && indirection == "catalog";
    (is_catalog && name == identity.name.as_str()).then(|| (identity.clone(), target))
}

async fn forward(
    shadow: &Shadow,
    client: &Client,
    mut head: hyper::http::request::Parts,
    (body, is_in_memory): (Outgoing, bool),
) -> Result<(Response<Incoming>, Lease), Reply> {
    remove_of_connection(&mut head.headers);
    set_identity(&mut head.headers, client.identity.as_ref());
    let path = head.uri.path_and_query().cloned();
    let path = path.ok_or_else(|| Reply::bad_request("the request has no path"))?;
    head.uri = hyper::Uri::from(path);
    head.version = hyper::Version::HTTP_11;
    let sent = shadow.upstream.send(hyper::Request::from_parts(head, body), is_in_memory).await;
    sent.map_err(|error| {
        tracing::error!(%error, "the old server does not answer");
        let text = format!("The old server behind this one does not answer: {error}");
        Reply { closes: true, ..Reply::text(StatusCode::BAD_GATEWAY, text) }
    })
}

/// The body, which is copied for the comparison.
fn captured(
    shadow: &Shadow,
    body: PassedBody,
    asked: Asked,
    (status, headers, sequence): (StatusCode, &HeaderMap, u64),
) -> PassedBody {
    let encoding = headers.get(header::CONTENT_ENCODING).map(|value| value.as_bytes());
    let is_gzip = match encoding {
        None | Some(b"identity") => false,
        Some(b"gzip") => true,
        Some(_) => {
            shadow.skip();
            return body;
        }
    };
    let Asked { identity, request, share } = asked;
    let comparisons = shadow.comparisons.clone();
    let whole = move |body: Bytes, share| {
        let comparison =
            Comparison { identity, request, sequence, status, is_gzip, body, _share: share };
        // The receiver goes away when the server ends.
        let _ = comparisons.send(comparison);
    };
    let results = std::sync::Arc::clone(&shadow.results);
    let failed = move || results.skip();
    let ends = CaptureEnds { whole: Box::new(whole), failed: Box::new(failed) };
    body.capture(Capture::new(shadow.memory.clone(), share, ends))
}

/// The revocation lists of the old server, as PEM text.
///
/// # Errors
/// The reason why there are none.
pub(crate) async fn revocation_lists(shadow: &Shadow) -> Result<Bytes, String> {
    let mut request = hyper::Request::new(Outgoing::Bytes(None));
    *request.uri_mut() = hyper::Uri::from_static(LISTS);
    set_identity(request.headers_mut(), None);
    let sent = shadow.upstream.send(request, true).await;
    let (response, _lease) = sent.map_err(|error| error.to_string())?;
    if response.status() != StatusCode::OK {
        return Err(format!("the status is {}", response.status()));
    }
    let body = Limited::new(response.into_body(), MAX_LISTS).collect();
    Ok(body.await.map_err(|error| error.to_string())?.to_bytes())
}
