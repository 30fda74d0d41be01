//! Decides whether a request is signed without an administrator.

use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::Duration;

use ordain_process::{Launch, Limits, run};

use crate::directory;
use crate::request::CertificateRequest;
use crate::{CaError, Certname};

/// The limit for the output of an autosign command, in bytes. The output is not used.
const MAX_OUTPUT: u64 = 1 << 20;
/// The largest autosign list that is read, in bytes.
const MAX_LIST: u64 = 16 << 20;

/// Whether a file accepts a request. The exit code of an executable file decides, the lines of any
/// other file. A missing file accepts nothing.
pub(crate) fn decide(
    path: &Path,
    name: &Certname,
    request: &CertificateRequest,
    timeout: Duration,
) -> Result<bool, CaError> {
    let metadata = match fs::metadata(path) {
        Ok(metadata) => metadata,
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(false),
        Err(e) => return Err(CaError::io(path, e)),
    };
    if !metadata.is_file() {
        return Err(CaError::damaged(path, "it is not a file"));
    }
    if metadata.permissions().mode() & 0o111 != 0 {
        return run_command(path, name, request, timeout);
    }
    if metadata.len() > MAX_LIST {
        return Err(CaError::damaged(path, "the list is larger than 16 MiB"));
    }
    let text = directory::read(path)?;
    Ok(list_has(&String::from_utf8_lossy(&text), name))
}

/// Runs a command with the certname as argument and the request as input.
fn run_command(
    path: &Path,
    name: &Certname,
    request: &CertificateRequest,
    timeout: Duration,
) -> Result<bool, CaError> {
    let failed = |reason: String| CaError::Autosign { path: path.to_path_buf(), reason };
    let program = fs::canonicalize(path).map_err(|e| failed(e.to_string()))?;
    let launch =
        Launch { argv: vec![program.into_os_string(), name.as_str().into()], ..Launch::default() };
    let limits = Limits { time: Some(timeout), output: MAX_OUTPUT };
    let output = run(&launch, request.pem().as_bytes(), false, limits);
    let output = output.map_err(|e| failed(e.to_string()))?;
    match output.status.code() {
        Some(code) => Ok(code == 0),
        None => Err(failed(output.status.to_string())),
    }
}

/// Whether a list accepts a name: by the name itself, by `*`, or by a glob such as `*.example.org`.
/// Lines that start with `#` are comments.
fn list_has(text: &str, name: &Certname) -> bool {
    let lines = text.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty());
    lines.map(str::trim_end).any(|line| line_matches(line, name.as_str()))
}

/// Matches as puppetserver does: a glob starts with `*`, and the parts after it are compared,
/// ignoring case, with the last parts of the name. So `*.example.org` also accepts `example.org`.
fn line_matches(line: &str, name: &str) -> bool {
    if line.contains(['#', ' ', '\t']) {
        return false;
    }
    if line == "*" {
        return true;
    }
    let Some(glob) = line.strip_prefix('*') else { return line == name };
    // puppetserver ignores the first part of a glob and treats `*x.org` as `*.org`, which accepts
    // more than the line says. Such lines match nothing here.
    let Some(domain) = glob.strip_prefix('.') else { return false };
    let domain = domain.to_ascii_lowercase();
    if domain.is_empty() || domain.contains('*') {
        return false;
    }
    name == domain || name.strip_suffix(&domain).is_some_and(|rest| rest.ends_with('.'))
}

#[cfg(test)]
mod tests {
    use super::line_matches;

    #[test]
    fn lines_match_whole_parts() {
        for (line, name, expected) in [
            ("*", "web", true),
            ("web.example.org", "web.example.org", true),
            ("web.example.org", "web2.example.org", false),
            ("WEB.example.org", "web.example.org", false),
            ("*.example.org", "web.example.org", true),
            ("*.EXAMPLE.org", "a.b.example.org", true),
            ("*.example.org", "example.org", true),
            ("*.example.org", "badexample.org", false),
            ("*.example.org", "example.org.evil.com", false),
            ("*.org", "org", true),
            ("*x.org", "web.org", false),
            ("*.", "web", false),
            ("*.*", "web.org", false),
            ("web.*", "web.org", false),
            ("*.org # ours", "web.org", false),
            ("a b", "a", false),
        ] {
            assert_eq!(line_matches(line, name), expected, "{line} {name}");
        }
    }
}
