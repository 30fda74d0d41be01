//! `example` and `test`: functions that show how functions work.

use std::time::{Duration, SystemTime};

use ordain_functions::go::number;

use super::{Builtin, Call, Fault, Outcome, Watch};
use crate::value::{Map, Value};

pub(super) const TABLE: &[Builtin] = &[
    Builtin::pure("example.answer", "func() int", "42.", |_| Ok(42.into())),
    Builtin::impure(
        "example.errorbool",
        "func(a bool) str",
        "An error if the argument is true.",
        errorbool,
    ),
    Builtin::stream(
        "example.flipflop",
        "func() bool",
        "Another value each five seconds.",
        flipflop,
    ),
    Builtin::pure("example.int2str", "func(a int) str", "The digits of an integer.", int2str),
    Builtin::pure("example.plus", "func(y str, z str) str", "Two texts as one.", plus),
    Builtin::pure("example.str2int", "func(a str) int", "An integer, or 0.", str2int),
    Builtin::stream(
        "example.vumeter",
        "func(symbol str, multiplier int, peak float) str",
        "Refused: it listens to a microphone with programs of another kind.",
        |_| Err(Fault::fatal("this function listens to a microphone, which is not supported")),
    ),
    Builtin::pure("example/nested.hello", "func() str", "A greeting.", |_| Ok("Hello!".into())),
    Builtin::stream("test.fastcount", "func() int", "Counts as fast as it can.", fastcount),
    Builtin::stream(
        "test.forkvloop",
        "func() map{str: str}",
        "A map that is rebuilt every five seconds without a change.",
        forkvloop,
    ),
    Builtin::stream(
        "test.forloop",
        "func() []str",
        "A list that changes after five seconds.",
        forloop,
    ),
    Builtin::impure("test.one_instance_a", "func() str", "A text.", hello),
    Builtin::pure("test.one_instance_b", "func() str", "A text.", hello),
    Builtin::impure("test.one_instance_c", "func() str", "A text.", hello),
    Builtin::pure("test.one_instance_d", "func() str", "A text.", hello),
    Builtin::impure("test.one_instance_e", "func() str", "A text.", hello),
    Builtin::pure("test.one_instance_f", "func() str", "A text.", hello),
    Builtin::impure("test.one_instance_g", "func() str", "A text.", hello),
    Builtin::pure("test.one_instance_h", "func() str", "A text.", hello),
    Builtin::stream(
        "test.one_stream",
        "func(count int) str",
        "This number of x, once.",
        one_stream,
    ),
    Builtin::impure("test.slow_string", "func() str", "A text after five seconds.", slow_string),
];

fn hello(_: &mut Call<'_>) -> Outcome {
    Ok("hello".into())
}

fn errorbool(call: &mut Call<'_>) -> Outcome {
    if call.bool(0)? {
        return Err(Fault::fatal("we errored on request"));
    }
    Ok("set input to true to generate an error".into())
}

/// The number of calls of a function at this place.
fn calls(call: &mut Call<'_>) -> i64 {
    let count: &mut i64 = call.state.get();
    *count = count.wrapping_add(1);
    *count
}

const INTERVAL: Duration = Duration::from_secs(5);

fn flipflop(call: &mut Call<'_>) -> Outcome {
    let count = calls(call);
    call.watch(Watch::Every(INTERVAL));
    Ok((count % 2 == 1).into())
}

fn int2str(call: &mut Call<'_>) -> Outcome {
    Ok(call.int(0)?.to_string().into())
}

fn plus(call: &mut Call<'_>) -> Outcome {
    Ok(Value::bytes([call.bytes(0)?, call.bytes(1)?].concat()))
}

fn str2int(call: &mut Call<'_>) -> Outcome {
    Ok(number::parse_int("ParseInt", call.bytes(0)?, 10, 64).unwrap_or(0).into())
}

fn fastcount(call: &mut Call<'_>) -> Outcome {
    let count = calls(call);
    call.watch(Watch::Every(Duration::ZERO));
    Ok(count.into())
}

fn changing(call: &mut Call<'_>) -> &'static str {
    let count = calls(call);
    call.watch(Watch::Every(INTERVAL));
    if count == 1 { "foo" } else { "bar" }
}

fn forloop(call: &mut Call<'_>) -> Outcome {
    Ok(Value::list([changing(call).into()]))
}

fn forkvloop(call: &mut Call<'_>) -> Outcome {
    call.watch(Watch::Every(INTERVAL));
    Ok(Map::new([("foo".into(), "bar".into())]).into())
}

fn one_stream(call: &mut Call<'_>) -> Outcome {
    let count = call.int(0)?;
    let length = usize::try_from(count).map_err(|_| Fault::fatal("cannot use a negative count"))?;
    const MAX_LENGTH: usize = 1 << 20;
    if length > MAX_LENGTH {
        return Err(Fault::fatal("the text would grow too long"));
    }
    let before: &mut Option<i64> = call.state.get();
    if let Some(before) = before.replace(count).filter(|before| *before != count) {
        let text = "you can only pass in a single input";
        return Err(Fault::fatal(format!("{text}, got: {count}, previously: {before}")));
    }
    Ok("x".repeat(length).into())
}

fn slow_string(call: &mut Call<'_>) -> Outcome {
    let now = call.environment.world().now();
    let ready: &mut Option<SystemTime> = call.state.get();
    let ready = *ready.get_or_insert(now + INTERVAL);
    if now < ready {
        call.watch(Watch::At(ready));
        return Err(Fault::waiting());
    }
    Ok("five seconds has elapsed".into())
}
