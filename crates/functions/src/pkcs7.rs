//! Decrypts PKCS #7 envelopes: content encrypted with a symmetric key, which is encrypted with the
//! RSA key of each recipient (RFC 2315, RFC 5652).
//!
//! The crate `der` reads the values. Its companion `cms` is not used: it refuses envelopes whose
//! recipients are not sorted or whose content is in parts, both of which OpenSSL, and so
//! hiera-eyaml, accept.
//!
//! Errors distinguish a broken envelope from a wrong key. That would help an attacker who can try
//! any number of envelopes; here only those in the user's files are decrypted.

use std::fmt;

use aes::{Aes128, Aes192, Aes256};
use cbc::Decryptor;
use cbc::cipher::block_padding::Pkcs7;
use cbc::cipher::{BlockModeDecrypt, KeyIvInit};
use der::asn1::AnyRef;
use der::{Decode, Reader as _, SliceReader, Tag, TagNumber, Tagged};
use des::TdesEde3;
use rsa::pkcs1::DecodeRsaPrivateKey;
use rsa::{Pkcs1v15Encrypt, RsaPrivateKey, RsaPublicKey};

use crate::base64::{Mode, decode};
use crate::{Error, Result};

/// The context-specific tags with number 0: primitive, and constructed.
const CONTEXT: Tag = Tag::ContextSpecific { constructed: false, number: TagNumber::N0 };
const CONTEXT_CONSTRUCTED: Tag = Tag::ContextSpecific { constructed: true, number: TagNumber::N0 };

const ENVELOPED_DATA: &[u8] = &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x07, 0x03];
const RSA_ENCRYPTION: &[u8] = &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x01];
const DES_EDE3_CBC: &[u8] = &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x03, 0x07];
const AES_128_CBC: &[u8] = &[0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x01, 0x02];
const AES_192_CBC: &[u8] = &[0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x01, 0x16];
const AES_256_CBC: &[u8] = &[0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x01, 0x2a];

/// The maximum size of a key in bytes of DER; larger ones would take minutes.
const MAX_KEY: usize = 10_000;

fn broken<T>(message: impl Into<String>) -> Result<T> {
    Err(Error::Encoding(message.into()))
}

/// An RSA key that opens envelopes.
#[derive(Clone)]
pub struct PrivateKey(RsaPrivateKey);

impl fmt::Debug for PrivateKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PrivateKey")
    }
}

/// The fields of a certificate that identify the recipient of an envelope.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Certificate {
    issuer: Vec<u8>,
    serial: Vec<u8>,
}

impl PrivateKey {
    /// Reads an unencrypted key in PEM: PKCS #8 (`PRIVATE KEY`) or PKCS #1 (`RSA PRIVATE KEY`).
    ///
    /// # Errors
    /// When there is none, or it is no RSA key.
    pub fn read(pem: &str) -> Result<Self> {
        let key = match (block(pem, "RSA PRIVATE KEY")?, block(pem, "PRIVATE KEY")?) {
            (Some(der), _) => Self::of_pkcs1(&der),
            (None, Some(der)) => Self::of_pkcs8(&der)?,
            (None, None) if pem.contains("-----BEGIN ENCRYPTED PRIVATE KEY-----") => {
                return broken("the private key is protected by a password");
            }
            (None, None) => return broken("there is no private key in PEM"),
        };
        key.ok_or_else(|| Error::Encoding("the private key is malformed".to_owned()))
    }

    fn of_pkcs8(der: &[u8]) -> Result<Option<Self>> {
        let parse = || {
            let mut fields = Reader(Reader(der).take(Tag::Sequence)?);
            fields.take(Tag::Integer)?;
            let kind = Reader(fields.take(Tag::Sequence)?).take(Tag::ObjectIdentifier)?;
            Some((kind, fields.take(Tag::OctetString)?))
        };
        match parse() {
            Some((RSA_ENCRYPTION, key)) => Ok(Self::of_pkcs1(key)),
            Some(_) => broken("the private key is no RSA key"),
            None => Ok(None),
        }
    }

    fn of_pkcs1(der: &[u8]) -> Option<Self> {
        let der = Some(der).filter(|der| der.len() <= MAX_KEY)?;
        RsaPrivateKey::from_pkcs1_der(der).ok().map(Self)
    }

