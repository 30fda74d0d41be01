//! `validate` and `check`: conditions on values.

use std::cmp::Ordering;
use std::rc::Rc;

use super::support::{eager, fail};
use super::verdict::{ConditionError, Verdict, verdict, wrong};
use super::{names, semver, x509};
use crate::diagnostics::stop::{Eval, Stop};
use crate::eval::evaluator::{Call, Table};
use crate::eval::mapping::parameters;
use crate::network;
use crate::text::quoted;
use crate::value::{Lambda, Value};

/// The maximum depth of conditions.
const MAX_DEPTH: u32 = 200;

/// Prefixes the message of an invalid condition.
fn annotate(result: Verdict, before: impl Fn() -> String) -> Verdict {
    result.map_err(|trouble| match trouble {
        ConditionError::Condition(text) => ConditionError::Condition(format!("{}{text}", before())),
        stop @ ConditionError::Stop(_) => stop,
    })
}

/// The text that a validator works on.
fn named_text<'v>(operator: &str, value: &'v Value) -> Result<&'v str, ConditionError> {
    match value {
        Value::Str(text) => Ok(text),
        other => wrong(format!("{operator}: {operator} requires string, but got {}", other.kind())),
    }
}

/// Whether a value meets a condition.
fn meets(call: &mut Call<'_, '_>, value: &Value, condition: &Value, depth: u32) -> Verdict {
    if depth > MAX_DEPTH {
        return wrong("conditions are nested too deep");
    }
    match condition {
        Value::Null => Ok((true, "no condition".into())),
        Value::Str(name) => by_name(call, value, name, &[], depth),
        Value::Lambda(lambda) => by_lambda(call, value, lambda, &[]),
        Value::List(list) => {
            let values: Vec<Value> = list.items.iter().map(|i| i.value.clone()).collect();
            match values.split_first() {
                None => wrong("validation type missing"),
                Some((Value::Str(name), args)) => by_name(call, value, name, args, depth),
                Some((Value::Lambda(lambda), args)) => by_lambda(call, value, lambda, args),
                Some((other, _)) => {
                    wrong(format!("unexpected validation type \"{}\"", other.kind()))
                }
            }
        }
        other => wrong(format!("invalid validation check type: {}", other.kind())),
    }
}

fn by_lambda(
    call: &mut Call<'_, '_>,
    value: &Value,
    lambda: &Rc<Lambda>,
    args: &[Value],
) -> Verdict {
    let shown = call.ev.lambda_text(lambda);
    if let Some(expected) = parameters(lambda).filter(|n| *n != args.len() + 1) {
        return wrong(format!(
            "argument count mismatch for lambda {shown}: expected {expected}, found {}",
            args.len() + 1
        ));
    }
    let values = std::iter::once(value).chain(args);
    let args = values.map(|v| (None, v.clone().into())).collect();
    let env = call.env;
    let result = call.ev.aside(call.info, |ev, info| ev.apply(lambda, args, env, info));
    let result = match result {
        Ok(result) => result,
        Err(Stop::Failed(issue)) => return wrong(issue.text.as_str()),
        Err(stop) => return Err(ConditionError::Stop(stop)),
    };
    let plain = |holds| verdict(holds, format!("{shown} succeeded"), format!("{shown} failed"));
    let Value::List(list) = &result else { return plain(result.truth()) };
    let message = |at: usize| match list.items.get(at).map(|i| &i.value) {
        Some(Value::Str(text)) => Ok(text.to_string()),
        other => {
            let kind = other.map_or("nil", Value::kind);
            wrong(format!(
                "lambda validator result index {}: lambda validator requires string, but got {kind}",
                at + 1
            ))
        }
    };
    let holds = list.items.first().is_some_and(|i| i.value.truth());
    match list.items.len() {
        1 => plain(holds),
        2 => Ok((holds, message(1)?)),
        3 => verdict(holds, message(1)?, message(2)?),
        n => wrong(format!("invalid result length of validator {shown}, got {n}")),
    }
}

fn by_name(
    call: &mut Call<'_, '_>,
    value: &Value,
    name: &str,
    args: &[Value],
    depth: u32,
) -> Verdict {
    let (negated, name) = match name.strip_prefix('!') {
        Some(rest) => (true, rest),
        None if name.is_empty() => return wrong("empty validator type"),
        None => (false, name),
    };
    let negated = negated != (name == "not");
    let (holds, message) = operator(call, value, name, args, depth)?;
    Ok((holds != negated, message))
}

