//! Conversion of values to text, and comparison.

use std::cmp::Ordering;
use std::rc::Rc;

use ecow::EcoString;
use ordain_functions::float::to_ruby;
use ordain_functions::regex::slashes_escaped;
use ordain_functions::text::inspect_ruby;

use super::Interp;
use super::error::Eval;
use super::operators::to_float;
use crate::class::Class;
use crate::value::{Hash, Regexp, Value};

impl Interp<'_> {
    /// `to_s`
    pub(crate) fn display(&mut self, value: &Value) -> Eval<EcoString> {
        Ok(match value {
            Value::Nil => EcoString::new(),
            Value::Str(text) => text.get(),
            Value::Symbol(name) => name.clone(),
            Value::Bool(b) => if *b { "true" } else { "false" }.into(),
            Value::Int(i) => ecow::eco_format!("{i}"),
            Value::Exception(e) => e.message.clone(),
            Value::Match(found) => match &found.spans[0] {
                Some(span) => found.text[span.clone()].into(),
                None => EcoString::new(),
            },
            Value::Regexp(regexp) => regexp_text(regexp).into(),
            Value::Foreign(foreign) => foreign.text.clone(),
            Value::Time(time) => time.text().into(),
            Value::Range(range) => {
                let (low, high) = (self.display(&range.low)?, self.display(&range.high)?);
                ecow::eco_format!("{low}{}{high}", if range.is_open { "..." } else { ".." })
            }
            other => {
                let mut out = String::new();
                self.write_inspect(&mut out, other)?;
                out.into()
            }
        })
    }

    /// `inspect`
    pub(crate) fn inspect(&mut self, value: &Value) -> Eval<String> {
        let mut out = String::new();
        self.write_inspect(&mut out, value)?;
        self.charge(out.len())?;
        Ok(out)
    }

    /// `inspect` for messages; it cannot fail.
    pub(crate) fn short_inspect(&self, value: &Value) -> String {
        match value {
            Value::Nil => "nil".into(),
            Value::Bool(b) => b.to_string(),
            Value::Int(i) => i.to_string(),
            Value::Big(big) => big.to_string(),
            Value::Float(f) => to_ruby(*f),
            Value::Symbol(name) => quote_symbol(name),
            Value::Str(text) => inspect_ruby(&text.text.borrow()),
            other => self.class_name(other).to_string(),
        }
    }

    pub(crate) fn write_inspect(&mut self, out: &mut String, value: &Value) -> Eval<()> {
        self.steps(1)?;
        self.check_stack()?;
        match value {
            Value::Str(text) => {
                self.charge(text.text.borrow().len())?;
                out.push_str(&inspect_ruby(&text.text.borrow()));
            }
            Value::Array(array) => {
                out.push('[');
                for i in 0..array.len() {
                    if i > 0 {
                        out.push_str(", ");
                    }
                    let item = array.at(i).unwrap_or_default();
                    self.write_inspect(out, &item)?;
                }
                out.push(']');
            }
            Value::Hash(hash) => self.inspect_hash(out, hash)?,
            Value::Range(range) => {
                if !range.low.is_nil() {
                    self.write_inspect(out, &range.low)?;
                }
                out.push_str(if range.is_open { "..." } else { ".." });
                if !range.high.is_nil() {
                    self.write_inspect(out, &range.high)?;
                }
            }
            Value::Regexp(regexp) => {
                out.push_str(&format!(
                    "/{}/{}",
                    slashes_escaped(&regexp.source),
                    flag_letters(regexp)
                ));
            }
            Value::Exception(e) => {
                let class = e.class_name.as_deref().unwrap_or(e.class.name());
                if e.message.is_empty() {
                    out.push_str(class);
                } else {
                    out.push_str(&format!("#<{class}: {}>", e.message));
                }
            }
            Value::Proc(_) => return self.unsupported("the text of a block"),
            Value::Match(_) | Value::Enumerator(_) => {
                return self.unsupported("the text of this value");
            }
            Value::Class(class) => out.push_str(class.name()),
            Value::Foreign(foreign) => out.push_str(&foreign.text),
            Value::Time(time) => out.push_str(&time.text()),
            Value::Main => out.push_str("main"),
            other => out.push_str(&self.short_inspect(other)),
        }
        Ok(())
    }

    fn inspect_hash(&mut self, out: &mut String, hash: &Hash) -> Eval<()> {
        out.push('{');
        for (i, (key, value)) in hash.pairs().iter().enumerate() {
            if i > 0 {
                out.push_str(", ");
            }
            self.write_inspect(out, key)?;
            out.push_str("=>");
            self.write_inspect(out, value)?;
        }
        out.push('}');
        Ok(())
    }

    /// The name of the class of a value.
    pub(crate) fn class_name(&self, value: &Value) -> EcoString {
        match value {
            Value::Foreign(foreign) => foreign.class.clone(),
            Value::Exception(e) => e.class_name.clone().unwrap_or(e.class.name().into()),
            other => other.class().name().into(),
        }
    }

    /// A value as in messages about missing methods.
    pub(crate) fn describe(&mut self, value: &Value) -> String {
        let class = match value {
            Value::Class(class) if class.is_module() => EcoString::from("Module"),
            Value::Class(_) => "Class".into(),
            other => self.class_name(other),
        };
        let text = self.inspect(value).unwrap_or_default();
        if text.is_empty() || text.starts_with('#') {
            return format!("#<{class}:0x0000000000000000>");
        }
        format!("{text}:{class}")
    }

    /// `==`
    pub(crate) fn equal(&mut self, a: &Value, b: &Value) -> Eval<bool> {
        self.steps(1)?;
        Ok(match (a, b) {
            (Value::Str(a), Value::Str(b)) => {
                Rc::ptr_eq(a, b) || *a.text.borrow() == *b.text.borrow()
            }
            (Value::Nil, Value::Nil) => true,
            (Value::Int(_) | Value::Float(_) | Value::Big(_), Value::Float(_))
            | (Value::Float(_), Value::Int(_) | Value::Big(_)) => to_float(a) == to_float(b),
            (Value::Array(a), Value::Array(b)) => {
                if Rc::ptr_eq(a, b) {
                    return Ok(true);
                }
                if a.len() != b.len() {
                    return Ok(false);
                }
                self.check_stack()?;
                for i in 0..a.len() {
                    let (x, y) = (a.at(i).unwrap_or_default(), b.at(i).unwrap_or_default());
                    if !self.equal(&x, &y)? {
                        return Ok(false);
                    }
                }
                true
            }
            (Value::Hash(a), Value::Hash(b)) => Rc::ptr_eq(a, b) || self.equal_hashes(a, b)?,
            (Value::Range(a), Value::Range(b)) => {
                a.is_open == b.is_open
                    && self.equal(&a.low, &b.low)?
                    && self.equal(&a.high, &b.high)?
            }
            (Value::Foreign(_), _) => {
                let answer = self.host_equal(a, b)?;
                answer.unwrap_or_else(|| crate::value::eql(a, b, &mut (1000, 100)))
            }
            _ => crate::value::eql(a, b, &mut (1000, 100)),
        })
    }

    fn host_equal(&mut self, a: &Value, b: &Value) -> Eval<Option<bool>> {
        let Value::Foreign(foreign) = a else { return Ok(None) };
        match self.host.call(Some(foreign), "==", std::slice::from_ref(b)) {
            Ok(Some(value)) => Ok(Some(value.truthy())),
            _ => Ok(None),
        }
    }

    fn equal_hashes(&mut self, a: &Hash, b: &Hash) -> Eval<bool> {
        if a.len() != b.len() {
            return Ok(false);
        }
        self.check_stack()?;
        for (key, value) in a.pairs() {
            match b.get(&key) {
                Some(other) if self.equal(&value, &other)? => {}
                _ => return Ok(false),
            }
        }
        Ok(true)
    }

    /// `<=>`; `None` if the values cannot be compared.
    pub(crate) fn try_compare(&mut self, a: &Value, b: &Value) -> Eval<Option<Ordering>> {
        self.steps(1)?;
        Ok(match (a, b) {
            (Value::Int(a), Value::Int(b)) => Some(a.cmp(b)),
            (Value::Str(a), Value::Str(b)) => {
                Some(a.text.borrow().as_bytes().cmp(b.text.borrow().as_bytes()))
            }
            (Value::Symbol(a), Value::Symbol(b)) => Some(a.cmp(b)),
            (Value::Big(a), Value::Big(b)) => Some(a.cmp(b)),
            (Value::Int(a), Value::Big(b)) => Some(num_bigint::BigInt::from(*a).cmp(b)),
            (Value::Big(a), Value::Int(b)) => Some((**a).cmp(&num_bigint::BigInt::from(*b))),
            (Value::Float(_), _) | (_, Value::Float(_)) => match (to_float(a), to_float(b)) {
                (Some(a), Some(b)) => a.partial_cmp(&b),
                _ => None,
            },
            (Value::Array(a), Value::Array(b)) => {
                self.check_stack()?;
                let (x, y) = (a.get(), b.get());
                for (x, y) in x.iter().zip(&y) {
                    match self.try_compare(x, y)? {
                        Some(Ordering::Equal) => {}
                        other => return Ok(other),
                    }
                }
                Some(x.len().cmp(&y.len()))
            }
            (Value::Time(a), Value::Time(b)) => Some(a.nanos.cmp(&b.nanos)),
            (Value::Foreign(foreign), _) => {
                match self.host.call(Some(foreign), "<=>", std::slice::from_ref(b)) {
                    Ok(Some(Value::Int(i))) => Some(i.cmp(&0)),
                    _ => None,
                }
            }
            _ if self.equal(a, b)? => Some(Ordering::Equal),
            _ => None,
        })
    }

    /// The error for a value that has no implicit conversion.
    pub(crate) fn no_conversion<T>(&self, value: &Value, class: &str) -> Eval<T> {
        let shown = match value {
            Value::Nil => "nil".into(),
            Value::Bool(b) => EcoString::from(if *b { "true" } else { "false" }),
            other => self.class_name(other),
        };
        let text = if class == "Integer" && matches!(value, Value::Nil) {
            "no implicit conversion from nil to integer".to_owned()
        } else {
            format!("no implicit conversion of {shown} into {class}")
        };
        self.raise(Class::TYPE_ERROR, text)
    }

    /// Converts an argument to an integer.
    pub(crate) fn int(&self, value: &Value) -> Eval<i64> {
        match value {
            Value::Int(i) => Ok(*i),
            Value::Float(f) if f.abs() < 9e15 => Ok(f.trunc() as i64),
            Value::Float(f) => self.raise(Class::FLOAT_DOMAIN_ERROR, to_ruby(*f)),
            Value::Big(_) => {
                self.raise(Class::RANGE_ERROR, "bignum too big to convert into `long'")
            }
            other => self.no_conversion(other, "Integer"),
        }
    }

    /// Converts an argument to text.
    pub(crate) fn str(&self, value: &Value) -> Eval<EcoString> {
        match value {
            Value::Str(text) => Ok(text.get()),
            other => self.no_conversion(other, "String"),
        }
    }
}

