//! Requests to stores on other machines, with the certificate of this one.

use std::io;
use std::time::Duration;

use ordain_graph::shared::SharedStoreError;
use serde_json::Value as Json;
use ureq::http::{Method, Request};
use ureq::{Agent, Body};

use crate::kinds::http::fetch::failed;
use crate::tls::TlsFiles;

/// The time to connect: a cluster has other members.
const CONNECT: Duration = Duration::from_secs(2);
/// The time for an answer that does not wait for anything.
pub(super) const ANSWER: Duration = Duration::from_secs(5);
/// The maximum number of bytes of an answer.
const MAX_ANSWER: u64 = 256 << 20;
/// The maximum number of characters of a refusal that are shown.
const MAX_SHOWN: usize = 300;

/// A client for one store.
#[derive(Clone, Debug)]
pub(super) struct Client(Agent);

/// An answer with its status.
pub(super) struct Answer {
    pub(super) status: u16,
    pub(super) body: Body,
}

impl Client {
    /// A client; for `https:` with these certificates.
    ///
    /// # Errors
    /// When a certificate cannot be read.
    pub(super) fn new(tls: Option<&TlsFiles>) -> Result<Self, SharedStoreError> {
        let config = Agent::config_builder()
            .http_status_as_error(false)
            .max_redirects(0)
            // A proxy of the environment would see all values.
            .proxy(None)
            .timeout_connect(Some(CONNECT));
        Ok(Self(match tls {
            Some(tls) => {
                let tls = tls.config();
                let tls = tls.map_err(|error| SharedStoreError::Refused(error.to_string()))?;
                config.tls_config(tls).build().new_agent()
            }
            None => config.build().new_agent(),
        }))
    }

    /// Sends a request that has to be answered completely within a time.
    ///
    /// # Errors
    /// When there is no answer.
    pub(super) fn send(
        &self,
        method: Method,
        url: &str,
        body: Option<&Json>,
        at_most: Duration,
    ) -> io::Result<Answer> {
        let text = body.map(Json::to_string).unwrap_or_default();
        let request =
            Request::builder().method(method).uri(url).header("content-type", "application/json");
        let answer = match body {
            Some(_) => {
                let request = request.body(text.as_str()).map_err(io::Error::other)?;
                let request = self.0.configure_request(request);
                self.0.run(request.timeout_global(Some(at_most)).build())
            }
            None => {
                let request = request.body(()).map_err(io::Error::other)?;
                let request = self.0.configure_request(request);
                self.0.run(request.timeout_global(Some(at_most)).build())
            }
        };
        let answer = answer.map_err(failed)?;
        Ok(Answer { status: answer.status().as_u16(), body: answer.into_body() })
    }
}

impl Answer {
    /// The body as JSON.
    ///
    /// # Errors
    /// When it does not arrive, or is no JSON.
    pub(super) fn json(self) -> io::Result<Json> {
        let text = self.text()?;
        serde_json::from_str(&text).map_err(io::Error::other)
    }

    /// The body.
    ///
    /// # Errors
    /// When it does not arrive.
    pub(super) fn text(self) -> io::Result<String> {
        self.body.into_with_config().limit(MAX_ANSWER).read_to_string().map_err(failed)
    }
}

/// The text of a refusal, without more of it than people read.
pub(super) fn shown(text: &str) -> String {
    text.trim().chars().take(MAX_SHOWN).collect()
}
