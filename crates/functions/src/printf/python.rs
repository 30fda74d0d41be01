//! Python's `format`: replacement fields in a text, and the format mini-language.
//!
//! ```
//! use ordain_functions::printf::python::{Arg, format, parse};
//! let pieces = parse("{name:>5}!")?;
//! let field = pieces[0].field.as_ref().expect("there is a field");
//! assert_eq!((field.name.as_str(), field.spec.as_str()), ("name", ">5"));
//! assert_eq!(format(&Arg::Str("ab"), ">5")?, "   ab");
//! assert_eq!(format(&Arg::Float(1234.5), ",.2f")?, "1,234.50");
//! # Ok::<(), ordain_functions::Error>(())
//! ```

use std::borrow::Cow;

use num_bigint::{BigInt, Sign};

use super::number;
use crate::{Error, Result, float};

/// The maximum width or precision, so that a short format does not fill the memory.
const MAX_WIDTH: usize = 1 << 20;

/// A value with its own mini-language.
#[derive(Clone, Debug)]
pub enum Arg<'a> {
    /// A truth value: an integer, but printed as `True` or `False` without a specification.
    Bool(bool),
    /// An integer.
    Int(Cow<'a, BigInt>),
    /// A float.
    Float(f64),
    /// A text.
    Str(&'a str),
}

/// A literal text and the replacement field after it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Piece {
    /// The text, with `{{` and `}}` unescaped.
    pub literal: String,
    /// The field, if there is one.
    pub field: Option<Field>,
}

/// A field between braces.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Field {
    /// The part before `!` and `:`.
    pub name: String,
    /// The character behind `!`.
    pub conversion: Option<char>,
    /// The part after `:`, unparsed: it may contain fields.
    pub spec: String,
}

fn error<T>(text: impl Into<String>) -> Result<T> {
    Err(Error::Format(text.into()))
}

/// Splits a text into literals and fields: Python's `string.Formatter().parse`.
///
/// # Errors
/// [`Error::Format`] with Python's message.
pub fn parse(text: &str) -> Result<Vec<Piece>> {
    let chars: Vec<char> = text.chars().collect();
    let mut pieces = Vec::new();
    let mut literal = String::new();
    let mut at = 0;
    while let Some(&c) = chars.get(at) {
        at += 1;
        match c {
            '{' | '}' if chars.get(at) == Some(&c) => {
                literal.push(c);
                at += 1;
            }
            '}' => return error("Single '}' encountered in format string"),
            '{' if at == chars.len() => return error("Single '{' encountered in format string"),
            '{' => {
                let field = read_field(&chars, &mut at)?;
                pieces.push(Piece { literal: std::mem::take(&mut literal), field: Some(field) });
            }
            c => literal.push(c),
        }
    }
    if !literal.is_empty() {
        pieces.push(Piece { literal, field: None });
    }
    Ok(pieces)
}

/// Reads a field behind its opening brace.
fn read_field(chars: &[char], at: &mut usize) -> Result<Field> {
    let (mut name, mut in_brackets, mut stop) = (String::new(), false, None);
    while let Some(&c) = chars.get(*at) {
        *at += 1;
        match c {
            '{' => return error("unexpected '{' in field name"),
            '[' => in_brackets = true,
            ']' => in_brackets = false,
            '}' | ':' | '!' if !in_brackets => {
                stop = Some(c);
                break;
            }
            _ => {}
        }
        name.push(c);
    }
    let mut conversion = None;
    if stop == Some('!') {
        let Some(&c) = chars.get(*at) else {
            return error("end of string while looking for conversion specifier");
        };
        conversion = Some(c);
        *at += 1;
        match chars.get(*at) {
            Some('}') => stop = Some('}'),
            Some(':') | None => stop = Some(':'),
            Some(_) => return error("expected ':' after conversion specifier"),
        }
        *at += 1;
    }
    match stop {
        Some('}') => Ok(Field { name, conversion, spec: String::new() }),
        Some(_) => Ok(Field { name, conversion, spec: read_spec(chars, at)? }),
        None => error("expected '}' before end of string"),
    }
}

fn read_spec(chars: &[char], at: &mut usize) -> Result<String> {
    let (mut spec, mut depth) = (String::new(), 1);
    while let Some(&c) = chars.get(*at) {
        *at += 1;
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Ok(spec);
        }
        spec.push(c);
    }
    error("unmatched '{' in format spec")
}

