//! The package `fmt`: `Sprintf`, `Sprint` and `Sprintln` of plain values.

use std::fmt::Write as _;

use super::number;
use super::quote::{Style, can_backquote, quote_with};

/// A value as Go sees it.
#[derive(Clone, PartialEq, Debug)]
pub enum Arg {
    /// `nil` in an interface.
    Nil,
    /// `bool`
    Bool(bool),
    /// An integer and the name of its type.
    Int(i64, &'static str),
    /// `float64`
    Float(f64),
    /// `string`
    Str(Vec<u8>),
    /// A slice and the name of its type.
    List(String, Vec<Arg>),
    /// A map and the name of its type, in the order of its keys.
    Map(String, Vec<(Arg, Arg)>),
}

impl Arg {
    /// The name of its type.
    pub fn type_name(&self) -> &str {
        match self {
            Self::Nil => "<nil>",
            Self::Bool(_) => "bool",
            Self::Int(_, name) => name,
            Self::Float(_) => "float64",
            Self::Str(_) => "string",
            Self::List(name, _) | Self::Map(name, _) => name,
        }
    }
}

/// The widest field, and the most digits.
const MAX_WIDTH: i64 = 1_000_000;
/// The maximum length of a result.
const MAX_TEXT: usize = 32 << 20;

/// The flags between `%` and the verb.
#[derive(Clone, Copy, Default, Debug)]
struct Spec {
    minus: bool,
    plus: bool,
    sharp: bool,
    space: bool,
    zero: bool,
    width: Option<usize>,
    precision: Option<usize>,
}

impl Spec {
    fn pad(&self, out: &mut Vec<u8>, text: &[u8]) {
        let length = super::quote::runes(text).count();
        let fill = self.width.unwrap_or(0).saturating_sub(length);
        let filler = if self.zero && !self.minus { b'0' } else { b' ' };
        if !self.minus {
            out.extend(std::iter::repeat_n(filler, fill));
        }
        out.extend(text);
        if self.minus {
            out.extend(std::iter::repeat_n(filler, fill));
        }
    }

    /// A number: zeros go after its sign.
    fn pad_number(&self, out: &mut Vec<u8>, sign: &str, digits: &str) {
        let fill = self.width.unwrap_or(0).saturating_sub(sign.len() + digits.len());
        if self.zero && !self.minus {
            out.extend(sign.as_bytes());
            out.extend(std::iter::repeat_n(b'0', fill));
            out.extend(digits.as_bytes());
        } else {
            Self { zero: false, ..*self }.pad(out, format!("{sign}{digits}").as_bytes());
        }
    }

    fn sign(&self, is_negative: bool) -> &'static str {
        match (is_negative, self.plus, self.space) {
            (true, ..) => "-",
            (_, true, _) => "+",
            (_, _, true) => " ",
            _ => "",
        }
    }
}

struct Formatter<'a> {
    args: &'a [Arg],
    next: usize,
    is_reordered: bool,
    is_good_index: bool,
    out: Vec<u8>,
}

/// Formats arguments. Mistakes in the format appear in the text, as in Go.
pub fn sprintf(format: &[u8], args: &[Arg]) -> Vec<u8> {
    let mut formatter =
        Formatter { args, next: 0, is_reordered: false, is_good_index: true, out: Vec::new() };
    formatter.run(format);
    formatter.out
}

/// The default texts of some values, with spaces between two that are no texts.
pub fn sprint(args: &[Arg]) -> Vec<u8> {
    let mut out = Vec::new();
    for (index, arg) in args.iter().enumerate() {
        let is_text = |arg: &Arg| matches!(arg, Arg::Str(_));
        if index > 0 && !is_text(arg) && !args.get(index - 1).is_some_and(is_text) {
            out.push(b' ');
        }
        write_arg(&mut out, 'v', &Spec::default(), arg, 0);
    }
    out
}

