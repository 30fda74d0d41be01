//! Reads types from text: the signatures of built-in functions, and `Type.new('…')`. It knows type
//! names, `[…]`, `{…}`, numbers, quoted text, regular expressions and the literal words, which is all
//! that the text of a type can hold.

use std::sync::Arc;

use ordain_syntax::{Cursor, Nesting};

use crate::error::{EvalResult, PlainError};
use crate::types::builtin::{exact_builtin, usual_spelling};
use crate::types::parameters::specialize_plain;
use crate::types::{Regexp, Type};
use crate::value::number::to_number;
use crate::value::{HashValue, Value};

/// The maximal nesting of brackets.
const DEPTH: u32 = 100;

/// Gives parameters to a type.
type Specialize = fn(&Type, &[Value]) -> EvalResult;

/// Reads a type with a look-up of names.
///
/// # Errors
/// When the text is no type.
pub(crate) fn read_with(
    text: &str,
    named: &mut dyn FnMut(&str) -> Option<Type>,
    specialize: Specialize,
) -> EvalResult<Type> {
    let (cursor, nesting) = (Cursor::new(text), Nesting::new(DEPTH));
    let mut reader = Reader { cursor, nesting, named, specialize };
    let value = reader.value()?;
    reader.blanks();
    match value {
        Value::Type(kind) if reader.cursor.is_done() => Ok((*kind).clone()),
        _ => reader.fail(),
    }
}

/// Reads a type of the built-in ones that need no text to describe them, and of given names.
///
/// # Errors
/// When the text is no type.
pub(crate) fn read_with_names(
    text: &str,
    named: &mut dyn FnMut(&str) -> Option<Type>,
) -> EvalResult<Type> {
    let builtin = |name: &str| exact_builtin(name).or_else(|| exact_builtin(usual_spelling(name)?));
    read_with(text, &mut |name| builtin(name).or_else(|| named(name)), specialize_plain)
}

/// Reads a constant text with the built-in types that need no text to describe them; `Any` if it does
/// not parse.
pub(crate) fn read_plain(text: &str) -> Type {
    read_with_names(text, &mut |_| None).unwrap_or(Type::Any)
}

struct Reader<'a> {
    cursor: Cursor<'a>,
    nesting: Nesting,
    named: &'a mut dyn FnMut(&str) -> Option<Type>,
    specialize: Specialize,
}

impl Reader<'_> {
    fn fail<T>(&self) -> EvalResult<T> {
        Err(PlainError::not_a_type(self.cursor.text()).into())
    }

    fn blanks(&mut self) {
        self.cursor.take_while(char::is_whitespace);
    }

    fn eat(&mut self, token: &str) -> bool {
        self.blanks();
        self.cursor.eat(token)
    }

    fn value(&mut self) -> EvalResult {
        self.blanks();
        if self.nesting.enter().is_err() {
            return self.fail();
        }
        let value = match self.cursor.peek() {
            Some(quote @ ('\'' | '"')) => self.quoted(quote).map(Value::from),
            Some('/') => self.quoted('/').map(|s| Value::Regexp(Arc::new(Regexp::new(s)))),
            Some('[') => {
                self.cursor.skip(1);
                self.list().map(Value::array)
            }
            Some('{') => self.hash(),
            Some(c) if c.is_ascii_digit() || c == '-' => self.number(),
            Some(c) if c.is_ascii_alphabetic() || c == '_' || c == ':' => self.word(),
            _ => self.fail(),
        };
        self.nesting.leave();
        value
    }

    /// Whether an entry ends here: a comma is behind it, or the list.
    fn ends(&mut self, close: &str) -> bool {
        self.eat(",") || self.cursor.at(close)
    }

    fn list(&mut self) -> EvalResult<Vec<Value>> {
        let mut items = Vec::new();
        loop {
            if self.eat("]") {
                return Ok(items);
            }
            items.push(self.value()?);
            if !self.ends("]") {
                return self.fail();
            }
        }
    }

    fn hash(&mut self) -> EvalResult {
        self.cursor.skip(1);
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
            if !self.ends("}") {
                return self.fail();
            }
        }
    }

    fn quoted(&mut self, quote: char) -> EvalResult<String> {
        self.cursor.skip(1);
        let mut out = String::new();
        while let Some(c) = self.cursor.bump() {
            match c {
                c if c == quote => return Ok(out),
                '\\' => match self.cursor.bump() {
                    Some(next) if next == quote || next == '\\' && quote != '/' => out.push(next),
                    Some(next) => out.extend(['\\', next]),
                    None => break,
                },
                c => out.push(c),
            }
        }
        self.fail()
    }

    fn number(&mut self) -> EvalResult {
        let start = self.cursor.pos();
        self.cursor.eat("-");
        self.cursor.take_while(|c| c.is_ascii_alphanumeric() || c == '.');
        match to_number(self.cursor.since(start)) {
            Some(number) => Ok(number),
            None => self.fail(),
        }
    }

    fn word(&mut self) -> EvalResult {
        let word = self.cursor.take_while(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | ':'));
        match word {
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
        let base = match (self.named)(name) {
            Some(kind) => kind,
            None if name == "Unit" => Type::Unit,
            None => Type::Reference(name.into()),
        };
        if !self.cursor.eat("[") {
            return Ok(Value::of_type(base));
        }
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
            base => (self.specialize)(&base, &arguments),
        }
    }
}