/// A regular expression as `to_s` shows it.
fn regexp_text(regexp: &Regexp) -> String {
    let flags = regexp.flags;
    let all = [(flags.multi_line, 'm'), (flags.ignore_case, 'i'), (flags.extended, 'x')];
    let pick =
        |on: bool| all.iter().filter(|(is, _)| *is == on).map(|(_, c)| *c).collect::<String>();
    let (on, off) = (pick(true), pick(false));
    let minus = if off.is_empty() { "" } else { "-" };
    format!("(?{on}{minus}{off}:{})", slashes_escaped(&regexp.source))
}

fn flag_letters(regexp: &Regexp) -> String {
    let flags = regexp.flags;
    let all = [(flags.multi_line, 'm'), (flags.ignore_case, 'i'), (flags.extended, 'x')];
    all.iter().filter(|(is, _)| *is).map(|(_, c)| *c).collect()
}

/// A symbol literal.
fn quote_symbol(name: &str) -> String {
    let is_plain_name = |name: &str| {
        let name = name.strip_suffix(['?', '!', '=']).unwrap_or(name);
        let name =
            name.strip_prefix("@@").or_else(|| name.strip_prefix(['@', '$'])).unwrap_or(name);
        !name.is_empty()
            && !name.starts_with(|c: char| c.is_ascii_digit())
            && name.chars().all(|c| c.is_alphanumeric() || c == '_')
    };
    let is_operator = matches!(
        name,
        "+" | "-"
            | "*"
            | "/"
            | "%"
            | "**"
            | "=="
            | "!="
            | "<"
            | "<="
            | ">"
            | ">="
            | "<=>"
            | "==="
            | "[]"
            | "[]="
            | "<<"
            | ">>"
            | "!"
            | "=~"
            | "!~"
            | "&"
            | "|"
            | "^"
            | "~"
            | "+@"
            | "-@"
    );
    if is_operator || is_plain_name(name) {
        format!(":{name}")
    } else {
        format!(":{}", inspect_ruby(name))
    }
}
