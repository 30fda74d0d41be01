//! `iter`: functions over lists. The engine builds nodes for those that call a function value.

use super::{Builtin, Call, Fault, Iteration, Outcome};
use crate::value::Value;

pub(super) const TABLE: &[Builtin] = &[
    Builtin::impure(
        "iter.filter",
        "func(inputs []?1, function func(?1) bool) []?1",
        "The elements for which a function gives true.",
        by_the_engine,
    )
    .iterate(Iteration::Filter),
    Builtin::pure("iter.flatten", "func(inputs [][]?1) []?1", "The elements of all lists of a list.", flatten),
    Builtin::impure(
        "iter.map",
        "func(inputs []?1, function func(?1) ?2) []?2",
        "What a function gives for each element.",
        by_the_engine,
    )
    .iterate(Iteration::Map),
    Builtin::pure(
        "iter.range",
        "func(int) []int | func(int, int) []int | func(int, int, int) []int",
        "The numbers from a start, or 0, up to a stop that is left out, by a step or 1.",
        range,
    )
    .variable(),
    Builtin::impure(
        "iter.reduce",
        "func(inputs []?1, function func(?1, ?1) ?1) ?1 | func(initval ?1, inputs []?1, function func(?1, ?1) ?1) ?1",
        "One value from all elements: a function joins what there is with the next one.",
        by_the_engine,
    )
    .variable()
    .iterate(Iteration::Reduce),
    Builtin::impure(
        "iter.zip",
        "func(inputs1 []?1, inputs2 []?2, function func(x ?1, y ?2) ?3) []?3",
        "What a function gives for the elements of two lists, up to the end of the shorter one.",
        by_the_engine,
    )
    .iterate(Iteration::Zip),
];

fn by_the_engine(_: &mut Call<'_>) -> Outcome {
    Err(Fault::fatal("a function that calls function values can only run in the function engine"))
}

fn flatten(call: &mut Call<'_>) -> Outcome {
    let lists = call.list(0)?.iter().filter_map(Value::as_list);
    Ok(Value::list(lists.flatten().cloned()))
}

/// The longest list of numbers.
const MAX_NUMBERS: i128 = 10_000_000;

fn range(call: &mut Call<'_>) -> Outcome {
    let (start, stop, step) = match call.args.len() {
        1 => (0, call.int(0)?, 1),
        2 => (call.int(0)?, call.int(1)?, 1),
        _ => (call.int(0)?, call.int(1)?, call.int(2)?),
    };
    if step == 0 {
        return Err(Fault::fatal("step value cannot be 0"));
    }
    let (start, stop, step) = (i128::from(start), i128::from(stop), i128::from(step));
    let length = if step > 0 { stop - start } else { start - stop };
    let size = step.abs();
    let count = if length <= 0 { 0 } else { (length + size - 1) / size };
    if count > MAX_NUMBERS {
        return Err(Fault::fatal(format!("a list of {count} numbers is too long")));
    }
    let numbers = (0..count).filter_map(|index| i64::try_from(start + index * step).ok());
    Ok(Value::list(numbers.map(Value::Int)))
}
