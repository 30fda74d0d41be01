//! The format of requests for graphs, and of the signed answers.
//!
//! An answer is one line of JSON and a body. The line has the head as a text, its signature and the
//! certificate of the signer; the head has the digest of the body. So an answer without a body, for a
//! graph that has not changed, is signed as well. The body has two lines: the graph in the format of
//! `ordain graph`, and the files that it copies.

use std::collections::BTreeMap;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use jiff::Timestamp;
use ordain_ca::{CaError, Certificate, NodeKey, TrustedAuthority};
use ordain_functions::digest;
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

/// The version of requests and answers.
pub const VERSION: u64 = 1;
/// The name of requests.
pub const REQUEST_FORMAT: &str = "ordain-graph-request";
/// The name of signed answers.
pub const SIGNED_FORMAT: &str = "ordain-signed-graph";
/// The content type of signed answers.
pub const CONTENT_TYPE: &str = "application/vnd.ordain.signed-graph";
/// The text before a head that is signed. No other message that a server signs begins with it.
const PURPOSE: &[u8] = b"ordain graph of a node, version 1\n";
/// The maximum length of the first line in bytes.
const MAX_LINE: usize = 1 << 20;

/// A request for the graph of a node.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GraphRequest {
    /// [`REQUEST_FORMAT`].
    pub format: String,
    /// [`VERSION`].
    pub version: u64,
    /// The environment that the node wants.
    pub environment: String,
    /// `name` and `values`, as Puppet's agents send them.
    pub facts: Json,
    /// A random text. The answer repeats it, so an old answer is not taken for a new one.
    pub nonce: String,
    /// The digest of the body that the node has.
    #[serde(default)]
    pub known: Option<String>,
}

/// The signed part of an answer.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Head {
    /// The node.
    pub certname: String,
    /// The environment that the graph was compiled in.
    pub environment: String,
    /// The random text of the request.
    pub nonce: String,
    /// The time of the answer (RFC 3339).
    pub issued: String,
    /// The id of the code that the graph was compiled from.
    pub code_id: String,
    /// The state of the code, for [`crate::Server::changed`].
    pub state: String,
    /// The SHA-256 digest of the body.
    pub digest: String,
    /// Whether the body follows; not if the node has it already.
    pub has_body: bool,
}

/// The line before the body.
#[derive(Serialize, Deserialize)]
struct Line {
    format: String,
    version: u64,
    head: String,
    signature: String,
    certificate: String,
}

/// A file or directory that a graph copies from the server.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct SourceEntry {
    /// The path below the source; empty for the source itself.
    pub path: String,
    /// `file`, `directory` or `link`.
    pub kind: String,
    /// The permissions.
    pub mode: u32,
    /// The SHA-256 digest of the content of a file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<String>,
    /// The target of a link.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
}

/// The sources of files by address, such as `puppet:///modules/ntp/ntp.conf`.
pub type SourceList = BTreeMap<String, Vec<SourceEntry>>;

/// The reason why an answer is refused.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ProtocolError {
    /// The answer does not have the format.
    #[error("{0}")]
    Malformed(String),
    /// The answer has a newer version.
    #[error("it has version {0}, which is newer than {VERSION}")]
    Version(u64),
    /// The signer or the signature is wrong.
    #[error("its signature is not valid: {0}")]
    Signature(#[from] CaError),
    /// The signer is not the server.
    #[error("{found} has signed it, not {wanted}")]
    OtherSigner {
        /// The name of the signer.
        found: String,
        /// The name of the server.
        wanted: String,
    },
    /// The graph is that of another node.
    #[error("it is the graph of {found}, not of {wanted}")]
    OtherNode {
        /// The node in the answer.
        found: String,
        /// This node.
        wanted: String,
    },
    /// The answer belongs to another request.
    #[error("it is the answer to an earlier request, of {issued}")]
    Replayed {
        /// The time of the answer.
        issued: String,
    },
    /// The body is not the one whose digest was signed.
    #[error("its content is not the signed one")]
    OtherContent,
}

/// The values that an answer must have.
#[derive(Clone, Copy, Debug)]
pub struct Expected<'a> {
    /// The authority that certifies servers.
    pub authority: &'a TrustedAuthority,
    /// The name by which the agent reaches the server.
    pub server: &'a str,
    /// The node.
    pub certname: &'a str,
    /// The random text of the request.
    pub nonce: &'a str,
    /// The digest of the body that the node has.
    pub known: Option<&'a str>,
    /// The time now.
    pub now: Timestamp,
}

