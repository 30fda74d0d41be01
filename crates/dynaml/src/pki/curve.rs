//! Points of the NIST curves, and signatures with them (ECDSA).

use crypto_bigint::modular::{BoxedMontyForm, BoxedMontyParams};
use crypto_bigint::{BoxedUint, CtSelect, NonZero, Odd, RandomMod};
use sha2::{Digest, Sha256, Sha384, Sha512};

use super::Stream;
use super::asn1::{integer, sequence};

/// The digest that is signed, with the number that tells its signatures from others.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Hash {
    Sha256 = 2,
    Sha384 = 3,
    Sha512 = 4,
}

impl Hash {
    fn of(self, bytes: &[u8]) -> Vec<u8> {
        match self {
            Self::Sha256 => Sha256::digest(bytes).to_vec(),
            Self::Sha384 => Sha384::digest(bytes).to_vec(),
            Self::Sha512 => Sha512::digest(bytes).to_vec(),
        }
    }
}

/// A curve `y² = x³ - 3x + b` over a prime field.
#[derive(Debug)]
pub(crate) struct Curve {
    /// Its name here.
    pub(crate) name: &'static str,
    /// Its name in keys of SSH, if it has one.
    pub(crate) ssh: Option<&'static str>,
    /// Its object identifier.
    pub(super) oid: &'static [u8],
    /// The digest that is signed.
    pub(super) hash: Hash,
    bits: u32,
    prime: &'static str,
    order: &'static str,
    b: &'static str,
    x: &'static str,
    y: &'static str,
}

/// The curves of SP 800-186 over prime fields.
pub(crate) const CURVES: [Curve; 4] = [
    Curve {
        name: "P224",
        ssh: None,
        oid: &[0x2b, 0x81, 0x04, 0x00, 0x21],
        hash: Hash::Sha256,
        bits: 224,
        prime: "ffffffffffffffffffffffffffffffff000000000000000000000001",
        order: "ffffffffffffffffffffffffffff16a2e0b8f03e13dd29455c5c2a3d",
        b: "b4050a850c04b3abf54132565044b0b7d7bfd8ba270b39432355ffb4",
        x: "b70e0cbd6bb4bf7f321390b94a03c1d356c21122343280d6115c1d21",
        y: "bd376388b5f723fb4c22dfe6cd4375a05a07476444d5819985007e34",
    },
    Curve {
        name: "P256",
        ssh: Some("nistp256"),
        oid: &[0x2a, 0x86, 0x48, 0xce, 0x3d, 0x03, 0x01, 0x07],
        hash: Hash::Sha256,
        bits: 256,
        prime: "ffffffff00000001000000000000000000000000ffffffffffffffffffffffff",
        order: "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551",
        b: "5ac635d8aa3a93e7b3ebbd55769886bc651d06b0cc53b0f63bce3c3e27d2604b",
        x: "6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296",
        y: "4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5",
    },
    Curve {
        name: "P384",
        ssh: Some("nistp384"),
        oid: &[0x2b, 0x81, 0x04, 0x00, 0x22],
        hash: Hash::Sha384,
        bits: 384,
        prime: "fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe\
                ffffffff0000000000000000ffffffff",
        order: "ffffffffffffffffffffffffffffffffffffffffffffffffc7634d81f4372ddf\
                581a0db248b0a77aecec196accc52973",
        b: "b3312fa7e23ee7e4988e056be3f82d19181d9c6efe8141120314088f5013875a\
            c656398d8a2ed19d2a85c8edd3ec2aef",
        x: "aa87ca22be8b05378eb1c71ef320ad746e1d3b628ba79b9859f741e082542a38\
            5502f25dbf55296c3a545e3872760ab7",
        y: "3617de4a96262c6f5d9e98bf9292dc29f8f41dbd289a147ce9da3113b5f0b8c0\
            0a60b1ce1d7e819d7a431d7c90ea0e5f",
    },
    Curve {
        name: "P521",
        ssh: Some("nistp521"),
        oid: &[0x2b, 0x81, 0x04, 0x00, 0x23],
        hash: Hash::Sha512,
        bits: 521,
        prime: "01ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff\
                ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff\
                ffff",
        order: "01ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff\
                fffa51868783bf2f966b7fcc0148f709a5d03bb5c9b8899c47aebb6fb71e9138\
                6409",
        b: "0051953eb9618e1c9a1f929a21a0b68540eea2da725b99b315f3b8b489918ef1\
            09e156193951ec7e937b1652c0bd3bb1bf073573df883d2c34f1ef451fd46b50\
            3f00",
        x: "00c6858e06b70404e9cd9e3ecb662395b4429c648139053fb521f828af606b4d\
            3dbaa14b5e77efe75928fe1dc127a2ffa8de3348b3c1856a429bf97e7e31c2e5\
            bd66",
        y: "011839296a789a3bc0045c8a5fb42c7d1bd998f54449579b446817afbd17273e\
            662c97ee72995ef42640c550b9013fad0761353c7086a272c24088be94769fd1\
            6650",
    },
];

