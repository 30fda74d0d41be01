//! Keys and certificates: X.509 with RSA and the NIST curves, and X25519.
//!
//! The keys and signatures are those of `rsa`, of the crates of the curves and of
//! `curve25519-dalek`. The forms are written and read here, byte for byte as Go's library does.

mod asn1;
pub(crate) mod certificate;
mod curve;
pub(crate) mod key;
pub(crate) mod pem;
mod rsa;
pub(crate) mod time;
pub(crate) mod usage;
pub(crate) mod x25519;

use rand_chacha::rand_core::RngCore;
pub(crate) use rand_chacha::rand_core::SeedableRng;

/// Random numbers from a seed that the world gives.
pub(crate) type Random = rand_chacha::ChaCha20Rng;

/// The next random bytes.
pub(crate) fn random_bytes<const N: usize>(random: &mut Random) -> [u8; N] {
    let mut out = [0; N];
    random.fill_bytes(&mut out);
    out
}