impl Arg<'_> {
    fn type_name(&self) -> &'static str {
        match self {
            Self::Bool(_) => "bool",
            Self::Int(_) => "int",
            Self::Float(_) => "float",
            Self::Str(_) => "str",
        }
    }

    fn plain(&self) -> String {
        match self {
            Self::Bool(true) => "True".into(),
            Self::Bool(false) => "False".into(),
            Self::Int(value) => value.to_string(),
            Self::Float(value) => float::to_python(*value),
            Self::Str(text) => (*text).into(),
        }
    }
}

/// Formats a value: Python's `format(value, spec)`.
///
/// # Errors
/// [`Error::Format`] with Python's message.
pub fn format(arg: &Arg<'_>, spec: &str) -> Result<String> {
    if spec.is_empty() {
        return Ok(arg.plain());
    }
    let type_name = arg.type_name();
    let is_text = matches!(arg, Arg::Str(_));
    let spec = Spec::read(spec, type_name, is_text)?;
    match arg {
        Arg::Str(text) => spec.text(text),
        Arg::Float(value) => spec.float(*value, type_name),
        Arg::Int(value) => spec.integer(value, type_name),
        Arg::Bool(value) => spec.integer(&BigInt::from(u8::from(*value)), type_name),
    }
}

/// A specification: `[[fill]align][sign][z][#][0][width][grouping][.precision][type]`.
struct Spec {
    fill: char,
    align: char,
    sign: Option<char>,
    no_negative_zero: bool,
    alternate: bool,
    width: Option<usize>,
    grouping: Option<char>,
    precision: Option<usize>,
    kind: Option<char>,
}

impl Spec {
    fn read(text: &str, type_name: &str, is_text: bool) -> Result<Self> {
        let chars: Vec<char> = text.chars().collect();
        let is_align = |at: usize| chars.get(at).filter(|c| "<>=^".contains(**c)).copied();
        let mut at = 0;
        let default = if is_text { '<' } else { '>' };
        let (mut fill, mut align, mut has_fill, mut has_align) = (' ', default, false, false);
        if let Some(sign) = is_align(1) {
            (fill, align, has_fill, has_align, at) = (chars[0], sign, true, true, 2);
        } else if let Some(sign) = is_align(0) {
            (align, has_align, at) = (sign, true, 1);
        }
        let take = |wanted: &str, at: &mut usize| {
            let c = chars.get(*at).copied().filter(|c| wanted.contains(*c))?;
            *at += 1;
            Some(c)
        };
        let sign = take("+- ", &mut at);
        let no_negative_zero = take("z", &mut at).is_some();
        let alternate = take("#", &mut at).is_some();
        if !has_fill && take("0", &mut at).is_some() {
            fill = '0';
            if !has_align && !is_text {
                align = '=';
            }
        }
        let width = read_number(&chars, &mut at)?;
        let grouping = read_grouping(&chars, &mut at)?;
        let mut precision = None;
        if chars.get(at) == Some(&'.') {
            at += 1;
            precision = read_number(&chars, &mut at)?;
            if precision.is_none() {
                return error("Format specifier missing precision");
            }
        }
        if chars.len() - at > 1 {
            let text =
                format!("Invalid format specifier '{text}' for object of type '{type_name}'");
            return error(text);
        }
        let kind = chars.get(at).copied();
        let spec = Self {
            fill,
            align,
            sign,
            no_negative_zero,
            alternate,
            width,
            grouping,
            precision,
            kind,
        };
        spec.check_grouping(is_text)?;
        Ok(spec)
    }

    fn check_grouping(&self, is_text: bool) -> Result<()> {
        let kind = self.kind.or(is_text.then_some('s'));
        let (Some(grouping), Some(kind)) = (self.grouping, kind) else { return Ok(()) };
        let fits = match kind {
            'd' | 'e' | 'f' | 'g' | 'E' | 'G' | '%' | 'F' => true,
            'b' | 'o' | 'x' | 'X' => grouping == '_',
            _ => false,
        };
        if fits { Ok(()) } else { error(format!("Cannot specify '{grouping}' with '{kind}'.")) }
    }

