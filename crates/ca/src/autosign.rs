//! Decides whether a request is signed without an administrator.

use std::path::Path;

use crate::directory;
use crate::request::CertificateRequest;
use crate::{CaError, Certname};

/// Whether the file accepts a request.
pub(crate) fn decide(
    path: &Path,
    name: &Certname,
    _request: &CertificateRequest,
) -> Result<bool, CaError> {
    let Some(text) = directory::read_if_exists(path)? else { return Ok(false) };
    Ok(list_has(&String::from_utf8_lossy(&text), name))
}

/// Whether a list has a name: as itself, by `*`, or by a glob such as `*.example.org`.
fn list_has(text: &str, name: &Certname) -> bool {
    let lines = text.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty());
    lines.map(str::trim_end).any(|line| line_matches(line, name.as_str()))
}

fn line_matches(line: &str, name: &str) -> bool {
    if line.contains(['#', ' ', '\t']) {
        return false;
    }
    if line == "*" {
        return true;
    }
    match line.strip_prefix("*.") {
        // As in puppetserver, `*.example.org` also accepts `example.org`.
        Some(domain) => {
            let domain = domain.to_ascii_lowercase();
            name == domain || name.strip_suffix(&domain).is_some_and(|rest| rest.ends_with('.'))
        }
        None => line == name,
    }
}
