//! Accepts connections within limits, and ends them in order.

use std::future::poll_fn;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::task::Poll;
use std::time::Duration;

use bytes::Bytes;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use rustls::server::Acceptor;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::time::{sleep, timeout};
use tokio_rustls::LazyConfigAcceptor;
use tokio_rustls::server::TlsStream;

use crate::client::{Client, Listener};
use crate::connections::Slot;
use crate::held::{self, Exit, HeldRequest};
use crate::identity::Identity;
use crate::io::TimedWrites;
use crate::service::Service;

/// The maximum length of the head of a request in bytes.
const MAX_HEAD: usize = 64 << 10;
/// The maximum number of headers.
const MAX_HEADERS: usize = 64;
/// The pause after an error of the system, such as too many open files.
const PAUSE: Duration = Duration::from_millis(50);

/// Accepts connections with TLS until `end` is true.
pub(crate) async fn accept_tls(
    service: Arc<Service>,
    listener: TcpListener,
    kind: Listener,
    end: watch::Receiver<bool>,
) {
    accept(&service, &listener, end.clone(), |stream, address, slot| {
        let client = Client { identity: None, address, listener: kind };
        tokio::spawn(tls(Arc::clone(&service), stream, client, slot, end.clone()));
    })
    .await;
}

/// Accepts connections without encryption until `end` is true.
pub(crate) async fn accept_plain(
    service: Arc<Service>,
    listener: TcpListener,
    kind: Listener,
    end: watch::Receiver<bool>,
) {
    accept(&service, &listener, end.clone(), |stream, address, slot| {
        let client = Client { identity: None, address, listener: kind };
        tokio::spawn(plain(Arc::clone(&service), stream, client, slot, end.clone()));
    })
    .await;
}

async fn accept(
    service: &Arc<Service>,
    listener: &TcpListener,
    mut end: watch::Receiver<bool>,
    mut each: impl FnMut(TcpStream, SocketAddr, Slot),
) {
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = ended(&mut end) => return,
        };
        match accepted {
            Ok((stream, address)) => {
                let slot =
                    service.server.connections.take(address.ip(), &service.server.config.limits);
                let Some(slot) = slot else {
                    service.server.metrics.refused_connections.fetch_add(1, Ordering::Relaxed);
                    continue;
                };
                // Replies are written at once, so small packets need not be joined.
                let _ = stream.set_nodelay(true);
                each(stream, address, slot);
            }
            Err(error) => {
                tracing::warn!(%error, "a connection cannot be accepted");
                sleep(PAUSE).await;
            }
        }
    }
}

/// Waits for the end of the server.
async fn ended(end: &mut watch::Receiver<bool>) {
    // The sender goes away at the end, too.
    let _ = end.wait_for(|has_ended| *has_ended).await;
}

/// Makes the handshake of a connection, then serves its requests.
async fn tls(
    service: Arc<Service>,
    stream: TcpStream,
    client: Client,
    slot: Slot,
    end: watch::Receiver<bool>,
) {
    // Each step is in a place of its own: a connection that waits does not have room for the others.
    let Some((mut stream, client)) = Box::pin(admitted(&service, stream, client)).await else {
        return;
    };
    let mut first = Bytes::new();
    while !first.is_empty() || has_request(&service, &mut stream, end.clone()).await {
        let exit = Some(Arc::new(Exit::default()));
        let requests = requests(&service, (stream, first), &client, exit, end.clone());
        let Some(left) = Box::pin(requests).await else { break };
        (stream, first) = (left.stream, left.first);
        let answer = held::answer(&service, &mut stream, &client, left.request, &end);
        if !Box::pin(answer).await {
            break;
        }
    }
    drop(slot);
}

/// A stream in a place of its own, so that it can move.
type BoxedStream = Box<TlsStream<TcpStream>>;

/// Makes the handshake of a connection, and reads the identity of its client. `None` if either fails.
async fn admitted(
    service: &Service,
    stream: TcpStream,
    client: Client,
) -> Option<(BoxedStream, Arc<Client>)> {
    let address = client.address;
    let stream =
        match timeout(service.server.config.limits.handshake, handshake(service, stream)).await {
            Ok(Ok(stream)) => stream,
            Ok(Err(error)) => {
                service.server.metrics.failed_handshakes.fetch_add(1, Ordering::Relaxed);
                tracing::debug!(%address, %error, "the handshake of a connection fails");
                return None;
            }
            Err(_) => {
                service.server.metrics.failed_handshakes.fetch_add(1, Ordering::Relaxed);
                tracing::debug!(%address, "the handshake of a connection takes too long");
                return None;
            }
        };
    let certificates = stream.get_ref().1.peer_certificates();
    let certificate = certificates.and_then(|chain| chain.first());
    match certificate.map(|der| Identity::of(&service.server.ca(), der)).transpose() {
        Ok(identity) => Some((Box::new(stream), Arc::new(Client { identity, ..client }))),
        Err(error) => {
            tracing::warn!(%address, %error, "the certificate of a client is refused");
            None
        }
    }
}

