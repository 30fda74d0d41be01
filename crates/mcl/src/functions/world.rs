//! `value`, `net/http`, `world` and `world/collect`: values that resources received and that hosts
//! share.

use std::time::Duration;

use super::{Builtin, Call, Fault, Outcome, Watch};
use crate::types::Type;
use crate::value::{Map, Struct, Value};

pub(super) const TABLE: &[Builtin] = &[
    Builtin::stream(
        "net/http.response",
        "func(uid str) struct{status int; output str}",
        "The answer to the `http:client` resource of a name: status 0 before it comes, -1 on an error.",
        response,
    ),
    Builtin::stream(
        "value.get",
        "func(key str) struct{value ?1; ready bool}",
        "The last value that a `value` resource received, as the type of the context.",
        get,
    ),
    Builtin::stream(
        "value.get_bool",
        "func(key str) struct{value bool; ready bool}",
        "The last boolean that a `value` resource received.",
        get,
    ),
    Builtin::stream(
        "value.get_float",
        "func(key str) struct{value float; ready bool}",
        "The last float that a `value` resource received.",
        get,
    ),
    Builtin::stream(
        "value.get_int",
        "func(key str) struct{value int; ready bool}",
        "The last integer that a `value` resource received.",
        get,
    ),
    Builtin::stream(
        "value.get_str",
        "func(key str) struct{value str; ready bool}",
        "The last text that a `value` resource received.",
        get,
    ),
    Builtin::stream(
        "world.getval",
        "func(key str) struct{value str; exists bool}",
        "The value of a key that all hosts share.",
        getval,
    ),
    Builtin::stream(
        "world.kvlookup",
        "func(namespace str) map{str: str}",
        "The value that each host gave a key.",
        kvlookup,
    ),
    Builtin::stream(
        "world.schedule",
        "func(namespace str) []str",
        "The hosts that a schedule elected.",
        schedule,
    ),
    Builtin::stream(
        "world/collect.res",
        "func(kind str) []struct{name str; host str}",
        "The names and hosts of the exported resources of a kind.",
        res,
    ),
];

fn response(call: &mut Call<'_>) -> Outcome {
    let name = call.text(0)?;
    if name.is_empty() {
        return Err(Fault::fatal("can't use an empty uid"));
    }
    let (status, output) = call.environment.response(&name).unwrap_or_default();
    call.watch(Watch::Response(name.as_ref().into()));
    Ok(Struct::of([("status", status.into()), ("output", output.as_str().into())]).into())
}

fn get(call: &mut Call<'_>) -> Outcome {
    let key = call.text(0)?;
    if key.is_empty() {
        return Err(Fault::fatal("can't use an empty key"));
    }
    let Type::Struct(shape) = &call.signature.result else {
        return Err(Fault::fatal("the type of the value is not known"));
    };
    let wanted = shape.get("value").unwrap_or(&Type::Variant);
    let (value, is_ready) = match call.environment.received(&key) {
        Some(value) if fits(&value, wanted) => (value, true),
        Some(_) => {
            let text = format!("type mismatch, check type in Value[{key}]");
            return Err(Fault::fatal(text));
        }
        None => {
            let zero =
                wanted.zero().ok_or_else(|| Fault::fatal("the type of the value is not known"))?;
            (zero, false)
        }
    };
    call.watch(Watch::Received(key.as_ref().into()));
    Ok(Struct::new(std::sync::Arc::clone(&shape.names), vec![value, is_ready.into()]).into())
}

/// Whether a value has a type.
fn fits(value: &Value, ty: &Type) -> bool {
    match (value, ty) {
        (Value::List(items), Type::List(item)) => items.iter().all(|value| fits(value, item)),
        (Value::Map(map), Type::Map(pair)) => {
            map.pairs().iter().all(|(key, value)| fits(key, &pair.0) && fits(value, &pair.1))
        }
        (Value::Struct(record), Type::Struct(shape)) => {
            record.names() == &shape.names
                && record.values().iter().zip(&shape.types).all(|(value, ty)| fits(value, ty))
        }
        (_, Type::Variant) => true,
        _ => value.kind() == ty.kind(),
    }
}

fn getval(call: &mut Call<'_>) -> Outcome {
    let key = call.text(0)?;
    if key.is_empty() {
        return Err(Fault::fatal("can't use an empty key"));
    }
    let value = call.environment.shared().get(&key);
    let exists = value.is_some().into();
    call.watch(Watch::Key(key.as_ref().into()));
    let value = value.unwrap_or_default().as_str().into();
    Ok(Struct::of([("value", value), ("exists", exists)]).into())
}

fn kvlookup(call: &mut Call<'_>) -> Outcome {
    let key = call.text(0)?;
    if key.is_empty() {
        return Err(Fault::fatal("can't use an empty namespace"));
    }
    let values = call.environment.shared().get_by_host(&key).into_iter();
    call.watch(Watch::Key(key.as_ref().into()));
    Ok(Map::new(values.map(|(host, value)| (host.as_str().into(), value.as_str().into()))).into())
}

/// The time after which a value is written again that the store did not take.
const RETRY: Duration = Duration::from_secs(5);

pub(super) fn exchange(call: &mut Call<'_>) -> Outcome {
    let (key, value) = (call.text(0)?, call.text(1)?);
    if key.is_empty() {
        return Err(Fault::fatal("can't use an empty namespace"));
    }
    let host = call.environment.hostname();
    if !call.environment.shared().set_of_host(&key, &host, &value) {
        call.watch(Watch::Every(RETRY));
    }
    kvlookup(call)
}

fn schedule(call: &mut Call<'_>) -> Outcome {
    let namespace = call.text(0)?;
    if namespace.is_empty() {
        return Err(Fault::fatal("can't use an empty namespace"));
    }
    let hosts = call.environment.shared().schedule(&namespace);
    call.watch(Watch::Schedule(namespace.as_ref().into()));
    Ok(Value::list(hosts.iter().map(|host| host.as_str().into())))
}

fn res(call: &mut Call<'_>) -> Outcome {
    let kind = call.text(0)?;
    let host = call.environment.hostname();
    let exports = call.environment.shared().exports(&kind, &host);
    call.watch(Watch::Exports(kind.as_ref().into()));
    Ok(Value::list(exports.into_iter().map(|export| {
        let pair = [("name", export.name.as_str().into()), ("host", export.host.as_str().into())];
        Struct::of(pair).into()
    })))
}
