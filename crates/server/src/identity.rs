//! The identity of a client: the name in its certificate.
//!
//! The identity is the common name alone, compared byte for byte with the names in URLs and bodies.
//! Alternative names of the certificate are never an identity, and names of URLs are never
//! patterns.

use std::collections::BTreeMap;

use ordain_ca::{CaError, Certificate, CertificateAuthority, Certname};

/// The client of a connection, as its certificate describes it.
#[derive(Clone, Debug)]
pub(crate) struct Identity {
    /// The node's name.
    pub(crate) name: Certname,
    /// The extensions of Puppet's arcs by short name or number.
    pub(crate) extensions: BTreeMap<String, String>,
    /// Whether the certificate allows administration.
    pub(crate) is_admin: bool,
    /// The certificate.
    pub(crate) certificate: Certificate,
}

/// The rights of a client in PuppetDB's API.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct DatabaseAccess {
    /// Whether it may send queries.
    pub(crate) may_query: bool,
    /// Whether it may send commands about any node.
    pub(crate) may_send: bool,
}

impl Identity {
    /// Reads the certificate of a client.
    ///
    /// # Errors
    /// When this authority itself did not sign it: certificates of authorities above it, which TLS
    /// accepts too, are for other purposes. When it is revoked, expired, or has no valid name.
    pub(crate) fn of(ca: &CertificateAuthority, der: &[u8]) -> Result<Self, CaError> {
        let certificate = Certificate::from_der(der)?;
        let identity = ca.identify(der)?;
        Ok(Self {
            name: identity.certname,
            extensions: identity.extensions,
            is_admin: identity.is_admin,
            certificate,
        })
    }

    /// Whether the certificate's validity has ended. A connection may outlive it.
    pub(crate) fn is_expired(&self, now: jiff::Timestamp) -> bool {
        !self.certificate.is_valid_at(now)
    }
}
