//! The user that this process runs as.

use ordain_data::Value;

use crate::Machine;
use crate::machine::some_map;

pub(crate) fn identity(machine: &Machine) -> Option<Value> {
    let (uid, gid) = ids(machine)?;
    some_map([
        ("gid", Some(Value::Int(gid.into()))),
        ("group", name(machine, "/etc/group", gid).map(Value::from)),
        ("privileged", Some(Value::Bool(uid == 0))),
        ("uid", Some(Value::Int(uid.into()))),
        ("user", name(machine, "/etc/passwd", uid).map(Value::from)),
    ])
}

/// The effective user and group from `/proc/self/status`.
fn ids(machine: &Machine) -> Option<(u32, u32)> {
    if machine.is_host() {
        let (uid, gid) = (nix::unistd::geteuid(), nix::unistd::getegid());
        return Some((uid.as_raw(), gid.as_raw()));
    }
    let status = machine.read("/proc/self/status")?;
    let id = |name: &str| {
        let line = status.lines().find_map(|l| l.strip_prefix(name))?;
        line.split_whitespace().nth(1)?.parse().ok()
    };
    Some((id("Uid:")?, id("Gid:")?))
}

fn name(machine: &Machine, file: &str, id: u32) -> Option<String> {
    let text = machine.read(file).unwrap_or_default();
    let local = text.lines().find_map(|line| {
        let mut fields = line.split(':');
        let name = fields.next()?;
        (fields.nth(1)?.parse() == Ok(id)).then(|| name.to_owned())
    });
    // Users of a directory service are not in any file.
    local.or_else(|| match file {
        _ if !machine.is_host() => None,
        "/etc/passwd" => nix::unistd::User::from_uid(id.into()).ok()?.map(|u| u.name),
        _ => nix::unistd::Group::from_gid(id.into()).ok()?.map(|g| g.name),
    })
}
