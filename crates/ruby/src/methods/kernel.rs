//! Functions, which are private methods of all values.

use std::rc::Rc;

use num_bigint::BigInt;
use ordain_functions::Error as FormatError;
use ordain_functions::printf::ruby::{Arg, Keys, Value as Printed, sprintf as format_text};
use ordain_functions::{float, integer};

use crate::class::Class;
use crate::eval::Interp;
use crate::eval::args::Args;
use crate::eval::error::{Eval, Unwind};
use crate::eval::interp::{Method, e, m};
use crate::host::HOST_CLASS;
use crate::value::{Hash, Value};

pub(super) const TABLE: &[Method] = &[
    m("Array", 1, 1, |i, _, a| i.array_of(&a.list[0])),
    m("String", 1, 1, |i, _, a| {
        let text = i.display(&a.list[0])?;
        i.text(text)
    }),
    m("Integer", 1, 3, integer_of),
    m("Float", 1, 2, float_of),
    m("Hash", 1, 1, |i, _, a| match &a.list[0] {
        Value::Nil => Ok(Value::hash([])),
        Value::Array(array) if array.len() == 0 => Ok(Value::hash([])),
        v @ Value::Hash(_) => Ok(v.clone()),
        v => {
            let text = format!("can't convert {} into Hash", i.class_name(v));
            i.raise(Class::TYPE_ERROR, text)
        }
    }),
    m("sprintf", 1, -1, sprintf),
    m("format", 1, -1, sprintf),
    m("raise", 0, 3, raise),
    m("fail", 0, 3, raise),
    m("require", 1, 1, |i, _, a| match i.str(&a.list[0])?.as_str() {
        "json" | "yaml" | "erb" | "shellwords" | "digest" | "digest/md5" | "digest/sha1"
        | "digest/sha2" | "base64" | "cgi" | "time" | "psych" => Ok(Value::Bool(false)),
        other => i.unsupported(format!("the library {other}")),
    }),
    e("loop", 0, 0, |i, _, a| {
        let Some(block) = a.block.take() else { return Ok(Value::Nil) };
        loop {
            match i.call_block(&block, &[]) {
                Ok(_) => {}
                Err(unwind) => match *unwind {
                    Unwind::Raise(e) if e.class == Class::STOP_ITERATION => return Ok(Value::Nil),
                    other => return Err(Box::new(other)),
                },
            }
        }
    }),
    m("catch", 0, 1, |i, _, a| {
        let Some(block) = a.block.take() else { return Ok(Value::Nil) };
        let tag = a.get(0);
        match i.call_block(&block, std::slice::from_ref(&tag)) {
            Err(unwind) => match *unwind {
                Unwind::Throw(other, value) if super::object::is_same(&other, &tag) => Ok(value),
                other => Err(Box::new(other)),
            },
            result => result,
        }
    }),
    m("throw", 1, 2, |_, _, a| Err(Box::new(Unwind::Throw(a.get(0), a.get(1))))),
];

impl Interp<'_> {
    /// `Array(value)`
    pub(crate) fn array_of(&mut self, value: &Value) -> Eval {
        match value {
            Value::Nil => Ok(Value::array(vec![])),
            Value::Array(_) => Ok(value.clone()),
            Value::Hash(_) | Value::Range(_) | Value::Enumerator(_) => {
                let items = self.collect(value)?;
                self.list(items)
            }
            other => Ok(Value::array(vec![other.clone()])),
        }
    }
}

fn is_quiet(a: &Args) -> bool {
    let options = a.list.last().filter(|_| a.has_keywords);
    let exception = options.and_then(|v| match v {
        Value::Hash(hash) => hash.get(&Value::symbol("exception")),
        _ => None,
    });
    matches!(exception, Some(Value::Bool(false)))
}

