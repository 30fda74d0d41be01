//! The functions without a module.

use std::time::{Duration, UNIX_EPOCH};

use super::{Builtin, Call, Fault, Outcome, Watch, shape};
use crate::types::Type;
use crate::value::{Str, Struct, Value};

pub(super) const TABLE: &[Builtin] = &[
    Builtin::pure("concat", "func(a str, b str) str", "Joins two texts.", concat),
    Builtin::pure(
        "contains",
        "func(needle ?1, haystack []?1) bool",
        "Whether a list has an element.",
        contains,
    ),
    Builtin::stream(
        "history",
        "func(value ?1, index int) ?1",
        "The value some milliseconds ago, or else the oldest known one.",
        history,
    ),
    Builtin::pure(
        "len",
        "func(?1) int",
        "The bytes of a text, elements of a list, or pairs of a map.",
        len,
    ),
    Builtin::pure(
        "list_lookup",
        "func(list []?1, index int) ?1",
        "The element at an index.",
        lookup,
    )
    .catchable(),
    Builtin::pure("map_lookup", "func(map map{?1: ?2}, key ?1) ?2", "The value of a key.", lookup)
        .catchable(),
    Builtin {
        is_speculated: false,
        ..Builtin::impure(
            "panic",
            "func(x ?1) bool",
            "Ends the program if the argument is true or a text that is not empty.",
            panic,
        )
    },
    Builtin::impure(
        "panic_debug",
        "func(x bool, err str) bool",
        "Ends the program with a reason if the condition is true.",
        panic,
    ),
    Builtin::impure(
        "random1",
        "func(length int) str",
        "A random text of this length, generated once for each length.",
        random1,
    ),
    Builtin::stream(
        "_collect",
        "func(kind str, names ?1) []struct{name str; host str; data str}",
        "The exported resources of a kind that have one of these names.",
        collect,
    )
    .variable(),
];

fn concat(call: &mut Call<'_>) -> Outcome {
    Ok(Value::bytes([call.bytes(0)?, call.bytes(1)?].concat()))
}

fn contains(call: &mut Call<'_>) -> Outcome {
    let needle = call.value(0)?;
    Ok(call.list(1)?.contains(needle).into())
}

fn length(count: usize) -> Value {
    Value::Int(i64::try_from(count).unwrap_or(i64::MAX))
}

fn len(call: &mut Call<'_>) -> Outcome {
    match call.value(0)? {
        Value::Str(text) => Ok(length(text.len())),
        Value::List(items) => Ok(length(items.len())),
        Value::Map(map) => Ok(length(map.len())),
        other => Err(Fault::fatal(format!("unsupported kind: {}", other.kind()))),
    }
}

/// An element of a list or a map.
pub(super) fn lookup(call: &mut Call<'_>) -> Outcome {
    let key = call.value(1)?;
    let found = match call.value(0)? {
        Value::List(items) => {
            let index = call.int(1)?;
            if index < 0 {
                return Err(Fault::catchable(format!("list index negative, got: {index}")));
            }
            let found = usize::try_from(index).ok().and_then(|index| items.get(index));
            found.cloned().ok_or_else(|| {
                let list = call.args.first().map(ToString::to_string).unwrap_or_default();
                let len = items.len();
                Fault::catchable(format!(
                    "list index not present, got: {index}, len is: {len}, in: {list}"
                ))
            })
        }
        Value::Map(map) => map.get(key).cloned().ok_or_else(|| {
            let map = call.args.first().map(ToString::to_string).unwrap_or_default();
            Fault::catchable(format!("map key not present, want: {key} in {map}"))
        }),
        other => Err(Fault::fatal(format!("unsupported kind: {}", other.kind()))),
    }?;
    // In the original's own edition the kind of lookup may be unknown before a run.
    let item = match call.signature.args.first() {
        Some(Type::List(item)) => &**item,
        Some(Type::Map(pair)) => &pair.1,
        _ => return Ok(found),
    };
    if *item == call.signature.result {
        return Ok(found);
    }
    let difference = shape::mismatch(item, &call.signature.result);
    Err(Fault::fatal(format!("cannot cmp return types: {difference}")))
}

