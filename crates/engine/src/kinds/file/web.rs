//! Sources on web servers: metadata from their headers, and content.

use std::io::{self, Read};
use std::time::{SystemTime, UNIX_EPOCH};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ordain_functions::checksum::{Algorithm, Checksum};
use ordain_functions::digest::hex;
use ordain_functions::{time, uri};
use ureq::Body;
use ureq::http::{HeaderMap, Method, Request, Response, Uri};

use crate::kinds::http::content::time_of;
use crate::kinds::http::fetch::{agent, failed};
use crate::system::host::Host;

/// The headers that have a digest in hexadecimal.
const DIGESTS: [(Algorithm, &str); 3] = [
    (Algorithm::Sha256, "x-checksum-sha256"),
    (Algorithm::Sha1, "x-checksum-sha1"),
    (Algorithm::Md5, "x-checksum-md5"),
];

/// The user agent of requests.
const AGENT: &str = concat!("Ordain/", env!("CARGO_PKG_VERSION"));

/// A file on a web server.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Address {
    uri: Uri,
    /// The value of the header for a user and password in the address.
    authorization: Option<String>,
}

/// The metadata of a file on a web server.
pub(super) struct WebFile {
    address: Address,
    /// The digests that it names.
    digests: Vec<(Algorithm, String)>,
    /// The time of the last change; now, if the server does not send it.
    modified: i64,
}

impl Address {
    /// Reads an address; `None` if it is none.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let uri: Uri = text.parse().ok()?;
        uri.host().filter(|host| !host.is_empty())?;
        let user = uri.authority()?.as_str().rsplit_once('@').map(|(user, _)| user.to_owned());
        let Some(user) = user else { return Some(Self { uri, authorization: None }) };
        let authorization = Some(format!("Basic {}", STANDARD.encode(uri::unescape(&user))));
        Some(Self { uri: text.replacen(&format!("{user}@"), "", 1).parse().ok()?, authorization })
    }

    /// The address without a password.
    pub(crate) fn shown(&self) -> String {
        self.uri.to_string()
    }

    /// Whether the server is asked by `https`.
    pub(crate) fn is_secure(&self) -> bool {
        self.uri.scheme_str() == Some("https")
    }

    /// The request for the document, or a range of it.
    ///
    /// # Errors
    /// When the address is invalid.
    pub(crate) fn request(&self, method: &Method, range: Option<&str>) -> io::Result<Request<()>> {
        let mut request = Request::builder().method(method).uri(self.uri.clone());
        request = request.header("User-Agent", AGENT);
        if let Some(range) = range {
            request = request.header("Range", range);
        }
        if let Some(authorization) = &self.authorization {
            request = request.header("Authorization", authorization);
        }
        request.body(()).map_err(io::Error::other)
    }

    fn ask(&self, method: &Method, range: Option<&str>, host: &Host) -> io::Result<Response<Body>> {
        let agent = agent(&host.root, self.is_secure());
        agent.run(self.request(method, range)?).map_err(failed)
    }

    /// The metadata of the file on the server; `None` if it has none.
    ///
    /// # Errors
    /// When the server cannot be reached.
    pub(super) fn look(&self, host: &Host) -> io::Result<Option<WebFile>> {
        let mut response = self.ask(&Method::HEAD, None, host)?;
        // For servers that know only `GET`, and addresses that are signed for it.
        if matches!(response.status().as_u16(), 403 | 405) {
            response = self.ask(&Method::GET, Some("bytes=0-0"), host)?;
        }
        let found = response.status().is_success();
        Ok(found.then(|| WebFile::new(self.clone(), response.headers())))
    }
}

impl WebFile {
    fn new(address: Address, headers: &HeaderMap) -> Self {
        let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
        let digest = |(algorithm, name): (Algorithm, &str)| {
            Some((algorithm, text(name)?.trim().to_lowercase()))
        };
        let mut digests: Vec<_> = DIGESTS.into_iter().filter_map(digest).collect();
        let md5 = text("content-md5").and_then(|text| STANDARD.decode(text.trim()).ok());
        if let Some(bytes) = md5.filter(|_| !digests.iter().any(|(a, _)| *a == Algorithm::Md5)) {
            digests.push((Algorithm::Md5, hex(&bytes)));
        }
        let modified = text("last-modified").and_then(time_of).unwrap_or_else(SystemTime::now);
        let modified = modified.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
        Self { address, digests, modified: i64::try_from(modified).unwrap_or(i64::MAX) }
    }

    /// The digest that identifies the content, preferably of the requested kind; `None` if the time
    /// identifies it.
    pub(super) fn digest(&self, asked: Checksum) -> Option<(Checksum, &str)> {
        let wanted = match asked {
            Checksum::Digest(algorithm, false) => Some(algorithm),
            Checksum::Mtime => return None,
            _ => None,
        };
        let found = self.digests.iter().find(|(algorithm, _)| Some(*algorithm) == wanted);
        let (algorithm, hex) = found.or(self.digests.first())?;
        Some((Checksum::Digest(*algorithm, false), hex))
    }

    /// The digest or the time of the content on the server, as messages show it.
    pub(super) fn shown(&self, asked: Checksum) -> String {
        match self.digest(asked) {
            Some((checksum, hex)) => format!("{{{}}}{hex}", checksum.name()),
            None => shown_time(self.modified, "UTC"),
        }
    }

    /// The same of a local file; the reader gives its content.
    pub(super) fn shown_here(
        &self,
        asked: Checksum,
        modified: i64,
        reader: impl Read,
    ) -> io::Result<String> {
        match self.digest(asked) {
            Some((checksum, _)) => checksum.show(reader),
            None => Ok(shown_time(modified, "+0000")),
        }
    }

    /// Whether a local file with this time may be older than the file on the server.
    pub(super) fn is_newer_than(&self, modified: i64) -> bool {
        self.modified > modified
    }

    /// The content.
    ///
    /// # Errors
    /// When the server cannot be reached, or does not send it.
    pub(super) fn reader(&self, host: &Host) -> io::Result<Box<dyn Read>> {
        let response = self.address.ask(&Method::GET, None, host)?;
        let status = response.status();
        if !status.is_success() {
            let (code, why) = (status.as_u16(), status.canonical_reason().unwrap_or_default());
            let text = format!("Error {code} on SERVER: {why}");
            return Err(io::Error::other(text));
        }
        Ok(Box::new(response.into_body().into_with_config().limit(u64::MAX).reader()))
    }
}

fn shown_time(seconds: i64, zone: &str) -> String {
    let nanoseconds = i128::from(seconds) * 1_000_000_000;
    let text = time::format("%Y-%m-%d %H:%M:%S", nanoseconds, Some(0));
    format!("{{mtime}}{} {zone}", text.unwrap_or_else(|_| seconds.to_string()))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn passwords_are_not_shown() {
        let address = Address::parse("https://us%40er:p%3Aw@example.org:8443/a?b=c").unwrap();
        assert_eq!(address.shown(), "https://example.org:8443/a?b=c");
        let wanted = format!("Basic {}", STANDARD.encode("us@er:p:w"));
        assert_eq!(address.authorization.as_deref(), Some(wanted.as_str()));
        assert!(Address::parse("http:///a").is_none() && Address::parse("http://a b/").is_none());
    }
}
