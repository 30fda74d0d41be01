//! Ruby's `sprintf`.
//!
//! ```
//! use ordain_functions::printf::ruby::{Arg, sprintf};
//! let args = [Arg::Str("web"), Arg::Int(7), Arg::Int(-255)];
//! assert_eq!(sprintf("%s-%03d %x", &args)?, "web-007 ..f01");
//! # Ok::<(), ordain_functions::Error>(())
//! ```

use std::borrow::Cow;

use num_bigint::{BigInt, Sign};

use super::number;
use crate::{Error, Result, float, integer, text};

/// The maximum width or precision, so that a short format does not fill the memory.
const MAX_WIDTH: usize = 1 << 20;
/// The maximum size of a result in bytes.
const MAX_OUTPUT: usize = 1 << 26;

/// A value to be formatted.
#[derive(Clone)]
pub enum Arg<'a> {
    /// An integer.
    Int(i64),
    /// An integer of any size.
    Big(Cow<'a, BigInt>),
    /// A float.
    Float(f64),
    /// A text.
    Str(&'a str),
    /// Nothing.
    Nil,
    /// Whatever else the caller's language has.
    Other(&'a dyn Value),
}

/// The formatter's interface to a value that is neither number nor text.
pub trait Value {
    /// The text for `%s`.
    fn display(&self) -> String;
    /// The text for `%p`.
    fn inspect(&self) -> String;
    /// The name of its class in messages such as `can't convert Array into Integer`.
    fn class_name(&self) -> String;
    /// For a hash, the value of a key that a format names; `None` for any other value.
    fn as_hash(&self) -> Option<&dyn Keys> {
        None
    }
}

/// A hash for the named references of a format.
pub trait Keys {
    /// The value of the key, if there is one.
    fn get(&self, key: &str) -> Option<Arg<'_>>;
}

/// Formats the arguments.
///
/// # Errors
/// [`Error::Format`] or [`Error::Number`] with Ruby's texts.
pub fn sprintf(format: &str, args: &[Arg<'_>]) -> Result<String> {
    let mut formatter = Formatter {
        chars: format.char_indices().peekable(),
        format,
        args,
        mode: Mode::Start,
        out: String::new(),
    };
    formatter.run()?;
    Ok(formatter.out)
}

fn fail<T>(message: impl Into<String>) -> Result<T> {
    Err(Error::Format(message.into()))
}

/// The way in which the format has referred to its arguments so far.
#[derive(Clone, Copy, PartialEq)]
enum Mode {
    Start,
    /// In sequence; the number of used arguments.
    Sequence(usize),
    Numbered,
    Named,
}

#[derive(Default)]
struct Directive<'a> {
    space: bool,
    sharp: bool,
    plus: bool,
    minus: bool,
    zero: bool,
    width: Option<usize>,
    precision: Option<usize>,
    value: Option<Arg<'a>>,
    name: Option<String>,
}

impl Directive<'_> {
    fn is_bare(&self) -> bool {
        !(self.space || self.sharp || self.plus || self.minus || self.zero)
            && self.width.is_none()
            && self.precision.is_none()
    }

    fn sign(&self, negative: bool) -> &'static str {
        match (negative, self.plus, self.space) {
            (true, ..) => "-",
            (_, true, _) => "+",
            (.., true) => " ",
            _ => "",
        }
    }
}

struct Formatter<'a> {
    chars: std::iter::Peekable<std::str::CharIndices<'a>>,
    format: &'a str,
    args: &'a [Arg<'a>],
    mode: Mode,
    out: String,
}

impl<'a> Formatter<'a> {
    fn run(&mut self) -> Result<()> {
        while let Some((_, c)) = self.chars.next() {
            if c == '%' {
                self.directive()?;
            } else {
                self.out.push(c);
            }
            if self.out.len() > MAX_OUTPUT {
                return fail("the result is too big");
            }
        }
        Ok(())
    }

