//! Prints floats in each dialect, and parses them by Ruby's rules.

use crate::{Error, Result};

/// The maximum length of a float's text, in bytes.
const MAX_LENGTH: usize = 1 << 14;

/// The shortest digits that read back as the same number, and the decimal exponent of the first.
fn shortest(value: f64) -> (String, i32) {
    let text = format!("{:e}", value.abs());
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let mut digits: String = mantissa.chars().filter(char::is_ascii_digit).collect();
    to_even(value, &mut digits);
    (digits, exponent.parse().unwrap_or(0))
}

/// Of two equally near shortest texts, chooses the one with an even last digit.
fn to_even(value: f64, digits: &mut String) {
    const TIES_BEGIN: usize = 15;
    let Some(last) = digits.chars().last().and_then(|c| c.to_digit(10)) else { return };
    if digits.len() < TIES_BEGIN || last % 2 == 0 {
        return;
    }
    let exact = format!("{:.60e}", value.abs());
    let expansion: String =
        exact.split('e').next().unwrap_or_default().chars().filter(char::is_ascii_digit).collect();
    let Some(even) = char::from_digit(last - 1, 10) else { return };
    let mut lower = digits[..digits.len() - 1].to_string();
    lower.push(even);
    let is_tie = expansion
        .strip_prefix(lower.as_str())
        .and_then(|rest| rest.strip_prefix('5'))
        .is_some_and(|rest| rest.bytes().all(|b| b == b'0'));
    if is_tie {
        *digits = lower;
    }
}

/// Digits with a decimal point, without an exponent; whole numbers end in `.0`.
fn positional(digits: &str, exponent: i32) -> String {
    let count = digits.len() as i32;
    if exponent < 0 {
        return format!("0.{}{digits}", "0".repeat((-exponent - 1) as usize));
    }
    if exponent + 1 >= count {
        return format!("{digits}{}.0", "0".repeat((exponent + 1 - count) as usize));
    }
    let (whole, fraction) = digits.split_at((exponent + 1) as usize);
    format!("{whole}.{fraction}")
}

/// A float as Ruby's `Float#to_s` prints it.
///
/// ```
/// use ordain_functions::float::to_ruby;
/// assert_eq!(to_ruby(1e16), "1.0e+16");
/// assert_eq!(to_ruby(100000.0), "100000.0");
/// ```
pub fn to_ruby(value: f64) -> String {
    if value.is_nan() {
        return "NaN".into();
    }
    let sign = if value.is_sign_negative() { "-" } else { "" };
    if value.is_infinite() {
        return format!("{sign}Infinity");
    }
    if value == 0.0 {
        return format!("{sign}0.0");
    }
    let (digits, exponent) = shortest(value);
    if (-4..15).contains(&exponent) {
        return format!("{sign}{}", positional(&digits, exponent));
    }
    let (first, rest) = digits.split_at(1);
    let rest = if rest.is_empty() { "0" } else { rest };
    format!("{sign}{first}.{rest}e{}{:02}", exponent_sign(exponent), exponent.abs())
}

/// A float as Python's `repr` prints it.
///
/// ```
/// use ordain_functions::float::to_python;
/// assert_eq!(to_python(1e16), "1e+16");
/// assert_eq!(to_python(100000.0), "100000.0");
/// ```
pub fn to_python(value: f64) -> String {
    if value.is_nan() {
        return "nan".into();
    }
    let sign = if value.is_sign_negative() { "-" } else { "" };
    if value.is_infinite() {
        return format!("{sign}inf");
    }
    if value == 0.0 {
        return format!("{sign}0.0");
    }
    let (digits, exponent) = shortest(value);
    if (-4..16).contains(&exponent) {
        return format!("{sign}{}", positional(&digits, exponent));
    }
    format!("{sign}{}e{}{:02}", point_after_first(&digits), exponent_sign(exponent), exponent.abs())
}

