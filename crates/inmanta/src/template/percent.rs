//! Formats text with placeholders: `%` and `str.format`.

use std::borrow::Cow;

use ecow::EcoString;
use num_bigint::{BigInt, Sign};
use ordain_functions::printf::python::{self, Arg, Field};
use ordain_functions::text::repr_python;

use super::arguments::Arguments;
use super::fault::{Fault, Res, type_error, value_error};
use super::operators::{float, truncated};
use super::runtime::Runtime;
use super::value::Val;
use crate::diagnostics::Exception;

/// A placeholder of `%`: `%(name)-5.2f`.
#[derive(Default)]
struct Placeholder {
    is_left: bool,
    is_signed: bool,
    is_spaced: bool,
    is_alternate: bool,
    is_zero: bool,
    width: usize,
    precision: Option<usize>,
}

/// The values of `%`, in order.
struct Source {
    items: Vec<Val>,
    next: usize,
    mapping: Option<Val>,
}

impl Source {
    fn next(&mut self) -> Res<Val> {
        let item = self.items.get(self.next).cloned();
        self.next += 1;
        item.ok_or_else(|| type_error("not enough arguments for format string"))
    }
}

impl Runtime<'_> {
    /// `text % values`.
    pub(super) fn percent(&mut self, text: &str, values: &Val, is_markup: bool) -> Res<Val> {
        let is_plain = matches!(values, Val::Str(_) | Val::Markup(_) | Val::Tuple(_));
        let has_items = self.has_keys(values) || matches!(values, Val::List(_) | Val::Proxy(_));
        let mut source = Source {
            items: match values {
                Val::Tuple(found) => found.items.clone(),
                other => vec![other.clone()],
            },
            next: 0,
            mapping: (!is_plain && has_items).then(|| values.clone()),
        };
        let mut out = String::new();
        let mut chars = text.char_indices().peekable();
        while let Some((at, c)) = chars.next() {
            if c != '%' {
                out.push(c);
                continue;
            }
            let rest = &text[at + 1..];
            let used = self.place(rest, &mut source, is_markup, &mut out)?;
            let end = at + 1 + used;
            while chars.next_if(|(at, _)| *at < end).is_some() {}
            self.text_fits(out.len())?;
        }
        let is_open = source.next < source.items.len() && source.mapping.is_none();
        if is_open {
            return Err(type_error("not all arguments converted during string formatting"));
        }
        Ok(Val::text_like(out, is_markup))
    }

    /// The value of a key in parentheses, if there is one, and the text after it.
    fn mapping_key<'t>(&mut self, text: &'t str, source: &Source) -> Res<(Option<Val>, &'t str)> {
        let Some(after) = text.strip_prefix('(') else { return Ok((None, text)) };
        let mut depth = 1;
        let end = after.char_indices().find(|(_, c)| {
            depth += i32::from(*c == '(') - i32::from(*c == ')');
            depth == 0
        });
        let Some((end, _)) = end else { return Err(value_error("incomplete format key")) };
        let Some(mapping) = source.mapping.clone() else {
            return Err(type_error("format requires a mapping"));
        };
        let value = self.python_item(&mapping, &Val::str(&after[..end]))?;
        Ok((Some(value), &after[end + 1..]))
    }

    /// Writes the value of a placeholder; returns the length of the placeholder after the `%`.
    fn place(
        &mut self,
        text: &str,
        source: &mut Source,
        is_markup: bool,
        out: &mut String,
    ) -> Res<usize> {
        const INCOMPLETE: &str = "incomplete format";
        let (named, mut rest) = self.mapping_key(text, source)?;
        let mut place = Placeholder::default();
        loop {
            match rest.bytes().next() {
                Some(b'-') => place.is_left = true,
                Some(b'+') => place.is_signed = true,
                Some(b' ') => place.is_spaced = true,
                Some(b'#') => place.is_alternate = true,
                Some(b'0') => place.is_zero = true,
                _ => break,
            }
            rest = &rest[1..];
        }
        let (width, after) = self.size(rest, source)?;
        rest = after;
        if let Some(width) = width {
            place.is_left |= width < 0;
            place.width = usize::try_from(width.unsigned_abs()).unwrap_or(usize::MAX);
            self.text_fits(place.width)?;
        }
        if let Some(after) = rest.strip_prefix('.') {
            let (precision, after) = self.size(after, source)?;
            rest = after;
            let precision = usize::try_from(precision.unwrap_or(0).max(0)).unwrap_or(usize::MAX);
            self.text_fits(precision)?;
            place.precision = Some(precision);
        }
        rest = rest.strip_prefix(['h', 'l', 'L']).unwrap_or(rest);
        let Some(kind) = rest.chars().next() else { return Err(value_error(INCOMPLETE)) };
        rest = &rest[kind.len_utf8()..];
        let used = text.len() - rest.len();
        if kind == '%' {
            out.push('%');
            return Ok(used);
        }
        if !"diouxXeEfFgGcrsa".contains(kind) {
            let at = used;
            let text =
                format!("unsupported format character '{kind}' ({:#x}) at index {at}", kind as u32);
            return Err(value_error(text));
        }
        let value = match named {
            Some(value) => value,
            None => source.next()?,
        };
        let shown = self.converted(kind, &place, &value, is_markup)?;
        out.push_str(&shown);
        Ok(used)
    }

    /// Parses a width or a precision: digits, or `*` for the next value.
    fn size<'t>(&mut self, text: &'t str, source: &mut Source) -> Res<(Option<i64>, &'t str)> {
        if let Some(rest) = text.strip_prefix('*') {
            let value = source.next()?;
            return match value {
                Val::Int(_) | Val::Bool(_) | Val::Big(_) => Ok((Some(value.as_index()?), rest)),
                _ => Err(type_error("* wants int")),
            };
        }
        let length = text.bytes().take_while(u8::is_ascii_digit).count();
        if length == 0 {
            return Ok((None, text));
        }
        let number = text[..length].parse().map_err(|_| value_error("width too big"))?;
        Ok((Some(number), &text[length..]))
    }

    fn converted(
        &mut self,
        kind: char,
        place: &Placeholder,
        value: &Val,
        is_markup: bool,
    ) -> Res<String> {
        let text = match kind {
            's' if is_markup => self.escaped(value)?.to_string(),
            's' => self.text(value)?.to_string(),
            'r' | 'a' => {
                let shown = self.repr(value)?;
                let shown = if kind == 'a' { ascii(&shown) } else { shown };
                if is_markup { self.escaped(&Val::str(shown))?.to_string() } else { shown }
            }
            'c' => match value {
                Val::Str(text) | Val::Markup(text) if text.chars().count() == 1 => text.to_string(),
                Val::Int(code) => {
                    let found = u32::try_from(*code).ok().and_then(char::from_u32);
                    let Some(found) = found else {
                        let text = "%c arg not in range(0x110000)";
                        return Err(Fault::Raised(Exception::OverflowError, text.into()));
                    };
                    found.to_string()
                }
                _ => {
                    return Err(type_error("%c requires int or char"));
                }
            },
            _ => return self.number(kind, place, value),
        };
        let text = match place.precision {
            Some(precision) if kind != 'c' => text.chars().take(precision).collect(),
            _ => text,
        };
        Ok(aligned(&text, place.width, place.is_left))
    }

    fn number(&mut self, kind: char, place: &Placeholder, value: &Val) -> Res<String> {
        if let Val::Undefined(found) = value {
            return Err(found.fault(self));
        }
        let (is_negative, prefix, digits) = digits(kind, place, value)?;
        let is_float = "eEfFgG".contains(kind);
        let digits = match place.precision {
            Some(precision) if !is_float && digits.len() < precision => {
                format!("{}{digits}", "0".repeat(precision - digits.len()))
            }
            _ => digits,
        };
        let sign = match is_negative {
            true => "-",
            false if place.is_signed => "+",
            false if place.is_spaced => " ",
            false => "",
        };
        let head = sign.len() + prefix.len();
        let digits = if place.is_zero && !place.is_left && head + digits.len() < place.width {
            format!("{}{digits}", "0".repeat(place.width - head - digits.len()))
        } else {
            digits
        };
        Ok(aligned(&format!("{sign}{prefix}{digits}"), place.width, place.is_left))
    }

    /// `text.format(…)`.
    pub(super) fn format_text(&mut self, text: &str, arguments: Arguments) -> Res<Val> {
        let mut fields = Fields::new(arguments, false);
        fields.expand(self, text, 0).map(Val::str)
    }

    /// `text.format(…)` of an escaped text.
    pub(super) fn format_markup(&mut self, text: &str, arguments: Arguments) -> Res<Val> {
        let mut fields = Fields::new(arguments, true);
        fields.expand(self, text, 0).map(Val::str).map(|value| match value {
            Val::Str(text) => Val::Markup(text),
            other => other,
        })
    }

    /// `text.format_map(mapping)`.
    pub(super) fn format_mapping(&mut self, text: &str, mapping: &Val) -> Res<Val> {
        let mut fields = Fields::new(Arguments::default(), false);
        fields.mapping = Some(mapping.clone());
        fields.expand(self, text, 0).map(Val::str)
    }

    /// Python's `format`.
    fn formatted(&mut self, value: &Val, spec: &str) -> Res<String> {
        let done = match value {
            Val::Bool(truth) => python::format(&Arg::Bool(*truth), spec),
            Val::Int(number) => python::format(&Arg::Int(Cow::Owned(BigInt::from(*number))), spec),
            Val::Big(number) => python::format(&Arg::Int(Cow::Borrowed(number)), spec),
            Val::Float(number) => python::format(&Arg::Float(*number), spec),
            Val::Str(text) | Val::Markup(text) => python::format(&Arg::Str(text), spec),
            other if spec.is_empty() => return self.text(other).map(|text| text.to_string()),
            Val::Undefined(found) => return Err(found.fault(self)),
            other => {
                let class = other.type_name();
                let text = format!("unsupported format string passed to {class}.__format__");
                return Err(type_error(text));
            }
        };
        done.map_err(|error| value_error(error.to_string()))
    }
}