    fn directive(&mut self) -> Result<()> {
        let mut directive = Directive::default();
        loop {
            let Some((_, c)) = self.chars.next() else {
                return fail("incomplete format specifier; use %% (double %) instead");
            };
            match c {
                ' ' | '#' | '+' | '-' | '0' => flag(&mut directive, c)?,
                '1'..='9' => self.number(&mut directive, c)?,
                '*' => self.star_width(&mut directive)?,
                '.' => self.precision(&mut directive)?,
                '<' => self.name(&mut directive, '>')?,
                '{' => {
                    self.name(&mut directive, '}')?;
                    let value = self.value(&mut directive)?;
                    self.push_text(&directive, &display(&value));
                    return Ok(());
                }
                '%' | '\n' | '\0' => {
                    if !directive.is_bare() {
                        return fail("invalid format character - %");
                    }
                    self.out.push('%');
                    if c != '%' {
                        self.out.push(c);
                    }
                    return Ok(());
                }
                _ => return self.convert(directive, c),
            }
        }
    }

    fn convert(&mut self, mut directive: Directive<'a>, letter: char) -> Result<()> {
        if !"diuxXobBfeEgGaAcsp".contains(letter) {
            return fail(format!("malformed format string - %{letter}"));
        }
        let value = self.value(&mut directive)?;
        match letter {
            's' => self.push_text(&directive, &display(&value)),
            'p' => self.push_text(&directive, &inspect(&value)),
            // A precision does not cut a character.
            'c' => {
                directive.precision = None;
                self.push_text(&directive, &character(&value)?);
            }
            'd' | 'i' | 'u' => self.integer(&directive, &to_integer(&value)?, 10, "", false),
            'x' => self.integer(&directive, &to_integer(&value)?, 16, "0x", false),
            'X' => self.integer(&directive, &to_integer(&value)?, 16, "0X", true),
            'o' => self.integer(&directive, &to_integer(&value)?, 8, "0", false),
            'b' => self.integer(&directive, &to_integer(&value)?, 2, "0b", false),
            'B' => self.integer(&directive, &to_integer(&value)?, 2, "0B", false),
            _ => self.float(&directive, &value, letter)?,
        }
        Ok(())
    }

    /// A width, or the number of an argument.
    fn number(&mut self, directive: &mut Directive<'a>, first: char) -> Result<()> {
        let number = self.digits(first.to_digit(10).unwrap_or(0) as usize, "width too big")?;
        if self.chars.next_if(|&(_, c)| c == '$').is_some() {
            if directive.value.is_some() {
                return fail(format!("value given twice - {number}$"));
            }
            directive.value = Some(self.numbered(number)?);
            return Ok(());
        }
        check_width(directive)?;
        directive.width = Some(number);
        Ok(())
    }

    fn digits(&mut self, mut number: usize, too_big: &str) -> Result<usize> {
        while let Some((_, c)) = self.chars.next_if(|(_, c)| c.is_ascii_digit()) {
            number = number * 10 + c.to_digit(10).unwrap_or(0) as usize;
            if number > MAX_WIDTH {
                return fail(too_big);
            }
        }
        Ok(number)
    }

    fn star_width(&mut self, directive: &mut Directive<'a>) -> Result<()> {
        check_width(directive)?;
        let width = self.star("width too big")?;
        directive.minus |= width < 0;
        directive.width = Some(width.unsigned_abs() as usize);
        Ok(())
    }

    /// The argument of an asterisk, `*` or `*1$`.
    fn star(&mut self, too_big: &str) -> Result<i64> {
        let rest = self.chars.peek().map_or("", |&(at, _)| &self.format[at..]);
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let value = if digits > 0 && rest[digits..].starts_with('$') {
            let number = self.digits(0, too_big)?;
            self.chars.next();
            self.numbered(number)?
        } else {
            self.next_in_sequence()?
        };
        let size = match &value {
            Arg::Str(_) => return fail("no implicit conversion of String into Integer"),
            Arg::Nil => return fail("no implicit conversion from nil to integer"),
            other => to_integer(other)?,
        };
        match i64::try_from(&size) {
            Ok(size) if size.unsigned_abs() <= MAX_WIDTH as u64 => Ok(size),
            _ => fail(too_big),
        }
    }