/// The digest of a body.
pub fn body_digest(body: &[u8]) -> String {
    digest::sha256(body)
}

/// The body of an answer.
///
/// # Errors
/// When the sources cannot be written as JSON.
pub fn body(graph: &[u8], sources: &SourceList) -> Result<Vec<u8>, serde_json::Error> {
    let mut body = graph.to_vec();
    body.push(b'\n');
    serde_json::to_writer(&mut body, sources)?;
    Ok(body)
}

/// The graph and the sources in a body.
///
/// # Errors
/// [`ProtocolError::Malformed`].
pub fn parts(body: &[u8]) -> Result<(&[u8], SourceList), ProtocolError> {
    let malformed = |text: &str| ProtocolError::Malformed(text.to_string());
    let end = body.iter().position(|byte| *byte == b'\n');
    let (graph, rest) = body.split_at(end.ok_or_else(|| malformed("it has no list of files"))?);
    let sources = serde_json::from_slice(rest)
        .map_err(|error| ProtocolError::Malformed(format!("its list of files: {error}")))?;
    Ok((graph, sources))
}

/// Signs an answer. `certificate` is that of the key, as PEM text.
///
/// # Errors
/// When the system has no random numbers.
pub fn sign(
    head: &Head,
    body: &[u8],
    key: &NodeKey,
    certificate: &str,
) -> Result<Vec<u8>, ProtocolError> {
    let malformed = |error: serde_json::Error| ProtocolError::Malformed(error.to_string());
    let text = serde_json::to_string(head).map_err(malformed)?;
    let signature = key.sign(&[PURPOSE, text.as_bytes()].concat())?;
    let line = Line {
        format: SIGNED_FORMAT.to_string(),
        version: VERSION,
        head: text,
        signature: STANDARD.encode(signature),
        certificate: certificate.to_string(),
    };
    let mut out = serde_json::to_vec(&line).map_err(malformed)?;
    out.push(b'\n');
    if head.has_body {
        out.extend_from_slice(body);
    }
    Ok(out)
}

