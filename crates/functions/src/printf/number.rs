//! Digits of numbers, which the dialects format.

use num_bigint::{BigInt, Sign};

/// The maximum number of fraction digits of a double; all further ones are zeros.
const MAX_FRACTION_DIGITS: usize = 1100;

/// The digits of a magnitude in a radix, in lower case.
pub(super) fn magnitude(value: &BigInt, radix: u32) -> String {
    value.magnitude().to_str_radix(radix)
}

/// The digits of a negative number in infinite two's complement, cut to a single leading repeating
/// digit.
pub(super) fn complement(value: &BigInt, radix: u32) -> String {
    debug_assert_eq!(value.sign(), Sign::Minus);
    let below: BigInt = -value - 1;
    let top = radix - 1;
    let flipped: String = magnitude(&below, radix)
        .chars()
        .map(|c| char::from_digit(top - c.to_digit(radix).unwrap_or(0), radix).unwrap_or('0'))
        .collect();
    let lead = char::from_digit(top, radix).unwrap_or('f');
    format!("{lead}{}", flipped.trim_start_matches(lead))
}

/// `%f`: the magnitude with `precision` digits after the point.
pub(super) fn fixed(value: f64, precision: usize, keep_point: bool) -> String {
    let shown = precision.min(MAX_FRACTION_DIGITS);
    let mut text = format!("{:.shown$}", value.abs());
    text.extend(std::iter::repeat_n('0', precision - shown));
    if precision == 0 && keep_point {
        text.push('.');
    }
    text
}

/// `%e`: one digit, the point, `precision` digits, an exponent of at least two digits.
pub(super) fn scientific(value: f64, precision: usize, keep_point: bool) -> String {
    let (mantissa, exponent) = scientific_parts(value, precision);
    let point = if precision == 0 && keep_point { "." } else { "" };
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{mantissa}{point}e{sign}{:02}", exponent.abs())
}

fn scientific_parts(value: f64, precision: usize) -> (String, i32) {
    let shown = precision.min(MAX_FRACTION_DIGITS);
    let text = format!("{:.shown$e}", value.abs());
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let mut mantissa = mantissa.to_string();
    mantissa.extend(std::iter::repeat_n('0', precision - shown));
    (mantissa, exponent.parse().unwrap_or(0))
}

/// `%g`: whichever is shorter, with `precision` significant digits.
pub(super) fn general(value: f64, precision: usize, keep_zeros: bool) -> String {
    let precision = precision.max(1);
    let (mantissa, exponent) = scientific_parts(value, precision - 1);
    let fits = exponent >= -4 && i64::from(exponent) < precision as i64;
    if fits {
        let decimals = (precision as i64 - 1 - i64::from(exponent)) as usize;
        let text = fixed(value, decimals, keep_zeros);
        return if keep_zeros { text } else { without_zeros(&text).to_string() };
    }
    let mantissa = if keep_zeros { mantissa.as_str() } else { without_zeros(&mantissa) };
    let point = if keep_zeros && precision == 1 { "." } else { "" };
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{mantissa}{point}e{sign}{:02}", exponent.abs())
}

fn without_zeros(text: &str) -> &str {
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { text }
}

/// `%a` without sign and `0x`: hexadecimal digits and a power of two.
pub(super) fn hexadecimal(value: f64, precision: Option<usize>, keep_point: bool) -> String {
    const FRACTION_BITS: u32 = 52;
    let bits = value.abs().to_bits();
    let raw_exponent = (bits >> FRACTION_BITS) as i32;
    let mut fraction = bits & ((1 << FRACTION_BITS) - 1);
    let (mut lead, mut exponent) = (1, raw_exponent - 1023);
    if raw_exponent == 0 {
        if fraction == 0 {
            (lead, exponent) = (0, 0);
        } else {
            let shift = fraction.leading_zeros() - (63 - FRACTION_BITS);
            fraction = (fraction << shift) & ((1 << FRACTION_BITS) - 1);
            exponent = -1022 - shift as i32;
        }
    }
    let digits = match precision {
        Some(precision) if precision < 13 => {
            let drop = 4 * (13 - precision as u32);
            let whole = (lead << FRACTION_BITS) | fraction;
            let (kept, rest, half) =
                (whole >> drop, whole & ((1 << drop) - 1), 1_u64 << (drop - 1));
            let rounded = kept + u64::from(rest > half || rest == half && kept & 1 == 1);
            let whole = rounded << drop;
            (lead, fraction) = (whole >> FRACTION_BITS, whole & ((1 << FRACTION_BITS) - 1));
            if lead > 1 {
                (lead, fraction, exponent) = (1, fraction >> 1, exponent + 1);
            }
            format!("{fraction:013x}")[..precision].to_string()
        }
        Some(precision) => format!("{fraction:013x}{}", "0".repeat(precision - 13)),
        None => format!("{fraction:013x}").trim_end_matches('0').to_string(),
    };
    let point = if digits.is_empty() && !keep_point { "" } else { "." };
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{lead}{point}{digits}p{sign}{}", exponent.abs())
}
