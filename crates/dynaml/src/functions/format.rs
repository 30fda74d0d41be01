//! `format` and `error`: Go's `Sprintf`.

use std::fmt::Write;

use ordain_source::limits::MOST_TEXT;

use super::{Call, Table, eager, fail};
use crate::eval::stop::Stop;
use crate::eval::{Eval, Evaluator};
use crate::output::Writer;
use crate::value::Value;

/// The widest field, and the most digits.
const WIDEST: i64 = 1_000_000;

/// An argument as Go sees it.
#[derive(Clone, PartialEq, Debug)]
enum Arg {
    Nil,
    Bool(bool),
    Int(i64),
    Float(f64),
    Str(String),
}

impl Arg {
    fn kind(&self) -> &'static str {
        match self {
            Self::Nil => "<nil>",
            Self::Bool(_) => "bool",
            Self::Int(_) => "int64",
            Self::Float(_) => "float64",
            Self::Str(_) => "string",
        }
    }
}

/// What stands between `%` and the verb.
#[derive(Clone, Default, Debug)]
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
    fn pad(&self, out: &mut String, text: &str) {
        let length = text.chars().count();
        let fill = self.width.unwrap_or(0).saturating_sub(length);
        if self.minus {
            out.push_str(text);
            out.extend(std::iter::repeat_n(' ', fill));
        } else {
            let filler = if self.zero { '0' } else { ' ' };
            out.extend(std::iter::repeat_n(filler, fill));
            out.push_str(text);
        }
    }

    /// A number: zeros go after its sign.
    fn pad_number(&self, out: &mut String, sign: &str, digits: &str) {
        let length = sign.len() + digits.chars().count();
        let fill = self.width.unwrap_or(0).saturating_sub(length);
        if self.zero && !self.minus {
            out.push_str(sign);
            out.extend(std::iter::repeat_n('0', fill));
            out.push_str(digits);
        } else {
            let plain = Self { zero: false, ..self.clone() };
            plain.pad(out, &format!("{sign}{digits}"));
        }
    }

    fn sign(&self, negative: bool) -> &'static str {
        match (negative, self.plus, self.space) {
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
    reordered: bool,
    out: String,
}

