//! Scalars as Ruby's Psych 4 reads them (`Psych::ScalarScanner`): the types of YAML 1.1 with
//! symbols, dates and times, and some odd cases that real files rely on.

use std::sync::Arc;

use ecow::EcoString;
use num_bigint::BigInt;

use super::error::{ErrorKind, ScalarError};
use crate::Value;
use crate::number::{MAX_DIGITS, big, integer};

/// The only key of a map that represents a symbol of Ruby, as
/// [`Schema::PsychSymbols`](super::Schema::PsychSymbols) returns it.
pub const SYMBOL: &str = "!ruby/symbol";

/// The value of a plain scalar in Ruby.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Scalar<'a> {
    /// Text.
    Text,
    /// Nothing, a boolean or a number.
    Value(Value),
    /// A symbol, without its colon.
    Symbol(&'a str),
    /// A date; only its format is checked.
    Date,
    /// A time; only its format is checked.
    Time,
    /// Ruby raises an error with this text.
    Refused(String),
}

/// The value of a plain scalar, as `safe_load` with permitted symbols returns it.
pub(super) fn value(text: &str) -> Result<Value, ScalarError> {
    match scan(text) {
        Scalar::Text => Ok(Value::str(text)),
        Scalar::Value(v) => Ok(v),
        Scalar::Symbol(name) => Ok(Value::str(name)),
        Scalar::Date => Err(unspecified("Date")),
        Scalar::Time => Err(unspecified("Time")),
        Scalar::Refused(why) => Err(why.into()),
    }
}

/// Like [`value`], but a symbol becomes a map that marks it.
pub(super) fn value_with_symbols(text: &str) -> Result<Value, ScalarError> {
    match scan(text) {
        Scalar::Symbol(name) => Ok(symbol_value(name)),
        _ => value(text),
    }
}

/// A symbol as a map that marks it.
pub(super) fn symbol_value(name: &str) -> Value {
    Value::map([(SYMBOL, Value::str(name))])
}

/// Whether a scalar with this tag is a symbol.
pub(super) fn is_symbol_tag(tag: &str) -> bool {
    tag.starts_with("!ruby/sym")
}

/// Like [`value`], but dates and times are text.
pub(super) fn value_with_dates(text: &str) -> Result<Value, ScalarError> {
    match scan(text) {
        Scalar::Date | Scalar::Time => Ok(Value::str(text)),
        _ => value(text),
    }
}

fn unspecified(class: &str) -> ScalarError {
    ScalarError {
        kind: ErrorKind::UnspecifiedClass,
        message: format!("Tried to load unspecified class: {class}"),
    }
}

/// The value of a scalar with a tag, whether quoted or not. `plain` reads scalars whose tag is
/// unknown.
pub(super) fn tagged(
    tag: &str,
    text: &EcoString,
    plain: impl Fn(&str) -> Result<Value, ScalarError>,
) -> Result<Value, ScalarError> {
    match tag {
        "!binary" | "tag:yaml.org,2002:binary" => {
            return Ok(match String::from_utf8(unpack_base64(text)) {
                Ok(text) => text.into(),
                Err(e) => Value::Bytes(Arc::from(e.into_bytes())),
            });
        }
        "!str" | "!ruby/string" | "tag:yaml.org,2002:str" => return Ok(Value::Str(text.clone())),
        "tag:yaml.org,2002:float" | "!float" => return float(text),
        _ => {}
    }
    if let Some(class) = string_class(tag) {
        return if class.is_empty() {
            Ok(Value::Str(text.clone()))
        } else {
            Err(unspecified(class))
        };
    }
    if is_symbol_tag(tag) {
        return Ok(Value::Str(text.clone()));
    }
    let refused = match tag {
        "!ruby/object:BigDecimal" => "BigDecimal",
        "!ruby/object:DateTime" => "DateTime",
        "!ruby/object:Complex" => "Complex",
        "!ruby/object:Rational" => "Rational",
        "!ruby/regexp" => "Regexp",
        "!ruby/range" => "Range",
        "!ruby/class" | "!ruby/module" => text,
        _ => return plain(text),
    };
    Err(unspecified(refused))
}

fn string_class(tag: &str) -> Option<&str> {
    tag.strip_prefix("!str:").or_else(|| tag.strip_prefix("!ruby/string:"))
}

fn float(text: &str) -> Result<Value, ScalarError> {
    match scan(text) {
        Scalar::Value(Value::Float(x)) => Ok(Value::Float(x)),
        Scalar::Value(Value::Int(n)) => Ok(Value::Float(n as f64)),
        Scalar::Value(Value::BigInt(n)) => Ok(Value::Float(n.parse().unwrap_or(f64::NAN))),
        Scalar::Text if is_ruby_float(text) => Ok(Value::Float(text.parse().unwrap_or(f64::NAN))),
        _ => Err(format!("invalid value for Float(): {text:?}").into()),
    }
}