fn operator(
    call: &mut Call<'_, '_>,
    value: &Value,
    name: &str,
    args: &[Value],
    depth: u32,
) -> Verdict {
    match name {
        "list" => list(call, value, args, depth),
        "map" => map(call, value, args, depth),
        "mapfield" | "optionalfield" => field(call, value, name, args, depth),
        "and" | "not" | "" => all(call, value, args, depth),
        "or" => any(call, value, args, depth),
        "empty" => match value {
            Value::Str(_) | Value::List(_) | Value::Map(_) => {
                verdict(!value.truth(), "is empty", "is not empty")
            }
            other => wrong(format!("invalid type for empty: {}", other.kind())),
        },
        "valueset" => value_set(call, value, args),
        "value" | "=" => one_value(call, value, args),
        "gt" | ">" => order(value, args, "gt", Ordering::is_gt, "greater than", "less or equal to"),
        "lt" | "<" => order(value, args, "lt", Ordering::is_lt, "less or equal to", "greater than"),
        "ge" | ">=" => {
            order(value, args, "ge", Ordering::is_ge, "greater or equal to", "less than")
        }
        "le" | "<=" => {
            order(value, args, "lt", Ordering::is_le, "less than", "greater or equal to")
        }
        "match" | "~=" => matches(call, value, args),
        "type" => kind(value, args),
        "ip" => {
            let text = named_text(name, value)?;
            let found = network::parse_text(text).is_some_and(|n| n.prefix.is_none());
            verdict(found, "is ip address", format!("is no ip address: {text}"))
        }
        "cidr" => {
            let text = named_text(name, value)?;
            let found = network::parse_text(text).is_some_and(|n| n.prefix.is_some());
            verdict(found, "is CIDR", format!("is no CIDR: invalid CIDR address: {text}"))
        }
        "semver" => semver::validate(value, args),
        "dnsname" | "dnslabel" | "dnsdomain" | "wildcarddnsdomain" => {
            Ok(names::check(name, named_text(name, value)?))
        }
        "publickey" | "privatekey" | "certificate" | "ca" => x509::validate(name, value),
        _ => wrong(format!("unknown validation operator {}", quoted(name))),
    }
}

fn list(call: &mut Call<'_, '_>, value: &Value, args: &[Value], depth: u32) -> Verdict {
    let Value::List(list) = value else { return Ok((false, "is no list".into())) };
    if args.is_empty() {
        return Ok((true, "is a list".into()));
    }
    for (at, item) in list.items.iter().enumerate() {
        for (n, condition) in args.iter().enumerate() {
            let result = meets(call, &item.value, condition, depth + 1);
            let result = annotate(result, || format!("list entry {at} condition {n}: "));
            let (holds, message) = result?;
            if !holds {
                return Ok((false, format!("entry {at} condition {n} {message}")));
            }
        }
    }
    Ok((true, "all entries match all conditions".into()))
}

fn map(call: &mut Call<'_, '_>, value: &Value, args: &[Value], depth: u32) -> Verdict {
    let Value::Map(map) = value else { return Ok((false, "is no map".into())) };
    let (on_key, on_entry) = match args {
        [] => return Ok((true, "is a map".into())),
        [entry] => (None, entry),
        [key, entry] => (Some(key), entry),
        _ => {
            return wrong(format!(
                "map validator takes a maximum of two arguments, got {}",
                args.len()
            ));
        }
    };
    for (key, item) in map.entries() {
        if let Some(condition) = on_key {
            let result = meets(call, &Value::Str(key.clone()), condition, depth + 1);
            let (holds, message) = annotate(result, || format!("map key {} ", quoted(key)))?;
            if !holds {
                return Ok((false, format!("map key {} {message}", quoted(key))));
            }
        }
        let result = meets(call, &item.value, on_entry, depth + 1);
        let (holds, message) = annotate(result, || format!("map entry {}: ", quoted(key)))?;
        if !holds {
            return Ok((false, format!("map entry {} {message}", quoted(key))));
        }
    }
    Ok((true, "all map entries and keys match".into()))
}

fn field(
    call: &mut Call<'_, '_>,
    value: &Value,
    name: &str,
    args: &[Value],
    depth: u32,
) -> Verdict {
    let Value::Map(map) = value else { return Ok((false, "is no map".into())) };
    let (key, condition) = match args {
        [key] => (key, None),
        [key, condition] => (key, Some(condition)),
        _ => return wrong(format!("{name} reqires one or two arguments")),
    };
    let Value::Str(key) = key else { return wrong("field name must be string") };
    let shown = quoted(key);
    let Some(item) = map.get(key) else {
        return Ok(if name == "optionalfield" {
            (true, format!("has no optional field {shown}"))
        } else {
            (false, format!("has no field {shown}"))
        });
    };
    let Some(condition) = condition else { return Ok((true, format!("map entry {shown} exists"))) };
    let result = meets(call, &item.value, condition, depth + 1);
    let (holds, message) = annotate(result, || format!("map entry {shown} "))?;
    Ok((holds, format!("map entry {shown} {message}")))
}

/// Several reasons as one.
fn joined(reasons: &[String]) -> String {
    match reasons {
        [one] => one.clone(),
        all => format!("({})", all.join(" and ")),
    }
}

fn all(call: &mut Call<'_, '_>, value: &Value, args: &[Value], depth: u32) -> Verdict {
    until(call, value, args, depth, false)
}

fn any(call: &mut Call<'_, '_>, value: &Value, args: &[Value], depth: u32) -> Verdict {
    until(call, value, args, depth, true)
}

