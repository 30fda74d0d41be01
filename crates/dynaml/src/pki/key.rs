//! Private and public keys, and their formats.

use ::rsa::pkcs8::{AlgorithmIdentifierRef, SubjectPublicKeyInfoRef};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use der::Tag;
use der::asn1::{AnyRef, BitStringRef, Null, ObjectIdentifier};

use super::asn1::{Reader, context_constructed, written};
use super::curve::{CURVES, Curve};
use super::{Random, pem, rsa};

const RSA_KIND: &str = "RSA PRIVATE KEY";
const EC_KIND: &str = "EC PRIVATE KEY";
const OID_RSA: ObjectIdentifier = ::rsa::pkcs1::ALGORITHM_OID;
const OID_RSA_SHA256: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.1.1.11");
const OID_EC: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.10045.2.1");
const OID_DSA: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.10040.4.1");
const OID_ED25519: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.101.112");
const OID_X25519: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.101.110");
/// The message for bytes in another format.
const NOT_THIS_FORM: &str = "asn1: structure error";

/// A private key.
#[derive(Clone, Debug)]
pub(crate) enum Private {
    /// Of RSA.
    Rsa(Box<rsa::Private>),
    /// Of a curve.
    Ec {
        /// The curve.
        curve: &'static Curve,
        /// The secret number.
        secret: Vec<u8>,
        /// The point that belongs to it.
        point: Vec<u8>,
    },
}

/// A public key.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Public {
    /// Of RSA.
    Rsa(rsa::Public),
    /// Of a curve: its name and the point.
    Ec(&'static str, Vec<u8>),
    /// Another kind, which is only recognized.
    Other(Kind),
}

/// Kinds of keys that are only recognized.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    /// DSA.
    Dsa,
    /// Ed25519 or X25519.
    Curve25519,
    /// One that nobody here knows.
    Unknown,
}

/// The first fields of a private key of PKCS #8.
fn is_pkcs8(der: &[u8]) -> bool {
    let inner = Reader(der).sequence();
    inner.is_some_and(|mut inner| {
        inner.read::<i64>().is_some()
            && inner.sequence().is_some_and(|mut a| a.take(Tag::ObjectIdentifier).is_some())
            && inner.take(Tag::OctetString).is_some()
    })
}

fn is_ec(der: &[u8]) -> bool {
    let inner = Reader(der).sequence();
    inner.is_some_and(|mut r| r.read::<i64>().is_some() && r.take(Tag::OctetString).is_some())
}

fn use_instead(kind: &str, parser: &str) -> String {
    format!("x509: failed to parse {kind} key (use {parser} instead for this key format)")
}

