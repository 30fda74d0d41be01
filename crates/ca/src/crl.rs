//! Certificate revocation lists.

use std::collections::{HashMap, HashSet};

use der::asn1::{OctetString, Uint};
use der::{Decode, Encode, Enumerated};
use jiff::Timestamp;
use x509_cert::Version;
use x509_cert::crl::{CertificateList, RevokedCert, TbsCertList};
use x509_cert::ext::pkix::AuthorityKeyIdentifier;
use x509_cert::ext::{Extension, Extensions};

use crate::certificate::{Certificate, common_name, name_der};
use crate::key::{SignatureFault, SigningKey};
use crate::time::{after, from_x509, to_x509};
use crate::{CaError, Serial, extension, oid, pem, signed};

/// The validity period of a list, in seconds: five years, as in puppetserver.
const VALIDITY: i64 = 5 * 365 * 86_400;

/// A revocation list, together with its DER encoding.
#[derive(Debug, Clone)]
pub(crate) struct RevocationList {
    der: Vec<u8>,
    parsed: CertificateList,
}

/// The revocation reason. The authority writes only this one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enumerated)]
#[repr(u8)]
enum Reason {
    KeyCompromise = 1,
}

impl RevocationList {
    /// Reads a list from DER.
    pub(crate) fn from_der(der: &[u8]) -> Result<Self, String> {
        let parsed = CertificateList::from_der(der).map_err(|e| e.to_string())?;
        Ok(Self { der: der.to_vec(), parsed })
    }

    /// Reads all lists of a PEM text.
    pub(crate) fn all_from_pem(text: &[u8]) -> Result<Vec<Self>, String> {
        let blocks = pem::blocks(text)?;
        let ours = blocks.iter().filter(|b| b.label == "X509 CRL");
        ours.map(|block| Self::from_der(&block.der)).collect()
    }

    pub(crate) fn pem(&self) -> String {
        pem::encode("X509 CRL", &self.der)
    }

    /// The issuer's name in DER.
    pub(crate) fn issuer_der(&self) -> Vec<u8> {
        name_der(&self.parsed.tbs_cert_list.issuer)
    }

    /// The common name of the issuer, or the whole name if it has none.
    pub(crate) fn issuer_name(&self) -> String {
        let issuer = &self.parsed.tbs_cert_list.issuer;
        common_name(issuer).unwrap_or_else(|| issuer.to_string())
    }

    /// The key identifier of the issuer, if the list has one.
    pub(crate) fn issuer_key_id(&self) -> Option<Vec<u8>> {
        let found = self.extension(oid::AUTHORITY_KEY_ID)?;
        let id = AuthorityKeyIdentifier::from_der(found.extn_value.as_bytes()).ok()?;
        Some(id.key_identifier?.as_bytes().to_vec())
    }

    /// The number of the list; each new list has a higher one.
    pub(crate) fn number(&self) -> Option<Vec<u8>> {
        let found = self.extension(oid::CRL_NUMBER)?;
        let number = Uint::from_der(found.extn_value.as_bytes()).ok()?;
        Some(number.as_bytes().to_vec())
    }

    /// Whether the list is a delta CRL, with only the changes to another list.
    pub(crate) fn is_delta(&self) -> bool {
        self.extension(oid::DELTA_CRL).is_some()
    }

    pub(crate) fn next_update(&self) -> Option<Timestamp> {
        self.parsed.tbs_cert_list.next_update.map(from_x509)
    }

    pub(crate) fn this_update(&self) -> Timestamp {
        from_x509(self.parsed.tbs_cert_list.this_update)
    }

    pub(crate) fn entries(&self) -> &[RevokedCert] {
        self.parsed.tbs_cert_list.revoked_certificates.as_deref().unwrap_or_default()
    }

    pub(crate) fn serials(&self) -> impl Iterator<Item = Serial> {
        self.entries().iter().map(|entry| Serial::of(&entry.serial_number))
    }

    /// Checks that the key of a certificate signed the list.
    pub(crate) fn verify_issued_by(&self, issuer: &Certificate) -> Result<(), SignatureFault> {
        if self.issuer_der() != name_der(issuer.subject()) {
            return Err(SignatureFault::Wrong);
        }
        signed::verify(&self.der, issuer.public_key())
    }

    fn extension(&self, id: der::oid::ObjectIdentifier) -> Option<&Extension> {
        let all: &Extensions = self.parsed.tbs_cert_list.crl_extensions.as_ref()?;
        all.iter().find(|e| e.extn_id == id)
    }

    /// Signs a new list.
    pub(crate) fn sign(
        issuer: &Certificate,
        key: &SigningKey,
        number: &[u8],
        entries: Vec<RevokedCert>,
        now: Timestamp,
    ) -> Result<Self, CaError> {
        let number = Uint::new(number).map_err(|_| CaError::Encoding("revocation list"))?;
        let extensions = vec![
            extension::authority_key_id(&issuer.key_id())?,
            extension::extension(oid::CRL_NUMBER, false, &number)?,
        ];
        let tbs = TbsCertList {
            version: Version::V2,
            signature: key.algorithm(),
            issuer: issuer.subject().clone(),
            // Clocks of agents may be slow.
            this_update: to_x509(after(now, -86_400))?,
            next_update: Some(to_x509(after(now, VALIDITY))?),
            revoked_certificates: (!entries.is_empty()).then_some(entries),
            crl_extensions: Some(extensions),
        };
        let der = signed::sign(&tbs, key, "revocation list")?;
        Self::from_der(&der).map_err(|_| CaError::Encoding("revocation list"))
    }

    /// The number of the list that follows this one.
    pub(crate) fn next_number(&self) -> Vec<u8> {
        let mut bytes = self.number().unwrap_or_default();
        for byte in bytes.iter_mut().rev() {
            let (sum, carry) = byte.overflowing_add(1);
            *byte = sum;
            if !carry {
                return bytes;
            }
        }
        bytes.insert(0, 1);
        bytes
    }
}

/// An entry for a certificate that is revoked now.
pub(crate) fn entry(serial: &Serial, now: Timestamp) -> Result<RevokedCert, CaError> {
    let reason = Reason::KeyCompromise.to_der().and_then(OctetString::new);
    let reason = reason.map_err(|_| CaError::Encoding("revocation list"))?;
    let reason = Extension { extn_id: oid::CRL_REASON, critical: false, extn_value: reason };
    Ok(RevokedCert {
        serial_number: serial.to_x509()?,
        revocation_date: to_x509(now)?,
        crl_entry_extensions: Some(vec![reason]),
    })
}

/// The revoked certificates of all lists of the chain.
#[derive(Debug, Default)]
pub struct RevokedSet {
    by_issuer: HashMap<Vec<u8>, HashSet<Serial>>,
}

impl RevokedSet {
    pub(crate) fn of(lists: &[RevocationList]) -> Self {
        let mut by_issuer: HashMap<Vec<u8>, HashSet<Serial>> = HashMap::new();
        for list in lists {
            by_issuer.entry(list.issuer_der()).or_default().extend(list.serials());
        }
        Self { by_issuer }
    }

    /// Whether a certificate is revoked.
    #[must_use]
    pub fn contains(&self, certificate: &Certificate) -> bool {
        let serials = self.by_issuer.get(&certificate.issuer_der());
        serials.is_some_and(|serials| serials.contains(&certificate.serial()))
    }
}
