//! Bodies of replies on their way to clients.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::{Bytes, BytesMut};
use hyper::body::{Body, Frame, SizeHint};
use tokio::io::{AsyncRead, ReadBuf};

use crate::reply::Body as ReplyBody;
use crate::stream::BodyStream;

/// The bytes of a file that are read at once.
const CHUNK: usize = 64 << 10;

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
            // The service waits for such a reply, so its body has another form.
            ReplyBody::Later(_) => Self::Bytes(None),
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
