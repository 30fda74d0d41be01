//! Bodies of replies that are sent while they are made.

use std::io;
use std::task::{Context, Poll};

use bytes::Bytes;
use hyper::body::Frame;
use tokio::sync::mpsc;

/// The receiving end of a body that another thread makes. An empty part is the end; a body that
/// stops without it is an error, so that the client does not take it for a complete one.
#[derive(Debug)]
pub(crate) struct BodyStream {
    parts: mpsc::Receiver<Bytes>,
    has_ended: bool,
}

impl BodyStream {
    /// A body and the sender of its parts. The sender waits while `waiting` parts are not read.
    pub(crate) fn new(waiting: usize) -> (mpsc::Sender<Bytes>, Self) {
        let (sender, parts) = mpsc::channel(waiting);
        (sender, Self { parts, has_ended: false })
    }

    /// Whether all parts were taken.
    pub(crate) fn has_ended(&self) -> bool {
        self.has_ended
    }

    /// The next part, or the end.
    pub(crate) fn poll(
        &mut self,
        context: &mut Context<'_>,
    ) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        if self.has_ended {
            return Poll::Ready(None);
        }
        self.parts.poll_recv(context).map(|part| match part {
            Some(part) if part.is_empty() => {
                self.has_ended = true;
                None
            }
            Some(part) => Some(Ok(Frame::data(part))),
            None => Some(Err(io::ErrorKind::UnexpectedEof.into())),
        })
    }
}
