//! Unknown facts and legacy facts.

use std::sync::OnceLock;

use ordain_source::{Diagnostic, TextRange};
use rustc_hash::FxHashMap;

use super::types::text;
use crate::check::repository::pass::Pass;
use ordain_puppet::legacy_facts::replacement;
use ordain_puppet::syntax::*;
use ordain_puppet::validation::names::{bare, is_slip, nearest, split_name};

const UNKNOWN_FACT: &str = "puppet::unknown-fact";
const UNKNOWN_VARIABLE: &str = "puppet::unknown-variable";
const LEGACY_FACT: &str = "puppet::legacy-fact";

/// The facts that Facter has on all systems, and those that the agent adds; `*` is any name. An
/// entry without entries below it may still be a map.
const CORE: &[&str] = &[
    "aio_agent_build",
    "aio_agent_version",
    "agent_specified_environment",
    "augeas.version",
    "az_metadata",
    "clientcert",
    "clientnoop",
    "clientversion",
    "cloud.provider",
    "current_user",
    "disks.*",
    "dmi.bios.release_date",
    "dmi.bios.vendor",
    "dmi.bios.version",
    "dmi.board.asset_tag",
    "dmi.board.manufacturer",
    "dmi.board.product",
    "dmi.board.serial_number",
    "dmi.chassis.asset_tag",
    "dmi.chassis.type",
    "dmi.manufacturer",
    "dmi.product.name",
    "dmi.product.serial_number",
    "dmi.product.uuid",
    "dmi.product.version",
    "dmi.product.family",
    "dmi.product.sku",
    "ec2_metadata",
    "ec2_userdata",
    "env_windows_installdir",
    "environment",
    "facterversion",
    "filesystems",
    "fips_enabled",
    "gce",
    "hypervisors",
    "identity.gid",
    "identity.group",
    "identity.privileged",
    "identity.uid",
    "identity.user",
    "implementation",
    "is_virtual",
    "kernel",
    "kernelmajversion",
    "kernelrelease",
    "kernelversion",
    "ldom",
    "load_averages.15m",
    "load_averages.1m",
    "load_averages.5m",
    "memory.swap.available",
    "memory.swap.available_bytes",
    "memory.swap.capacity",
    "memory.swap.encrypted",
    "memory.swap.total",
    "memory.swap.total_bytes",
    "memory.swap.used",
    "memory.swap.used_bytes",
    "memory.system.available",
    "memory.system.available_bytes",
    "memory.system.capacity",
    "memory.system.total",
    "memory.system.total_bytes",
    "memory.system.used",
    "memory.system.used_bytes",
    "mountpoints.*",
    "networking.dhcp",
    "networking.domain",
    "networking.fqdn",
    "networking.hostname",
    "networking.interfaces.*.bindings",
    "networking.interfaces.*.bindings6",
    "networking.interfaces.*.dhcp",
    "networking.interfaces.*.duplex",
    "networking.interfaces.*.ip",
    "networking.interfaces.*.ip6",
    "networking.interfaces.*.mac",
    "networking.interfaces.*.mtu",
    "networking.interfaces.*.netmask",
    "networking.interfaces.*.netmask6",
    "networking.interfaces.*.network",
    "networking.interfaces.*.network6",
    "networking.interfaces.*.operational_state",
    "networking.interfaces.*.physical",
    "networking.interfaces.*.linkinfo",
    "networking.interfaces.*.scope6",
    "networking.interfaces.*.speed",
    "networking.interfaces.*.flags",
    "networking.ip",
    "networking.ip6",
    "networking.mac",
    "networking.mtu",
    "networking.netmask",
    "networking.netmask6",
    "networking.network",
    "networking.network6",
    "networking.primary",
    "networking.scope6",
    "nim_type",
    "os.architecture",
    "os.distro.codename",
    "os.distro.description",
    "os.distro.id",
    "os.distro.release.full",
    "os.distro.release.major",
    "os.distro.release.minor",
    "os.distro.specification",
    "os.family",
    "os.hardware",
    "os.macosx.build",
    "os.macosx.product",
    "os.macosx.version.extra",
    "os.macosx.version.full",
    "os.macosx.version.major",
    "os.macosx.version.minor",
    "os.macosx.version.patch",
    "os.name",
    "os.release.branch",
    "os.release.full",
    "os.release.major",
    "os.release.minor",
    "os.release.patch",
    "os.release.patchlevel",
    "os.selinux.config_mode",
    "os.selinux.config_policy",
    "os.selinux.current_mode",
    "os.selinux.enabled",
    "os.selinux.enforced",
    "os.selinux.policy_version",
    "os.windows.display_version",
    "os.windows.edition_id",
    "os.windows.installation_type",
    "os.windows.product_id",
    "os.windows.product_name",
    "os.windows.release_id",
    "os.windows.system32",
    "package_provider",
    "partitions.*",
    "path",
    "pe_concat_basedir",
    "pe_server_version",
    "pe_build",
    "pe_version",
    "processors.cores",
    "processors.count",
    "processors.extensions",
    "processors.isa",
    "processors.models",
    "processors.physicalcount",
    "processors.speed",
    "processors.threads",
    "puppet_agent_pid",
    "puppetversion",
    "ruby.platform",
    "ruby.sitedir",
    "ruby.version",
    "scope6",
    "service_provider",
    "solaris_zones.current",
    "solaris_zones.zones",
    "ssh.*.fingerprints.sha1",
    "ssh.*.fingerprints.sha256",
    "ssh.*.key",
    "ssh.*.type",
    "system_profiler",
    "system_uptime.days",
    "system_uptime.hours",
    "system_uptime.seconds",
    "system_uptime.uptime",
    "timezone",
    "virtual",
    "xen.domains",
    "zfs_featurenumbers",
    "zfs_version",
    "zpool_featureflags",
    "zpool_featurenumbers",
    "zpool_version",
];