    fn unknown<T>(&self, type_name: &str) -> Result<T> {
        let kind = self.kind.unwrap_or('\0');
        let shown = match kind {
            '!'..='~' => kind.to_string(),
            other => format!("\\x{:x}", other as u32),
        };
        error(format!("Unknown format code '{shown}' for object of type '{type_name}'"))
    }

    fn text(&self, text: &str) -> Result<String> {
        if !matches!(self.kind, None | Some('s')) {
            return self.unknown("str");
        }
        match self.sign {
            Some(' ') => return error("Space not allowed in string format specifier"),
            Some(_) => return error("Sign not allowed in string format specifier"),
            None => {}
        }
        if self.no_negative_zero {
            return error("Negative zero coercion (z) not allowed in string format specifier");
        }
        if self.alternate {
            return error("Alternate form (#) not allowed in string format specifier");
        }
        if self.align == '=' {
            return error("'=' alignment not allowed in string format specifier");
        }
        let cut: Cow<'_, str> = match self.precision {
            Some(precision) => text.chars().take(precision).collect::<String>().into(),
            None => text.into(),
        };
        Ok(self.pad("", "", &cut))
    }

    fn integer(&self, value: &BigInt, type_name: &str) -> Result<String> {
        if let Some('e' | 'E' | 'f' | 'F' | 'g' | 'G' | '%') = self.kind {
            let Some(value) = to_float(value) else {
                return error("int too large to convert to float");
            };
            return self.float(value, type_name);
        }
        if !matches!(self.kind, None | Some('b' | 'c' | 'd' | 'n' | 'o' | 'x' | 'X')) {
            return self.unknown(type_name);
        }
        if self.precision.is_some() {
            return error("Precision not allowed in integer format specifier");
        }
        if self.no_negative_zero {
            return error("Negative zero coercion (z) not allowed in integer format specifier");
        }
        let (radix, prefix, size) = match self.kind {
            None | Some('d' | 'n') => (10, "", 3),
            Some('b') => (2, "0b", 4),
            Some('o') => (8, "0o", 4),
            Some('x') => (16, "0x", 4),
            Some('X') => (16, "0X", 4),
            Some(_) => return self.character(value),
        };
        let mut digits = number::magnitude(value, radix);
        if self.kind == Some('X') {
            digits.make_ascii_uppercase();
        }
        let prefix = if self.alternate { prefix } else { "" };
        let sign = self.sign_text(value.sign() == Sign::Minus);
        Ok(self.lay_out(sign, prefix, &digits, "", size))
    }

    fn character(&self, value: &BigInt) -> Result<String> {
        if self.sign.is_some() {
            return error("Sign not allowed with integer format specifier 'c'");
        }
        if self.alternate {
            return error("Alternate form (#) not allowed with integer format specifier 'c'");
        }
        match u32::try_from(value).ok().and_then(char::from_u32) {
            Some(c) => Ok(self.pad("", "", &c.to_string())),
            None => error("%c arg not in range(0x110000)"),
        }
    }

    fn float(&self, value: f64, type_name: &str) -> Result<String> {
        let precision = self.precision.unwrap_or(6);
        let point = self.alternate;
        let mut text = match self.kind {
            _ if value.is_nan() => "nan".to_owned(),
            _ if value.is_infinite() => "inf".to_owned(),
            None if self.precision.is_none() => shortest(value, point),
            None => short(value, precision, point),
            Some('e' | 'E') => number::scientific(value, precision, point),
            Some('f' | 'F') => number::fixed(value, precision, point),
            Some('g' | 'G' | 'n') => number::general(value, precision, point),
            Some('%') => number::fixed(value * 100.0, precision, point),
            Some(_) => return self.unknown(type_name),
        };
        if !matches!(self.kind, None | Some('e' | 'E' | 'f' | 'F' | 'g' | 'G' | 'n' | '%')) {
            return self.unknown(type_name);
        }
        if let Some('E' | 'F' | 'G') = self.kind {
            text.make_ascii_uppercase();
        }
        let is_zero =
            !text.bytes().take_while(|b| !b"eE".contains(b)).any(|b| (b'1'..=b'9').contains(&b))
                && value.is_finite();
        let negative =
            value.is_sign_negative() && !value.is_nan() && !(self.no_negative_zero && is_zero);
        let whole = text.bytes().take_while(u8::is_ascii_digit).count();
        let (whole, rest) = text.split_at(whole);
        let mut rest = rest.to_owned();
        if self.kind == Some('%') {
            rest.push('%');
        }
        Ok(self.lay_out(self.sign_text(negative), "", whole, &rest, 3))
    }

    fn sign_text(&self, negative: bool) -> &'static str {
        match (negative, self.sign) {
            (true, _) => "-",
            (false, Some('+')) => "+",
            (false, Some(' ')) => " ",
            _ => "",
        }
    }

    /// Assembles a number. `rest` follows the digits, which are grouped by `size`.
    fn lay_out(&self, sign: &str, prefix: &str, digits: &str, rest: &str, size: usize) -> String {
        let Some(separator) = self.grouping.filter(|_| !digits.is_empty()) else {
            return self.pad(sign, prefix, &format!("{digits}{rest}"));
        };
        let mut digits = digits.to_owned();
        if self.fill == '0' && self.align == '=' {
            let taken = sign.len() + prefix.len() + rest.chars().count();
            let room = self.width.unwrap_or(0).saturating_sub(taken);
            // The zeros take part in the grouping.
            let missing = (0..).find(|more| grouped_length(digits.len() + more, size) >= room);
            digits.insert_str(0, &"0".repeat(missing.unwrap_or(0)));
        }
        let mut out = String::new();
        for (index, digit) in digits.chars().enumerate() {
            if index > 0 && (digits.len() - index).is_multiple_of(size) {
                out.push(separator);
            }
            out.push(digit);
        }
        self.pad(sign, prefix, &(out + rest))
    }

    fn pad(&self, sign: &str, prefix: &str, body: &str) -> String {
        let length = sign.len() + prefix.len() + body.chars().count();
        let missing = self.width.unwrap_or(0).saturating_sub(length);
        let fill = |count: usize| std::iter::repeat_n(self.fill, count).collect::<String>();
        match self.align {
            '<' => format!("{sign}{prefix}{body}{}", fill(missing)),
            '^' => {
                let left = missing / 2;
                format!("{}{sign}{prefix}{body}{}", fill(left), fill(missing - left))
            }
            '=' => format!("{sign}{prefix}{}{body}", fill(missing)),
            _ => format!("{}{sign}{prefix}{body}", fill(missing)),
        }
    }
}

