//! Documents on web servers.

use std::io::{self, Read};
use std::path::Path;

use ordain_source::{HttpStatus, budget};
use ureq::http::Method;

use crate::kinds::file::Address;
use crate::kinds::http::fetch::{Connection, TIMEOUT, connected_agent, failed, limited_agent};
use crate::tls::TlsFiles;

/// The maximum size of a document in bytes.
const MAX_BYTES: u64 = 16 << 20;

/// The maximum number of characters of a server's error that are shown.
const MAX_SHOWN: usize = 200;

/// Fetches a document by `http:` or `https:`. Limits: ten redirects, one minute, and 16 MiB, which
/// `--limits` raises. A user and password in the address are sent as HTTP's basic authentication,
/// but not to the targets of redirects.
///
/// # Errors
/// When the address is invalid, the server cannot be reached or does not have the document, or a
/// limit is exceeded. The message never contains the password.
pub fn fetch(address: &str) -> io::Result<Vec<u8>> {
    let invalid =
        || io::Error::new(io::ErrorKind::InvalidInput, "this is not the address of a server");
    let address = Address::parse(address).ok_or_else(invalid)?;
    let agent = limited_agent(Path::new("/"), address.is_secure());
    let response = agent.run(address.request(&Method::GET, None)?).map_err(failed);
    body(response.map_err(in_time)?, budget::scaled(MAX_BYTES))
}

/// A document on a web server, and how the server is asked for it.
#[derive(Clone, Copy, Debug)]
pub struct Download<'d> {
    /// The address, by `http:` or `https:`.
    pub address: &'d str,
    /// The header `Authorization`. It is not sent to the targets of redirects.
    pub authorization: Option<&'d str>,
    /// The address of a proxy; `None` for that of the environment.
    pub proxy: Option<&'d str>,
    /// The certificates of the connection; `None` for the authorities that the machine trusts and no
    /// certificate of the client. With them, redirects are not followed.
    pub tls: Option<&'d TlsFiles>,
    /// The maximum size in bytes.
    pub most: u64,
}

/// Downloads a document. Limits: ten redirects, and a minute in which nothing arrives.
///
/// # Errors
/// As for [`fetch`], and when a certificate cannot be used.
pub fn download(download: &Download<'_>) -> io::Result<Vec<u8>> {
    let invalid = |text: &str| io::Error::new(io::ErrorKind::InvalidInput, text.to_owned());
    let address = Address::parse(download.address)
        .ok_or_else(|| invalid("this is not the address of a server"))?;
    let proxy = download.proxy.map(ureq::Proxy::new).transpose();
    let proxy = proxy.map_err(|_| invalid("this is not the address of a proxy"))?;
    let tls = download.tls.map(TlsFiles::config).transpose()?;
    let redirects = if tls.is_some() { 0 } else { 10 };
    let connection = Connection { insecure: false, proxy, redirects, tls };
    let mut request = address.request(&Method::GET, None)?;
    if let Some(text) = download.authorization {
        let value = text.parse().map_err(|_| invalid("this is not a header"))?;
        request.headers_mut().insert("Authorization", value);
    }
    let agent = connected_agent(Path::new("/"), &connection);
    body(agent.run(request).map_err(failed).map_err(in_time)?, download.most)
}

/// The body of a successful response.
fn body(response: ureq::http::Response<ureq::Body>, most: u64) -> io::Result<Vec<u8>> {
    let status = response.status();
    let mut content = Vec::new();
    let body = response.into_body().into_with_config().limit(u64::MAX).reader();
    body.take(most.saturating_add(1)).read_to_end(&mut content).map_err(in_time)?;
    if content.len() as u64 > most {
        let text = format!("more than {} MiB", most >> 20);
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, text));
    }
    if !status.is_success() {
        let excerpt = String::from_utf8_lossy(&content);
        let excerpt: String = excerpt.trim().chars().take(MAX_SHOWN).collect();
        return Err(io::Error::other(HttpStatus { status: status.as_u16(), excerpt }));
    }
    Ok(content)
}

/// Replaces the text of a timeout error by plain words.
fn in_time(error: io::Error) -> io::Error {
    if error.kind() != io::ErrorKind::TimedOut {
        return error;
    }
    let text = format!("no end within {} seconds", TIMEOUT.as_secs());
    io::Error::new(io::ErrorKind::TimedOut, text)
}
