//! Private and public keys, and signatures.

use der::asn1::{Any, BitString, Null};
use der::{Decode, Encode, oid::ObjectIdentifier};
use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::SeedableRng;
use ring::rand::SystemRandom;
use ring::signature::{self, EcdsaKeyPair, KeyPair, RsaKeyPair, UnparsedPublicKey};
use rsa::pkcs1::EncodeRsaPrivateKey;
use sec1::{EcParameters, EcPrivateKey};
use x509_cert::spki::{AlgorithmIdentifierOwned, SubjectPublicKeyInfoOwned};

use crate::{CaError, oid, pem};

/// The algorithm and size of a new key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum KeyAlgorithm {
    /// ECDSA with the curve P-256.
    #[default]
    EcdsaP256,
    /// RSA with 4096 bits. Generating one takes seconds.
    Rsa4096,
}

/// A private key that can sign.
pub(crate) struct SigningKey {
    pair: Pair,
    public: SubjectPublicKeyInfoOwned,
}

enum Pair {
    P256(EcdsaKeyPair),
    P384(EcdsaKeyPair),
    Rsa(RsaKeyPair),
}

impl std::fmt::Debug for SigningKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SigningKey").finish_non_exhaustive()
    }
}

impl SigningKey {
    /// Generates a key. Also returns its PEM text.
    pub(crate) fn generate(algorithm: KeyAlgorithm) -> Result<(Self, String), CaError> {
        let text = match algorithm {
            KeyAlgorithm::EcdsaP256 => {
                let algorithm = &signature::ECDSA_P256_SHA256_ASN1_SIGNING;
                let document = EcdsaKeyPair::generate_pkcs8(algorithm, &SystemRandom::new());
                let document = document.map_err(|_| CaError::Encoding("private key"))?;
                pem::encode("PRIVATE KEY", document.as_ref())
            }
            KeyAlgorithm::Rsa4096 => generate_rsa(4096)?,
        };
        let key = Self::from_pem(text.as_bytes(), None).map_err(|_| {
            // The text was generated just above, so it can be read.
            CaError::Encoding("private key")
        })?;
        Ok((key, text))
    }

    /// Reads a private key. `public` is the public key of a certificate; it is needed because some
    /// programs store private EC keys without their public part.
    ///
    /// # Errors
    /// The reason why the text is not a key that can sign.
    pub(crate) fn from_pem(
        text: &[u8],
        public: Option<&SubjectPublicKeyInfoOwned>,
    ) -> Result<Self, String> {
        for block in pem::blocks(text)? {
            let pair = match block.label.as_str() {
                "RSA PRIVATE KEY" => rsa_pair(RsaKeyPair::from_der(&block.der))?,
                "EC PRIVATE KEY" => sec1_pair(&block.der, public)?,
                "PRIVATE KEY" => pkcs8_pair(&block.der)?,
                "ENCRYPTED PRIVATE KEY" => return Err("the key is encrypted".into()),
                _ => continue,
            };
            let public = pair.public().map_err(|_| "the public key cannot be encoded")?;
            return Ok(Self { pair, public });
        }
        Err("it has no private key".into())
    }

    /// The public key.
    pub(crate) fn public(&self) -> &SubjectPublicKeyInfoOwned {
        &self.public
    }

    /// The signature algorithm.
    pub(crate) fn algorithm(&self) -> AlgorithmIdentifierOwned {
        let (oid, parameters) = match &self.pair {
            Pair::P256(_) => (oid::ECDSA_WITH_SHA256, None),
            Pair::P384(_) => (oid::ECDSA_WITH_SHA384, None),
            Pair::Rsa(_) => (oid::SHA256_WITH_RSA, Some(Any::from(Null))),
        };
        AlgorithmIdentifierOwned { oid, parameters }
    }

    /// Signs a message.
    pub(crate) fn sign(&self, message: &[u8]) -> Result<BitString, CaError> {
        let random = SystemRandom::new();
        let failed = || CaError::Encoding("signature");
        let bytes = match &self.pair {
            Pair::P256(pair) | Pair::P384(pair) => {
                pair.sign(&random, message).map_err(|_| failed())?.as_ref().to_vec()
            }
            Pair::Rsa(pair) => {
                let mut bytes = vec![0; pair.public().modulus_len()];
                let padding = &signature::RSA_PKCS1_SHA256;
                pair.sign(padding, &random, message, &mut bytes).map_err(|_| failed())?;
                bytes
            }
        };
        BitString::from_bytes(&bytes).map_err(|_| failed())
    }
}

