//! Disks and their partitions.

use ordain_data::{Map, Value};

use crate::Machine;
use crate::machine::some_map;
use crate::units;

/// Linux counts sizes of block devices in this unit, whatever the device uses.
const SECTOR: u64 = 512;

pub(crate) fn disks(machine: &Machine) -> Option<Value> {
    let mut disks = Map::default();
    for name in machine.list("/sys/block") {
        let dir = format!("/sys/block/{name}");
        if !machine.exists(&format!("{dir}/device")) {
            continue;
        }
        let text = |file: &str| machine.line(&format!("{dir}/{file}")).map(Value::from);
        let kind = machine.line(&format!("{dir}/queue/rotational"));
        let udev = udev(machine, &dir);
        let property = |key: &str| udev_value(&udev, key).map(Value::from);
        let (size, size_bytes) = size(machine, &dir).unzip();
        let disk = some_map([
            ("model", text("device/model")),
            ("serial", property("ID_SERIAL_SHORT").or_else(|| text("serial"))),
            ("size", size),
            ("size_bytes", size_bytes),
            ("type", kind.map(|k| if k == "0" { "ssd" } else { "hdd" }.into())),
            ("vendor", text("device/vendor")),
            ("wwn", property("ID_WWN")),
        ]);
        disks.insert(name.into(), disk.unwrap_or_else(|| Value::Map(Map::default().into())));
    }
    (!disks.is_empty()).then(|| Value::Map(disks.into()))
}

pub(crate) fn partitions(machine: &Machine) -> Option<Value> {
    let devices = machine.list("/sys/block");
    let mut found = Map::default();
    for device in &devices {
        let dir = format!("/sys/block/{device}");
        if machine.is_dir(&format!("{dir}/device")) {
            for part in machine.list(&dir) {
                let part_dir = format!("{dir}/{part}");
                if part.starts_with(device.as_str())
                    && machine.exists(&format!("{part_dir}/partition"))
                {
                    add(machine, &mut found, &format!("/dev/{part}"), &part_dir, None);
                }
            }
        } else if machine.is_dir(&format!("{dir}/dm")) {
            let name = match machine.line(&format!("{dir}/dm/name")) {
                Some(name) => format!("/dev/mapper/{name}"),
                None => format!("/dev/{device}"),
            };
            add(machine, &mut found, &name, &dir, None);
        } else if machine.is_dir(&format!("{dir}/loop")) {
            let file = machine.line(&format!("{dir}/loop/backing_file"));
            add(machine, &mut found, &format!("/dev/{device}"), &dir, file);
        }
    }
    (!devices.is_empty()).then(|| Value::Map(found.into()))
}

fn add(machine: &Machine, found: &mut Map, name: &str, dir: &str, backing: Option<String>) {
    let udev = udev(machine, dir);
    let property = |key: &str| udev_value(&udev, key).map(Value::from);
    let (size, size_bytes) = size(machine, dir).unzip();
    let value = some_map([
        ("backing_file", backing.map(Value::from)),
        ("filesystem", property("ID_FS_TYPE")),
        ("label", property("ID_FS_LABEL")),
        ("mount", mount_of(machine, name).map(Value::from)),
        ("partlabel", property("ID_PART_ENTRY_NAME")),
        ("partuuid", property("ID_PART_ENTRY_UUID")),
        ("size", size),
        ("size_bytes", size_bytes),
        ("uuid", property("ID_FS_UUID")),
    ]);
    found.insert(name.into(), value.unwrap_or_else(|| Value::Map(Map::default().into())));
}

fn size(machine: &Machine, dir: &str) -> Option<(Value, Value)> {
    let sectors = u64::try_from(machine.number(&format!("{dir}/size"))?).ok()?;
    let bytes = sectors.checked_mul(SECTOR)?;
    Some((units::bytes(bytes).into(), Value::Int(i64::try_from(bytes).ok()?)))
}

/// The database entry of udev for a block device.
fn udev(machine: &Machine, dir: &str) -> String {
    let number = machine.line(&format!("{dir}/dev"));
    number.and_then(|n| machine.read(&format!("/run/udev/data/b{n}"))).unwrap_or_default()
}

fn udev_value<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    text.lines().find_map(|l| l.strip_prefix("E:")?.strip_prefix(key)?.strip_prefix('='))
}

fn mount_of(machine: &Machine, device: &str) -> Option<String> {
    let mounts = machine.read("/proc/mounts")?;
    let mut fields = mounts.lines().map(|l| l.split(' '));
    fields.find_map(|mut f| if f.next()? == device { f.next().map(str::to_owned) } else { None })
}