fn panic(call: &mut Call<'_>) -> Outcome {
    match call.value(0)? {
        Value::Bool(false) => Ok(false.into()),
        Value::Bool(true) if call.args.len() > 1 => {
            Err(Fault::fatal(format!("bool panic occurred: {}", call.str(1)?)))
        }
        Value::Bool(true) => Err(Fault::fatal("bool panic occurred")),
        Value::Str(text) if text.is_empty() => Ok(false.into()),
        Value::Str(text) => Err(Fault::fatal(format!("str panic occurred: {text}"))),
        other => Err(Fault::fatal(format!("unsupported kind: {}", other.kind()))),
    }
}

/// The longest random text.
const MAX_LENGTH: i64 = 65_535;

const RANDOM_CHARS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

fn random1(call: &mut Call<'_>) -> Outcome {
    let length = call.int(0)?;
    if !(0..=MAX_LENGTH).contains(&length) {
        return Err(Fault::fatal("can't generate an invalid length"));
    }
    let world = call.environment.world();
    let kept: &mut Option<(i64, Str)> = call.state.get();
    if let Some((of, text)) = kept
        && *of == length
    {
        return Ok(text.clone().into());
    }
    let count = RANDOM_CHARS.len() as u64;
    let char = |_| {
        let index = usize::try_from(world.random() % count).unwrap_or(0);
        char::from(RANDOM_CHARS.get(index).copied().unwrap_or(b'0'))
    };
    let text = Str::from((0..length).map(char).collect::<String>());
    *kept = Some((length, text.clone()));
    Ok(text.into())
}

/// The maximal number of past values.
const MAX_KEPT: usize = 100_000;

/// Values with the times from which they held, oldest first.
type ValueHistory = std::collections::VecDeque<(Duration, Value)>;

fn history(call: &mut Call<'_>) -> Outcome {
    let (value, back) = (call.value(0)?, call.int(1)?);
    let back = u64::try_from(back)
        .map_err(|_| Fault::fatal(format!("can't use a negative interval of {back}")))?;
    let now = call.environment.world().now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let back = Duration::from_millis(back);
    let past: &mut ValueHistory = call.state.get();
    if past.back().is_none_or(|(_, last)| !last.is_same(value)) {
        past.push_back((now, value.clone()));
    }
    let then = now.checked_sub(back);
    // The value at that time, and all later ones.
    while past.get(1).is_some_and(|(from, _)| then.is_some_and(|then| *from <= then))
        || past.len() > MAX_KEPT
    {
        past.pop_front();
    }
    let found = past.front().map_or(value, |(_, value)| value).clone();
    let next = past.get(1).map(|(from, _)| *from + back);
    if let Some(next) = next {
        call.watch(Watch::At(UNIX_EPOCH + next));
    }
    Ok(found)
}

fn collect(call: &mut Call<'_>) -> Outcome {
    let kind = call.text(0)?;
    let host = call.environment.hostname();
    let exports = call.environment.shared().exports(&kind, &host);
    let wanted = call.value(1)?;
    let is_wanted = |export: &super::environment::Export| match wanted {
        Value::Str(name) => name.as_bytes() == export.name.as_bytes(),
        Value::List(names) => names.iter().any(|name| match name {
            Value::Str(name) => name.as_bytes() == export.name.as_bytes(),
            Value::Struct(pair) => {
                let is = |field: &str, text: &str| {
                    pair.get(field)
                        .and_then(Value::as_str)
                        .is_some_and(|t| t.as_bytes() == text.as_bytes())
                };
                is("name", &export.name) && is("host", &export.host)
            }
            _ => false,
        }),
        _ => false,
    };
    let names = match &call.signature.result {
        Type::List(item) => match &**item {
            Type::Struct(shape) => Some(std::sync::Arc::clone(&shape.names)),
            _ => None,
        },
        _ => None,
    };
    let found = exports.into_iter().filter(is_wanted).map(|export| {
        let values = [export.name, export.host, export.data].map(|text| Value::from(text.as_str()));
        match &names {
            Some(names) if names.len() == 3 => Struct::new(names.clone(), values.to_vec()).into(),
            _ => Struct::of(["name", "host", "data"].into_iter().zip(values)).into(),
        }
    });
    let found = Value::list(found);
    call.watch(Watch::Exports(kind.as_ref().into()));
    Ok(found)
}
