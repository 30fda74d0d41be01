//! Functions for instances, and for values of any kind.

use super::entry::{Entry, Outcome, plain, string};
use super::python::class_name;
use super::python::python_repr;
use crate::diagnostics::{Class, Exception};
use crate::model::plugin::{Arguments, Context, Stop};
use crate::value::{InstanceId, Value};

pub(super) const TABLE: &[Entry] = &[
    plain("attr", "obj: any, attr: string", "&any", attr),
    plain(
        "getattr",
        "entity: std::Entity, attribute_name: string, default_value: &any = null, no_unknown: bool = true",
        "&any",
        getattr,
    )
    .unknown(),
    plain("is_instance", "obj: any, cls: string", "bool", is_instance).context(),
    plain("isset", "value: any", "bool", isset),
    plain("is_unknown", "value: &any", "bool", is_unknown).unknown(),
    plain("objid", "value: any", "string", objid),
    plain("type", "obj: any", "any", type_of),
    plain("familyof", "member: std::OS, family: string", "bool", familyof),
    plain("inlineif", "conditional: bool, a: any, b: any", "any", inlineif),
    plain("invert", "value: bool", "bool", invert).deprecated("the `not` unary operator"),
];

/// The attribute of an instance; a missing one is Python's `AttributeError`.
pub(super) fn get(context: &mut dyn Context, instance: InstanceId, name: &str) -> Outcome {
    context.attribute(instance, name).map_err(|stop| match stop {
        Stop::Error(error) if error.class == Class::NotFound => missing(name),
        other => other,
    })
}

fn missing(name: &str) -> Stop {
    let shown = ordain_functions::text::repr_python(name);
    Stop::raised(Exception::AttributeError, format!("(None, {shown})"))
}

fn attr(context: &mut dyn Context, arguments: &Arguments) -> Outcome {
    let name = string(arguments, 1);
    match arguments.get(0) {
        Value::Instance(instance) => get(context, *instance, name),
        other => {
            let text = format!("'{}' object has no attribute '{name}'", class_name(other));
            Err(Stop::raised(Exception::AttributeError, text))
        }
    }
}

fn getattr(context: &mut dyn Context, arguments: &Arguments) -> Outcome {
    let default = arguments.get(2).clone();
    let Value::Instance(instance) = arguments.get(0) else { return Ok(default) };
    let skip_unknown = arguments.get(3).is_truthy();
    match context.attribute(*instance, string(arguments, 1)) {
        Ok(value) | Err(Stop::Unknown(value)) if value.is_unknown() && skip_unknown => Ok(default),
        Err(Stop::Unknown(value)) => Ok(value),
        Err(Stop::Error(error)) if error.class == Class::NotFound => Ok(default),
        other => other,
    }
}

fn is_instance(context: &mut dyn Context, arguments: &Arguments) -> Outcome {
    let name = string(arguments, 1);
    let Value::Instance(instance) = arguments.get(0) else {
        let text =
            format!("'{}' object has no attribute '_get_instance'", class_name(arguments.get(0)));
        return Err(Stop::raised(Exception::AttributeError, text));
    };
    match context.is_instance(*instance, name) {
        Some(answer) => Ok(Value::Bool(answer)),
        None => Err(Stop::raised(
            Exception::AttributeError,
            "'NoneType' object has no attribute 'validate'",
        )),
    }
}

fn isset(_: &mut dyn Context, arguments: &Arguments) -> Outcome {
    Ok(Value::Bool(!matches!(arguments.get(0), Value::Null)))
}

fn is_unknown(_: &mut dyn Context, arguments: &Arguments) -> Outcome {
    Ok(Value::Bool(arguments.get(0).is_unknown()))
}

fn objid(context: &mut dyn Context, arguments: &Arguments) -> Outcome {
    let value = arguments.get(0);
    match value {
        Value::Instance(instance) => {
            let shown = value.repr(context);
            let number = instance.0 + 1;
            let class = "<class 'inmanta.execute.runtime.Instance'>";
            Ok(Value::str(format!("({shown}, '{number}', {class})")))
        }
        other => {
            let text = format!("'{}' object has no attribute '_get_instance'", class_name(other));
            Err(Stop::raised(Exception::AttributeError, text))
        }
    }
}

fn type_of(context: &mut dyn Context, arguments: &Arguments) -> Outcome {
    Ok(Value::str(match arguments.get(0) {
        Value::Instance(instance) => context.entity_name(*instance).to_owned(),
        Value::Null => "null".into(),
        Value::Bool(_) => "bool".into(),
        Value::Int(_) | Value::BigInt(_) => "int".into(),
        Value::Float(_) => "float".into(),
        Value::Str(_) => "string".into(),
        Value::List(_) => "list".into(),
        Value::Dict(_) => "dict".into(),
        other => python_repr(other, context),
    }))
}

/// The limit for ancestors of an operating system family. It stops cycles.
const MAX_FAMILIES: usize = 1000;

fn familyof(context: &mut dyn Context, arguments: &Arguments) -> Outcome {
    let family = string(arguments, 1);
    let Value::Instance(mut member) = *arguments.get(0) else { return Ok(Value::Bool(false)) };
    let is_family = |context: &mut dyn Context, member| -> Result<bool, Stop> {
        Ok(context.attribute(member, "name")?.as_str() == Some(family))
    };
    if is_family(context, member)? {
        return Ok(Value::Bool(true));
    }
    for _ in 0..MAX_FAMILIES {
        match context.attribute(member, "family") {
            Ok(Value::Instance(parent)) => {
                if is_family(context, member)? {
                    return Ok(Value::Bool(true));
                }
                member = parent;
            }
            Err(Stop::Error(error)) if error.class == Class::OptionalValue => break,
            Ok(_) => break,
            Err(stop) => return Err(stop),
        }
    }
    if is_family(context, member)? {
        let text = format!(
            "std::familyof does not test the topmost family: the answer for `{family}` is false"
        );
        context.warn("std", &text);
    }
    Ok(Value::Bool(false))
}

fn inlineif(_: &mut dyn Context, arguments: &Arguments) -> Outcome {
    let chosen = if arguments.get(0).is_truthy() { 1 } else { 2 };
    Ok(arguments.get(chosen).clone())
}

fn invert(_: &mut dyn Context, arguments: &Arguments) -> Outcome {
    Ok(Value::Bool(!arguments.get(0).is_truthy()))
}
