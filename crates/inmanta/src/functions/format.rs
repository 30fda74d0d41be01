//! `std::format`: Python's `str.format`.

use std::borrow::Cow;

use num_bigint::BigInt;
use ordain_functions::printf::python::{self, Arg, Field};

use super::entry::{Entry, Outcome, plain, string};
use super::python::class_name;
use super::python::{python_repr, python_text};
use crate::diagnostics::Exception;
use crate::model::plugin::{Arguments, Context, Stop};
use crate::value::Value;

pub(super) const TABLE: &[Entry] =
    &[plain("format", "__string: string, *args: any, **kwargs: any", "string", format)];

fn format(context: &mut dyn Context, arguments: &Arguments) -> Outcome {
    let mut run = Run { arguments, next: Numbering::Open };
    run.expand(context, string(arguments, 0), 0).map(Value::str)
}

/// The numbering of fields without a name.
enum Numbering {
    Open,
    Automatic(usize),
    Manual,
}

struct Run<'a> {
    arguments: &'a Arguments,
    next: Numbering,
}

fn value_error(text: impl ToString) -> Stop {
    Stop::raised(Exception::ValueError, text.to_string())
}

impl Run<'_> {
    fn expand(
        &mut self,
        context: &mut dyn Context,
        text: &str,
        depth: u32,
    ) -> Result<String, Stop> {
        if depth > 1 {
            return Err(value_error("Max string recursion exceeded"));
        }
        let mut out = String::new();
        for piece in python::parse(text).map_err(value_error)? {
            out.push_str(&piece.literal);
            let Some(field) = piece.field else { continue };
            let value = self.find(context, &field)?;
            let spec = self.expand(context, &field.spec, depth + 1)?;
            out.push_str(&shown(context, &value, field.conversion, &spec)?);
        }
        Ok(out)
    }

    fn number(&mut self, name: &str) -> Result<Option<usize>, Stop> {
        if name.is_empty() {
            let index = match self.next {
                Numbering::Open => 0,
                Numbering::Automatic(next) => next,
                Numbering::Manual => {
                    return Err(value_error(
                        "cannot switch from manual field specification to automatic field numbering",
                    ));
                }
            };
            self.next = Numbering::Automatic(index + 1);
            return Ok(Some(index));
        }
        let Ok(index) = name.parse::<usize>() else { return Ok(None) };
        if let Numbering::Automatic(_) = self.next {
            return Err(value_error(
                "cannot switch from automatic field numbering to manual field specification",
            ));
        }
        self.next = Numbering::Manual;
        Ok(Some(index))
    }

    fn find(&mut self, context: &mut dyn Context, field: &Field) -> Outcome {
        let end = field.name.find(['.', '[']).unwrap_or(field.name.len());
        let (first, mut rest) = field.name.split_at(end);
        let mut value = match self.number(first)? {
            Some(index) => self.arguments.rest.get(index).cloned().ok_or_else(|| {
                let text =
                    format!("Replacement index {index} out of range for positional args tuple");
                Stop::raised(Exception::IndexError, text)
            })?,
            None => {
                let named = self.arguments.keywords.iter().find(|(name, _)| name == first);
                let shown = ordain_functions::text::repr_python(first);
                named
                    .map(|(_, v)| v.clone())
                    .ok_or_else(|| Stop::raised(Exception::KeyError, shown))?
            }
        };
        while !rest.is_empty() {
            if let Some(behind) = rest.strip_prefix('.') {
                let end = behind.find(['.', '[']).unwrap_or(behind.len());
                let (name, tail) = behind.split_at(end);
                if name.is_empty() {
                    return Err(value_error("Empty attribute in format string"));
                }
                value = attribute(context, &value, name)?;
                rest = tail;
                continue;
            }
            let Some(behind) = rest.strip_prefix('[') else {
                let text = "Only '.' or '[' may follow ']' in format field specifier";
                return Err(value_error(text));
            };
            let Some((key, tail)) = behind.split_once(']') else {
                return Err(value_error("Missing ']' in format string"));
            };
            if key.is_empty() {
                return Err(value_error("Empty attribute in format string"));
            }
            value = element(&value, key)?;
            rest = tail;
        }
        Ok(value)
    }
}

fn attribute(context: &mut dyn Context, value: &Value, name: &str) -> Outcome {
    match value {
        Value::Instance(instance) => super::objects::get(context, *instance, name),
        other => {
            let text = format!("'{}' object has no attribute '{name}'", class_name(other));
            Err(Stop::raised(Exception::AttributeError, text))
        }
    }
}

fn element(value: &Value, key: &str) -> Outcome {
    match value {
        Value::Dict(entries) => entries.get(key).cloned().ok_or_else(|| {
            Stop::raised(Exception::KeyError, ordain_functions::text::repr_python(key))
        }),
        Value::List(items) => match key.parse::<usize>() {
            Ok(index) => items
                .get(index)
                .cloned()
                .ok_or_else(|| Stop::raised(Exception::IndexError, "list index out of range")),
            Err(_) => Err(Stop::raised(
                Exception::TypeError,
                "list indices must be integers or slices, not str",
            )),
        },
        other => {
            let text = format!("'{}' object is not subscriptable", class_name(other));
            Err(Stop::raised(Exception::TypeError, text))
        }
    }
}

fn shown(
    context: &mut dyn Context,
    value: &Value,
    conversion: Option<char>,
    spec: &str,
) -> Result<String, Stop> {
    let text = match conversion {
        None => None,
        Some('s') => Some(python_text(value, context)),
        Some('r') => Some(python_repr(value, context)),
        Some('a') => Some(ascii(&python_repr(value, context))),
        Some(other) => {
            return Err(value_error(format!("Unknown conversion specifier {other}")));
        }
    };
    let arg = match (&text, value) {
        (Some(text), _) => Arg::Str(text),
        (_, Value::Str(text)) => Arg::Str(text),
        (_, Value::Bool(truth)) => Arg::Bool(*truth),
        (_, Value::Int(number)) => Arg::Int(Cow::Owned(BigInt::from(*number))),
        (_, Value::BigInt(number)) => Arg::Int(Cow::Borrowed(number)),
        (_, Value::Float(number)) => Arg::Float(*number),
        (_, Value::Unknown(_)) => return Err(Stop::Unknown(value.clone())),
        _ if spec.is_empty() => return Ok(python_text(value, context)),
        _ => {
            let class = class_name(value);
            let text = format!("unsupported format string passed to {class}.__format__");
            return Err(Stop::raised(Exception::TypeError, text));
        }
    };
    python::format(&arg, spec).map_err(value_error)
}

/// Python's `ascii`: escapes all characters beyond ASCII.
fn ascii(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c as u32 {
            ..=0x7f => out.push(c),
            code @ ..=0xff => out.push_str(&format!("\\x{code:02x}")),
            code @ ..=0xffff => out.push_str(&format!("\\u{code:04x}")),
            code => out.push_str(&format!("\\U{code:08x}")),
        }
    }
    out
}
