//! RSA: keys of PKCS #1, and signatures with them.

use crypto_bigint::modular::{BoxedMontyForm, BoxedMontyParams};
use crypto_bigint::{BoxedUint, ConcatenatingMul, Gcd, NonZero, Odd, Resize};
use crypto_primes::hazmat::{SetBits, SmallFactorsSieveFactory};
use crypto_primes::{Flavor, is_prime, sieve_and_find};
use sha2::{Digest, Sha256};

use super::Stream;
use super::asn1::{INTEGER, Reader, SEQUENCE, integer, sequence, value};

/// The exponent of new keys.
const EXPONENT: u32 = 65_537;
/// Fewer bits than this have no primes to choose from.
const SMALLEST: u32 = 32;
/// More bits than this would take hours.
const LARGEST: u32 = 16_384;

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
pub(crate) struct Private {
    /// The public key.
    pub(super) public: Public,
    exponent: Vec<u8>,
    primes: Vec<Vec<u8>>,
}

fn bytes(number: &BoxedUint) -> Vec<u8> {
    number.to_be_bytes_trimmed_vartime().to_vec()
}

fn number(bytes: &[u8]) -> BoxedUint {
    BoxedUint::from_be_slice_vartime(bytes)
}

fn non_zero(number: &BoxedUint) -> Option<NonZero<BoxedUint>> {
    number.to_nz().into()
}

fn odd(number: &BoxedUint) -> Option<Odd<BoxedUint>> {
    number.to_odd().into()
}

/// One less than a prime.
fn less_one(prime: &BoxedUint) -> Option<NonZero<BoxedUint>> {
    non_zero(&prime.wrapping_sub(BoxedUint::one_with_precision(prime.bits_precision())))
}

/// The inverse of a number modulo a prime.
fn inverse(of: &BoxedUint, prime: &BoxedUint) -> Option<BoxedUint> {
    let reduced = of.rem(&non_zero(prime)?);
    reduced.invert_odd_mod(&odd(prime)?).into()
}

fn prime(bits: u32, random: &mut Stream) -> Option<BoxedUint> {
    let sieve = SmallFactorsSieveFactory::new(Flavor::Any, bits, SetBits::TwoMsb).ok()?;
    sieve_and_find(random, sieve, |_, candidate| is_prime(Flavor::Any, candidate)).ok()?
}