/// Digits, an optional fraction with a digit on each side, an optional exponent.
fn is_ruby_float(text: &str) -> bool {
    let body = text.strip_prefix(['-', '+']).unwrap_or(text);
    let (mantissa, exponent) = match body.find(['e', 'E']) {
        Some(at) => (&body[..at], Some(&body[at + 1..])),
        None => (body, None),
    };
    let digits = |s: &str| !s.is_empty() && s.bytes().all(|b| b.is_ascii_digit());
    let exponent = exponent.map(|e| e.strip_prefix(['-', '+']).unwrap_or(e));
    let mantissa_ok = match mantissa.split_once('.') {
        Some((whole, fraction)) => digits(whole) && digits(fraction),
        None => digits(mantissa),
    };
    mantissa_ok && exponent.is_none_or(digits)
}

/// Whether `safe_load` accepts this tag on a list or map.
pub(super) fn check_container_tag(tag: &str, is_map: bool) -> Result<(), ScalarError> {
    let refused = |class: &str| Err(unspecified(class));
    if !is_map {
        let class = tag.strip_prefix("!seq:").or_else(|| tag.strip_prefix("!ruby/array:"));
        return class.filter(|c| !c.is_empty()).map_or(Ok(()), refused);
    }
    if matches!(tag, "!set" | "tag:yaml.org,2002:set") {
        return refused("Psych::Set");
    }
    if matches!(tag, "!omap" | "tag:yaml.org,2002:omap") {
        return refused("Psych::Omap");
    }
    if tag == "!ruby/object:Hash" {
        return Ok(());
    }
    let families = [
        ("!ruby/object", "Object"),
        ("!ruby/struct", "Struct"),
        ("!ruby/exception", "Exception"),
        ("!ruby/range", "Range"),
        ("!ruby/array", "Array"),
        ("!ruby/hash-with-ivars", "Hash"),
        ("!ruby/marshalable", "Object"),
        ("!map:", "Hash"),
        ("!ruby/hash:", "Hash"),
        ("!ruby/string:", "String"),
        ("!str:", "String"),
    ];
    for (prefix, class) in families {
        if let Some(named) = tag.strip_prefix(prefix) {
            let named = named.trim_start_matches(':');
            return refused(if named.is_empty() { class } else { named });
        }
    }
    Ok(())
}

/// Decodes base64 like Ruby's `unpack('m')`: other characters are skipped, padding ends it.
pub(super) fn unpack_base64(text: &str) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len() / 4 * 3);
    let (mut bits, mut count) = (0u32, 0u32);
    for b in text.bytes() {
        let digit = match b {
            b'A'..=b'Z' => b - b'A',
            b'a'..=b'z' => b - b'a' + 26,
            b'0'..=b'9' => b - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            b'=' => break,
            _ => continue,
        };
        bits = (bits << 6 | u32::from(digit)) & 0xff_ffff;
        count += 6;
        if count >= 8 {
            count -= 8;
            out.push((bits >> count & 0xff) as u8);
        }
    }
    out
}

/// Reads a plain scalar. Without a tag, quoted ones are always text.
pub(super) fn scan(text: &str) -> Scalar<'_> {
    if text.is_empty() {
        return Scalar::Value(Value::Null);
    }
    if looks_like_text(text) || text.contains('\n') {
        return word(text);
    }
    if let Some(when) = date_or_time(text) {
        return when;
    }
    if let Some(special) = special_float(text) {
        return Scalar::Value(Value::Float(special));
    }
    if let Some(name) = text.strip_prefix(':') {
        return if name.is_empty() { Scalar::Text } else { Scalar::Symbol(symbol(name)) };
    }
    if !text.bytes().any(|b| b.is_ascii_digit()) && !text.contains('.') {
        return Scalar::Text;
    }
    sexagesimal(text)
        .or_else(|| decimal_float(text))
        .or_else(|| whole(text))
        .unwrap_or(Scalar::Text)
}

/// Whether one of the first two characters excludes a number.
fn looks_like_text(text: &str) -> bool {
    let tells = |c: char| c.is_alphabetic() || matches!(c, '_' | ' ' | '\t'..='\r') || is_sign(c);
    let mut chars = text.chars();
    let Some(first) = chars.next() else { return false };
    if tells(first) {
        return true;
    }
    !first.is_ascii_digit() && !matches!(first, '.' | ':' | '-') && chars.next().is_some_and(tells)
}

fn is_sign(c: char) -> bool {
    "!@#$%^&*(){}<>|/\\~;=".contains(c)
}

