//! `zpool`: pools of disks.

use std::collections::BTreeMap;
use std::time::Duration;

use ordain_data::Value;
use ordain_graph::Resource;
use ordain_kinds::{KindSchema, machine};

use super::{POLL_INTERVAL, knows, name, tool};
use crate::kind::differences::{Differences, texts};
use crate::kind::params::Params;
use crate::kind::tools::{ask, run};
use crate::kind::{Change, Instance, Kind, KindError, ParseContext, ParseResult};
use crate::system::host::Host;

/// The kind `zpool`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Zpool;

/// The parts of a pool, in the order of the tool.
const PARTS: [&str; 6] = ["disk", "mirror", "raidz", "spare", "log", "cache"];

/// Its properties.
const PROPERTIES: [&str; 3] = ["ashift", "autoexpand", "failmode"];

impl Kind for Zpool {
    fn schema(&self) -> &KindSchema {
        &machine::ZPOOL
    }

    fn parse(&self, resource: &Resource, _: &ParseContext<'_>) -> ParseResult {
        let mut p = Params::new(resource);
        p.provider(&["zpool"], &[]);
        let own = name(&mut p);
        let name = p.text("pool").unwrap_or(own);
        let present = p.choice("ensure") != Some("absent");
        let mut parts = BTreeMap::new();
        for part in PARTS {
            let Some(groups) = p.list(part) else { continue };
            if groups.iter().any(|group| group.contains(',')) {
                p.error(part, format!("{part}: disks are separated by blanks, not by commas"));
            }
            let split = |group: &String| group.split_whitespace().map(str::to_string).collect();
            parts.insert(part, groups.iter().map(split).collect::<Vec<Vec<String>>>());
        }
        let kinds = ["disk", "mirror", "raidz"].into_iter().filter(|kind| parts.contains_key(kind));
        let kinds: Vec<&str> = kinds.collect();
        if kinds.len() > 1 {
            let all = kinds.join(" and ");
            p.error_of_all(format!("You cannot specify {all} on this type (only one)"));
        }
        let properties =
            PROPERTIES.into_iter().filter_map(|name| Some((name, p.text(name)?))).collect();
        let parity = p.text("raid_parity").unwrap_or_else(|| "raidz1".to_string());
        let pool = Pool { name, present, parts, properties, parity };
        p.finish(Box::new(pool) as Box<dyn Instance>)
    }
}

/// Groups of disks by purpose.
type Parts = BTreeMap<&'static str, Vec<Vec<String>>>;

struct Pool {
    name: String,
    present: bool,
    parts: Parts,
    properties: Vec<(&'static str, String)>,
    parity: String,
}

/// Parses the parts of a pool from the tool's status output.
fn parts_of(status: &str) -> Option<Parts> {
    let names = status.lines().filter(|line| line.starts_with('\t'));
    let names = names.filter_map(|line| line.split_whitespace().next());
    // The first is the heading, the second the pool.
    let mut names = names.skip(1);
    names.next()?;
    let mut parts = Parts::new();
    let mut part = "disk";
    // Whether the next disk begins a group.
    for name in names {
        let group = match name {
            "spares" => "spare",
            "logs" => "log",
            "cache" => "cache",
            name if name.starts_with("mirror-") => "mirror",
            name if name.starts_with("raidz") => "raidz",
            disk => {
                let groups = parts.entry(part).or_default();
                match groups.last_mut() {
                    Some(group) => group.push(disk.to_string()),
                    None => groups.push(vec![disk.to_string()]),
                }
                continue;
            }
        };
        part = group;
        parts.entry(part).or_default().push(Vec::new());
    }
    Some(parts)
}

/// Whether both lists name the same disks; groups are compared in order.
fn is_same(part: &str, now: &[Vec<String>], wanted: &[Vec<String>]) -> bool {
    let sorted = |disks: &mut dyn Iterator<Item = &String>| {
        let mut disks: Vec<String> = disks.cloned().collect();
        disks.sort();
        disks
    };
    if matches!(part, "mirror" | "raidz") {
        let groups = |all: &[Vec<String>]| -> Vec<_> {
            all.iter().map(|group| sorted(&mut group.iter())).collect()
        };
        return groups(now) == groups(wanted);
    }
    sorted(&mut now.iter().flatten()) == sorted(&mut wanted.iter().flatten())
}

impl Pool {
    fn compare_with(&self, now: &Parts, to: &mut Differences<'_>) {
        let text = |groups: &[Vec<String>]| texts(groups.iter().map(|group| group.join(" ")));
        for (part, wanted) in &self.parts {
            let now = now.get(part).map(Vec::as_slice).unwrap_or_default();
            if !is_same(part, now, wanted) {
                to.property(part, text(now), text(wanted));
            }
        }
    }