fn grouped_length(digits: usize, size: usize) -> usize {
    digits + digits.saturating_sub(1) / size
}

/// A float with a precision but no type: like `g`, but always with a point, and with an exponent
/// one digit earlier.
fn short(value: f64, precision: usize, keep_zeros: bool) -> String {
    let precision = precision.max(1);
    let long = number::scientific(value, precision - 1, keep_zeros);
    let (mantissa, exponent) = long.split_once('e').unwrap_or((&long, "0"));
    let needs_exponent = exponent.parse::<i64>().is_ok_and(|e| e >= precision as i64 - 1);
    if needs_exponent {
        let mantissa = match mantissa.contains('.') && !keep_zeros {
            true => mantissa.trim_end_matches('0').trim_end_matches('.'),
            false => mantissa,
        };
        return format!("{mantissa}e{exponent}");
    }
    let text = number::general(value, precision, keep_zeros);
    if text.contains(['.', 'e']) { text } else { format!("{text}.0") }
}

/// The shortest text of a float, with a point even before an exponent if requested.
fn shortest(value: f64, keep_point: bool) -> String {
    let text = float::to_python(value.abs());
    match text.split_once('e') {
        Some((mantissa, exponent)) if keep_point && !mantissa.contains('.') => {
            format!("{mantissa}.e{exponent}")
        }
        _ => text,
    }
}

fn to_float(value: &BigInt) -> Option<f64> {
    value.to_string().parse::<f64>().ok().filter(|value| value.is_finite())
}

fn read_number(chars: &[char], at: &mut usize) -> Result<Option<usize>> {
    let mut value: Option<usize> = None;
    while let Some(digit) = chars.get(*at).and_then(|c| c.to_digit(10)) {
        value = Some(value.unwrap_or(0).saturating_mul(10).saturating_add(digit as usize));
        *at += 1;
    }
    match value {
        Some(value) if value > MAX_WIDTH => error("Too many decimal digits in format string"),
        value => Ok(value),
    }
}