/// Ruby matches these words on any line of the text.
fn word(text: &str) -> Scalar<'_> {
    if text.chars().count() > 5 {
        return Scalar::Text;
    }
    let may_start =
        |line: &str| line.starts_with(['y', 't', 'o', 'n', 'f', '~', 'Y', 'T', 'O', 'N', 'F']);
    let body = text.strip_suffix('\n').unwrap_or(text);
    if !body.split('\n').all(may_start) {
        return Scalar::Text;
    }
    let any =
        |words: &[&str]| body.split('\n').any(|l| words.iter().any(|w| l.eq_ignore_ascii_case(w)));
    if text == "~" || any(&["null"]) {
        Scalar::Value(Value::Null)
    } else if any(&["yes", "true", "on"]) {
        Scalar::Value(Value::Bool(true))
    } else if any(&["no", "false", "off"]) {
        Scalar::Value(Value::Bool(false))
    } else {
        Scalar::Text
    }
}

fn special_float(text: &str) -> Option<f64> {
    let body = text.strip_prefix(['+', '-']).unwrap_or(text);
    if body.eq_ignore_ascii_case(".inf") {
        return Some(if text.starts_with('-') { f64::NEG_INFINITY } else { f64::INFINITY });
    }
    text.eq_ignore_ascii_case(".nan").then_some(f64::NAN)
}

/// The name after the colon; quotes are removed, with everything after the closing one.
fn symbol(name: &str) -> &str {
    let quoted = name.chars().next().filter(|c| matches!(c, '"' | '\''));
    match quoted.and_then(|q| name[1..].rfind(q)) {
        Some(end) => {
            let inner = &name[1..=end];
            inner.strip_prefix(':').unwrap_or(inner)
        }
        None => name,
    }
}

/// Advances through a text by character classes.
struct Steps<'a>(&'a [u8]);

impl<'a> Steps<'a> {
    fn take(&mut self, most: usize, is: impl Fn(u8) -> bool) -> &'a [u8] {
        let n = self.0.iter().take(most).take_while(|b| is(**b)).count();
        let (taken, rest) = self.0.split_at(n);
        self.0 = rest;
        taken
    }

    fn digits(&mut self, least: usize, most: usize) -> Option<i64> {
        let taken = self.take(most, |b| b.is_ascii_digit());
        (taken.len() >= least)
            .then(|| taken.iter().fold(0, |n: i64, d| n.saturating_mul(10) + i64::from(d - b'0')))
    }

    fn one(&mut self, of: &[u8]) -> Option<u8> {
        let first = *self.0.first().filter(|b| of.contains(b))?;
        self.0 = &self.0[1..];
        Some(first)
    }
}

fn date_or_time(text: &str) -> Option<Scalar<'_>> {
    let mut at = Steps(text.as_bytes());
    let minus = at.one(b"-").is_some();
    at.digits(4, 4)?;
    at.one(b"-")?;
    let month = at.digits(1, 2)?;
    at.one(b"-")?;
    let day = at.digits(1, 2)?;
    if at.0.is_empty() {
        let valid = !minus && month <= 12 && day <= 31;
        return valid.then_some(Scalar::Date);
    }
    if at.one(b"Tt").is_none() && at.take(usize::MAX, is_space).is_empty() {
        return None;
    }
    at.digits(1, 2)?;
    for _ in 0..2 {
        at.one(b":")?;
        at.digits(2, 2)?;
    }
    if at.one(b".").is_some() {
        at.take(usize::MAX, |b| b.is_ascii_digit());
    }
    let rest = at.0;
    at.take(usize::MAX, is_space);
    if at.one(b"Z").is_none() && at.one(b"+-").is_some() {
        at.digits(1, 2)?;
        at.one(b":");
        at.digits(2, 2);
    } else if rest.first().is_some_and(|b| is_space(*b)) && at.0.is_empty() && !text.ends_with('Z')
    {
        return None;
    }
    at.0.is_empty().then_some(Scalar::Time)
}

fn is_space(b: u8) -> bool {
    matches!(b, b' ' | b'\t'..=b'\r')
}

