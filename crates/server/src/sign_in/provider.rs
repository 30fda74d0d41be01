//! Requests to a provider of OpenID Connect.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use http_body_util::{BodyExt as _, Full, Limited};
use hyper::client::conn::http1;
use hyper::{Method, Request, Uri};
use hyper_util::rt::TokioIo;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, RootCertStore};
use serde_json::Value as Json;
use tokio::net::TcpStream;
use tokio::sync::Mutex;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;

use super::id_token::{Key, keys};
use crate::error::ServerError;

/// The time for a request, with the connection.
const LIMIT: Duration = Duration::from_secs(10);
/// The maximum length of an answer in bytes.
const MAX_ANSWER: usize = 1 << 20;
/// The time for which the document about the provider counts.
const METADATA: Duration = Duration::from_secs(3_600);
/// The shortest time between two requests for keys: tokens with invented keys cause none.
const KEYS: Duration = Duration::from_secs(30);

/// The reason why a provider gives no answer that counts.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ProviderError {
    /// It cannot be reached.
    #[error("{0} cannot be reached: {1}")]
    Connect(String, String),
    /// It refuses the request.
    #[error("{0} answers with {1}")]
    Status(String, u16),
    /// The answer is no document, or not that of this provider.
    #[error("the answer of {0} is wrong: {1}")]
    Answer(String, String),
}

/// The addresses of a provider.
#[derive(Clone, Debug)]
pub(super) struct Metadata {
    pub(super) authorization_endpoint: String,
    pub(super) token_endpoint: String,
    jwks_uri: String,
}

/// A provider.
pub(super) struct Provider {
    issuer: String,
    tls: Arc<ClientConfig>,
    metadata: Mutex<Option<(Instant, Metadata)>>,
    keys: Mutex<Option<(Instant, Vec<Key>)>>,
}

impl Provider {
    /// The provider with an issuer's name, whose certificate is of one of the authorities in a file.
    ///
    /// # Errors
    /// When the issuer is no URL with TLS, or the file has no certificates.
    pub(super) fn new(issuer: &str, authorities: &Path) -> Result<Self, ServerError> {
        if !is_https(issuer) {
            let text = format!("the issuer `{issuer}` is no URL such as https://id.example.org");
            return Err(ServerError::Setting(text));
        }
        let pem = std::fs::read(authorities).map_err(ServerError::file(authorities))?;
        let mut roots = RootCertStore::empty();
        let certificates = CertificateDer::pem_slice_iter(&pem).filter_map(Result::ok);
        if roots.add_parsable_certificates(certificates).0 == 0 {
            let text = format!("{} has no certificates", authorities.display());
            return Err(ServerError::Setting(text));
        }
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let tls = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(|error| ServerError::Tls(error.to_string()))?
            .with_root_certificates(roots)
            .with_no_client_auth();
        Ok(Self {
            issuer: issuer.to_owned(),
            tls: Arc::new(tls),
            metadata: Mutex::default(),
            keys: Mutex::default(),
        })
    }

    /// The addresses, as OpenID Connect Discovery 1.0 has them.
    ///
    /// # Errors
    /// When they cannot be had, or belong to another issuer.
    pub(super) async fn metadata(&self) -> Result<Metadata, ProviderError> {
        let mut known = self.metadata.lock().await;
        if let Some((since, metadata)) = &*known
            && since.elapsed() < METADATA
        {
            return Ok(metadata.clone());
        }
        let base = self.issuer.trim_end_matches('/');
        let url = format!("{base}/.well-known/openid-configuration");
        let document = self.get(&url).await?;
        let wrong = |text: &str| ProviderError::Answer(url.clone(), text.to_owned());
        if document["issuer"] != self.issuer.as_str() {
            return Err(wrong("it is about another issuer"));
        }
        let address = |name: &str| {
            let found = document[name].as_str().filter(|url| is_https(url));
            found.map(str::to_owned).ok_or_else(|| wrong(&format!("{name} is no URL with TLS")))
        };
        let metadata = Metadata {
            authorization_endpoint: address("authorization_endpoint")?,
            token_endpoint: address("token_endpoint")?,
            jwks_uri: address("jwks_uri")?,
        };
        *known = Some((Instant::now(), metadata.clone()));
        Ok(metadata)
    }

