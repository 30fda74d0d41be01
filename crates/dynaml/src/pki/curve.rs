//! Keys of the NIST curves, and ECDSA signatures.

use der::asn1::ObjectIdentifier;
use sec1::{EcParameters, EcPrivateKey};
use sha2::{Digest, Sha256, Sha384, Sha512};

use super::asn1::{trimmed, written};
use super::{Random, SeedableRng, random_bytes};

/// Signs a message with a secret number.
type Sign = fn(&[u8], &[u8], &mut Random) -> Option<Vec<u8>>;

/// A curve with the operations on its keys.
#[derive(Debug)]
pub(crate) struct Curve {
    /// Its name here.
    pub(crate) name: &'static str,
    /// Its name in keys of SSH, if it has one.
    pub(crate) ssh: Option<&'static str>,
    /// Its object identifier.
    pub(super) oid: ObjectIdentifier,
    /// The identifier of signatures with the curve's digest.
    pub(super) signatures: ObjectIdentifier,
    /// The number of bytes of a coordinate.
    size: usize,
    generate: fn(&mut Random) -> Vec<u8>,
    public: fn(&[u8]) -> Option<Vec<u8>>,
    has_point: fn(&[u8]) -> bool,
    sign: Sign,
}

/// A curve with the functions of its crate; secret scalars have the size of a coordinate.
macro_rules! curve {
    ($name:literal, $ssh:expr, $oid:literal, $size:literal, $crate_:ident, $hash:ident, $signatures:literal) => {
        Curve {
            name: $name,
            ssh: $ssh,
            oid: ObjectIdentifier::new_unwrap($oid),
            signatures: ObjectIdentifier::new_unwrap($signatures),
            size: $size,
            generate: |random| $crate_::SecretKey::random(random).to_bytes().to_vec(),
            public: |secret| {
                use $crate_::elliptic_curve::sec1::ToEncodedPoint;
                let key = $crate_::SecretKey::from_slice(secret).ok()?;
                Some(key.public_key().to_encoded_point(false).as_bytes().to_vec())
            },
            has_point: |point| $crate_::PublicKey::from_sec1_bytes(point).is_ok(),
            sign: |secret, message, random| {
                use $crate_::ecdsa::signature::hazmat::RandomizedPrehashSigner;
                let key = $crate_::ecdsa::SigningKey::from_slice(secret).ok()?;
                let signature: $crate_::ecdsa::Signature =
                    key.sign_prehash_with_rng(random, &$hash::digest(message)).ok()?;
                Some(signature.to_der().as_bytes().to_vec())
            },
        }
    };
}

/// The curves of SP 800-186 over prime fields.
pub(crate) const CURVES: [Curve; 4] = [
    curve!("P224", None, "1.3.132.0.33", 28, p224, Sha256, "1.2.840.10045.4.3.2"),
    curve!(
        "P256",
        Some("nistp256"),
        "1.2.840.10045.3.1.7",
        32,
        p256,
        Sha256,
        "1.2.840.10045.4.3.2"
    ),
    curve!("P384", Some("nistp384"), "1.3.132.0.34", 48, p384, Sha384, "1.2.840.10045.4.3.3"),
    curve!("P521", Some("nistp521"), "1.3.132.0.35", 66, p521, Sha512, "1.2.840.10045.4.3.4"),
];

impl Curve {
    /// The curve whose object identifier has these bytes.
    pub(super) fn with_oid(oid: &[u8]) -> Option<&'static Self> {
        CURVES.iter().find(|c| c.oid.as_bytes() == oid)
    }

    /// A secret scalar of the size of a coordinate.
    pub(super) fn secret(&self, random: &mut Random) -> Vec<u8> {
        (self.generate)(random)
    }

    /// The bytes of a secret scalar, in the size of a coordinate, and its uncompressed public
    /// point; `None` if it is invalid.
    pub(super) fn checked(&self, bytes: &[u8]) -> Option<(Vec<u8>, Vec<u8>)> {
        let bytes = trimmed(bytes);
        let mut secret = vec![0; self.size.checked_sub(bytes.len())?];
        secret.extend_from_slice(bytes);
        let point = (self.public)(&secret)?;
        Some((secret, point))
    }

    /// Whether bytes are an uncompressed point of the curve.
    pub(super) fn has_point(&self, bytes: &[u8]) -> bool {
        const BOTH: u8 = 4;
        bytes.first() == Some(&BOTH) && (self.has_point)(bytes)
    }

    /// A key in the form of SEC 1.
    ///
    /// # Errors
    /// None: keys are short.
    pub(super) fn write(&self, secret: &[u8], point: &[u8]) -> Result<Vec<u8>, String> {
        let parameters = Some(EcParameters::NamedCurve(self.oid));
        written(&EcPrivateKey { private_key: secret, parameters, public_key: Some(point) })
    }

    /// The signature of a message; `None` in the improbable case that it would be zero.
    pub(super) fn signature(
        &self,
        secret: &[u8],
        message: &[u8],
        random: &mut Random,
    ) -> Option<Vec<u8>> {
        // The nonce, which must differ between messages, depends on both.
        let seed = Sha256::new().chain_update(random_bytes::<32>(random));
        let seed = seed.chain_update(secret).chain_update(message).finalize();
        (self.sign)(secret, message, &mut Random::from_seed(seed.into()))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn secret_numbers_are_below_the_order() {
        for curve in &CURVES {
            let one = curve.checked(&[1]).unwrap();
            assert_eq!(curve.checked(&[0, 0, 1]).unwrap(), one);
            assert_eq!(curve.checked(&[0; 90]), None);
            assert_eq!(curve.checked(&[1; 90]), None);
            assert_eq!(curve.checked(&vec![0xff; curve.size]), None);
            let (secret, mut point) = one;
            assert_eq!((secret.len(), point.len()), (curve.size, 1 + 2 * curve.size));
            assert!(curve.has_point(&point));
            // The compressed form is not read.
            let mut short = point[..=curve.size].to_vec();
            short[0] = 2 | point[point.len() - 1] & 1;
            assert!(!curve.has_point(&short));
            point[5] ^= 1;
            assert!(!curve.has_point(&point));
        }
    }
}
