//! `convert`: conversions between numbers, booleans and texts.

use ordain_functions::go::number;

use super::{Builtin, Call, Fault, Outcome};

pub(super) const TABLE: &[Builtin] = &[
    Builtin::pure("convert.format_bool", "func(a bool) str", "`true` or `false`.", format_bool),
    Builtin::pure("convert.int_to_str", "func(a int) str", "The digits of an integer.", int_to_str),
    Builtin::pure(
        "convert.parse_bool",
        "func(a str) bool",
        "Reads `1 t T true TRUE True` and their opposites.",
        parse_bool,
    )
    .catchable(),
    Builtin::pure("convert.str_to_float", "func(a str) float", "Reads a float.", str_to_float)
        .catchable(),
    Builtin::pure("convert.str_to_int", "func(a str) int", "Reads a decimal integer.", str_to_int)
        .catchable(),
    Builtin::pure("convert.to_float", "func(a int) float", "An integer as a float.", to_float),
    Builtin::pure("convert.to_int", "func(a float) int", "A float without its fraction.", to_int),
];

fn format_bool(call: &mut Call<'_>) -> Outcome {
    Ok(if call.bool(0)? { "true" } else { "false" }.into())
}

fn int_to_str(call: &mut Call<'_>) -> Outcome {
    Ok(call.int(0)?.to_string().into())
}

fn parse_bool(call: &mut Call<'_>) -> Outcome {
    let text = call.str(0)?;
    let wrong = || Fault::catchable(format!("invalid bool: `{text}`"));
    number::parse_bool(text.as_bytes()).map(Into::into).ok_or_else(wrong)
}

fn str_to_float(call: &mut Call<'_>) -> Outcome {
    let value = number::parse_float(call.bytes(0)?, 64);
    value.map(Into::into).map_err(|error| Fault::catchable(error.to_string()))
}

fn str_to_int(call: &mut Call<'_>) -> Outcome {
    let value = number::parse_int("ParseInt", call.bytes(0)?, 10, 64);
    value.map(Into::into).map_err(|error| Fault::catchable(error.to_string()))
}

fn to_float(call: &mut Call<'_>) -> Outcome {
    Ok((call.int(0)? as f64).into())
}

fn to_int(call: &mut Call<'_>) -> Outcome {
    Ok(truncate(call.float(0)?).into())
}

/// Truncates a float. Values out of range become the smallest integer, as on the processor.
pub(super) fn truncate(value: f64) -> i64 {
    let is_inside = (-9_223_372_036_854_775_808.0..9_223_372_036_854_775_808.0).contains(&value);
    if is_inside { value as i64 } else { i64::MIN }
}
