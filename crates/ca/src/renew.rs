//! Renewal of certificates.

use std::time::Duration;

use crate::authority::{CertificateAuthority, Issue};
use crate::certificate::Certificate;
use crate::directory::WriteLock;
use crate::identity::NodeIdentity;
use crate::{CaError, Certname, policy};

impl CertificateAuthority {
    /// Renews the certificate that a node presents. The new certificate has the same key and
    /// extensions, a new serial number, and the validity period `auto_renewal_ttl`. The old one
    /// stays valid until it expires or the name is revoked.
    ///
    /// # Errors
    /// Renewal is disabled, or the certificate is malformed, from another authority, expired or
    /// revoked.
    pub fn renew_presented(&self, der: &[u8]) -> Result<Certificate, CaError> {
        if !self.settings.allow_auto_renewal {
            return Err(CaError::RenewalDisabled);
        }
        let old = Certificate::from_der(der)?;
        let name = NodeIdentity::of(&old)?.certname;
        let lock = self.directory.lock()?;
        // Checked again under the lock: the name cannot be revoked after this.
        self.check_peer(&old, name.as_str())?;
        if old.issuer_key_id().is_some_and(|id| id != self.certificate().key_id()) {
            return Err(CaError::ForeignCertificate(name.to_string()));
        }
        self.renew_certificate(&lock, &name, &old, self.settings.auto_renewal_ttl)
    }

    /// Renews the stored certificate of a name, for administrators.
    ///
    /// # Errors
    /// [`CaError::NoCertificate`], or the certificate is from another authority, expired or
    /// revoked.
    pub fn renew(&self, name: &str, ttl: Option<Duration>) -> Result<Certificate, CaError> {
        let name = Certname::new(name)?;
        let lock = self.directory.lock()?;
        let old = self.stored_certificate(&name)?;
        let old = old.ok_or_else(|| CaError::NoCertificate(name.to_string()))?;
        // An expired certificate may have been revoked before `prune` removed its entry from the
        // list.
        self.check_peer(&old, name.as_str())?;
        self.renew_certificate(&lock, &name, &old, ttl.unwrap_or(self.settings.ttl))
    }

    fn renew_certificate(
        &self,
        lock: &WriteLock,
        name: &Certname,
        old: &Certificate,
        ttl: Duration,
    ) -> Result<Certificate, CaError> {
        let extensions = policy::for_renewal(old, self.certificate())?;
        self.issue(lock, Issue { name, ttl, public_key: old.public_key(), extensions })
    }
}
