//! `math`: functions on numbers.

use super::{Builtin, Call, Fault, Outcome};
use crate::types::Type;
use crate::value::Value;

pub(super) const TABLE: &[Builtin] = &[
    Builtin::pure("math.fortytwo", "func() ?1", "42, as an integer or a float.", fortytwo),
    Builtin::pure("math.minus1", "func(x int) int", "An integer less one.", minus1),
    Builtin::pure(
        "math.mod",
        "func(?1, ?1) ?1",
        "What a division leaves, with the sign of the dividend.",
        modulo,
    )
    .catchable(),
    Builtin::pure(
        "math.pow",
        "func(x float, y float) float",
        "A float to the power of another.",
        pow,
    )
    .catchable(),
    Builtin::pure("math.sqrt", "func(x float) float", "The square root of a float.", sqrt)
        .catchable(),
];

fn fortytwo(call: &mut Call<'_>) -> Outcome {
    match call.signature.result {
        Type::Float => Ok(42.0.into()),
        _ => Ok(42.into()),
    }
}

fn minus1(call: &mut Call<'_>) -> Outcome {
    Ok(call.int(0)?.wrapping_sub(1).into())
}

/// A float that is one.
fn number(value: f64, infinity: &str) -> Outcome {
    if value.is_nan() {
        return Err(Fault::catchable("result is not a number"));
    }
    if value.is_infinite() {
        let sign = if value > 0.0 { "positive" } else { "negative" };
        return Err(Fault::catchable(format!("{infinity} {sign} infinity")));
    }
    Ok(value.into())
}

fn modulo(call: &mut Call<'_>) -> Outcome {
    match (call.value(0)?, call.value(1)?) {
        (Value::Int(_), Value::Int(0)) => Err(Fault::catchable("result is not a number")),
        (Value::Int(a), Value::Int(b)) => Ok(a.wrapping_rem(*b).into()),
        (Value::Float(a), Value::Float(b)) => number(a % b, "unexpected"),
        (other, _) => Err(Fault::fatal(format!("unexpected kind: {}", other.kind()))),
    }
}

fn pow(call: &mut Call<'_>) -> Outcome {
    number(call.float(0)?.powf(call.float(1)?), "result is")
}

fn sqrt(call: &mut Call<'_>) -> Outcome {
    number(call.float(0)?.sqrt(), "result is")
}
