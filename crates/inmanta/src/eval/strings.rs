//! Strings with placeholders.

use std::borrow::Cow;

use ordain_functions::printf::python::{Arg, format};
use ordain_source::limits::most_text;

use super::net::Net;
use super::state::ids::Place;
use crate::diagnostics::{Class, Error, Result};
use crate::syntax::ast::{ExprId, Field, FormatId, Part};
use crate::value::{Value, float_integer, string_repr};

impl Net<'_> {
    /// Fills the placeholders of a string.
    pub(super) fn format_string(
        &self,
        id: ExprId,
        format: FormatId,
        arguments: Vec<Value>,
    ) -> Result<Value> {
        let node = &self.program.ast.formats[format];
        let fail = |class, message| Err(self.error_at(Place::expr(id), Error::new(class, message)));
        let mut values = Vec::with_capacity(arguments.len());
        for (i, value) in arguments.into_iter().enumerate() {
            if self.reference_of(&value).is_some() {
                let message = format!(
                    "Encountered reference in string format for variable `{}`. This is not \
                     supported.",
                    node.written[i]
                );
                return fail(Class::UnexpectedReference, message);
            }
            values.push(match value {
                Value::Unknown(_) => return Ok(self.unknown()),
                Value::Float(x) if x.fract() == 0.0 => {
                    float_integer(x).map_or(Value::Float(x), Value::int)
                }
                value => value,
            });
        }
        match self.parts(&node.parts, &values) {
            Ok(text) if text.len() > most_text() => {
                fail(Class::Runtime, "the text is too long".to_owned())
            }
            Ok(text) => Ok(Value::str(text)),
            Err(message) => fail(Class::Runtime, message),
        }
    }

    fn parts(&self, parts: &[Part], values: &[Value]) -> std::result::Result<String, String> {
        let mut out = String::new();
        for part in parts {
            match part {
                Part::Text(text) => out.push_str(text),
                Part::Value(number) => match &values[*number as usize] {
                    Value::Str(text) => out.push_str(text),
                    value => out.push_str(&value.text(self)),
                },
                Part::Field(field) => out.push_str(&self.field(field, values)?),
            }
        }
        Ok(out)
    }

    fn field(&self, field: &Field, values: &[Value]) -> std::result::Result<String, String> {
        let Some(value) = field.variable.and_then(|number| values.get(number as usize)) else {
            return Err(
                "f-strings do not support positional substitutions via '{}', use variable \
                        or attribute keys instead"
                    .into(),
            );
        };
        let spec = self.parts(&field.spec, values)?;
        let text;
        let converted = match field.conversion {
            None => value,
            Some('s') => {
                text = Value::str(value.text(self));
                &text
            }
            Some('r') => {
                text = Value::str(value.repr(self));
                &text
            }
            Some('a') => {
                text = Value::str(ascii(&value.repr(self)));
                &text
            }
            Some(c) => {
                let quoted = string_repr(&c.to_string());
                let inner = quoted.trim_matches('\'');
                return Err(format!("Invalid f-string: Unknown conversion specifier {inner}"));
            }
        };
        let argument = match converted {
            Value::Str(text) => Arg::Str(text),
            Value::Bool(b) => Arg::Bool(*b),
            Value::Float(x) => Arg::Float(*x),
            Value::Int(_) | Value::BigInt(_) => {
                Arg::Int(Cow::Owned(converted.as_integer().unwrap_or_default()))
            }
            other if spec.is_empty() => return Ok(other.text(self)),
            other => {
                let class = super::units::python_class(other);
                let class = class.rsplit('.').next().unwrap_or(&class);
                return Err(format!("unsupported format string passed to {class}.__format__"));
            }
        };
        format(&argument, &spec).map_err(|error| format!("Invalid f-string: {error}"))
    }
}

/// A text with escapes for letters beyond ASCII.
fn ascii(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c as u32 {
            0..=0x7f => out.push(c),
            code @ 0..=0xff => out.push_str(&format!("\\x{code:02x}")),
            code @ 0..=0xffff => out.push_str(&format!("\\u{code:04x}")),
            code => out.push_str(&format!("\\U{code:08x}")),
        }
    }
    out
}
