//! Reading the bodies of requests within limits.

use std::time::Duration;

use bytes::{Bytes, BytesMut};
use http_body_util::BodyExt;
use hyper::StatusCode;
use hyper::body::{Body, Incoming};
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::time::timeout;

use crate::reply::Reply;
use crate::server::{BODY_UNIT, Server};

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
