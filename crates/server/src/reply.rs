//! Replies. Each has a content type and the headers that agents look for.

use std::io::Write;
use std::pin::Pin;

use crate::stream::BodyStream;
use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use hyper::StatusCode;
use jiff::Timestamp;
use serde_json::{Value as Json, json};

/// The release of Puppet's server that replies name. Agents fetch translations of modules, and
/// leave out what older servers lack, by this version.
pub const PUPPET_VERSION: &str = "7.23.0";

/// The type of catalogs with values that JSON lacks.
pub(crate) const RICH_JSON: &str = "application/vnd.puppet.rich+json";
/// Plain JSON.
pub(crate) const JSON: &str = "application/json";
/// Text.
pub(crate) const TEXT: &str = "text/plain; charset=utf-8";
/// Contents of files.
pub(crate) const BYTES: &str = "application/octet-stream";

/// The shortest body that is compressed, in bytes.
const MIN_COMPRESSED: usize = 1 << 10;

/// A reply to a request.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: StatusCode,
    pub(crate) content_type: &'static str,
    pub(crate) body: Body,
    /// Further headers.
    pub(crate) headers: Vec<(&'static str, String)>,
    /// Whether the body is compressed already.
    pub(crate) is_gzip: bool,
    /// Whether the connection ends after it.
    pub(crate) closes: bool,
}

/// The body of a reply.
#[derive(Debug)]
pub(crate) enum Body {
    /// In memory.
    Bytes(Bytes),
    /// The rest of a file of this length.
    File(std::fs::File, u64),
    /// Parts that are still being made.
    Stream(BodyStream),
    /// Not known yet: the whole reply is made later, when there is news.
    Later(LaterReply),
}

/// A reply that is made when there is news.
pub(crate) struct LaterReply(pub(crate) Pin<Box<dyn Future<Output = Reply> + Send>>);

impl std::fmt::Debug for LaterReply {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("LaterReply")
    }
}

impl Reply {
    /// A reply with a body in memory.
    pub(crate) fn new(
        status: StatusCode,
        content_type: &'static str,
        body: impl Into<Bytes>,
    ) -> Self {
        let body = Body::Bytes(body.into());
        Self { status, content_type, body, headers: Vec::new(), is_gzip: false, closes: false }
    }

    /// A file.
    pub(crate) fn file(file: std::fs::File, length: u64) -> Self {
        Self { body: Body::File(file, length), ..Self::new(StatusCode::OK, BYTES, Bytes::new()) }
    }

    /// A text.
    pub(crate) fn text(status: StatusCode, text: impl Into<String>) -> Self {
        Self::new(status, TEXT, text.into())
    }

    /// A JSON document.
    pub(crate) fn json(document: &Json) -> Self {
        Self::new(StatusCode::OK, JSON, document.to_string())
    }

    /// A reply that is made when there is news. Its body is in memory.
    pub(crate) fn later(reply: impl Future<Output = Self> + Send + 'static) -> Self {
        let body = Body::Later(LaterReply(Box::pin(reply)));
        Self { body, ..Self::empty(StatusCode::OK) }
    }

    /// Nothing more than that it was done.
    pub(crate) fn empty(status: StatusCode) -> Self {
        Self::text(status, "")
    }

    /// An error in the form of Puppet's API. Agents print the message.
    pub(crate) fn error(status: StatusCode, kind: &str, message: impl Into<String>) -> Self {
        let message: String = message.into();
        let body = json!({ "message": message, "issue_kind": kind }).to_string();
        Self::new(status, JSON, body)
    }

    /// The thing that was asked for does not exist.
    pub(crate) fn not_found(message: impl Into<String>) -> Self {
        let message: String = message.into();
        Self::error(StatusCode::NOT_FOUND, "RESOURCE_NOT_FOUND", format!("Not Found: {message}"))
    }

    /// The request is wrong.
    pub(crate) fn bad_request(message: impl Into<String>) -> Self {
        let message: String = message.into();
        Self::error(StatusCode::BAD_REQUEST, "RUNTIME_ERROR", format!("Bad Request: {message}"))
    }

    /// The server has failed.
    pub(crate) fn failed(message: impl Into<String>) -> Self {
        let message: String = message.into();
        let text = format!("Server Error: {message}");
        Self::error(StatusCode::INTERNAL_SERVER_ERROR, "RUNTIME_ERROR", text)
    }

    /// The server has more requests than it can handle. Agents that obey `Retry-After` come back
    /// after that many seconds.
    pub(crate) fn overloaded(seconds: u32) -> Self {
        let text = "The server has more requests than it can handle; try again later";
        let reply = Self::text(StatusCode::SERVICE_UNAVAILABLE, text);
        Self { closes: true, ..reply.header("retry-after", seconds.to_string()) }
    }

    /// Adds a header.
    pub(crate) fn header(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.headers.push((name, value.into()));
        self
    }

    /// Compresses a long text, if the client accepts that.
    pub(crate) fn compressed(mut self, accepts_gzip: bool) -> Self {
        let Body::Bytes(bytes) = &self.body else { return self };
        let is_text = self.content_type != BYTES;
        if !accepts_gzip || self.is_gzip || !is_text || bytes.len() < MIN_COMPRESSED {
            return self;
        }
        if let Some(compressed) = gzip(bytes) {
            self.body = Body::Bytes(compressed);
            self.is_gzip = true;
        }
        self
    }
}

/// A time as headers of HTTP have it.
pub(crate) fn http_date(time: Timestamp) -> String {
    time.strftime("%a, %d %b %Y %H:%M:%S GMT").to_string()
}

/// Compresses; `None` if the text cannot be compressed.
pub(crate) fn gzip(bytes: &[u8]) -> Option<Bytes> {
    // A catalog is a tenth of its length at the first level, and the next ones take longer than
    // the compile.
    let mut encoder = GzEncoder::new(Vec::with_capacity(bytes.len() / 4), Compression::fast());
    encoder.write_all(bytes).ok()?;
    encoder.finish().ok().map(Bytes::from)
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;

    #[test]
    fn long_texts_are_compressed_on_request() {
        let long = "a line\n".repeat(1000);
        let plain = Reply::text(StatusCode::OK, long.clone()).compressed(false);
        assert!(!plain.is_gzip);
        assert!(!Reply::text(StatusCode::OK, "short").compressed(true).is_gzip);
        assert!(!Reply::new(StatusCode::OK, BYTES, long.clone()).compressed(true).is_gzip);
        let reply = Reply::text(StatusCode::OK, long.clone()).compressed(true);
        let Body::Bytes(bytes) = reply.body else { panic!("no bytes") };
        let mut text = String::new();
        flate2::read::GzDecoder::new(&bytes[..]).read_to_string(&mut text).unwrap();
        assert!(reply.is_gzip && text == long && bytes.len() < 200);
    }
}
