//! Reads types from text: the signatures of built-in functions, and `Type.new('…')`. It knows type
//! names, `[…]`, `{…}`, numbers, quoted text, regular expressions and the literal words, which is all
//! that the text of a type can hold.

use std::sync::Arc;

use crate::eval::arithmetic::to_number;
use crate::eval::error::{EvalResult, plain};
use crate::types::parse::{builtin, specialize_value};
use crate::types::{Regexp, Type};
use crate::value::{HashValue, Value};

/// How deeply brackets may nest.
const DEPTH_LIMIT: usize = 100;

/// Reads a type of built-in names only.
pub(super) fn read(text: &str) -> EvalResult<Type> {
    read_with(text, &mut |_| None)
}

/// Reads a type; names that are not built in are looked up.
pub(super) fn read_with(
    text: &str,
    named: &mut dyn FnMut(&str) -> Option<Type>,
) -> EvalResult<Type> {
    let mut reader = Reader { text, at: 0, depth: 0, named };
    let value = reader.value()?;
    reader.blanks();
    match value {
        Value::Type(kind) if reader.at == text.len() => Ok((*kind).clone()),
        _ => reader.fail(),
    }
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
    named: &'a mut dyn FnMut(&str) -> Option<Type>,
}

impl Reader<'_> {
    fn fail<T>(&self) -> EvalResult<T> {
        plain(format!("The expression <{}> is not a valid type specification.", self.text))
    }

    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn blanks(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start().len();
    }

    fn eat(&mut self, token: &str) -> bool {
        self.blanks();
        let found = self.rest().starts_with(token);
        if found {
            self.at += token.len();
        }
        found
    }

    fn value(&mut self) -> EvalResult {
        self.blanks();
        if self.depth > DEPTH_LIMIT {
            return self.fail();
        }
        self.depth += 1;
        let value = match self.rest().chars().next() {
            Some(quote @ ('\'' | '"')) => self.quoted(quote).map(Value::from),
            Some('/') => self.quoted('/').map(|s| Value::Regexp(Arc::new(Regexp::new(s)))),
            Some('[') => {
                self.at += 1;
                self.list().map(Value::array)
            }
            Some('{') => self.hash(),
            Some(c) if c.is_ascii_digit() || c == '-' => self.number(),
            Some(c) if c.is_ascii_alphabetic() || c == '_' || c == ':' => self.word(),
            _ => self.fail(),
        };
        self.depth -= 1;
        value
    }

    fn list(&mut self) -> EvalResult<Vec<Value>> {
        let mut items = Vec::new();
        loop {
            if self.eat("]") {
                return Ok(items);
            }
            items.push(self.value()?);
            if !self.eat(",") && !self.rest().trim_start().starts_with(']') {
                return self.fail();
            }
        }
    }

    fn hash(&mut self) -> EvalResult {
        self.at += 1;
        let mut entries = HashValue::default();
        loop {
            if self.eat("}") {
                return Ok(Value::Hash(Arc::new(entries)));
            }
            let key = self.value()?;
            if !self.eat("=>") {
                return self.fail();
            }
            let value = self.value()?;
            entries.insert(key, value);
            if !self.eat(",") && !self.rest().trim_start().starts_with('}') {
                return self.fail();
            }
        }
    }

    fn quoted(&mut self, quote: char) -> EvalResult<String> {
        self.at += 1;
        let mut out = String::new();
        let mut chars = self.text[self.at..].char_indices();
        while let Some((i, c)) = chars.next() {
            match c {
                c if c == quote => {
                    self.at += i + 1;
                    return Ok(out);
                }
                '\\' => match chars.next() {
                    Some((_, next)) if next == quote || next == '\\' && quote != '/' => {
                        out.push(next);
                    }
                    Some((_, next)) => out.extend(['\\', next]),
                    None => break,
                },
                c => out.push(c),
            }
        }
        self.fail()
    }

    fn number(&mut self) -> EvalResult {
        let rest = self.rest();
        let end = rest
            .char_indices()
            .find(|(i, c)| !(c.is_ascii_alphanumeric() || *c == '.' || *i == 0 && *c == '-'))
            .map_or(rest.len(), |(i, _)| i);
        let number = to_number(&rest[..end]);
        self.at += end;
        match number {
            Some(number) => Ok(number),
            None => self.fail(),
        }
    }

    fn word(&mut self) -> EvalResult {
        let rest = self.rest();
        let end = rest
            .find(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == ':'))
            .unwrap_or(rest.len());
        let word = rest[..end].to_owned();
        self.at += end;
        match word.as_str() {
            "default" => return Ok(Value::Default),
            "undef" => return Ok(Value::Undef),
            "true" => return Ok(Value::Bool(true)),
            "false" => return Ok(Value::Bool(false)),
            _ if !word.starts_with(|c: char| c.is_ascii_uppercase() || c == ':') => {
                return Ok(Value::from(word));
            }
            _ => {}
        }
        let name = word.trim_start_matches("::");
        let base = match builtin(name).or_else(|| (self.named)(name)) {
            Some(kind) => kind,
            None if name == "Unit" => Type::Unit,
            None => Type::Reference(name.into()),
        };
        if !self.rest().starts_with('[') {
            return Ok(Value::of_type(base));
        }
        self.at += 1;
        let arguments = self.list()?;
        match base {
            Type::Reference(_) if name == "TypeReference" => {
                let name = arguments.first().and_then(Value::as_str).unwrap_or_default();
                Ok(Value::of_type(Type::Reference(name.into())))
            }
            Type::Reference(name) => {
                let title = arguments.first().and_then(Value::as_str).map(Into::into);
                Ok(Value::of_type(Type::Resource { kind: Some(name), title }))
            }
            base => specialize_value(&base, &arguments),
        }
    }
}
