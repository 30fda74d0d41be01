//! The tables of plugin functions.

use crate::model::plugin::{Arguments, Context, Native, Param, Signature, Stop};
use crate::types::TypeExpr;
use crate::value::Value;

/// The result of a plugin function.
pub(super) type Outcome = Result<Value, Stop>;

/// A function with its signature.
pub(super) struct Entry {
    name: &'static str,
    params: &'static str,
    returns: &'static str,
    run: fn(&mut dyn Context, &Arguments) -> Outcome,
    has_context: bool,
    allow_unknown: bool,
    deprecated: Option<&'static str>,
}

/// A function that does not get the compiler's context in the original.
pub(super) const fn plain(
    name: &'static str,
    params: &'static str,
    returns: &'static str,
    run: fn(&mut dyn Context, &Arguments) -> Outcome,
) -> Entry {
    let (has_context, allow_unknown, deprecated) = (false, false, None);
    Entry { name, params, returns, run, has_context, allow_unknown, deprecated }
}

impl Entry {
    pub(super) const fn context(mut self) -> Self {
        self.has_context = true;
        self
    }

    pub(super) const fn unknown(mut self) -> Self {
        self.allow_unknown = true;
        self
    }

    pub(super) const fn deprecated(mut self, by: &'static str) -> Self {
        self.deprecated = Some(by);
        self
    }

    pub(super) fn native(&self, touches_world: bool) -> Native {
        let mut signature = Signature::new(&format!("std::{}", self.name));
        for text in self.params.split(", ").filter(|text| !text.is_empty()) {
            if let Some(text) = text.strip_prefix("**") {
                signature.keywords = Some(param(text));
            } else if let Some(text) = text.strip_prefix('*') {
                signature.rest = Some(param(text));
            } else {
                signature.params.push(param(text));
            }
        }
        signature.returns = type_expr(self.returns);
        signature.allow_unknown = self.allow_unknown;
        signature.has_context = self.has_context;
        signature.deprecated = self.deprecated.map(Into::into);
        Native { touches_world, signature, run: self.run }
    }
}

fn param(text: &str) -> Param {
    let (declared, default) = match text.split_once(" = ") {
        Some((declared, default)) => (declared, Some(default)),
        None => (text, None),
    };
    let (name, ty) = declared.split_once(": ").unwrap_or((declared, "any"));
    let param = Param::new(name, type_expr(ty));
    match default {
        None => param,
        Some("null") => param.or(Value::Null),
        Some("true") => param.or(Value::Bool(true)),
        Some("false") => param.or(Value::Bool(false)),
        Some("[agent]") => param.or(Value::list([Value::str("agent")])),
        Some(text) => match text.parse() {
            Ok(number) => param.or(Value::Int(number)),
            Err(_) => param.or(Value::str(text.trim_matches('"'))),
        },
    }
}

fn type_expr(text: &str) -> TypeExpr {
    match text {
        "&any" => TypeExpr::Any.or_reference(),
        "&any[]" => TypeExpr::List(Box::new(TypeExpr::Any.or_reference())),
        "&string" => TypeExpr::model("string").or_reference(),
        "dict" => TypeExpr::Named("dict".into()),
        _ => match text.strip_prefix("ref ") {
            Some(inner) => TypeExpr::Reference(Box::new(TypeExpr::model(inner))),
            None => TypeExpr::model(text),
        },
    }
}

/// The text of an argument; the signature has checked that it is one.
pub(super) fn string(arguments: &Arguments, index: usize) -> &str {
    arguments.get(index).as_str().unwrap_or_default()
}

/// The items of an argument; the signature has checked that it is a list.
pub(super) fn items(arguments: &Arguments, index: usize) -> &[Value] {
    match arguments.get(index) {
        Value::List(items) => items,
        _ => &[],
    }
}

/// An argument as an integer. Numbers beyond 64 bits become the smallest or the largest integer.
pub(super) fn integer(arguments: &Arguments, index: usize) -> i64 {
    match arguments.get(index) {
        Value::Int(number) => *number,
        Value::Bool(truth) => i64::from(*truth),
        Value::BigInt(number) if number.sign() == num_bigint::Sign::Minus => i64::MIN,
        Value::BigInt(_) => i64::MAX,
        _ => 0,
    }
}
