//! Replies of requests that left their connection.

use std::pin::Pin;

use bytes::{Bytes, BytesMut};
use http_body_util::BodyExt;
use hyper::header::{self, HeaderValue};
use hyper::{HeaderMap, Response, StatusCode};
use jiff::Timestamp;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::watch;
use tokio::time::timeout;
use tokio_rustls::server::TlsStream;

use crate::body::Outgoing;
use crate::client::Client;
use crate::held::HeldRequest;
use crate::reply::http_date;
use crate::service::Service;

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
