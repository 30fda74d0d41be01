//! The kernel: its name and versions.

use ordain_data::Value;

use crate::Machine;

pub(crate) fn name(machine: &Machine) -> Option<Value> {
    Some(machine.line("/proc/sys/kernel/ostype").unwrap_or_else(|| "Linux".into()).into())
}

pub(crate) fn release(machine: &Machine) -> Option<Value> {
    machine.line("/proc/sys/kernel/osrelease").map(Value::from)
}

/// The first two parts of the release.
pub(crate) fn major(machine: &Machine) -> Option<Value> {
    let release = machine.line("/proc/sys/kernel/osrelease")?;
    let parts: Vec<&str> = release.split('.').take(2).collect();
    Some(parts.join(".").into())
}

/// The first three numbers in the release.
pub(crate) fn version(machine: &Machine) -> Option<Value> {
    let release = machine.line("/proc/sys/kernel/osrelease")?;
    let numbers = release.split(|c: char| !c.is_ascii_digit()).filter(|n| !n.is_empty());
    let numbers: Vec<&str> = numbers.take(3).collect();
    Some(numbers.join(".").into())
}

/// The name of the hardware, such as `x86_64`.
pub(crate) fn hardware(machine: &Machine) -> String {
    machine
        .line("/proc/sys/kernel/arch")
        .unwrap_or_else(|| rustix::system::uname().machine().to_string_lossy().into_owned())
}