/// A text in Go's quotes.
pub(crate) fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\u{7}' => out.push_str("\\a"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{b}' => out.push_str("\\v"),
            c if c.is_control() && u32::from(c) < 0x80 => {
                let _ = write!(out, "\\x{:02x}", u32::from(c));
            }
            c if c.is_control() || c == '\u{feff}' => {
                let _ = write!(out, "\\u{:04x}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// A float with a verb.
fn float(x: f64, verb: char, spec: &Spec) -> String {
    let magnitude = x.abs();
    if x.is_nan() {
        return "NaN".into();
    }
    if x.is_infinite() {
        return "Inf".into();
    }
    match verb {
        'e' | 'E' => exponent(&format!("{magnitude:.*e}", spec.precision.unwrap_or(6)), verb),
        'f' | 'F' => format!("{magnitude:.*}", spec.precision.unwrap_or(6)),
        _ => general(magnitude, verb, spec.precision),
    }
}

/// Two digits of exponent with a sign.
fn exponent(text: &str, verb: char) -> String {
    let (mantissa, power) = text.split_once('e').unwrap_or((text, "0"));
    let power: i32 = power.parse().unwrap_or(0);
    let sign = if power < 0 { '-' } else { '+' };
    let letter = if verb.is_ascii_uppercase() { 'E' } else { 'e' };
    format!("{mantissa}{letter}{sign}{:02}", power.abs())
}

fn general(x: f64, verb: char, precision: Option<usize>) -> String {
    const SHORTEST_LIMIT: i32 = 21;
    let digits = match precision {
        Some(p) => format!("{x:.*e}", p.max(1) - 1),
        None => format!("{x:e}"),
    };
    let (mantissa, power) = digits.split_once('e').unwrap_or((&digits, "0"));
    let power: i32 = power.parse().unwrap_or(0);
    let limit = precision.map_or(SHORTEST_LIMIT, |p| i32::try_from(p.max(1)).unwrap_or(i32::MAX));
    let mantissa = if mantissa.contains('.') {
        mantissa.trim_end_matches('0').trim_end_matches('.')
    } else {
        mantissa
    };
    let upper = if verb == 'G' { 'E' } else { 'e' };
    if power < -4 || power >= limit {
        return exponent(&format!("{mantissa}e{power}"), upper);
    }
    let places = usize::try_from(power).unwrap_or(0);
    let figures = mantissa.replace('.', "");
    if power < 0 {
        let zeros = "0".repeat(usize::try_from(-power - 1).unwrap_or(0));
        return format!("0.{zeros}{figures}");
    }
    if figures.len() <= places + 1 {
        return format!("{figures}{}", "0".repeat(places + 1 - figures.len()));
    }
    format!("{}.{}", &figures[..=places], &figures[places + 1..])
}

impl Formatter<'_> {
    fn bad(&mut self, verb: char, arg: &Arg) {
        let shown = match arg {
            Arg::Nil => "<nil>".to_owned(),
            Arg::Bool(b) => format!("bool={b}"),
            Arg::Int(n) => format!("int64={n}"),
            Arg::Float(x) => format!("float64={}", signed(*x, 'g', &Spec::default())),
            Arg::Str(s) => format!("string={s}"),
        };
        let _ = write!(self.out, "%!{verb}({shown})");
    }

    fn write(&mut self, verb: char, spec: &Spec, arg: &Arg) {
        match (verb, arg) {
            ('T', arg) => spec.pad(&mut self.out, arg.kind()),
            ('v', Arg::Nil) => spec.pad(&mut self.out, "<nil>"),
            ('v' | 't', Arg::Bool(b)) => spec.pad(&mut self.out, if *b { "true" } else { "false" }),
            (_, Arg::Int(n)) => self.integer(verb, spec, *n),
            ('v' | 'e' | 'E' | 'f' | 'F' | 'g' | 'G', Arg::Float(x)) => {
                let verb = if verb == 'v' { 'g' } else { verb };
                let digits = float(*x, verb, spec);
                let sign = spec.sign(x.is_sign_negative() && !x.is_nan());
                spec.pad_number(&mut self.out, sign, &digits);
            }
            ('v', Arg::Str(s)) if spec.sharp => spec.pad(&mut self.out, &quoted(s)),
            ('v' | 's', Arg::Str(s)) => spec.pad(&mut self.out, &cut(s, spec)),
            ('q', Arg::Str(s)) => {
                let s = cut(s, spec);
                let plain = spec.sharp && !s.contains('`') && !s.chars().any(char::is_control);
                spec.pad(&mut self.out, &if plain { format!("`{s}`") } else { quoted(&s) });
            }
            ('x' | 'X', Arg::Str(s)) => {
                let mut text = String::new();
                let end = spec.precision.unwrap_or(usize::MAX).min(s.len());
                for (at, byte) in s.as_bytes()[..end].iter().enumerate() {
                    if spec.space && at > 0 {
                        text.push(' ');
                    }
                    if spec.sharp && (at == 0 || spec.space) {
                        text.push_str("0x");
                    }
                    let _ = write!(text, "{byte:02x}");
                }
                let text = if verb == 'X' { text.to_uppercase() } else { text };
                spec.pad(&mut self.out, &text);
            }
            (_, arg) => {
                let arg = arg.clone();
                self.bad(verb, &arg);
            }
        }
    }

    fn integer(&mut self, verb: char, spec: &Spec, n: i64) {
        let magnitude = n.unsigned_abs();
        let (prefix, digits) = match verb {
            'v' | 'd' => ("", format!("{magnitude}")),
            'b' => (if spec.sharp { "0b" } else { "" }, format!("{magnitude:b}")),
            'o' => (if spec.sharp { "0" } else { "" }, format!("{magnitude:o}")),
            'O' => ("0o", format!("{magnitude:o}")),
            'x' => (if spec.sharp { "0x" } else { "" }, format!("{magnitude:x}")),
            'X' => (if spec.sharp { "0X" } else { "" }, format!("{magnitude:X}")),
            'c' | 'q' | 'U' => return self.character(verb, spec, n),
            _ => return self.bad(verb, &Arg::Int(n)),
        };
        let sign = format!("{}{prefix}", spec.sign(n < 0));
        let missing = spec.precision.unwrap_or(0).saturating_sub(digits.len());
        let digits = format!("{}{digits}", "0".repeat(missing));
        let digits = if spec.precision == Some(0) && n == 0 { String::new() } else { digits };
        let spec = Spec { zero: spec.zero && spec.precision.is_none(), ..spec.clone() };
        spec.pad_number(&mut self.out, &sign, &digits);
    }

    fn character(&mut self, verb: char, spec: &Spec, n: i64) {
        let c = u32::try_from(n).ok().and_then(char::from_u32).unwrap_or('\u{fffd}');
        let text = match verb {
            'c' => c.to_string(),
            'U' => format!("U+{n:04X}"),
            _ if c == '\'' => "'\\''".into(),
            _ => format!("'{}'", quoted(&c.to_string()).trim_matches('"')),
        };
        spec.pad(&mut self.out, &text);
    }

    /// An index like `[2]`; whether there was none, or a good one.
    fn index(&mut self, rest: &mut &str) -> bool {
        let Some(inner) = rest.strip_prefix('[') else { return true };
        let Some((number, after)) = inner.split_once(']') else {
            *rest = "";
            return false;
        };
        *rest = after;
        self.reordered = true;
        match number.parse::<usize>() {
            Ok(n) if (1..=self.args.len()).contains(&n) => {
                self.next = n - 1;
                true
            }
            _ => false,
        }
    }

    /// A width or precision: digits, or `*` for an argument.
    fn number(&mut self, rest: &mut &str, kind: &str) -> Option<i64> {
        if let Some(after) = rest.strip_prefix('*') {
            *rest = after;
            let arg = self.args.get(self.next).cloned();
            self.next += 1;
            return match arg {
                Some(Arg::Int(n)) if n.abs() <= WIDEST => Some(n),
                _ => {
                    let _ = write!(self.out, "%!(BAD{kind})");
                    None
                }
            };
        }
        let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        let digits = &rest[..end];
        *rest = &rest[end..];
        digits.parse().ok().filter(|n| *n <= WIDEST)
    }

    fn spec(&mut self, rest: &mut &str) -> (Spec, bool) {
        let mut spec = Spec::default();
        while let Some(c) = rest.chars().next() {
            match c {
                '-' => (spec.minus, spec.zero) = (true, false),
                '+' => spec.plus = true,
                '#' => spec.sharp = true,
                ' ' => spec.space = true,
                '0' => spec.zero = !spec.minus,
                _ => break,
            }
            *rest = &rest[1..];
        }
        let mut good = self.index(rest);
        if let Some(width) = self.number(rest, "WIDTH") {
            spec.minus |= width < 0;
            spec.zero &= !spec.minus;
            spec.width = usize::try_from(width.unsigned_abs()).ok();
        }
        if let Some(after) = rest.strip_prefix('.') {
            *rest = after;
            good &= self.index(rest);
            let precision = self.number(rest, "PREC").unwrap_or(0);
            spec.precision = usize::try_from(precision).ok();
        }
        good &= self.index(rest);
        (spec, good)
    }

    fn run(&mut self, format: &str) -> Eval<()> {
        let mut rest = format;
        while let Some((before, after)) = rest.split_once('%') {
            self.out.push_str(before);
            rest = after;
            let (spec, good) = self.spec(&mut rest);
            let Some(verb) = rest.chars().next() else {
                self.out.push_str("%!(NOVERB)");
                return Ok(());
            };
            rest = &rest[verb.len_utf8()..];
            if verb == '%' {
                self.out.push('%');
                continue;
            }
            if !good {
                let _ = write!(self.out, "%!{verb}(BADINDEX)");
                continue;
            }
            match self.args.get(self.next).cloned() {
                Some(arg) => self.write(verb, &spec, &arg),
                None => {
                    let _ = write!(self.out, "%!{verb}(MISSING)");
                }
            }
            self.next += 1;
            if self.out.len() > MOST_TEXT {
                return fail("the text has grown too long");
            }
        }
        self.out.push_str(rest);
        if !self.reordered && self.next < self.args.len() {
            self.extra();
        }
        Ok(())
    }

    fn extra(&mut self) {
        self.out.push_str("%!(EXTRA ");
        for (at, arg) in self.args[self.next..].iter().enumerate() {
            self.out.push_str(if at > 0 { ", " } else { "" });
            let _ = match arg {
                Arg::Nil => write!(self.out, "<nil>"),
                Arg::Bool(b) => write!(self.out, "bool={b}"),
                Arg::Int(n) => write!(self.out, "int64={n}"),
                Arg::Float(x) => write!(self.out, "float64={}", signed(*x, 'g', &Spec::default())),
                Arg::Str(s) => write!(self.out, "string={s}"),
            };
        }
        self.out.push(')');
    }
}

fn signed(x: f64, verb: char, spec: &Spec) -> String {
    let sign = if x.is_sign_negative() && !x.is_nan() { "-" } else { "" };
    format!("{sign}{}", float(x, verb, spec))
}

fn cut(text: &str, spec: &Spec) -> String {
    match spec.precision {
        Some(most) => text.chars().take(most).collect(),
        None => text.to_owned(),
    }
}

fn sprintf(format: &str, args: &[Arg]) -> Eval<String> {
    let mut formatter = Formatter { args, next: 0, reordered: false, out: String::new() };
    formatter.run(format)?;
    Ok(formatter.out)
}

impl Evaluator<'_> {
    /// The YAML text of a value, as functions see it.
    pub(crate) fn text_of_value(&self, value: &Value) -> String {
        let writer = Writer {
            exprs: &self.sources.exprs,
            drop_temporary: false,
            unescape: false,
            interpolation: false,
            bare_lambdas: false,
        };
        writer.yaml(value)
    }
}

