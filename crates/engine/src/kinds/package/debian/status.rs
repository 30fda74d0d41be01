//! The database of dpkg: packages and their states.
//!
//! It is read directly, once for all packages, and again only after a change. The manual page
//! dpkg(1) describes the format of `/var/lib/dpkg/status`: paragraphs of fields.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::kind::KindError;
use crate::system::file_cache::{Cached, read_text};
use crate::system::host::Host;

const DIRECTORY: &str = "/var/lib/dpkg";

/// The state of a package.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum State {
    /// Nothing of it is there.
    Purged,
    /// Only its configuration files exist, or an installation was incomplete.
    Absent,
    /// It is installed in this version.
    Installed(String),
}

impl State {
    /// As `ensure` calls it.
    pub(super) fn text(&self) -> &str {
        match self {
            Self::Purged => "purged",
            Self::Absent => "absent",
            Self::Installed(version) => version,
        }
    }

    /// Whether it is not installed.
    pub(super) fn is_gone(&self) -> bool {
        !matches!(self, Self::Installed(_))
    }
}

/// A package in the database.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Entry {
    /// Its name.
    pub(super) name: String,
    /// Whether it is on hold.
    pub(super) held: bool,
    /// Its state.
    pub(super) state: State,
    /// The message.
    pub(super) error: Option<String>,
    architecture: String,
}

/// All packages.
#[derive(Default)]
pub(super) struct Database {
    entries: Vec<Entry>,
    /// By name, and by `name:architecture`.
    index: FxHashMap<String, usize>,
    /// Installed packages by the names that they provide.
    provided: FxHashMap<String, usize>,
    native: Option<String>,
}

/// The file that changes with the database.
pub(super) fn file() -> PathBuf {
    Path::new(DIRECTORY).join("status")
}

/// [`Database`], read again only after a change.
#[derive(Default)]
pub(super) struct StatusFile {
    cached: Cached<Database>,
}

impl StatusFile {
    /// The database as it is.
    pub(super) fn read(&self, host: &Host) -> Result<Arc<Database>, KindError> {
        let base = host.path(Path::new(DIRECTORY));
        let paths = [base.join("status"), base.join("updates"), base.join("arch")];
        self.cached.get(&paths, || Database::load(&paths))
    }

    /// Reads it again next time.
    pub(super) fn forget(&self) {
        self.cached.clear();
    }
}

impl Database {
    fn load(paths: &[PathBuf; 3]) -> Result<Self, KindError> {
        let failed = |path: &Path, e: &dyn std::fmt::Display| {
            KindError::new(format!("Could not read {}: {e}", path.display()))
        };
        let text = |path: &Path| read_text(path).map_err(|e| failed(path, &e));
        let native = text(&paths[2])?.and_then(|t| t.lines().next().map(str::to_string));
        let mut database = Self { native, ..Self::default() };
        let status = text(&paths[0])?;
        let status = status.ok_or_else(|| {
            failed(&paths[0], &"no such file; this is not the root of a Debian system")
        })?;
        database.add_all(&status);
        // The journal of dpkg that an interruption left unmerged.
        for path in journal(&paths[1]) {
            database.add_all(&text(&path)?.unwrap_or_default());
        }
        Ok(database)
    }

    fn add_all(&mut self, text: &str) {
        let mut fields = Fields::default();
        for line in text.lines() {
            if line.is_empty() {
                self.add(&fields);
                fields = Fields::default();
            } else {
                fields.take(line);
            }
        }
        self.add(&fields);
    }

    fn add(&mut self, fields: &Fields<'_>) {
        let (Some(name), Some(status)) = (fields.package, fields.status) else { return };
        let words: Vec<&str> = status.split_whitespace().collect();
        let [desired, error, state] = words[..] else { return };
        let architecture = fields.architecture.unwrap_or_default();
        let state = match state {
            "not-installed" => State::Purged,
            "config-files" | "half-installed" | "unpacked" | "half-configured" => State::Absent,
            _ => State::Installed(fields.version.unwrap_or_default().to_string()),
        };
        let entry = Entry {
            name: name.to_string(),
            held: desired == "hold",
            state,
            error: (error != "ok").then(|| error.to_string()),
            architecture: architecture.to_string(),
        };
        let id = self.entries.len();
        if !entry.state.is_gone() {
            for provided in fields.provides.unwrap_or_default().split(',') {
                let provided = provided.split_whitespace().next().unwrap_or_default();
                self.provided.entry(provided.to_string()).or_insert(id);
            }
        }
        self.index.insert(format!("{name}:{architecture}"), id);
        let replace = self.index.get(name).is_none_or(|old| self.is_better(&entry, *old));
        if replace {
            self.index.insert(name.to_string(), id);
        }
        self.entries.push(entry);
    }

