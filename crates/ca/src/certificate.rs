//! Certificates.

use der::asn1::{Any, SetOfVec, Utf8StringRef};
use der::{Decode, Encode};
use jiff::Timestamp;
use x509_cert::attr::AttributeTypeAndValue;
use x509_cert::ext::Extension;
use x509_cert::ext::pkix::{AuthorityKeyIdentifier, BasicConstraints, SubjectKeyIdentifier};
use x509_cert::name::{Name, RdnSequence, RelativeDistinguishedName};
use x509_cert::spki::SubjectPublicKeyInfoOwned;
use x509_cert::time::Validity;
use x509_cert::{Certificate as Parsed, TbsCertificate, Version};

use crate::extension::{any_text, authorization_extensions, puppet_extensions};
use crate::key::{SignatureFault, SigningKey};
use crate::time::{from_x509, to_x509};
use crate::{CaError, Serial, extension, key, oid, pem, signed};

/// An X.509 certificate, together with its DER encoding.
#[derive(Debug, Clone)]
pub struct Certificate {
    der: Vec<u8>,
    parsed: Parsed,
}

impl Certificate {
    /// Reads a certificate from DER.
    ///
    /// # Errors
    /// [`CaError::MalformedCertificate`].
    pub fn from_der(der: &[u8]) -> Result<Self, CaError> {
        let parsed = Parsed::from_der(der);
        let parsed = parsed.map_err(|e| CaError::MalformedCertificate(e.to_string()))?;
        Ok(Self { der: der.to_vec(), parsed })
    }

    /// Reads the first certificate of a PEM text.
    ///
    /// # Errors
    /// [`CaError::MalformedCertificate`].
    pub fn from_pem(text: &[u8]) -> Result<Self, CaError> {
        let none = || CaError::MalformedCertificate("the text has no certificate".into());
        Self::all_from_pem(text)?.into_iter().next().ok_or_else(none)
    }

    /// Reads all certificates of a PEM text.
    ///
    /// # Errors
    /// [`CaError::MalformedCertificate`].
    pub fn all_from_pem(text: &[u8]) -> Result<Vec<Self>, CaError> {
        let blocks = pem::blocks(text).map_err(|e| CaError::MalformedCertificate(e.into()))?;
        let ours = blocks.iter().filter(|b| {
            matches!(b.label.as_str(), "CERTIFICATE" | "X509 CERTIFICATE" | "TRUSTED CERTIFICATE")
        });
        ours.map(|block| Self::from_der(&block.der)).collect()
    }

    /// The DER encoding.
    #[must_use]
    pub fn der(&self) -> &[u8] {
        &self.der
    }

    /// The certificate as PEM text.
    #[must_use]
    pub fn pem(&self) -> String {
        pem::encode("CERTIFICATE", &self.der)
    }

    /// The serial number.
    #[must_use]
    pub fn serial(&self) -> Serial {
        Serial::of(&self.parsed.tbs_certificate.serial_number)
    }

    /// The first second of its validity period.
    #[must_use]
    pub fn not_before(&self) -> Timestamp {
        from_x509(self.parsed.tbs_certificate.validity.not_before)
    }

    /// The last second of its validity period.
    #[must_use]
    pub fn not_after(&self) -> Timestamp {
        from_x509(self.parsed.tbs_certificate.validity.not_after)
    }

    /// The common name of the subject, if it has exactly one.
    #[must_use]
    pub fn common_name(&self) -> Option<String> {
        common_name(&self.parsed.tbs_certificate.subject)
    }

    /// The SHA-256 fingerprint: pairs of hexadecimal digits, separated by colons.
    #[must_use]
    pub fn fingerprint(&self) -> String {
        fingerprint(&self.der, &ring::digest::SHA256)
    }

    /// Whether the certificate is valid at a time.
    #[must_use]
    pub fn is_valid_at(&self, time: Timestamp) -> bool {
        (self.not_before()..=self.not_after()).contains(&time)
    }

    /// The extensions below Puppet's OIDs: short name and text. Extensions without a short name
    /// have their OID instead.
    #[must_use]
    pub fn puppet_extensions(&self) -> Vec<(String, String)> {
        puppet_extensions(self.extensions())
    }

    /// The authorization extensions (`1.3.6.1.4.1.34380.1.3`).
    #[must_use]
    pub fn authorization_extensions(&self) -> Vec<(String, String)> {
        authorization_extensions(self.extensions())
    }

    /// The subject alternative names, as `DNS:name` and `IP:address`. None of them names a node.
    #[must_use]
    pub fn alt_names(&self) -> Vec<String> {
        extension::AltNames::read(self.extensions()).unwrap_or_default().labelled()
    }

    pub(crate) fn tbs(&self) -> &TbsCertificate {
        &self.parsed.tbs_certificate
    }

    pub(crate) fn extensions(&self) -> &[Extension] {
        self.parsed.tbs_certificate.extensions.as_deref().unwrap_or_default()
    }