    /// The keys. With `again` they are asked for once more, unless that was done a moment ago.
    ///
    /// # Errors
    /// When they cannot be had.
    pub(super) async fn keys(&self, again: bool) -> Result<Vec<Key>, ProviderError> {
        let metadata = self.metadata().await?;
        let mut known = self.keys.lock().await;
        if let Some((since, keys)) = &*known
            && (!again || since.elapsed() < KEYS)
            && since.elapsed() < METADATA
        {
            return Ok(keys.clone());
        }
        let found = keys(&self.get(&metadata.jwks_uri).await?);
        *known = Some((Instant::now(), found.clone()));
        Ok(found)
    }

    async fn get(&self, url: &str) -> Result<Json, ProviderError> {
        self.send(Method::GET, url, None, String::new()).await
    }

    /// Sends a form. `authorization` is the header of that name.
    ///
    /// # Errors
    /// When the provider refuses it.
    pub(super) async fn post(
        &self,
        url: &str,
        authorization: Option<String>,
        form: String,
    ) -> Result<Json, ProviderError> {
        self.send(Method::POST, url, authorization, form).await
    }

    async fn send(
        &self,
        method: Method,
        url: &str,
        authorization: Option<String>,
        body: String,
    ) -> Result<Json, ProviderError> {
        let answer = timeout(LIMIT, self.exchange(method, url, authorization, body));
        let late = || {
            let text = format!("there is no answer within {} seconds", LIMIT.as_secs());
            ProviderError::Connect(url.to_owned(), text)
        };
        let answer = answer.await.map_err(|_| late())??;
        let wrong =
            |error: serde_json::Error| ProviderError::Answer(url.to_owned(), error.to_string());
        serde_json::from_slice(&answer).map_err(wrong)
    }

    async fn exchange(
        &self,
        method: Method,
        url: &str,
        authorization: Option<String>,
        body: String,
    ) -> Result<Bytes, ProviderError> {
        let failed = |error: &dyn std::fmt::Display| {
            ProviderError::Connect(url.to_owned(), error.to_string())
        };
        let uri: Uri = url.parse().map_err(|error| failed(&error))?;
        let host = uri.host().unwrap_or_default();
        let authority = format!("{host}:{}", uri.port_u16().unwrap_or(443));
        let bare = host.trim_start_matches('[').trim_end_matches(']').to_owned();
        let name = ServerName::try_from(bare).map_err(|error| failed(&error))?;
        let stream = TcpStream::connect(&authority).await.map_err(|error| failed(&error))?;
        let tls = TlsConnector::from(Arc::clone(&self.tls));
        let stream = tls.connect(name, stream).await.map_err(|error| failed(&error))?;
        let (mut sender, connection) =
            http1::handshake(TokioIo::new(stream)).await.map_err(|error| failed(&error))?;
        // It ends with the answer, or with this request.
        let connection = tokio::spawn(connection);
        let path = uri.path_and_query().map_or("/", |path| path.as_str());
        let mut request = Request::builder()
            .method(method)
            .uri(path)
            .header("host", authority)
            .header("accept", "application/json")
            .header("connection", "close");
        if !body.is_empty() {
            request = request.header("content-type", "application/x-www-form-urlencoded");
        }
        if let Some(authorization) = authorization {
            request = request.header("authorization", authorization);
        }
        let request = request.body(Full::new(Bytes::from(body))).map_err(|e| failed(&e))?;
        let reply = sender.send_request(request).await.map_err(|error| failed(&error))?;
        let status = reply.status();
        let body = Limited::new(reply.into_body(), MAX_ANSWER).collect().await;
        connection.abort();
        if !status.is_success() {
            return Err(ProviderError::Status(url.to_owned(), status.as_u16()));
        }
        Ok(body.map_err(|error| failed(&error))?.to_bytes())
    }
}

/// Whether a text is the URL of a server with TLS, without a name of a user.
fn is_https(url: &str) -> bool {
    let uri = url.parse::<Uri>();
    uri.is_ok_and(|uri| {
        let authority = uri.authority().map_or("", |authority| authority.as_str());
        uri.scheme_str() == Some("https") && !authority.is_empty() && !authority.contains('@')
    })
}
