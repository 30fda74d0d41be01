//! `sys` and `sys/fwupd`: the machine as a whole.

use std::path::Path;
use std::time::Duration;

use super::{Builtin, Call, Fault, Outcome, Watch};
use crate::value::{Map, Struct, Value};

pub(super) const TABLE: &[Builtin] = &[
    Builtin::stream("sys.cpu_count", "func() int", "The number of online processors.", cpu_count),
    Builtin::impure("sys.env", "func() map{str: str}", "The environment of the program.", env),
    Builtin::impure("sys.getenv", "func(str) str", "A variable of the environment.", getenv)
        .catchable(),
    Builtin::impure(
        "sys.hasenv",
        "func(str) bool",
        "Whether a variable is in the environment.",
        hasenv,
    ),
    Builtin::stream("sys.hostname", "func() str", "The name of this host.", hostname),
    Builtin::stream(
        "sys.load",
        "func() struct{x1 float; x5 float; x15 float}",
        "The load averages of the last 1, 5 and 15 minutes.",
        load,
    ),
    Builtin::stream("sys.uptime", "func() int", "The uptime of the machine in seconds.", uptime),
    Builtin::stream(
        "sys/fwupd.reboot_needed",
        "func() bool",
        "Whether new firmware needs a restart.",
        reboot_needed,
    ),
];

/// The text of a file of the system.
pub(super) fn read(call: &Call<'_>, path: &str) -> Result<String, Fault> {
    let content = call.environment.world().read(Path::new(path));
    let content =
        content.map_err(|error| Fault::fatal(super::errors::go_error("open", path, &error)))?;
    Ok(String::from_utf8_lossy(&content).into_owned())
}

fn cpu_count(call: &mut Call<'_>) -> Outcome {
    let text = read(call, "/sys/devices/system/cpu/online")?;
    let mut count = 0;
    for range in text.trim().split(',').filter(|range| !range.is_empty()) {
        let (low, high) = range.split_once('-').unwrap_or((range, range));
        let bounds = (low.parse::<i64>(), high.parse::<i64>());
        let (Ok(low), Ok(high)) = bounds else {
            return Err(Fault::fatal(format!("invalid range of processors: {range}")));
        };
        count += high - low + 1;
    }
    call.watch(Watch::Processors);
    Ok(count.into())
}

/// The environment variables of the process.
fn variables(call: &Call<'_>) -> Vec<(Vec<u8>, Vec<u8>)> {
    let content = call.environment.world().read(Path::new("/proc/self/environ"));
    let content = content.unwrap_or_default();
    let lines = content.split(|byte| *byte == 0);
    let pairs = lines.filter_map(|line| {
        let at = line.iter().position(|byte| *byte == b'=')?;
        Some((line.get(..at)?.to_vec(), line.get(at + 1..)?.to_vec()))
    });
    pairs.collect()
}

fn env(call: &mut Call<'_>) -> Outcome {
    let pairs = variables(call).into_iter();
    Ok(Map::new(pairs.map(|(name, value)| (Value::bytes(name), Value::bytes(value)))).into())
}

pub(super) fn getenv(call: &mut Call<'_>) -> Outcome {
    let name = call.text(0)?;
    let missing = || Fault::catchable(format!("environment variable not set: {name}"));
    call.environment.world().env(&name).map(Into::into).ok_or_else(missing)
}

fn hasenv(call: &mut Call<'_>) -> Outcome {
    let name = call.text(0)?;
    Ok(call.environment.world().env(&name).is_some().into())
}

fn hostname(call: &mut Call<'_>) -> Outcome {
    call.watch(Watch::Hostname);
    Ok(call.environment.hostname().as_str().into())
}

fn load(call: &mut Call<'_>) -> Outcome {
    let text = read(call, "/proc/loadavg")?;
    let mut numbers = text.split_whitespace().map(|number| number.parse::<f64>().unwrap_or(0.0));
    let mut next = || Value::Float(numbers.next().unwrap_or(0.0));
    call.watch(Watch::Every(Duration::from_secs(5)));
    Ok(Struct::of([("x1", next()), ("x5", next()), ("x15", next())]).into())
}

fn uptime(call: &mut Call<'_>) -> Outcome {
    let text = read(call, "/proc/uptime")?;
    let seconds = text.split(['.', ' ']).next().and_then(|number| number.parse::<i64>().ok());
    call.watch(Watch::Every(Duration::from_secs(1)));
    seconds.map(Into::into).ok_or_else(|| Fault::fatal("the uptime is not known"))
}

fn reboot_needed(call: &mut Call<'_>) -> Outcome {
    call.watch(Watch::Firmware);
    Ok(call.environment.needs_reboot().into())
}
