//! The text of numbers: the formats of `strconv`.

use crate::{Error, Result};

/// A float in the format of a verb (`e E f F g G`) with a precision; by default with the shortest
/// digits that read back as the same number.
pub fn float(value: f64, verb: u8, precision: Option<usize>) -> String {
    if value.is_nan() {
        return "NaN".into();
    }
    let sign = if value.is_sign_negative() { "-" } else { "" };
    if value.is_infinite() {
        return format!("{}Inf", if sign.is_empty() { "+" } else { sign });
    }
    let value = value.abs();
    let text = match verb.to_ascii_lowercase() {
        b'e' => scientific(value, precision),
        b'f' => match precision {
            Some(precision) => format!("{value:.precision$}"),
            None => format!("{value}"),
        },
        _ => general(value, precision),
    };
    let text = if verb.is_ascii_uppercase() { text.to_uppercase() } else { text };
    format!("{sign}{text}")
}

/// `1.5e+06`
fn scientific(value: f64, precision: Option<usize>) -> String {
    let text = match precision {
        Some(precision) => format!("{value:.precision$e}"),
        None => format!("{value:e}"),
    };
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let (sign, exponent) = match exponent.strip_prefix('-') {
        Some(exponent) => ('-', exponent),
        None => ('+', exponent),
    };
    format!("{digits}e{sign}{exponent:0>2}")
}

/// The shorter of both formats: with an exponent if it is less than -4, or at least the precision.
fn general(value: f64, precision: Option<usize>) -> String {
    let precision = precision.map(|precision| precision.max(1));
    let text = match precision {
        Some(precision) => format!("{value:.*e}", precision - 1),
        None => format!("{value:e}"),
    };
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let digits: String = digits.chars().filter(char::is_ascii_digit).collect();
    let digits = match digits.trim_end_matches('0') {
        "" => "0",
        digits => digits,
    };
    let count = i32::try_from(digits.len()).unwrap_or(i32::MAX);
    let limit = match precision {
        None => SHORTEST_LIMIT,
        Some(precision) => {
            let precision = i32::try_from(precision).unwrap_or(i32::MAX);
            // If all digits are before the point, a longer text is not needed.
            if precision > count && count > exponent { count.max(1) } else { precision }
        }
    };
    if exponent < -4 || exponent >= limit {
        return scientific(value, Some(digits.len() - 1));
    }
    let places = usize::try_from(count - 1 - exponent).unwrap_or(0);
    format!("{value:.places$}")
}

/// The exponent from which the shortest format uses an exponent.
const SHORTEST_LIMIT: i32 = 6;

/// A finite float without its sign as a hexadecimal fraction and a power of 2: `0x1.8p+01`.
pub fn hexadecimal_float(value: f64, precision: Option<usize>) -> String {
    const DIGITS: usize = 13;
    let bits = value.to_bits();
    let (mut exponent, mut fraction) = ((bits >> 52 & 0x7ff) as i64 - 1023, bits & ((1 << 52) - 1));
    let mut whole = 1_u64;
    if value == 0.0 {
        (whole, exponent) = (0, 0);
    } else if exponent == -1023 {
        // Subnormal numbers are normalized.
        let shift = u64::from(fraction.leading_zeros()) - 11;
        exponent = -1022 - i64::try_from(shift).unwrap_or(0);
        fraction = fraction << shift & ((1 << 52) - 1);
    }
    let mut digits = whole << 52 | fraction;
    let mut count = DIGITS;
    if let Some(precision) = precision.filter(|precision| *precision < DIGITS) {
        let drop = 4 * (DIGITS - precision) as u32;
        let (kept, rest, half) = (digits >> drop, digits & ((1 << drop) - 1), 1_u64 << (drop - 1));
        digits = kept + u64::from(rest > half || rest == half && kept & 1 == 1);
        count = precision;
        if digits >> (4 * count + 1) == 1 {
            digits >>= 1;
            exponent += 1;
        }
    }
    let head = digits >> (4 * count);
    let tail = digits & ((1_u64 << (4 * count)) - 1);
    let mut tail = if count == 0 { String::new() } else { format!("{tail:0count$x}") };
    match precision {
        None => tail.truncate(tail.trim_end_matches('0').len()),
        Some(precision) => tail.extend(std::iter::repeat_n('0', precision.saturating_sub(count))),
    }
    let point = if tail.is_empty() { "" } else { "." };
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("0x{head}{point}{tail}p{sign}{:02}", exponent.abs())
}

