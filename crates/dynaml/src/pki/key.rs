//! Private and public keys, and the forms that they are kept in.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::asn1::{
    BIT_STRING, INTEGER, NULL, OCTET_STRING, OID, Reader, bits, context_constructed, integer,
    sequence, value,
};
use super::curve::{CURVES, Curve};
use super::{Stream, pem, rsa};

const RSA_KIND: &str = "RSA PRIVATE KEY";
const EC_KIND: &str = "EC PRIVATE KEY";
const OID_RSA: &[u8] = &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x01];
const OID_EC: &[u8] = &[0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01];
const OID_DSA: &[u8] = &[0x2a, 0x86, 0x48, 0xce, 0x38, 0x04, 0x01];
const OID_ED25519: &[u8] = &[0x2b, 0x65, 0x70];
const OID_X25519: &[u8] = &[0x2b, 0x65, 0x6e];
const OID_RSA_SHA256: &[u8] = &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x0b];
/// ECDSA with a digest of SHA-2, without the last number.
const OID_ECDSA: &[u8] = &[0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03];
/// What is said of bytes that are not of the form that is wanted.
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
    /// Of another kind, which is only recognized.
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

/// What a private key of PKCS #8 begins with.
fn is_pkcs8(der: &[u8]) -> bool {
    let inner = Reader(der).sequence();
    inner.is_some_and(|mut inner| {
        inner.small().is_some()
            && inner.sequence().is_some_and(|mut a| a.take(OID).is_some())
            && inner.take(OCTET_STRING).is_some()
    })
}

fn is_ec(der: &[u8]) -> bool {
    let inner = Reader(der).sequence();
    inner.is_some_and(|mut r| r.small().is_some() && r.take(OCTET_STRING).is_some())
}

fn use_instead(kind: &str, parser: &str) -> String {
    format!("x509: failed to parse {kind} key (use {parser} instead for this key format)")
}

impl Private {
    /// A new key of RSA with so many bits.
    pub(crate) fn rsa(size: i64, random: &mut Stream) -> Result<Self, &'static str> {
        rsa::Private::generate(size, random).map(|key| Self::Rsa(Box::new(key)))
    }

    /// A new key of the curve with this name, if there is one.
    pub(crate) fn ec(name: &str, random: &mut Stream) -> Option<Self> {
        let curve = CURVES.iter().find(|c| c.name == name)?;
        let secret = curve.secret(random);
        let point = curve.public(&secret);
        Some(Self::Ec { curve, secret, point })
    }

    /// Reads a key in PEM.
    ///
    /// # Errors
    /// When it is none, and why.
    pub(crate) fn read(text: &str) -> Result<Self, String> {
        let Some(pem::Block { kind, bytes }) = pem::decode(text) else {
            return Err("invalid private key format (expected pem block)".into());
        };
        match kind.as_str() {
            RSA_KIND => Self::read_rsa(&bytes),
            EC_KIND => Self::read_ec(&bytes),
            _ => Err(format!("invalid pem block type {}", crate::functions::quoted(&kind))),
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
        let version = inner.small().unwrap_or_default();
        if version != VERSION {
            return Err(format!("x509: unknown EC private key version {version}"));
        }
        let secret = inner.take(OCTET_STRING).unwrap_or_default();
        let named = inner.take(context_constructed(0)).and_then(|n| Reader(n).take(OID));
        let Some(curve) = named.and_then(Curve::with_oid) else {
            return Err("x509: unknown elliptic curve".into());
        };
        let Some(secret) = curve.checked_secret(secret) else {
            return Err("x509: invalid elliptic curve private key value".into());
        };
        let point = curve.public(&secret);
        Ok(Self::Ec { curve, secret, point })
    }

    /// The key in PEM.
    pub(crate) fn write(&self) -> String {
        match self {
            Self::Rsa(key) => pem::encode(RSA_KIND, &key.write()),
            Self::Ec { curve, secret, point } => {
                let named = value(context_constructed(0), &value(OID, curve.oid));
                let public = value(context_constructed(1), &bits(point));
                let secret = value(OCTET_STRING, secret);
                pem::encode(EC_KIND, &sequence(&[&integer(&[1]), &secret, &named, &public]))
            }
        }
    }

    /// The public key.
    pub(crate) fn public(&self) -> Public {
        match self {
            Self::Rsa(key) => Public::Rsa(key.public.clone()),
            Self::Ec { curve, point, .. } => Public::Ec(curve.name, point.clone()),
        }
    }

    /// The name of the way in which this key signs.
    pub(super) fn algorithm(&self) -> Vec<u8> {
        match self {
            Self::Rsa(_) => sequence(&[&value(OID, OID_RSA_SHA256), &value(NULL, &[])]),
            Self::Ec { curve, .. } => {
                let oid = [OID_ECDSA, &[curve.hash as u8]].concat();
                sequence(&[&value(OID, &oid)])
            }
        }
    }

    /// The signature of a message.
    ///
    /// # Errors
    /// When the key is too short for that.
    pub(super) fn signature(
        &self,
        message: &[u8],
        random: &mut Stream,
    ) -> Result<Vec<u8>, &'static str> {
        match self {
            Self::Rsa(key) => {
                key.signature(message).ok_or("crypto/rsa: message too long for RSA key size")
            }
            Self::Ec { curve, secret, .. } => Ok(curve.signature(secret, message, random)),
        }
    }
}