/// Parses a float like Python's `float(text)`: accepts surrounding space, single underscores
/// between digits, an exponent, and `inf`, `infinity` and `nan` in any case.
///
/// # Errors
/// `could not convert string to float: 'x'`
pub fn parse_python(text: &str) -> Result<f64> {
    read_python(text).ok_or_else(|| {
        let shown = crate::text::repr_python(text);
        Error::Number(format!("could not convert string to float: {shown}"))
    })
}

fn read_python(text: &str) -> Option<f64> {
    let trimmed = text.trim_matches(crate::text::is_python_space);
    if trimmed.len() > MAX_LENGTH {
        return None;
    }
    let unsigned = trimmed.strip_prefix(['+', '-']).unwrap_or(trimmed);
    let sign = if trimmed.starts_with('-') { -1.0 } else { 1.0 };
    match unsigned.to_ascii_lowercase().as_str() {
        "inf" | "infinity" => return Some(sign * f64::INFINITY),
        "nan" => return Some(sign * f64::NAN),
        _ => {}
    }
    let plain = crate::integer::without_underscores(unsigned)?;
    let (mantissa, _) = plain.split_once(['e', 'E']).unwrap_or((&plain, ""));
    let has_digit = mantissa.bytes().any(|b| b.is_ascii_digit());
    let is_plain = plain.bytes().all(|b| b.is_ascii_digit() || b"+-.eE".contains(&b));
    if !has_digit || !is_plain || plain.starts_with(['+', '-']) {
        return None;
    }
    Some(sign * plain.parse::<f64>().ok()?)
}

/// A float as Go's `%v` prints it.
pub fn to_go(value: f64) -> String {
    if value.is_nan() {
        return "NaN".into();
    }
    let sign = if value.is_sign_negative() { "-" } else { "" };
    if value.is_infinite() {
        return format!("{}Inf", if sign.is_empty() { "+" } else { sign });
    }
    if value == 0.0 {
        return format!("{sign}0");
    }
    let (digits, exponent) = shortest(value);
    if (-4..21).contains(&exponent) {
        let text = positional(&digits, exponent);
        return format!("{sign}{}", text.strip_suffix(".0").unwrap_or(&text));
    }
    format!("{sign}{}e{}{:02}", point_after_first(&digits), exponent_sign(exponent), exponent.abs())
}

fn point_after_first(digits: &str) -> String {
    let (first, rest) = digits.split_at(1);
    if rest.is_empty() { first.to_string() } else { format!("{first}.{rest}") }
}

fn exponent_sign(exponent: i32) -> char {
    if exponent < 0 { '-' } else { '+' }
}

/// Parses a float like Ruby's `Float(text)`: accepts surrounding space, single underscores between
/// digits, an exponent, and hexadecimal notation.
///
/// # Errors
/// `invalid value for Float(): "x"`
pub fn parse_ruby(text: &str) -> Result<f64> {
    read(text).ok_or_else(|| {
        Error::Number(format!("invalid value for Float(): {}", crate::text::inspect_ruby(text)))
    })
}

fn read(text: &str) -> Option<f64> {
    let trimmed = text.trim_matches(|c: char| c.is_ascii_whitespace() || c == '\x0b');
    if trimmed.len() > MAX_LENGTH {
        return None;
    }
    let (sign, rest) = match trimmed.as_bytes().first()? {
        b'-' => (-1.0, &trimmed[1..]),
        b'+' => (1.0, &trimmed[1..]),
        _ => (1.0, trimmed),
    };
    if let Some(hex) = rest.strip_prefix("0x").or_else(|| rest.strip_prefix("0X")) {
        return Some(sign * read_hexadecimal(hex)?);
    }
    let (mantissa, exponent) = match rest.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (rest, None),
    };
    let (whole, fraction) = match mantissa.split_once('.') {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (mantissa, None),
    };
    let mut plain = String::with_capacity(rest.len() + 1);
    if whole.is_empty() {
        fraction?;
        plain.push('0');
    } else {
        push_digits(&mut plain, whole)?;
    }
    if let Some(fraction) = fraction {
        plain.push('.');
        push_digits(&mut plain, fraction)?;
    }
    if let Some(exponent) = exponent {
        plain.push('e');
        let digits = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
        if exponent.starts_with('-') {
            plain.push('-');
        }
        push_digits(&mut plain, digits)?;
    }
    Some(sign * plain.parse::<f64>().ok()?)
}

