//! The identity of a TLS peer, read from its certificate.

use std::collections::BTreeMap;

use jiff::Timestamp;

use crate::authority::CertificateAuthority;
use crate::certificate::Certificate;
use crate::{CaError, Certname, Serial};

/// The identity of a node, from a certificate whose signature TLS has checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NodeIdentity {
    /// The common name in lower case. Subject alternative names are ignored.
    pub certname: Certname,
    /// The extensions below Puppet's OIDs, by short name (`pp_role`) or OID: the compile sees them
    /// as `trusted['extensions']`.
    pub extensions: BTreeMap<String, String>,
    /// Whether the node may administrate the authority (`pp_cli_auth` is `true`).
    pub is_admin: bool,
    /// The serial number.
    pub serial: Serial,
    /// The last second of the validity period.
    pub not_after: Timestamp,
}

impl NodeIdentity {
    /// Reads the identity from a certificate in DER.
    ///
    /// # Errors
    /// The certificate is malformed, or its subject has no common name that is a certname.
    pub fn from_der(der: &[u8]) -> Result<Self, CaError> {
        Self::of(&Certificate::from_der(der)?)
    }

    /// Reads the identity from a certificate.
    ///
    /// # Errors
    /// The subject has no common name that is a certname.
    pub fn of(certificate: &Certificate) -> Result<Self, CaError> {
        let name = certificate.common_name();
        let name = name.ok_or_else(|| {
            CaError::MalformedCertificate("the subject has not one common name".into())
        })?;
        let extensions: BTreeMap<_, _> = certificate.puppet_extensions().into_iter().collect();
        Ok(Self {
            certname: Certname::normalized(&name)?,
            is_admin: extensions.get("pp_cli_auth").is_some_and(|value| value == "true"),
            extensions,
            serial: certificate.serial(),
            not_after: certificate.not_after(),
        })
    }
}

impl CertificateAuthority {
    /// The identity of a peer whose certificate is from this authority, valid now and not revoked.
    ///
    /// # Errors
    /// The certificate is malformed, from another authority, revoked or expired, or has no
    /// certname.
    pub fn identify(&self, der: &[u8]) -> Result<NodeIdentity, CaError> {
        let certificate = Certificate::from_der(der)?;
        let identity = NodeIdentity::of(&certificate)?;
        self.check_peer(&certificate, identity.certname.as_str())?;
        Ok(identity)
    }

    /// Checks that this authority signed a certificate, and that it is valid now and not revoked.
    pub(crate) fn check_peer(&self, certificate: &Certificate, name: &str) -> Result<(), CaError> {
        if certificate.is_ca() || certificate.verify_issued_by(self.certificate()).is_err() {
            return Err(CaError::ForeignCertificate(name.to_string()));
        }
        if !certificate.is_valid_at(self.now()) {
            return Err(CaError::NotValidNow(name.to_string()));
        }
        if self.is_revoked(certificate)? {
            return Err(CaError::Revoked(name.to_string()));
        }
        Ok(())
    }
}