impl Private {
    /// A new key.
    ///
    /// # Errors
    /// When there are no keys of this size, or when they are too large.
    pub(super) fn generate(bits: i64, random: &mut Stream) -> Result<Self, &'static str> {
        const TRIES: u32 = 1000;
        let bits = u32::try_from(bits).unwrap_or(if bits < 0 { 0 } else { u32::MAX });
        if bits < SMALLEST {
            return Err("rsa: key too small");
        }
        if bits > LARGEST {
            return Err("rsa: key too large");
        }
        for _ in 0..TRIES {
            let p = prime(bits.div_ceil(2), random);
            let q = prime(bits / 2, random);
            if let (Some(p), Some(q)) = (p, q)
                && let Some(key) = Self::of_primes(&p, &q)
            {
                return Ok(key);
            }
        }
        Err("rsa: internal error: no primes found")
    }

    /// The key of two primes, if there is one.
    fn of_primes(p: &BoxedUint, q: &BoxedUint) -> Option<Self> {
        if p == q {
            return None;
        }
        let (p1, q1) = (less_one(p)?, less_one(q)?);
        let all = p1.as_ref().concatenating_mul(q1.as_ref());
        let common = p1.as_ref().gcd(q1.as_ref());
        let period = all.wrapping_div(&non_zero(&common)?);
        let exponent = BoxedUint::from(EXPONENT);
        let wide = (&exponent).resize(period.bits_precision().max(exponent.bits_precision()));
        let secret: Option<BoxedUint> = wide.invert_mod(&non_zero(&period)?).into();
        let modulus = bytes(&p.concatenating_mul(q));
        Some(Self {
            public: Public { modulus, exponent: bytes(&exponent) },
            exponent: bytes(&secret?),
            primes: vec![bytes(p), bytes(q)],
        })
    }

    /// Reads a key.
    ///
    /// # Errors
    /// What is wrong with it; nothing if it is not even of this form.
    pub(super) fn read(der: &[u8]) -> Result<Self, Option<&'static str>> {
        let mut outer = Reader(der);
        let mut inner = outer.sequence().ok_or(None)?;
        let version = inner.small().ok_or(None)?;
        let mut field = || inner.signed().ok_or(None);
        let numbers = [field()?, field()?, field()?, field()?, field()?];
        let mut primes = vec![number(numbers[3]), number(numbers[4])];
        // Those that can be computed may be missing, and do not count.
        for _ in 0..3 {
            if inner.peek() == Some(INTEGER) {
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
        let [modulus, public, secret] =
            [0, 1, 2].map(|n| super::asn1::trimmed(numbers[n]).to_vec());
        let public = Public { modulus, exponent: public };
        public.check()?;
        let primes_fit = primes.iter().all(|p| p.bits_vartime() <= LARGEST);
        if !primes_fit || primes.len() > 5 {
            return Err(Some("crypto/rsa: too many or too large primes"));
        }
        let key = Self { public, exponent: secret, primes: primes.iter().map(bytes).collect() };
        key.check(&primes).map_err(Some)?;
        Ok(key)
    }

    /// Checks that the numbers belong together.
    fn check(&self, primes: &[BoxedUint]) -> Result<(), &'static str> {
        let product = primes.iter().fold(BoxedUint::one(), |n, p| n.concatenating_mul(p));
        if bytes(&product) != self.public.modulus {
            return Err("crypto/rsa: p * q != n");
        }
        let secret = number(&self.exponent);
        if secret.bits_vartime() > LARGEST {
            return Err("crypto/rsa: d too large");
        }
        let round = secret.concatenating_mul(number(&self.public.exponent));
        for prime in primes {
            let period = less_one(prime).ok_or("crypto/rsa: invalid prime")?;
            let rest: BoxedUint = round.rem(&period);
            if bytes(&rest) != [1] && bytes(period.as_ref()) != [1] {
                return Err("crypto/rsa: invalid exponents");
            }
        }
        Ok(())
    }

    /// The key in the form of PKCS #1.
    pub(super) fn write(&self) -> Vec<u8> {
        let (secret, primes) = (number(&self.exponent), &self.primes);
        let all: Vec<BoxedUint> = primes.iter().map(|p| number(p)).collect();
        let exponent = |prime: &BoxedUint| {
            less_one(prime).map(|period| bytes(&secret.rem(&period))).unwrap_or_default()
        };
        let coefficient = |of: &BoxedUint, prime: &BoxedUint| {
            inverse(of, prime).as_ref().map(bytes).unwrap_or_default()
        };
        let version = [u8::from(primes.len() > 2)];
        let mut fields = vec![&version[..], &self.public.modulus, &self.public.exponent];
        let (dp, dq) = (exponent(&all[0]), exponent(&all[1]));
        let inverse = coefficient(&all[1], &all[0]);
        fields.extend([&self.exponent[..], &primes[0], &primes[1], &dp, &dq, &inverse]);
        let mut content: Vec<u8> = fields.into_iter().flat_map(integer).collect();
        let mut before = all[0].concatenating_mul(&all[1]);
        let mut others = Vec::new();
        for (prime, written) in all.iter().zip(primes).skip(2) {
            let numbers = [written.clone(), exponent(prime), coefficient(&before, prime)];
            let numbers = numbers.map(|n| integer(&n));
            others.extend(sequence(&[&numbers[0], &numbers[1], &numbers[2]]));
            before = before.concatenating_mul(prime);
        }
        if !others.is_empty() {
            content.extend(value(SEQUENCE, &others));
        }
        value(SEQUENCE, &content)
    }

    /// The signature of a message with SHA-256, after PKCS #1 v1.5; nothing if the key is too
    /// short.
    pub(super) fn signature(&self, message: &[u8]) -> Option<Vec<u8>> {
        /// What stands before a digest of SHA-256.
        const PREFIX: [u8; 19] = [
            0x30, 0x31, 0x30, 0x0d, 0x06, 0x09, 0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02,
            0x01, 0x05, 0x00, 0x04, 0x20,
        ];
        const LEAST_FILLING: usize = 8;
        let modulus = &self.public.modulus;
        let digest = [&PREFIX[..], &Sha256::digest(message)].concat();
        let filling = modulus.len().checked_sub(digest.len() + 3);
        let filling = vec![0xff; filling.filter(|n| *n >= LEAST_FILLING)?];
        let padded = [&[0, 1], &filling[..], &[0], &digest].concat();
        let params = BoxedMontyParams::new_vartime(odd(&number(modulus))?);
        let bits = params.bits_precision();
        let message = BoxedUint::from_be_slice(&padded, bits).ok()?;
        let secret = BoxedUint::from_be_slice(&self.exponent, bits).ok()?;
        let signed = BoxedMontyForm::new(message, &params).pow(&secret).retrieve();
        let signed = bytes(&signed);
        Some([&vec![0; modulus.len() - signed.len()][..], &signed].concat())
    }
}

