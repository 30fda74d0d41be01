//! The filter `tojson`.

use super::super::arguments::BoundArguments;
use super::super::fault::{Fault, Res, type_error};
use super::super::runtime::Runtime;
use super::super::value::Val;
use crate::diagnostics::Exception;
use crate::value::float_text;

pub(super) fn tojson(runtime: &mut Runtime<'_>, bound: &BoundArguments, _: bool) -> Res<Val> {
    let indent = match bound.some(1) {
        None => None,
        Some(Val::Str(text) | Val::Markup(text)) => Some(text.to_string()),
        Some(value) => {
            let width = usize::try_from(value.as_index()?.max(0)).unwrap_or(usize::MAX);
            runtime.text_fits(width)?;
            Some(" ".repeat(width))
        }
    };
    let mut writer = Writer { out: String::new(), indent };
    writer.value(runtime, &bound.at(0), 0)?;
    let text = writer.out;
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '<' => out.push_str("\\u003c"),
            '>' => out.push_str("\\u003e"),
            '&' => out.push_str("\\u0026"),
            '\'' => out.push_str("\\u0027"),
            c => out.push(c),
        }
    }
    runtime.text_fits(out.len())?;
    Ok(Val::Markup(out.into()))
}

struct Writer {
    out: String,
    indent: Option<String>,
}

impl Writer {
    fn line(&mut self, depth: usize) {
        if let Some(indent) = &self.indent {
            self.out.push('\n');
            (0..depth).for_each(|_| self.out.push_str(indent));
        }
    }

    fn comma(&mut self) {
        self.out.push_str(if self.indent.is_some() { "," } else { ", " });
    }

    fn text(&mut self, text: &str) {
        self.out.push('"');
        for c in text.chars() {
            match c {
                '"' => self.out.push_str("\\\""),
                '\\' => self.out.push_str("\\\\"),
                '\n' => self.out.push_str("\\n"),
                '\r' => self.out.push_str("\\r"),
                '\t' => self.out.push_str("\\t"),
                '\x0c' => self.out.push_str("\\f"),
                '\x08' => self.out.push_str("\\b"),
                ' '..='~' => self.out.push(c),
                c => {
                    for unit in c.encode_utf16(&mut [0; 2]) {
                        self.out.push_str(&format!("\\u{unit:04x}"));
                    }
                }
            }
        }
        self.out.push('"');
    }

    fn value(&mut self, runtime: &mut Runtime<'_>, value: &Val, depth: usize) -> Res<()> {
        runtime.step(1)?;
        runtime.text_fits(self.out.len().min(64))?;
        if depth > 200 {
            return Err(Fault::Raised(
                Exception::RecursionError,
                "maximum recursion depth exceeded".into(),
            ));
        }
        match value {
            Val::None => self.out.push_str("null"),
            Val::Bool(truth) => self.out.push_str(if *truth { "true" } else { "false" }),
            Val::Int(_) | Val::Big(_) => self.out.push_str(&runtime.text(value)?),
            Val::Float(number) => self.out.push_str(&number_text(*number)),
            Val::Str(text) | Val::Markup(text) => self.text(text),
            Val::List(_) | Val::Tuple(_) => {
                let items = runtime.collect(value)?;
                self.out.push('[');
                for (index, item) in items.iter().enumerate() {
                    if index > 0 {
                        self.comma();
                    }
                    self.line(depth + 1);
                    self.value(runtime, item, depth + 1)?;
                }
                if !items.is_empty() {
                    self.line(depth);
                }
                self.out.push(']');
            }
            Val::Dict(_) => self.dict(runtime, value, depth)?,
            other => {
                let class = other.type_name();
                let text = format!("Object of type {class} is not JSON serializable");
                return Err(type_error(text));
            }
        }
        Ok(())
    }

    fn dict(&mut self, runtime: &mut Runtime<'_>, value: &Val, depth: usize) -> Res<()> {
        let entries = runtime.entries(value)?;
        let keyed = entries
            .iter()
            .map(|(key, value)| (key.clone(), Val::tuple(vec![key.clone(), value.clone()])))
            .collect();
        let sorted = runtime.sorted(keyed, false)?;
        self.out.push('{');
        for (index, pair) in sorted.iter().enumerate() {
            let Val::Tuple(pair) = pair else { continue };
            let [key, value] = &pair.items[..] else { continue };
            if index > 0 {
                self.comma();
            }
            self.line(depth + 1);
            let key = match key {
                Val::Str(text) | Val::Markup(text) => text.to_string(),
                Val::Bool(truth) => truth.to_string(),
                Val::None => "null".into(),
                Val::Float(number) => number_text(*number),
                Val::Int(_) | Val::Big(_) => runtime.text(key)?.to_string(),
                other => {
                    let class = other.type_name();
                    let text = format!("keys must be str, int, float, bool or None, not {class}");
                    return Err(type_error(text));
                }
            };
            self.text(&key);
            self.out.push_str(": ");
            self.value(runtime, value, depth + 1)?;
        }
        if !sorted.is_empty() {
            self.line(depth);
        }
        self.out.push('}');
        Ok(())
    }
}

fn number_text(number: f64) -> String {
    if number.is_nan() {
        "NaN".into()
    } else if number.is_infinite() {
        if number > 0.0 { "Infinity".into() } else { "-Infinity".into() }
    } else {
        float_text(number)
    }
}