/// Serves the requests of a connection without encryption.
async fn plain(
    service: Arc<Service>,
    stream: TcpStream,
    client: Client,
    slot: Slot,
    end: watch::Receiver<bool>,
) {
    requests(&service, (stream, Bytes::new()), &Arc::new(client), None, end).await;
    drop(slot);
}

/// Waits for the first bytes of a request: the buffers for requests are three times as large as all
/// else that a connection needs.
async fn has_request(
    service: &Service,
    stream: &mut TlsStream<TcpStream>,
    mut end: watch::Receiver<bool>,
) -> bool {
    let first = timeout(service.server.config.limits.head, stream.fill_buf());
    tokio::select! {
        first = first => matches!(first, Ok(Ok(bytes)) if !bytes.is_empty()),
        () = ended(&mut end) => false,
    }
}

/// Makes the handshake of a connection. A client that sends nothing, or goes on slowly, takes no turn
/// of others.
async fn handshake(service: &Service, stream: TcpStream) -> io::Result<TlsStream<TcpStream>> {
    let hello = LazyConfigAcceptor::new(Acceptor::default(), stream).await?;
    // Signatures are expensive, and clients that are not known yet can ask for them.
    let turn = service.server.handshakes.acquire().await;
    let mut rest = std::pin::pin!(hello.into_stream(service.server.tls.load_full()));
    // The first step signs; later ones wait for the client.
    let first = poll_fn(|context| match rest.as_mut().poll(context) {
        Poll::Ready(result) => Poll::Ready(Some(result)),
        Poll::Pending => Poll::Ready(None),
    });
    let first = first.await;
    drop(turn);
    match first {
        Some(result) => result,
        None => rest.await,
    }
}

/// A request that left its connection.
struct Left<S> {
    request: Box<HeldRequest>,
    stream: S,
    /// Bytes that were read after the request.
    first: Bytes,
}

/// Serves the requests of a connection, of which the bytes `first` were read before. Returns the
/// request that leaves it by `exit`.
async fn requests<S: AsyncRead + AsyncWrite + Unpin + Send + 'static>(
    service: &Arc<Service>,
    (stream, first): (S, Bytes),
    client: &Arc<Client>,
    exit: Option<Arc<Exit>>,
    mut end: watch::Receiver<bool>,
) -> Option<Left<S>> {
    let limits = &service.server.config.limits;
    let is_writing = exit.as_ref().map(|exit| exit.is_writing()).unwrap_or_default();
    let io = TokioIo::new(TimedWrites::new(stream, first, limits.write, is_writing));
    let address = client.address;
    let (handling, client, leaving) = (Arc::clone(service), Arc::clone(client), exit.clone());
    let function = service_fn(move |request: hyper::Request<Incoming>| {
        let (service, client) = (Arc::clone(&handling), Arc::clone(&client));
        let exit = leaving.clone();
        // In a place of its own, so that a connection without a request does not have room for one.
        Box::pin(async move {
            let response = service.respond(&client, request, exit.as_deref()).await;
            Ok::<_, std::convert::Infallible>(response)
        })
    });
    let mut connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(limits.head)
        .max_buf_size(MAX_HEAD)
        .max_headers(MAX_HEADERS)
        .serve_connection(io, function);
    let mut is_ending = false;
    let result = loop {
        let next = poll_fn(|context| match Pin::new(&mut connection).poll(context) {
            Poll::Ready(result) => Poll::Ready(Err(result)),
            Poll::Pending => match exit.as_ref().and_then(|exit| exit.take()) {
                Some(request) => Poll::Ready(Ok(request)),
                None => Poll::Pending,
            },
        });
        tokio::select! {
            next = next => break next,
            () = ended(&mut end), if !is_ending => {
                is_ending = true;
                Pin::new(&mut connection).graceful_shutdown();
            }
        }
    };
    match result {
        Ok(request) => {
            let parts = connection.into_parts();
            let stream = parts.io.into_inner().into_inner();
            // A copy, since these few bytes, mostly none, are in a buffer of 8 KiB.
            Some(Left { request, stream, first: Bytes::copy_from_slice(&parts.read_buf) })
        }
        Err(result) => {
            if let Err(error) = result {
                tracing::debug!(%address, %error, "a connection ends early");
            }
            None
        }
    }
}