/// `1:30:45` and `1:30:45.5`. Ruby reads two parts as hours and minutes.
fn sexagesimal(text: &str) -> Option<Scalar<'_>> {
    if !text.contains(':') || text.len() > MAX_DIGITS {
        return None;
    }
    let mut at = Steps(text.as_bytes());
    at.one(b"-+");
    at.digits(1, 1)?;
    at.take(usize::MAX, |b| b.is_ascii_digit() || b == b'_');
    let mut parts = 0;
    while parts < 2 && at.one(b":").is_some() {
        let first = at.take(2, |b| b.is_ascii_digit());
        if first.is_empty() || (first.len() == 2 && first[0] > b'5') {
            return None;
        }
        parts += 1;
    }
    if parts == 0 {
        return None;
    }
    let is_float = at.one(b".").is_some();
    if is_float {
        at.take(usize::MAX, |b| b.is_ascii_digit() || b == b'_');
    }
    if !at.0.is_empty() {
        return None;
    }
    let parts = text.split(':').zip([3600u32, 60, 1]);
    Some(Scalar::Value(if is_float {
        Value::Float(parts.map(|(p, n)| lenient_float(p) * f64::from(n)).sum())
    } else {
        big(parts.map(|(p, n)| lenient_int(p) * n).sum())
    }))
}

/// The leading digits with single `_` between them: Ruby's `to_i`.
fn lenient_int(text: &str) -> BigInt {
    let (minus, body) = match text.strip_prefix(['-', '+']) {
        Some(body) => (text.starts_with('-'), body),
        None => (false, text),
    };
    let n = BigInt::parse_bytes(lenient_digits(body).as_bytes(), 10).unwrap_or_default();
    if minus { -n } else { n }
}

fn lenient_digits(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '0'..='9' => out.push(c),
            '_' if !out.is_empty() && rest.peek().is_some_and(char::is_ascii_digit) => {}
            _ => break,
        }
    }
    out
}

/// The leading digits and fraction: Ruby's `to_f`.
fn lenient_float(text: &str) -> f64 {
    let sign = if text.starts_with('-') { "-" } else { "" };
    let body = text.strip_prefix(['-', '+']).unwrap_or(text);
    let (whole, fraction) = body.split_once('.').unwrap_or((body, ""));
    let digits = lenient_digits(whole);
    let fraction = if whole.ends_with('_') { String::new() } else { lenient_digits(fraction) };
    format!("{sign}{digits}.{fraction}0").parse().unwrap_or(0.0)
}

fn decimal_float(text: &str) -> Option<Scalar<'_>> {
    let mut at = Steps(text.as_bytes());
    at.one(b"-+");
    if at.digits(1, 1).is_some() {
        at.take(usize::MAX, |b| b.is_ascii_digit() || matches!(b, b'_' | b','));
    }
    at.one(b".")?;
    at.take(usize::MAX, |b| b.is_ascii_digit());
    if at.one(b"eE").is_some() {
        at.one(b"-+")?;
        at.digits(1, usize::MAX)?;
    }
    if !at.0.is_empty() || matches!(text, "." | "-." | "+.") {
        return None;
    }
    let body = text.strip_prefix(['-', '+']).unwrap_or(text);
    if body.starts_with(".e") || body.starts_with(".E") {
        let shown = text.replacen('.', "", 1);
        return Some(Scalar::Refused(format!("invalid value for Float(): {shown:?}")));
    }
    let clean: String = text.chars().filter(|c| !matches!(c, ',' | '_')).collect();
    clean.parse().ok().map(|x| Scalar::Value(Value::Float(x)))
}

fn whole(text: &str) -> Option<Scalar<'_>> {
    let body = text.strip_prefix(['-', '+']).unwrap_or(text);
    let bytes = body.as_bytes();
    let all = |digits: &str, is: fn(&u8) -> bool| {
        !digits.is_empty() && digits.bytes().all(|b| is(&b) || matches!(b, b'_' | b','))
    };
    let (digits, base, prefix) = match bytes {
        [b'0', b'b', ..] if all(&body[2..], |b| matches!(b, b'0' | b'1')) => (&body[2..], 2, "0b"),
        [b'0', b'x', ..] if all(&body[2..], u8::is_ascii_hexdigit) => (&body[2..], 16, "0x"),
        [b'0'] => (body, 10, ""),
        [b'0', ..] if all(&body[1..], |b| matches!(b, b'0'..=b'7')) => (body, 8, ""),
        [b'1'..=b'9', ..] if separated(bytes) => (body, 10, ""),
        _ => return None,
    };
    let clean: String = digits.chars().filter(|c| !matches!(c, ',' | '_')).collect();
    Some(match integer(text.starts_with('-'), &clean, base) {
        Some(n) => Scalar::Value(n),
        None if clean.len() > MAX_DIGITS => Scalar::Text,
        None => Scalar::Refused(format!("invalid value for Integer(): \"{prefix}{clean}\"")),
    })
}

/// Digits with single `_` or `,` between them.
fn separated(bytes: &[u8]) -> bool {
    bytes.iter().all(|b| b.is_ascii_digit() || matches!(b, b'_' | b','))
        && bytes.last().is_some_and(u8::is_ascii_digit)
        && bytes.windows(2).all(|w| w.iter().any(u8::is_ascii_digit))
}
