//! Users and groups of the machine, by name or number.
//!
//! The files under the host's root come first and are cached until they change. On the live machine
//! other sources, such as LDAP, follow.

use std::collections::HashMap;
use std::ffi::CString;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use ordain_source::read_input;

use crate::system::host::Host;

/// A user.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct UserIds {
    /// Its number.
    pub uid: u32,
    /// The number of its first group.
    pub gid: u32,
}

/// Names and numbers of one file.
#[derive(Default, Debug)]
struct Table {
    /// By name: the number, and the group of a user.
    names: HashMap<String, (u32, u32)>,
    numbers: HashMap<u32, String>,
    /// Of groups: the numbers of those that name a user as member.
    memberships: HashMap<String, Vec<u32>>,
}

type Stamp = (u64, i64, i64, u64);
type Cache = Option<(PathBuf, Stamp, Arc<Table>)>;

static USERS: Mutex<Cache> = Mutex::new(None);
static GROUPS: Mutex<Cache> = Mutex::new(None);

fn table(cache: &Mutex<Cache>, path: &Path) -> Arc<Table> {
    let Ok(meta) = std::fs::metadata(path) else { return Arc::default() };
    let stamp = (meta.ino(), meta.mtime(), meta.mtime_nsec(), meta.len());
    let mut cache = cache.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((known, at, table)) = &*cache
        && known == path
        && *at == stamp
    {
        return Arc::clone(table);
    }
    let mut table = Table::default();
    let text = read_input(path).unwrap_or_default();
    for line in String::from_utf8_lossy(&text).lines() {
        let mut fields = line.split(':');
        let (Some(name), _) = (fields.next(), fields.next()) else { continue };
        let Some(number) = fields.next().and_then(|f| f.parse().ok()) else { continue };
        let last = fields.next().unwrap_or_default();
        let group = last.parse().unwrap_or(number);
        if fields.next().is_none() {
            for member in last.split(',').filter(|m| !m.is_empty()) {
                table.memberships.entry(member.to_string()).or_default().push(number);
            }
        }
        table.names.entry(name.to_string()).or_insert((number, group));
        table.numbers.entry(number).or_insert_with(|| name.to_string());
    }
    let table = Arc::new(table);
    *cache = Some((path.to_path_buf(), stamp, Arc::clone(&table)));
    table
}

fn users(host: &Host) -> Arc<Table> {
    table(&USERS, &host.path(Path::new("/etc/passwd")))
}

fn groups(host: &Host) -> Arc<Table> {
    table(&GROUPS, &host.path(Path::new("/etc/group")))
}

fn is_real(host: &Host) -> bool {
    host.root == Path::new("/")
}

/// The user of a name or number. A number need not have a name.
pub fn user(host: &Host, name: &str) -> Option<UserIds> {
    let users = users(host);
    if let Some(&(uid, gid)) = users.names.get(name) {
        return Some(UserIds { uid, gid });
    }
    if let Ok(uid) = name.parse() {
        let known = users.numbers.get(&uid).and_then(|n| users.names.get(n));
        return Some(UserIds { uid, gid: known.map_or(uid, |ids| ids.1) });
    }
    let found = is_real(host).then(|| nix::unistd::User::from_name(name).ok().flatten()).flatten();
    found.map(|u| UserIds { uid: u.uid.as_raw(), gid: u.gid.as_raw() })
}

/// The numbers of all groups of a user, the first one included.
pub fn groups_of(host: &Host, user: UserIds) -> Vec<u32> {
    let name = user_name(host, user.uid);
    let mut ids = vec![user.gid];
    ids.extend(groups(host).memberships.get(&name).into_iter().flatten());
    if is_real(host)
        && let Ok(name) = CString::new(name)
        && let Ok(more) = nix::unistd::getgrouplist(&name, user.gid.into())
    {
        ids.extend(more.iter().map(|gid| gid.as_raw()));
    }
    ids.sort_unstable();
    ids.dedup();
    ids
}

/// The number of a group by name or number.
pub fn group(host: &Host, name: &str) -> Option<u32> {
    if let Some(&(gid, _)) = groups(host).names.get(name) {
        return Some(gid);
    }
    if let Ok(gid) = name.parse() {
        return Some(gid);
    }
    let found = is_real(host).then(|| nix::unistd::Group::from_name(name).ok().flatten()).flatten();
    found.map(|g| g.gid.as_raw())
}

/// Whether a group has members besides these users. A group that is not in the machine's files may
/// have any.
pub fn has_others(host: &Host, group: u32, users: &[u32]) -> bool {
    let (all, groups) = (self::users(host), groups(host));
    if !groups.numbers.contains_key(&group) {
        return true;
    }
    let is_other = |uid: u32| !users.contains(&uid);
    let is_member = |of: &[u32]| of.contains(&group);
    all.names.values().any(|(uid, first)| *first == group && is_other(*uid))
        || groups.memberships.iter().any(|(name, of)| {
            is_member(of) && all.names.get(name).is_none_or(|(uid, _)| is_other(*uid))
        })
}

/// The home directory of a user.
pub(crate) fn home(host: &Host, uid: u32) -> Option<PathBuf> {
    let text = read_input(&host.path(Path::new("/etc/passwd"))).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    let mut lines = text.lines().map(|line| line.split(':').collect::<Vec<_>>());
    let number = uid.to_string();
    let line = lines.find(|fields| fields.get(2) == Some(&number.as_str()));
    if let Some(home) = line.and_then(|fields| fields.get(5).map(PathBuf::from)) {
        return Some(home);
    }
    let known = is_real(host).then(|| nix::unistd::User::from_uid(uid.into()).ok().flatten());
    known.flatten().map(|user| user.dir)
}

/// The name of a user, or its number as text.
pub fn user_name(host: &Host, uid: u32) -> String {
    users(host).numbers.get(&uid).cloned().unwrap_or_else(|| uid.to_string())
}

/// The name of a group, or its number as text.
pub fn group_name(host: &Host, gid: u32) -> String {
    groups(host).numbers.get(&gid).cloned().unwrap_or_else(|| gid.to_string())
}