    pub(crate) fn subject(&self) -> &Name {
        &self.parsed.tbs_certificate.subject
    }

    pub(crate) fn issuer(&self) -> &Name {
        &self.parsed.tbs_certificate.issuer
    }

    /// The issuer's name in DER.
    pub(crate) fn issuer_der(&self) -> Vec<u8> {
        name_der(self.issuer())
    }

    pub(crate) fn public_key(&self) -> &SubjectPublicKeyInfoOwned {
        &self.parsed.tbs_certificate.subject_public_key_info
    }

    /// The key identifier of the certificate: its extension, or else the digest of its key.
    pub(crate) fn key_id(&self) -> Vec<u8> {
        match self.tbs().get::<SubjectKeyIdentifier>() {
            Ok(Some((_, id))) => id.0.as_bytes().to_vec(),
            _ => key::key_id(self.public_key()),
        }
    }

    /// The key identifier of the issuer, if the certificate has one.
    pub(crate) fn issuer_key_id(&self) -> Option<Vec<u8>> {
        let id = self.tbs().get::<AuthorityKeyIdentifier>().ok().flatten()?.1.key_identifier?;
        Some(id.as_bytes().to_vec())
    }

    /// The serial number of the issuer's certificate, if the certificate has it.
    pub(crate) fn issuer_serial(&self) -> Option<Serial> {
        let id = self.tbs().get::<AuthorityKeyIdentifier>().ok().flatten()?.1;
        id.authority_cert_serial_number.map(|serial| Serial::of(&serial))
    }

    pub(crate) fn is_ca(&self) -> bool {
        let constraints = self.tbs().get::<BasicConstraints>().ok().flatten();
        constraints.is_some_and(|(_, c)| c.ca)
    }

    pub(crate) fn is_self_issued(&self) -> bool {
        self.subject() == self.issuer()
    }

    /// Checks that the key of another certificate signed this one.
    pub(crate) fn verify_issued_by(&self, issuer: &Self) -> Result<(), SignatureFault> {
        if self.issuer_der() != name_der(issuer.subject()) {
            return Err(SignatureFault::Wrong);
        }
        signed::verify(&self.der, issuer.public_key())
    }
}

/// The parts of a certificate that is about to be signed.
pub(crate) struct NewCertificate<'a> {
    pub(crate) serial: Serial,
    pub(crate) issuer: &'a Name,
    pub(crate) subject: &'a Name,
    pub(crate) not_before: Timestamp,
    pub(crate) not_after: Timestamp,
    pub(crate) public_key: &'a SubjectPublicKeyInfoOwned,
    pub(crate) extensions: Vec<Extension>,
}

impl NewCertificate<'_> {
    /// Signs the certificate.
    pub(crate) fn sign(self, key: &SigningKey) -> Result<Certificate, CaError> {
        let tbs = TbsCertificate {
            version: Version::V3,
            serial_number: self.serial.to_x509()?,
            signature: key.algorithm(),
            issuer: self.issuer.clone(),
            validity: Validity {
                not_before: to_x509(self.not_before)?,
                not_after: to_x509(self.not_after)?,
            },
            subject: self.subject.clone(),
            subject_public_key_info: self.public_key.clone(),
            issuer_unique_id: None,
            subject_unique_id: None,
            extensions: Some(self.extensions),
        };
        Certificate::from_der(&signed::sign(&tbs, key, "certificate")?)
    }
}

/// A distinguished name that has only a common name.
pub(crate) fn name_with_cn(text: &str) -> Result<Name, CaError> {
    let failed = |_| CaError::Encoding("name");
    let value = Any::from(Utf8StringRef::new(text).map_err(failed)?);
    let part = AttributeTypeAndValue { oid: oid::COMMON_NAME, value };
    let set = SetOfVec::try_from(vec![part]).map_err(failed)?;
    Ok(RdnSequence(vec![RelativeDistinguishedName(set)]))
}

/// The common name, if there is exactly one.
pub(crate) fn common_name(name: &Name) -> Option<String> {
    let parts = name.0.iter().flat_map(|rdn| rdn.0.iter());
    let mut names = parts.filter(|part| part.oid == oid::COMMON_NAME);
    let first = any_text(&names.next()?.value)?;
    names.next().is_none().then_some(first)
}

/// The DER encoding of a name.
pub(crate) fn name_der(name: &Name) -> Vec<u8> {
    // These names were decoded from DER before, so they are short enough to be encoded.
    name.to_der().unwrap_or_default()
}

/// The fingerprint of a DER structure: pairs of hexadecimal digits, separated by colons.
pub(crate) fn fingerprint(der: &[u8], algorithm: &'static ring::digest::Algorithm) -> String {
    let digest = ring::digest::digest(algorithm, der);
    let pairs: Vec<String> = digest.as_ref().iter().map(|b| format!("{b:02X}")).collect();
    pairs.join(":")
}