impl Pair {
    fn public(&self) -> der::Result<SubjectPublicKeyInfoOwned> {
        let (algorithm, parameters, bytes) = match self {
            Self::P256(pair) => {
                (oid::EC_PUBLIC_KEY, Any::from(oid::P256), pair.public_key().as_ref())
            }
            Self::P384(pair) => {
                (oid::EC_PUBLIC_KEY, Any::from(oid::P384), pair.public_key().as_ref())
            }
            Self::Rsa(pair) => (oid::RSA_ENCRYPTION, Any::from(Null), pair.public().as_ref()),
        };
        Ok(SubjectPublicKeyInfoOwned {
            algorithm: AlgorithmIdentifierOwned { oid: algorithm, parameters: Some(parameters) },
            subject_public_key: BitString::from_bytes(bytes)?,
        })
    }
}

/// Generates an RSA key in the format that Puppet's agents use.
fn generate_rsa(bits: usize) -> Result<String, CaError> {
    let mut seed = [0; 32];
    getrandom::fill(&mut seed).map_err(|_| CaError::Encoding("random number"))?;
    let mut random = ChaCha20Rng::from_seed(seed);
    let key = rsa::RsaPrivateKey::new(&mut random, bits);
    let key = key.map_err(|_| CaError::Encoding("private key"))?;
    let der = key.to_pkcs1_der().map_err(|_| CaError::Encoding("private key"))?;
    Ok(pem::encode("RSA PRIVATE KEY", der.as_bytes()))
}

fn rsa_pair(pair: Result<RsaKeyPair, ring::error::KeyRejected>) -> Result<Pair, String> {
    let refused = |e| format!("RSA keys of 2048 to 4096 bits can sign: {e}");
    pair.map(Pair::Rsa).map_err(refused)
}

fn pkcs8_pair(der: &[u8]) -> Result<Pair, String> {
    let random = SystemRandom::new();
    let p256 = &signature::ECDSA_P256_SHA256_ASN1_SIGNING;
    if let Ok(pair) = EcdsaKeyPair::from_pkcs8(p256, der, &random) {
        return Ok(Pair::P256(pair));
    }
    let p384 = &signature::ECDSA_P384_SHA384_ASN1_SIGNING;
    if let Ok(pair) = EcdsaKeyPair::from_pkcs8(p384, der, &random) {
        return Ok(Pair::P384(pair));
    }
    rsa_pair(RsaKeyPair::from_pkcs8(der))
        .map_err(|e| format!("{e}; of curves, P-256 and P-384 can"))
}

fn sec1_pair(der: &[u8], public: Option<&SubjectPublicKeyInfoOwned>) -> Result<Pair, String> {
    let key = EcPrivateKey::from_der(der).map_err(|e| e.to_string())?;
    let named = key.parameters.and_then(EcParameters::named_curve);
    let curve = named.or_else(|| public.and_then(curve_of));
    let outside = public.and_then(|p| p.subject_public_key.as_bytes());
    let point = key.public_key.or(outside).ok_or("the key lacks its public part")?;
    let random = SystemRandom::new();
    let make = |algorithm| {
        EcdsaKeyPair::from_private_key_and_public_key(algorithm, key.private_key, point, &random)
            .map_err(|e| e.to_string())
    };
    if curve == Some(oid::P256) {
        make(&signature::ECDSA_P256_SHA256_ASN1_SIGNING).map(Pair::P256)
    } else if curve == Some(oid::P384) {
        make(&signature::ECDSA_P384_SHA384_ASN1_SIGNING).map(Pair::P384)
    } else {
        Err("of curves, P-256 and P-384 can sign".into())
    }
}

/// The named curve of a public key.
fn curve_of(key: &SubjectPublicKeyInfoOwned) -> Option<ObjectIdentifier> {
    key.algorithm.parameters.as_ref()?.decode_as().ok()
}