    fn precision(&mut self, directive: &mut Directive<'a>) -> Result<()> {
        if directive.precision.is_some() {
            return fail("precision given twice");
        }
        if self.chars.next_if(|&(_, c)| c == '*').is_some() {
            let precision = self.star("precision too big")?;
            directive.precision = usize::try_from(precision).ok();
            return Ok(());
        }
        directive.precision = Some(self.digits(0, "precision too big")?);
        Ok(())
    }

    fn name(&mut self, directive: &mut Directive<'a>, end: char) -> Result<()> {
        let begin = if end == '>' { '<' } else { '{' };
        let mut name = String::new();
        loop {
            match self.chars.next() {
                Some((_, c)) if c == end => break,
                Some((_, c)) => name.push(c),
                None => return fail("malformed name - unmatched parenthesis"),
            }
        }
        if let Some(earlier) = &directive.name {
            return fail(format!("named{begin}{name}{end} after <{earlier}>"));
        }
        match self.mode {
            Mode::Sequence(count) if count > 0 => {
                return fail(format!("named{begin}{name}{end} after unnumbered({count})"));
            }
            Mode::Numbered => return fail(format!("named{begin}{name}{end} after numbered")),
            _ => self.mode = Mode::Named,
        }
        let args = self.args;
        let hash = match args {
            [Arg::Other(value)] => value.as_hash(),
            _ => None,
        };
        let Some(hash) = hash else { return fail("one hash required") };
        let Some(value) = hash.get(&name) else {
            return Err(Error::MissingKey(format!("{begin}{name}{end}")));
        };
        directive.value = Some(value);
        directive.name = Some(name);
        Ok(())
    }

    fn value(&mut self, directive: &mut Directive<'a>) -> Result<Arg<'a>> {
        match directive.value.take() {
            Some(value) => Ok(value),
            None => self.next_in_sequence(),
        }
    }

    fn next_in_sequence(&mut self) -> Result<Arg<'a>> {
        let taken = match self.mode {
            Mode::Start => 0,
            Mode::Sequence(taken) => taken,
            Mode::Numbered => return fail("unnumbered(1) mixed with numbered"),
            Mode::Named => return fail("unnumbered(1) mixed with named"),
        };
        self.mode = Mode::Sequence(taken + 1);
        self.argument(taken)
    }