fn aligned(text: &str, width: usize, is_left: bool) -> String {
    let missing = width.saturating_sub(text.chars().count());
    let blanks = " ".repeat(missing);
    if is_left { format!("{text}{blanks}") } else { format!("{blanks}{text}") }
}

/// Python's `ascii`: escapes all characters beyond ASCII.
fn ascii(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c as u32 {
            0..=0x7f => out.push(c),
            code @ ..=0xff => out.push_str(&format!("\\x{code:02x}")),
            code @ ..=0xffff => out.push_str(&format!("\\u{code:04x}")),
            code => out.push_str(&format!("\\U{code:08x}")),
        }
    }
    out
}

/// The numbering of fields without a name.
#[derive(Clone, Copy)]
enum Numbering {
    Open,
    Automatic(usize),
    Manual,
}

/// The fields of `str.format`.
struct Fields {
    arguments: Arguments,
    mapping: Option<Val>,
    numbering: Numbering,
    is_markup: bool,
}

impl Fields {
    fn new(arguments: Arguments, is_markup: bool) -> Self {
        Self { arguments, mapping: None, numbering: Numbering::Open, is_markup }
    }

    fn expand(&mut self, runtime: &mut Runtime<'_>, text: &str, depth: u32) -> Res<String> {
        if depth > 1 {
            return Err(value_error("Max string recursion exceeded"));
        }
        let mut out = String::new();
        for piece in python::parse(text).map_err(|error| value_error(error.to_string()))? {
            out.push_str(&piece.literal);
            let Some(field) = piece.field else { continue };
            let value = self.find(runtime, &field)?;
            let value = match field.conversion {
                None => value,
                Some('s') => Val::Str(runtime.text(&value)?),
                Some('r') => Val::str(runtime.repr(&value)?),
                Some('a') => Val::str(ascii(&runtime.repr(&value)?)),
                Some(other) => {
                    // Escaped texts are formatted by Python code, which has another message.
                    let text = match self.is_markup {
                        true => format!("Unknown conversion specifier '{other}'"),
                        false => format!("Unknown conversion specifier {other}"),
                    };
                    return Err(value_error(text));
                }
            };
            let spec = self.expand(runtime, &field.spec, depth + 1)?;
            if self.is_markup && depth == 0 {
                let shown = match &value {
                    Val::Markup(text) if spec.is_empty() => Val::Markup(text.clone()),
                    _ => Val::str(runtime.formatted(&value, &spec)?),
                };
                out.push_str(&runtime.escaped(&shown)?);
            } else {
                out.push_str(&runtime.formatted(&value, &spec)?);
            }
            runtime.text_fits(out.len())?;
        }
        Ok(out)
    }