fn integer_of(i: &mut Interp<'_>, _: &Value, a: &mut Args) -> Eval {
    let result = match (&a.list[0], a.opt(1)) {
        (Value::Str(text), Some(Value::Int(base))) => integer_in_base(i, &text.get(), *base),
        (Value::Str(text), _) => match integer::parse_ruby(&text.get()) {
            Ok(big) => Ok(Value::big(big)),
            Err(error) => i.raise(Class::ARGUMENT_ERROR, error.to_string()),
        },
        (v @ (Value::Int(_) | Value::Big(_)), _) => Ok(v.clone()),
        (Value::Float(_), _) => i.send(&a.list[0], "to_i", vec![]),
        (Value::Nil, _) => i.raise(Class::TYPE_ERROR, "can't convert nil into Integer"),
        (v @ Value::Bool(_), _) => {
            let text = format!("can't convert {} into Integer", i.short_inspect(v));
            i.raise(Class::TYPE_ERROR, text)
        }
        (other, _) => {
            let text = format!("can't convert {} into Integer", i.class_name(other));
            i.raise(Class::TYPE_ERROR, text)
        }
    };
    nil_if_quiet(a, result)
}

/// `Integer(text, base)`
fn integer_in_base(i: &Interp<'_>, text: &str, base: i64) -> Eval {
    let Some(base) = u32::try_from(base).ok().filter(|b| (2..=36).contains(b)) else {
        return i.raise(Class::ARGUMENT_ERROR, format!("invalid radix {base}"));
    };
    let trimmed = text.trim();
    let (sign, digits) = match trimmed.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", trimmed.strip_prefix('+').unwrap_or(trimmed)),
    };
    let prefix = match base {
        16 => "0x",
        8 => "0o",
        2 => "0b",
        _ => "",
    };
    let digits = digits.strip_prefix(prefix).unwrap_or(digits);
    let is_plain = digits.len() < 5000 && !digits.starts_with(['+', '-', '_']);
    match BigInt::parse_bytes(format!("{sign}{digits}").as_bytes(), base).filter(|_| is_plain) {
        Some(big) => Ok(Value::big(big)),
        None => {
            let shown = ordain_functions::text::inspect_ruby(text);
            i.raise(Class::ARGUMENT_ERROR, format!("invalid value for Integer(): {shown}"))
        }
    }
}

/// `exception: false` gives `nil` instead of an exception.
fn nil_if_quiet(a: &Args, result: Eval) -> Eval {
    match result {
        Err(unwind) if is_quiet(a) && matches!(*unwind, Unwind::Raise(_)) => Ok(Value::Nil),
        result => result,
    }
}

fn float_of(i: &mut Interp<'_>, _: &Value, a: &mut Args) -> Eval {
    let result = match &a.list[0] {
        Value::Str(text) => match float::parse_ruby(&text.get()) {
            Ok(f) => Ok(Value::Float(f)),
            Err(error) => i.raise(Class::ARGUMENT_ERROR, error.to_string()),
        },
        v @ (Value::Int(_) | Value::Big(_) | Value::Float(_)) => i.send(v, "to_f", vec![]),
        Value::Nil => i.raise(Class::TYPE_ERROR, "can't convert nil into Float"),
        v @ Value::Bool(_) => {
            let text = format!("can't convert {} into Float", i.short_inspect(v));
            i.raise(Class::TYPE_ERROR, text)
        }
        other => {
            let text = format!("can't convert {} into Float", i.class_name(other));
            i.raise(Class::TYPE_ERROR, text)
        }
    };
    nil_if_quiet(a, result)
}

fn raise(i: &mut Interp<'_>, _: &Value, a: &mut Args) -> Eval {
    match a.list.as_slice() {
        [] => match i.last_error.clone() {
            Some(error) => Err(Box::new(Unwind::Raise(error))),
            None => i.raise(Class::RUNTIME_ERROR, "unhandled exception"),
        },
        [Value::Str(text)] => i.raise(Class::RUNTIME_ERROR, text.get()),
        [Value::Exception(e)] => Err(Box::new(Unwind::Raise(Rc::clone(e)))),
        [Value::Class(class), rest @ ..] if class.is_a(Class::EXCEPTION) => {
            let message = match rest.first() {
                Some(message) => i.display(message)?,
                None => class.name().into(),
            };
            i.raise(*class, message)
        }
        [Value::Foreign(class), rest @ ..] if class.class == HOST_CLASS => {
            let message = match rest.first() {
                Some(message) => i.display(message)?,
                None => class.text.clone(),
            };
            let class_name = Some(class.text.clone());
            Err(i.raise_named(Class::HOST_ERROR, class_name, message))
        }
        [Value::Exception(e), message, ..] => {
            let message = i.display(message)?;
            Err(i.raise_named(e.class, e.class_name.clone(), message))
        }
        _ => i.raise(Class::TYPE_ERROR, "exception class/object expected"),
    }
}

