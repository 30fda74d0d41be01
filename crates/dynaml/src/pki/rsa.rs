//! RSA: PKCS #1 keys and signatures.

use der::Tag;
use der::asn1::UintRef;
use ordain_source::budget;
use rsa::errors::Error;
use rsa::pkcs1::EncodeRsaPrivateKey;
use rsa::traits::PublicKeyParts;
use rsa::{BigUint, Pkcs1v15Sign, RsaPrivateKey};
use sha2::{Digest, Sha256};

use super::Random;
use super::asn1::{Reader, trimmed, written};

/// The minimum key size in bits: below it there are not enough primes.
const MIN_BITS: usize = 32;
/// More bits than this would take hours.
const MAX_BITS: usize = 16_384;
/// The maximum size in bits of a generated key: the work grows with the fourth power.
const MAX_GENERATED_BITS: usize = 4096;

/// A public key.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Public {
    /// The modulus.
    pub(super) modulus: Vec<u8>,
    /// The exponent.
    pub(super) exponent: Vec<u8>,
}

/// A private key.
#[derive(Clone, Debug)]
pub(crate) struct Private(RsaPrivateKey);

const NOT_POSITIVE: &str = "x509: private key contains zero or negative value";

fn number(bytes: &[u8]) -> BigUint {
    BigUint::from_bytes_be(bytes)
}

impl Private {
    /// A new key.
    ///
    /// # Errors
    /// When the size is too small or too large.
    pub(super) fn generate(bits: i64, random: &mut Random) -> Result<Self, &'static str> {
        let bits = usize::try_from(bits).unwrap_or(0);
        if bits < MIN_BITS {
            return Err("rsa: key too small");
        }
        if bits > MAX_BITS {
            return Err("rsa: key too large");
        }
        if bits > budget::scaled_size(MAX_GENERATED_BITS) {
            return Err("rsa: the key is too large to be made; `--limits 2` allows twice as much");
        }
        let key = RsaPrivateKey::new(random, bits);
        key.map(Self).map_err(|_| "rsa: internal error: no primes found")
    }

    /// Reads a key.
    ///
    /// # Errors
    /// The error in it; `None` if it has another format.
    pub(super) fn read(der: &[u8]) -> Result<Self, Option<&'static str>> {
        let mut outer = Reader(der);
        let mut inner = outer.sequence().ok_or(None)?;
        let version = inner.read::<i64>().ok_or(None)?;
        let mut field = || inner.signed().ok_or(None);
        let numbers = [field()?, field()?, field()?, field()?, field()?];
        let mut primes = vec![number(numbers[3]), number(numbers[4])];
        // Derived values may be missing, and are not checked.
        for _ in 0..3 {
            if inner.next_is(Tag::Integer) {
                inner.signed().ok_or(None)?;
            }
        }
        if !inner.is_empty() {
            let mut others = inner.sequence().ok_or(None)?;
            while !others.is_empty() {
                let mut other = others.sequence().ok_or(None)?;
                primes.push(number(other.positive().ok_or(Some(NOT_POSITIVE))?));
            }
        }
        if !outer.is_empty() {
            return Err(Some("asn1: syntax error: trailing data"));
        }
        if version > 1 {
            return Err(Some("x509: unsupported private key version"));
        }
        if numbers.iter().any(|n| n[0] >= 0x80 || **n == [0]) {
            return Err(Some(NOT_POSITIVE));
        }
        let [modulus, public, secret] = [0, 1, 2].map(|n| number(numbers[n]));
        Self::of_numbers(modulus, public, secret, primes).map_err(Some)
    }

    /// The key with these numbers, if they are consistent.
    fn of_numbers(
        modulus: BigUint,
        public: BigUint,
        secret: BigUint,
        mut primes: Vec<BigUint>,
    ) -> Result<Self, &'static str> {
        if modulus.bits() > MAX_BITS {
            return Err("rsa: key too large");
        }
        if modulus.to_bytes_le()[0].is_multiple_of(2) {
            return Err("crypto/rsa: public modulus is even");
        }
        if primes.len() > 5 || primes.iter().any(|p| p.bits() > MAX_BITS) {
            return Err("crypto/rsa: too many or too large primes");
        }
        if secret.bits() > MAX_BITS {
            return Err("crypto/rsa: d too large");
        }
        // The library reduces modulo the second prime by repeated subtraction: with the largest
        // prime first that is a single step.
        primes.sort_by(|a, b| b.cmp(a));
        let key = RsaPrivateKey::from_components(modulus, public, secret, primes);
        key.map(Self).map_err(|e| match e {
            Error::InvalidModulus => "crypto/rsa: p * q != n",
            Error::InvalidPrime => "crypto/rsa: invalid prime",
            Error::PublicExponentTooSmall => "crypto/rsa: public exponent too small",
            Error::PublicExponentTooLarge => "crypto/rsa: public exponent too large",
            _ => "crypto/rsa: invalid exponents",
        })
    }

    /// The public key.
    pub(super) fn public(&self) -> Public {
        Public { modulus: self.0.n().to_bytes_be(), exponent: self.0.e().to_bytes_be() }
    }

    /// The key in the form of PKCS #1.
    ///
    /// # Errors
    /// When it has more than two primes.
    pub(super) fn write(&self) -> Result<Vec<u8>, String> {
        let der = self.0.to_pkcs1_der().map_err(|e| e.to_string())?;
        Ok(der.as_bytes().to_vec())
    }

    /// The PKCS #1 v1.5 signature of a message with SHA-256; `None` if the key is too short.
    pub(super) fn signature(&self, message: &[u8], random: &mut Random) -> Option<Vec<u8>> {
        let scheme = Pkcs1v15Sign::new::<rsa::sha2::Sha256>();
        self.0.sign_with_rng(random, scheme, &Sha256::digest(message)).ok()
    }
}

