//! TLS: the server's certificate, and the check of those of clients.

use std::sync::Arc;

use ordain_ca::CertificateAuthority;
use rustls::ServerConfig;
use rustls::crypto::ring;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, CertificateRevocationListDer, PrivateKeyDer};
use rustls::server::WebPkiClientVerifier;
use rustls::{ClientConfig, RootCertStore};

use crate::error::ServerError;

/// The server's certificate and key as PEM text.
#[derive(Clone)]
pub(crate) struct ServerKey {
    pub(crate) certificate: Vec<u8>,
    pub(crate) key: Vec<u8>,
}

impl std::fmt::Debug for ServerKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("ServerKey")
    }
}

/// The settings of connections to an old server, which has a certificate of the authority.
///
/// # Errors
/// When a certificate or key cannot be read.
pub(crate) fn client_settings(
    ca: &CertificateAuthority,
    own: &ServerKey,
) -> Result<Arc<ClientConfig>, ServerError> {
    let failed = |error: &dyn std::fmt::Display| ServerError::Tls(error.to_string());
    let (chain, key) = chain_and_key(own)?;
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(|e| failed(&e))?
        .with_root_certificates(roots(ca)?)
        .with_client_auth_cert(chain, key)
        .map_err(|e| failed(&e))?;
    Ok(Arc::new(config))
}

fn roots(ca: &CertificateAuthority) -> Result<RootCertStore, ServerError> {
    let mut roots = RootCertStore::empty();
    for certificate in ca.chain() {
        let der = CertificateDer::from(certificate.der().to_vec());
        roots.add(der).map_err(|error| ServerError::Tls(error.to_string()))?;
    }
    Ok(roots)
}

type ChainAndKey = (Vec<CertificateDer<'static>>, PrivateKeyDer<'static>);

fn chain_and_key(own: &ServerKey) -> Result<ChainAndKey, ServerError> {
    let failed = |error: &dyn std::fmt::Display| ServerError::Tls(error.to_string());
    let chain = CertificateDer::pem_slice_iter(&own.certificate)
        .collect::<Result<_, _>>()
        .map_err(|e| failed(&e))?;
    Ok((chain, PrivateKeyDer::from_pem_slice(&own.key).map_err(|e| failed(&e))?))
}

/// The settings of TLS: versions 1.2 and 1.3. A client needs no certificate; one that it presents
/// must be of the authority, valid, and not revoked by the lists of this moment.
///
/// # Errors
/// When a certificate, key or list cannot be read.
pub(crate) fn settings(
    ca: &CertificateAuthority,
    own: &ServerKey,
) -> Result<Arc<ServerConfig>, ServerError> {
    let failed = |error: &dyn std::fmt::Display| ServerError::Tls(error.to_string());
    let provider = Arc::new(ring::default_provider());
    let lists = ca.crl()?;
    let lists: Vec<_> = CertificateRevocationListDer::pem_slice_iter(lists.pem.as_bytes())
        .collect::<Result<_, _>>()
        .map_err(|e| failed(&e))?;
    // An expired list must not stop the whole site. The authority signs new ones in time.
    let verifier =
        WebPkiClientVerifier::builder_with_provider(Arc::new(roots(ca)?), Arc::clone(&provider))
            .with_crls(lists)
            .allow_unauthenticated()
            .build()
            .map_err(|e| failed(&e))?;
    let (chain, key) = chain_and_key(own)?;
    let mut config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|e| failed(&e))?
        .with_client_cert_verifier(verifier)
        .with_single_cert(chain, key)
        .map_err(|e| failed(&e))?;
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    // Each ticket is a message and a place in the cache; agents come back after half an hour.
    config.send_tls13_tickets = 0;
    Ok(Arc::new(config))
}
