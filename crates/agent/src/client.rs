//! Requests to a server over TLS, with limits on times and lengths.

use std::io::Read;
use std::sync::Arc;
use std::time::Duration;

use ordain_ca::TrustedAuthority;
use ureq::tls::{Certificate, ClientCert, PrivateKey, RootCerts, TlsConfig, TlsProvider};
use ureq::{Agent, Body, http};

use crate::error::AgentError;

/// The time to connect, and the longest pause inside of a reply.
const PAUSE: Duration = Duration::from_secs(30);
/// The time until a reply begins: a compile may wait for others.
const ANSWER: Duration = Duration::from_secs(300);
/// The time for a whole reply.
const BODY: Duration = Duration::from_secs(3600);
/// The maximum number of bytes of a refusal that are read, and of characters that are shown.
const MAX_REFUSAL: (u64, usize) = (64 << 10, 500);

/// How the server is recognised.
pub(crate) enum Roots<'a> {
    /// By a certificate of this authority for the server's name.
    Authority(&'a TrustedAuthority),
    /// Not at all: only to get the certificate of the authority, which is checked by itself.
    Anyone,
}

/// A client of one server.
#[derive(Clone)]
pub(crate) struct Client {
    agent: Agent,
    /// `HOST:PORT`.
    server: String,
}

/// A reply that is no error.
pub(crate) struct Reply {
    pub(crate) status: u16,
    body: Body,
}

impl Client {
    /// A client of `HOST:PORT`. `own` has the certificate and the key of the node as PEM texts.
    ///
    /// # Errors
    /// When the certificate or the key cannot be used.
    pub(crate) fn new(
        server: &str,
        roots: &Roots<'_>,
        own: Option<(&[u8], &[u8])>,
    ) -> Result<Self, AgentError> {
        let unusable = |error: ureq::Error| AgentError::Setting(error.to_string());
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let tls = TlsConfig::builder()
            .provider(TlsProvider::Rustls)
            .unversioned_rustls_crypto_provider(provider);
        let tls = match roots {
            Roots::Anyone => tls.disable_verification(true),
            Roots::Authority(authority) => {
                let certificates = authority.certificates().iter();
                let roots: Vec<Certificate<'static>> =
                    certificates.map(|one| Certificate::from_der(one.der()).to_owned()).collect();
                tls.root_certs(RootCerts::new_with_certs(&roots))
            }
        };
        let own = match own {
            Some((certificate, key)) => {
                let certificate = Certificate::from_pem(certificate).map_err(unusable)?;
                let key = PrivateKey::from_pem(key).map_err(unusable)?;
                Some(ClientCert::new_with_certs(&[certificate], key))
            }
            None => None,
        };
        let config = Agent::config_builder()
            .http_status_as_error(false)
            .https_only(true)
            // A redirect would lead to another server, and a proxy of the environment see names.
            .max_redirects(0)
            .proxy(None)
            .timeout_connect(Some(PAUSE))
            .timeout_per_read(Some(PAUSE))
            .timeout_send_body(Some(ANSWER))
            .timeout_recv_response(Some(ANSWER))
            .timeout_recv_body(Some(BODY))
            .tls_config(tls.client_cert(own).build());
        Ok(Self { agent: config.build().new_agent(), server: server.to_string() })
    }

    /// The name of the server, without the port.
    pub(crate) fn host(&self) -> &str {
        let host = self.server.rsplit_once(':').map_or(self.server.as_str(), |(host, _)| host);
        host.trim_start_matches('[').trim_end_matches(']')
    }

    /// Sends a request with a body.
    pub(crate) fn send(
        &self,
        method: http::Method,
        path: &str,
        (content_type, body): (&str, &[u8]),
        subject: &'static str,
    ) -> Result<Reply, AgentError> {
        let request = self.request(method, path).header("content-type", content_type).body(body);
        self.run(request, None, subject)
    }

    /// Gets a document. `hold` is the time for which the server may hold the request.
    pub(crate) fn get(
        &self,
        path: &str,
        hold: Option<Duration>,
        subject: &'static str,
    ) -> Result<Reply, AgentError> {
        self.run(self.request(http::Method::GET, path).body(&b""[..]), hold, subject)
    }

    fn request(&self, method: http::Method, path: &str) -> http::request::Builder {
        http::Request::builder().method(method).uri(format!("https://{}{path}", self.server))
    }

    fn run(
        &self,
        request: Result<http::Request<&[u8]>, http::Error>,
        hold: Option<Duration>,
        subject: &'static str,
    ) -> Result<Reply, AgentError> {
        let request = request.map_err(|error| AgentError::Setting(error.to_string()))?;
        let result = match (hold, request.body().is_empty()) {
            (Some(hold), _) => {
                let (parts, _) = request.into_parts();
                let request = http::Request::from_parts(parts, ());
                let request = self.agent.configure_request(request);
                let request = request
                    .timeout_recv_response(Some(hold + PAUSE))
                    .timeout_per_read(Some(hold + PAUSE))
                    .build();
                self.agent.run(request)
            }
            (None, true) => {
                let (parts, _) = request.into_parts();
                self.agent.run(http::Request::from_parts(parts, ()))
            }
            (None, false) => self.agent.run(request),
        };
        let reply = result.map_err(|error| self.unreachable(&error))?;
        let status = reply.status().as_u16();
        if matches!(status, 200..=299 | 304) {
            return Ok(Reply { status, body: reply.into_body() });
        }
        let retry_after = reply.headers().get("retry-after");
        let retry_after = retry_after.and_then(|value| value.to_str().ok()?.parse().ok());
        let mut text = String::new();
        // The message is only shown, so a part of it is enough.
        let _ = reply.into_body().into_reader().take(MAX_REFUSAL.0).read_to_string(&mut text);
        let message = message(&text);
        Err(AgentError::Refused { subject, status, message, retry_after })
    }

    fn unreachable(&self, error: &dyn std::fmt::Display) -> AgentError {
        AgentError::Unreachable { server: self.server.clone(), reason: error.to_string() }
    }

    /// Reads the body of a reply.
    ///
    /// # Errors
    /// When it is longer, or ends early.
    pub(crate) fn read(&self, reply: Reply, most: u64) -> Result<Vec<u8>, AgentError> {
        let body = reply.body.into_with_config().limit(most).read_to_vec();
        body.map_err(|error| self.unreachable(&error))
    }

    /// Writes the body of a reply to a file.
    ///
    /// # Errors
    /// When it is longer, ends early, or cannot be written.
    pub(crate) fn copy(
        &self,
        reply: Reply,
        most: u64,
        out: &mut impl std::io::Write,
    ) -> Result<(), AgentError> {
        let mut body = reply.body.into_with_config().limit(most).reader();
        std::io::copy(&mut body, out).map(drop).map_err(|error| self.unreachable(&error))
    }
}

/// The message in a refusal: that of Puppet's form, or the beginning of the text.
fn message(text: &str) -> String {
    #[derive(serde::Deserialize)]
    struct Refusal {
        message: String,
    }
    let text = serde_json::from_str::<Refusal>(text).map_or_else(|_| text.into(), |r| r.message);
    text.chars().take(MAX_REFUSAL.1).collect()
}
