//! The local accounts: passwd, shadow and group, parsed once per state of these files.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use ordain_functions::time::{Civil, NANOS_PER_SECOND};
use rustc_hash::FxHashMap;
use rustix::fs::FileType;

use crate::kind::KindError;
use crate::kind::params::Params;
use crate::kind::tools;
use crate::system::file_cache::{Cached, read_text};
use crate::system::host::Host;
use crate::system::path::is;
use crate::system::runner::Invocation;
use crate::system::watch::Watch;

/// A line of `/etc/passwd`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Passwd {
    /// User id.
    pub(crate) uid: u32,
    /// Primary group.
    pub(crate) gid: u32,
    /// The GECOS field.
    pub(crate) comment: String,
    /// Home directory.
    pub(crate) home: String,
    /// Login shell.
    pub(crate) shell: String,
}

/// A line of `/etc/shadow`. Has no `Debug`, so that hashes appear nowhere.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Shadow {
    /// The password hash.
    pub(crate) password: String,
    /// Days before the password may be changed.
    pub(crate) min: Option<i64>,
    /// Days before the password must be changed.
    pub(crate) max: Option<i64>,
    /// Days of warning before that.
    pub(crate) warn: Option<i64>,
    /// Day since 1970 at which the account expires.
    pub(crate) expire: Option<i64>,
}

/// A line of `/etc/group`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct GroupLine {
    /// Group id.
    pub(crate) gid: u32,
    /// Members other than by their primary group.
    pub(crate) members: Vec<String>,
}

/// The account files.
#[derive(Default)]
pub(crate) struct Accounts {
    users: FxHashMap<String, Passwd>,
    shadow: FxHashMap<String, Shadow>,
    /// The reason why the shadow file could not be read.
    shadow_error: Option<KindError>,
    groups: FxHashMap<String, GroupLine>,
    /// Names of the groups of each member, in order of `/etc/group`.
    memberships: FxHashMap<String, Vec<String>>,
}

/// The files that accounts are in.
const FILES: [&str; 3] = ["/etc/passwd", "/etc/shadow", "/etc/group"];

/// The paths to watch for changes of accounts.
pub(crate) fn watches() -> Vec<Watch> {
    FILES.iter().map(|path| Watch::Path(path.into())).collect()
}

fn sorted<'a>(names: impl Iterator<Item = &'a String>) -> Vec<&'a str> {
    let mut names: Vec<&str> = names.map(String::as_str).collect();
    names.sort_unstable();
    names
}

/// [`Accounts`], read again only after a change.
#[derive(Default)]
pub(crate) struct AccountFiles {
    cached: Cached<Accounts>,
}

impl AccountFiles {
    /// The accounts as they are.
    pub(crate) fn read(&self, host: &Host) -> Result<Arc<Accounts>, KindError> {
        let paths: Vec<PathBuf> = FILES.iter().map(|n| host.path(Path::new(n))).collect();
        self.cached.get(&paths, || Accounts::load(&paths))
    }

    /// Reads the files again next time.
    pub(crate) fn forget(&self) {
        self.cached.clear();
    }
}

impl Accounts {
    fn load(paths: &[PathBuf]) -> Result<Self, KindError> {
        let mut accounts = Self::default();
        let text = |path: &PathBuf| {
            read_text(path)
                .map(Option::unwrap_or_default)
                .map_err(|e| KindError::new(format!("Could not read {}: {e}", path.display())))
        };
        for line in text(&paths[0])?.lines() {
            accounts.add_user(line);
        }
        // Only root may read it, and not every caller needs it.
        match text(&paths[1]) {
            Ok(shadow) => shadow.lines().for_each(|line| accounts.add_shadow(line)),
            Err(error) => accounts.shadow_error = Some(error),
        }
        for line in text(&paths[2])?.lines() {
            accounts.add_group(line);
        }
        Ok(accounts)
    }

    fn add_user(&mut self, line: &str) {
        let fields: Vec<&str> = line.split(':').collect();
        let [name, _, uid, gid, comment, home, shell] = fields[..] else { return };
        let (Ok(uid), Ok(gid)) = (uid.parse(), gid.parse()) else { return };
        let (comment, home) = (comment.to_string(), home.to_string());
        let user = Passwd { uid, gid, comment, home, shell: shell.to_string() };
        // The first line wins, as for the C library.
        self.users.entry(name.to_string()).or_insert(user);
    }

    fn add_shadow(&mut self, line: &str) {
        let fields: Vec<&str> = line.split(':').collect();
        let [name, password, _, min, max, warn, _, expire, ..] = fields[..] else { return };
        let shadow = Shadow {
            password: password.to_string(),
            min: min.parse().ok(),
            max: max.parse().ok(),
            warn: warn.parse().ok(),
            expire: expire.parse().ok(),
        };
        self.shadow.entry(name.to_string()).or_insert(shadow);
    }

    fn add_group(&mut self, line: &str) {
        let fields: Vec<&str> = line.split(':').collect();
        let [name, _, gid, members] = fields[..] else { return };
        let Ok(gid) = gid.parse() else { return };
        if self.groups.contains_key(name) {
            return;
        }
        let members: Vec<String> =
            members.split(',').filter(|m| !m.is_empty()).map(str::to_string).collect();
        for member in &members {
            let groups = self.memberships.entry(member.clone()).or_default();
            if groups.last().is_none_or(|last| last != name) {
                groups.push(name.to_string());
            }
        }
        self.groups.insert(name.to_string(), GroupLine { gid, members });
    }

    /// The names of all users, in order.
    pub(crate) fn user_names(&self) -> Vec<&str> {
        sorted(self.users.keys())
    }