fn read_grouping(chars: &[char], at: &mut usize) -> Result<Option<char>> {
    let mut grouping = None;
    while let Some(&c) = chars.get(*at).filter(|c| matches!(c, ',' | '_')) {
        match grouping {
            None => grouping = Some(c),
            Some(before) if before != c => return error("Cannot specify both ',' and '_'."),
            Some(_) => return error(format!("Cannot specify '{c}' with '{c}'.")),
        }
        *at += 1;
    }
    Ok(grouping)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn int(value: i64, spec: &str) -> String {
        format(&Arg::Int(Cow::Owned(value.into())), spec).unwrap_or_else(|e| e.to_string())
    }

    fn float(value: f64, spec: &str) -> String {
        format(&Arg::Float(value), spec).unwrap_or_else(|e| e.to_string())
    }

    fn text(value: &str, spec: &str) -> String {
        format(&Arg::Str(value), spec).unwrap_or_else(|e| e.to_string())
    }

    #[test]
    fn integers() {
        for (value, spec, wanted) in [
            (42, "05d", "00042"),
            (-42, "=+6", "-   42"),
            (42, "*^7", "**42***"),
            (1234567, ",", "1,234,567"),
            (1234567, "012,", "0,001,234,567"),
            (255, "#x", "0xff"),
            (255, "#010X", "0X000000FF"),
            (255, "_b", "1111_1111"),
            (65, "c", "A"),
            (3, ".1f", "3.0"),
            (1, "%", "100.000000%"),
            (1, "s", "Unknown format code 's' for object of type 'int'"),
            (1, ".2", "Precision not allowed in integer format specifier"),
            (1, ",x", "Cannot specify ',' with 'x'."),
            (1, "abc", "Invalid format specifier 'abc' for object of type 'int'"),
        ] {
            assert_eq!(int(value, spec), wanted, "{spec}");
        }
    }

    #[test]
    fn floats() {
        for (value, spec, wanted) in [
            (2.0, ".2f", "2.00"),
            (1234.5678, ",.1f", "1,234.6"),
            (1e21, "", "1e+21"),
            (12.0, ".3", "12.0"),
            (123.0, ".3", "1.23e+02"),
            (1234.0, ".3", "1.23e+03"),
            (0.5, ".0%", "50%"),
            (-0.001, "z.1f", "0.0"),
            (1.5, "08", "000001.5"),
            (1.5, "e", "1.500000e+00"),
            (1.5, "G", "1.5"),
            (f64::INFINITY, "F", "INF"),
            (1.5, "d", "Unknown format code 'd' for object of type 'float'"),
        ] {
            assert_eq!(float(value, spec), wanted, "{spec}");
        }
    }

    #[test]
    fn texts_and_truth() {
        assert_eq!(text("ab", "05"), "ab000");
        assert_eq!(text("abc", ".2s"), "ab");
        assert_eq!(text("ab", "é>4"), "ééab");
        assert_eq!(text("a", "=5"), "'=' alignment not allowed in string format specifier");
        assert_eq!(text("a", "+"), "Sign not allowed in string format specifier");
        assert_eq!(text("a", "d"), "Unknown format code 'd' for object of type 'str'");
        assert_eq!(format(&Arg::Bool(true), "").unwrap(), "True");
        assert_eq!(format(&Arg::Bool(true), ">3").unwrap(), "  1");
    }

    #[test]
    fn fields() {
        let names = |text: &str| -> Vec<String> {
            parse(text).unwrap().into_iter().filter_map(|p| Some(p.field?.name)).collect()
        };
        assert_eq!(names("a{b}{{c}}{ d !r}{e[:]:{f}}"), ["b", " d ", "e[:]"]);
        for (text, wanted) in [
            ("{", "Single '{' encountered in format string"),
            ("}", "Single '}' encountered in format string"),
            ("{a", "expected '}' before end of string"),
            ("{a!", "end of string while looking for conversion specifier"),
            ("{a!rx}", "expected ':' after conversion specifier"),
            ("{a{b}}", "unexpected '{' in field name"),
        ] {
            assert_eq!(parse(text).unwrap_err().to_string(), wanted, "{text}");
        }
    }
}
