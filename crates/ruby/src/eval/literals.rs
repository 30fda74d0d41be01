//! Compound literals, constants, global variables, `defined?`.

use std::rc::Rc;
use std::sync::Arc;

use ecow::EcoString;
use ordain_functions::Error as RegexError;
use ordain_functions::regex::{Dialect, compile};

use super::error::Eval;
use super::{Frame, Interp};
use crate::class::Class;
use crate::syntax::{Expr, HashEntry, HashLiteral, Kind, Part, RegexFlags, RegexLiteral};
use crate::value::{Entries, Key, Range, Regexp, Value};

impl Interp<'_> {
    pub(super) fn literal(&mut self, f: &Frame, expr: &Expr) -> Eval {
        match &expr.kind {
            Kind::Big(big) => Ok(Value::Big(Rc::new((**big).clone()))),
            Kind::Interpolated(parts) => {
                let text = self.interpolate(f, parts)?;
                Ok(Value::str(text))
            }
            Kind::InterpolatedSymbol(parts) => {
                Ok(Value::Symbol(self.interpolate(f, parts)?.into()))
            }
            Kind::Regex(literal) => self.regex_literal(f, literal, expr.line),
            Kind::Array(items) => {
                let items = self.values(f, items)?;
                self.list(items)
            }
            Kind::Hash(literal) => self.hash_literal(f, literal),
            Kind::Range { low, high, is_open } => {
                let mut end = |e: &Option<Box<Expr>>| match e {
                    Some(e) => self.eval(f, e),
                    None => Ok(Value::Nil),
                };
                let (low, high) = (end(low)?, end(high)?);
                self.line = expr.line;
                self.range(low, high, *is_open)
            }
            Kind::Global(name) => {
                self.line = expr.line;
                self.global(name)
            }
            Kind::Group(n) => Ok(self.group(*n)),
            Kind::Const(name) => self.constant(name, expr.line),
            Kind::Scoped(outer, name) => self.scoped(outer, name, expr.line),
            Kind::Defined(inner) => self.is_defined(f, inner),
            _ => self.unsupported("this expression"),
        }
    }

    /// Makes a range. Its ends have to be comparable.
    pub(crate) fn range(&mut self, low: Value, high: Value, is_open: bool) -> Eval {
        let is_open_ended = low.is_nil() || high.is_nil();
        if !is_open_ended && self.try_compare(&low, &high)?.is_none() {
            return self.raise(Class::ARGUMENT_ERROR, "bad value for range");
        }
        Ok(Value::Range(Rc::new(Range { low, high, is_open })))
    }

    fn interpolate(&mut self, f: &Frame, parts: &[Part]) -> Eval<String> {
        let mut out = String::new();
        for part in parts {
            match part {
                Part::Text(text) => out.push_str(text),
                Part::Code(code) => {
                    let value = self.eval(f, code)?;
                    self.line = code.line;
                    match &value {
                        Value::Str(text) => out.push_str(&text.text.borrow()),
                        value => out.push_str(&self.display(value)?),
                    }
                }
            }
            self.charge(out.len() / 4)?;
        }
        self.charge(out.len())?;
        Ok(out)
    }

    fn regex_literal(&mut self, f: &Frame, literal: &RegexLiteral, line: u32) -> Eval {
        if let Some(regex) = literal.compiled.get() {
            let source = plain_source(&literal.parts);
            let regexp = Regexp { source, flags: literal.flags, regex: Arc::clone(regex) };
            return Ok(Value::Regexp(Rc::new(regexp)));
        }
        let source = self.interpolate(f, &literal.parts)?;
        self.line = line;
        let regexp = self.regexp(&source, literal.flags)?;
        if let Value::Regexp(regexp) = &regexp
            && literal.parts.iter().all(|part| matches!(part, Part::Text(_)))
        {
            let _ = literal.compiled.set(Arc::clone(&regexp.regex));
        }
        Ok(regexp)
    }

    /// Compiles a regular expression.
    pub(crate) fn regexp(&mut self, source: &str, flags: RegexFlags) -> Eval {
        self.steps(1000)?;
        let on: String = [(flags.multi_line, 'm'), (flags.ignore_case, 'i'), (flags.extended, 'x')]
            .into_iter()
            .filter_map(|(is_on, letter)| is_on.then_some(letter))
            .collect();
        let pattern = if on.is_empty() { source.to_owned() } else { format!("(?{on}){source}") };
        match compile(Dialect::Ruby, &pattern) {
            Ok(regex) => {
                let regexp = Regexp { source: source.into(), flags, regex: Arc::new(regex) };
                Ok(Value::Regexp(Rc::new(regexp)))
            }
            Err(RegexError::RegexUnsupported { .. }) => {
                self.unsupported(format!("the regular expression /{source}/"))
            }
            Err(error) => self.raise(Class::REGEXP_ERROR, error.to_string()),
        }
    }

    fn hash_literal(&mut self, f: &Frame, literal: &HashLiteral) -> Eval {
        let mut entries = Entries::default();
        for entry in &literal.entries {
            match entry {
                HashEntry::Pair(key, value) => {
                    let key = self.eval(f, key)?;
                    let value = self.eval(f, value)?;
                    entries.insert(Key::new(key), value);
                }
                HashEntry::Splat(inner) => {
                    let value = self.eval(f, inner)?;
                    let Some(more) = value.as_entries() else {
                        let class = self.class_name(&value);
                        let text = format!("no implicit conversion of {class} into Hash");
                        return self.raise(Class::TYPE_ERROR, text);
                    };
                    entries.extend(more.into_iter().map(|(k, v)| (Key::new(k), v)));
                }
            }
        }
        self.charge_items(entries.len() * 3)?;
        Ok(Value::from_entries(entries))
    }

    fn global(&mut self, name: &EcoString) -> Eval {
        match name.as_str() {
            "!" => Ok(self.last_error.clone().map_or(Value::Nil, Value::Exception)),
            "&" => Ok(self.group_span(|m| m.spans[0].clone())),
            "`" => Ok(self.group_span(|m| Some(0..m.spans[0].as_ref()?.start))),
            "'" => Ok(self.group_span(|m| Some(m.spans[0].as_ref()?.end..m.text.len()))),
            "," | ";" => Ok(Value::Nil),
            "/" => self.text("\n"),
            "stdout" | "stderr" | "stdin" | "PROGRAM_NAME" | "0" | "$" | "LOAD_PATH" | ":"
            | "\"" => self.unsupported(format!("`${name}'")),
            _ => Ok(self.globals.get(name).cloned().unwrap_or_default()),
        }
    }

    fn group_span(
        &self,
        span: impl Fn(&crate::value::MatchData) -> Option<std::ops::Range<usize>>,
    ) -> Value {
        let Some(found) = &self.last_match else { return Value::Nil };
        span(found).map_or(Value::Nil, |span| Value::str(&found.text[span]))
    }

    fn group(&self, n: u32) -> Value {
        match &self.last_match {
            Some(found) if n == 0 => Value::Match(Rc::clone(found)),
            _ => self.group_span(|m| m.spans.get(n as usize).cloned().flatten()),
        }
    }

    fn constant(&mut self, name: &str, line: u32) -> Eval {
        self.line = line;
        if let Some(class) = Class::find(name) {
            return Ok(Value::Class(class));
        }
        match self.host.constant(name) {
            Some(value) => Ok(value),
            None => self.unsupported(format!("the constant {name}")),
        }
    }

    fn scoped(&mut self, outer: &Expr, name: &str, line: u32) -> Eval {
        let full = const_path(outer).map(|path| format!("{path}::{name}"));
        let Some(full) = full else { return self.unsupported(format!("the constant {name}")) };
        self.line = line;
        match full.as_str() {
            "Float::INFINITY" => return Ok(Value::Float(f64::INFINITY)),
            "Float::NAN" => return Ok(Value::Float(f64::NAN)),
            "Float::EPSILON" => return Ok(Value::Float(f64::EPSILON)),
            "Float::MAX" => return Ok(Value::Float(f64::MAX)),
            "Math::PI" => return Ok(Value::Float(std::f64::consts::PI)),
            "Math::E" => return Ok(Value::Float(std::f64::consts::E)),
            "Regexp::IGNORECASE" => return Ok(Value::Int(1)),
            "Regexp::EXTENDED" => return Ok(Value::Int(2)),
            "Regexp::MULTILINE" => return Ok(Value::Int(4)),
            "File::SEPARATOR" => return self.text("/"),
            _ => {}
        }
        if let Some(class) = Class::find(&full) {
            return Ok(Value::Class(class));
        }
        match self.host.constant(&full) {
            Some(value) => Ok(value),
            None => self.unsupported(format!("the constant {full}")),
        }
    }

    fn is_defined(&mut self, f: &Frame, inner: &Expr) -> Eval {
        let what = match &inner.kind {
            Kind::Nil => "expression",
            Kind::SelfValue => "self",
            Kind::True => "true",
            Kind::False => "false",
            Kind::Local(_) => "local-variable",
            Kind::Instance(n) => {
                let name = self.ivar_names[*n as usize].clone();
                if !self.is_instance_set(&name) {
                    return Ok(Value::Nil);
                }
                "instance-variable"
            }
            Kind::Global(name) if !self.globals.contains_key(name) => return Ok(Value::Nil),
            Kind::Global(_) => "global-variable",
            Kind::Assign(..) | Kind::OpAssign(..) => "assignment",
            Kind::Yield(_) if f.method.block.is_none() => return Ok(Value::Nil),
            Kind::Yield(_) => "yield",
            Kind::Const(name) if Class::find(name).is_some() => "constant",
            Kind::Const(_) | Kind::Scoped(..) => {
                return self.unsupported("`defined?' of this constant");
            }
            Kind::Binary(..) => "method",
            Kind::Call(call) => {
                let has = match &call.receiver {
                    None => {
                        let known = self.defined.contains_key(&call.name)
                            || self.library.function(&call.name).is_some()
                            || self.library.method(Class::OBJECT, &call.name).is_some();
                        known
                            || self.library.is_missing_function(&call.name)
                            || self.host_responds(None, &call.name)
                    }
                    Some(receiver) => match self.eval(f, receiver) {
                        Ok(receiver) => self.responds(&receiver, &call.name, true)?,
                        Err(_) => false,
                    },
                };
                if !has {
                    return Ok(Value::Nil);
                }
                "method"
            }
            _ => "expression",
        };
        self.text(what)
    }
}

fn plain_source(parts: &[Part]) -> EcoString {
    match parts {
        [] => EcoString::new(),
        [Part::Text(text)] => text.clone(),
        parts => parts
            .iter()
            .map(|part| match part {
                Part::Text(text) => text.as_str(),
                Part::Code(_) => "",
            })
            .collect::<String>()
            .into(),
    }
}

/// The path of a constant such as `Digest::MD5`.
fn const_path(expr: &Expr) -> Option<String> {
    match &expr.kind {
        Kind::Const(name) => Some(name.to_string()),
        Kind::Scoped(outer, name) => Some(format!("{}::{name}", const_path(outer)?)),
        _ => None,
    }
}