/// A finite float without its sign as an integer and a power of 2: `4503599627370496p-52`.
pub fn binary_float(value: f64) -> String {
    let bits = value.to_bits();
    let (exponent, fraction) = ((bits >> 52 & 0x7ff) as i64, bits & ((1 << 52) - 1));
    let (mantissa, exponent) =
        if exponent == 0 { (fraction, 1) } else { (fraction | 1 << 52, exponent) };
    format!("{mantissa}p{:+}", exponent - 1023 - 52)
}

/// An integer in a base from 2 to 36.
///
/// # Errors
/// Another base.
pub fn format_int(value: i64, base: i64) -> Result<String> {
    let base = u64::try_from(base).ok().filter(|base| (2..=36).contains(base));
    let base =
        base.ok_or_else(|| Error::Number("strconv: illegal AppendInt/FormatInt base".into()))?;
    let mut digits = Vec::new();
    let mut rest = value.unsigned_abs();
    loop {
        let digit = u32::try_from(rest % base).ok().and_then(|d| char::from_digit(d, 36));
        digits.push(digit.unwrap_or('0'));
        rest /= base;
        if rest == 0 {
            break;
        }
    }
    if value < 0 {
        digits.push('-');
    }
    Ok(digits.iter().rev().collect())
}

fn number_error(function: &str, text: &[u8], reason: &str) -> Error {
    Error::Number(format!("strconv.{function}: parsing {}: {reason}", super::quote::quote(text)))
}

/// Parses an integer: `strconv.ParseInt`.
///
/// # Errors
/// Go's message, with the name of this function.
pub fn parse_int(function: &str, text: &[u8], base: i64, bits: i64) -> Result<i64> {
    let fail = |reason: &str| number_error(function, text, reason);
    if text.is_empty() {
        return Err(fail("invalid syntax"));
    }
    let (negative, digits) = match text {
        [b'+', rest @ ..] => (false, rest),
        [b'-', rest @ ..] => (true, rest),
        _ => (false, text),
    };
    if digits.is_empty() {
        return Err(fail("invalid syntax"));
    }
    if !matches!(base, 0 | 2..=36) {
        return Err(fail(&format!("invalid base {base}")));
    }
    let bits = match bits {
        0 => 64,
        1..=64 => bits,
        _ => return Err(fail(&format!("invalid bit size {bits}"))),
    };
    let magnitude = parse_magnitude(digits, base).map_err(|reason| fail(&reason))?;
    let cutoff = 1_u128 << (bits - 1);
    let limit = if negative { cutoff } else { cutoff - 1 };
    match magnitude {
        Some(magnitude) if u128::from(magnitude) <= limit => {
            let value = i128::from(magnitude) * if negative { -1 } else { 1 };
            i64::try_from(value).map_err(|_| fail(OUT_OF_RANGE))
        }
        _ => Err(fail(OUT_OF_RANGE)),
    }
}

const OUT_OF_RANGE: &str = "value out of range";

/// The digits of an integer; `None` is a number out of range. Base 0 means that a prefix selects the
/// base.
fn parse_magnitude(text: &[u8], base: i64) -> Result<Option<u64>, String> {
    let invalid = || "invalid syntax".to_owned();
    if text.is_empty() {
        return Err(invalid());
    }
    let (radix, digits) = match (base, text) {
        (2..=36, _) => (u32::try_from(base).unwrap_or(10), text),
        (0, [b'0', b'b' | b'B', rest @ ..]) if !rest.is_empty() => (2, rest),
        (0, [b'0', b'o' | b'O', rest @ ..]) if !rest.is_empty() => (8, rest),
        (0, [b'0', b'x' | b'X', rest @ ..]) if !rest.is_empty() => (16, rest),
        (0, [b'0', rest @ ..]) => (8, rest),
        (0, _) => (10, text),
        _ => return Err(format!("invalid base {base}")),
    };
    let (mut value, mut overflows) = (0_u64, false);
    for byte in digits {
        if *byte == b'_' && base == 0 {
            continue;
        }
        let digit = char::from(*byte).to_digit(radix).ok_or_else(invalid)?;
        match value.checked_mul(radix.into()).and_then(|v| v.checked_add(digit.into())) {
            Some(next) => value = next,
            None => overflows = true,
        }
        // The original also ignores the rest.
        if overflows {
            return Ok(None);
        }
    }
    if base == 0 && !underscores_fit(text) {
        return Err(invalid());
    }
    Ok(Some(value))
}

