//! A request, decoded, with its body in memory.

use bytes::Bytes;
use hyper::{HeaderMap, Method, StatusCode};
use ordain_explorer::Viewer;

use crate::identity::{DatabaseAccess, Identity};
use crate::reply::Reply;
use crate::url::{Parameters, Target, UrlError};

/// A request.
#[derive(Debug)]
pub(crate) struct Request {
    pub(crate) method: Method,
    pub(crate) target: Target,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
    /// The verified client of the connection.
    pub(crate) identity: Option<Identity>,
    pub(crate) access: DatabaseAccess,
    /// The user of the web explorer that the client is, if it may use it.
    pub(crate) viewer: Option<Viewer>,
    /// The parts of the path that the pattern of the route names.
    pub(crate) captured: Captured,
}

/// The parts of a path that the pattern of its route leaves open.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub(crate) struct Captured {
    /// The segment at `{name}`.
    pub(crate) name: Option<String>,
    /// The segments at `{path}`.
    pub(crate) path: Vec<String>,
}

impl Request {
    /// The header as text.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }

    /// The type of the body, without parameters.
    pub(crate) fn content_type(&self) -> &str {
        let value = self.header("content-type").unwrap_or_default();
        value.split(';').next().unwrap_or_default().trim()
    }

    /// The parameters of the body, if it is a form, else those of the URL.
    ///
    /// # Errors
    /// When the body cannot be decoded.
    pub(crate) fn form(&self) -> Result<Parameters, UrlError> {
        if self.content_type() != "application/x-www-form-urlencoded" {
            return Ok(self.target.query.clone());
        }
        let text = std::str::from_utf8(&self.body).map_err(|_| UrlError::NotUtf8)?;
        Parameters::decode(text)
    }

    /// The name of the environment in the URL.
    ///
    /// # Errors
    /// The reply for a request without a valid one.
    pub(crate) fn environment(&self) -> Result<&str, Reply> {
        environment(self.target.query.get("environment"))
    }
}

/// Checks the name of an environment.
///
/// # Errors
/// The reply for a request without a valid one.
pub(crate) fn environment(name: Option<&str>) -> Result<&str, Reply> {
    let wrong = |text: String| Err(Reply::text(StatusCode::BAD_REQUEST, text));
    let Some(name) = name else {
        return wrong("An environment parameter must be specified".to_string());
    };
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    if name.is_empty() || name.len() > 255 || !name.chars().all(is_word) {
        return wrong(format!("The environment must be purely alphanumeric, not '{name}'"));
    }
    Ok(name)
}

/// Whether a browser says that a page of another site asks.
pub(crate) fn is_of_another_site(headers: &HeaderMap) -> bool {
    let site = headers.get("sec-fetch-site").map(hyper::header::HeaderValue::as_bytes);
    !matches!(site, None | Some(b"same-origin" | b"none"))
}

/// Whether a client reads compressed replies, by its header `Accept-Encoding`.
pub(crate) fn accepts_gzip(accepted: &str) -> bool {
    accepted.split(',').any(|part| {
        let mut words = part.split(';').map(str::trim);
        let is_gzip = matches!(words.next(), Some("gzip" | "*"));
        is_gzip && !words.any(|word| word == "q=0" || word == "q=0.0")
    })
}
