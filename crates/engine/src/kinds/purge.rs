//! `resources`: removes undeclared resources of a kind.

use std::collections::BTreeSet;
use std::hash::{Hash, Hasher};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use ordain_graph::Resource;
use ordain_kinds::{KindSchema, graph};
use rustc_hash::FxHasher;

use crate::kind::Registry;
use crate::kind::params::{Params, inspect, scalar};
use crate::kind::{Change, Instance, Kind, KindError, ParseContext, ParseResult};
use crate::kinds::shared::account_files::AccountFiles;
use crate::kinds::shared::instances::inherit;
use crate::system::file_cache::read_text;
use crate::system::host::Host;
use crate::system::watch::Watch;

/// Users that stay in any case.
const SYSTEM_USERS: [&str; 6] = ["root", "nobody", "bin", "noaccess", "daemon", "sys"];

/// The highest id of a system user, if the machine does not define one.
const SYSTEM_MAX: i64 = 499;

/// The kind.
#[derive(Clone, Copy, Debug, Default)]
pub struct Purge;

/// The users that stay.
enum SparedUsers {
    /// None by their numbers.
    None,
    /// Those up to the highest system id.
    System,
    /// Those up to this number.
    UpTo(i64),
}

struct PurgeInstance {
    kind: String,
    registry: Arc<Registry>,
    purge: bool,
    spare: SparedUsers,
    uids: Vec<i64>,
    /// The declared names.
    managed: BTreeSet<String>,
    declared: Resource,
    accounts: AccountFiles,
}

impl Kind for Purge {
    fn schema(&self) -> &KindSchema {
        &graph::RESOURCES
    }

    fn parse(&self, resource: &Resource, context: &ParseContext<'_>) -> ParseResult {
        let mut p = Params::new(resource);
        let name = p.name();
        let purge = p.boolean("purge");
        let kind = context.registry.get(&name);
        let mut managed = BTreeSet::new();
        match kind {
            None => p.error("name", format!("Could not find resource type '{name}'")),
            // They can be listed, but not removed.
            Some(_) if purge && name == "service" => {
                let message = format!(
                    "The 'ensure' attribute on {name} resources does not accept 'absent' as a value"
                );
                p.error("purge", message);
            }
            Some(kind) if purge && !kind.has_instances() => {
                let message = format!(
                    "Purging resources of type {name} is not supported, since they cannot be \
                     queried from the system"
                );
                p.error("purge", message);
            }
            Some(kind) => {
                let declared = (context.of_kind)(&name);
                managed.extend(declared.into_iter().map(|resource| kind.purged_as(resource)));
            }
        }
        let spare = spare(&mut p, &name);
        let uids = p.list("unless_uid").unwrap_or_default();
        let mut numbers = Vec::new();
        for uid in uids {
            match uid.parse() {
                Ok(number) => numbers.push(number),
                Err(_) => p.error("unless_uid", format!("Invalid value {uid:?}.")),
            }
        }
        let instance = PurgeInstance {
            kind: name,
            registry: context.registry.clone(),
            purge,
            spare,
            uids: numbers,
            managed,
            declared: resource.clone(),
            accounts: AccountFiles::default(),
        };
        p.finish(Box::new(instance) as Box<dyn Instance>)
    }
}

fn spare(p: &mut Params<'_>, kind: &str) -> SparedUsers {
    let Some(value) = p.raw("unless_system_user") else {
        return if kind == "user" { SparedUsers::System } else { SparedUsers::None };
    };
    match scalar(value).as_deref() {
        Some("true") => SparedUsers::System,
        Some("false") => SparedUsers::None,
        text => match text.and_then(|text| text.parse().ok()) {
            Some(number) => SparedUsers::UpTo(number),
            None => {
                p.error("unless_system_user", format!("Invalid value {}", inspect(value)));
                SparedUsers::None
            }
        },
    }
}

/// The highest id of a system user.
fn system_max(host: &Host) -> i64 {
    let text = read_text(&host.path(Path::new("/etc/login.defs"))).ok().flatten();
    let minimum = |line: &str| {
        let mut words = line.split_whitespace();
        words.next().filter(|word| *word == "UID_MIN")?;
        words.next()?.parse::<i64>().ok()
    };
    text.unwrap_or_default().lines().find_map(minimum).map_or(SYSTEM_MAX, |number| number - 1)
}

impl PurgeInstance {
    fn is_spared(&self, host: &Host, name: &str) -> Result<bool, KindError> {
        let limit = match self.spare {
            _ if self.kind != "user" => return Ok(false),
            SparedUsers::None => return Ok(false),
            SparedUsers::System => system_max(host),
            SparedUsers::UpTo(limit) => limit,
        };
        let accounts = self.accounts.read(host)?;
        let Some(user) = accounts.user(name) else { return Ok(true) };
        let uid = i64::from(user.uid);
        Ok(SYSTEM_USERS.contains(&name) || self.uids.contains(&uid) || uid <= limit)
    }
}

impl Instance for PurgeInstance {
    fn watches(&self, host: &Host) -> Vec<Watch> {
        let kind = self.registry.get(&self.kind).filter(|_| self.purge);
        kind.map(|kind| kind.instance_watches(host)).unwrap_or_default()
    }

    fn watches_move(&self) -> bool {
        true
    }

    fn poll_interval(&self, host: &Host) -> Option<Duration> {
        let kind = self.registry.get(&self.kind).filter(|_| self.purge);
        kind.and_then(|kind| kind.instance_poll_interval(host))
    }

    fn context_fingerprint(&self) -> Option<u64> {
        let mut hasher = FxHasher::default();
        self.managed.hash(&mut hasher);
        Some(hasher.finish())
    }

    fn compare(&self, _: &Host) -> Result<Vec<Change>, KindError> {
        Ok(Vec::new())
    }

    fn apply(&self, _: &Host, _: &[Change]) -> Result<(), KindError> {
        Ok(())
    }

    fn generate(&self, host: &Host) -> Result<Vec<Resource>, KindError> {
        let Some(kind) = self.registry.get(&self.kind).filter(|_| self.purge) else {
            return Ok(Vec::new());
        };
        let mut out = Vec::new();
        for mut found in kind.instances(host)? {
            let name = kind.identity(&found);
            let is_managed = self.managed.contains(&kind.purged_as(&found));
            if is_managed || self.is_spared(host, &name)? {
                continue;
            }
            inherit(&mut found, &self.declared);
            out.push(found);
        }
        Ok(out)
    }
}
