//! Collects the native facts of a machine.

use ordain_data::{Map, Value};

use crate::machine::Machine;
use crate::virtualization::Virtualization;
use crate::{
    disks, dmi, identity, kernel, legacy, memory, mountpoints, networking, os, processors, ssh,
    system, uptime,
};

impl Machine {
    /// The native facts as a map by name.
    pub fn facts(&self, with_legacy: bool) -> Value {
        let virtualization = Virtualization::detect(self);
        let groups = [
            ("disks", disks::disks(self)),
            ("dmi", dmi::dmi(self)),
            ("filesystems", system::filesystems(self)),
            ("fips_enabled", system::fips_enabled(self)),
            ("hypervisors", virtualization.hypervisors()),
            ("identity", identity::identity(self)),
            ("is_virtual", virtualization.is_virtual()),
            ("kernel", kernel::name(self)),
            ("kernelmajversion", kernel::major(self)),
            ("kernelrelease", kernel::release(self)),
            ("kernelversion", kernel::version(self)),
            ("load_averages", uptime::load_averages(self)),
            ("memory", memory::memory(self)),
            ("mountpoints", mountpoints::mountpoints(self)),
            ("networking", networking::networking(self)),
            ("os", os::os(self)),
            ("partitions", disks::partitions(self)),
            ("path", system::path()),
            ("processors", processors::processors(self)),
            ("ssh", ssh::ssh(self)),
            ("system_uptime", uptime::system_uptime(self)),
            ("timezone", system::timezone(self)),
            ("virtual", virtualization.name()),
        ];
        let facts = groups.into_iter().filter_map(|(name, value)| Some((name.into(), value?)));
        let mut map: Map = facts.collect();
        if with_legacy {
            legacy::add(&mut map);
        }
        Value::Map(map.into())
    }
}
