//! The states of names, in the format of the endpoint `certificate_status`.

use std::collections::BTreeMap;

use ring::digest::{SHA1_FOR_LEGACY_USE_ONLY, SHA256, SHA512};
use serde::Serialize;

use crate::authority::CertificateAuthority;
use crate::certificate::{Certificate, fingerprint};
use crate::crl::RevokedSet;
use crate::directory;
use crate::request::CertificateRequest;
use crate::time::format_time;
use crate::{CaError, Certname, Serial};

/// The state of a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum CertificateState {
    /// The name has a pending request.
    Requested,
    /// The name has a certificate.
    Signed,
    /// The certificate is revoked.
    Revoked,
}

impl CertificateState {
    /// Parses `requested`, `signed` or `revoked`.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        match text {
            "requested" => Some(Self::Requested),
            "signed" => Some(Self::Signed),
            "revoked" => Some(Self::Revoked),
            _ => None,
        }
    }

    /// `requested`, `signed` or `revoked`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Requested => "requested",
            Self::Signed => "signed",
            Self::Revoked => "revoked",
        }
    }
}

/// The state of a name with details. Serializes to the JSON of puppetserver's `certificate_status`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CertificateStatus {
    /// The certname.
    pub name: String,
    /// The state.
    pub state: CertificateState,
    /// DNS names among the alternative names, as `DNS:name`.
    pub dns_alt_names: Vec<String>,
    /// All subject alternative names, as `IP:address` and `DNS:name`.
    pub subject_alt_names: Vec<String>,
    /// The authorization extensions, by short name or OID.
    pub authorization_extensions: BTreeMap<String, String>,
    /// The SHA-256 fingerprint: pairs of hexadecimal digits, separated by colons.
    pub fingerprint: String,
    /// Fingerprints by algorithm.
    pub fingerprints: Fingerprints,
    /// Details that only a certificate has.
    #[serde(flatten)]
    pub certificate: Option<CertificateDetails>,
}

/// Fingerprints of a certificate or request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Fingerprints {
    /// SHA-1.
    #[serde(rename = "SHA1")]
    pub sha1: String,
    /// SHA-256.
    #[serde(rename = "SHA256")]
    pub sha256: String,
    /// SHA-512.
    #[serde(rename = "SHA512")]
    pub sha512: String,
    /// The same as SHA-256.
    pub default: String,
}

/// Details of a certificate.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CertificateDetails {
    /// The last second of the validity period, as `2026-11-26T10:00:00UTC`.
    pub not_after: String,
    /// The first second of the validity period.
    pub not_before: String,
    /// The serial number.
    pub serial_number: Serial,
}

/// When the certificates and revocation lists of the chain expire, by common name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Expirations {
    /// The certificates.
    #[serde(rename = "ca-certs")]
    pub certificates: BTreeMap<String, String>,
    /// The revocation lists.
    #[serde(rename = "crls")]
    pub lists: BTreeMap<String, String>,
}

impl CertificateAuthority {
    /// The status of a name: that of its certificate, or else that of its request. `None` if it has
    /// neither or is not a certname.
    ///
    /// # Errors
    /// Errors of the directory.
    pub fn status(&self, name: &str) -> Result<Option<CertificateStatus>, CaError> {
        let Ok(name) = Certname::new(name) else { return Ok(None) };
        let revoked = self.revoked()?;
        match self.certificate_status(&name, &revoked)? {
            Some(status) => Ok(Some(status)),
            None => self.request_status(&name),
        }
    }

    /// All requests and certificates, or those in one state, sorted by state and name. Unreadable
    /// requests are left out, because anybody can send one.
    ///
    /// # Errors
    /// Errors of the directory.
    pub fn statuses(
        &self,
        state: Option<CertificateState>,
    ) -> Result<Vec<CertificateStatus>, CaError> {
        let mut found = Vec::new();
        if state.is_none_or(|s| s == CertificateState::Requested) {
            for name in directory::names_in(&self.directory.requests_dir())? {
                if let Ok(status) = self.request_status(&name) {
                    found.extend(status);
                }
            }
        }
        if state != Some(CertificateState::Requested) {
            let revoked = self.revoked()?;
            for name in directory::names_in(&self.directory.signed_dir())? {
                let status = self.certificate_status(&name, &revoked)?;
                found.extend(status.filter(|s| state.is_none_or(|state| s.state == state)));
            }
        }
        Ok(found)
    }

    /// When the certificates and lists of the chain expire.
    ///
    /// # Errors
    /// Errors of the directory.
    pub fn expirations(&self) -> Result<Expirations, CaError> {
        let certificates = self.chain.iter().map(|certificate| {
            let name = certificate.common_name();
            let name = name.unwrap_or_else(|| certificate.subject().to_string());
            (name, format_time(certificate.not_after()))
        });
        let now = self.revocations()?;
        let lists = now
            .lists
            .iter()
            .filter_map(|list| Some((list.issuer_name(), format_time(list.next_update()?))));
        Ok(Expirations { certificates: certificates.collect(), lists: lists.collect() })
    }

    fn certificate_status(
        &self,
        name: &Certname,
        revoked: &RevokedSet,
    ) -> Result<Option<CertificateStatus>, CaError> {
        let Some(certificate) = self.stored_certificate(name)? else { return Ok(None) };
        let state = if revoked.contains(&certificate) {
            CertificateState::Revoked
        } else {
            CertificateState::Signed
        };
        Ok(Some(CertificateStatus::of_certificate(name, &certificate, state)))
    }

    fn request_status(&self, name: &Certname) -> Result<Option<CertificateStatus>, CaError> {
        let request = self.stored_request(name)?;
        Ok(request.map(|request| CertificateStatus::of_request(name, &request)))
    }
}

impl CertificateStatus {
    fn of_certificate(name: &Certname, from: &Certificate, state: CertificateState) -> Self {
        let details = CertificateDetails {
            not_after: format_time(from.not_after()),
            not_before: format_time(from.not_before()),
            serial_number: from.serial(),
        };
        let grants = from.authorization_extensions();
        let mut status = Self::new(name, state, from.der(), from.alt_names(), grants);
        status.certificate = Some(details);
        status
    }

    fn of_request(name: &Certname, from: &CertificateRequest) -> Self {
        let grants = from.authorization_extensions();
        Self::new(name, CertificateState::Requested, from.der(), from.alt_names(), grants)
    }

    fn new(
        name: &Certname,
        state: CertificateState,
        der: &[u8],
        subject_alt_names: Vec<String>,
        grants: Vec<(String, String)>,
    ) -> Self {
        let sha256 = fingerprint(der, &SHA256);
        let dns = subject_alt_names.iter().filter(|name| name.starts_with("DNS:"));
        Self {
            name: name.to_string(),
            state,
            dns_alt_names: dns.cloned().collect(),
            subject_alt_names,
            authorization_extensions: grants.into_iter().collect(),
            fingerprint: sha256.clone(),
            fingerprints: Fingerprints {
                sha1: fingerprint(der, &SHA1_FOR_LEGACY_USE_ONLY),
                sha512: fingerprint(der, &SHA512),
                default: sha256.clone(),
                sha256,
            },
            certificate: None,
        }
    }
}