/// Whether underscores are only between digits, and after the prefix of a base.
fn underscores_fit(text: &[u8]) -> bool {
    let (mut before, is_hex, text) = match text {
        [b'-' | b'+', rest @ ..] => (b'^', false, rest),
        _ => (b'^', false, text),
    };
    let (mut is_hex, mut text) = (is_hex, text);
    if let [b'0', base, rest @ ..] = text
        && matches!(base.to_ascii_lowercase(), b'b' | b'o' | b'x')
    {
        (before, is_hex, text) = (b'0', base.eq_ignore_ascii_case(&b'x'), rest);
    }
    for byte in text {
        let is_digit = byte.is_ascii_digit() || is_hex && byte.is_ascii_hexdigit();
        if is_digit {
            before = b'0';
        } else if *byte == b'_' {
            if before != b'0' {
                return false;
            }
            before = b'_';
        } else {
            if before == b'_' {
                return false;
            }
            before = b'!';
        }
    }
    before != b'_'
}

/// Parses a float: `strconv.ParseFloat`.
///
/// # Errors
/// Go's message.
pub fn parse_float(text: &[u8], bits: i64) -> Result<f64> {
    let fail = |reason: &str| number_error("ParseFloat", text, reason);
    let (negative, body) = match text {
        [b'+', rest @ ..] => (false, rest),
        [b'-', rest @ ..] => (true, rest),
        _ => (false, text),
    };
    let lower = body.to_ascii_lowercase();
    let sign = if negative { -1.0 } else { 1.0 };
    match &lower[..] {
        b"inf" | b"infinity" => return Ok(f64::INFINITY * sign),
        b"nan" if body.len() == text.len() => return Ok(f64::NAN),
        _ => {}
    }
    let is_hex = lower.starts_with(b"0x");
    if lower.contains(&b'_') && !underscores_fit(text) {
        return Err(fail("invalid syntax"));
    }
    let lower: Vec<u8> = lower.into_iter().filter(|b| *b != b'_').collect();
    let lower = std::str::from_utf8(&lower).map_err(|_| fail("invalid syntax"))?;
    let value = if is_hex { hexadecimal(lower, bits) } else { decimal(lower, bits) };
    let value = value.ok_or_else(|| fail("invalid syntax"))?;
    if value.is_infinite() { Err(fail(OUT_OF_RANGE)) } else { Ok(value * sign) }
}

fn decimal(text: &str, bits: i64) -> Option<f64> {
    let is_decimal = text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'.' | b'e' | b'+' | b'-'));
    if !is_decimal || text.starts_with(['+', '-']) {
        return None;
    }
    if bits == 32 {
        return text.parse::<f32>().ok().map(f64::from);
    }
    text.parse().ok()
}

/// `0x1.8p3`; the exponent must be there.
fn hexadecimal(text: &str, bits: i64) -> Option<f64> {
    let (mantissa, exponent) = text.strip_prefix("0x")?.split_once('p')?;
    let digits = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let magnitude = digits.parse::<i64>().unwrap_or(i64::MAX).min(100_000_000);
    let exponent = if exponent.starts_with('-') { -magnitude } else { magnitude };
    let (whole, part) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    if whole.is_empty() && part.is_empty() {
        return None;
    }
    let (mut value, mut shift, mut is_inexact) = (0_u128, 0_i64, false);
    for (digit, is_part) in whole.chars().map(|c| (c, false)).chain(part.chars().map(|c| (c, true)))
    {
        let digit = digit.to_digit(16)?;
        if value >> 100 == 0 {
            value = value << 4 | u128::from(digit);
            shift -= if is_part { 4 } else { 0 };
        } else {
            is_inexact |= digit != 0;
            shift += if is_part { 0 } else { 4 };
        }
    }
    Some(scale(value, is_inexact, exponent.saturating_add(shift), bits == 32))
}