    fn numbered(&mut self, number: usize) -> Result<Arg<'a>> {
        match self.mode {
            Mode::Sequence(taken) if taken > 0 => {
                return fail(format!("numbered({number}) after unnumbered({taken})"));
            }
            Mode::Named => return fail(format!("numbered({number}) after named")),
            _ => self.mode = Mode::Numbered,
        }
        if number == 0 {
            return fail("invalid index - 0$");
        }
        self.argument(number - 1)
    }

    fn argument(&self, index: usize) -> Result<Arg<'a>> {
        match self.args.get(index) {
            Some(value) => Ok(value.clone()),
            None => fail("too few arguments"),
        }
    }

    /// Appends text cut to the precision and padded to the width, both in characters.
    fn push_text(&mut self, directive: &Directive<'_>, text: &str) {
        let text =
            match directive.precision.and_then(|precision| text.char_indices().nth(precision)) {
                Some((end, _)) => &text[..end],
                None => text,
            };
        let padding = directive.width.unwrap_or(0).saturating_sub(text.chars().count());
        self.push_padded(directive, padding, &[text]);
    }

    fn push_padded(&mut self, directive: &Directive<'_>, padding: usize, parts: &[&str]) {
        let blanks = std::iter::repeat_n(' ', padding);
        if !directive.minus {
            self.out.extend(blanks.clone());
        }
        parts.iter().for_each(|part| self.out.push_str(part));
        if directive.minus {
            self.out.extend(blanks);
        }
    }

    fn integer(
        &mut self,
        directive: &Directive<'_>,
        value: &BigInt,
        radix: u32,
        prefix: &str,
        upper: bool,
    ) {
        let negative = value.sign() == Sign::Minus;
        let dots = negative && radix != 10 && !directive.plus && !directive.space;
        let mut digits =
            if dots { number::complement(value, radix) } else { number::magnitude(value, radix) };
        if upper {
            digits.make_ascii_uppercase();
        }
        let zero = value.sign() == Sign::NoSign;
        if zero && directive.precision == Some(0) {
            digits.clear();
        }
        let sign = if dots { "" } else { directive.sign(negative) };
        let length = digits.len() + if dots { 2 } else { 0 };
        let octal_is_padded =
            radix == 8 && (dots || directive.precision.is_some_and(|p| p > length));
        let prefix = if directive.sharp && !zero && !octal_is_padded { prefix } else { "" };
        let room = directive.width.unwrap_or(0).saturating_sub(sign.len() + prefix.len());
        let fill_to = match directive.precision {
            Some(precision) => precision,
            None if directive.zero && !directive.minus => room,
            None => 0,
        };
        let fill = fill_to.saturating_sub(length);
        let fill_char = if dots { digits.chars().next().unwrap_or('0') } else { '0' };
        let filling: String = std::iter::repeat_n(fill_char, fill).collect();
        let padding = room.saturating_sub(length + fill);
        self.push_padded(
            directive,
            padding,
            &[sign, prefix, if dots { ".." } else { "" }, &filling, &digits],
        );
    }

    fn float(&mut self, directive: &Directive<'_>, value: &Arg<'_>, letter: char) -> Result<()> {
        if letter == 'f'
            && let Arg::Int(_) | Arg::Big(_) = value
        {
            return self.whole_as_float(directive, &to_integer(value)?);
        }
        let value = to_float(value)?;
        let sign = directive.sign(value.is_sign_negative() && !value.is_nan());
        if !value.is_finite() {
            let word = if value.is_nan() { "NaN" } else { "Inf" };
            let padding = directive.width.unwrap_or(0).saturating_sub(sign.len() + 3);
            self.push_padded(directive, padding, &[sign, word]);
            return Ok(());
        }
        let precision = directive.precision.unwrap_or(6);
        let mut digits = match letter.to_ascii_lowercase() {
            'f' => number::fixed(value, precision, directive.sharp),
            'e' => number::scientific(value, precision, directive.sharp),
            'g' => number::general(value, precision, directive.sharp),
            _ => number::hexadecimal(value, directive.precision, directive.sharp),
        };
        if letter.is_ascii_uppercase() {
            digits.make_ascii_uppercase();
        }
        let prefix = match letter {
            'a' => "0x",
            'A' => "0X",
            _ => "",
        };
        self.push_number(directive, sign, prefix, &digits);
        Ok(())
    }

    /// `%f` of an integer, which keeps all its digits.
    fn whole_as_float(&mut self, directive: &Directive<'_>, value: &BigInt) -> Result<()> {
        let precision = directive.precision.unwrap_or(6);
        let mut digits = number::magnitude(value, 10);
        if precision > 0 {
            digits.push('.');
        }
        digits.extend(std::iter::repeat_n('0', precision));
        self.push_number(directive, directive.sign(value.sign() == Sign::Minus), "", &digits);
        Ok(())
    }

    fn push_number(&mut self, directive: &Directive<'_>, sign: &str, prefix: &str, digits: &str) {
        let length = sign.len() + prefix.len() + digits.len();
        let padding = directive.width.unwrap_or(0).saturating_sub(length);
        if directive.zero && !directive.minus {
            let zeros = "0".repeat(padding);
            self.push_padded(directive, 0, &[sign, prefix, &zeros, digits]);
        } else {
            self.push_padded(directive, padding, &[sign, prefix, digits]);
        }
    }
}

