//! Single facts about the running system.

use std::time::SystemTime;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use ordain_data::Value;

use crate::Machine;

/// The search path of this process.
pub(crate) fn path() -> Option<Value> {
    std::env::var("PATH").ok().map(Value::from)
}

/// The abbreviation of the time zone, such as `UTC` or `CEST`.
pub(crate) fn timezone(machine: &Machine) -> Option<Value> {
    let zone = match machine.is_host() {
        true => TimeZone::try_system().ok(),
        false => std::fs::read(machine.path("/etc/localtime"))
            .ok()
            .and_then(|data| TimeZone::tzif("local", &data).ok()),
    };
    let zone = zone.unwrap_or(TimeZone::UTC);
    // A wrong clock may be beyond the range of the library.
    let now = Timestamp::try_from(SystemTime::now()).unwrap_or(Timestamp::MAX);
    Some(zone.to_offset_info(now).abbreviation().into())
}

/// The file systems that use a block device, sorted.
pub(crate) fn filesystems(machine: &Machine) -> Option<Value> {
    let text = machine.read("/proc/filesystems")?;
    let single = |l: &&str| !l.contains(char::is_whitespace) && !l.is_empty() && *l != "fuseblk";
    let mut names: Vec<&str> =
        text.lines().filter(|l| l.starts_with('\t')).map(str::trim).filter(single).collect();
    names.sort_unstable();
    Some(names.join(",").into())
}

pub(crate) fn fips_enabled(machine: &Machine) -> Option<Value> {
    Some(Value::Bool(machine.number("/proc/sys/crypto/fips_enabled") == Some(1)))
}
