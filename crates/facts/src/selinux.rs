//! SELinux: whether it is enabled, and its mode.

use ordain_data::Value;

use crate::Machine;
use crate::machine::some_map;

pub(crate) fn selinux(machine: &Machine) -> Option<Value> {
    let mounts = machine.read("/proc/self/mounts").or_else(|| machine.read("/proc/mounts"));
    let mounts = mounts.unwrap_or_default();
    let mut fields = mounts.lines().map(|l| l.split_whitespace().collect::<Vec<_>>());
    let mount = fields.find_map(|fields| match fields.as_slice() {
        [_, mount, "selinuxfs", ..] => Some((*mount).to_owned()),
        _ => None,
    });
    let config = machine.read("/etc/selinux/config").unwrap_or_default();
    let (Some(mount), false) = (mount, config.is_empty()) else {
        return Some(Value::map([("enabled", Value::Bool(false))]));
    };
    let setting = |name: &str| {
        let line = config.lines().rev().find_map(|l| l.strip_prefix(name)?.strip_prefix('='))?;
        Some(Value::from(line.trim()))
    };
    let enforced = machine.number(&format!("{mount}/enforce")) == Some(1);
    let mode = if enforced { "enforcing" } else { "permissive" };
    some_map([
        ("config_mode", setting("SELINUX")),
        ("config_policy", setting("SELINUXTYPE")),
        ("current_mode", Some(mode.into())),
        ("enabled", Some(Value::Bool(true))),
        ("enforced", Some(Value::Bool(enforced))),
        ("policy_version", machine.line(&format!("{mount}/policyvers")).map(Value::from)),
    ])
}
