//! The server as an enrolled node uses it.

use std::time::Duration;

use jiff::Timestamp;
use ordain_ca::TrustedAuthority;
use ordain_functions::digest;
use serde_json::Value as Json;
use ureq::http::Method;

use crate::client::Client;
use crate::error::AgentError;
use crate::home::{MAX_GRAPH, StoredGraph};
use crate::protocol::{self, Expected, GraphRequest, Head};

/// The maximum length of the lists of revoked certificates in bytes.
const MAX_LISTS: u64 = 64 << 20;
/// The maximum length of a file that is copied from the server, in bytes.
pub(crate) const MAX_FILE: u64 = 4 << 30;
/// The maximum length of a notice in bytes.
const MAX_NOTICE: u64 = 64 << 10;
/// The longest time for which the server holds a request for changes.
pub(crate) const HOLD: Duration = Duration::from_secs(300);

/// The server, with the certificate of this node.
pub struct Server {
    client: Client,
    certname: String,
    authority: TrustedAuthority,
}

/// The answer to a request for the graph.
#[derive(Debug)]
pub enum Answer {
    /// A new graph.
    New(StoredGraph),
    /// The node has the graph already. The head is of now.
    Unchanged(Head),
}

/// The outcome of waiting for changes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ChangeNotice {
    /// The code has changed to this state; the next graph may be another one.
    Changed(String),
    /// A user asks for a run now. Its report has this job id.
    Run(String),
    /// The server has nothing new.
    Nothing,
}

#[derive(serde::Deserialize)]
struct Notice {
    state: String,
    #[serde(default)]
    run: Option<String>,
}

impl Server {
    pub(crate) fn new(client: Client, certname: String, authority: TrustedAuthority) -> Self {
        Self { client, certname, authority }
    }

    /// The name of the node.
    pub fn certname(&self) -> &str {
        &self.certname
    }

    /// The name of the server.
    pub fn host(&self) -> &str {
        self.client.host()
    }

    /// Gets the lists of revoked certificates, by which signers are checked.
    ///
    /// # Errors
    /// When they cannot be fetched, or are not those of the authority.
    pub fn refresh_lists(&mut self) -> Result<(), AgentError> {
        let path = "/puppet-ca/v1/certificate_revocation_list/ca";
        let reply = self.client.get(path, None, "its revocation lists")?;
        let lists = self.client.read(reply, MAX_LISTS)?;
        let pem = self.authority.pem();
        let authority = TrustedAuthority::from_pem(pem.as_bytes(), Timestamp::now())?;
        self.authority = authority.with_lists(&lists)?;
        Ok(())
    }

    /// Sends the facts and gets the graph. `known` is the digest of the graph that the node has.
    ///
    /// # Errors
    /// When the server cannot be reached or refuses, or the answer is not accepted.
    pub fn graph(
        &self,
        environment: &str,
        facts: &Json,
        known: Option<&str>,
    ) -> Result<Answer, AgentError> {
        let nonce = nonce()?;
        let request = GraphRequest {
            format: protocol::REQUEST_FORMAT.to_string(),
            version: protocol::VERSION,
            environment: environment.to_string(),
            facts: serde_json::json!({ "name": self.certname, "values": facts }),
            nonce: nonce.clone(),
            known: known.map(str::to_string),
        };
        let body = serde_json::to_vec(&request)
            .map_err(|error| AgentError::Setting(format!("the facts: {error}")))?;
        let path = format!("/ordain/v1/graph/{}", self.certname);
        let body = ("application/json", body.as_slice());
        let reply = self.client.send(Method::POST, &path, body, "the graph")?;
        let document = self.client.read(reply, MAX_GRAPH)?;
        let expected = Expected {
            authority: &self.authority,
            server: self.client.host(),
            certname: &self.certname,
            nonce: &nonce,
            known,
            now: Timestamp::now(),
        };
        let (head, body) = protocol::verify(&document, &expected)?;
        Ok(match body {
            Some(body) => Answer::New(StoredGraph { body: body.to_vec(), head }),
            None => Answer::Unchanged(head),
        })
    }

    /// Waits until the code of an environment is no longer in a state, or a user asks for a run, at
    /// most for some minutes. It blocks.
    ///
    /// # Errors
    /// When the connection ends, or the server refuses.
    pub fn changed(&self, environment: &str, state: &str) -> Result<ChangeNotice, AgentError> {
        let state = percent(state);
        let certname = &self.certname;
        let path = format!("/ordain/v1/changes/{certname}?environment={environment}&state={state}");
        let reply = self.client.get(&path, Some(HOLD), "its changes")?;
        let is_nothing = reply.status == 204;
        let text = self.client.read(reply, MAX_NOTICE)?;
        if is_nothing {
            return Ok(ChangeNotice::Nothing);
        }
        let notice: Notice = serde_json::from_slice(&text)
            .map_err(|error| AgentError::Setting(format!("its notice of a change: {error}")))?;
        Ok(match notice.run {
            Some(job) => ChangeNotice::Run(job),
            None => ChangeNotice::Changed(notice.state),
        })
    }

    /// Delivers a report in the form of Puppet's agents.
    ///
    /// # Errors
    /// When the server cannot be reached or refuses.
    pub fn report(&self, environment: &str, report: &[u8]) -> Result<(), AgentError> {
        let path = format!("/puppet/v3/report/{}?environment={environment}", self.certname);
        let body = ("application/json", report);
        self.client.send(Method::PUT, &path, body, "the report").map(drop)
    }

    /// Copies the content of a file on a mount, such as `modules/ntp/ntp.conf`.
    ///
    /// # Errors
    /// When the server cannot be reached or does not have the file, or it cannot be written.
    pub(crate) fn file(
        &self,
        environment: &str,
        path: &str,
        out: &mut impl std::io::Write,
    ) -> Result<(), AgentError> {
        let path: Vec<String> = path.split('/').map(percent).collect();
        let path = format!("/puppet/v3/file_content/{}?environment={environment}", path.join("/"));
        let reply = self.client.get(&path, None, "a file")?;
        self.client.copy(reply, MAX_FILE, out)
    }
}

/// A random text for [`GraphRequest::nonce`].
fn nonce() -> Result<String, AgentError> {
    let mut bytes = [0u8; 16];
    getrandom::fill(&mut bytes).map_err(|_| AgentError::Random)?;
    Ok(digest::hex(&bytes))
}

/// A text as a part of a URL.
fn percent(text: &str) -> String {
    let mut out = String::new();
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                out.push(byte as char);
            }
            _ => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_urls_are_encoded() {
        assert_eq!(percent("a-b_c.d~1"), "a-b_c.d~1");
        assert_eq!(percent("a b/ä&?"), "a%20b%2F%C3%A4%26%3F");
    }
}
