//! Requests that wait for news. Agents wait most of their time, and the buffers of a connection that
//! reads and writes requests take more memory than everything else that belongs to it. So a request
//! that waits is taken out of the connection that read it, which is dropped, and its reply is written
//! to the bare stream.

use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use bytes::{Bytes, BytesMut};
use http_body_util::BodyExt;
use hyper::body::Incoming;
use hyper::header::{self, HeaderValue};
use hyper::{HeaderMap, Method, Response, StatusCode, Version};
use jiff::Timestamp;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::watch;
use tokio::time::timeout;
use tokio_rustls::server::TlsStream;

use crate::body::Outgoing;
use crate::client::Client;
use crate::reply::{LaterReply, http_date};
use crate::service::{Handled, Service};

/// A request whose reply comes later.
pub(crate) struct HeldRequest {
    pub(crate) later: LaterReply,
    pub(crate) handled: Handled,
    pub(crate) accepts_gzip: bool,
}

/// The place where a request that waits leaves the connection that read it.
#[derive(Default)]
pub(crate) struct Exit {
    held: Mutex<Option<Box<HeldRequest>>>,
    /// Whether bytes of an earlier reply still have to be written.
    is_writing: Arc<AtomicBool>,
}

impl Exit {
    /// Becomes true while bytes of an earlier reply still have to be written.
    pub(crate) fn is_writing(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.is_writing)
    }

    /// Leaves a request, whose connection takes it with [`Exit::take`].
    pub(crate) fn leave(&self, request: HeldRequest) {
        *self.held.lock().unwrap_or_else(PoisonError::into_inner) = Some(Box::new(request));
    }

    /// Takes the request that was left, when all earlier replies are written.
    pub(crate) fn take(&self) -> Option<Box<HeldRequest>> {
        if self.is_writing.load(Ordering::Relaxed) {
            return None;
        }
        self.held.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// Whether a request may leave its connection: its reply is then written in the form of HTTP 1.1,
/// after which the client may send further requests.
pub(crate) fn may_leave(request: &hyper::Request<Incoming>) -> bool {
    let mut options = request.headers().get_all(header::CONNECTION).iter();
    let stays = options.all(|option| option.as_bytes().eq_ignore_ascii_case(b"keep-alive"));
    request.version() == Version::HTTP_11 && *request.method() == Method::GET && stays
}

/// Waits for the reply of a request, and writes it. Returns whether the client may send further
/// requests.
pub(crate) async fn answer(
    service: &Service,
    stream: &mut TlsStream<TcpStream>,
    client: &Client,
    held: Box<HeldRequest>,
    end: &watch::Receiver<bool>,
) -> bool {
    let Some(response) = reply_or_end(service, stream, client, held).await else { return false };
    let has_ended = *end.borrow();
    let Some((bytes, closes)) = wire_form(response, has_ended).await else { return false };
    let write = async {
        stream.write_all(&bytes).await?;
        stream.flush().await?;
        if closes { stream.shutdown().await } else { Ok(()) }
    };
    matches!(timeout(service.server.config.limits.write, write).await, Ok(Ok(()))) && !closes
}

/// Waits for the reply of a request. `None` when the client ends the connection before.
async fn reply_or_end(
    service: &Service,
    stream: &mut TlsStream<TcpStream>,
    client: &Client,
    held: Box<HeldRequest>,
) -> Option<Response<Outgoing>> {
    let mut reply: Pin<Box<_>> = Box::pin(service.finish_held(client, held));
    tokio::select! {
        response = &mut reply => return Some(response),
        // The bytes stay in the stream.
        bytes = stream.fill_buf() => if !bytes.is_ok_and(|bytes| !bytes.is_empty()) {
            return None;
        },
    }
    // A client that sends its next request before the reply waits for it.
    Some(reply.await)
}

/// The bytes of a response, and whether the connection ends after it.
async fn wire_form(response: Response<Outgoing>, has_ended: bool) -> Option<(Bytes, bool)> {
    let (mut head, body) = response.into_parts();
    let body = body.collect().await.ok()?.to_bytes();
    if has_ended {
        head.headers.insert(header::CONNECTION, HeaderValue::from_static("close"));
    }
    let closes = head.headers.contains_key(header::CONNECTION);
    if head.status != StatusCode::NO_CONTENT {
        head.headers.insert(header::CONTENT_LENGTH, body.len().into());
    }
    if let Ok(date) = HeaderValue::from_str(&http_date(Timestamp::now())) {
        head.headers.insert(header::DATE, date);
    }
    let mut bytes = head_bytes(head.status, &head.headers);
    bytes.extend_from_slice(&body);
    Some((bytes.freeze(), closes))
}

fn head_bytes(status: StatusCode, headers: &HeaderMap) -> BytesMut {
    let mut bytes = BytesMut::new();
    let reason = status.canonical_reason().unwrap_or_default();
    bytes.extend_from_slice(format!("HTTP/1.1 {} {reason}\r\n", status.as_str()).as_bytes());
    for (name, value) in headers {
        for part in [name.as_str().as_bytes(), b": ", value.as_bytes(), b"\r\n"] {
            bytes.extend_from_slice(part);
        }
    }
    bytes.extend_from_slice(b"\r\n");
    bytes
}
