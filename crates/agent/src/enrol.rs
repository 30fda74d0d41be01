//! Enrolment: the certificate of the authority, the key of the node, its certificate.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use ordain_ca::{Certificate, Certname, NodeKey, TrustedAuthority};
use ureq::http::Method;

use crate::client::{Client, Reply, Roots};
use crate::error::AgentError;
use crate::home::{Home, make_private, read_limited, write_private};
use crate::server::Server;

/// The maximum length of certificates and lists in bytes.
const MAX_PEM: u64 = 16 << 20;
/// A certificate with less than this time left is renewed.
const RENEWAL: i64 = 30 * 86_400;

/// How an agent gets to trust the authority of a server that it does not know yet.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Trust {
    /// It has this SHA-256 fingerprint, with or without colons.
    Fingerprint(String),
    /// Whatever it is: whoever answers first is trusted from then on.
    FirstUse,
    /// Not at all.
    Never,
}

/// The steps of an enrolment that are done.
pub struct Enrolment {
    home: Arc<Home>,
    server: String,
    certname: Certname,
    authority: TrustedAuthority,
    key: NodeKey,
    key_pem: Vec<u8>,
}

impl Enrolment {
    /// Makes sure of the authority and of the node's key. `server` is `HOST:PORT`.
    ///
    /// # Errors
    /// When the authority is unknown and not trusted, the server cannot be reached, or a file cannot
    /// be used.
    pub fn begin(
        home: &Arc<Home>,
        server: &str,
        certname: &str,
        trust: &Trust,
    ) -> Result<Self, AgentError> {
        let certname = Certname::new(certname)?;
        make_private(&home.path("ssl"))?;
        let authority = authority(home, server, trust)?;
        let (key, key_pem) = node_key(home)?;
        let (home, server) = (Arc::clone(home), server.to_string());
        Ok(Self { home, server, certname, authority, key, key_pem })
    }

    /// The fingerprint of the authority.
    pub fn fingerprint(&self) -> String {
        self.authority.fingerprint()
    }

    /// Sends the request for a certificate if there is neither a certificate nor a request yet, and
    /// looks for the certificate once.
    ///
    /// # Errors
    /// [`AgentError::NotSigned`] while the request waits for a signature.
    pub fn server(&self) -> Result<Server, AgentError> {
        if let Some(certificate) = self.stored_certificate()? {
            return self.connected(&certificate);
        }
        let client = Client::new(&self.server, &Roots::Authority(&self.authority), None)?;
        let path = format!("/puppet-ca/v1/certificate/{}", self.certname);
        if let Some(certificate) = self.fetched(&client, &path)? {
            return self.connected(&certificate);
        }
        self.submit(&client)?;
        match self.fetched(&client, &path)? {
            Some(certificate) => self.connected(&certificate),
            None => Err(AgentError::NotSigned),
        }
    }

    /// Waits for the certificate, and looks for it at an interval. `goes_on` is asked between.
    ///
    /// # Errors
    /// As [`Enrolment::server`].
    pub fn wait(
        &self,
        interval: Duration,
        goes_on: &dyn Fn(Duration) -> bool,
    ) -> Result<Server, AgentError> {
        loop {
            match self.server() {
                Err(AgentError::NotSigned) => {}
                Err(error) if error.is_outage() => {}
                other => return other,
            }
            if !goes_on(interval) {
                return Err(AgentError::NotSigned);
            }
        }
    }

    fn connected(&self, certificate: &Certificate) -> Result<Server, AgentError> {
        let pem = certificate.pem();
        let own = Some((pem.as_bytes(), self.key_pem.as_slice()));
        let client = Client::new(&self.server, &Roots::Authority(&self.authority), own)?;
        let pem = self.authority.pem();
        let authority = TrustedAuthority::from_pem(pem.as_bytes(), Timestamp::now())?;
        Ok(Server::new(client, self.certname.to_string(), authority))
    }

    fn certificate_path(&self) -> PathBuf {
        self.home.path(&format!("ssl/{}.pem", self.certname))
    }

    fn stored_certificate(&self) -> Result<Option<Certificate>, AgentError> {
        let path = self.certificate_path();
        let Some(pem) = read_limited(&path, MAX_PEM)? else { return Ok(None) };
        let certificate = Certificate::from_pem(&pem)?;
        self.check(&certificate).map(|()| Some(certificate))
    }

    fn fetched(&self, client: &Client, path: &str) -> Result<Option<Certificate>, AgentError> {
        let reply = match client.get(path, None, "the certificate") {
            Err(AgentError::Refused { status: 404, .. }) => return Ok(None),
            other => other?,
        };
        let certificate = Certificate::from_pem(&client.read(reply, MAX_PEM)?)?;
        self.keep(&certificate)?;
        Ok(Some(certificate))
    }

