//! Verifies RSA signatures of X.509 certificates (RFC 5280, RFC 8017).
//!
//! The crate `x509-cert` is not used: the signature covers the encoded bytes of the certificate,
//! which it does not keep.

use der::Tag;
use rsa::Pkcs1v15Sign;

use crate::digest;
use crate::pkcs7::{PrivateKey, Reader, block};
use crate::{Error, Result};

/// A digest in hexadecimal.
type Digest = fn(&[u8]) -> String;

/// The signature algorithms: the identifier, the digest, and the prefix of the digest in the signed
/// block.
const ALGORITHMS: &[(&[u8], Digest, &[u8])] = &[
    (
        &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x04],
        digest::md5,
        b"\x30\x20\x30\x0c\x06\x08\x2a\x86\x48\x86\xf7\x0d\x02\x05\x05\x00\x04\x10",
    ),
    (
        &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x05],
        digest::sha1,
        b"\x30\x21\x30\x09\x06\x05\x2b\x0e\x03\x02\x1a\x05\x00\x04\x14",
    ),
    (
        &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x0b],
        digest::sha256,
        b"\x30\x31\x30\x0d\x06\x09\x60\x86\x48\x01\x65\x03\x04\x02\x01\x05\x00\x04\x20",
    ),
    (
        &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x0c],
        digest::sha384,
        b"\x30\x41\x30\x0d\x06\x09\x60\x86\x48\x01\x65\x03\x04\x02\x02\x05\x00\x04\x30",
    ),
    (
        &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x0d],
        digest::sha512,
        b"\x30\x51\x30\x0d\x06\x09\x60\x86\x48\x01\x65\x03\x04\x02\x03\x05\x00\x04\x40",
    ),
];

/// The fields of a certificate that check a signature.
#[derive(Debug)]
pub struct Signed {
    content: Vec<u8>,
    algorithm: Vec<u8>,
    signature: Vec<u8>,
}

impl Signed {
    /// Reads a certificate in PEM, whose markers are at the start of lines.
    ///
    /// # Errors
    /// When there is none, or it is malformed.
    pub fn read(pem: &str) -> Result<Self> {
        const BEGIN: &str = "-----BEGIN CERTIFICATE-----";
        if !pem.lines().any(|line| line.trim_end() == BEGIN) {
            return Err(Error::Encoding("no start line".to_owned()));
        }
        let der = block(pem, "CERTIFICATE")?.unwrap_or_default();
        Self::parse(&der).ok_or_else(|| Error::Encoding("nested asn1 error".to_owned()))
    }

    fn parse(der: &[u8]) -> Option<Self> {
        let mut outer = Reader(der);
        let mut fields = Reader(outer.take(Tag::Sequence)?);
        let all = fields.0;
        fields.take(Tag::Sequence)?;
        // The signature covers the encoded value including its header.
        let content = all[..all.len() - fields.0.len()].to_vec();
        let algorithm = Reader(fields.take(Tag::Sequence)?).take(Tag::ObjectIdentifier)?.to_vec();
        // The first byte is the number of unused bits in the last one.
        let signature = fields.take(Tag::BitString)?.strip_prefix(&[0])?.to_vec();
        Some(Self { content, algorithm, signature })
    }

    /// Whether the signature was made with this key.
    pub fn is_by(&self, key: &PrivateKey) -> bool {
        let known = ALGORITHMS.iter().find(|(id, ..)| *id == self.algorithm);
        let Some((_, digest, prefix)) = known else { return false };
        let digest = digest(&self.content);
        let bytes = digest
            .as_bytes()
            .chunks(2)
            .filter_map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok());
        let hash: Vec<u8> = bytes.collect();
        let scheme = Pkcs1v15Sign { hash_len: Some(hash.len()), prefix: (*prefix).into() };
        key.public().verify(scheme, &hash, &self.signature).is_ok()
    }
}
