//! `zfs` and `zpool`: ZFS file systems and their pools.

mod pool;

use std::time::Duration;

use ordain_data::Value;
use ordain_graph::{Resource, ResourceRef};
use ordain_kinds::{AttributeSchema, KindSchema, machine};

use crate::kind::differences::Differences;
use crate::kind::params::Params;
use crate::kind::tools::{ask, inside, path_of, run};
use crate::kind::{Change, Instance, Kind, KindError, ParseContext, ParseResult};
use crate::system::host::Host;
use crate::system::runner::Outcome;
pub use pool::Zpool;

/// The interval of checks of pools, which have no change events.
const POLL_INTERVAL: Duration = Duration::from_secs(30);

/// The kind `zfs`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Zfs;

/// Properties that not every system has; there they stay unchanged.
const OPTIONAL_PROPERTIES: &[&str] =
    &["aclmode", "acltype", "shareiscsi", "overlay", "defaultuserquota", "relatime"];

impl Kind for Zfs {
    fn schema(&self) -> &KindSchema {
        &machine::ZFS
    }

    fn parse(&self, resource: &Resource, _: &ParseContext<'_>) -> ParseResult {
        let mut p = Params::new(resource);
        p.provider(&["zfs"], &[]);
        let name = name(&mut p);
        let present = p.choice("ensure") != Some("absent");
        let mut properties = Vec::new();
        for AttributeSchema { name, .. } in &machine::ZFS.attributes[2..] {
            properties.extend(p.text(name).filter(|v| !v.is_empty()).map(|value| (*name, value)));
        }
        let system = System { name, present, properties };
        p.finish(Box::new(system) as Box<dyn Instance>)
    }
}

/// A name that tools cannot mistake for an option.
fn name(p: &mut Params<'_>) -> String {
    let name = p.name();
    if name.is_empty() || name.starts_with(['-', '/']) || name.contains(char::is_whitespace) {
        p.error("name", format!("'{name}' is not a valid ZFS name"));
    }
    name
}

/// Whether a tool reports that an object exists.
fn knows(host: &Host, argv: &[&str]) -> Result<Option<String>, KindError> {
    let outcome: Outcome = ask(host, &tool(host, argv))?;
    Ok(outcome.success().then(|| outcome.stdout_text().trim().to_string()))
}

fn tool(host: &Host, argv: &[&str]) -> crate::system::runner::Invocation {
    let tool = path_of(argv[0]);
    inside(host, std::iter::once(tool.as_str()).chain(argv[1..].iter().copied()))
}

struct System {
    name: String,
    present: bool,
    properties: Vec<(&'static str, String)>,
}

impl Instance for System {
    fn autorequires(&self) -> Vec<ResourceRef> {
        let above =
            |kind: &str, title: &str| ResourceRef { kind: kind.into(), title: title.into() };
        let parts: Vec<&str> = self.name.split('/').collect();
        let pool = above("Zpool", parts[0]);
        let systems = (1..parts.len()).rev().map(|count| above("Zfs", &parts[..count].join("/")));
        std::iter::once(pool).chain(systems).collect()
    }

    fn poll_interval(&self, _: &Host) -> Option<Duration> {
        Some(POLL_INTERVAL)
    }

    fn compare(&self, host: &Host) -> Result<Vec<Change>, KindError> {
        let mut differences = Differences::new(&[]);
        let exists = knows(host, &["zfs", "list", &self.name])?.is_some();
        match (exists, self.present) {
            (false, true) => differences.create("absent", Value::str("present")),
            (true, false) => {
                host.may_destroy(&self.name).map_err(|e| KindError::new(e.to_string()))?;
                differences.remove(Value::str("present"), "absent", "removed");
            }
            (false, false) => {}
            (true, true) => {
                for (property, wanted) in &self.properties {
                    let argv = ["zfs", "get", "-H", "-o", "value", property, &self.name];
                    let now = match knows(host, &argv)? {
                        Some(now) => now,
                        None if OPTIONAL_PROPERTIES.contains(property) => continue,
                        None => {
                            let text = format!("zfs does not know {property} of {}", self.name);
                            return Err(KindError::new(text));
                        }
                    };
                    let is_rare = now == "-" && OPTIONAL_PROPERTIES.contains(property);
                    if now != *wanted && !is_rare {
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
            return run(host, &tool(host, &["zfs", "destroy", &self.name])).map(drop);
        }
        let ensure = todo.iter().any(|change| change.property == "ensure");
        if ensure {
            let mut argv = vec!["zfs".to_string(), "create".to_string()];
            for (property, value) in &self.properties {
                argv.extend(match *property {
                    "volsize" => ["-V".to_string(), value.clone()],
                    _ => ["-o".to_string(), format!("{property}={value}")],
                });
            }
            argv.push(self.name.clone());
            let argv: Vec<&str> = argv.iter().map(String::as_str).collect();
            return run(host, &tool(host, &argv)).map(drop);
        }
        for (property, value) in &self.properties {
            if todo.iter().any(|change| change.property == *property) {
                let setting = format!("{property}={value}");
                run(host, &tool(host, &["zfs", "set", &setting, &self.name]))?;
            }
        }
        Ok(())
    }
}