/// The default texts of some values with spaces between them and a newline at the end.
pub fn sprintln(args: &[Arg]) -> Vec<u8> {
    let mut out = Vec::new();
    for (index, arg) in args.iter().enumerate() {
        if index > 0 {
            out.push(b' ');
        }
        write_arg(&mut out, 'v', &Spec::default(), arg, 0);
    }
    out.push(b'\n');
    out
}

/// The flags still apply to the value of the wrong verb.
fn bad_verb(out: &mut Vec<u8>, verb: char, spec: &Spec, arg: &Arg) {
    out.extend(format!("%!{verb}(").as_bytes());
    if *arg != Arg::Nil {
        out.extend(arg.type_name().as_bytes());
        out.push(b'=');
    }
    write_arg(out, 'v', spec, arg, 0);
    out.push(b')');
}

fn write_arg(out: &mut Vec<u8>, verb: char, spec: &Spec, arg: &Arg, depth: u32) {
    if verb == 'T' && depth == 0 {
        return text(out, 's', spec, arg.type_name().as_bytes(), arg);
    }
    match arg {
        Arg::Nil if verb == 'v' => spec.pad(out, b"<nil>"),
        Arg::Nil => out.extend(format!("%!{verb}(<nil>)").as_bytes()),
        Arg::Bool(value) if matches!(verb, 'v' | 't') => {
            spec.pad(out, if *value { b"true" } else { b"false" });
        }
        Arg::Bool(_) => bad_verb(out, verb, spec, arg),
        Arg::Int(value, _) => integer(out, verb, spec, *value, arg),
        Arg::Float(value) => float(out, verb, spec, *value, arg),
        Arg::Str(bytes) => text(out, verb, spec, bytes, arg),
        Arg::List(name, items) => list(out, verb, spec, (name, items), depth),
        Arg::Map(name, pairs) => map(out, verb, spec, (name, pairs), depth),
    }
}

fn list(out: &mut Vec<u8>, verb: char, spec: &Spec, list: (&String, &[Arg]), depth: u32) {
    let is_source = verb == 'v' && spec.sharp;
    let (open, between, close) = if is_source { ("{", ", ", "}") } else { ("[", " ", "]") };
    if is_source {
        out.extend(list.0.as_bytes());
    }
    out.extend(open.as_bytes());
    for (index, item) in list.1.iter().enumerate() {
        if index > 0 {
            out.extend(between.as_bytes());
        }
        nested(out, verb, spec, item, depth);
    }
    out.extend(close.as_bytes());
}

fn nested(out: &mut Vec<u8>, verb: char, spec: &Spec, item: &Arg, depth: u32) {
    match item {
        Arg::Nil if verb == 'v' && spec.sharp => out.extend(b"interface {}(nil)"),
        // Without a type no verb can be wrong.
        Arg::Nil => out.extend(b"<nil>"),
        _ => write_arg(out, verb, spec, item, depth + 1),
    }
}

fn map(out: &mut Vec<u8>, verb: char, spec: &Spec, map: (&String, &[(Arg, Arg)]), depth: u32) {
    let is_source = verb == 'v' && spec.sharp;
    let (between, close) = if is_source { (", ", b'}') } else { (" ", b']') };
    if is_source {
        out.extend(map.0.as_bytes());
        out.push(b'{');
    } else {
        out.extend(b"map[");
    }
    for (index, (key, value)) in map.1.iter().enumerate() {
        if index > 0 {
            out.extend(between.as_bytes());
        }
        nested(out, verb, spec, key, depth);
        out.push(b':');
        nested(out, verb, spec, value, depth);
    }
    out.push(close);
}

fn text(out: &mut Vec<u8>, verb: char, spec: &Spec, bytes: &[u8], arg: &Arg) {
    match verb {
        'v' if spec.sharp => quoted(out, &Spec { sharp: false, ..*spec }, bytes),
        'v' | 's' => spec.pad(out, cut(bytes, spec)),
        'q' => quoted(out, spec, cut(bytes, spec)),
        'x' | 'X' => hexadecimal(out, verb, spec, bytes),
        _ => bad_verb(out, verb, spec, arg),
    }
}