    fn keep(&self, certificate: &Certificate) -> Result<(), AgentError> {
        self.check(certificate)?;
        write_private(&self.certificate_path(), certificate.pem().as_bytes())
    }

    /// Checks that a certificate is of this node, its key and the authority.
    fn check(&self, certificate: &Certificate) -> Result<(), AgentError> {
        self.authority.check(certificate, Timestamp::now())?;
        let name = certificate.common_name().unwrap_or_default();
        if name != self.certname.as_str() || !self.key.is_of(certificate) {
            let text = format!(
                "the server has a certificate of {name} for another key; remove it there with \
                 `ordain ca clean {name}`"
            );
            return Err(AgentError::Setting(text));
        }
        Ok(())
    }

    fn submit(&self, client: &Client) -> Result<(), AgentError> {
        let path = format!("/puppet-ca/v1/certificate_request/{}", self.certname);
        match client.get(&path, None, "the request for a certificate") {
            // It waits for its signature already.
            Ok(_) => return Ok(()),
            Err(AgentError::Refused { status: 404, .. }) => {}
            Err(error) => return Err(error),
        }
        let request = self.key.request_pem(&self.certname)?;
        let body = ("text/plain", request.as_bytes());
        client.send(Method::PUT, &path, body, "the request for a certificate").map(drop)
    }

    /// Renews the certificate if it expires within thirty days and the server renews certificates.
    /// Returns the server for later requests if there is a new one.
    ///
    /// # Errors
    /// When the server cannot be reached, or its answer is no certificate of this node.
    pub fn renewed(&self) -> Result<Option<Server>, AgentError> {
        let Some(old) = self.stored_certificate()? else { return Ok(None) };
        if old.not_after().as_second() - Timestamp::now().as_second() > RENEWAL {
            return Ok(None);
        }
        let own_pem = old.pem();
        let own = Some((own_pem.as_bytes(), self.key_pem.as_slice()));
        let client = Client::new(&self.server, &Roots::Authority(&self.authority), own)?;
        let path = "/puppet-ca/v1/certificate_renewal";
        let body = ("text/plain", &b"\n"[..]);
        let reply: Reply = match client.send(Method::POST, path, body, "a renewal") {
            // The server does not renew certificates.
            Err(AgentError::Refused { status: 404, .. }) => return Ok(None),
            other => other?,
        };
        let renewed = Certificate::from_pem(&client.read(reply, MAX_PEM)?)?;
        self.keep(&renewed)?;
        self.connected(&renewed).map(Some)
    }
}

/// The authority that is trusted already, or the one of the server if it may be trusted.
fn authority(home: &Home, server: &str, trust: &Trust) -> Result<TrustedAuthority, AgentError> {
    let path = home.path("ssl/ca.pem");
    let now = Timestamp::now();
    if let Some(pem) = read_limited(&path, MAX_PEM)? {
        let authority = TrustedAuthority::from_pem(&pem, now)?;
        return match trust {
            Trust::Fingerprint(wanted) => checked(authority, wanted),
            _ => Ok(authority),
        };
    }
    let client = Client::new(server, &Roots::Anyone, None)?;
    let reply = client.get("/puppet-ca/v1/certificate/ca", None, "its authority")?;
    let authority = TrustedAuthority::from_pem(&client.read(reply, MAX_PEM)?, now)?;
    let authority = match trust {
        Trust::Never => return Err(AgentError::NotTrusted { found: authority.fingerprint() }),
        Trust::FirstUse => authority,
        Trust::Fingerprint(wanted) => checked(authority, wanted)?,
    };
    write_private(&path, authority.pem().as_bytes())?;
    Ok(authority)
}

fn checked(authority: TrustedAuthority, wanted: &str) -> Result<TrustedAuthority, AgentError> {
    let plain = |text: &str| text.replace(':', "").to_ascii_lowercase();
    let found = authority.fingerprint();
    match plain(&found) == plain(wanted) {
        true => Ok(authority),
        false => Err(AgentError::OtherAuthority { found, wanted: wanted.to_string() }),
    }
}

fn node_key(home: &Home) -> Result<(NodeKey, Vec<u8>), AgentError> {
    let path = home.path("ssl/key.pem");
    if let Some(pem) = read_limited(&path, MAX_PEM)? {
        return Ok((NodeKey::from_pem(&pem)?, pem));
    }
    let (key, pem) = NodeKey::generate()?;
    write_private(&path, pem.as_bytes())?;
    Ok((key, pem.into_bytes()))
}