const NOT_POSITIVE: &str = "x509: private key contains zero or negative value";

impl Public {
    /// Checks that signatures can be made and checked with it.
    fn check(&self) -> Result<(), Option<&'static str>> {
        const BITS: usize = 8;
        if self.modulus.len() * BITS > LARGEST as usize {
            return Err(Some("rsa: key too large"));
        }
        match self.modulus.last() {
            Some(last) if last % 2 == 1 => Ok(()),
            _ => Err(Some("crypto/rsa: public modulus is even")),
        }
    }

    /// Reads a key in the form of PKCS #1.
    ///
    /// # Errors
    /// What is wrong with it; nothing if it is not even of this form.
    pub(super) fn read(der: &[u8]) -> Result<Self, Option<&'static str>> {
        const LONGEST: usize = 4;
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
        let [modulus, exponent] = [modulus, exponent].map(|n| super::asn1::trimmed(n).to_vec());
        if exponent.len() > LONGEST || exponent.len() == LONGEST && exponent[0] >= 0x80 {
            return Err(Some("x509: public key contains large public exponent"));
        }
        Ok(Self { modulus, exponent })
    }

    /// The key in the form of PKCS #1.
    pub(super) fn write(&self) -> Vec<u8> {
        sequence(&[&integer(&self.modulus), &integer(&self.exponent)])
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn keys_have_the_size_that_is_wanted_and_sign() {
        let mut random = Stream::new([1; 32]);
        for bits in [32, 33, 512, 767] {
            let key = Private::generate(bits, &mut random).unwrap();
            let modulus = number(&key.public.modulus);
            assert_eq!(i64::from(modulus.bits_vartime()), bits);
            let again = Private::read(&key.write()).unwrap();
            assert_eq!(again.write(), key.write());
            let Some(signature) = key.signature(b"text") else {
                assert!(bits < 500);
                continue;
            };
            let params = BoxedMontyParams::new_vartime(odd(&modulus).unwrap());
            let signature = BoxedUint::from_be_slice(&signature, params.bits_precision()).unwrap();
            let public = BoxedUint::from(EXPONENT);
            let opened = BoxedMontyForm::new(signature, &params).pow(&public).retrieve();
            assert!(bytes(&opened).ends_with(&Sha256::digest(b"text")));
        }
        assert_eq!(Private::generate(31, &mut random).unwrap_err(), "rsa: key too small");
        assert_eq!(Private::generate(i64::MAX, &mut random).unwrap_err(), "rsa: key too large");
    }

    #[test]
    fn numbers_that_do_not_belong_together_are_no_key() {
        let key = Private::generate(128, &mut Stream::new([2; 32])).unwrap();
        let mut other = key.clone();
        other.primes.swap(0, 1);
        assert!(Private::read(&other.write()).is_ok());
        other.exponent[3] ^= 2;
        let wrong = Private::read(&other.write()).unwrap_err();
        assert_eq!(wrong, Some("crypto/rsa: invalid exponents"));
        other.public.modulus[3] ^= 2;
        assert_eq!(Private::read(&other.write()).unwrap_err(), Some("crypto/rsa: p * q != n"));
    }
}
