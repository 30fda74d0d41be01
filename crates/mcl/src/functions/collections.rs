//! `list` and `map`.

use super::{Builtin, Call, Outcome, global};
use crate::value::Value;

pub(super) const TABLE: &[Builtin] = &[
    Builtin::pure("list.concat", "func([]?1) []?1", "One list of the elements of several.", concat)
        .variable(),
    Builtin::pure(
        "list.lookup",
        "func(list []?1, index int) ?1",
        "The element at an index.",
        global::lookup,
    )
    .catchable(),
    Builtin::pure("map.keys", "func(x map{?1: ?2}) []?1", "The keys of a map in order.", keys),
    Builtin::pure(
        "map.lookup",
        "func(map map{?1: ?2}, key ?1) ?2",
        "The value of a key.",
        global::lookup,
    )
    .catchable(),
    Builtin::pure(
        "map.values",
        "func(x map{?1: ?2}) []?2",
        "The values of a map in the order of their keys.",
        values,
    ),
];

fn concat(call: &mut Call<'_>) -> Outcome {
    let lists = call.args.iter().filter_map(|arg| arg.as_list());
    Ok(Value::list(lists.flatten().cloned()))
}

fn keys(call: &mut Call<'_>) -> Outcome {
    Ok(Value::list(call.map(0)?.pairs().iter().map(|(key, _)| key.clone())))
}

fn values(call: &mut Call<'_>) -> Outcome {
    Ok(Value::list(call.map(0)?.pairs().iter().map(|(_, value)| value.clone())))
}