/// Verifies an answer. Returns its head, and its body unless the node has it.
///
/// # Errors
/// The reason why it is refused.
pub fn verify<'d>(
    document: &'d [u8],
    expected: &Expected<'_>,
) -> Result<(Head, Option<&'d [u8]>), ProtocolError> {
    let end = document.iter().take(MAX_LINE).position(|byte| *byte == b'\n');
    let end = end.ok_or_else(|| ProtocolError::Malformed("it has no signed head".to_string()))?;
    let (line, rest) = document.split_at(end);
    let malformed = |error: &dyn std::fmt::Display| ProtocolError::Malformed(error.to_string());
    let line: Line = serde_json::from_slice(line).map_err(|e| malformed(&e))?;
    if line.format != SIGNED_FORMAT {
        return Err(malformed(&format!("it has the format `{}`", line.format)));
    }
    if line.version > VERSION {
        return Err(ProtocolError::Version(line.version));
    }
    let certificate = Certificate::from_pem(line.certificate.as_bytes())?;
    expected.authority.check(&certificate, expected.now)?;
    // Certificates of nodes are of the same authority, and nodes must not sign for others.
    if !certificate.is_for_host(expected.server) {
        let found = certificate.common_name().unwrap_or_default();
        return Err(ProtocolError::OtherSigner { found, wanted: expected.server.to_string() });
    }
    let signature = STANDARD.decode(&line.signature).map_err(|e| malformed(&e))?;
    certificate.verify(&[PURPOSE, line.head.as_bytes()].concat(), &signature)?;
    let head: Head = serde_json::from_str(&line.head).map_err(|e| malformed(&e))?;
    if head.certname != expected.certname {
        let wanted = expected.certname.to_string();
        return Err(ProtocolError::OtherNode { found: head.certname, wanted });
    }
    if head.nonce != expected.nonce {
        return Err(ProtocolError::Replayed { issued: head.issued });
    }
    if !head.has_body {
        return match expected.known == Some(head.digest.as_str()) {
            true => Ok((head, None)),
            false => Err(ProtocolError::OtherContent),
        };
    }
    let body = rest.get(1..).unwrap_or_default();
    match body_digest(body) == head.digest {
        true => Ok((head, Some(body))),
        false => Err(ProtocolError::OtherContent),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use ordain_ca::{CertificateAuthority, CreateOptions, GenerateOptions, Settings};

    struct Fleet {
        _dir: tempfile::TempDir,
        ca: CertificateAuthority,
        trusted: TrustedAuthority,
    }

    impl Fleet {
        fn new() -> Self {
            let dir = tempfile::tempdir().unwrap();
            let (options, settings) = (CreateOptions::default(), Settings::default());
            let ca = CertificateAuthority::create(&dir.path().join("ca"), &options, settings);
            let ca = ca.unwrap();
            let pem = ca.bundle_pem();
            let trusted = TrustedAuthority::from_pem(pem.as_bytes(), Timestamp::now()).unwrap();
            Self { _dir: dir, ca, trusted }
        }

        fn key(&self, name: &str) -> (NodeKey, String) {
            let made = self.ca.generate(name, &GenerateOptions::default()).unwrap();
            (NodeKey::from_pem(made.key_pem.as_bytes()).unwrap(), made.certificate.pem())
        }

        fn expected(&self) -> Expected<'_> {
            Expected {
                authority: &self.trusted,
                server: "server.example.org",
                certname: "web.example.org",
                nonce: "n",
                known: None,
                now: Timestamp::now(),
            }
        }
    }

    fn head(body: &[u8]) -> Head {
        Head {
            certname: "web.example.org".into(),
            environment: "production".into(),
            nonce: "n".into(),
            issued: Timestamp::now().to_string(),
            code_id: "1".into(),
            state: "1".into(),
            digest: body_digest(body),
            has_body: true,
        }
    }

    fn refusal(document: &[u8], expected: &Expected<'_>) -> String {
        verify(document, expected).unwrap_err().to_string()
    }

    #[test]
    fn an_answer_reads_back() {
        let fleet = Fleet::new();
        let (key, certificate) = fleet.key("server.example.org");
        let body = body(b"{}", &SourceList::new()).unwrap();
        let head = head(&body);
        let document = sign(&head, &body, &key, &certificate).unwrap();
        let found = verify(&document, &fleet.expected()).unwrap();
        assert_eq!(found, (head.clone(), Some(&body[..])));
        assert_eq!(parts(&body).unwrap().0, b"{}");
        let unchanged = Head { has_body: false, ..head };
        let document = sign(&unchanged, &body, &key, &certificate).unwrap();
        assert_eq!(refusal(&document, &fleet.expected()), "its content is not the signed one");
        let known = Expected { known: Some(&unchanged.digest), ..fleet.expected() };
        assert!(verify(&document, &known).unwrap().1.is_none());
    }

    #[test]
    fn no_byte_can_be_changed_and_no_part_be_missing() {
        let fleet = Fleet::new();
        let (key, certificate) = fleet.key("server.example.org");
        let body = body(b"{\"a\":1}", &SourceList::new()).unwrap();
        let document = sign(&head(&body), &body, &key, &certificate).unwrap();
        for at in 0..document.len() {
            let mut changed = document.clone();
            changed[at] ^= 1;
            // Another spelling of the same certificate or of the line between parts is no danger.
            if let Ok((found, text)) = verify(&changed, &fleet.expected()) {
                assert_eq!((found.digest, text), (body_digest(&body), Some(&body[..])));
            }
            assert!(verify(&document[..at], &fleet.expected()).is_err(), "{at}");
        }
    }

    #[test]
    fn foreign_and_old_answers_are_refused() {
        let fleet = Fleet::new();
        let body = body(b"{}", &SourceList::new()).unwrap();
        let (key, certificate) = fleet.key("server.example.org");
        let signed = |head: &Head| sign(head, &body, &key, &certificate).unwrap();

        let other = Head { certname: "db.example.org".into(), ..head(&body) };
        let text = refusal(&signed(&other), &fleet.expected());
        assert_eq!(text, "it is the graph of db.example.org, not of web.example.org");

        let old = Head { nonce: "m".into(), ..head(&body) };
        let text = refusal(&signed(&old), &fleet.expected());
        assert!(text.starts_with("it is the answer to an earlier request"), "{text}");

        // Another node of the same authority is not the server.
        let (node, own) = fleet.key("web.example.org");
        let text = refusal(&sign(&head(&body), &body, &node, &own).unwrap(), &fleet.expected());
        assert_eq!(text, "web.example.org has signed it, not server.example.org");
        let text =
            refusal(&sign(&head(&body), &body, &node, &certificate).unwrap(), &fleet.expected());
        assert_eq!(text, "its signature is not valid: the signature is wrong");

        let foreign = Fleet::new();
        let (key, certificate) = foreign.key("server.example.org");
        let text =
            refusal(&sign(&head(&body), &body, &key, &certificate).unwrap(), &fleet.expected());
        assert!(text.ends_with("was not issued by this authority"), "{text}");
    }
}