impl Private {
    /// A new RSA key with this number of bits.
    pub(crate) fn rsa(size: i64, random: &mut Random) -> Result<Self, &'static str> {
        rsa::Private::generate(size, random).map(|key| Self::Rsa(Box::new(key)))
    }

    /// A new key of the curve with this name, if it exists.
    pub(crate) fn ec(name: &str, random: &mut Random) -> Option<Self> {
        let curve = CURVES.iter().find(|c| c.name == name)?;
        let (secret, point) = curve.checked(&curve.secret(random))?;
        Some(Self::Ec { curve, secret, point })
    }

    /// Reads a key in PEM.
    ///
    /// # Errors
    /// The reason why it is no key.
    pub(crate) fn read(text: &str) -> Result<Self, String> {
        let Some(pem::Block { kind, bytes }) = pem::decode(text) else {
            return Err("invalid private key format (expected pem block)".into());
        };
        match kind.as_str() {
            RSA_KIND => Self::read_rsa(&bytes),
            EC_KIND => Self::read_ec(&bytes),
            _ => Err(format!("invalid pem block type {}", crate::text::quoted(&kind))),
        }
    }

    fn read_rsa(der: &[u8]) -> Result<Self, String> {
        match rsa::Private::read(der) {
            Ok(key) => Ok(Self::Rsa(Box::new(key))),
            Err(Some(text)) => Err(text.into()),
            Err(None) if is_ec(der) => Err(use_instead("private", "ParseECPrivateKey")),
            Err(None) if is_pkcs8(der) => Err(use_instead("private", "ParsePKCS8PrivateKey")),
            Err(None) => Err(NOT_THIS_FORM.into()),
        }
    }

    fn read_ec(der: &[u8]) -> Result<Self, String> {
        const VERSION: i64 = 1;
        let Some(mut inner) = Reader(der).sequence().filter(|_| is_ec(der)) else {
            return Err(if is_pkcs8(der) {
                use_instead("private", "ParsePKCS8PrivateKey")
            } else if rsa::Private::read(der).is_ok() {
                use_instead("private", "ParsePKCS1PrivateKey")
            } else {
                format!("x509: failed to parse EC private key: {NOT_THIS_FORM}")
            });
        };
        let version = inner.read::<i64>().unwrap_or_default();
        if version != VERSION {
            return Err(format!("x509: unknown EC private key version {version}"));
        }
        let secret = inner.take(Tag::OctetString).unwrap_or_default();
        let named =
            inner.take(context_constructed(0)).and_then(|n| Reader(n).take(Tag::ObjectIdentifier));
        let Some(curve) = named.and_then(Curve::with_oid) else {
            return Err("x509: unknown elliptic curve".into());
        };
        let Some((secret, point)) = curve.checked(secret) else {
            return Err("x509: invalid elliptic curve private key value".into());
        };
        Ok(Self::Ec { curve, secret, point })
    }

    /// The key in PEM.
    ///
    /// # Errors
    /// When it is an RSA key with more than two primes.
    pub(crate) fn write(&self) -> Result<String, String> {
        match self {
            Self::Rsa(key) => pem::encode(RSA_KIND, &key.write()?),
            Self::Ec { curve, secret, point } => pem::encode(EC_KIND, &curve.write(secret, point)?),
        }
    }

    /// The public key.
    pub(crate) fn public(&self) -> Public {
        match self {
            Self::Rsa(key) => Public::Rsa(key.public()),
            Self::Ec { curve, point, .. } => Public::Ec(curve.name, point.clone()),
        }
    }

    /// The identifier of this key's signature algorithm.
    pub(super) fn algorithm(&self) -> AlgorithmIdentifierRef<'static> {
        match self {
            Self::Rsa(_) => {
                AlgorithmIdentifierRef { oid: OID_RSA_SHA256, parameters: Some(Null.into()) }
            }
            Self::Ec { curve, .. } => {
                AlgorithmIdentifierRef { oid: curve.signatures, parameters: None }
            }
        }
    }

    /// The signature of a message.
    ///
    /// # Errors
    /// When the key is too short.
    pub(super) fn signature(
        &self,
        message: &[u8],
        random: &mut Random,
    ) -> Result<Vec<u8>, &'static str> {
        match self {
            Self::Rsa(key) => key
                .signature(message, random)
                .ok_or("crypto/rsa: message too long for RSA key size"),
            Self::Ec { curve, secret, .. } => curve
                .signature(secret, message, random)
                .ok_or("crypto/ecdsa: the signature would be zero"),
        }
    }
}

impl Public {
    /// Reads a key in PEM, of any type of block.
    ///
    /// # Errors
    /// The reason why it is no key.
    pub(crate) fn read(text: &str) -> Result<Self, String> {
        let Some(block) = pem::decode(text) else {
            return Err("invalid public key format (expected pem block)".into());
        };
        let mut outer = Reader(&block.bytes);
        let info = outer.sequence().filter(|_| outer.is_empty());
        match info.and_then(|info| Self::read_info(info).ok()) {
            Some(Self::Other(Kind::Curve25519)) => Err("unknown type of public key".into()),
            Some(Self::Other(Kind::Unknown)) => Err(not_public(&block.bytes)),
            Some(key) => Ok(key),
            None => match rsa::Public::read(&block.bytes) {
                Ok(key) => Ok(Self::Rsa(key)),
                Err(Some(text)) => Err(format!("failed to parse DER encoded public key: {text}")),
                Err(None) => Err(not_public(&block.bytes)),
            },
        }
    }

