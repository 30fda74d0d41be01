//! Renewal of the authority's own certificate.

use std::time::Duration;

use crate::authority::{BACKDATED, CertificateAuthority, MAX_TTL, check_ttl};
use crate::certificate::{Certificate, NewCertificate};
use crate::crl::RevocationList;
use crate::directory::{self, PUBLIC};
use crate::time::after;
use crate::{CaError, chain};

impl CertificateAuthority {
    /// Renews the certificate of this authority, with the same name, key and serial number and a
    /// later end. Certificates of nodes stay valid, even those from puppetserver, which contain the
    /// serial number of their issuer. Agents need the new certificate before the old one expires.
    /// This value keeps the old certificate; use the returned one.
    ///
    /// # Errors
    /// [`CaError::Mismatch`] if another authority issued the certificate; errors of the directory.
    pub fn renew_authority(&self, ttl: Option<Duration>) -> Result<Self, CaError> {
        let own = self.certificate();
        if !own.is_self_issued() {
            return Err(CaError::Mismatch(format!(
                "'{}' issued the certificate of this authority and has to renew it",
                own.issuer()
            )));
        }
        let before = own.not_after().as_second() - own.not_before().as_second() - BACKDATED;
        let ttl = ttl.map_or(Ok(before.clamp(1, MAX_TTL)), check_ttl)?;
        {
            let _lock = self.directory.lock()?;
            let now = self.now();
            let certificate = NewCertificate {
                serial: own.serial(),
                issuer: own.subject(),
                subject: own.subject(),
                not_before: after(now, -BACKDATED),
                not_after: after(now, ttl),
                public_key: own.public_key(),
                extensions: own.extensions().to_vec(),
            };
            self.write_chain(&[certificate.sign(&self.key)?])?;
        }
        Self::open(self.dir(), self.settings.clone())
    }

    /// Replaces the certificates of the chain, for the same key, after the authority above has
    /// renewed the certificate of this one. This value keeps the old certificates; use the returned
    /// one.
    ///
    /// # Errors
    /// [`CaError::Mismatch`] if no certificate has the key and the name of this authority, if the
    /// chain is invalid with the current revocation lists or those of `crls`, or if certificates of
    /// nodes contain another serial number of their issuer.
    pub fn replace_chain(&self, bundle: &[u8], crls: Option<&[u8]>) -> Result<Self, CaError> {
        let bundle = Certificate::all_from_pem(bundle)?;
        let own = bundle.iter().find(|certificate| {
            certificate.public_key() == self.key.public()
                && certificate.subject() == self.certificate().subject()
        });
        let own = own.ok_or_else(|| {
            CaError::Mismatch(
                "no certificate of the bundle has the key and the name of this authority".into(),
            )
        })?;
        let now = self.now();
        let path = chain::to_root(own, &bundle, now)?;
        {
            let _lock = self.directory.lock()?;
            self.check_named_serials(own)?;
            let present = self.revocations()?;
            let list = self.own_list()?;
            let mut lists = match crls {
                Some(text) => RevocationList::all_from_pem(text).map_err(|e| {
                    CaError::Mismatch(format!("the revocation lists cannot be read: {e}"))
                })?,
                None => present.lists.clone(),
            };
            // The list of this authority is never imported.
            lists.retain(|other| other.verify_issued_by(own).is_err());
            lists.insert(0, list);
            chain::check_lists(&path, &lists, now)?;
            let text: String = lists.iter().map(RevocationList::pem).collect();
            directory::replace(&self.directory.crls(), text.as_bytes(), PUBLIC)?;
            self.write_chain(&path)?;
        }
        Self::open(self.dir(), self.settings.clone())
    }

    /// Refuses a certificate of this authority whose serial number differs from the one that
    /// certificates of nodes contain for their issuer: `openssl` would refuse those.
    fn check_named_serials(&self, successor: &Certificate) -> Result<(), CaError> {
        for name in directory::names_in(&self.directory.signed_dir())? {
            let Some(certificate) = self.stored_certificate(&name)? else { continue };
            let named = certificate.issuer_serial();
            if named.is_some_and(|serial| serial != successor.serial()) {
                return Err(CaError::Mismatch(format!(
                    "the certificate of {name} names the serial number of its issuer, {}, and the \
                     new one has {}",
                    self.certificate().serial(),
                    successor.serial()
                )));
            }
        }
        Ok(())
    }

    fn write_chain(&self, chain: &[Certificate]) -> Result<(), CaError> {
        let text: String = chain.iter().map(Certificate::pem).collect();
        directory::replace(&self.directory.bundle(), text.as_bytes(), PUBLIC)
    }
}