/// Checks that the authority may certify a public key: RSA with 2048 to 8192 bits, P-256, P-384 or
/// Ed25519.
///
/// # Errors
/// The reason, as text.
pub(crate) fn check_public(key: &SubjectPublicKeyInfoOwned) -> Result<(), String> {
    let algorithm = key.algorithm.oid;
    if algorithm == oid::RSA_ENCRYPTION {
        let bytes = key.subject_public_key.as_bytes().unwrap_or_default();
        let public = rsa::pkcs1::RsaPublicKey::from_der(bytes).map_err(|_| "malformed RSA key")?;
        let modulus = public.modulus.as_bytes();
        let first = modulus.first().map_or(8, |b| b.leading_zeros() as usize);
        let bits = (modulus.len() * 8).saturating_sub(first);
        return if (2048..=8192).contains(&bits) {
            Ok(())
        } else {
            Err(format!("RSA with {bits} bits; 2048 to 8192 are allowed"))
        };
    }
    if algorithm == oid::EC_PUBLIC_KEY {
        return match curve_of(key) {
            Some(curve) if curve == oid::P256 || curve == oid::P384 => Ok(()),
            _ => Err("of curves, P-256 and P-384 are allowed".into()),
        };
    }
    if algorithm == oid::ED25519 {
        return Ok(());
    }
    Err(format!("algorithm {algorithm}"))
}

/// The algorithm with which [`SigningKey::sign`] signs with such a key.
pub(crate) fn signature_algorithm(key: &SubjectPublicKeyInfoOwned) -> Option<ObjectIdentifier> {
    match curve_of(key) {
        _ if key.algorithm.oid == oid::RSA_ENCRYPTION => Some(oid::SHA256_WITH_RSA),
        Some(curve) if curve == oid::P256 => Some(oid::ECDSA_WITH_SHA256),
        Some(curve) if curve == oid::P384 => Some(oid::ECDSA_WITH_SHA384),
        _ => None,
    }
}

/// Checks a signature.
///
/// # Errors
/// The algorithm is unsupported, or the signature is wrong.
pub(crate) fn verify(
    key: &SubjectPublicKeyInfoOwned,
    algorithm: ObjectIdentifier,
    message: &[u8],
    signature: &[u8],
) -> Result<(), SignatureFault> {
    use ring::signature as s;
    let is_rsa = key.algorithm.oid == oid::RSA_ENCRYPTION;
    let curve = (key.algorithm.oid == oid::EC_PUBLIC_KEY).then(|| curve_of(key)).flatten();
    let (p256, p384) = (curve == Some(oid::P256), curve == Some(oid::P384));
    let check: &dyn s::VerificationAlgorithm = if is_rsa && algorithm == oid::SHA256_WITH_RSA {
        &s::RSA_PKCS1_2048_8192_SHA256
    } else if is_rsa && algorithm == oid::SHA384_WITH_RSA {
        &s::RSA_PKCS1_2048_8192_SHA384
    } else if is_rsa && algorithm == oid::SHA512_WITH_RSA {
        &s::RSA_PKCS1_2048_8192_SHA512
    } else if p256 && algorithm == oid::ECDSA_WITH_SHA256 {
        &s::ECDSA_P256_SHA256_ASN1
    } else if p256 && algorithm == oid::ECDSA_WITH_SHA384 {
        &s::ECDSA_P256_SHA384_ASN1
    } else if p384 && algorithm == oid::ECDSA_WITH_SHA256 {
        &s::ECDSA_P384_SHA256_ASN1
    } else if p384 && algorithm == oid::ECDSA_WITH_SHA384 {
        &s::ECDSA_P384_SHA384_ASN1
    } else if key.algorithm.oid == oid::ED25519 && algorithm == oid::ED25519 {
        &s::ED25519
    } else {
        return Err(SignatureFault::Unsupported(algorithm));
    };
    let bytes = key.subject_public_key.as_bytes().ok_or(SignatureFault::Wrong)?;
    UnparsedPublicKey::new(check, bytes)
        .verify(message, signature)
        .map_err(|_| SignatureFault::Wrong)
}

/// The reason why a signature is not accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SignatureFault {
    Unsupported(ObjectIdentifier),
    Wrong,
}

/// The key identifier: the SHA-1 digest of the key's bits (RFC 5280, 4.2.1.2).
pub(crate) fn key_id(key: &SubjectPublicKeyInfoOwned) -> Vec<u8> {
    let bits = key.subject_public_key.raw_bytes();
    let digest = ring::digest::digest(&ring::digest::SHA1_FOR_LEGACY_USE_ONLY, bits);
    digest.as_ref().to_vec()
}

/// A public key as PEM text.
pub(crate) fn public_pem(key: &SubjectPublicKeyInfoOwned) -> Result<String, CaError> {
    let der = key.to_der().map_err(|_| CaError::Encoding("public key"))?;
    Ok(pem::encode("PUBLIC KEY", &der))
}