/// A value with its texts for format directives.
struct FormatArg {
    display: String,
    inspect: String,
    class: String,
    entries: Option<Vec<(String, Value, FormatArg)>>,
}

impl Printed for FormatArg {
    fn display(&self) -> String {
        self.display.clone()
    }

    fn inspect(&self) -> String {
        self.inspect.clone()
    }

    fn class_name(&self) -> String {
        self.class.clone()
    }

    fn as_hash(&self) -> Option<&dyn Keys> {
        self.entries.is_some().then_some(self as &dyn Keys)
    }
}

impl Keys for FormatArg {
    fn get(&self, key: &str) -> Option<Arg<'_>> {
        let entries = self.entries.as_ref()?;
        entries.iter().find(|(name, ..)| name == key).map(|(_, value, shown)| arg(value, shown))
    }
}

fn arg<'a>(value: &Value, shown: &'a FormatArg) -> Arg<'a> {
    match value {
        Value::Int(i) => Arg::Int(*i),
        Value::Big(big) => Arg::Big(std::borrow::Cow::Owned((**big).clone())),
        Value::Float(f) => Arg::Float(*f),
        Value::Str(_) => Arg::Str(&shown.display),
        Value::Nil => Arg::Nil,
        _ => Arg::Other(shown),
    }
}

impl Interp<'_> {
    fn shown(&mut self, value: &Value, with_entries: bool) -> Eval<FormatArg> {
        let display = self.display(value)?.to_string();
        self.charge(display.len())?;
        let inspect = match value {
            Value::Str(_) | Value::Int(_) => String::new(),
            Value::Proc(_) | Value::Match(_) | Value::Enumerator(_) => String::new(),
            value => self.inspect(value)?,
        };
        let class = match value {
            Value::Nil => "nil".into(),
            Value::Bool(_) => display.clone(),
            value => self.class_name(value).to_string(),
        };
        let entries = match value {
            Value::Hash(hash) if with_entries => Some(self.shown_entries(hash)?),
            _ => None,
        };
        Ok(FormatArg { display, inspect, class, entries })
    }

    fn shown_entries(&mut self, hash: &Hash) -> Eval<Vec<(String, Value, FormatArg)>> {
        let mut all = Vec::new();
        for (key, value) in hash.pairs() {
            if let Value::Symbol(name) = key {
                let shown = self.shown(&value, false)?;
                all.push((name.to_string(), value, shown));
            }
        }
        Ok(all)
    }

    /// Formats values.
    pub(crate) fn sprintf(&mut self, format: &str, values: &[Value]) -> Eval {
        let mut shown = Vec::with_capacity(values.len());
        for value in values {
            shown.push(self.shown(value, true)?);
        }
        let args: Vec<Arg<'_>> = values.iter().zip(&shown).map(|(v, s)| arg(v, s)).collect();
        match format_text(format, &args) {
            Ok(text) => self.text(text),
            Err(error) => {
                let class = match error {
                    FormatError::Conversion { .. } => Class::TYPE_ERROR,
                    FormatError::MissingKey(_) => Class::KEY_ERROR,
                    _ => Class::ARGUMENT_ERROR,
                };
                self.raise(class, error.to_string())
            }
        }
    }
}

fn sprintf(i: &mut Interp<'_>, _: &Value, a: &mut Args) -> Eval {
    let format = i.str(&a.list[0])?;
    i.sprintf(&format, &a.list[1..])
}