fn quoted(out: &mut Vec<u8>, spec: &Spec, bytes: &[u8]) {
    if spec.sharp && can_backquote(bytes) {
        return spec.pad(out, &[b"`", bytes, b"`"].concat());
    }
    let style = if spec.plus { Style::Ascii } else { Style::Print };
    spec.pad(out, quote_with(bytes, '"', style).as_bytes());
}

fn cut<'a>(bytes: &'a [u8], spec: &Spec) -> &'a [u8] {
    let Some(most) = spec.precision else { return bytes };
    let end = super::strings::decode(bytes).nth(most).map_or(bytes.len(), |(at, ..)| at);
    bytes.get(..end).unwrap_or(bytes)
}

fn hexadecimal(out: &mut Vec<u8>, verb: char, spec: &Spec, bytes: &[u8]) {
    let mut text = String::new();
    let end = spec.precision.unwrap_or(usize::MAX).min(bytes.len());
    for (index, byte) in bytes.iter().take(end).enumerate() {
        if spec.space && index > 0 {
            text.push(' ');
        }
        if spec.sharp && (index == 0 || spec.space) {
            text.push_str("0x");
        }
        let _ = write!(text, "{byte:02x}");
    }
    let text = if verb == 'X' { text.to_uppercase() } else { text };
    spec.pad(out, text.as_bytes());
}

fn float(out: &mut Vec<u8>, verb: char, spec: &Spec, value: f64, arg: &Arg) {
    let (verb, precision) = match verb {
        'v' => (b'g', spec.precision),
        'e' => (b'e', spec.precision.or(Some(6))),
        'E' => (b'E', spec.precision.or(Some(6))),
        'f' | 'F' => (b'f', spec.precision.or(Some(6))),
        'g' => (b'g', spec.precision),
        'G' => (b'G', spec.precision),
        'x' | 'X' if value.is_finite() => {
            let text = number::hexadecimal_float(value.abs(), spec.precision);
            let text = if verb == 'X' { text.to_uppercase() } else { text };
            return spec.pad_number(out, spec.sign(value.is_sign_negative()), &text);
        }
        'b' if value.is_finite() => {
            let text = number::binary_float(value.abs());
            return spec.pad_number(out, spec.sign(value.is_sign_negative()), &text);
        }
        'x' | 'X' | 'b' => (b'g', None),
        _ => return bad_verb(out, verb, spec, arg),
    };
    let text = number::float(value, verb, precision);
    let is_negative = text.starts_with('-');
    let digits = text.trim_start_matches(['-', '+']);
    let sign = match spec.sign(is_negative) {
        "" if value == f64::INFINITY => "+",
        sign => sign,
    };
    let is_finite = value.is_finite();
    let spec = Spec { zero: spec.zero && is_finite, ..*spec };
    spec.pad_number(out, sign, digits);
}

fn integer(out: &mut Vec<u8>, verb: char, spec: &Spec, value: i64, arg: &Arg) {
    let magnitude = value.unsigned_abs();
    let (prefix, digits) = match verb {
        'v' | 'd' => ("", format!("{magnitude}")),
        'b' => (if spec.sharp { "0b" } else { "" }, format!("{magnitude:b}")),
        'o' => (if spec.sharp { "0" } else { "" }, format!("{magnitude:o}")),
        'O' => ("0o", format!("{magnitude:o}")),
        'x' => (if spec.sharp { "0x" } else { "" }, format!("{magnitude:x}")),
        'X' => (if spec.sharp { "0X" } else { "" }, format!("{magnitude:X}")),
        'c' | 'q' | 'U' => return character(out, verb, spec, value),
        _ => return bad_verb(out, verb, spec, arg),
    };
    if spec.precision == Some(0) && value == 0 {
        return Spec { zero: false, ..*spec }.pad(out, b"");
    }
    let sign = spec.sign(value < 0);
    let least = match spec.precision {
        Some(precision) => precision,
        None if spec.zero && !spec.minus => spec.width.unwrap_or(0).saturating_sub(sign.len()),
        None => 0,
    };
    let zeros = "0".repeat(least.saturating_sub(digits.len()));
    // An existing leading zero is sufficient as the octal prefix.
    let prefix = if prefix == "0" && (zeros.starts_with('0') || digits.starts_with('0')) {
        ""
    } else {
        prefix
    };
    let text = format!("{sign}{prefix}{zeros}{digits}");
    Spec { zero: false, ..*spec }.pad(out, text.as_bytes());
}

