//! X25519 of RFC 7748: the keys of WireGuard.

use curve25519_dalek::MontgomeryPoint;
use curve25519_dalek::scalar::clamp_integer;

/// The number of bytes of a key.
pub(crate) const SIZE: usize = 32;

/// The private key of random bytes.
pub(crate) fn private(random: [u8; SIZE]) -> [u8; SIZE] {
    clamp_integer(random)
}

/// The public key of a private one.
pub(crate) fn public(private: [u8; SIZE]) -> [u8; SIZE] {
    MontgomeryPoint::mul_base_clamped(private).to_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A pair from another program.
    #[test]
    fn the_public_key_of_a_private_one() {
        let bytes = |hex: &str| {
            let mut out = [0; SIZE];
            for (at, byte) in out.iter_mut().enumerate() {
                *byte = u8::from_str_radix(&hex[2 * at..2 * at + 2], 16).unwrap_or_default();
            }
            out
        };
        let private = bytes("1099aae25682ae14e0bde821cfcb1ef121b7cca9089f66d0178ad3b741f72166");
        let expected = bytes("3f566844a5d9eb90c0782ec4f0f3d122fb986275625053598b76ae1cc45bfb17");
        assert_eq!(public(private), expected);
        assert_eq!(public(clamp_integer(private)), expected);
    }
}
