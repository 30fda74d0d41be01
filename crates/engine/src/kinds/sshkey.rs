//! `sshkey`: a host key in a file of known hosts.

use std::path::Path;
use std::sync::Arc;

use ordain_data::Value;
use ordain_graph::Resource;
use ordain_kinds::{KindSchema, machine};

use crate::kind::differences::{Differences, texts};
use crate::kind::params::Params;
use crate::kind::{Change, Instance, Kind, KindError, ParseContext, ParseResult};
use crate::kinds::shared::instances::unwanted;
use crate::kinds::shared::records::{Record, RecordFiles, Table};
use crate::system::host::Host;
use crate::system::watch::Watch;

/// Types of keys that hosts have.
const TYPES: &[&str] = &[
    "ssh-dss",
    "ssh-ed25519",
    "ssh-rsa",
    "ecdsa-sha2-nistp256",
    "ecdsa-sha2-nistp384",
    "ecdsa-sha2-nistp521",
    "sk-ecdsa-sha2-nistp256@openssh.com",
    "sk-ssh-ed25519@openssh.com",
];

/// Short names of types of keys.
const SHORT: &[(&str, &str)] = &[
    ("dsa", "ssh-dss"),
    ("ed25519", "ssh-ed25519"),
    ("rsa", "ssh-rsa"),
    ("ecdsa-sk", "sk-ecdsa-sha2-nistp256@openssh.com"),
    ("ed25519-sk", "sk-ssh-ed25519@openssh.com"),
];

