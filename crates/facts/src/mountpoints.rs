//! Mounted file systems and their usage.

use ordain_data::{Map, Value};

use crate::Machine;
use crate::units;

/// File systems that depend on a server; their size is not queried, because a server that is down
/// would block the process.
const REMOTE: [&str; 8] = ["nfs", "nfs4", "cifs", "smb3", "ceph", "glusterfs", "9p", "afs"];

pub(crate) fn mountpoints(machine: &Machine) -> Option<Value> {
    let text = machine.read("/proc/self/mounts").or_else(|| machine.read("/proc/mounts"))?;
    let mut found = Map::default();
    for line in text.lines() {
        let mut fields = line.split(' ').map(unescape);
        let (Some(device), Some(path), Some(filesystem), Some(options)) =
            (fields.next(), fields.next(), fields.next(), fields.next())
        else {
            continue;
        };
        let internal = path.starts_with("/proc") || path.starts_with("/sys");
        if filesystem == "autofs" || (internal && filesystem != "tmpfs") {
            continue;
        }
        let value = mountpoint(machine, &device, &path, &filesystem, &options);
        found.insert(path.into(), value);
    }
    (!found.is_empty()).then(|| Value::Map(found.into()))
}

/// Decodes the octal escapes of spaces, tabs, line breaks and backslashes.
fn unescape(field: &str) -> String {
    [("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\")]
        .iter()
        .fold(field.to_owned(), |text, (code, c)| text.replace(code, c))
}

fn mountpoint(machine: &Machine, device: &str, path: &str, kind: &str, options: &str) -> Value {
    let (size, available, used) =
        if REMOTE.contains(&kind) { None } else { usage(machine, path) }.unwrap_or((0, 0, 0));
    let capacity = match used.saturating_add(available) {
        total if total == used => "100%".to_owned(),
        _ if used == 0 => "0%".to_owned(),
        total => units::share(used, total),
    };
    let number = |n: u64| Value::Int(i64::try_from(n).unwrap_or(i64::MAX));
    let device = if device == "/dev/root" { root_device(machine) } else { device.to_owned() };
    Value::map([
        ("available", units::bytes(available).into()),
        ("available_bytes", number(available)),
        ("capacity", capacity.into()),
        ("device", device.into()),
        ("filesystem", kind.into()),
        ("options", Value::list(options.split(',').map(Value::from))),
        ("size", units::bytes(size).into()),
        ("size_bytes", number(size)),
        ("used", units::bytes(used).into()),
        ("used_bytes", number(used)),
    ])
}

fn usage(machine: &Machine, path: &str) -> Option<(u64, u64, u64)> {
    let stat = rustix::fs::statvfs(machine.path(path)).ok()?;
    let bytes = |blocks: u64| blocks.saturating_mul(stat.f_frsize);
    let used = bytes(stat.f_blocks.saturating_sub(stat.f_bfree));
    Some((bytes(stat.f_blocks), bytes(stat.f_bavail), used))
}

/// The root device from the kernel's command line.
fn root_device(machine: &Machine) -> String {
    let line = machine.read("/proc/cmdline").unwrap_or_default();
    let root = line.split_whitespace().find_map(|word| word.strip_prefix("root="));
    root.filter(|r| !r.contains('=')).unwrap_or("/dev/root").to_owned()
}