/// A point in homogeneous coordinates.
struct Point([BoxedMontyForm; 3]);

/// The field of a curve, and its constants in it.
struct Field {
    params: BoxedMontyParams,
    b: BoxedMontyForm,
}

/// A number modulo the order, of the precision that the order has.
fn number(curve: &Curve, bytes: &[u8]) -> Option<BoxedUint> {
    BoxedUint::from_be_slice(super::asn1::trimmed(bytes), curve.bits).ok()
}

/// A number of a curve's table.
fn constant(curve: &Curve, hex: &str) -> BoxedUint {
    BoxedUint::from_str_radix_with_precision_vartime(hex, 16, curve.bits)
        .expect("the tables have digits only")
}

fn odd(curve: &Curve, hex: &str) -> Odd<BoxedUint> {
    Option::from(constant(curve, hex).into_odd()).expect("primes are odd")
}

impl Field {
    fn of(curve: &Curve) -> Self {
        let params = BoxedMontyParams::new_vartime(odd(curve, curve.prime));
        let b = BoxedMontyForm::new(constant(curve, curve.b), &params);
        Self { params, b }
    }

    fn element(&self, number: BoxedUint) -> BoxedMontyForm {
        BoxedMontyForm::new(number, &self.params)
    }

    /// The formulas for all points of Renes, Costello and Batina (2015), algorithm 4.
    fn sum(&self, left: &Point, right: &Point) -> Point {
        let (Point([x1, y1, z1]), Point([x2, y2, z2])) = (left, right);
        let triple = |v: BoxedMontyForm| v.double() + &v;
        let (xx, yy, zz) = (x1.mul(x2), y1.mul(y2), z1.mul(z2));
        let xy = x1.add(y1).mul(&x2.add(y2)) - &xx - &yy;
        let yz = y1.add(z1).mul(&y2.add(z2)) - &yy - &zz;
        let xz = x1.add(z1).mul(&x2.add(z2)) - &xx - &zz;
        let zz3 = triple(zz.clone());
        let u = triple(xz.sub(&self.b.mul(&zz)));
        let v = triple(self.b.mul(&xz) - &zz3 - &xx);
        let w = triple(xx) - &zz3;
        let (more, less) = (yy.add(&u), yy.sub(&u));
        let x = xy.mul(&more) - &yz.mul(&v);
        let y = more.mul(&less) + &w.mul(&v);
        let z = yz.mul(&less) + &xy.mul(&w);
        Point([x, y, z])
    }

    /// The multiple of a point, in a time that does not tell the factor.
    fn multiple(&self, point: &Point, factor: &BoxedUint, bits: u32) -> Point {
        let (zero, one) = (BoxedMontyForm::zero(&self.params), BoxedMontyForm::one(&self.params));
        let mut sum = Point([zero.clone(), one, zero]);
        for bit in (0..bits).rev() {
            let double = self.sum(&sum, &sum);
            let Point(with) = self.sum(&double, point);
            let mut chosen = double;
            for (without, with) in chosen.0.iter_mut().zip(&with) {
                *without = without.ct_select(with, factor.bit(bit));
            }
            sum = chosen;
        }
        sum
    }
}