    /// Reads a `SubjectPublicKeyInfo`.
    ///
    /// # Errors
    /// The reason why it is no key.
    pub(super) fn read_info(mut info: Reader<'_>) -> Result<Self, &'static str> {
        let mut algorithm =
            info.sequence().ok_or("x509: malformed public key algorithm identifier")?;
        let oid = algorithm.take(Tag::ObjectIdentifier).ok_or("x509: malformed OID")?;
        let key = info.bit_string().ok_or("x509: malformed subjectPublicKey")?;
        if oid == OID_RSA.as_bytes() {
            if algorithm.0 != [u8::from(Tag::Null), 0] {
                return Err("x509: RSA key missing NULL parameters");
            }
            let mut numbers = Reader(key).sequence().ok_or("x509: invalid RSA public key")?;
            let modulus = numbers.positive().ok_or("x509: invalid RSA modulus")?;
            let exponent = numbers.positive().ok_or("x509: invalid RSA public exponent")?;
            let (modulus, exponent) = (modulus.to_vec(), exponent.to_vec());
            return Ok(Self::Rsa(rsa::Public { modulus, exponent }));
        }
        if oid == OID_EC.as_bytes() {
            let named =
                algorithm.take(Tag::ObjectIdentifier).ok_or("x509: invalid ECDSA parameters")?;
            let curve = Curve::with_oid(named).ok_or("x509: unsupported elliptic curve")?;
            return if curve.has_point(key) {
                Ok(Self::Ec(curve.name, key.to_vec()))
            } else {
                Err("x509: failed to unmarshal elliptic curve point")
            };
        }
        let is = |known: ObjectIdentifier| oid == known.as_bytes();
        Ok(Self::Other(if is(OID_DSA) {
            Kind::Dsa
        } else if is(OID_ED25519) || is(OID_X25519) {
            Kind::Curve25519
        } else {
            Kind::Unknown
        }))
    }

    /// The key bytes of a `SubjectPublicKeyInfo`, and the whole structure.
    ///
    /// # Errors
    /// When this kind of key cannot be encoded.
    pub(super) fn info(&self) -> Result<(Vec<u8>, Vec<u8>), String> {
        let (oid, parameters, key) = match self {
            Self::Rsa(key) => (OID_RSA, AnyRef::from(Null), key.write()?),
            Self::Ec(name, point) => {
                let curve = CURVES.iter().find(|c| c.name == *name);
                let curve = curve.ok_or("x509: unsupported elliptic curve")?;
                (OID_EC, AnyRef::from(&curve.oid), point.clone())
            }
            Self::Other(_) => return Err("x509: unsupported public key type".into()),
        };
        let algorithm = AlgorithmIdentifierRef { oid, parameters: Some(parameters) };
        let bits = BitStringRef::from_bytes(&key).map_err(|e| format!("asn1: {e}"))?;
        let info = written(&SubjectPublicKeyInfoRef { algorithm, subject_public_key: bits })?;
        Ok((key, info))
    }

    /// The key in PEM; an RSA key in PKCS #1 or, if `common`, in the general format. `None` if this
    /// kind of key cannot be encoded.
    pub(crate) fn write(&self, common: bool) -> Option<String> {
        let (key, info) = self.info().ok()?;
        let text = match self {
            Self::Rsa(_) if !common => pem::encode("RSA PUBLIC KEY", &key),
            Self::Rsa(_) => pem::encode("PUBLIC KEY", &info),
            _ => pem::encode("ECDSA PUBLIC KEY", &info),
        };
        text.ok()
    }

    /// The key as a line of `authorized_keys`.
    ///
    /// # Errors
    /// When SSH does not support such keys.
    pub(crate) fn ssh(&self) -> Result<String, &'static str> {
        let field = |bytes: &[u8]| {
            let length = u32::try_from(bytes.len()).unwrap_or(u32::MAX);
            [&length.to_be_bytes()[..], bytes].concat()
        };
        // Numbers have signs.
        let number = |bytes: &[u8]| match bytes.first() {
            Some(0x80..) => field(&[&[0], bytes].concat()),
            _ => field(bytes),
        };
        let (name, rest) = match self {
            Self::Rsa(key) => {
                ("ssh-rsa".to_owned(), [number(&key.exponent), number(&key.modulus)].concat())
            }
            Self::Ec(name, point) => {
                let ssh = CURVES.iter().find(|c| c.name == *name).and_then(|c| c.ssh);
                let ssh = ssh.ok_or("ssh: only P-256, P-384 and P-521 EC keys are supported")?;
                let rest = [field(ssh.as_bytes()), field(point)].concat();
                (format!("ecdsa-sha2-{ssh}"), rest)
            }
            Self::Other(_) => return Err("ssh: unsupported key type"),
        };
        let all = [field(name.as_bytes()), rest].concat();
        Ok(format!("{name} {}\n", STANDARD.encode(all)))
    }
}

/// The reason why bytes are no public key.
fn not_public(der: &[u8]) -> String {
    let common = Reader(der).sequence().is_some_and(|mut info| {
        info.sequence().is_some_and(|mut a| a.take(Tag::ObjectIdentifier).is_some())
            && info.next_is(Tag::BitString)
    });
    let text =
        if common { use_instead("public", "ParsePKIXPublicKey") } else { NOT_THIS_FORM.into() };
    format!("failed to parse DER encoded public key: {text}")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::super::SeedableRng;
    use super::*;

    #[test]
    fn keys_are_read_as_they_are_written() {
        let mut random = Random::from_seed([7; 32]);
        let mut keys: Vec<Private> =
            CURVES.iter().map(|c| Private::ec(c.name, &mut random).unwrap()).collect();
        keys.push(Private::rsa(512, &mut random).unwrap());
        for key in keys {
            let text = key.write().unwrap();
            let again = Private::read(&text).unwrap();
            assert_eq!(again.public(), key.public());
            let public = key.public();
            for common in [false, true] {
                assert_eq!(Public::read(&public.write(common).unwrap()).unwrap(), public);
            }
        }
        assert!(Private::ec("P25", &mut random).is_none());
    }
}
