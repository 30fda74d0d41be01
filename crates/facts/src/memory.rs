//! Memory and swap.

use ordain_data::Value;

use crate::Machine;
use crate::machine::some_map;
use crate::units;

pub(crate) fn memory(machine: &Machine) -> Option<Value> {
    let info = machine.read("/proc/meminfo")?;
    let field = |name: &str| amount(&info, name);
    let total = field("MemTotal")?;
    let available = field("MemAvailable").or_else(|| {
        Some(field("MemFree")? + field("Buffers").unwrap_or(0) + field("Cached").unwrap_or(0))
    })?;
    let swap = field("SwapTotal").filter(|total| *total > 0);
    some_map([
        ("swap", swap.map(|total| area(total, field("SwapFree").unwrap_or(0)))),
        ("system", Some(area(total, available))),
    ])
}

/// The bytes in a line such as `MemTotal:  24683656 kB`.
fn amount(info: &str, name: &str) -> Option<u64> {
    let line = info.lines().find_map(|l| l.strip_prefix(name)?.strip_prefix(':'))?;
    let kilobytes: u64 = line.split_whitespace().next()?.parse().ok()?;
    kilobytes.checked_mul(1024)
}

fn area(total: u64, available: u64) -> Value {
    let used = total.saturating_sub(available);
    let number = |n: u64| Value::Int(i64::try_from(n).unwrap_or(i64::MAX));
    Value::map([
        ("available", units::bytes(available).into()),
        ("available_bytes", number(available)),
        ("capacity", units::share(used, total).into()),
        ("total", units::bytes(total).into()),
        ("total_bytes", number(total)),
        ("used", units::bytes(used).into()),
        ("used_bytes", number(used)),
    ])
}