fn flag(directive: &mut Directive<'_>, c: char) -> Result<()> {
    if directive.precision.is_some() {
        return fail("flag after precision");
    }
    if directive.width.is_some() {
        return fail("flag after width");
    }
    match c {
        ' ' => directive.space = true,
        '#' => directive.sharp = true,
        '+' => directive.plus = true,
        '-' => directive.minus = true,
        _ => directive.zero = true,
    }
    Ok(())
}

fn check_width(directive: &Directive<'_>) -> Result<()> {
    if directive.width.is_some() {
        return fail("width given twice");
    }
    if directive.precision.is_some() {
        return fail("width after precision");
    }
    Ok(())
}

fn display<'v>(value: &Arg<'v>) -> Cow<'v, str> {
    match value {
        Arg::Int(value) => value.to_string().into(),
        Arg::Big(value) => value.to_string().into(),
        Arg::Float(value) => float::to_ruby(*value).into(),
        Arg::Str(text) => (*text).into(),
        Arg::Nil => "".into(),
        Arg::Other(value) => value.display().into(),
    }
}

fn inspect<'v>(value: &Arg<'v>) -> Cow<'v, str> {
    match value {
        Arg::Str(text) => text::inspect_ruby(text).into(),
        Arg::Nil => "nil".into(),
        Arg::Other(value) => value.inspect().into(),
        _ => display(value),
    }
}

fn character(value: &Arg<'_>) -> Result<String> {
    match value {
        Arg::Str(text) if text.chars().count() == 1 => Ok((*text).to_string()),
        Arg::Str(_) => fail("%c requires a character"),
        Arg::Nil => fail("no implicit conversion from nil to integer"),
        Arg::Other(value) => {
            fail(format!("no implicit conversion of {} into Integer", value.class_name()))
        }
        _ => {
            if let Arg::Float(number) = value
                && number.abs() >= 9.3e18
            {
                let shown = sprintf("%-.10g", &[Arg::Float(*number)])?;
                return fail(format!("float {shown} out of range of integer"));
            }
            let code = to_integer(value)?;
            if let Some(c) = u32::try_from(&code).ok().and_then(char::from_u32) {
                return Ok(c.to_string());
            }
            match i32::try_from(&code) {
                Err(_) if code.sign() == Sign::Minus => {
                    fail(format!("integer {code} too small to convert to `int'"))
                }
                Err(_) => fail(format!("integer {code} too big to convert to `int'")),
                // Half of a surrogate pair, or a negative number.
                Ok(code) if code < 0x11_0000 => fail("invalid byte sequence in UTF-8"),
                Ok(_) => fail("invalid character"),
            }
        }
    }
}

fn to_integer(value: &Arg<'_>) -> Result<BigInt> {
    match value {
        Arg::Int(value) => Ok((*value).into()),
        Arg::Big(value) => Ok(value.clone().into_owned()),
        Arg::Float(value) if !value.is_finite() => Err(Error::Number(float::to_ruby(*value))),
        Arg::Float(value) => {
            let text = format!("{:.0}", value.trunc());
            Ok(BigInt::parse_bytes(text.as_bytes(), 10).unwrap_or_default())
        }
        Arg::Str(text) => integer::parse_ruby(text),
        Arg::Nil => Err(Error::Conversion { class: "nil".into(), target: "Integer" }),
        Arg::Other(value) => {
            Err(Error::Conversion { class: value.class_name(), target: "Integer" })
        }
    }
}

