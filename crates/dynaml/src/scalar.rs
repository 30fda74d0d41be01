//! The meaning of plain YAML scalars by YAML 1.1, as libyaml reads it.

use std::borrow::Cow;
use std::sync::Arc;

use ecow::EcoString;
use ordain_data::yaml::Schema;

use crate::value::Value;

/// The value of a plain scalar.
///
/// ```
/// use ordain_dynaml::scalar::plain;
/// assert_eq!(format!("{:?}", plain("0755")), "Int(493)");
/// assert_eq!(format!("{:?}", plain("yes")), "Bool(true)");
/// assert_eq!(format!("{:?}", plain("2016-01-02")), "Str(\"2016-01-02\")");
/// ```
pub fn plain(text: &str) -> Value {
    other_than_text(text).unwrap_or_else(|| Value::str(text))
}

/// The value of a plain scalar, unless it is text.
pub fn other_than_text(text: &str) -> Option<Value> {
    match text.as_bytes().first() {
        None => Some(Value::Null),
        Some(b'0'..=b'9' | b'+' | b'-') => number(text),
        Some(b'.') => dotted(text).map(Value::Float),
        Some(b'~' | b'n' | b'N') if matches!(text, "~" | "null" | "Null" | "NULL") => {
            Some(Value::Null)
        }
        Some(b'y' | b'Y' | b'n' | b'N' | b'o' | b'O' | b't' | b'T' | b'f' | b'F') => {
            boolean(text).map(Value::Bool)
        }
        _ => None,
    }
}

fn boolean(text: &str) -> Option<bool> {
    const WORDS: [(&str, bool); 8] = [
        ("y", true),
        ("yes", true),
        ("on", true),
        ("true", true),
        ("n", false),
        ("no", false),
        ("off", false),
        ("false", false),
    ];
    if text.len() > 5 {
        return None;
    }
    WORDS.iter().find(|(word, _)| text.eq_ignore_ascii_case(word)).map(|(_, value)| *value)
}

fn dotted(text: &str) -> Option<f64> {
    match text.to_ascii_lowercase().as_str() {
        ".inf" => Some(f64::INFINITY),
        ".nan" => Some(f64::NAN),
        _ => float(text),
    }
}

/// A number that starts with a sign or a digit.
fn number(text: &str) -> Option<Value> {
    let clean = if text.contains('_') { text.replace('_', "").into() } else { Cow::from(text) };
    let (negative, body) = match clean.as_bytes().first() {
        Some(b'-') => (true, &clean[1..]),
        Some(b'+') => (false, &clean[1..]),
        _ => (false, &clean[..]),
    };
    if body == "0" {
        return Some(Value::Int(0));
    }
    let prefixed = |prefix: [&str; 2], radix| {
        let digits = prefix.iter().find_map(|p| body.strip_prefix(p))?;
        integer(negative, digits, radix)
    };
    prefixed(["0x", "0X"], 16)
        .or_else(|| prefixed(["0b", "0B"], 2))
        .or_else(|| prefixed(["0o", "0O"], 8))
        .or_else(|| body.strip_prefix('0').and_then(|digits| integer(negative, digits, 8)))
        .or_else(|| if body.starts_with('0') { None } else { integer(negative, body, 10) })
        .map(Value::Int)
        .or_else(|| special(negative, body).or_else(|| float(&clean)).map(Value::Float))
}

fn integer(negative: bool, digits: &str, radix: u32) -> Option<i64> {
    if digits.is_empty() || !digits.bytes().all(|b| char::from(b).is_digit(radix)) {
        return None;
    }
    if let Ok(n) = i64::from_str_radix(digits, radix) {
        return Some(if negative { -n } else { n });
    }
    let n = i128::from_str_radix(digits, radix).ok()?;
    i64::try_from(if negative { -n } else { n }).ok()
}

fn special(negative: bool, body: &str) -> Option<f64> {
    let infinite = matches!(body.to_ascii_lowercase().as_str(), ".inf" | "inf" | "infinity");
    infinite.then_some(if negative { f64::NEG_INFINITY } else { f64::INFINITY })
}

/// A decimal number with a point or an exponent, or of too many digits for an integer.
fn float(text: &str) -> Option<f64> {
    let plain = text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'.' | b'e' | b'E' | b'+' | b'-'));
    (plain && text.bytes().any(|b| b.is_ascii_digit())).then(|| text.parse().ok())?
}

/// The value of a scalar with the tag `!!binary`: text if it is UTF-8.
pub fn binary(text: &EcoString) -> Value {
    let is_base64 = |b: u8| b.is_ascii_alphanumeric() || b"+/= \n\r\t".contains(&b);
    if !text.bytes().all(is_base64) {
        return Value::Str(text.clone());
    }
    let tree = ordain_data::yaml::Tree::parse(&format!("!!binary \"{text}\""));
    match tree.and_then(|t| t.value(Schema::Core)) {
        Ok(ordain_data::Value::Str(s)) => Value::Str(s),
        Ok(ordain_data::Value::Bytes(b)) => {
            Value::str(String::from_utf8_lossy(&Arc::clone(&b)).into_owned())
        }
        _ => Value::Str(text.clone()),
    }
}

/// Whether a plain text would be read as something other than text.
pub fn is_ambiguous(text: &str) -> bool {
    other_than_text(text).is_some() || is_timestamp(text)
}

/// `2016-01-02`, with an optional time.
fn is_timestamp(text: &str) -> bool {
    let bytes = text.as_bytes();
    let digits = |from: usize| bytes[from..].iter().take_while(|b| b.is_ascii_digit()).count();
    if bytes.len() < 8 || digits(0) != 4 || bytes[4] != b'-' {
        return false;
    }
    let month = digits(5);
    if !(1..=2).contains(&month) || bytes.get(5 + month) != Some(&b'-') {
        return false;
    }
    let day = digits(6 + month);
    if !(1..=2).contains(&day) {
        return false;
    }
    let rest = &text[6 + month + day..];
    if rest.is_empty() {
        return month == 2 && day == 2;
    }
    let rest = rest.trim_start_matches(['T', 't', ' ', '\t']);
    rest.len() >= 7 && rest.as_bytes()[0].is_ascii_digit() && rest.contains(':')
}
