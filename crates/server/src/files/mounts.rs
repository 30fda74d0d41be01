//! The mounts that files are served from.

use std::io;
use std::path::{Path, PathBuf};

use ordain_ca::Certname;

use super::root::Root;
use crate::compile::OpenedEnvironment;

/// A place on a mount: a directory, and a path that is looked up below it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Place {
    /// The directory as agents are told.
    pub(crate) shown: PathBuf,
    /// The directory on the disk.
    pub(crate) root: PathBuf,
    pub(crate) below: PathBuf,
}

impl Place {
    /// A path below a directory of an environment.
    pub(crate) fn of(env: &OpenedEnvironment, dir: PathBuf, below: PathBuf) -> Self {
        Self { root: env.place(&dir), shown: dir, below }
    }

    /// Opens the directory.
    ///
    /// # Errors
    /// When it is not a directory that can be read.
    pub(crate) fn open(&self) -> io::Result<Root> {
        Root::open_as(&self.root, &self.shown)
    }
}

/// A mount of `fileserver.conf`.
#[derive(Clone, PartialEq, Eq, Debug)]
struct OwnMount {
    name: String,
    /// The directory, with `%h`, `%H`, `%d` for the client's host, full name and domain.
    path: String,
}

/// The mounts of `fileserver.conf`.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(crate) struct OwnMounts(Vec<OwnMount>);

impl OwnMounts {
    /// Reads a `fileserver.conf`. `allow` and `deny` are ignored, as Puppet ignores them.
    ///
    /// # Errors
    /// The message about the first wrong line.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let mut mounts: Vec<OwnMount> = Vec::new();
        for (at, line) in text.lines().enumerate() {
            let line = line.trim();
            let wrong = |what: &str| Err(format!("line {}: {what}: {line}", at + 1));
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            if let Some(name) = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
                if mounts.iter().any(|mount| mount.name == name) {
                    return wrong("the mount is declared twice");
                }
                let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
                if name.is_empty() || !name.chars().all(is_word) {
                    return wrong("the name of a mount has letters, digits, `_` and `-`");
                }
                mounts.push(OwnMount { name: name.to_string(), path: String::new() });
                continue;
            }
            let Some((key, value)) = line.split_once(char::is_whitespace) else {
                return wrong("the line is not `key value`");
            };
            match (key, mounts.last_mut()) {
                ("allow" | "deny", _) => {}
                ("path", Some(mount)) => {
                    let value = value.split(" #").next().unwrap_or_default().trim();
                    if !value.starts_with('/') {
                        return wrong("the path is not absolute");
                    }
                    mount.path = value.to_string();
                }
                ("path", None) => return wrong("a path belongs to no mount"),
                _ => return wrong("only `path` has a meaning"),
            }
        }
        match mounts.iter().find(|m| m.path.is_empty() && !FIXED.contains(&m.name.as_str())) {
            Some(mount) => Err(format!("the mount {} has no path", mount.name)),
            None => Ok(Self(mounts)),
        }
    }

    /// The directory of a mount for a client.
    fn dir(&self, name: &str, client: &Certname) -> Option<PathBuf> {
        let mount = self.0.iter().find(|mount| mount.name == name && !mount.path.is_empty())?;
        let full = client.as_str();
        let (host, domain) = full.split_once('.').unwrap_or((full, full));
        // A client's name has neither slashes nor two dots in a row, so it is one name of a path.
        let path = mount.path.replace("%h", host).replace("%H", full).replace("%d", domain);
        Some(PathBuf::from(path.replace("%%", "%")))
    }
}

/// The mounts that every environment has.
const FIXED: [&str; 6] = ["modules", "plugins", "pluginfacts", "locales", "tasks", "scripts"];

/// The folder of each module that a mount joins over all modules.
fn joined_folder(mount: &str) -> Option<&'static str> {
    match mount {
        "plugins" => Some("lib"),
        "pluginfacts" => Some("facts.d"),
        "locales" => Some("locales"),
        _ => None,
    }
}