    /// The public key.
    pub(crate) fn public(&self) -> RsaPublicKey {
        self.0.to_public_key()
    }

    /// Decrypts data for the key with PKCS #1 v1.5 padding; `None` if it is for another key or
    /// padded differently.
    fn open(&self, encrypted: &[u8]) -> Option<Vec<u8>> {
        self.0.decrypt(Pkcs1v15Encrypt, encrypted).ok()
    }
}

impl Certificate {
    /// Reads a certificate of X.509 in PEM.
    ///
    /// # Errors
    /// When there is none.
    pub fn read(pem: &str) -> Result<Self> {
        let Some(der) = block(pem, "CERTIFICATE")? else {
            return broken("there is no certificate in PEM");
        };
        let parse = || {
            let mut fields = Reader(Reader(Reader(&der).take(Tag::Sequence)?).take(Tag::Sequence)?);
            fields.take(CONTEXT_CONSTRUCTED); // The version, if it is not the first.
            let serial = fields.take(Tag::Integer)?.to_vec();
            fields.take(Tag::Sequence)?;
            Some(Self { serial, issuer: fields.take(Tag::Sequence)?.to_vec() })
        };
        parse().ok_or_else(|| Error::Encoding("the certificate is malformed".to_owned()))
    }
}

/// The bytes between the lines `-----BEGIN label-----` and `-----END label-----`.
pub(crate) fn block(pem: &str, label: &str) -> Result<Option<Vec<u8>>> {
    let (begin, end) = (format!("-----BEGIN {label}-----"), format!("-----END {label}-----"));
    let Some((_, rest)) = pem.split_once(&begin) else { return Ok(None) };
    let Some((body, _)) = rest.split_once(&end) else {
        return broken(format!("the PEM block `{label}` has no end"));
    };
    if body.contains("Proc-Type: 4,ENCRYPTED") {
        return broken("the private key is protected by a password");
    }
    let body: String = body.split_whitespace().collect();
    match decode(&body, Mode::Strict) {
        Ok(der) => Ok(Some(der)),
        Err(_) => broken(format!("the PEM block `{label}` is no base64")),
    }
}

/// Reads consecutive ASN.1 values in DER.
pub(crate) struct Reader<'a>(pub(crate) &'a [u8]);

impl<'a> Reader<'a> {
    /// The content of the next value if it has this tag.
    pub(crate) fn take(&mut self, tag: Tag) -> Option<&'a [u8]> {
        let mut reader = SliceReader::new(self.0).ok()?;
        let value = AnyRef::decode(&mut reader).ok().filter(|value| value.tag() == tag)?;
        self.0 = self.0.get(usize::try_from(reader.position()).ok()?..)?;
        Some(value.value())
    }
}

/// An envelope, taken apart.
struct Envelope<'a> {
    recipients: Vec<Recipient<'a>>,
    cipher: &'a [u8],
    start: &'a [u8],
    content: Vec<u8>,
}

struct Recipient<'a> {
    /// The issuer and the number of the certificate, if these identify it.
    certificate: Option<(&'a [u8], &'a [u8])>,
    algorithm: &'a [u8],
    key: &'a [u8],
}

impl<'a> Envelope<'a> {
    fn read(der: &'a [u8]) -> Option<Self> {
        let mut outer = Reader(Reader(der).take(Tag::Sequence)?);
        if outer.take(Tag::ObjectIdentifier)? != ENVELOPED_DATA {
            return None;
        }
        let mut fields = Reader(Reader(outer.take(CONTEXT_CONSTRUCTED)?).take(Tag::Sequence)?);
        fields.take(Tag::Integer)?;
        fields.take(CONTEXT_CONSTRUCTED); // The originator, which is rarely present.
        let mut set = Reader(fields.take(Tag::Set)?);
        let mut recipients = Vec::new();
        while let Some(recipient) = set.take(Tag::Sequence) {
            recipients.push(Recipient::read(recipient)?);
        }
        let mut body = Reader(fields.take(Tag::Sequence)?);
        body.take(Tag::ObjectIdentifier)?;
        let mut algorithm = Reader(body.take(Tag::Sequence)?);
        let (cipher, start) =
            (algorithm.take(Tag::ObjectIdentifier)?, algorithm.take(Tag::OctetString)?);
        let content = match body.take(CONTEXT) {
            Some(content) => content.to_vec(),
            None => {
                let mut parts = Reader(body.take(CONTEXT_CONSTRUCTED)?);
                std::iter::from_fn(|| parts.take(Tag::OctetString)).flatten().copied().collect()
            }
        };
        Some(Self { recipients, cipher, start, content })
    }