fn formatted(call: &Call<'_, '_>, name: &str) -> Eval<String> {
    let Some((format, rest)) = call.args.split_first() else {
        return fail(format!("alt least one argument required for '{name}'"));
    };
    let arg = |value: &Value| match value {
        Value::Null => Arg::Nil,
        Value::Bool(b) => Arg::Bool(*b),
        Value::Int(n) => Arg::Int(*n),
        Value::Float(x) => Arg::Float(*x),
        Value::Str(s) => Arg::Str(s.to_string()),
        Value::Lambda(lambda) => Arg::Str(call.ev.lambda_text(lambda).to_string()),
        Value::List(_) | Value::Map(_) | Value::Template(_) => {
            Arg::Str(call.ev.text_of_value(value))
        }
    };
    let Arg::Str(format) = arg(format) else {
        return fail(format!("{name}: format must be string"));
    };
    let args: Vec<Arg> = rest.iter().map(arg).collect();
    sprintf(&format, &args)
}

fn format_call(call: &mut Call<'_, '_>) -> Eval<Value> {
    Ok(Value::str(formatted(call, "format")?))
}

fn error(call: &mut Call<'_, '_>) -> Eval<Value> {
    Err(Stop::failed(formatted(call, "error")?))
}

pub(super) fn register(table: &mut Table) {
    table.extend([("format", eager(format_call)), ("error", eager(error))]);
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn check(format: &str, args: &[Arg], expected: &str) {
        assert_eq!(sprintf(format, args).unwrap(), expected, "{format}");
    }

    #[test]
    fn verbs() {
        let s = |t: &str| Arg::Str(t.into());
        check("%s-%d", &[s("a"), Arg::Int(5)], "a-5");
        check(
            "%5d|%-5d|%05d|%+d|%x",
            &[Arg::Int(42), Arg::Int(42), Arg::Int(-42), Arg::Int(7), Arg::Int(255)],
            "   42|42   |-0042|+7|ff",
        );
        check("%v %v %v", &[Arg::Nil, Arg::Bool(true), s("x")], "<nil> true x");
        check(
            "%q %6.2f %g %e",
            &[s("a\"b"), Arg::Float(1.005), Arg::Float(1e21), Arg::Float(1234.5)],
            "\"a\\\"b\"   1.00 1e+21 1.234500e+03",
        );
        check("%[2]s %[1]s", &[s("a"), s("b")], "b a");
        check("%*d", &[Arg::Int(4), Arg::Int(1)], "   1");
        check("%.2s|%10s|%-3s|", &[s("abc"), s("x"), s("y")], "ab|         x|y  |");
        check(
            "%g %v %g",
            &[Arg::Float(100_000.0), Arg::Float(0.00001), Arg::Float(3.5)],
            "100000 1e-05 3.5",
        );
    }

    #[test]
    fn misuse_is_shown_in_the_text() {
        let s = |t: &str| Arg::Str(t.into());
        check("%d", &[s("x")], "%!d(string=x)");
        check("%s", &[], "%!s(MISSING)");
        check("a", &[Arg::Int(1)], "a%!(EXTRA int64=1)");
        check("%s", &[Arg::Int(5)], "%!s(int64=5)");
        check("100%", &[], "100%!(NOVERB)");
        check("%s", &[Arg::Nil], "%!s(<nil>)");
        check("%[9]d", &[Arg::Int(1)], "%!d(BADINDEX)");
    }
}