/// The verdict of the first condition that is `decisive`, or the combined one of all others.
fn until(
    call: &mut Call<'_, '_>,
    value: &Value,
    args: &[Value],
    depth: u32,
    decisive: bool,
) -> Verdict {
    if args.is_empty() {
        return wrong("validator argument required");
    }
    let mut reasons = Vec::with_capacity(args.len());
    for condition in args {
        let (holds, message) = meets(call, value, condition, depth + 1)?;
        if holds == decisive {
            return Ok((holds, message));
        }
        reasons.push(message);
    }
    Ok((!decisive, joined(&reasons)))
}

fn value_set(call: &Call<'_, '_>, value: &Value, args: &[Value]) -> Verdict {
    let [Value::List(list)] = args else {
        return wrong("valueset requires a list argument with possible values");
    };
    if list.items.iter().any(|i| call.ev.same(value, &i.value)) {
        return Ok((true, "matches valueset".into()));
    }
    Ok((
        false,
        match value {
            Value::Str(text) => format!("invalid value {}", quoted(text)),
            Value::Int(n) => format!("invalid value {n}"),
            _ => "invalid value".into(),
        },
    ))
}

fn one_value(call: &Call<'_, '_>, value: &Value, args: &[Value]) -> Verdict {
    let [wanted] = args else { return wrong("value requires a value argument") };
    let shown = value.as_str().map(|s| format!(" {}", quoted(s))).unwrap_or_default();
    let holds = call.ev.same(wanted, value);
    verdict(holds, format!("valid value{shown}"), format!("invalid value{shown}"))
}

fn order(
    value: &Value,
    args: &[Value],
    name: &str,
    wanted: fn(Ordering) -> bool,
    yes: &str,
    no: &str,
) -> Verdict {
    let [limit] = args else { return wrong(format!("{name} requires a value argument")) };
    let number = crate::eval::operators::number;
    let (found, shown) = match (value, limit) {
        (Value::Str(a), Value::Str(b)) => (Some(a.as_bytes().cmp(b.as_bytes())), b.to_string()),
        (_, Value::Str(_)) => return wrong("must be string to compare to string"),
        (Value::Int(a), Value::Int(b)) => (Some(a.cmp(b)), b.to_string()),
        (_, Value::Int(_) | Value::Float(_)) => {
            let (Some(a), Some(b)) = (number(value), number(limit)) else {
                return wrong("must be number to compare to number");
            };
            let shown = match limit {
                Value::Float(x) => ordain_functions::float::to_go(*x),
                _ => b.to_string(),
            };
            (a.partial_cmp(&b), shown)
        }
        (_, other) => return wrong(format!("invalid type {}", other.kind())),
    };
    let holds = found.is_some_and(wanted);
    verdict(holds, format!("{yes} {shown}"), format!("{no} {shown}"))
}

fn matches(call: &mut Call<'_, '_>, value: &Value, args: &[Value]) -> Verdict {
    let [Value::Str(pattern)] = args else { return wrong("match requires a regexp argument") };
    let regex = match call.ev.cache.pattern(pattern) {
        Ok(regex) => regex,
        Err(e) => return wrong(format!("regexp {pattern}: {e}")),
    };
    let Value::Str(text) = value else { return wrong("no string to match regexp") };
    let shown = quoted(text);
    verdict(regex.is_match(text), format!("valid value {shown}"), format!("invalid value {shown}"))
}

fn kind(value: &Value, args: &[Value]) -> Verdict {
    let mut reasons = Vec::new();
    for arg in args {
        let Value::Str(wanted) = arg else {
            return wrong(format!("type: type arg requires string, but got {}", arg.kind()));
        };
        if wanted == value.kind() {
            return Ok((true, format!("is of type {wanted}")));
        }
        reasons.push(format!("is not of type {wanted}"));
    }
    Ok((false, joined(&reasons)))
}

/// The first condition that does not hold, with its number and message.
fn first_failure(call: &mut Call<'_, '_>, name: &str) -> Eval<Option<(usize, String)>> {
    let args = call.args;
    let [value, conditions @ ..] = args else {
        return fail(format!("at least two arguments required for {name}"));
    };
    if conditions.is_empty() {
        return fail(format!("at least two arguments required for {name}"));
    }
    for (n, condition) in (1..).zip(conditions) {
        match meets(call, value, condition, 0) {
            Ok((true, _)) => {}
            Ok((false, message)) => return Ok(Some((n, message))),
            Err(ConditionError::Condition(text)) => {
                return fail(format!("condition {n} has problem: {text}"));
            }
            Err(ConditionError::Stop(stop)) => return Err(stop),
        }
    }
    Ok(None)
}

fn validate(call: &mut Call<'_, '_>) -> Eval<Value> {
    match first_failure(call, "validate")? {
        Some((n, message)) => fail(format!("condition {n} failed: {message}")),
        None => Ok(call.args[0].clone()),
    }
}

fn check(call: &mut Call<'_, '_>) -> Eval<Value> {
    Ok(Value::Bool(first_failure(call, "check")?.is_none()))
}

pub(super) fn register(table: &mut Table) {
    table.extend([
        eager(
            "validate(value, condition...)",
            "A value; fails if it does not meet conditions.",
            validate,
        ),
        eager("check(value, condition...)", "Whether a value meets conditions.", check),
    ]);
}