    /// The names of all groups, in order.
    pub(crate) fn group_names(&self) -> Vec<&str> {
        sorted(self.groups.keys())
    }

    /// The user of this name.
    pub(crate) fn user(&self, name: &str) -> Option<&Passwd> {
        self.users.get(name)
    }

    /// Password and ages of a user.
    pub(crate) fn shadow(&self, name: &str) -> Result<Option<&Shadow>, KindError> {
        match &self.shadow_error {
            Some(error) => Err(error.clone()),
            None => Ok(self.shadow.get(name)),
        }
    }

    /// The group of this name.
    pub(crate) fn group(&self, name: &str) -> Option<&GroupLine> {
        self.groups.get(name)
    }

    /// The groups that list a user as member.
    pub(crate) fn groups_of(&self, user: &str) -> &[String] {
        self.memberships.get(user).map_or(&[], Vec::as_slice)
    }

    /// The id of a group given by name or number.
    pub(crate) fn gid_of(&self, group: &str) -> Option<u32> {
        group.parse().ok().or_else(|| self.group(group).map(|g| g.gid))
    }
}

/// The directory of the files of accounts.
pub(crate) const DIRECTORY: &str = "/etc";

/// The error if the machine has no directory for account files.
pub(crate) fn missing_directory(host: &Host) -> Option<KindError> {
    let stat = host.stat(Path::new(DIRECTORY));
    let is_there = stat.is_ok_and(|stat| is(&stat, FileType::Directory));
    let text = || format!("{} has no directory {DIRECTORY} for accounts", host.root.display());
    (!is_there).then(|| KindError::new(text()))
}

/// A command of the shadow suite that works on the machine's files. `option` is the tool's option
/// for another root directory, `-P` or `-R`.
///
/// # Errors
/// When the machine has no directory for these files: the tools would try to lock them for a
/// quarter of a minute.
pub(crate) fn shadow_tool(host: &Host, tool: &str, option: &str) -> Result<Invocation, KindError> {
    let mut invocation = tools::command([tools::path_of(tool)]);
    if !tools::is_live(host) {
        if let Some(missing) = missing_directory(host) {
            return Err(missing);
        }
        invocation.launch.argv.push(option.into());
        invocation.launch.argv.push(host.root.clone().into_os_string());
    }
    Ok(invocation)
}

/// Adds arguments to a command.
pub(crate) fn with<'a>(
    mut invocation: Invocation,
    arguments: impl IntoIterator<Item = &'a str>,
) -> Invocation {
    invocation.launch.argv.extend(arguments.into_iter().map(Into::into));
    invocation
}

/// A number of days since 1970 as `YYYY-MM-DD`.
pub(crate) fn date_of_day(day: i64) -> String {
    const SECONDS_PER_DAY: i128 = 86_400;
    let Civil { year, month, day, .. } =
        Civil::from_nanos(i128::from(day) * SECONDS_PER_DAY * NANOS_PER_SECOND);
    format!("{year:04}-{month:02}-{day:02}")
}

/// Names in order, each once.
pub(crate) fn sorted_names(names: &[String]) -> Vec<String> {
    let mut names = names.to_vec();
    names.sort();
    names.dedup();
    names
}

/// The desired names of groups or members, sorted: the declared ones, and the existing ones unless
/// the declaration is complete. `None` if nothing is declared.
pub(crate) fn desired_names(
    declared: Option<&[String]>,
    current: &[String],
    is_complete: bool,
) -> Option<Vec<String>> {
    let declared = declared?;
    let current = if is_complete { &[][..] } else { current };
    Some(sorted_names(&[declared, current].concat()))
}

/// Records an error unless the name is valid for a user or group.
pub(crate) fn check_account_name(p: &mut Params<'_>, name: &str) {
    let bad = |c: char| matches!(c, ':' | ',' | '/') || c.is_whitespace() || c.is_control();
    if name.is_empty() || name.starts_with('-') || name.contains(bad) {
        p.error("name", format!("Invalid name {name:?}"));
    }
}

/// Whether a user exists; on the live system also in sources other than the files.
pub(crate) fn exists(host: &Host, accounts: &Accounts, name: &str) -> bool {
    accounts.user(name).is_some() || (tools::is_live(host) && from_names_service(name).is_some())
}

/// The entry of a user in all name sources of the live system.
pub(crate) fn from_names_service(name: &str) -> Option<Passwd> {
    let user = nix::unistd::User::from_name(name).ok()??;
    Some(Passwd {
        uid: user.uid.as_raw(),
        gid: user.gid.as_raw(),
        comment: user.gecos.to_string_lossy().into_owned(),
        home: user.dir.to_string_lossy().into_owned(),
        shell: user.shell.to_string_lossy().into_owned(),
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn days_become_dates() {
        assert_eq!(date_of_day(0), "1970-01-01");
        assert_eq!(date_of_day(-1), "1969-12-31");
        assert_eq!(date_of_day(11016), "2000-02-29");
        assert_eq!(date_of_day(18263), "2020-01-02");
    }

    #[test]
    fn memberships_come_from_the_group_lines() {
        let mut accounts = Accounts::default();
        for line in ["a:x:1:u,v", "b:x:2:", "broken", "c:x:3:u", "c:x:9:v"] {
            accounts.add_group(line);
        }
        assert_eq!(accounts.groups_of("u"), ["a", "c"]);
        assert_eq!(accounts.groups_of("v"), ["a"]);
        assert_eq!(accounts.gid_of("c"), Some(3));
        assert_eq!(accounts.gid_of("77"), Some(77));
    }
}
