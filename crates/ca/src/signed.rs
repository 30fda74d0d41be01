//! Signed DER structures: verifying and creating them.

use der::asn1::{AnyRef, BitString, BitStringRef};
use der::{Decode, Encode, Sequence};
use x509_cert::spki::{
    AlgorithmIdentifierOwned, AlgorithmIdentifierRef, SubjectPublicKeyInfoOwned,
};

use crate::CaError;
use crate::key::{self, SignatureFault, SigningKey};

/// The common layout of certificates, requests and revocation lists.
#[derive(Sequence)]
struct Signed<'a> {
    content: AnyRef<'a>,
    algorithm: AlgorithmIdentifierRef<'a>,
    signature: BitStringRef<'a>,
}

/// Checks the signature of a DER structure. It covers the received bytes: encoding the parsed
/// structure again may give different ones.
pub(crate) fn verify(der: &[u8], key: &SubjectPublicKeyInfoOwned) -> Result<(), SignatureFault> {
    let signed = Signed::from_der(der).map_err(|_| SignatureFault::Wrong)?;
    let content = signed.content.to_der().map_err(|_| SignatureFault::Wrong)?;
    let signature = signed.signature.as_bytes().ok_or(SignatureFault::Wrong)?;
    key::verify(key, signed.algorithm.oid, &content, signature)
}

#[derive(Sequence)]
struct NewlySigned<'a> {
    content: AnyRef<'a>,
    algorithm: AlgorithmIdentifierOwned,
    signature: BitString,
}

/// Signs the content and returns the complete DER structure.
pub(crate) fn sign(
    content: &impl Encode,
    key: &SigningKey,
    name: &'static str,
) -> Result<Vec<u8>, CaError> {
    let content = content.to_der().map_err(|_| CaError::Encoding(name))?;
    let signature = key.sign(&content)?;
    let content = AnyRef::from_der(&content).map_err(|_| CaError::Encoding(name))?;
    let signed = NewlySigned { content, algorithm: key.algorithm(), signature };
    signed.to_der().map_err(|_| CaError::Encoding(name))
}
