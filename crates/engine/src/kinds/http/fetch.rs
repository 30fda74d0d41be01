//! Asking other servers.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use ureq::Agent;
use ureq::tls::{PemItem, RootCerts, TlsConfig, TlsProvider, parse_pem};

/// The files of trusted certificates on different systems.
const TRUSTED: &[&str] = &[
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/ca-bundle.pem",
    "/etc/ssl/cert.pem",
];

/// The maximum time until a server answers.
pub(crate) const TIMEOUT: Duration = Duration::from_secs(60);

/// The maximum time to connect.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(30);

/// An HTTP client for a machine with this root, which trusts the machine's certificates.
pub(in crate::kinds) fn agent(machine: &Path, is_secure: bool) -> Agent {
    agent_with_timeout(machine, is_secure, 0)
}

/// The same for a server that is asked to wait for this number of seconds.
pub(super) fn agent_with_timeout(machine: &Path, is_secure: bool, seconds: u64) -> Agent {
    built(machine, is_secure, seconds, None)
}

/// The same for documents that have to arrive completely within [`TIMEOUT`].
pub(crate) fn limited_agent(machine: &Path, is_secure: bool) -> Agent {
    built(machine, is_secure, 0, Some(TIMEOUT))
}

/// How servers are asked where the graph says it.
#[derive(Clone, Default, Debug)]
pub(crate) struct Connection {
    /// Whether certificates are not checked.
    pub(crate) insecure: bool,
    /// The address of a proxy.
    pub(crate) proxy: Option<ureq::Proxy>,
    /// How many redirects are followed.
    pub(crate) redirects: u32,
    /// The certificates, if they are not those that the machine trusts.
    pub(crate) tls: Option<TlsConfig>,
}

/// An HTTP client for a machine with this root and such a connection.
pub(crate) fn connected_agent(machine: &Path, connection: &Connection) -> Agent {
    let config = Agent::config_builder()
        .http_status_as_error(false)
        .timeout_connect(Some(CONNECT_TIMEOUT))
        .timeout_recv_response(Some(TIMEOUT))
        .timeout_per_read(Some(TIMEOUT))
        .max_redirects(connection.redirects)
        .tls_config(connection.tls.clone().unwrap_or_else(|| tls(machine, connection.insecure)));
    let Some(proxy) = connection.proxy.clone() else { return config.build().new_agent() };
    config.proxy(Some(proxy)).build().new_agent()
}

fn tls(machine: &Path, insecure: bool) -> TlsConfig {
    let roots: Vec<_> = trusted(machine).into_iter().collect();
    TlsConfig::builder()
        .provider(TlsProvider::Rustls)
        .root_certs(RootCerts::new_with_certs(&roots))
        .unversioned_rustls_crypto_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .disable_verification(insecure)
        .build()
}

fn built(machine: &Path, is_secure: bool, seconds: u64, total: Option<Duration>) -> Agent {
    let config = Agent::config_builder()
        .http_status_as_error(false)
        .timeout_connect(Some(CONNECT_TIMEOUT))
        .timeout_recv_response(Some(TIMEOUT + Duration::from_secs(seconds)))
        .timeout_per_read(Some(TIMEOUT))
        .timeout_global(total);
    if !is_secure {
        return config.build().new_agent();
    }
    config.tls_config(tls(machine, false)).build().new_agent()
}

/// The trusted certificates of a machine. Unreadable ones are not trusted. On this machine
/// `SSL_CERT_FILE` names the file, as with OpenSSL and Go.
pub(crate) fn trusted(machine: &Path) -> Vec<ureq::tls::Certificate<'static>> {
    let named = std::env::var_os("SSL_CERT_FILE").filter(|_| machine == Path::new("/"));
    let kept = TRUSTED.iter().map(|path| machine.join(path.trim_start_matches('/')));
    let mut paths: Box<dyn Iterator<Item = PathBuf>> = match named {
        Some(path) => Box::new(std::iter::once(PathBuf::from(path))),
        None => Box::new(kept),
    };
    let Some(bytes) = paths.find_map(|path| std::fs::read(path).ok()) else {
        return Vec::new();
    };
    let item = |item| match item {
        Ok(PemItem::Certificate(certificate)) => Some(certificate),
        _ => None,
    };
    parse_pem(&bytes).filter_map(item).collect()
}

/// Converts an error of a request to an I/O error.
pub(crate) fn failed(error: ureq::Error) -> io::Error {
    match error {
        ureq::Error::Io(error) => error,
        ureq::Error::Timeout(_) => io::Error::new(io::ErrorKind::TimedOut, error),
        other => io::Error::other(other),
    }
}
