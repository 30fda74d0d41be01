//! The certificates of connections to servers that know their clients.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ureq::tls::{
    Certificate, ClientCert, PemItem, PrivateKey, RootCerts, TlsConfig, TlsProvider, parse_pem,
};

use crate::kinds::http::fetch::trusted;

/// The certificates of a connection, as PEM files.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct TlsFiles {
    /// The authority of the server; by default those that the machine trusts.
    pub ca: Option<PathBuf>,
    /// The certificate of this host.
    pub cert: Option<PathBuf>,
    /// Its key.
    pub key: Option<PathBuf>,
}

impl TlsFiles {
    /// The settings of connections with these certificates.
    ///
    /// # Errors
    /// When a file cannot be used, or only one of certificate and key is named.
    pub(crate) fn config(&self) -> io::Result<TlsConfig> {
        let roots = match &self.ca {
            None => trusted(Path::new("/")),
            Some(path) => certificates(path)?,
        };
        let own = match (&self.cert, &self.key) {
            (None, None) => None,
            (Some(cert), Some(path)) => {
                let key = PrivateKey::from_pem(&read(path)?);
                let key = key.map_err(|error| unusable(path, &error))?;
                Some(ClientCert::new_with_certs(&certificates(cert)?, key))
            }
            _ => {
                return Err(io::Error::other("`cert` and `key` belong together"));
            }
        };
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = TlsConfig::builder()
            .provider(TlsProvider::Rustls)
            .unversioned_rustls_crypto_provider(provider)
            .root_certs(RootCerts::new_with_certs(&roots))
            .client_cert(own);
        Ok(config.build())
    }
}

fn unusable(path: &Path, error: &dyn std::fmt::Display) -> io::Error {
    io::Error::other(format!("{} cannot be used: {error}", path.display()))
}

fn read(path: &Path) -> io::Result<Vec<u8>> {
    ordain_source::read_input(path).map_err(|error| unusable(path, &error))
}

/// The certificates in a file.
fn certificates(path: &Path) -> io::Result<Vec<Certificate<'static>>> {
    let mut found = Vec::new();
    for item in parse_pem(&read(path)?) {
        if let PemItem::Certificate(one) = item.map_err(|error| unusable(path, &error))? {
            found.push(one);
        }
    }
    if found.is_empty() {
        return Err(unusable(path, &"it has no certificate"));
    }
    Ok(found)
}