    fn index(&mut self, name: &str) -> Res<Option<usize>> {
        if name.is_empty() {
            let index = match self.numbering {
                Numbering::Open => 0,
                Numbering::Automatic(next) => next,
                Numbering::Manual => {
                    return Err(value_error(
                        "cannot switch from manual field specification to automatic field \
                         numbering",
                    ));
                }
            };
            self.numbering = Numbering::Automatic(index + 1);
            return Ok(Some(index));
        }
        let Ok(index) = name.parse::<usize>() else { return Ok(None) };
        if matches!(self.numbering, Numbering::Automatic(_)) {
            return Err(value_error(
                "cannot switch from automatic field numbering to manual field specification",
            ));
        }
        self.numbering = Numbering::Manual;
        Ok(Some(index))
    }

    fn find(&mut self, runtime: &mut Runtime<'_>, field: &Field) -> Res<Val> {
        let end = field.name.find(['.', '[']).unwrap_or(field.name.len());
        let (name, mut path) = field.name.split_at(end);
        let mut value = match (self.index(name)?, &self.mapping) {
            (Some(_), Some(_)) => {
                return Err(value_error("Format string contains positional fields"));
            }
            (Some(index), None) => match self.arguments.positional.get(index) {
                Some(value) => value.clone(),
                None => {
                    let text =
                        format!("Replacement index {index} out of range for positional args tuple");
                    return Err(Fault::Raised(Exception::IndexError, text));
                }
            },
            (None, Some(mapping)) => {
                let mapping = mapping.clone();
                runtime.python_item(&mapping, &Val::str(name))?
            }
            (None, None) => {
                let found = self.arguments.named.iter().find(|(other, _)| other == name);
                match found {
                    Some((_, value)) => value.clone(),
                    None => return Err(Fault::Raised(Exception::KeyError, repr_python(name))),
                }
            }
        };
        while !path.is_empty() {
            if let Some(rest) = path.strip_prefix('.') {
                let end = rest.find(['.', '[']).unwrap_or(rest.len());
                let attribute: EcoString = rest[..end].into();
                if attribute.is_empty() {
                    return Err(value_error("Empty attribute in format string"));
                }
                let found = runtime.python_attribute(&value, &attribute)?;
                let Some(found) = found else {
                    let class = value.type_name();
                    let name = repr_python(&attribute);
                    let text = format!("'{class}' object has no attribute {name}");
                    return Err(Fault::Raised(Exception::AttributeError, text));
                };
                value = found;
                path = &rest[end..];
            } else if let Some(rest) = path.strip_prefix('[') {
                let (key, after) = bracket_key(rest)?;
                value = runtime.python_item(&value, &key)?;
                path = after;
            } else {
                return Err(value_error(
                    "Only '.' or '[' may follow ']' in format field specifier",
                ));
            }
        }
        Ok(value)
    }
}

