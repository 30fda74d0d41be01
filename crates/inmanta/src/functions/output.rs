//! Printing and assertions.

use super::entry::{Entry, Outcome, plain, string};
use super::python::python_text;
use crate::diagnostics::Exception;
use crate::model::plugin::{Arguments, Context, Stop};
use crate::value::Value;

pub(super) const TABLE: &[Entry] = &[
    plain("print", "message: &any", "any", print),
    plain("assert", "expression: bool, message: string = \"\"", "any", assert),
    plain("equals", "arg1: any, arg2: any, desc: string = null", "any", equals)
        .deprecated("the `==` binary operator"),
];

fn print(context: &mut dyn Context, arguments: &Arguments) -> Outcome {
    let line = python_text(arguments.get(0), context);
    context.print(&line);
    Ok(Value::Null)
}

fn assert(_: &mut dyn Context, arguments: &Arguments) -> Outcome {
    if arguments.get(0).is_truthy() {
        return Ok(Value::Null);
    }
    Err(Stop::raised(
        Exception::AssertionError,
        format!("Assertion error: {}", string(arguments, 1)),
    ))
}

fn equals(context: &mut dyn Context, arguments: &Arguments) -> Outcome {
    let (left, right) = (arguments.get(0), arguments.get(1));
    if left == right {
        return Ok(Value::Null);
    }
    let text = format!("{} != {}", python_text(left, context), python_text(right, context));
    Err(Stop::raised(
        Exception::AssertionError,
        match arguments.get(2).as_str() {
            Some(why) => format!("{text}: {why}"),
            None => text,
        },
    ))
}
