//! The tests of templates: `value is test`.

use super::arguments::{Arguments, BoundArguments};
use super::ast::{Binary, Comparison};
use super::fault::{Fault, Res};
use super::methods;
use super::runtime::Runtime;
use super::value::{Object, Val};
use crate::diagnostics::Exception;
use crate::value::Value;

const NAMES: &[&str] = &[
    "odd",
    "even",
    "divisibleby",
    "defined",
    "undefined",
    "filter",
    "test",
    "none",
    "boolean",
    "false",
    "true",
    "integer",
    "float",
    "lower",
    "upper",
    "string",
    "mapping",
    "number",
    "sequence",
    "iterable",
    "callable",
    "sameas",
    "escaped",
    "in",
    "==",
    "eq",
    "equalto",
    "!=",
    "ne",
    ">",
    "gt",
    "greaterthan",
    "ge",
    ">=",
    "<",
    "lt",
    "lessthan",
    "<=",
    "le",
];

pub(super) fn is_test(name: &str) -> bool {
    NAMES.contains(&name)
}

/// The comparison of a test, with the name of Python's function.
fn comparison(name: &str) -> Option<(Comparison, &'static str)> {
    Some(match name {
        "==" | "eq" | "equalto" => (Comparison::Equal, "eq"),
        "!=" | "ne" => (Comparison::NotEqual, "ne"),
        ">" | "gt" | "greaterthan" => (Comparison::Greater, "gt"),
        "ge" | ">=" => (Comparison::GreaterEqual, "ge"),
        "<" | "lt" | "lessthan" => (Comparison::Less, "lt"),
        "<=" | "le" => (Comparison::LessEqual, "le"),
        _ => return None,
    })
}

impl Runtime<'_> {
    /// Runs a test whose name is a value.
    pub(super) fn named_test(&mut self, name: &Val, value: Val, arguments: Arguments) -> Res<bool> {
        let known = name.as_text().filter(|name| is_test(name));
        let Some(known) = known.cloned() else {
            let name = self.repr(name)?;
            let text = format!("No test named {name}.");
            return Err(Fault::Raised(Exception::TemplateRuntime, text));
        };
        let result = self.test(&known, value, arguments)?;
        self.truth(&result)
    }

    /// Runs a test.
    pub(super) fn test(&mut self, name: &str, value: Val, arguments: Arguments) -> Res<Val> {
        self.step(1)?;
        if let Some((comparison, function)) = comparison(name) {
            let arguments = Arguments::before(value, arguments);
            arguments.no_keywords(&format!("_operator.{function}"))?;
            let arguments = arguments.between(function, 2, 2)?;
            return self.compare(comparison, &arguments[0], &arguments[1]).map(Val::Bool);
        }
        let bound = bind(name, Arguments::before(value, arguments))?;
        let value = bound.at(0);
        Ok(Val::Bool(match name {
            "odd" | "even" | "divisibleby" => {
                let divisor = if name == "divisibleby" { bound.at(1) } else { Val::Int(2) };
                let rest = self.binary(Binary::Modulo, &value, &divisor)?;
                let wanted = Val::Int(i64::from(name == "odd"));
                self.equal(&rest, &wanted)?
            }
            "defined" => !value.is_undefined(),
            "undefined" => value.is_undefined(),
            "filter" | "test" => {
                if let Val::Undefined(found) = &value
                    && found.is_strict
                {
                    return Err(found.fault(self));
                }
                let is_test = name == "test";
                value.as_text().is_some_and(|name| {
                    if is_test { self::is_test(name) } else { self.has_filter(name) }
                })
            }
            "none" => matches!(value, Val::None),
            "boolean" => matches!(value, Val::Bool(_)),
            "false" => matches!(value, Val::Bool(false)),
            "true" => matches!(value, Val::Bool(true)),
            "integer" => matches!(value, Val::Int(_) | Val::Big(_)),
            "float" => matches!(value, Val::Float(_)),
            "lower" | "upper" => {
                let text = self.text(&value)?;
                methods::has_case(&text, name == "lower")
            }
            "string" => value.as_text().is_some(),
            "mapping" => self.is_mapping(&value),
            "number" => value.is_number(),
            "sequence" => is_sequence(&value),
            "iterable" => match self.iterate(&value) {
                Ok(_) => true,
                Err(fault) if fault.is(&Exception::TypeError) => false,
                Err(fault) => return Err(fault),
            },
            "callable" => is_callable(&value),
            "sameas" => value.is_same(&bound.at(1)),
            "escaped" => {
                value.is_markup()
                    || matches!(&value, Val::Object(o) if matches!(&**o, Object::Module { .. }))
            }
            _ => self.contains(&bound.at(1), &value)?,
        }))
    }
}

/// Binds the arguments of a test to the parameters of its Python function.
fn bind(name: &str, arguments: Arguments) -> Res<BoundArguments> {
    let parameters = match name {
        "callable" => {
            let only = arguments.only("callable")?;
            return Arguments::of(vec![only]).bind("callable", "value", 0);
        }
        "divisibleby" => "value, num",
        "sameas" => "value, other",
        "in" => "value, seq",
        _ => "value",
    };
    let skipped = usize::from(name == "filter" || name == "test");
    arguments.bind(&format!("test_{name}"), parameters, skipped)
}

/// Whether a value has a length, and items by position or key.
fn is_sequence(value: &Val) -> bool {
    match value {
        Val::Str(_)
        | Val::Markup(_)
        | Val::Bytes(_)
        | Val::List(_)
        | Val::Tuple(_)
        | Val::Dict(_) => true,
        Val::Undefined(found) => !found.is_strict,
        Val::Proxy(found) => matches!(found.value, Value::List(_) | Value::Dict(_)),
        Val::Object(found) => matches!(&**found, Object::Range { .. }),
        _ => false,
    }
}

fn is_callable(value: &Val) -> bool {
    match value {
        Val::Undefined(_) => true,
        Val::Object(found) => matches!(
            &**found,
            Object::Function(_)
                | Object::Method(..)
                | Object::ProxyMethod(..)
                | Object::Macro(_)
                | Object::Loop(_)
                | Object::Joiner { .. }
                | Object::Block { .. }
                | Object::Plugin(_)
        ),
        _ => false,
    }
}