/// The key in the brackets of a field, and the text after them.
fn bracket_key(text: &str) -> Res<(Val, &str)> {
    let Some((item, after)) = text.split_once(']') else {
        return Err(value_error("Missing ']' in format string"));
    };
    if item.is_empty() {
        return Err(value_error("Empty attribute in format string"));
    }
    let key = match item.parse::<i64>() {
        Ok(number) if item.bytes().all(|b| b.is_ascii_digit()) => Val::Int(number),
        _ => Val::str(item),
    };
    Ok((key, after))
}

/// The digits of a number in the format of a placeholder: whether it is negative, the prefix, and
/// the digits.
fn digits(kind: char, place: &Placeholder, value: &Val) -> Res<(bool, &'static str, String)> {
    Ok(match kind {
        'd' | 'i' | 'u' => {
            let number = match value {
                Val::Float(number) => truncated(*number)?.as_integer(),
                other => other.as_integer(),
            };
            let Some(number) = number else {
                let class = value.type_name();
                let text = format!("%{kind} format: a real number is required, not {class}");
                return Err(type_error(text));
            };
            (number.sign() == Sign::Minus, "", number.magnitude().to_string())
        }
        'x' | 'X' | 'o' => {
            let Some(number) = value.as_integer() else {
                let class = value.type_name();
                let text = format!("%{kind} format: an integer is required, not {class}");
                return Err(type_error(text));
            };
            let (radix, prefix) = match kind {
                'x' => (16, "0x"),
                'X' => (16, "0X"),
                _ => (8, "0o"),
            };
            let digits = number.magnitude().to_str_radix(radix);
            let digits = if kind == 'X' { digits.to_uppercase() } else { digits };
            let prefix = if place.is_alternate { prefix } else { "" };
            (number.sign() == Sign::Minus, prefix, digits)
        }
        _ => {
            let number = float(value)?;
            let precision = place.precision.unwrap_or(6);
            let mark = if place.is_alternate { "#" } else { "" };
            let spec = format!("{mark}.{precision}{kind}");
            let shown = python::format(&Arg::Float(number), &spec);
            let shown = shown.map_err(|error| value_error(error.to_string()))?;
            let digits = shown.strip_prefix('-').unwrap_or(&shown).to_owned();
            (shown.starts_with('-'), "", digits)
        }
    })
}
