//! Floats as Python converts and prints them.

use num_bigint::BigInt;

/// The integer value of a float without a fraction; `None` if it is not finite.
pub fn float_integer(x: f64) -> Option<BigInt> {
    if !x.is_finite() {
        return None;
    }
    let bits = x.to_bits();
    let exponent = ((bits >> 52) & 0x7ff) as i64;
    let mantissa = if exponent == 0 {
        (bits & ((1 << 52) - 1)) << 1
    } else {
        (bits & ((1 << 52) - 1)) | (1 << 52)
    };
    let shift = exponent - 1075;
    let size = BigInt::from(mantissa);
    let size = if shift >= 0 { size << shift as usize } else { size >> (-shift) as usize };
    Some(if x.is_sign_negative() { -size } else { size })
}

/// Python's `repr` of a float: the shortest text that reads back, with an exponent below -4 or
/// above 15.
pub fn float_text(x: f64) -> String {
    if x.is_nan() {
        return "nan".into();
    }
    if x.is_infinite() {
        return if x > 0.0 { "inf" } else { "-inf" }.into();
    }
    let scientific = format!("{x:e}");
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or_default();
    if x != 0.0 && !(-4..16).contains(&exponent) {
        let sign = if exponent < 0 { '-' } else { '+' };
        return format!("{mantissa}e{sign}{:02}", exponent.abs());
    }
    let plain = format!("{x}");
    if plain.contains('.') { plain } else { plain + ".0" }
}
