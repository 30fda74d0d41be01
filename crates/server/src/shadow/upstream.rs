//! Connections to the old server.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use arc_swap::ArcSwap;
use hyper::body::Incoming;
use hyper::client::conn::http1::{self, SendRequest};
use hyper::header::HeaderValue;
use hyper::{Request, Response, Uri};
use hyper_util::rt::TokioIo;
use ordain_ca::CertificateAuthority;
use rustls::ClientConfig;
use rustls::pki_types::ServerName;
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;

use crate::body::Outgoing;
use crate::error::ServerError;
use crate::tls::{self, ServerKey};

/// The time to connect, with the handshake.
const CONNECT: Duration = Duration::from_secs(10);
/// The time until the old server answers: a slow compile takes minutes.
const ANSWER: Duration = Duration::from_secs(600);
/// The time for which a connection may be idle. The old server closes it after thirty seconds.
const IDLE: Duration = Duration::from_secs(5);
/// The maximum number of idle connections.
const MAX_IDLE: usize = 128;
/// The port of Puppet's servers.
const PORT: u16 = 8140;

/// The reason why the old server does not answer.
#[derive(Debug, thiserror::Error)]
pub(crate) enum UpstreamError {
    /// It cannot be reached.
    #[error("{0}")]
    Connect(std::io::Error),
    /// The connection breaks.
    #[error("{0}")]
    Http(#[from] hyper::Error),
    /// It does not answer in time.
    #[error("it does not answer within {} seconds", .0.as_secs())]
    Timeout(Duration),
}

/// The old server.
pub(crate) struct Upstream {
    /// The address and the port.
    authority: String,
    name: ServerName<'static>,
    host: HeaderValue,
    tls: ArcSwap<ClientConfig>,
    idle: Arc<Mutex<Vec<IdleConnection>>>,
}

struct IdleConnection {
    sender: SendRequest<Outgoing>,
    since: Instant,
}

/// A connection in use.
pub(super) struct Lease {
    sender: SendRequest<Outgoing>,
    idle: Arc<Mutex<Vec<IdleConnection>>>,
}

impl Lease {
    /// Keeps the connection for the next request.
    pub(super) fn give_back(self) {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        if idle.len() < MAX_IDLE && !self.sender.is_closed() {
            idle.push(IdleConnection { sender: self.sender, since: Instant::now() });
        }
    }
}

impl Upstream {
    /// The old server at a URL. It must have a certificate of the authority.
    ///
    /// # Errors
    /// When the URL is not `https://HOST[:PORT]`, or the certificates cannot be used.
    pub(super) fn new(
        url: &str,
        ca: &CertificateAuthority,
        own: &ServerKey,
    ) -> Result<Self, ServerError> {
        let wrong = || {
            ServerError::Setting(format!("`{url}` is no URL such as https://old.example.org:8140"))
        };
        let uri: Uri = url.parse().map_err(|_| wrong())?;
        let has_path = !matches!(uri.path(), "" | "/") || uri.query().is_some();
        if uri.scheme_str() != Some("https") || has_path {
            return Err(wrong());
        }
        let host = uri.host().ok_or_else(wrong)?;
        let authority = format!("{host}:{}", uri.port_u16().unwrap_or(PORT));
        let bare = host.trim_start_matches('[').trim_end_matches(']').to_string();
        Ok(Self {
            host: HeaderValue::from_str(&authority).map_err(|_| wrong())?,
            name: ServerName::try_from(bare).map_err(|_| wrong())?,
            authority,
            tls: ArcSwap::from(tls::client_settings(ca, own)?),
            idle: Arc::default(),
        })
    }

    /// Uses an authority that was read again.
    ///
    /// # Errors
    /// When its certificates cannot be used.
    pub(crate) fn set_ca(
        &self,
        ca: &CertificateAuthority,
        own: &ServerKey,
    ) -> Result<(), ServerError> {
        self.tls.store(tls::client_settings(ca, own)?);
        Ok(())
    }

    /// Sends a request. `is_in_memory`: whether its body is, so that it can be sent on a connection
    /// that may have ended meanwhile.
    ///
    /// # Errors
    /// When the old server does not answer.
    pub(super) async fn send(
        &self,
        mut request: Request<Outgoing>,
        is_in_memory: bool,
    ) -> Result<(Response<Incoming>, Lease), UpstreamError> {
        request.headers_mut().insert(hyper::header::HOST, self.host.clone());
        while is_in_memory && let Some(mut sender) = self.take_idle() {
            if !matches!(within(CONNECT, sender.ready()).await, Ok(Ok(()))) {
                continue;
            }
            match within(ANSWER, sender.try_send_request(request)).await? {
                Ok(response) => return Ok((response, self.lease(sender))),
                Err(mut failed) => match failed.take_message() {
                    // The old server has ended the connection and not seen the request.
                    Some(again) => request = again,
                    None => return Err(failed.into_error().into()),
                },
            }
        }
        let mut sender = self.connect().await?;
        let response = within(ANSWER, sender.send_request(request)).await??;
        Ok((response, self.lease(sender)))
    }

    fn lease(&self, sender: SendRequest<Outgoing>) -> Lease {
        Lease { sender, idle: Arc::clone(&self.idle) }
    }

    fn take_idle(&self) -> Option<SendRequest<Outgoing>> {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        idle.retain(|one| one.since.elapsed() < IDLE && !one.sender.is_closed());
        idle.pop().map(|one| one.sender)
    }

    async fn connect(&self) -> Result<SendRequest<Outgoing>, UpstreamError> {
        let connect = async {
            let stream = TcpStream::connect(&self.authority).await?;
            stream.set_nodelay(true)?;
            TlsConnector::from(self.tls.load_full()).connect(self.name.clone(), stream).await
        };
        let stream = within(CONNECT, connect).await?.map_err(UpstreamError::Connect)?;
        let (sender, connection) = http1::handshake(TokioIo::new(stream)).await?;
        tokio::spawn(async move {
            if let Err(error) = connection.await {
                tracing::debug!(%error, "a connection to the old server ends early");
            }
        });
        Ok(sender)
    }
}

async fn within<T>(limit: Duration, work: impl Future<Output = T>) -> Result<T, UpstreamError> {
    timeout(limit, work).await.map_err(|_| UpstreamError::Timeout(limit))
}