fn to_float(value: &Arg<'_>) -> Result<f64> {
    match value {
        Arg::Int(value) => Ok(*value as f64),
        Arg::Big(value) => float::parse_ruby(&value.to_string()),
        Arg::Float(value) => Ok(*value),
        Arg::Str(text) => float::parse_ruby(text),
        Arg::Nil => Err(Error::Conversion { class: "nil".into(), target: "Float" }),
        Arg::Other(value) => Err(Error::Conversion { class: value.class_name(), target: "Float" }),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn one(format: &str, arg: Arg<'_>) -> String {
        sprintf(format, &[arg]).unwrap_or_else(|error| error.to_string())
    }

    struct Pair;

    impl Value for Pair {
        fn display(&self) -> String {
            "{\"a\"=>1}".into()
        }
        fn inspect(&self) -> String {
            self.display()
        }
        fn class_name(&self) -> String {
            "Hash".into()
        }
        fn as_hash(&self) -> Option<&dyn Keys> {
            Some(self)
        }
    }

    impl Keys for Pair {
        fn get(&self, key: &str) -> Option<Arg<'_>> {
            (key == "a").then_some(Arg::Int(1))
        }
    }

    #[test]
    fn integers_have_signs_prefixes_and_complements() {
        for (format, value, text) in [
            ("%x", -255, "..f01"),
            ("%08x", -255, "..ffff01"),
            ("%#010x", -255, "0x..ffff01"),
            ("%+010x", -255, "-0000000ff"),
            ("%12.8x|", -255, "    ..ffff01|"),
            ("%o", -8, "..70"),
            ("%b", -5, "..1011"),
            ("%x", -1, "..f"),
            ("%#o", 8, "010"),
            ("%#x", 0, "0"),
            ("%.0d", 0, ""),
            ("%+05d", 5, "+0005"),
            ("%05.3d", 5, "  005"),
            ("%-5d|", 5, "5    |"),
            ("% d", 5, " 5"),
            ("%f", 3, "3.000000"),
        ] {
            assert_eq!(one(format, Arg::Int(value)), text, "{format}");
        }
    }

    #[test]
    fn floats_follow_c() {
        for (format, value, text) in [
            ("%e", 12345.678, "1.234568e+04"),
            ("%g", 1e10, "1e+10"),
            ("%g", 100000.0, "100000"),
            ("%#g", 1.0, "1.00000"),
            ("%a", -0.5, "-0x1p-1"),
            ("%.2a", 1.999, "0x1.00p+1"),
            ("%A", 10.5, "0X1.5P+3"),
            ("%.0f", 0.5, "0"),
            ("%010.2f", -1.5, "-000001.50"),
            ("%.20f", 0.1, "0.10000000000000000555"),
            ("%010f", f64::NEG_INFINITY, "      -Inf"),
            ("%a", 5e-324, "0x1p-1074"),
            ("%d", -1.9, "-1"),
        ] {
            assert_eq!(one(format, Arg::Float(value)), text, "{format}");
        }
    }

    #[test]
    fn names_and_numbers_refer_to_arguments() {
        assert_eq!(one("%<a>03d %{a}", Arg::Other(&Pair)), "001 1");
        assert_eq!(one("%<b>d", Arg::Other(&Pair)), "key<b> not found");
        assert_eq!(sprintf("%2$s %1$s", &[Arg::Str("a"), Arg::Str("b")]).unwrap(), "b a");
        assert_eq!(sprintf("%*d|%-*d|", &[3, 1, 3, 1].map(Arg::Int)).unwrap(), "  1|1  |");
        assert_eq!(one("%1$s %s", Arg::Str("a")), "unnumbered(1) mixed with numbered");
        assert_eq!(one("%s %1$s", Arg::Str("a")), "numbered(1) after unnumbered(1)");
    }

    #[test]
    fn mistakes_have_rubys_texts() {
        assert_eq!(sprintf("%d", &[]).unwrap_err().to_string(), "too few arguments");
        assert_eq!(one("%d", Arg::Str("x")), "invalid value for Integer(): \"x\"");
        assert_eq!(one("%", Arg::Nil), "incomplete format specifier; use %% (double %) instead");
        assert_eq!(one("%y", Arg::Nil), "malformed format string - %y");
        assert_eq!(one("%5 d", Arg::Int(1)), "flag after width");
        assert_eq!(one("%99999999d", Arg::Int(1)), "width too big");
        assert_eq!(one("%d", Arg::Other(&Pair)), "can't convert Hash into Integer");
    }
}
