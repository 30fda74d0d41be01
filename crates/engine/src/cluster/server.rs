//! Ordain's server as a store, by the certificate of this host.

use std::io;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use ordain_graph::shared::{
    SharedChanges, SharedGuard, SharedStore, SharedStoreError, SharedWrite,
};
use serde::de::DeserializeOwned;
use serde_json::{Value as Json, json};
use ureq::http::Method;

use super::address::Address;
use super::http::{ANSWER, Client, shown};
use crate::tls::TlsFiles;

/// The port of servers.
const PORT: &str = "8140";

/// A server.
#[derive(Debug)]
pub struct ServerStore {
    client: Mutex<Client>,
    tls: TlsFiles,
    /// The address of the values, with the name of this host.
    url: String,
}

impl ServerStore {
    /// A client of the server at `https://HOST:PORT`, with the certificate of a host. Parameters of
    /// the address win over `files`. Connects with the first call.
    ///
    /// # Errors
    /// When the address is invalid, or a certificate cannot be read.
    pub fn new(address: &str, host: &str, files: TlsFiles) -> Result<Self, SharedStoreError> {
        let Address { servers, path, tls, .. } = Address::parse(address, PORT)?;
        let [server] = &servers[..] else {
            let text = format!("`{address}` has several servers; name one, or their balancer");
            return Err(SharedStoreError::Refused(text));
        };
        if !path.is_empty() {
            let text = format!("`{address}` has a path, which a server does not have");
            return Err(SharedStoreError::Refused(text));
        }
        let tls = TlsFiles {
            ca: tls.ca.or(files.ca),
            cert: tls.cert.or(files.cert),
            key: tls.key.or(files.key),
        };
        let url = format!("https://{server}/ordain/v1/shared/{host}");
        Ok(Self { client: Mutex::new(Client::new(Some(&tls))?), tls, url })
    }

    fn client(&self) -> MutexGuard<'_, Client> {
        self.client.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn call<T: DeserializeOwned>(
        &self,
        (method, query, body): (Method, &str, Option<&Json>),
        at_most: Duration,
    ) -> Result<T, SharedStoreError> {
        let unreachable = |error: io::Error| SharedStoreError::Unreachable(error.to_string());
        let url = format!("{}{query}", self.url);
        let client = self.client().clone();
        let answer = client.send(method, &url, body, at_most);
        if answer.is_err() {
            // The certificate may have been renewed since.
            let renewed = Client::new(Some(&self.tls));
            if let Ok(renewed) = renewed {
                *self.client() = renewed;
            }
        }
        let answer = answer.map_err(unreachable)?;
        let status = answer.status;
        let text = answer.text().map_err(unreachable)?;
        match status {
            200 => serde_json::from_str(&text)
                .map_err(|error| SharedStoreError::Unreachable(format!("its answer: {error}"))),
            400..500 => {
                let refusal: Json = serde_json::from_str(&text).unwrap_or_default();
                let text = refusal["message"].as_str().unwrap_or(&text);
                Err(SharedStoreError::Refused(format!("{} (status {status})", shown(text))))
            }
            _ => {
                let text = format!("{} (status {status})", shown(&text));
                Err(SharedStoreError::Unreachable(text))
            }
        }
    }
}

impl SharedStore for ServerStore {
    fn changes(
        &self,
        after: Option<i64>,
        at_most: Duration,
    ) -> Result<SharedChanges, SharedStoreError> {
        let query = match after {
            Some(after) => format!("?after={after}&wait={}", at_most.as_millis()),
            None => String::new(),
        };
        self.call((Method::GET, &query, None), ANSWER + at_most)
    }

    fn write(
        &self,
        _: &str,
        writes: &[SharedWrite],
        guard: Option<&SharedGuard>,
    ) -> Result<bool, SharedStoreError> {
        let body = json!({ "writes": writes, "guard": guard });
        self.call((Method::POST, "", Some(&body)), ANSWER)
    }

    fn renew(&self, _: &str, ttl: u64) -> Result<(), SharedStoreError> {
        let body = json!({ "renew": ttl });
        self.call::<bool>((Method::POST, "", Some(&body)), ANSWER).map(drop)
    }
}
