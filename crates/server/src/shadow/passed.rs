//! Bodies that are passed on while they arrive.

use std::future::Future;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use hyper::body::{Body, Frame, Incoming, SizeHint};
use tokio::time::{Instant, Sleep, sleep};

use super::capture::Capture;
use super::upstream::Lease;

/// A body on its way from one connection to the other one.
pub(super) struct PassedBody {
    inner: Incoming,
    /// The end of the time in which the next part has to arrive.
    timer: Pin<Box<Sleep>>,
    limit: Duration,
    capture: Option<Capture>,
    /// The connection to the old server, which is free when the body has ended.
    lease: Option<Lease>,
}

impl PassedBody {
    /// A body each part of which has to arrive within a time.
    pub(super) fn new(inner: Incoming, limit: Duration) -> Self {
        let timer = Box::pin(sleep(limit));
        Self { inner, timer, limit, capture: None, lease: None }
    }

    /// Copies the body.
    pub(super) fn capture(mut self, capture: Capture) -> Self {
        self.capture = Some(capture);
        self
    }

    /// Frees a connection when the body has ended.
    pub(super) fn lease(mut self, lease: Lease) -> Self {
        self.lease = Some(lease);
        if self.inner.is_end_stream() {
            self.end();
        }
        self
    }

    fn end(&mut self) {
        if let Some(lease) = self.lease.take() {
            lease.give_back();
        }
        if let Some(capture) = self.capture.take() {
            capture.finish();
        }
    }
}

impl Body for PassedBody {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        let this = self.get_mut();
        match Pin::new(&mut this.inner).poll_frame(context) {
            Poll::Ready(Some(Ok(frame))) => {
                this.timer.as_mut().reset(Instant::now() + this.limit);
                if let Some(part) = frame.data_ref() {
                    this.capture = this.capture.take().and_then(|capture| capture.add(part));
                }
                // A body of known length is not asked for more.
                if this.inner.is_end_stream() {
                    this.end();
                }
                Poll::Ready(Some(Ok(frame)))
            }
            Poll::Ready(Some(Err(error))) => Poll::Ready(Some(Err(io::Error::other(error)))),
            Poll::Ready(None) => {
                this.end();
                Poll::Ready(None)
            }
            Poll::Pending => match this.timer.as_mut().poll(context) {
                Poll::Ready(()) => Poll::Ready(Some(Err(io::ErrorKind::TimedOut.into()))),
                Poll::Pending => Poll::Pending,
            },
        }
    }

    fn is_end_stream(&self) -> bool {
        self.inner.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.inner.size_hint()
    }
}
