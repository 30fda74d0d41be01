//! Documents on web servers.

use std::io::{self, Read};
use std::path::Path;

use ordain_source::{HttpStatus, budget};
use ureq::http::Method;

use crate::kinds::file::Address;
use crate::kinds::http::fetch::{TIMEOUT, failed, limited_agent};

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
    let response = response.map_err(in_time)?;
    let status = response.status();
    let most = budget::scaled(MAX_BYTES);
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