/// The type of a key by its name or short name, if it is allowed.
pub(super) fn key_type(name: &str, allowed: &[&'static str]) -> Option<&'static str> {
    let long = SHORT.iter().find(|(short, _)| *short == name).map_or(name, |(_, long)| long);
    allowed.iter().find(|known| **known == long).copied()
}

/// The file of all users.
const KNOWN_HOSTS: &str = "/etc/ssh/ssh_known_hosts";

/// The kind `sshkey`.
#[derive(Default)]
pub struct Sshkey {
    files: Arc<RecordFiles<HostKey>>,
}

/// A line of a file of known hosts.
#[derive(Clone, PartialEq, Eq, Default)]
struct HostKey {
    names: Vec<String>,
    kind: String,
    key: String,
}

impl Record for HostKey {
    fn parse(line: &str) -> Option<(String, Self)> {
        if line.starts_with('#') {
            return None;
        }
        let mut words = line.split_whitespace();
        let names: Vec<String> = words.next()?.split(',').map(str::to_string).collect();
        let kind = words.next()?.to_string();
        let key = words.collect::<Vec<_>>().join(" ");
        let name = format!("{}@{kind}", names.first()?);
        (!key.is_empty()).then_some((name, Self { names, kind, key }))
    }

    fn print(&self) -> String {
        format!("{} {} {}", self.names.join(","), self.kind, self.key)
    }
}

/// The desired state.
struct SshkeyInstance {
    table: Table<HostKey>,
    name: String,
    kind: String,
    present: bool,
    key: Option<String>,
    aliases: Option<Vec<String>>,
    secrets: Vec<String>,
}

impl Kind for Sshkey {
    fn schema(&self) -> &KindSchema {
        &machine::SSHKEY
    }

    fn parse(&self, resource: &Resource, _: &ParseContext<'_>) -> ParseResult {
        let mut p = Params::new(resource);
        p.provider(&["parsed"], &[]);
        let (name, kind) = name_and_type(&mut p, resource);
        let present = p.choice("ensure") != Some("absent");
        let key = p.text("key");
        if key.as_ref().is_some_and(|key| key.trim() != key || key.contains(['\n', '\r'])) {
            p.error("key", "Key must contain neither leading nor trailing whitespace");
        }
        let aliases = p.list("host_aliases");
        for alias in aliases.iter().flatten() {
            if alias.contains(char::is_whitespace) {
                p.error("host_aliases", "Aliases cannot include whitespace");
            } else if alias.contains(',') {
                let message = "Aliases must be provided as an array, not a comma-separated list";
                p.error("host_aliases", message);
            }
        }
        let table = Table::of(&mut p, &self.files, KNOWN_HOSTS);
        let secrets = p.secrets();
        let key = SshkeyInstance { table, name, kind, present, key, aliases, secrets };
        p.finish(Box::new(key) as Box<dyn Instance>)
    }

    fn identity(&self, resource: &Resource) -> String {
        let (name, kind) = name_and_type(&mut Params::new(resource), resource);
        format!("{name}@{kind}")
    }

    fn has_instances(&self) -> bool {
        true
    }

    fn instances(&self, host: &Host) -> Result<Vec<Resource>, KindError> {
        let file = self.files.read(host, Path::new(KNOWN_HOSTS))?;
        // A key of an unsupported type cannot be declared.
        let keys = file.names().filter(|name| {
            name.split_once('@').is_some_and(|(_, kind)| key_type(kind, TYPES).is_some())
        });
        Ok(keys.map(|name| unwanted("Sshkey", name, &[])).collect())
    }

    fn instance_watches(&self, _: &Host) -> Vec<Watch> {
        vec![Watch::Path(KNOWN_HOSTS.into())]
    }
}

/// The name and the type, which the title may both contain.
fn name_and_type(p: &mut Params<'_>, resource: &Resource) -> (String, String) {
    let title = resource.id.title.as_str();
    let split = title.split_once('@').filter(|_| !p.has("name") || !p.has("type"));
    let name = match split {
        Some((name, _)) if !p.has("name") => name.to_string(),
        _ => p.name(),
    };
    if name.contains(char::is_whitespace) {
        p.error("name", "Resourcename cannot include whitespaces");
    } else if name.contains(',') {
        let message = "No comma in resourcename allowed. If you want to specify aliases use the \
                       host_aliases property";
        p.error("name", message);
    }
    let given = p.text("type").or_else(|| split.map(|(_, kind)| kind.to_string()));
    let Some(given) = given else {
        p.error("type", "type is a required attribute for sshkeys");
        return (name, String::new());
    };
    let kind = key_type(&given, TYPES);
    if kind.is_none() {
        p.invalid("type", &Value::str(given), TYPES);
    }
    (name, kind.unwrap_or_default().to_string())
}

impl SshkeyInstance {
    fn title(&self) -> String {
        format!("{}@{}", self.name, self.kind)
    }

    fn desired(&self, now: &HostKey) -> HostKey {
        let aliases = match &self.aliases {
            Some(aliases) => aliases.as_slice(),
            None => now.names.get(1..).unwrap_or_default(),
        };
        HostKey {
            names: std::iter::once(&self.name).chain(aliases).cloned().collect(),
            kind: self.kind.clone(),
            key: self.key.clone().unwrap_or_else(|| now.key.clone()),
        }
    }
}

impl Instance for SshkeyInstance {
    fn watches(&self, _: &Host) -> Vec<Watch> {
        self.table.watches()
    }

    fn compare(&self, host: &Host) -> Result<Vec<Change>, KindError> {
        let file = self.table.read(host)?;
        let mut to = Differences::new(&self.secrets);
        let title = self.title();
        let now = file.get(&title);
        if now.is_none() && self.present && self.key.is_none() {
            return Err(KindError::new("key is a required attribute for sshkeys"));
        }
        if let Some(now) = to.ensure(now, self.present) {
            if let Some(key) = self.key.as_ref().filter(|key| **key != now.key) {
                to.property("key", Value::str(now.key.as_str()), Value::str(key.as_str()));
            }
            let aliases = now.names.get(1..).unwrap_or_default();
            if let Some(wanted) = self.aliases.as_ref().filter(|w| w.as_slice() != aliases) {
                to.property("host_aliases", texts(aliases), texts(wanted));
            }
        }
        Ok(to.finish())
    }

    fn apply(&self, host: &Host, _: &[Change]) -> Result<(), KindError> {
        self.table.change(host, &self.title(), |now| {
            self.present.then(|| self.desired(now.unwrap_or(&HostKey::default())))
        })
    }
}