/// The folder of the module that is named in the path.
fn module_folder(mount: &str) -> Option<&'static str> {
    match mount {
        "modules" => Some("files"),
        "tasks" => Some("tasks"),
        "scripts" => Some("scripts"),
        _ => None,
    }
}

/// The places where a path on a mount may be. The first at which something exists is meant.
pub(crate) fn places(
    env: &OpenedEnvironment,
    own: &OwnMounts,
    client: &Certname,
    mount: &str,
    path: &[String],
) -> Vec<Place> {
    if let Some(folder) = joined_folder(mount) {
        let below = join(path);
        let place = |dir: &Path| Place::of(env, dir.join(folder), below.clone());
        return env.modules.iter().map(|(_, dir)| place(dir)).collect();
    }
    if let Some(folder) = module_folder(mount) {
        let Some((module, rest)) = path.split_first() else { return Vec::new() };
        let dir = env.modules.iter().find(|(name, _)| name == module).map(|(_, dir)| dir);
        let place = |dir: &PathBuf| Place::of(env, dir.join(folder), join(rest));
        return dir.map(place).into_iter().collect();
    }
    let dir = own.dir(mount, client);
    dir.map(|root| Place { shown: root.clone(), root, below: join(path) }).into_iter().collect()
}

/// The places of a listing, which a mount over all modules joins.
pub(crate) fn listed_places(
    env: &OpenedEnvironment,
    own: &OwnMounts,
    client: &Certname,
    mount: &str,
    path: &[String],
) -> Vec<Place> {
    // Upstream lists the whole mount, whatever the path.
    let path = if joined_folder(mount).is_some() { &[] } else { path };
    places(env, own, client, mount, path)
}

/// The first place at which a path on a mount exists, opened.
pub(crate) fn find(
    env: &OpenedEnvironment,
    own: &OwnMounts,
    client: &Certname,
    (mount, path): (&str, &[String]),
    follows: bool,
) -> Option<(Root, PathBuf)> {
    places(env, own, client, mount, path).into_iter().find_map(|place| {
        let root = place.open().ok()?;
        root.find(&place.below, follows).is_ok().then_some((root, place.below))
    })
}

/// Whether a listing of the mount joins all modules. Agents expect its root to exist always.
pub(crate) fn is_joined(mount: &str) -> bool {
    joined_folder(mount).is_some()
}

/// Whether the files of the mount are those of modules, whose changes are noticed.
pub(crate) fn is_of_modules(mount: &str) -> bool {
    joined_folder(mount).or_else(|| module_folder(mount)).is_some()
}

fn join(path: &[String]) -> PathBuf {
    path.iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn own_mounts_have_paths_per_client() {
        let text =
            "# comment\n[data]\n  path /srv/%h/%H/%d/%%\n  allow *\n\n[plain]\npath /srv/x # y\n";
        let mounts = OwnMounts::parse(text).unwrap();
        let client = Certname::new("web.example.org").unwrap();
        let dir = |name| mounts.dir(name, &client).map(|dir| dir.display().to_string());
        assert_eq!(dir("data").unwrap(), "/srv/web/web.example.org/example.org/%");
        assert_eq!(dir("plain").unwrap(), "/srv/x");
        assert_eq!(dir("other"), None);
    }

    #[test]
    fn wrong_files_name_their_line() {
        for (text, error) in [
            ("path /a", "line 1: a path belongs to no mount: path /a"),
            ("[a]\npath b", "line 2: the path is not absolute: path b"),
            ("[a]\npath /b\n[a]", "line 3: the mount is declared twice: [a]"),
            ("[a]\nother b", "line 2: only `path` has a meaning: other b"),
            ("[a]", "the mount a has no path"),
            ("[../a]", "line 1: the name of a mount has letters, digits, `_` and `-`: [../a]"),
        ] {
            assert_eq!(OwnMounts::parse(text).unwrap_err(), error, "{text}");
        }
    }
}
