//! Creating and reading certificate extensions.

use std::net::IpAddr;

use der::asn1::{Any, Ia5String, OctetString, OctetStringRef, Utf8StringRef};
use der::{Decode, Encode, Tag, Tagged};
use x509_cert::ext::Extension;
use x509_cert::ext::pkix::name::GeneralName;
use x509_cert::ext::pkix::{AuthorityKeyIdentifier, BasicConstraints, KeyUsage, KeyUsages};

use crate::oid::Arc;
use crate::{CaError, oid};
use der::oid::ObjectIdentifier;

/// The comment in every certificate.
const COMMENT: &str = "Ordain Internal Certificate";

/// An extension with an encodable value.
pub(crate) fn extension(
    id: ObjectIdentifier,
    critical: bool,
    value: &impl Encode,
) -> Result<Extension, CaError> {
    let made = value.to_der().and_then(OctetString::new);
    let extn_value = made.map_err(|_| CaError::Encoding("extension"))?;
    Ok(Extension { extn_id: id, critical, extn_value })
}

/// The extension with the comment.
pub(crate) fn comment() -> Result<Extension, CaError> {
    let text = Ia5String::new(COMMENT).map_err(|_| CaError::Encoding("extension"))?;
    extension(oid::NETSCAPE_COMMENT, false, &text)
}

/// The key identifier of the issuer.
pub(crate) fn authority_key_id(id: &[u8]) -> Result<Extension, CaError> {
    let id = OctetString::new(id).map_err(|_| CaError::Encoding("extension"))?;
    let value = AuthorityKeyIdentifier { key_identifier: Some(id), ..Default::default() };
    extension(oid::AUTHORITY_KEY_ID, false, &value)
}

/// The key identifier of the certificate.
pub(crate) fn subject_key_id(id: &[u8]) -> Result<Extension, CaError> {
    let id = OctetStringRef::new(id).map_err(|_| CaError::Encoding("extension"))?;
    extension(oid::SUBJECT_KEY_ID, false, &id)
}

/// Whether the certificate is that of an authority.
pub(crate) fn basic_constraints(ca: bool) -> Result<Extension, CaError> {
    let value = BasicConstraints { ca, path_len_constraint: None };
    extension(oid::BASIC_CONSTRAINTS, true, &value)
}

/// Allows TLS clients and servers.
pub(crate) fn extended_key_usage() -> Result<Extension, CaError> {
    extension(oid::EXTENDED_KEY_USAGE, true, &vec![oid::SERVER_AUTH, oid::CLIENT_AUTH])
}

/// The key usages of a node.
pub(crate) fn node_key_usage() -> Result<Extension, CaError> {
    let usages = KeyUsages::DigitalSignature | KeyUsages::KeyEncipherment;
    extension(oid::KEY_USAGE, true, &KeyUsage(usages))
}

/// The key usages of an authority.
pub(crate) fn ca_key_usage() -> Result<Extension, CaError> {
    let usages = KeyUsages::KeyCertSign | KeyUsages::CRLSign;
    extension(oid::KEY_USAGE, true, &KeyUsage(usages))
}

/// A text extension in Puppet's encoding.
pub(crate) fn text(id: ObjectIdentifier, value: &str) -> Result<Extension, CaError> {
    let value = Utf8StringRef::new(value).map_err(|_| CaError::Encoding("extension"))?;
    extension(id, false, &value)
}

/// The subject alternative names of a certificate.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct AltNames {
    pub(crate) dns: Vec<String>,
    pub(crate) ip: Vec<IpAddr>,
    /// Whether there are names of other types.
    pub(crate) others: bool,
}

impl AltNames {
    /// Reads the names from a list of extensions.
    pub(crate) fn read(extensions: &[Extension]) -> der::Result<Self> {
        let mut names = Self::default();
        let found = extensions.iter().find(|e| e.extn_id == oid::SUBJECT_ALT_NAME);
        let Some(found) = found else { return Ok(names) };
        for name in Vec::<GeneralName>::from_der(found.extn_value.as_bytes())? {
            match name {
                GeneralName::DnsName(dns) => names.dns.push(dns.to_string()),
                GeneralName::IpAddress(bytes) => match address(bytes.as_bytes()) {
                    Some(ip) => names.ip.push(ip),
                    None => names.others = true,
                },
                _ => names.others = true,
            }
        }
        Ok(names)
    }

    /// Encodes the names as an extension.
    pub(crate) fn to_extension(&self) -> Result<Extension, CaError> {
        let failed = |_| CaError::Encoding("subject alternative names");
        let mut names = Vec::new();
        for dns in &self.dns {
            names.push(GeneralName::DnsName(Ia5String::new(dns).map_err(failed)?));
        }
        for ip in &self.ip {
            let bytes = match ip {
                IpAddr::V4(v4) => v4.octets().to_vec(),
                IpAddr::V6(v6) => v6.octets().to_vec(),
            };
            names.push(GeneralName::IpAddress(OctetString::new(bytes).map_err(failed)?));
        }
        extension(oid::SUBJECT_ALT_NAME, false, &names)
    }

    /// The names as `DNS:name` and `IP:address`. Addresses come first, as in puppetserver.
    pub(crate) fn labelled(&self) -> Vec<String> {
        let ips = self.ip.iter().map(|ip| format!("IP:{ip}"));
        ips.chain(self.dns.iter().map(|dns| format!("DNS:{dns}"))).collect()
    }
}

fn address(bytes: &[u8]) -> Option<IpAddr> {
    if let Ok(v4) = <[u8; 4]>::try_from(bytes) {
        return Some(v4.into());
    }
    <[u8; 16]>::try_from(bytes).ok().map(IpAddr::from)
}

/// The extensions below Puppet's OIDs: short name (or OID) and text.
pub(crate) fn puppet_extensions(extensions: &[Extension]) -> Vec<(String, String)> {
    let ours = extensions.iter().filter(|e| oid::arc(&e.extn_id).is_some());
    ours.map(|e| (oid::name_of(&e.extn_id), value_text(e))).collect()
}

/// The authorization extensions.
pub(crate) fn authorization_extensions(extensions: &[Extension]) -> Vec<(String, String)> {
    let ours = extensions.iter().filter(|e| oid::arc(&e.extn_id) == Some(Arc::Authorization));
    ours.map(|e| (oid::name_of(&e.extn_id), value_text(e))).collect()
}

/// The text of an extension: an ASN.1 string, or raw bytes as old agents send them.
pub(crate) fn value_text(extension: &Extension) -> String {
    let bytes = extension.extn_value.as_bytes();
    match Any::from_der(bytes) {
        Ok(value) => {
            any_text(&value).unwrap_or_else(|| String::from_utf8_lossy(bytes).into_owned())
        }
        Err(_) => String::from_utf8_lossy(bytes).into_owned(),
    }
}

/// The text of an ASN.1 string.
pub(crate) fn any_text(value: &Any) -> Option<String> {
    let bytes = value.value();
    match value.tag() {
        Tag::Utf8String
        | Tag::PrintableString
        | Tag::Ia5String
        | Tag::VisibleString
        | Tag::TeletexString
        | Tag::NumericString => Some(String::from_utf8_lossy(bytes).into_owned()),
        Tag::BmpString => {
            let units = bytes
                .chunks_exact(2)
                .map(|pair| pair.iter().fold(0, |unit: u16, byte| (unit << 8) | u16::from(*byte)));
            Some(String::from_utf16_lossy(&units.collect::<Vec<_>>()))
        }
        _ => None,
    }
}