/// The paths of the facts that Facter has on all systems, such as `os.family`.
pub fn known_facts() -> impl Iterator<Item = &'static str> {
    CORE.iter().copied().filter(|path| !path.contains('*'))
}

/// The keys of `$trusted`.
const TRUSTED: [&str; 6] =
    ["authenticated", "certname", "domain", "extensions", "external", "hostname"];

/// The names below a path, which ends with a dot if it is not empty.
fn below(path: &str) -> Option<&'static [&'static str]> {
    static TREE: OnceLock<FxHashMap<String, Vec<&'static str>>> = OnceLock::new();
    let tree = TREE.get_or_init(|| {
        let mut tree: FxHashMap<String, Vec<&'static str>> = FxHashMap::default();
        for fact in CORE {
            let mut prefix = String::new();
            for name in fact.split('.') {
                let names = tree.entry(prefix.clone()).or_default();
                if !names.contains(&name) {
                    names.push(name);
                }
                prefix.push_str(name);
                prefix.push('.');
            }
        }
        tree
    });
    tree.get(path).map(Vec::as_slice)
}

/// The error in a path into the facts.
enum PathFault {
    /// The last name is unknown; these are known.
    Unknown(&'static [&'static str]),
    /// A legacy fact, with its replacement.
    Legacy(String),
}

/// Runs the rules over a text.
pub(super) fn check(pass: &mut Pass<'_>) {
    let program = pass.program;
    for (_, expr) in program.exprs.iter() {
        match expr {
            Expr::Access(parts) => {
                let [base, key] = program.list(*parts) else { continue };
                let Some(last) = text(program, *key) else { continue };
                let Some((root, mut path)) = path_of(program, *base) else { continue };
                let at = program.range(*key);
                if root == "trusted" && path.is_empty() {
                    trusted(pass, last, at);
                } else if root == "facts" {
                    path.push(last);
                    fact(pass, &path, at);
                }
            }
            Expr::Call(call) => called(pass, program.call(*call)),
            _ => {}
        }
    }
}

/// The variable and the keys of `$facts['a']['b']`.
fn path_of(program: &Program, id: ExprId) -> Option<(&str, Vec<&str>)> {
    let (mut at, mut path) = (id, Vec::new());
    loop {
        match &program[at] {
            Expr::Var(name) => {
                path.reverse();
                return Some((bare(name), path));
            }
            Expr::Access(parts) => {
                let [base, key] = program.list(*parts) else { return None };
                path.push(text(program, *key).map_or("*", |text| text.as_str()));
                at = *base;
            }
            _ => return None,
        }
    }
}

/// `fact('a.b')` and `$facts.get('a.b')`
fn called(pass: &mut Pass<'_>, call: &Call) {
    let program = pass.program;
    let Expr::Name(name) = &program[call.callee] else { return };
    let args = program.list(call.args);
    let key = match (name.as_str(), args) {
        ("fact", [key]) => *key,
        ("get", [base, key, ..]) => match &program[*base] {
            Expr::Var(name) if bare(name) == "facts" => *key,
            _ => return,
        },
        _ => return,
    };
    let Some(path) = text(program, key) else { return };
    let path: Vec<&str> = path.split('.').collect();
    for end in 1..=path.len() {
        fact(pass, &path[..end], program.range(key));
    }
}

fn trusted(pass: &mut Pass<'_>, key: &str, at: TextRange) {
    if TRUSTED.contains(&key) {
        return;
    }
    let message = format!("There is no `{key}` in `$trusted`");
    let mut found = Diagnostic::warning(UNKNOWN_FACT, message).at(at.in_file(pass.file));
    if let Some(near) = nearest(key, TRUSTED) {
        found = found.help(format!("did you mean `{near}`?"));
    }
    pass.found.push(found);
}