/// Appends digits without their underscores, which must be between digits; requires at least one
/// digit.
fn push_digits(plain: &mut String, text: &str) -> Option<()> {
    let valid = !text.is_empty()
        && !text.starts_with('_')
        && !text.ends_with('_')
        && !text.contains("__")
        && text.bytes().all(|b| b.is_ascii_digit() || b == b'_');
    if !valid {
        return None;
    }
    plain.extend(text.chars().filter(|&c| c != '_'));
    Some(())
}

fn read_hexadecimal(text: &str) -> Option<f64> {
    let (mantissa, exponent) = match text.split_once(['p', 'P']) {
        Some((mantissa, exponent)) => (mantissa, exponent.parse::<i32>().ok()?),
        None => (text, 0),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, "0"));
    if whole.is_empty() || fraction.is_empty() {
        return None;
    }
    let mut value = 0.0_f64;
    for c in whole.chars() {
        value = value * 16.0 + f64::from(c.to_digit(16)?);
    }
    let mut unit = 1.0 / 16.0;
    for c in fraction.chars() {
        value += unit * f64::from(c.to_digit(16)?);
        unit /= 16.0;
    }
    Some(value * 2.0_f64.powi(exponent.clamp(-4000, 4000)))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn ruby_prints_a_point_always() {
        for (value, text) in [
            (1e16, "1.0e+16"),
            (1e15, "1.0e+15"),
            (1e14, "100000000000000.0"),
            (1e-5, "1.0e-05"),
            (0.0001, "0.0001"),
            (-0.0, "-0.0"),
            (1.5e300, "1.5e+300"),
            (f64::NEG_INFINITY, "-Infinity"),
            (f64::NAN, "NaN"),
            (123.456, "123.456"),
            (70842665958952.62, "70842665958952.62"),
        ] {
            assert_eq!(to_ruby(value), text);
        }
    }

    #[test]
    fn python_reads_what_it_prints() {
        for (value, text) in [
            (1e16, "1e+16"),
            (1e-5, "1e-05"),
            (-0.0, "-0.0"),
            (1.5e300, "1.5e+300"),
            (123.456, "123.456"),
            (f64::INFINITY, "inf"),
        ] {
            assert_eq!(to_python(value), text);
            assert_eq!(parse_python(text).unwrap(), value);
        }
        assert_eq!(parse_python(" +1_0.5e3 ").unwrap(), 10500.0);
        assert_eq!(parse_python("1.").unwrap(), 1.0);
        assert!(parse_python("NaN").unwrap().is_nan());
        for text in ["", ".", "1__0", "1_", "0x1", "1e", "--1", "e5"] {
            assert!(parse_python(text).is_err(), "{text}");
        }
    }

    #[test]
    fn python_and_go_differ() {
        assert_eq!(to_go(1e16), "10000000000000000");
        assert_eq!(to_go(1e21), "1e+21");
        assert_eq!(to_go(1.25e-7), "1.25e-07");
        assert_eq!(to_go(f64::INFINITY), "+Inf");
    }

    #[test]
    fn reads_what_ruby_reads() {
        for (text, value) in [
            ("1_0.5e3", 10500.0),
            (".5", 0.5),
            (" -1.5 ", -1.5),
            ("0x1p3", 8.0),
            ("0xA.8", 10.5),
            ("1e5", 1e5),
        ] {
            assert_eq!(parse_ruby(text).unwrap(), value, "{text}");
        }
        for text in ["1.", "", "1e", "1__0", "0x", "1e5x", "infinity", "nan", "1.e5", "e5"] {
            assert!(parse_ruby(text).is_err(), "{text}");
        }
    }
}