    /// Whether a new entry should replace an earlier one for the bare name.
    fn is_better(&self, new: &Entry, old: usize) -> bool {
        let old = &self.entries[old];
        let is_native = |e: &Entry| {
            e.architecture == "all" || self.native.as_ref().is_none_or(|n| *n == e.architecture)
        };
        old.architecture == new.architecture
            || (is_native(new), !new.state.is_gone()) > (is_native(old), !old.state.is_gone())
    }

    /// The names of all installed packages; those of another architecture as `name:architecture`.
    pub(super) fn installed(&self) -> impl Iterator<Item = String> {
        let is_own = |(at, entry): &(usize, &Entry)| self.index.get(&entry.name) == Some(at);
        let there = self.entries.iter().enumerate().filter(|(at, entry)| {
            let full = format!("{}:{}", entry.name, entry.architecture);
            !entry.state.is_gone() && self.index.get(&full) == Some(at)
        });
        there.map(move |found| match is_own(&found) {
            true => found.1.name.clone(),
            false => format!("{}:{}", found.1.name, found.1.architecture),
        })
    }

    /// The package of this name; `name:architecture` is understood.
    pub(super) fn find(&self, name: &str) -> Option<&Entry> {
        self.index.get(name).map(|id| &self.entries[*id])
    }

    /// An installed package that provides this name.
    pub(super) fn provider_of(&self, name: &str) -> Option<&Entry> {
        self.provided.get(name).map(|id| &self.entries[*id])
    }
}

/// The files of the journal in their order.
fn journal(directory: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(directory) else { return Vec::new() };
    let is_number = |p: &PathBuf| {
        p.file_name().is_some_and(|n| n.as_encoded_bytes().iter().all(u8::is_ascii_digit))
    };
    let mut paths: Vec<PathBuf> =
        entries.filter_map(|e| Some(e.ok()?.path())).filter(is_number).collect();
    paths.sort();
    paths
}

/// The fields of a paragraph that are used here.
#[derive(Default)]
struct Fields<'a> {
    package: Option<&'a str>,
    status: Option<&'a str>,
    version: Option<&'a str>,
    architecture: Option<&'a str>,
    provides: Option<&'a str>,
}

impl<'a> Fields<'a> {
    fn take(&mut self, line: &'a str) {
        let Some((name, value)) = line.split_once(':') else { return };
        let field = match name {
            "Package" => &mut self.package,
            "Status" => &mut self.status,
            "Version" => &mut self.version,
            "Architecture" => &mut self.architecture,
            "Provides" => &mut self.provides,
            _ => return,
        };
        *field = Some(value.trim());
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    const TEXT: &str = "Package: a\nStatus: install ok installed\nArchitecture: amd64\nVersion: 1\n\
        Provides: virtual (= 1), other\nDescription: x\n Package: not a field\n\n\
        Package: b\nStatus: deinstall ok config-files\nArchitecture: all\nVersion: 2\n\n\
        Package: a\nStatus: hold ok installed\nArchitecture: i386\nVersion: 3\n\n\
        Package: c\nStatus: install reinstreq half-installed\nArchitecture: amd64\nVersion: 1\n";

    #[test]
    fn paragraphs_become_packages() {
        let mut database = Database { native: Some("amd64".into()), ..Database::default() };
        database.add_all(TEXT);
        let state = |name: &str| database.find(name).unwrap().state.clone();
        assert_eq!(state("a"), State::Installed("1".into()));
        assert_eq!(state("a:i386"), State::Installed("3".into()));
        assert!(database.find("a:i386").unwrap().held);
        assert_eq!(state("b"), State::Absent);
        assert_eq!(database.find("c").unwrap().error.as_deref(), Some("reinstreq"));
        assert_eq!(database.provider_of("virtual").unwrap().name, "a");
        assert!(database.find("not a field").is_none());
        assert_eq!(database.installed().collect::<Vec<_>>(), ["a", "a:i386"]);
    }

    #[test]
    fn later_paragraphs_win() {
        let mut database = Database::default();
        database.add_all("Package: a\nStatus: install ok installed\nVersion: 1\n");
        database.add_all("Package: a\nStatus: install ok installed\nVersion: 2\n");
        assert_eq!(database.find("a").unwrap().state, State::Installed("2".into()));
        assert_eq!(database.installed().collect::<Vec<_>>(), ["a"]);
    }
}
