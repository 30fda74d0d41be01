//! Requests that wait for news. Agents wait most of their time, and the buffers of a connection that
//! reads and writes requests take more memory than everything else that belongs to it. So a request
//! that waits is taken out of the connection that read it, which is dropped, and its reply is written
//! to the bare stream.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use hyper::body::Incoming;
use hyper::{Method, Version, header};

use crate::reply::LaterReply;

/// A request that is handled, for counters and the log.
pub(crate) struct Handled {
    pub(crate) begin: Instant,
    pub(crate) method: Method,
    pub(crate) path: String,
    /// The pattern of its route, or nothing before it is known.
    pub(crate) pattern: &'static str,
}

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
