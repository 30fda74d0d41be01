//! Processors.

use std::collections::BTreeSet;

use ordain_data::Value;

use crate::Machine;
use crate::kernel;
use crate::machine::some_map;
use crate::units;

pub(crate) fn processors(machine: &Machine) -> Option<Value> {
    let info = machine.read("/proc/cpuinfo")?;
    let fields =
        || info.lines().filter_map(|l| l.split_once(':')).map(|(k, v)| (k.trim(), v.trim()));
    let values = |key: &'static str| fields().filter(move |(k, _)| *k == key).map(|(_, v)| v);
    let count = int(values("processor").count());
    let models: Vec<Value> = fields()
        .filter(|(k, _)| matches!(*k, "model name" | "cpu"))
        .map(|(_, v)| v.into())
        .collect();
    let packages = match values("physical id").collect::<BTreeSet<_>>().len() {
        0 => packages(machine),
        n => n,
    };
    let speed = values("cpu MHz").chain(values("clock")).last().and_then(megahertz);
    let first = |key: &'static str| values(key).next().and_then(|v| v.parse::<i64>().ok());
    let cores = first("cpu cores").or_else(|| topology(machine).map(|(cores, _)| cores));
    let threads = match (first("siblings"), first("cpu cores")) {
        (Some(siblings), Some(cores)) if cores > 0 => Some((siblings / cores).max(1)),
        _ => topology(machine).map(|(_, threads)| threads),
    };
    some_map([
        ("cores", cores.map(Value::Int)),
        ("count", Some(count)),
        ("isa", Some(isa(machine).into())),
        ("models", (!models.is_empty()).then(|| Value::list(models))),
        ("physicalcount", Some(int(packages))),
        ("speed", speed.map(|s| units::hertz(s).into())),
        ("threads", threads.map(Value::Int)),
    ])
}

fn int(n: usize) -> Value {
    Value::Int(i64::try_from(n).unwrap_or(i64::MAX))
}

/// The frequency in a text such as `2499.998` or `3425.000000MHz`; the fraction is truncated.
fn megahertz(text: &str) -> Option<u64> {
    let digits: String = text.chars().take_while(char::is_ascii_digit).collect();
    digits.parse::<u64>().ok()?.checked_mul(1_000_000)
}

fn cpus(machine: &Machine) -> impl Iterator<Item = String> + '_ {
    let names = machine.list("/sys/devices/system/cpu").into_iter();
    let is_cpu = |name: &String| {
        name.strip_prefix("cpu")
            .is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()))
    };
    names.filter(is_cpu).map(|name| format!("/sys/devices/system/cpu/{name}/topology"))
}

fn packages(machine: &Machine) -> usize {
    let ids = cpus(machine).filter_map(|dir| machine.line(&format!("{dir}/physical_package_id")));
    ids.collect::<BTreeSet<_>>().len()
}

/// Cores of a package and threads of a core, if `/proc/cpuinfo` does not list them.
fn topology(machine: &Machine) -> Option<(i64, i64)> {
    let mut cores = BTreeSet::new();
    let mut threads = 0i64;
    for dir in cpus(machine) {
        let package = machine.line(&format!("{dir}/physical_package_id")).unwrap_or_default();
        cores.insert((package, machine.line(&format!("{dir}/core_id"))?));
        threads += 1;
    }
    let packages = i64::try_from(packages(machine).max(1)).unwrap_or(1);
    let cores = i64::try_from(cores.len()).ok().filter(|n| *n > 0)?;
    Some(((cores / packages).max(1), (threads / cores).max(1)))
}

/// The output of `uname -p`: `unknown` on Debian, the machine type on Red Hat.
fn isa(machine: &Machine) -> String {
    if machine.exists("/etc/debian_version") { "unknown".into() } else { kernel::hardware(machine) }
}