/// The error in a path. All names but the last are correct.
fn fault(pass: &Pass<'_>, path: &[&str]) -> Option<PathFault> {
    let (last, before) = path.split_last()?;
    if *last == "*" || pass.has_fact(&path.join(".")) {
        return None;
    }
    let first = before.first().unwrap_or(last);
    if pass.index.facts.has(first) {
        return None;
    }
    let mut prefix = String::new();
    for name in before {
        let names = below(&prefix)?;
        // Any name is allowed where the names are not known.
        let known = names.contains(name);
        if !known && !names.contains(&"*") {
            return None;
        }
        prefix.push_str(if known { name } else { "*" });
        prefix.push('.');
    }
    let names = below(&prefix)?;
    if names.contains(last) || names.contains(&"*") {
        return None;
    }
    match replacement(last).filter(|_| before.is_empty()) {
        Some(new) => Some(PathFault::Legacy(new)),
        None => Some(PathFault::Unknown(names)),
    }
}

pub(super) fn fact(pass: &mut Pass<'_>, path: &[&str], at: TextRange) {
    let Some(fault) = fault(pass, path) else { return };
    let Some(last) = path.last() else { return };
    let names = match fault {
        PathFault::Legacy(new) => return legacy(pass, &format!("facts['{last}']"), &new, at),
        PathFault::Unknown(names) => names,
    };
    let near = nearest(last, names.iter().copied());
    // A missing module may define the fact.
    let sure = path.len() > 1 || pass.facts_are_complete();
    if !sure && near.is_none_or(|near| !is_slip(last, near)) {
        pass.unchecked.insert((*last).into());
        return;
    }
    let message = match path.len() {
        1 => format!("There is no fact `{last}`"),
        n => format!("The fact `{}` has no `{last}`", path[..n - 1].join(".")),
    };
    let mut found = Diagnostic::warning(UNKNOWN_FACT, message).at(at.in_file(pass.file));
    if let Some(near) = near {
        found = found.help(format!("did you mean `{near}`?"));
    }
    pass.found.push(found);
}

/// Reports a legacy fact.
pub(super) fn legacy(pass: &mut Pass<'_>, name: &str, new: &str, at: TextRange) {
    let old = match pass.is_data {
        true => format!("%{{{}}}", interpolated(name)),
        false => format!("${name}"),
    };
    let message = format!("`{old}` is a fact of earlier times, which Puppet 8 does not give");
    let found = Diagnostic::warning(LEGACY_FACT, message).at(at.in_file(pass.file));
    let new = if pass.is_data { format!("%{{{}}}", interpolated(new)) } else { new.to_owned() };
    let last = name.trim_end_matches("']").rsplit(['\'', ':']).next().unwrap_or(name);
    pass.found.push(found.help(match last.ends_with("_mb") {
        true => format!("`{new}` is the value in bytes"),
        false => format!("write `{new}`"),
    }));
}

/// The path of a fact as interpolations of Hiera have it: `facts.os.family`.
fn interpolated(written: &str) -> String {
    let plain = written.trim_start_matches('$').replace("']['", ".").replace("['", ".");
    plain.trim_end_matches("']").to_owned()
}

/// Whether there is a fact of this name, legacy facts excluded.
pub(super) fn is_known(pass: &Pass<'_>, name: &str) -> bool {
    pass.has_fact(name)
        || pass.index.facts.has(name)
        || below("").is_some_and(|names| names.contains(&name))
}

/// `$::name`
pub(super) fn top_scope(pass: &mut Pass<'_>, name: &str, at: TextRange) {
    let built_in = matches!(
        name,
        "facts"
            | "trusted"
            | "server_facts"
            | "environment"
            | "module_name"
            | "settings"
            | "servername"
            | "serverip"
            | "serverip6"
            | "serverversion"
            | "title"
            | "name"
    );
    let known = pass.index.top_variables.contains(name) || pass.scopes.asked.contains(name);
    if built_in || known || is_known(pass, name) {
        return;
    }
    if let Some(new) = replacement(name) {
        return legacy(pass, &format!("::{name}"), &new, at);
    }
    let core = below("").unwrap_or_default().iter().copied();
    let own = pass.index.top_variables.iter().map(|v| v.as_str());
    let near = nearest(name, core.chain(own));
    if !pass.facts_are_complete() && near.is_none_or(|near| !is_slip(name, near)) {
        return;
    }
    let message = format!("Nothing sets `$::{name}`: it is no fact and no variable of the site");
    let span = at.in_file(pass.file);
    let mut found = Diagnostic::warning(UNKNOWN_VARIABLE, message).at(span);
    if let Some(near) = near {
        found = found.help(format!("did you mean `$::{near}`?"));
    }
    pass.found.push(found);
}

/// The error of `%{…}` in the data or configuration of Hiera, if it is a fact.
pub(super) fn in_data(pass: &mut Pass<'_>, variable: &str, at: TextRange) {
    let plain = bare(variable);
    if let Some(path) = plain.strip_prefix("facts.") {
        let path: Vec<&str> = path.split('.').collect();
        for end in 1..=path.len() {
            fact(pass, &path[..end], at);
        }
    } else if split_name(plain).is_none()
        && !plain.contains('.')
        && !is_known(pass, plain)
        && !pass.index.top_variables.contains(plain)
        && let Some(new) = replacement(plain)
    {
        legacy(pass, variable, &new, at);
    }
}