    fn open(&self, key: &[u8]) -> Result<Option<Vec<u8>>> {
        let Self { start, content, .. } = self;
        Ok(match self.cipher {
            AES_128_CBC => decrypt::<Decryptor<Aes128>>(key, start, content),
            AES_192_CBC => decrypt::<Decryptor<Aes192>>(key, start, content),
            AES_256_CBC => decrypt::<Decryptor<Aes256>>(key, start, content),
            DES_EDE3_CBC => decrypt::<Decryptor<TdesEde3>>(key, start, content),
            _ => return broken("the cipher of the envelope is none of AES-CBC and DES-EDE3-CBC"),
        })
    }
}

impl<'a> Recipient<'a> {
    fn read(der: &'a [u8]) -> Option<Self> {
        let mut fields = Reader(der);
        fields.take(Tag::Integer)?;
        let certificate = match fields.take(Tag::Sequence) {
            Some(certificate) => {
                let mut certificate = Reader(certificate);
                Some((certificate.take(Tag::Sequence)?, certificate.take(Tag::Integer)?))
            }
            None => fields.take(CONTEXT).map(|_| None)?,
        };
        let algorithm = Reader(fields.take(Tag::Sequence)?).take(Tag::ObjectIdentifier)?;
        Some(Self { certificate, algorithm, key: fields.take(Tag::OctetString)? })
    }

    fn is(&self, certificate: &Certificate) -> bool {
        self.certificate.is_none_or(|(issuer, serial)| {
            issuer == certificate.issuer && serial == certificate.serial
        })
    }
}

fn decrypt<C: BlockModeDecrypt + KeyIvInit>(
    key: &[u8],
    start: &[u8],
    content: &[u8],
) -> Option<Vec<u8>> {
    let cipher = C::new_from_slices(key, start).ok()?;
    let mut content = content.to_vec();
    let length = cipher.decrypt_padded::<Pkcs7>(&mut content).ok()?.len();
    content.truncate(length);
    Some(content)
}

/// The content of an envelope, in DER, for the owner of a certificate and its key.
///
/// # Errors
/// When the bytes are no such envelope, or it is for other recipients.
pub fn open(der: &[u8], certificate: &Certificate, key: &PrivateKey) -> Result<Vec<u8>> {
    let Some(envelope) = Envelope::read(der) else {
        return broken("the text is no PKCS7 envelope");
    };
    let Some(recipient) = envelope.recipients.iter().find(|r| r.is(certificate)) else {
        return broken("the value is encrypted for another certificate than the public key");
    };
    if recipient.algorithm != RSA_ENCRYPTION {
        return broken("the key of the envelope is not encrypted with RSA and PKCS #1 v1.5");
    }
    let Some(inner) = key.open(recipient.key) else {
        return broken("the private key does not fit");
    };
    match envelope.open(&inner)? {
        Some(content) => Ok(content),
        None => broken("the content of the envelope is damaged"),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn invalid_keys_are_reported() {
        let error = |pem: &str| PrivateKey::read(pem).unwrap_err().to_string();
        assert_eq!(error("x"), "there is no private key in PEM");
        let block = |label: &str, body: &str| {
            format!("-----BEGIN {label}-----\n{body}\n-----END {label}-----\n")
        };
        assert_eq!(error(&block("PRIVATE KEY", "MAA=")), "the private key is malformed");
        assert_eq!(
            error(&block("RSA PRIVATE KEY", "!")),
            "the PEM block `RSA PRIVATE KEY` is no base64"
        );
        let locked = block("ENCRYPTED PRIVATE KEY", "MAA=");
        assert_eq!(error(&locked), "the private key is protected by a password");
        assert_eq!(error("-----BEGIN PRIVATE KEY-----"), "the PEM block `PRIVATE KEY` has no end");
    }

    #[test]
    fn lengths_beyond_the_bytes_are_refused() {
        for der in [&[0x30][..], &[0x30, 0x84, 0xff, 0xff, 0xff, 0xff], &[0x30, 0x80, 0], &[]] {
            assert!(Envelope::read(der).is_none());
        }
    }
}