impl Public {
    /// Reads a key in the form of PKCS #1.
    ///
    /// # Errors
    /// The error in it; `None` if it has another format.
    pub(super) fn read(der: &[u8]) -> Result<Self, Option<&'static str>> {
        const MAX_LENGTH: usize = 4;
        let mut outer = Reader(der);
        let mut inner = outer.sequence().ok_or(None)?;
        let (modulus, exponent) = (inner.signed().ok_or(None)?, inner.signed().ok_or(None)?);
        if exponent.len() > size_of::<i64>() {
            return Err(Some("asn1: structure error: integer too large"));
        }
        if !outer.is_empty() {
            return Err(Some("asn1: syntax error: trailing data"));
        }
        if [modulus, exponent].iter().any(|n| n[0] >= 0x80 || **n == [0]) {
            return Err(Some("x509: public key contains zero or negative value"));
        }
        let [modulus, exponent] = [modulus, exponent].map(|n| trimmed(n).to_vec());
        if exponent.len() > MAX_LENGTH || exponent.len() == MAX_LENGTH && exponent[0] >= 0x80 {
            return Err(Some("x509: public key contains large public exponent"));
        }
        Ok(Self { modulus, exponent })
    }

    /// The key in the form of PKCS #1.
    ///
    /// # Errors
    /// When it is too long.
    pub(super) fn write(&self) -> Result<Vec<u8>, String> {
        let number = |bytes| UintRef::new(bytes).map_err(|e| format!("asn1: {e}"));
        let (modulus, public_exponent) = (number(&self.modulus)?, number(&self.exponent)?);
        written(&rsa::pkcs1::RsaPublicKey { modulus, public_exponent })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use rsa::RsaPublicKey;
    use rsa::traits::PrivateKeyParts;

    use super::super::SeedableRng;
    use super::*;

    #[test]
    fn keys_have_the_size_that_is_wanted_and_sign() {
        let mut random = Random::from_seed([1; 32]);
        for bits in [32, 33, 512, 767] {
            let key = Private::generate(bits, &mut random).unwrap();
            assert_eq!(key.0.n().bits(), usize::try_from(bits).unwrap());
            let again = Private::read(&key.write().unwrap()).unwrap();
            assert_eq!(again.public(), key.public());
            let Some(signature) = again.signature(b"text", &mut random) else {
                assert!(bits < 500);
                continue;
            };
            let scheme = Pkcs1v15Sign::new::<rsa::sha2::Sha256>();
            let public = RsaPublicKey::from(&key.0);
            public.verify(scheme, &Sha256::digest(b"text"), &signature).unwrap();
        }
        assert_eq!(Private::generate(31, &mut random).unwrap_err(), "rsa: key too small");
        assert_eq!(Private::generate(-1, &mut random).unwrap_err(), "rsa: key too small");
        assert_eq!(Private::generate(i64::MAX, &mut random).unwrap_err(), "rsa: key too large");
    }

    #[test]
    fn numbers_that_do_not_belong_together_are_no_key() {
        let key = Private::generate(128, &mut Random::from_seed([2; 32])).unwrap().0;
        let with = |modulus: u8, secret: u8, primes: Vec<BigUint>| {
            let (modulus, secret) = (key.n() + modulus, key.d() + secret);
            Private::of_numbers(modulus, key.e().clone(), secret, primes).map(|_| ())
        };
        let primes = key.primes().to_vec();
        let swapped = vec![primes[1].clone(), primes[0].clone()];
        assert_eq!(with(0, 0, swapped), Ok(()));
        assert_eq!(with(0, 2, primes.clone()), Err("crypto/rsa: invalid exponents"));
        assert_eq!(with(2, 0, primes.clone()), Err("crypto/rsa: p * q != n"));
        assert_eq!(with(1, 0, primes), Err("crypto/rsa: public modulus is even"));
        assert_eq!(with(0, 0, vec![number(&[1]); 2]), Err("crypto/rsa: invalid prime"));
    }

    #[test]
    fn primes_of_very_different_size_sign_at_once() {
        let mut random = Random::from_seed([3; 32]);
        let large = Private::generate(2048, &mut random).unwrap().0.primes()[0].clone();
        let exponent = BigUint::from(65_537_u32);
        let key = RsaPrivateKey::from_p_q(large.clone(), number(&[7]), exponent.clone()).unwrap();
        let (modulus, secret) = (key.n().clone(), key.d().clone());
        let key = Private::of_numbers(modulus, exponent, secret, vec![number(&[7]), large]);
        assert!(key.unwrap().signature(b"text", &mut random).is_some());
    }
}
