//! Certificate signing requests.

use der::asn1::{Any, BitString, ObjectIdentifier};
use der::{Decode, Sequence};
use x509_cert::ext::Extension;
use x509_cert::name::Name;
use x509_cert::spki::{AlgorithmIdentifierOwned, SubjectPublicKeyInfoOwned};

use crate::certificate::common_name;
use crate::extension::{AltNames, any_text, authorization_extensions, puppet_extensions};
use crate::key::{self, SignatureFault};
use crate::{CaError, oid, pem, signed};

/// The largest request that is accepted, in bytes.
const MAX_BYTES: usize = 64 * 1024;

/// An attribute of a request. Unlike DER, the order and repetition of attributes is not checked,
/// because programs differ.
#[derive(Debug, Clone, Sequence)]
struct Attribute {
    oid: ObjectIdentifier,
    values: Any,
}

#[derive(Debug, Clone, Sequence)]
struct Info {
    version: u8,
    subject: Name,
    public_key: SubjectPublicKeyInfoOwned,
    /// `[0] IMPLICIT SET OF Attribute`, parsed separately. Some programs leave it out.
    #[asn1(optional = "true")]
    attributes: Option<Any>,
}

#[derive(Debug, Clone, Sequence)]
struct Parsed {
    info: Info,
    algorithm: AlgorithmIdentifierOwned,
    signature: BitString,
}

/// A certificate signing request (PKCS #10).
#[derive(Debug, Clone)]
pub struct CertificateRequest {
    der: Vec<u8>,
    parsed: Parsed,
    attributes: Vec<Attribute>,
    extensions: Vec<Extension>,
}

impl CertificateRequest {
    /// Reads a request from PEM. The signature is not checked.
    ///
    /// # Errors
    /// [`CaError::MalformedRequest`].
    pub fn from_pem(text: &[u8]) -> Result<Self, CaError> {
        let malformed = |reason: &str| CaError::MalformedRequest(reason.to_string());
        if text.len() > MAX_BYTES {
            return Err(malformed("it is larger than 64 KiB"));
        }
        let blocks = pem::blocks(text).map_err(malformed)?;
        let mut ours = blocks.iter().filter(|b| {
            matches!(b.label.as_str(), "CERTIFICATE REQUEST" | "NEW CERTIFICATE REQUEST")
        });
        let block = ours.next().ok_or_else(|| malformed("the text has no request"))?;
        if ours.next().is_some() {
            return Err(malformed("the text has several requests"));
        }
        Self::from_der(&block.der)
    }

    /// Reads a request from DER. The signature is not checked.
    ///
    /// # Errors
    /// [`CaError::MalformedRequest`].
    pub fn from_der(der: &[u8]) -> Result<Self, CaError> {
        let malformed = |e: der::Error| CaError::MalformedRequest(e.to_string());
        if der.len() > MAX_BYTES {
            return Err(CaError::MalformedRequest("it is larger than 64 KiB".into()));
        }
        let parsed = Parsed::from_der(der).map_err(malformed)?;
        let attributes = match &parsed.info.attributes {
            Some(set) => items(set.value()).map_err(malformed)?,
            None => Vec::new(),
        };
        let mut requests =
            attributes.iter().filter(|a: &&Attribute| a.oid == oid::EXTENSION_REQUEST);
        let extensions = match requests.next() {
            Some(attribute) => Vec::from_der(attribute.values.value()).map_err(malformed)?,
            None => Vec::new(),
        };
        if requests.next().is_some() {
            return Err(CaError::MalformedRequest("it asks for extensions twice".into()));
        }
        Ok(Self { der: der.to_vec(), parsed, attributes, extensions })
    }

    /// The DER encoding.
    #[must_use]
    pub fn der(&self) -> &[u8] {
        &self.der
    }

    /// The request as PEM text.
    #[must_use]
    pub fn pem(&self) -> String {
        pem::encode("CERTIFICATE REQUEST", &self.der)
    }

    /// The common name of the subject, if it has exactly one.
    #[must_use]
    pub fn common_name(&self) -> Option<String> {
        common_name(&self.parsed.info.subject)
    }

    /// The challenge password, which an autosign command may check.
    #[must_use]
    pub fn challenge_password(&self) -> Option<String> {
        self.attribute(oid::CHALLENGE_PASSWORD)
    }

    /// The attributes other than the extension request: short name or OID, and text.
    #[must_use]
    pub fn attributes(&self) -> Vec<(String, String)> {
        let others = self.attributes.iter().filter(|a| a.oid != oid::EXTENSION_REQUEST);
        others.filter_map(|a| Some((oid::name_of(&a.oid), first_text(a)?))).collect()
    }

    /// Whether the agent can renew its certificate.
    #[must_use]
    pub fn supports_renewal(&self) -> bool {
        self.attribute(oid::AUTO_RENEW).as_deref() == Some("true")
    }

    /// The requested extensions below Puppet's OIDs: short name or OID, and text.
    #[must_use]
    pub fn puppet_extensions(&self) -> Vec<(String, String)> {
        puppet_extensions(&self.extensions)
    }

    /// The requested authorization extensions.
    #[must_use]
    pub fn authorization_extensions(&self) -> Vec<(String, String)> {
        authorization_extensions(&self.extensions)
    }

    /// The requested subject alternative names, as `DNS:name` and `IP:address`.
    #[must_use]
    pub fn alt_names(&self) -> Vec<String> {
        AltNames::read(&self.extensions).unwrap_or_default().labelled()
    }

    pub(crate) fn extensions(&self) -> &[Extension] {
        &self.extensions
    }

    pub(crate) fn public_key(&self) -> &SubjectPublicKeyInfoOwned {
        &self.parsed.info.public_key
    }

    /// Checks that the key is strong enough, and that the owner of the key signed the request.
    ///
    /// # Errors
    /// [`CaError::UnsupportedKey`], [`CaError::InvalidSignature`].
    pub fn verify(&self) -> Result<(), CaError> {
        key::check_public(self.public_key()).map_err(CaError::UnsupportedKey)?;
        signed::verify(&self.der, self.public_key()).map_err(|fault| match fault {
            SignatureFault::Wrong => CaError::InvalidSignature,
            SignatureFault::Unsupported(algorithm) => {
                CaError::UnsupportedKey(format!("signature algorithm {algorithm}"))
            }
        })
    }

    fn attribute(&self, id: ObjectIdentifier) -> Option<String> {
        first_text(self.attributes.iter().find(|a| a.oid == id)?)
    }
}

/// The first value of an attribute, if it is text.
fn first_text(attribute: &Attribute) -> Option<String> {
    any_text(&items::<Any>(attribute.values.value()).ok()?.into_iter().next()?)
}

/// The elements of an ASN.1 set.
fn items<T: for<'a> Decode<'a>>(bytes: &[u8]) -> der::Result<Vec<T>> {
    use der::{Reader, SliceReader};
    let mut items = Vec::new();
    if bytes.is_empty() {
        return Ok(items);
    }
    let mut reader = SliceReader::new(bytes)?;
    while !reader.is_finished() {
        items.push(T::decode(&mut reader)?);
    }
    Ok(items)
}
