//! Numbers as text, in the notations that readers and writers share.

use num_bigint::BigInt;

use crate::Value;

/// The maximum number of digits that are converted between bases.
pub const MAX_DIGITS: usize = 5000;

/// The integer with these digits in a base; [`Value::BigInt`] beyond 64 bits.
///
/// `None` unless all characters are digits of the base and there is at least one, and for more than
/// [`MAX_DIGITS`] digits that are not decimal, because the conversion takes quadratic time.
///
/// ```
/// use ordain_data::{Value, number::integer};
/// assert_eq!(integer(true, "ff", 16), Some(Value::Int(-255)));
/// assert_eq!(integer(false, "8", 8), None);
/// ```
pub fn integer(negative: bool, digits: &str, base: u32) -> Option<Value> {
    if digits.is_empty() || !digits.chars().all(|c| c.is_digit(base)) {
        return None;
    }
    if let Ok(n) = i128::from_str_radix(digits, base) {
        let n = if negative { -n } else { n };
        if let Ok(n) = i64::try_from(n) {
            return Some(Value::Int(n));
        }
    }
    if base == 10 {
        let digits = digits.trim_start_matches('0');
        let sign = if negative { "-" } else { "" };
        return Some(Value::BigInt(format!("{sign}{digits}").into()));
    }
    if digits.len() > MAX_DIGITS {
        return None;
    }
    let n = BigInt::parse_bytes(digits.as_bytes(), base)?;
    Some(big(if negative { -n } else { n }))
}

/// The value of an arbitrary integer: [`Value::Int`] where it fits.
pub(crate) fn big(n: BigInt) -> Value {
    match i64::try_from(&n) {
        Ok(small) => Value::Int(small),
        Err(_) => Value::BigInt(n.to_string().into()),
    }
}

/// An integer in decimal digits, with an optional minus, as Ruby's `format('0x%x')` prints it:
/// negative ones as two's complement with endless `f`.
pub fn ruby_hexadecimal(digits: &str) -> String {
    let Some(negative) = digits.strip_prefix('-') else {
        return format!("0x{:x}", parsed(digits));
    };
    let number = parsed(negative);
    let below: BigInt = number.clone() - 1;
    let length = if below == BigInt::ZERO { 0 } else { format!("{below:x}").len() };
    let complement = (BigInt::from(1) << (4 * length)) - number;
    let shown = if length == 0 { String::new() } else { format!("{complement:0>length$x}") };
    format!("0x..f{}", shown.trim_start_matches('f'))
}

/// An integer in decimal digits, with an optional minus, as Ruby's `format('%+#x')` prints it.
///
/// ```
/// use ordain_data::number::ruby_signed_hexadecimal;
/// assert_eq!(ruby_signed_hexadecimal("18446744073709551616"), "+0x10000000000000000");
/// assert_eq!(ruby_signed_hexadecimal("-255"), "-0xff");
/// ```
pub fn ruby_signed_hexadecimal(digits: &str) -> String {
    match digits.strip_prefix('-') {
        Some(digits) => format!("-0x{:x}", parsed(digits)),
        None => format!("+0x{:x}", parsed(digits)),
    }
}

fn parsed(digits: &str) -> BigInt {
    digits.parse().unwrap_or_default()
}

/// A float as Ruby's `Float#to_s` prints it: the shortest digits that read back the same, with at
/// least one after the point, and an exponent below 0.0001 and for whole numbers from 10¹⁵.
///
/// ```
/// use ordain_data::number::ruby_float;
/// assert_eq!(ruby_float(2.0), "2.0");
/// assert_eq!(ruby_float(1e20), "1.0e+20");
/// assert_eq!(ruby_float(-0.00001), "-1.0e-05");
/// assert_eq!(ruby_float(f64::NEG_INFINITY), "-Infinity");
/// ```
pub fn ruby_float(x: f64) -> String {
    if x.is_nan() {
        return "NaN".into();
    }
    if x.is_infinite() {
        return if x > 0.0 { "Infinity".into() } else { "-Infinity".into() };
    }
    let sign = if x.is_sign_negative() { "-" } else { "" };
    if x == 0.0 {
        return format!("{sign}0.0");
    }
    let (digits, exponent) = shortest(x.abs());
    let point = exponent + 1;
    let count = i32::try_from(digits.len()).unwrap_or(i32::MAX);
    if point > 0 && (point < count || point <= 15) {
        let at = usize::try_from(point).unwrap_or(0);
        let whole = format!("{:0<at$}", &digits[..at.min(digits.len())]);
        let fraction = digits.get(at..).filter(|f| !f.is_empty()).unwrap_or("0");
        return format!("{sign}{whole}.{fraction}");
    }
    if point <= 0 && point > -4 {
        let zeros = "0".repeat(usize::try_from(-point).unwrap_or(0));
        return format!("{sign}0.{zeros}{digits}");
    }
    let fraction = if digits.len() > 1 { &digits[1..] } else { "0" };
    let direction = if exponent < 0 { '-' } else { '+' };
    format!("{sign}{}.{fraction}e{direction}{:02}", &digits[..1], exponent.abs())
}

/// The shortest decimal digits that read back as this positive number, and the exponent of the
/// first. Of two equally near ones, the even one.
fn shortest(x: f64) -> (String, i32) {
    let parts = |text: String| {
        let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
        (mantissa.replace('.', ""), exponent.parse::<i32>().unwrap_or(0))
    };
    let (digits, exponent) = parts(format!("{x:e}"));
    // Only numbers with many digits can be half way between two texts that both read back.
    if digits.len() >= 15 {
        let (exact, _) = parts(format!("{x:.60e}"));
        let (kept, rest) = exact.split_at(digits.len());
        let half_way = rest.starts_with('5') && rest[1..].bytes().all(|b| b == b'0');
        let even = kept.bytes().last().is_some_and(|b| b % 2 == 0);
        let down = format!("{}.{}e{exponent}", &kept[..1], &kept[1..]);
        if half_way && even && kept != digits && down.parse() == Ok(x) {
            return (kept.to_owned(), exponent);
        }
    }
    (digits, exponent)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_switch_to_an_exponent_where_ruby_does() {
        let cases = [
            (100_000_000_000_000.0, "100000000000000.0"),
            (1e15, "1.0e+15"),
            (1_234_567_890_123_456.0, "1.234567890123456e+15"),
            (0.0001, "0.0001"),
            (0.000_012_5, "1.25e-05"),
            (1e100, "1.0e+100"),
            (-0.0, "-0.0"),
            (0.1, "0.1"),
            (12.5, "12.5"),
            (-300.0, "-300.0"),
            (1_541_070_346_359_020.2, "1541070346359020.2"),
            (786_886_685_673_301.2, "786886685673301.2"),
        ];
        for (x, text) in cases {
            assert_eq!(ruby_float(x), text);
        }
    }

    #[test]
    fn integers_grow_beyond_64_bits() {
        assert_eq!(integer(true, "9223372036854775808", 10), Some(Value::Int(i64::MIN)));
        assert_eq!(
            integer(false, "9223372036854775808", 10),
            Some(Value::BigInt("9223372036854775808".into()))
        );
        assert_eq!(integer(false, "", 10), None);
    }
}
