//! X25519 of RFC 7748: the keys of WireGuard.

use crypto_bigint::modular::{BoxedMontyForm, BoxedMontyParams};
use crypto_bigint::{BoxedUint, CtSelect, Resize};

use super::Stream;

/// How many bytes a key has.
pub(crate) const SIZE: usize = 32;
const BITS: u32 = 256;
const PRIME: &str = "7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffed";

/// Makes any bytes those of a private key.
pub(crate) fn clamp(mut bytes: [u8; SIZE]) -> [u8; SIZE] {
    bytes[0] &= 0xf8;
    bytes[SIZE - 1] &= 0x7f;
    bytes[SIZE - 1] |= 0x40;
    bytes
}

/// A new private key.
pub(crate) fn private(random: &mut Stream) -> [u8; SIZE] {
    clamp(random.bytes())
}

/// The public key of a private one: Montgomery's ladder from the base point 9.
pub(crate) fn public(private: [u8; SIZE]) -> [u8; SIZE] {
    const TOP: u32 = 254;
    const BASE: u8 = 9;
    /// `(A - 2) / 4` of the curve.
    const FACTOR: u32 = 121_665;
    let prime = BoxedUint::from_str_radix_with_precision_vartime(PRIME, 16, BITS);
    let prime = prime.ok().and_then(|p| Option::from(p.into_odd()));
    let params = BoxedMontyParams::new_vartime(prime.expect("the prime is an odd number"));
    let small = |n: u32| BoxedMontyForm::new(BoxedUint::from(n).resize(BITS), &params);
    let (base, factor) = (small(u32::from(BASE)), small(FACTOR));
    let scalar = BoxedUint::from_le_slice(&clamp(private), BITS).expect("a key has 256 bits");
    let (one, zero) = (BoxedMontyForm::one(&params), BoxedMontyForm::zero(&params));
    let mut low = [one.clone(), zero];
    let mut high = [base.clone(), one];
    for bit in (0..=TOP).rev() {
        let set = scalar.bit(bit);
        let pick =
            |a: &BoxedMontyForm, b: &BoxedMontyForm| (a.ct_select(b, set), b.ct_select(a, set));
        let ((x2, x3), (z2, z3)) = (pick(&low[0], &high[0]), pick(&low[1], &high[1]));
        let (sum, difference) = (x2.add(&z2), x2.sub(&z2));
        let crossed = x3.sub(&z3).mul(&sum);
        let straight = x3.add(&z3).mul(&difference);
        let (square, other) = (sum.square(), difference.square());
        let between = square.sub(&other);
        let (x3, z3) = (crossed.add(&straight).square(), crossed.sub(&straight).square());
        let (x3, z3) = (x3, z3.mul(&base));
        let (x2, z2) = (square.mul(&other), between.mul(&square.add(&factor.mul(&between))));
        let ((a, c), (b, d)) = (pick(&x2, &x3), pick(&z2, &z3));
        (low, high) = ([a, b], [c, d]);
    }
    let [x, z] = low;
    let inverse: Option<BoxedMontyForm> = z.invert().into();
    let inverse = inverse.unwrap_or_else(|| BoxedMontyForm::zero(&params));
    let mut out = [0; SIZE];
    for (to, from) in out.iter_mut().zip(x.mul(&inverse).retrieve().to_le_bytes()) {
        *to = from;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A pair that another program has made.
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
        assert_eq!(public(clamp(private)), expected);
    }
}
