//! `golang/math/rand`: a random number for each call.

use crate::functions::{Builtin, Call, Fault, Outcome};
use crate::value::Value;

pub(in crate::functions) const TABLE: &[Builtin] = &[
    Builtin::impure(
        "golang/math/rand.exp_float_64",
        "func() float",
        "A positive float, less likely the larger it is.",
        |call| Ok((-(1.0 - unit(call)).ln()).into()),
    ),
    Builtin::impure(
        "golang/math/rand.float_64",
        "func() float",
        "A float from 0 up to 1.",
        |call| Ok(unit(call).into()),
    ),
    Builtin::impure("golang/math/rand.int", "func() int", "A positive integer.", positive),
    Builtin::impure("golang/math/rand.int_63", "func() int", "A positive integer.", positive),
    Builtin::impure(
        "golang/math/rand.int_63_n",
        "func(n int) int",
        "An integer from 0 up to a limit that is left out.",
        |call| below(call, "Int63n"),
    ),
    Builtin::impure(
        "golang/math/rand.intn",
        "func(n int) int",
        "An integer from 0 up to a limit that is left out.",
        |call| below(call, "Intn"),
    ),
    Builtin::impure(
        "golang/math/rand.norm_float_64",
        "func() float",
        "A float of a normal distribution around 0.",
        normal,
    ),
    Builtin::impure(
        "golang/math/rand.read",
        "func(p str) int",
        "How many random bytes would fit into a text.",
        |call| Ok(Value::Int(i64::try_from(call.str(0)?.len()).unwrap_or(i64::MAX))),
    ),
];

fn random(call: &Call<'_>) -> u64 {
    call.environment.world().random()
}

/// A float from 0 up to 1.
fn unit(call: &Call<'_>) -> f64 {
    (random(call) >> 11) as f64 / (1_u64 << 53) as f64
}

fn positive(call: &mut Call<'_>) -> Outcome {
    Ok(Value::Int(i64::try_from(random(call) >> 1).unwrap_or(0)))
}

fn below(call: &mut Call<'_>, name: &str) -> Outcome {
    let limit = call.int(0)?;
    if limit <= 0 {
        let text = format!("panic in process: invalid argument to {name}");
        return Err(Fault::catchable(text));
    }
    let wide = u128::from(random(call)) * u128::from(limit.unsigned_abs());
    Ok(Value::Int(i64::try_from(wide >> 64).unwrap_or(0)))
}

fn normal(call: &mut Call<'_>) -> Outcome {
    let (radius, angle) = (1.0 - unit(call), unit(call));
    Ok(((-2.0 * radius.ln()).sqrt() * (std::f64::consts::TAU * angle).cos()).into())
}
