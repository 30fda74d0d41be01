//! Numbers in texts.

use crate::value::Value;

/// Parses a number: decimal, hexadecimal, octal or floating point, with an optional sign and
/// surrounding blanks.
pub fn to_number(text: &str) -> Option<Value> {
    let blank = |c: char| c == ' ' || c == '\t';
    let text = text.strip_prefix("::").unwrap_or(text).trim_matches(blank);
    let (negative, digits) = match text.as_bytes().first()? {
        b'-' => (true, text[1..].trim_start_matches(blank)),
        b'+' => (false, text[1..].trim_start_matches(blank)),
        _ => (false, text),
    };
    let integer = |digits: &str, radix| {
        let value = i128::from_str_radix(digits, radix).ok()?;
        let value = if negative { -value } else { value };
        i64::try_from(value).ok().map(Value::Int)
    };
    let bytes = digits.as_bytes();
    if !bytes.first()?.is_ascii_digit() {
        return None;
    }
    if let Some(hex) = digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
        return hex.bytes().all(|b| b.is_ascii_hexdigit()).then(|| integer(hex, 16))?;
    }
    if bytes.iter().all(u8::is_ascii_digit) {
        return match bytes {
            [b'0', _, ..] => integer(&digits[1..], 8),
            _ => integer(digits, 10),
        };
    }
    if !is_float_text(digits) {
        return None;
    }
    let value: f64 = digits.parse().ok().filter(|f: &f64| f.is_finite())?;
    let whole_is_zero = digits.split(['.', 'e', 'E']).next()?.bytes().all(|b| b == b'0');
    let with_exponent = digits.contains(['e', 'E']);
    let zero = whole_is_zero && with_exponent && value == 0.0;
    (!zero).then_some(Value::Float(if negative { -value } else { value }))
}

/// Whether text is digits with a fraction, an exponent or both.
fn is_float_text(text: &str) -> bool {
    let digits = |s: &str| !s.is_empty() && s.bytes().all(|b| b.is_ascii_digit());
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (text, None),
    };
    let mantissa_fits = match mantissa.split_once('.') {
        Some((whole, fraction)) => digits(whole) && digits(fraction),
        None => digits(mantissa),
    };
    mantissa_fits && exponent.is_none_or(|e| digits(e.strip_prefix('-').unwrap_or(e)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_numbers_as_a_whole() {
        assert_eq!(to_number("- 010"), Some(Value::Int(-8)));
        assert_eq!(to_number("1e"), None);
    }
}
