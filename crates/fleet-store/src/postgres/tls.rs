//! TLS to the database.

use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::Arc;

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::client::{WebPkiServerVerifier, verify_server_name};
use rustls::crypto::{CryptoProvider, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime};
use rustls::server::ParsedCertificate;
use rustls::{
    CertificateError, ClientConfig, DigitallySignedStruct, Error as TlsError, RootCertStore,
    SignatureScheme,
};

use super::address::{Mode, TlsParameters};
use crate::error::FleetStoreError;

/// The configuration of TLS for the parameters of an address; `None` without TLS.
///
/// # Errors
/// When a file is missing, has no certificate or no key, or others may read the key.
pub(super) fn configuration(
    parameters: &TlsParameters,
) -> Result<Option<ClientConfig>, FleetStoreError> {
    if parameters.mode == Mode::Disable {
        return Ok(None);
    }
    let unusable =
        |error: TlsError| FleetStoreError::failed(format!("TLS cannot be used: {error}"));
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let verifier = Verifier::new(parameters, &provider)?;
    let builder = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(unusable)?
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(verifier));
    let config = match (&parameters.certificate, &parameters.key) {
        (Some(certificate), Some(key)) => {
            let chain = certificates(certificate)?;
            builder.with_client_auth_cert(chain, private_key(key)?).map_err(unusable)?
        }
        _ => builder.with_no_client_auth(),
    };
    Ok(Some(config))
}

fn certificates(path: &Path) -> Result<Vec<CertificateDer<'static>>, FleetStoreError> {
    let certificates = CertificateDer::pem_file_iter(path).and_then(Iterator::collect);
    let certificates: Vec<_> = certificates.map_err(|error| file(path, error))?;
    if certificates.is_empty() {
        return Err(file(path, "it has no certificate"));
    }
    Ok(certificates)
}

/// Reads a key. Like libpq, refuses one that other users can read; a key of root may be readable for
/// a group.
fn private_key(path: &Path) -> Result<PrivateKeyDer<'static>, FleetStoreError> {
    let metadata = std::fs::metadata(path).map_err(|error| file(path, error))?;
    let forbidden = if metadata.uid() == 0 { 0o037 } else { 0o077 };
    if metadata.mode() & forbidden != 0 {
        return Err(file(path, "other users can read this key; its mode must be 0600"));
    }
    PrivateKeyDer::from_pem_file(path).map_err(|error| file(path, error))
}

fn file(path: &Path, reason: impl ToString) -> FleetStoreError {
    FleetStoreError::File { path: path.to_path_buf(), reason: reason.to_string() }
}

/// Verifies certificates of servers as far as a mode demands.
#[derive(Debug)]
struct Verifier {
    provider: Arc<CryptoProvider>,
    /// The authorities; `None` accepts any certificate.
    roots: Option<Roots>,
}

#[derive(Debug)]
struct Roots {
    certificates: Vec<CertificateDer<'static>>,
    verifier: Arc<WebPkiServerVerifier>,
    /// Whether the certificate must have the name of the host.
    has_name: bool,
}

impl Verifier {
    fn new(
        parameters: &TlsParameters,
        provider: &Arc<CryptoProvider>,
    ) -> Result<Self, FleetStoreError> {
        let provider = Arc::clone(provider);
        // As in libpq, an authority makes `require` the same as `verify-ca`.
        let Some(path) = parameters.root.as_ref().filter(|_| parameters.mode != Mode::Prefer)
        else {
            return Ok(Self { provider, roots: None });
        };
        let certificates = certificates(path)?;
        let mut store = RootCertStore::empty();
        for certificate in &certificates {
            store.add(certificate.clone()).map_err(|error| file(path, error))?;
        }
        let builder =
            WebPkiServerVerifier::builder_with_provider(Arc::new(store), Arc::clone(&provider));
        let verifier = builder.build().map_err(|error| file(path, error))?;
        let has_name = parameters.mode == Mode::VerifyFull;
        Ok(Self { provider, roots: Some(Roots { certificates, verifier, has_name }) })
    }
}

impl Roots {
    fn verify(
        &self,
        certificate: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        ocsp: &[u8],
        now: UnixTime,
    ) -> Result<(), TlsError> {
        // A server's own certificate may be in the file, also as an authority of itself.
        if self.certificates.iter().any(|root| root == certificate) {
            return match self.has_name {
                true => verify_server_name(&ParsedCertificate::try_from(certificate)?, name),
                false => Ok(()),
            };
        }
        let result =
            self.verifier.verify_server_cert(certificate, intermediates, name, ocsp, now).map(drop);
        match result {
            Err(TlsError::InvalidCertificate(
                CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. },
            )) if !self.has_name => Ok(()),
            other => other,
        }
    }
}

impl ServerCertVerifier for Verifier {
    fn verify_server_cert(
        &self,
        certificate: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        ocsp: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, TlsError> {
        if let Some(roots) = &self.roots {
            roots.verify(certificate, intermediates, name, ocsp, now)?;
        }
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, TlsError> {
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls12_signature(message, certificate, signature, algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, TlsError> {
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls13_signature(message, certificate, signature, algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}