fn character(out: &mut Vec<u8>, verb: char, spec: &Spec, value: i64) {
    let c = u32::try_from(value).ok().and_then(char::from_u32).unwrap_or('\u{fffd}');
    let text = match verb {
        'c' => c.to_string(),
        'U' => {
            let digits = spec.precision.unwrap_or(4).max(4);
            let code = format!("U+{value:0digits$X}");
            if spec.sharp && super::quote::is_print(c) { format!("{code} '{c}'") } else { code }
        }
        _ => {
            let style = if spec.plus { Style::Ascii } else { Style::Print };
            quote_with(c.to_string().as_bytes(), '\'', style)
        }
    };
    Spec { zero: spec.zero && verb != 'U', ..*spec }.pad(out, text.as_bytes());
}

impl Formatter<'_> {
    /// An index like `[2]`; returns whether there was one.
    fn index(&mut self, rest: &mut &[u8]) -> bool {
        let Some(inner) = rest.strip_prefix(b"[") else { return false };
        self.is_reordered = true;
        let Some(end) = inner.iter().position(|b| *b == b']') else {
            *rest = inner;
            self.is_good_index = false;
            return false;
        };
        let number = inner.get(..end).and_then(|digits| std::str::from_utf8(digits).ok());
        *rest = inner.get(end + 1..).unwrap_or_default();
        match number.and_then(|digits| digits.parse::<usize>().ok()) {
            Some(n) if (1..=self.args.len()).contains(&n) => {
                self.next = n - 1;
                true
            }
            _ => {
                self.is_good_index = false;
                false
            }
        }
    }

    /// A width or precision: digits, or `*` for an argument.
    fn number(&mut self, rest: &mut &[u8], kind: &str) -> Option<i64> {
        if let Some(after) = rest.strip_prefix(b"*") {
            *rest = after;
            let arg = self.args.get(self.next);
            self.next += 1;
            return match arg {
                Some(Arg::Int(n, _)) if n.unsigned_abs() <= MAX_WIDTH.unsigned_abs() => Some(*n),
                _ => {
                    self.out.extend(format!("%!(BAD{kind})").as_bytes());
                    None
                }
            };
        }
        let end = rest.iter().take_while(|b| b.is_ascii_digit()).count();
        let (digits, after) = rest.split_at(end);
        *rest = after;
        let digits = std::str::from_utf8(digits).ok()?;
        digits.parse().ok().filter(|n| *n <= MAX_WIDTH)
    }

    fn spec(&mut self, rest: &mut &[u8]) -> Spec {
        let mut spec = Spec::default();
        while let Some((flag, after)) = rest.split_first() {
            match flag {
                b'-' => spec.minus = true,
                b'+' => spec.plus = true,
                b'#' => spec.sharp = true,
                b' ' => spec.space = true,
                b'0' => spec.zero = true,
                _ => break,
            }
            *rest = after;
        }
        self.is_good_index = true;
        let mut has_index = self.index(rest);
        let is_star = rest.starts_with(b"*");
        if let Some(width) = self.number(rest, "WIDTH") {
            // A number after an index means that the index was for a star.
            self.is_good_index &= is_star || !has_index;
            spec.minus |= width < 0;
            spec.width = usize::try_from(width.unsigned_abs()).ok();
            has_index = false;
        }
        if let Some(after) = rest.strip_prefix(b".") {
            *rest = after;
            self.is_good_index &= !has_index;
            self.index(rest);
            let is_star = rest.starts_with(b"*");
            let precision = self.number(rest, "PREC");
            // A negative precision is none.
            spec.precision = match precision {
                Some(n) => usize::try_from(n).ok(),
                None if is_star => None,
                None => Some(0),
            };
            if is_star && precision.is_some_and(|n| n < 0) {
                self.out.extend(b"%!(BADPREC)");
            }
        }
        self.index(rest);
        spec.zero &= !spec.minus;
        spec
    }

    fn run(&mut self, format: &[u8]) {
        let mut rest = format;
        while let Some(at) = rest.iter().position(|b| *b == b'%') {
            self.out.extend(rest.get(..at).unwrap_or_default());
            rest = rest.get(at + 1..).unwrap_or_default();
            let spec = self.spec(&mut rest);
            let Some((_, verb, width)) =
                super::strings::decode(rest.get(..4).unwrap_or(rest)).next()
            else {
                self.out.extend(b"%!(NOVERB)");
                break;
            };
            rest = rest.get(width..).unwrap_or_default();
            self.verb(verb, &spec);
            if self.out.len() > MAX_TEXT {
                return;
            }
        }
        self.out.extend(rest);
        if !self.is_reordered && self.next < self.args.len() {
            self.extra();
        }
    }

    fn verb(&mut self, verb: char, spec: &Spec) {
        let args = self.args;
        match args.get(self.next) {
            _ if verb == '%' => self.out.push(b'%'),
            _ if !self.is_good_index => {
                self.out.extend(format!("%!{verb}(BADINDEX)").as_bytes());
            }
            None => self.out.extend(format!("%!{verb}(MISSING)").as_bytes()),
            Some(arg) => {
                self.next += 1;
                write_arg(&mut self.out, verb, spec, arg, 0);
            }
        }
    }

    fn extra(&mut self) {
        self.out.extend(b"%!(EXTRA ");
        for (index, arg) in self.args.iter().skip(self.next).enumerate() {
            if index > 0 {
                self.out.extend(b", ");
            }
            if *arg != Arg::Nil {
                self.out.extend(arg.type_name().as_bytes());
                self.out.push(b'=');
            }
            write_arg(&mut self.out, 'v', &Spec::default(), arg, 0);
        }
        self.out.push(b')');
    }
}