impl Curve {
    /// The curve with this object identifier.
    pub(super) fn with_oid(oid: &[u8]) -> Option<&'static Self> {
        CURVES.iter().find(|c| c.oid == oid)
    }

    /// How many bytes a coordinate has.
    pub(super) fn size(&self) -> usize {
        self.bits.div_ceil(8) as usize
    }

    /// A number in as many bytes as coordinates have.
    fn padded(&self, number: &BoxedUint) -> Vec<u8> {
        let bytes = number.to_be_bytes_trimmed_vartime();
        let mut out = vec![0; self.size() - bytes.len()];
        out.extend_from_slice(&bytes);
        out
    }

    fn order(&self) -> NonZero<BoxedUint> {
        Option::from(constant(self, self.order).into_nz()).expect("orders are primes")
    }

    /// A secret number, and its bytes.
    pub(super) fn secret(&self, random: &mut Stream) -> Vec<u8> {
        self.padded(&self.random(random))
    }

    fn random(&self, random: &mut Stream) -> BoxedUint {
        loop {
            let number = BoxedUint::random_mod_vartime(random, &self.order());
            if number.is_nonzero().to_bool() {
                return number;
            }
        }
    }

    /// The bytes of a secret number, as many as coordinates have; nothing if it is none.
    pub(super) fn checked_secret(&self, bytes: &[u8]) -> Option<Vec<u8>> {
        let number = number(self, bytes)?;
        let good = number.is_nonzero().to_bool() && number < *self.order().as_ref();
        good.then(|| self.padded(&number))
    }

    /// The coordinates of a multiple of the generator.
    fn generated(&self, factor: &BoxedUint) -> [BoxedUint; 2] {
        let field = Field::of(self);
        let one = BoxedMontyForm::one(&field.params);
        let at = |hex| field.element(constant(self, hex));
        let generator = Point([at(self.x), at(self.y), one]);
        let Point([x, y, z]) = field.multiple(&generator, factor, self.bits);
        let inverse: Option<BoxedMontyForm> = z.invert().into();
        let inverse = inverse.expect("secret numbers are below the order");
        [x, y].map(|c| c.mul(&inverse).retrieve())
    }

    /// The point that belongs to a secret number, with both coordinates.
    pub(super) fn public(&self, secret: &[u8]) -> Vec<u8> {
        const BOTH: u8 = 4;
        let secret = number(self, secret).expect("secret numbers are checked");
        let mut out = vec![BOTH];
        for coordinate in self.generated(&secret) {
            out.extend(self.padded(&coordinate));
        }
        out
    }

    /// Whether bytes are a point of the curve, with both coordinates.
    pub(super) fn has_point(&self, bytes: &[u8]) -> bool {
        let Some(coordinates) = bytes.strip_prefix(&[4]) else { return false };
        if coordinates.len() != 2 * self.size() {
            return false;
        }
        let field = Field::of(self);
        let (x, y) = coordinates.split_at(self.size());
        let (Some(x), Some(y)) = (number(self, x), number(self, y)) else { return false };
        if [&x, &y].iter().any(|c| *c >= field.params.modulus().as_ref()) {
            return false;
        }
        let (x, y) = (field.element(x), field.element(y));
        let right = x.square().mul(&x) - &x.double().add(&x) + &field.b;
        y.square() == right
    }

    /// The signature of a message.
    pub(super) fn signature(&self, secret: &[u8], message: &[u8], random: &mut Stream) -> Vec<u8> {
        let digest = self.hash.of(message);
        // The number that must never be the same for two messages depends on them.
        let mut random = random.mixed(&[secret, &digest]);
        let order = BoxedMontyParams::new(odd(self, self.order));
        let element = |n: &BoxedUint| BoxedMontyForm::new(n.rem(&self.order()), &order);
        let secret = element(&number(self, secret).expect("secret numbers are checked"));
        let short = &digest[..digest.len().min(self.size())];
        let digest = element(&number(self, short).expect("digests are cut"));
        loop {
            let nonce = self.random(&mut random);
            let [x, _] = self.generated(&nonce);
            let r = element(&x);
            let inverse: Option<BoxedMontyForm> = element(&nonce).invert().into();
            let Some(inverse) = inverse else { continue };
            let s = inverse.mul(&digest.add(&r.mul(&secret)));
            if (r.is_nonzero() & s.is_nonzero()).to_bool() {
                let bytes = [r, s].map(|n| integer(&n.retrieve().to_be_bytes()));
                return sequence(&[&bytes[0], &bytes[1]]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_generators_are_on_their_curves_and_have_their_order() {
        for curve in &CURVES {
            let one = curve.padded(&constant(curve, "1"));
            let point = curve.public(&one);
            assert!(curve.has_point(&point), "{}", curve.name);
            let expected = [curve.x, curve.y].map(|c| curve.padded(&constant(curve, c))).concat();
            assert_eq!(point[1..], expected);
            // The last multiple before nothing is the mirror image of the first.
            let last = curve.order().as_ref().wrapping_sub(constant(curve, "1"));
            let mirrored = curve.public(&curve.padded(&last));
            assert_eq!(mirrored[..=curve.size()], point[..=curve.size()]);
            assert_ne!(mirrored, point);
            assert!(curve.has_point(&mirrored));
            let mut wrong = point;
            wrong[5] ^= 1;
            assert!(!curve.has_point(&wrong));
            assert_eq!(curve.checked_secret(&curve.padded(curve.order().as_ref())), None);
            assert_eq!(curve.checked_secret(&[0; 90]), None);
            assert_eq!(curve.checked_secret(&[1; 90]), None);
        }
    }
}
