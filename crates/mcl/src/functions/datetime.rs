//! `datetime`: the time in seconds since 1970, and formatted.

use std::time::{Duration, UNIX_EPOCH};

use ordain_functions::go::layout::Time;

use super::{Builtin, Call, Fault, Outcome, Watch};

pub(super) const TABLE: &[Builtin] = &[
    Builtin::pure(
        "datetime.format",
        "func(a int, b str) str",
        "Formats a time like the example `2006-01-02 15:04:05`.",
        format,
    ),
    Builtin::pure("datetime.hour", "func(a int) int", "The hour of a time.", hour),
    Builtin::stream("datetime.now", "func() int", "The time now, each second.", now),
    Builtin::pure("datetime.print", "func(a int) str", "A time with its zone.", print),
    Builtin::stream(
        "datetime.str_now",
        "func() str",
        "The time now as a text, each second.",
        str_now,
    ),
    Builtin::pure(
        "datetime.weekday",
        "func(a int) str",
        "The day of the week of a time, in lower case.",
        weekday,
    ),
    Builtin::stream(
        "datetime.weekday_fast",
        "func() str",
        "The day of the week now, in lower case.",
        weekday_fast,
    ),
];

/// A time in the time zone of the environment or of this machine; UTC if there is none.
fn local(call: &Call<'_>, seconds: i64) -> Result<Time, Fault> {
    let rules = ordain_source::world::zone_rules(call.environment.world());
    Time::new(seconds, 0, rules.as_deref()).map_err(|error| Fault::fatal(error.to_string()))
}

fn given(call: &Call<'_>) -> Result<Time, Fault> {
    let seconds = call.int(0)?;
    if seconds < 0 {
        return Err(Fault::fatal("epoch delta must be positive"));
    }
    local(call, seconds)
}

fn format(call: &mut Call<'_>) -> Outcome {
    Ok(given(call)?.format(&call.text(1)?).into())
}

fn hour(call: &mut Call<'_>) -> Outcome {
    Ok(given(call)?.hour().into())
}

fn print(call: &mut Call<'_>) -> Outcome {
    Ok(given(call)?.to_string().into())
}

fn weekday(call: &mut Call<'_>) -> Outcome {
    Ok(given(call)?.weekday().to_lowercase().into())
}

/// The time now in seconds.
fn seconds(call: &Call<'_>) -> i64 {
    let now = call.environment.world().now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(now.as_secs()).unwrap_or(i64::MAX)
}

fn now(call: &mut Call<'_>) -> Outcome {
    call.watch(Watch::Every(Duration::from_secs(1)));
    Ok(seconds(call).into())
}

fn str_now(call: &mut Call<'_>) -> Outcome {
    call.watch(Watch::Every(Duration::from_secs(1)));
    Ok(seconds(call).to_string().into())
}

fn weekday_fast(call: &mut Call<'_>) -> Outcome {
    let time = local(call, seconds(call))?;
    let next = u64::try_from(time.next_day()).unwrap_or(0);
    call.watch(Watch::At(UNIX_EPOCH + Duration::from_secs(next)));
    Ok(time.weekday().to_lowercase().into())
}