/// A value inside other texts: without quotes.
pub fn plain(arg: &Arg) -> Vec<u8> {
    let mut out = Vec::new();
    write_arg(&mut out, 'v', &Spec::default(), arg, 0);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn print(format: &str, args: &[Arg]) -> String {
        String::from_utf8_lossy(&sprintf(format.as_bytes(), args)).into_owned()
    }

    #[test]
    fn values_are_printed_by_verbs() {
        let int = |n| Arg::Int(n, "int64");
        let text = |t: &str| Arg::Str(t.into());
        let list = Arg::List("[]string".into(), vec![text("a"), text("b")]);
        assert_eq!(
            print("%v %d|%5d|%-5d|%05d", &[text("x"), int(1), int(2), int(3), int(-4)]),
            "x 1|    2|3    |-0004"
        );
        assert_eq!(
            print("%q %x %6.2f %e", &[text("é"), text("hi"), Arg::Float(3.125), Arg::Float(1.5)]),
            "\"é\" 6869   3.12 1.500000e+00"
        );
        assert_eq!(
            print("%v %q %#v %T", &[list.clone(), list.clone(), list.clone(), list]),
            r#"[a b] ["a" "b"] []string{"a", "b"} []string"#
        );
        assert_eq!(print("%d %s", &[text("x")]), "%!d(string=x) %!s(MISSING)");
        assert_eq!(print("%[2]d %[1]d %", &[int(1), int(2)]), "2 1 %!(NOVERB)");
        assert_eq!(print("x", &[int(1), Arg::Nil]), "x%!(EXTRA int64=1, <nil>)");
        assert_eq!(sprint(&[int(1), int(2), text("a"), int(3)]), b"1 2a3");
    }
}
