//! Bodies: reading those of requests within limits, and writing those of replies.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use http_body_util::BodyExt;
use hyper::StatusCode;
use hyper::body::{Body, Frame, Incoming, SizeHint};
use tokio::io::{AsyncRead, ReadBuf};
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::time::timeout;

use crate::reply::Body as ReplyBody;
use crate::reply::Reply;
use crate::server::{BODY_UNIT, Server};
use crate::stream::BodyStream;

/// The bytes of a file that are read at once.
const CHUNK: usize = 64 << 10;

/// The bytes of a refused body that are read before the reply, and the time for it.
const DRAIN: (usize, Duration) = (4 << 20, Duration::from_secs(2));

/// The reason why a body is not read to its end.
enum Unread {
    TooLong,
    /// There is no memory for more of it.
    Full,
    EndsEarly,
}

/// Reads the body of a request, and counts it in the memory for all bodies while the permit is held. It
/// counts as its parts arrive, so that clients which only announce long bodies take nothing from others.
///
/// # Errors
/// The reply for a body that is too long, too slow, or ends too early, or for which there is no memory.
pub(crate) async fn read<'a>(
    mut body: Incoming,
    max_length: u64,
    server: &'a Server,
) -> Result<(Bytes, Option<SemaphorePermit<'a>>), Reply> {
    let max_time = server.config.limits.body;
    let too_long = || {
        let text = format!("The body is longer than {max_length} bytes");
        let reply = Reply::text(StatusCode::PAYLOAD_TOO_LARGE, text);
        Reply { closes: true, ..reply }
    };
    if body.size_hint().lower() > max_length {
        drain(body).await;
        return Err(too_long());
    }
    let limit = usize::try_from(max_length).unwrap_or(usize::MAX);
    match timeout(max_time, parts(&mut body, limit, &server.bodies)).await {
        Ok(Ok(read)) => Ok(read),
        Ok(Err(Unread::TooLong)) => {
            drain(body).await;
            Err(too_long())
        }
        Ok(Err(Unread::Full)) => {
            drain(body).await;
            Err(Reply { closes: true, ..server.overloaded() })
        }
        Ok(Err(Unread::EndsEarly)) => {
            let reply = Reply::bad_request("The body of the request ends too early");
            Err(Reply { closes: true, ..reply })
        }
        Err(_) => {
            let reply = Reply::text(StatusCode::REQUEST_TIMEOUT, "The body takes too long");
            Err(Reply { closes: true, ..reply })
        }
    }
}

/// Reads all parts of a body.
async fn parts<'a>(
    body: &mut Incoming,
    limit: usize,
    memory: &'a Semaphore,
) -> Result<(Bytes, Option<SemaphorePermit<'a>>), Unread> {
    let mut read = BytesMut::new();
    let mut first = Bytes::new();
    let mut permit: Option<SemaphorePermit<'a>> = None;
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|_| Unread::EndsEarly)?;
        let Ok(data) = frame.into_data() else { continue };
        let length = first.len() + read.len() + data.len();
        if length > limit {
            return Err(Unread::TooLong);
        }
        let counted = permit.as_ref().map_or(0, SemaphorePermit::num_permits);
        let units = length.div_ceil(BODY_UNIT as usize).saturating_sub(counted);
        let more = memory.try_acquire_many(u32::try_from(units).unwrap_or(u32::MAX));
        let more = more.map_err(|_| Unread::Full)?;
        match &mut permit {
            Some(permit) => permit.merge(more),
            None => permit = Some(more),
        }
        match first.is_empty() && read.is_empty() {
            // Most bodies have one part, which is not copied.
            true => first = data,
            false => {
                read.extend_from_slice(&std::mem::take(&mut first));
                read.extend_from_slice(&data);
            }
        }
    }
    let whole = if read.is_empty() { first } else { read.freeze() };
    Ok((whole, permit))
}

/// Reads and drops the rest of a refused body, within bounds. A client loses the reply if the
/// connection is closed while data of the client is unread (RFC 9112, section 9.6).
async fn drain(mut body: Incoming) {
    let (mut left, time) = DRAIN;
    let rest = async {
        while let Some(Ok(frame)) = body.frame().await {
            let length = frame.data_ref().map_or(0, Bytes::len);
            if length > left {
                return;
            }
            left -= length;
        }
    };
    // The reply is sent in any case.
    let _ = timeout(time, rest).await;
}

/// The body of a reply on its way to the client.
pub(crate) enum Outgoing {
    /// Bytes in memory.
    Bytes(Option<Bytes>),
    /// A file.
    File(FileBody),
    /// Parts that are still being made.
    Stream(BodyStream),
    /// A body that arrives on another connection.
    Passed(Pin<Box<dyn Body<Data = Bytes, Error = io::Error> + Send>>),
}

/// The rest of a file.
pub(crate) struct FileBody {
    file: tokio::fs::File,
    left: u64,
    buffer: BytesMut,
}

impl From<ReplyBody> for Outgoing {
    fn from(body: ReplyBody) -> Self {
        match body {
            ReplyBody::Bytes(bytes) => Self::Bytes(Some(bytes)),
            ReplyBody::Stream(stream) => Self::Stream(stream),
            ReplyBody::File(file, left) => {
                let file = tokio::fs::File::from_std(file);
                Self::File(FileBody { file, left, buffer: BytesMut::new() })
            }
        }
    }
}

impl FileBody {
    fn poll(&mut self, context: &mut Context<'_>) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        if self.left == 0 {
            return Poll::Ready(None);
        }
        let length = CHUNK.min(usize::try_from(self.left).unwrap_or(CHUNK));
        self.buffer.resize(length, 0);
        let mut buffer = ReadBuf::new(&mut self.buffer);
        match Pin::new(&mut self.file).poll_read(context, &mut buffer) {
            Poll::Pending => Poll::Pending,
            Poll::Ready(Err(error)) => Poll::Ready(Some(Err(error))),
            Poll::Ready(Ok(())) => {
                let read = buffer.filled().len();
                if read == 0 {
                    // The file has become shorter than the announced length.
                    return Poll::Ready(Some(Err(io::ErrorKind::UnexpectedEof.into())));
                }
                self.left -= read as u64;
                Poll::Ready(Some(Ok(Frame::data(self.buffer.split_to(read).freeze()))))
            }
        }
    }
}

impl Body for Outgoing {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        match self.get_mut() {
            Self::Bytes(bytes) => {
                let bytes = bytes.take().filter(|bytes| !bytes.is_empty());
                Poll::Ready(bytes.map(|bytes| Ok(Frame::data(bytes))))
            }
            Self::File(file) => file.poll(context),
            Self::Stream(stream) => stream.poll(context),
            Self::Passed(body) => body.as_mut().poll_frame(context),
        }
    }

    fn is_end_stream(&self) -> bool {
        match self {
            Self::Bytes(bytes) => bytes.as_ref().is_none_or(Bytes::is_empty),
            Self::File(file) => file.left == 0,
            Self::Stream(stream) => stream.has_ended(),
            Self::Passed(body) => body.is_end_stream(),
        }
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(match self {
            Self::Bytes(bytes) => bytes.as_ref().map_or(0, |bytes| bytes.len() as u64),
            Self::File(file) => file.left,
            Self::Stream(_) => return SizeHint::default(),
            Self::Passed(body) => return body.size_hint(),
        })
    }
}
