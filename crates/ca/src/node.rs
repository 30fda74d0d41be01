//! The side of a node: its key, its request for a certificate, and the authority that it trusts.

use der::asn1::SetOfVec;
use jiff::Timestamp;
use x509_cert::request::{CertReqInfo, Version};

use crate::certificate::{Certificate, name_with_cn};
use crate::crl::{RevocationList, RevokedSet};
use crate::key::{self, KeyAlgorithm, SigningKey};
use crate::{CaError, Certname, chain, signed};

/// The private key of a node.
#[derive(Debug)]
pub struct NodeKey {
    key: SigningKey,
}

impl NodeKey {
    /// A new key for ECDSA with the curve P-256, and its PEM text.
    ///
    /// # Errors
    /// The system has no random numbers.
    pub fn generate() -> Result<(Self, String), CaError> {
        let (key, pem) = SigningKey::generate(KeyAlgorithm::EcdsaP256)?;
        Ok((Self { key }, pem))
    }

    /// Reads a key.
    ///
    /// # Errors
    /// [`CaError::UnsupportedKey`].
    pub fn from_pem(text: &[u8]) -> Result<Self, CaError> {
        let key = SigningKey::from_pem(text, None).map_err(CaError::UnsupportedKey)?;
        Ok(Self { key })
    }

    /// A request for a certificate of this key, as PEM text.
    ///
    /// # Errors
    /// The request cannot be encoded.
    pub fn request_pem(&self, name: &Certname) -> Result<String, CaError> {
        let info = CertReqInfo {
            version: Version::V1,
            subject: name_with_cn(name.as_str())?,
            public_key: self.key.public().clone(),
            attributes: SetOfVec::new(),
        };
        let der = signed::sign(&info, &self.key, "certificate request")?;
        Ok(crate::pem::encode("CERTIFICATE REQUEST", &der))
    }

    /// Whether a certificate is of this key.
    #[must_use]
    pub fn is_of(&self, certificate: &Certificate) -> bool {
        certificate.public_key() == self.key.public()
    }

    /// Signs a message. The algorithm is that of the key.
    ///
    /// # Errors
    /// The system has no random numbers.
    pub fn sign(&self, message: &[u8]) -> Result<Vec<u8>, CaError> {
        Ok(self.key.sign(message)?.raw_bytes().to_vec())
    }
}

/// The authority that a node trusts, with those above it and their revocation lists.
#[derive(Debug)]
pub struct TrustedAuthority {
    /// The authority that signs certificates of nodes, then those above it.
    path: Vec<Certificate>,
    revoked: RevokedSet,
}

impl TrustedAuthority {
    /// Reads the certificates of an authority and of those above it, the authority first. Only the
    /// certificates between it and its root count, so nobody can add another authority to a bundle
    /// whose first certificate is known.
    ///
    /// # Errors
    /// [`CaError::Mismatch`]: a certificate is missing, wrongly signed, expired, or not of an
    /// authority.
    pub fn from_pem(bundle: &[u8], now: Timestamp) -> Result<Self, CaError> {
        let all = Certificate::all_from_pem(bundle)?;
        let Some((first, others)) = all.split_first() else {
            return Err(CaError::MalformedCertificate("the text has no certificate".into()));
        };
        let path = chain::to_root(first, others, now)?;
        Ok(Self { path, revoked: RevokedSet::default() })
    }

    /// Adds revocation lists. Only those count that one of the authorities signed.
    ///
    /// # Errors
    /// [`CaError::Mismatch`]: the text has no list of the authority that signs certificates of nodes.
    pub fn with_lists(self, lists: &[u8]) -> Result<Self, CaError> {
        let lists = RevocationList::all_from_pem(lists).map_err(CaError::Mismatch)?;
        let is_ours = |list: &RevocationList| {
            self.path.iter().any(|authority| list.verify_issued_by(authority).is_ok())
        };
        let lists: Vec<RevocationList> = lists.into_iter().filter(is_ours).collect();
        let has_first = |authority: &Certificate| {
            lists.iter().any(|list| list.verify_issued_by(authority).is_ok())
        };
        if !self.path.first().is_some_and(has_first) {
            return Err(CaError::Mismatch("there is no revocation list of the authority".into()));
        }
        Ok(Self { revoked: RevokedSet::of(&lists), ..self })
    }

    /// The certificates: the authority, then those above it.
    #[must_use]
    pub fn certificates(&self) -> &[Certificate] {
        &self.path
    }

    /// The certificates as PEM text.
    #[must_use]
    pub fn pem(&self) -> String {
        self.path.iter().map(Certificate::pem).collect()
    }

    /// The SHA-256 digest of the authority's certificate, as `ordain ca show` prints it.
    #[must_use]
    pub fn fingerprint(&self) -> String {
        self.path.first().map(Certificate::fingerprint).unwrap_or_default()
    }

