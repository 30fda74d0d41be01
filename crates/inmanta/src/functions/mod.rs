//! The plugin functions of the module `std`, built in.
//!
//! Each family has a file with its table: name, parameters, type of the result, function. A
//! parameter is written as in the model language, `name: type = default`; `&` before a type lets
//! references in as well.

mod addresses;
mod environment;
mod files;
mod format;
mod json;
mod lists;
mod objects;
mod output;
mod python;
mod references;
mod text;
mod validate;

use crate::plugin::{Arguments, Context, Native, Param, Signature, Stop, TypeExpr};
use crate::value::Value;

pub(crate) use files::extended;
pub(crate) use json::write_text;
pub use python::{python_repr, python_text};
pub use validate::{Validation, validate};

/// The result of a plugin function.
type Outcome = Result<Value, Stop>;

/// A line of a table.
struct Entry {
    name: &'static str,
    params: &'static str,
    returns: &'static str,
    run: fn(&mut dyn Context, &Arguments) -> Outcome,
    has_context: bool,
    allow_unknown: bool,
    deprecated: Option<&'static str>,
}

/// A function that gets no compiler's context in the original.
const fn plain(
    name: &'static str,
    params: &'static str,
    returns: &'static str,
    run: fn(&mut dyn Context, &Arguments) -> Outcome,
) -> Entry {
    let (has_context, allow_unknown, deprecated) = (false, false, None);
    Entry { name, params, returns, run, has_context, allow_unknown, deprecated }
}

impl Entry {
    const fn context(mut self) -> Self {
        self.has_context = true;
        self
    }

    const fn unknown(mut self) -> Self {
        self.allow_unknown = true;
        self
    }

    const fn deprecated(mut self, by: &'static str) -> Self {
        self.deprecated = Some(by);
        self
    }

    fn native(&self, touches_world: bool) -> Native {
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

/// All plugins of the module `std`.
pub fn std_plugins() -> Vec<Native> {
    let tables: [(&[Entry], bool); 11] = [
        (output::TABLE, false),
        (text::TABLE, false),
        (lists::TABLE, false),
        (json::TABLE, false),
        (objects::TABLE, false),
        (environment::TABLE, true),
        (files::TABLE, true),
        (addresses::TABLE, false),
        (references::TABLE, false),
        (validate::TABLE, true),
        (format::TABLE, false),
    ];
    let of_table = |(table, touches): (&'static [Entry], bool)| {
        table.iter().map(move |entry| entry.native(touches))
    };
    tables.into_iter().flat_map(of_table).collect()
}

/// The text of an argument; the signature has checked that it is one.
fn string(arguments: &Arguments, index: usize) -> &str {
    arguments.get(index).as_str().unwrap_or_default()
}

/// The items of an argument; the signature has checked that it is a list.
fn items(arguments: &Arguments, index: usize) -> &[Value] {
    match arguments.get(index) {
        Value::List(items) => items,
        _ => &[],
    }
}

/// The argument as a whole number as far as it can matter: beyond 64 bits it is cut.
fn integer(arguments: &Arguments, index: usize) -> i64 {
    match arguments.get(index) {
        Value::Int(number) => *number,
        Value::Bool(truth) => i64::from(*truth),
        Value::BigInt(number) if number.sign() == num_bigint::Sign::Minus => i64::MIN,
        Value::BigInt(_) => i64::MAX,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_plugin_has_a_signature() {
        let all = std_plugins();
        assert_eq!(all.len(), 67);
        let limit = all.iter().find(|plugin| plugin.signature.name == "std::limit");
        let params = limit.map(|plugin| plugin.signature.params.len());
        assert_eq!(params, Some(2));
    }
}
