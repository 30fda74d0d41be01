//! The tables of the kernel: reading them, changing them, and keeping them over a restart.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use super::rule::Ruleset;
use crate::kind::tools::changes_made;
use crate::kind::{KindError, Level, LogLine, LogSource};
use crate::kinds::shared::command::{CommandContext, find_program};
use crate::system::host::Host;

/// A version of the internet protocol.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Protocol {
    /// IPv4, of iptables.
    Ipv4,
    /// IPv6, of ip6tables.
    Ipv6,
}

impl Protocol {
    /// Both.
    pub(super) const ALL: [Self; 2] = [Self::Ipv4, Self::Ipv6];

    /// The protocol of a name in a manifest.
    pub(super) fn of(name: &str) -> Option<Self> {
        match name {
            "IPv4" | "iptables" => Some(Self::Ipv4),
            "IPv6" | "ip6tables" => Some(Self::Ipv6),
            _ => None,
        }
    }

    /// The name in manifests.
    pub(super) fn name(self) -> &'static str {
        if self == Self::Ipv4 { "IPv4" } else { "IPv6" }
    }

    fn program(self) -> &'static str {
        if self == Self::Ipv4 { "iptables" } else { "ip6tables" }
    }

    fn lister(self) -> &'static str {
        if self == Self::Ipv4 { "iptables-save" } else { "ip6tables-save" }
    }
}

/// Whether the machine has the programs of a protocol.
pub(super) fn exists(host: &Host, protocol: Protocol) -> bool {
    find_program(host, protocol.lister()).is_ok()
}

/// The rules of the machine now.
///
/// # Errors
/// When they cannot be listed.
pub(super) fn read(host: &Host, protocol: Protocol) -> Result<Ruleset, KindError> {
    let output = CommandContext::default().run(host, &[protocol.lister()])?;
    Ok(Ruleset::parse(&output.stdout_text()))
}

/// The rules as they were listed last, with the number of changes before.
type Listed = BTreeMap<Protocol, (u64, Arc<Ruleset>)>;

/// The rules of the machine, listed once as long as a run changes nothing.
#[derive(Clone, Default)]
pub(super) struct Rulesets(Arc<Mutex<Listed>>);

impl Rulesets {
    /// The rules of the machine; none if it has no program for the protocol yet.
    ///
    /// # Errors
    /// When they cannot be listed.
    pub(super) fn get(&self, host: &Host, protocol: Protocol) -> Result<Arc<Ruleset>, KindError> {
        if !exists(host, protocol) {
            return Ok(Arc::default());
        }
        let number = changes_made();
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // In a process that stays, others may have changed rules since.
        let last = known.get(&protocol).filter(|(at, _)| *at == number && !host.stays);
        if let Some((_, rules)) = last {
            return Ok(Arc::clone(rules));
        }
        let rules = Arc::new(read(host, protocol)?);
        known.insert(protocol, (number, Arc::clone(&rules)));
        Ok(rules)
    }
}

/// Runs iptables.
///
/// # Errors
/// When it fails.
pub(super) fn run(
    host: &Host,
    protocol: Protocol,
    table: &str,
    words: &[&str],
) -> Result<(), KindError> {
    // Another program may change the tables at the same time.
    let first = [protocol.program(), "-w", "-t", table];
    let all: Vec<&str> = first.into_iter().chain(words.iter().copied()).collect();
    CommandContext::default().run(host, &all).map(drop)
}

/// The family of the operating system, whose programs keep rules.
fn family(host: &Host) -> &'static str {
    let exists = |path: &str| host.stat(Path::new(path)).is_ok();
    let marks = [
        ("/etc/debian_version", "Debian"),
        ("/etc/redhat-release", "RedHat"),
        ("/etc/arch-release", "Archlinux"),
        ("/etc/SuSE-release", "Suse"),
        ("/etc/SUSE-brand", "Suse"),
    ];
    marks.into_iter().find(|(path, _)| exists(path)).map_or("", |(_, family)| family)
}

/// Keeps the rules over a restart, as the operating system does it; a warning if that fails.
pub(super) fn persist(host: &Host, protocol: Protocol) -> Option<LogLine> {
    let context = CommandContext::default();
    let saved = |file: &str| {
        let script = r#"exec "$0" > "$1""#;
        vec!["/bin/sh".into(), "-c".into(), script.into(), protocol.lister().into(), file.into()]
    };
    let service = |name: &str| vec!["/usr/sbin/service".into(), name.into(), "save".into()];
    let exists = |path: &str| host.stat(Path::new(path)).is_ok();
    let is_ipv4 = protocol == Protocol::Ipv4;
    let words: Vec<String> = match family(host) {
        "Debian" if exists("/usr/sbin/netfilter-persistent") => service("netfilter-persistent"),
        "Debian" => service("iptables-persistent"),
        "RedHat" => {
            let program = if is_ipv4 { "iptables.init" } else { "ip6tables.init" };
            vec![format!("/usr/libexec/iptables/{program}"), "save".to_string()]
        }
        "Archlinux" => saved(if is_ipv4 {
            "/etc/iptables/iptables.rules"
        } else {
            "/etc/iptables/ip6tables.rules"
        }),
        "Suse" => {
            saved(if is_ipv4 { "/etc/sysconfig/iptables" } else { "/etc/sysconfig/ip6tables" })
        }
        _ => return None,
    };
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let failed = context.run(host, &words).err()?;
    let message = format!("Unable to persist firewall rules: {failed}");
    Some(LogLine { level: Some(Level::Warning), source: LogSource::Resource, message })
}