    /// Checks that the authority signed a certificate, that it is valid now and not revoked.
    ///
    /// # Errors
    /// [`CaError::ForeignCertificate`], [`CaError::NotValidNow`] or [`CaError::Revoked`].
    pub fn check(&self, certificate: &Certificate, now: Timestamp) -> Result<(), CaError> {
        let name = certificate.common_name().unwrap_or_default();
        let is_signed = |authority: &Certificate| certificate.verify_issued_by(authority).is_ok();
        if certificate.is_ca() || !self.path.first().is_some_and(is_signed) {
            return Err(CaError::ForeignCertificate(name));
        }
        if !certificate.is_valid_at(now) {
            return Err(CaError::NotValidNow(name));
        }
        if self.path.iter().chain([certificate]).any(|one| self.revoked.contains(one)) {
            return Err(CaError::Revoked(name));
        }
        Ok(())
    }
}

impl Certificate {
    /// Checks a signature that [`NodeKey::sign`] made with the key of this certificate.
    ///
    /// # Errors
    /// [`CaError::WrongSignature`].
    pub fn verify(&self, message: &[u8], signature: &[u8]) -> Result<(), CaError> {
        let key = self.public_key();
        let algorithm = key::signature_algorithm(key).ok_or(CaError::WrongSignature)?;
        key::verify(key, algorithm, message, signature).map_err(|_| CaError::WrongSignature)
    }

    /// Whether a server with this certificate may have this name: a DNS name or an address.
    #[must_use]
    pub fn is_for_host(&self, host: &str) -> bool {
        let host = host.to_ascii_lowercase();
        let labelled = match host.parse::<std::net::IpAddr>() {
            Ok(address) => format!("IP:{address}"),
            Err(_) => format!("DNS:{host}"),
        };
        self.alt_names().iter().any(|name| name.eq_ignore_ascii_case(&labelled))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::{
        Autosign, CertificateAuthority, CertificateRequest, CreateOptions, Settings, Submission,
    };

    fn authority(dir: &std::path::Path) -> CertificateAuthority {
        let settings = Settings { autosign: Autosign::All, ..Settings::default() };
        CertificateAuthority::create(dir, &CreateOptions::default(), settings).unwrap()
    }

    fn enrolled(ca: &CertificateAuthority, name: &str) -> (NodeKey, Certificate) {
        let (key, _) = NodeKey::generate().unwrap();
        let request = key.request_pem(&Certname::new(name).unwrap()).unwrap();
        CertificateRequest::from_pem(request.as_bytes()).unwrap().verify().unwrap();
        let submission = ca.submit(name, request.as_bytes()).unwrap();
        assert!(matches!(submission, Submission::Signed(_)), "{submission:?}");
        let pem = ca.certificate_pem(name).unwrap().unwrap();
        (key, Certificate::from_pem(&pem).unwrap())
    }

    #[test]
    fn a_request_is_signed_and_its_certificate_checked() {
        let dir = tempfile::tempdir().unwrap();
        let ca = authority(&dir.path().join("ca"));
        let (key, certificate) = enrolled(&ca, "web.example.org");
        let now = Timestamp::now();
        let trusted = TrustedAuthority::from_pem(ca.bundle_pem().as_bytes(), now).unwrap();
        assert!(key.is_of(&certificate));
        trusted.check(&certificate, now).unwrap();
        let signature = key.sign(b"text").unwrap();
        certificate.verify(b"text", &signature).unwrap();
        assert!(matches!(certificate.verify(b"Text", &signature), Err(CaError::WrongSignature)));
        assert!(certificate.is_for_host("WEB.example.org"));
        assert!(!certificate.is_for_host("example.org"));

        ca.revoke(&["web.example.org".to_string()]).unwrap();
        let trusted = trusted.with_lists(ca.crl().unwrap().pem.as_bytes()).unwrap();
        assert!(matches!(trusted.check(&certificate, now), Err(CaError::Revoked(_))));
    }

    #[test]
    fn another_authority_in_a_bundle_is_not_trusted() {
        let dir = tempfile::tempdir().unwrap();
        let (ours, theirs) = (authority(&dir.path().join("a")), authority(&dir.path().join("b")));
        let (_, foreign) = enrolled(&theirs, "web.example.org");
        let now = Timestamp::now();
        let bundle = format!("{}{}", ours.bundle_pem(), theirs.bundle_pem());
        let trusted = TrustedAuthority::from_pem(bundle.as_bytes(), now).unwrap();
        assert_eq!(trusted.certificates().len(), 1);
        assert!(matches!(trusted.check(&foreign, now), Err(CaError::ForeignCertificate(_))));
        assert!(trusted.with_lists(theirs.crl().unwrap().pem.as_bytes()).is_err());
        assert!(TrustedAuthority::from_pem(b"", now).is_err());
    }
}