impl Public {
    /// Reads a key in PEM, of any type of block.
    ///
    /// # Errors
    /// When it is none, and why.
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

    /// Reads what is in a `SubjectPublicKeyInfo`.
    ///
    /// # Errors
    /// When it is none, and why.
    pub(super) fn read_info(mut info: Reader<'_>) -> Result<Self, &'static str> {
        let mut algorithm =
            info.sequence().ok_or("x509: malformed public key algorithm identifier")?;
        let oid = algorithm.take(OID).ok_or("x509: malformed OID")?;
        let (_, key) = info.bit_string().ok_or("x509: malformed subjectPublicKey")?;
        if oid == OID_RSA {
            if algorithm.0 != [NULL, 0] {
                return Err("x509: RSA key missing NULL parameters");
            }
            let mut numbers = Reader(key).sequence().ok_or("x509: invalid RSA public key")?;
            let modulus = numbers.positive().ok_or("x509: invalid RSA modulus")?;
            let exponent = numbers.positive().ok_or("x509: invalid RSA public exponent")?;
            let (modulus, exponent) = (modulus.to_vec(), exponent.to_vec());
            return Ok(Self::Rsa(rsa::Public { modulus, exponent }));
        }
        if oid == OID_EC {
            let named = algorithm.take(OID).ok_or("x509: invalid ECDSA parameters")?;
            let curve = Curve::with_oid(named).ok_or("x509: unsupported elliptic curve")?;
            return if curve.has_point(key) {
                Ok(Self::Ec(curve.name, key.to_vec()))
            } else {
                Err("x509: failed to unmarshal elliptic curve point")
            };
        }
        Ok(Self::Other(match oid {
            OID_DSA => Kind::Dsa,
            OID_ED25519 | OID_X25519 => Kind::Curve25519,
            _ => Kind::Unknown,
        }))
    }

    /// The bytes that name the key in a `SubjectPublicKeyInfo`, and all of that.
    pub(super) fn info(&self) -> Option<(Vec<u8>, Vec<u8>)> {
        let (algorithm, parameters, key) = match self {
            Self::Rsa(key) => (OID_RSA, value(NULL, &[]), key.write()),
            Self::Ec(name, point) => {
                let curve = CURVES.iter().find(|c| c.name == *name)?;
                (OID_EC, value(OID, curve.oid), point.clone())
            }
            Self::Other(_) => return None,
        };
        let algorithm = sequence(&[&value(OID, algorithm), &parameters]);
        let info = sequence(&[&algorithm, &bits(&key)]);
        Some((key, info))
    }

    /// The key in PEM; one of RSA in the form of PKCS #1 or in the common one.
    pub(crate) fn write(&self, common: bool) -> Option<String> {
        let (key, info) = self.info()?;
        Some(match self {
            Self::Rsa(_) if !common => pem::encode("RSA PUBLIC KEY", &key),
            Self::Rsa(_) => pem::encode("PUBLIC KEY", &info),
            _ => pem::encode("ECDSA PUBLIC KEY", &info),
        })
    }

    /// The key as a line of `authorized_keys`.
    ///
    /// # Errors
    /// When SSH has no such keys.
    pub(crate) fn ssh(&self) -> Result<String, &'static str> {
        let field = |bytes: &[u8]| {
            let length = u32::try_from(bytes.len()).unwrap_or(u32::MAX);
            [&length.to_be_bytes()[..], bytes].concat()
        };
        // A number is written as in DER, behind tag and length.
        let number = |bytes: &[u8]| {
            let der = integer(bytes);
            field(Reader(&der).take(INTEGER).unwrap_or_default())
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

/// Why bytes are no public key.
fn not_public(der: &[u8]) -> String {
    let common = Reader(der).sequence().is_some_and(|mut info| {
        info.sequence().is_some_and(|mut a| a.take(OID).is_some())
            && info.peek() == Some(BIT_STRING)
    });
    let text =
        if common { use_instead("public", "ParsePKIXPublicKey") } else { NOT_THIS_FORM.into() };
    format!("failed to parse DER encoded public key: {text}")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn keys_are_read_as_they_are_written() {
        let mut random = Stream::new([7; 32]);
        let mut keys: Vec<Private> =
            CURVES.iter().map(|c| Private::ec(c.name, &mut random).unwrap()).collect();
        keys.push(Private::rsa(512, &mut random).unwrap());
        for key in keys {
            let text = key.write();
            let again = Private::read(&text).unwrap();
            assert_eq!(again.write(), text);
            let public = key.public();
            for common in [false, true] {
                assert_eq!(Public::read(&public.write(common).unwrap()).unwrap(), public);
            }
        }
        assert!(Private::ec("P25", &mut random).is_none());
    }
}
