//! Keys and certificates: X.509 with RSA and the NIST curves, and X25519.
//!
//! Keys and signatures come from `rsa`, the crates of the curves and `curve25519-dalek`. The
//! formats are written and read here, byte for byte like Go's library.

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

/// Random numbers from a seed of the world.
pub(crate) type Random = rand_chacha::ChaCha20Rng;

/// The next random bytes.
pub(crate) fn random_bytes<const N: usize>(random: &mut Random) -> [u8; N] {
    let mut out = [0; N];
    random.fill_bytes(&mut out);
    out
}
