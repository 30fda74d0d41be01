//! Detects containers and virtual machines, and their types.

use ordain_data::{Map, Value};

use crate::Machine;
use crate::dmi::field;

/// Product or vendor names in the firmware, each with its hypervisor.
const PRODUCTS: [(&str, &str); 14] = [
    ("VMware", "vmware"),
    ("VirtualBox", "virtualbox"),
    ("Parallels", "parallels"),
    ("KVM", "kvm"),
    ("Virtual Machine", "hyperv"),
    ("RHEV Hypervisor", "rhev"),
    ("oVirt Node", "ovirt"),
    ("HVM domU", "xenhvm"),
    ("Bochs", "bochs"),
    ("OpenBSD", "vmm"),
    ("BHYVE", "bhyve"),
    ("OpenStack", "kvm"),
    ("Standard PC", "kvm"),
    ("Amazon EC2", "kvm"),
];

/// Clocks that only guests of this hypervisor have.
const CLOCKS: [(&str, &str); 3] =
    [("kvm-clock", "kvm"), ("hyperv_clocksource", "hyperv"), ("xen", "xenu")];

/// The kind of a container, and its identifier.
type Container = (String, Option<(&'static str, String)>);

/// The kind of a machine, detected once for all facts about it.
pub(crate) struct Virtualization<'m> {
    machine: &'m Machine,
    container: Option<Container>,
    name: String,
}

impl<'m> Virtualization<'m> {
    pub(crate) fn detect(machine: &'m Machine) -> Self {
        let container = container(machine);
        let name = match &container {
            Some((name, _)) => name.clone(),
            None => guest(machine).unwrap_or("physical").to_owned(),
        };
        Self { machine, container, name }
    }

    pub(crate) fn name(&self) -> Option<Value> {
        Some(self.name.as_str().into())
    }

    pub(crate) fn is_virtual(&self) -> Option<Value> {
        let hosts = ["physical", "xen0", "openvzhn", "vserver_host"];
        Some(Value::Bool(!hosts.contains(&self.name.as_str())))
    }

    /// Facts about the container or hypervisor, by its name.
    pub(crate) fn hypervisors(&self) -> Option<Value> {
        let details = match &self.container {
            Some((_, Some((key, id)))) => Value::map([(*key, id.as_str().into())]),
            Some((_, None)) => Value::Map(Map::default().into()),
            None if self.name == "physical" => return None,
            None => {
                let maker = field(self.machine, "sys_vendor").unwrap_or_default();
                let cloud =
                    ["Google", "OpenStack", "Amazon"].into_iter().find(|c| maker.starts_with(c));
                Value::map(cloud.map(|c| (c.to_lowercase(), Value::Bool(true))))
            }
        };
        Some(Value::map([(self.name.as_str(), details)]))
    }
}

fn container(machine: &Machine) -> Option<Container> {
    let cgroup = machine.read("/proc/1/cgroup").unwrap_or_default();
    let environment = machine.read("/proc/1/environ").unwrap_or_default();
    let part = |after: &str| {
        let (_, rest) = cgroup.split_once(after)?;
        rest.split(['/', '\n']).next().filter(|p| !p.is_empty()).map(str::to_owned)
    };
    if let Some(id) = part("docker/").or_else(|| part("docker-")) {
        let id = id.trim_end_matches(".scope").to_owned();
        return Some(("docker".into(), Some(("id", id))));
    }
    if let Some(name) = part(":/lxc/").or_else(|| part("/lxc/")) {
        return Some(("lxc".into(), Some(("name", name))));
    }
    let told = environment.split('\0').find_map(|v| v.strip_prefix("container="));
    let told = told.map(str::to_owned).or_else(|| machine.line("/run/systemd/container"));
    match told.as_deref() {
        Some("lxc" | "lxc-libvirt") => Some(("lxc".into(), None)),
        Some("docker") => Some(("docker".into(), None)),
        Some("podman") => Some(("podman".into(), None)),
        Some("crio") => Some(("crio".into(), None)),
        Some("systemd-nspawn") => {
            let id = machine.line("/etc/machine-id").map(|id| ("id", id));
            Some(("systemd_nspawn".into(), id))
        }
        Some(other) if !other.is_empty() => Some(("container_other".into(), None)),
        _ if machine.exists("/.dockerenv") && has_layered_root(machine) => {
            Some(("docker".into(), None))
        }
        _ if machine.exists("/run/.containerenv") => Some(("podman".into(), None)),
        _ => None,
    }
}

/// Whether the root file system is not a plain one on a disk. Container images that run on real
/// machines keep the marker files of containers.
fn has_layered_root(machine: &Machine) -> bool {
    let mounts = machine.read("/proc/mounts").unwrap_or_default();
    let root =
        mounts.lines().map(|l| l.split(' ').collect::<Vec<_>>()).find(|f| f.get(1) == Some(&"/"));
    let is_disk = |fields: &[&str]| match fields {
        [_, _, "btrfs", ..] => false,
        [device, ..] => device.starts_with("/dev/"),
        [] => false,
    };
    root.is_none_or(|fields| !is_disk(&fields))
}

fn guest(machine: &Machine) -> Option<&'static str> {
    if field(machine, "bios_vendor").is_some_and(|v| v.contains("Google")) {
        return Some("gce");
    }
    for name in ["product_name", "sys_vendor", "bios_vendor"] {
        let text = field(machine, name).unwrap_or_default();
        // Microsoft and Parallels also sell hardware; their guests are recognized by the product.
        if let Some((_, kind)) = PRODUCTS.iter().find(|(part, _)| text.contains(part)) {
            return Some(kind);
        }
        if name == "sys_vendor" && text == "QEMU" {
            return Some("kvm");
        }
    }
    if machine.line("/sys/hypervisor/type").as_deref() == Some("xen") {
        let privileged = machine.read("/proc/xen/capabilities").unwrap_or_default();
        return Some(if privileged.contains("control_d") { "xen0" } else { "xenu" });
    }
    if machine.is_dir("/proc/vz") && !machine.is_dir("/proc/bc") {
        return Some("openvzve");
    }
    let clocks = "/sys/devices/system/clocksource/clocksource0/available_clocksource";
    let clocks = machine.read(clocks).unwrap_or_default();
    let by_clock = CLOCKS.iter().find(|(clock, _)| clocks.split_whitespace().any(|c| c == *clock));
    if let Some((_, kind)) = by_clock {
        return Some(kind);
    }
    let cpu = machine.read("/proc/cpuinfo").unwrap_or_default();
    let flags = cpu.lines().find(|l| l.starts_with("flags")).unwrap_or_default();
    flags.split_whitespace().any(|f| f == "hypervisor").then_some("vm-other")
}