/// `value * 2^exponent`, rounded to even.
fn scale(value: u128, is_inexact: bool, exponent: i64, is_single: bool) -> f64 {
    if value == 0 {
        return 0.0;
    }
    let (precision, lowest, highest) = if is_single { (24, -149, 127) } else { (53, -1074, 1023) };
    let bits = i64::from(128 - value.leading_zeros());
    // The last bit that is kept has this power.
    let last = (exponent + bits - precision).max(lowest);
    let drop = last - exponent;
    let kept = if drop <= 0 {
        value << (-drop).clamp(0, 64)
    } else if drop > 127 {
        0
    } else {
        let kept = value >> drop;
        let rest = value & ((1 << drop) - 1);
        let half = 1_u128 << (drop - 1);
        let up = rest > half || rest == half && (is_inexact || kept & 1 == 1);
        kept + u128::from(up)
    };
    let top = i64::from(128 - kept.leading_zeros()) - 1 + last;
    if kept != 0 && top > highest {
        return f64::INFINITY;
    }
    let mut result = kept as f64;
    let mut power = last;
    while power != 0 && result != 0.0 {
        let step = power.clamp(-1000, 1000);
        result *= 2_f64.powi(i32::try_from(step).unwrap_or(0));
        power -= step;
    }
    result
}

/// Parses a boolean: `1 t T true TRUE True` and the opposites.
pub fn parse_bool(text: &[u8]) -> Option<bool> {
    match text {
        b"1" | b"t" | b"T" | b"true" | b"TRUE" | b"True" => Some(true),
        b"0" | b"f" | b"F" | b"false" | b"FALSE" | b"False" => Some(false),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn floats_are_printed_by_verb() {
        assert_eq!(float(1e23, b'f', None), "100000000000000000000000");
        assert_eq!(float(-0.0, b'f', None), "-0");
        assert_eq!(float(1e21, b'g', None), "1e+21");
        assert_eq!(float(123_456_789.0, b'g', Some(4)), "1.235e+08");
        assert_eq!(float(100_000.0, b'g', Some(3)), "1e+05");
        assert_eq!(float(0.5, b'e', Some(6)), "5.000000e-01");
        assert_eq!(float(f64::NEG_INFINITY, b'g', None), "-Inf");
    }

    #[test]
    fn integers_are_read_and_printed() {
        assert_eq!(parse_int("ParseInt", b"-0x_1f", 0, 64).unwrap(), -31);
        assert_eq!(parse_int("ParseInt", b"017", 0, 64).unwrap(), 15);
        assert_eq!(parse_int("ParseInt", b"-128", 10, 8).unwrap(), -128);
        let error = |text: &[u8], base, bits| {
            parse_int("ParseInt", text, base, bits).unwrap_err().to_string()
        };
        assert_eq!(error(b"12x", 10, 64), r#"strconv.ParseInt: parsing "12x": invalid syntax"#);
        assert_eq!(error(b"128", 10, 8), r#"strconv.ParseInt: parsing "128": value out of range"#);
        assert_eq!(error(b"1", 37, 0), r#"strconv.ParseInt: parsing "1": invalid base 37"#);
        assert_eq!(format_int(i64::MIN, 36).unwrap(), "-1y2p0ij32e8e8");
        assert!(format_int(1, 1).is_err());
    }

    #[test]
    fn floats_are_read() {
        assert_eq!(parse_float(b"0x1.8p1", 64).unwrap(), 3.0);
        assert_eq!(parse_float(b"0x1p-1074", 64).unwrap(), f64::from_bits(1));
        assert_eq!(parse_float(b"-.5e1", 64).unwrap(), -5.0);
        for bad in ["", "+", "1__0", "0x1", "1e", "infx", "+nan", "1e400", "0x1p1024"] {
            assert!(parse_float(bad.as_bytes(), 64).is_err(), "{bad}");
        }
    }
}
