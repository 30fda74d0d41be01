//! Facts from the firmware of the machine.

use ordain_data::Value;

use crate::Machine;
use crate::machine::some_map;

/// The kinds of a chassis, from 1.
const CHASSIS: [&str; 32] = [
    "Other",
    "",
    "Desktop",
    "Low Profile Desktop",
    "Pizza Box",
    "Mini Tower",
    "Tower",
    "Portable",
    "Laptop",
    "Notebook",
    "Hand Held",
    "Docking Station",
    "All in One",
    "Sub Notebook",
    "Space-Saving",
    "Lunch Box",
    "Main System Chassis",
    "Expansion Chassis",
    "SubChassis",
    "Bus Expansion Chassis",
    "Peripheral Chassis",
    "Storage Chassis",
    "Rack Mount Chassis",
    "Sealed-Case PC",
    "Multi-system",
    "CompactPCI",
    "AdvancedTCA",
    "Blade",
    "Blade Enclosure",
    "Tablet",
    "Convertible",
    "Detachable",
];

/// A field of the firmware's tables.
pub(crate) fn field(machine: &Machine, name: &str) -> Option<String> {
    machine.line(&format!("/sys/class/dmi/id/{name}"))
}

pub(crate) fn dmi(machine: &Machine) -> Option<Value> {
    let text = |name: &str| field(machine, name).map(Value::from);
    let chassis = field(machine, "chassis_type").and_then(|n| {
        let kind = *CHASSIS.get(n.parse::<usize>().ok()?.checked_sub(1)?)?;
        (!kind.is_empty()).then(|| kind.into())
    });
    some_map([
        (
            "bios",
            some_map([
                ("release_date", text("bios_date")),
                ("vendor", text("bios_vendor")),
                ("version", text("bios_version")),
            ]),
        ),
        (
            "board",
            some_map([
                ("asset_tag", text("board_asset_tag")),
                ("manufacturer", text("board_vendor")),
                ("product", text("board_name")),
                ("serial_number", text("board_serial")),
            ]),
        ),
        ("chassis", some_map([("asset_tag", text("chassis_asset_tag")), ("type", chassis)])),
        ("manufacturer", text("sys_vendor")),
        (
            "product",
            some_map([
                ("name", text("product_name")),
                ("serial_number", text("product_serial")),
                ("uuid", text("product_uuid")),
            ]),
        ),
    ])
}