    fn create(&self, host: &Host) -> Result<(), KindError> {
        let mut argv = vec!["zpool".to_string(), "create".to_string()];
        for (property, value) in &self.properties {
            argv.extend(["-o".to_string(), format!("{property}={value}")]);
        }
        argv.push(self.name.clone());
        for part in PARTS {
            let Some(groups) = self.parts.get(part) else { continue };
            let word = if part == "raidz" { self.parity.as_str() } else { part };
            match part {
                "disk" => argv.extend(groups.iter().flatten().cloned()),
                "mirror" | "raidz" => {
                    for group in groups {
                        argv.push(word.to_string());
                        argv.extend(group.iter().cloned());
                    }
                }
                _ => {
                    argv.push(word.to_string());
                    argv.extend(groups.iter().flatten().cloned());
                }
            }
        }
        let argv: Vec<&str> = argv.iter().map(String::as_str).collect();
        run(host, &tool(host, &argv)).map(drop)
    }
}

impl Instance for Pool {
    fn poll_interval(&self, _: &Host) -> Option<Duration> {
        Some(POLL_INTERVAL)
    }

    fn compare(&self, host: &Host) -> Result<Vec<Change>, KindError> {
        // The exit code says whether the pool exists.
        let status = ask(host, &tool(host, &["zpool", "status", "-P", &self.name]))?;
        let now = parts_of(&status.stdout_text());
        let mut differences = Differences::new(&[]);
        match (now, self.present) {
            (None, true) => differences.create("absent", Value::str("present")),
            (Some(_), false) => {
                host.may_destroy(&self.name).map_err(|e| KindError::new(e.to_string()))?;
                differences.remove(Value::str("present"), "absent", "removed");
            }
            (None, false) => {}
            (Some(now), true) => {
                self.compare_with(&now, &mut differences);
                for (property, wanted) in &self.properties {
                    let argv = ["zpool", "get", "-H", "-o", "value", property, &self.name];
                    let Some(now) = knows(host, &argv)?.filter(|now| now != "-") else { continue };
                    if now != *wanted {
                        let wanted = Value::str(wanted.as_str());
                        differences.property(property, Value::str(now), wanted);
                    }
                }
            }
        }
        Ok(differences.finish())
    }

    fn apply(&self, host: &Host, todo: &[Change]) -> Result<(), KindError> {
        if !self.present {
            return run(host, &tool(host, &["zpool", "destroy", &self.name])).map(drop);
        }
        if todo.iter().any(|change| change.property == "ensure") {
            return self.create(host);
        }
        // Disks hold data: only the user may move it.
        if let Some(part) = todo.iter().find(|change| PARTS.contains(&change.property.as_str())) {
            let text = format!("zpool {} can't be changed", part.property);
            return Err(KindError::new(text));
        }
        for (property, value) in &self.properties {
            if todo.iter().any(|change| change.property == *property) {
                let setting = format!("{property}={value}");
                run(host, &tool(host, &["zpool", "set", &setting, &self.name]))?;
            }
        }
        Ok(())
    }
}
