//! The revisions of environments on disk.
//!
//! ```text
//! BASE/production -> .revisions/production/ID
//! BASE/.revisions/.lock
//! BASE/.revisions/production/ID       the files
//! BASE/.revisions/production/ID.json  where they are from
//! ```
//!
//! One `rename` replaces the link, so readers see either the old or the new revision. A
//! long-running reader can lock the directory of its revision (`flock`), which then is not removed.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use serde_json::{Value as Json, json};

use crate::error::{AtPath, Error, Result};
use crate::files;
use crate::lock;

/// The directory of all revisions, in the directory of environments.
pub const REVISIONS: &str = ".revisions";

/// The prefix of temporary entries in [`REVISIONS`].
const TEMPORARY: &str = ".new-";

/// How often [`EnvironmentDir::pin_current`] follows a link that concurrent deploys keep replacing.
const PIN_ATTEMPTS: u32 = 16;

/// The prefix of the ids of adopted directories, which another program created.
const ADOPTED: &str = "adopted-";

/// The sources of a revision.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Record {
    /// The id: the start of a digest of all sources.
    pub id: String,
    /// The address of the control repository.
    pub remote: String,
    /// The branch.
    pub branch: String,
    /// The commit of the branch; empty if unknown.
    pub commit: String,
    /// When the revision was last deployed, in milliseconds since 1970.
    pub deployed: u64,
    /// Its modules.
    pub modules: Vec<DeployedModule>,
}

/// A module of a revision.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DeployedModule {
    /// Its name.
    pub name: String,
    /// Its directory, relative to the environment.
    pub path: PathBuf,
    /// `git`, `forge`, `tarball` or `local`.
    pub kind: String,
    /// The URL of its repository or tarball, or its Forge name.
    pub source: String,
    /// The declared reference or version.
    pub version: String,
    /// The commit, or the digest of a tarball.
    pub digest: String,
}

impl DeployedModule {
    /// The commit, digest or version, which identifies the content.
    pub fn content(&self) -> &str {
        if self.digest.is_empty() { &self.version } else { &self.digest }
    }

    pub(crate) fn to_json(&self) -> Json {
        json!({
            "name": self.name, "path": self.path.display().to_string(), "type": self.kind,
            "source": self.source, "version": self.version, "digest": self.digest,
        })
    }

    pub(crate) fn of_json(json: &Json) -> Option<Self> {
        let text = |name: &str| json[name].as_str().map(str::to_owned);
        Some(Self {
            name: text("name")?,
            path: text("path")?.into(),
            kind: text("type")?,
            source: text("source")?,
            version: text("version")?,
            digest: text("digest")?,
        })
    }
}

/// A revision with a shared lock: no deploy removes it while this value exists.
#[derive(Debug)]
pub struct PinnedRevision {
    /// The id of the revision.
    pub id: String,
    /// The directory with the files of the revision.
    pub directory: PathBuf,
    _lock: File,
}

/// The entry for an environment in the directory of environments.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Entry {
    Missing,
    /// A link to this revision.
    Revision(String),
    /// A directory that another program created.
    Directory,
    /// A file or any other link.
    Other,
}

/// A directory of environments.
#[derive(Clone, Debug)]
pub struct EnvironmentDir {
    pub(crate) directory: PathBuf,
}

impl EnvironmentDir {
    /// The directory of environments at a path.
    pub fn new(directory: PathBuf) -> Self {
        Self { directory }
    }

    fn revisions(&self) -> PathBuf {
        self.directory.join(REVISIONS)
    }

    /// The directory of a revision.
    pub(crate) fn tree(&self, environment: &str, id: &str) -> PathBuf {
        self.revisions().join(environment).join(id)
    }

    fn record_path(&self, environment: &str, id: &str) -> PathBuf {
        self.revisions().join(environment).join(format!("{id}.json"))
    }

    fn held_path(&self, environment: &str) -> PathBuf {
        self.revisions().join(environment).join("rolled-back")
    }

    /// Locks the directory of environments, and creates it if necessary. Waits for another deploy
    /// if `waits` is set, else fails.
    pub(crate) fn lock(&self, waits: bool) -> Result<File> {
        let revisions = self.revisions();
        fs::create_dir_all(&revisions).at_path(&revisions)?;
        let path = revisions.join(".lock");
        if waits {
            return lock::exclusive(&path);
        }
        lock::try_exclusive(&path)?.ok_or_else(|| {
            let text = format!("another deploy to {} is running", self.directory.display());
            Error::new(text).help("without `--no-wait` this one waits for it")
        })
    }

    /// The entry of an environment.
    pub(crate) fn entry(&self, environment: &str) -> Entry {
        let path = self.directory.join(environment);
        let Ok(metadata) = fs::symlink_metadata(&path) else { return Entry::Missing };
        if metadata.is_dir() {
            return Entry::Directory;
        }
        let start = Path::new(REVISIONS).join(environment);
        let target = fs::read_link(&path).ok();
        let id = target.as_ref().and_then(|target| target.strip_prefix(start).ok()?.to_str());
        match id {
            Some(id) if !id.is_empty() && !id.contains('/') => Entry::Revision(id.to_owned()),
            _ => Entry::Other,
        }
    }

    /// The current revision of an environment.
    pub fn current(&self, environment: &str) -> Option<String> {
        match self.entry(environment) {
            Entry::Revision(id) => Some(id),
            _ => None,
        }
    }

    /// Pins the current revision of an environment. Returns `None` if the environment is not a link
    /// to a revision.
    pub fn pin_current(&self, environment: &str) -> Option<PinnedRevision> {
        // A deploy may remove the revision after the link was read and before it is locked. The link
        // then points to another revision.
        (0..PIN_ATTEMPTS).find_map(|_| self.pin(environment, &self.current(environment)?))
    }

    /// Pins a revision of an environment. Returns `None` if there is no revision with this id.
    pub fn pin(&self, environment: &str, id: &str) -> Option<PinnedRevision> {
        let is_name =
            |text: &str| !text.is_empty() && !text.starts_with('.') && !text.contains('/');
        if !is_name(environment) || !is_name(id) {
            return None;
        }
        let directory = self.tree(environment, id);
        let lock = lock::shared(&directory)?;
        Some(PinnedRevision { id: id.to_owned(), directory, _lock: lock })
    }

    /// The environments that have revisions, sorted.
    ///
    /// # Errors
    /// When the directory cannot be read.
    pub fn environments(&self) -> Result<Vec<String>> {
        let revisions = self.revisions();
        let names = match files::names(&revisions) {
            Ok(names) => names,
            Err(_) if !revisions.exists() => Vec::new(),
            Err(error) => return Err(error),
        };
        let names = names.into_iter().filter_map(|name| name.into_string().ok());
        let is_environment =
            |name: &String| !name.starts_with('.') && revisions.join(name).is_dir();
        Ok(names.filter(is_environment).collect())
    }

    /// The stored revisions of an environment, last deployed first.
    ///
    /// # Errors
    /// When the directory cannot be read.
    pub fn list(&self, environment: &str) -> Result<Vec<Record>> {
        let directory = self.revisions().join(environment);
        if !directory.is_dir() {
            return Ok(Vec::new());
        }
        let names =
            files::names(&directory)?.into_iter().filter_map(|name| name.into_string().ok());
        let ids = names.filter_map(|name| Some(name.strip_suffix(".json")?.to_owned()));
        let there = ids.filter(|id| directory.join(id).is_dir());
        let mut records: Vec<Record> =
            there.filter_map(|id| self.record(environment, &id)).collect();
        records.sort_by(|a, b| b.deployed.cmp(&a.deployed).then_with(|| b.id.cmp(&a.id)));
        Ok(records)
    }

    /// The record of a revision; `None` if there is none.
    pub fn record(&self, environment: &str, id: &str) -> Option<Record> {
        let text = fs::read(self.record_path(environment, id)).ok()?;
        Record::of_json(id, &serde_json::from_slice(&text).ok()?)
    }

    pub(crate) fn write_record(&self, environment: &str, record: &Record) -> Result<()> {
        let path = self.record_path(environment, &record.id);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent).at_path(parent)?;
        }
        let text = format!("{:#}\n", record.to_json(environment));
        files::write_whole(&path, text.as_bytes())
    }

    /// A temporary directory on the file system of the revisions.
    pub(crate) fn scratch(&self, environment: &str) -> Result<files::Scratch> {
        let name = format!("{TEMPORARY}tree-{environment}");
        files::Scratch::new(self.revisions().join(name))
    }

    /// Turns a finished tree into a revision. Its files are flushed to disk before it gets its
    /// name.
    pub(crate) fn install(&self, environment: &str, tree: &Path, record: &Record) -> Result<()> {
        files::sync_file_system(tree)?;
        self.write_record(environment, record)?;
        let target = self.tree(environment, &record.id);
        fs::rename(tree, &target).at_path(&target)?;
        files::sync_directory(target.parent().unwrap_or(&target))
    }

    /// Switches the environment to a revision. An existing directory of another program becomes an
    /// older revision, with this record.
    pub(crate) fn switch(
        &self,
        environment: &str,
        id: &str,
        adopted: Option<&Record>,
    ) -> Result<()> {
        let path = self.directory.join(environment);
        let link = self.revisions().join(format!("{TEMPORARY}link-{environment}"));
        files::remove(&link)?;
        symlink(Path::new(REVISIONS).join(environment).join(id), &link).at_path(&link)?;
        match adopted {
            None => fs::rename(&link, &path).at_path(&path)?,
            Some(record) => {
                self.write_record(environment, record)?;
                // The exchange is atomic: readers always find the directory or the link.
                let tree = self.tree(environment, &record.id);
                if files::exchange(&link, &path)? {
                    fs::rename(&link, &tree).at_path(&tree)?;
                } else {
                    fs::rename(&path, &tree).at_path(&tree)?;
                    fs::rename(&link, &path).at_path(&path)?;
                }
            }
        }
        files::sync_directory(&self.directory)
    }

    /// Removes what a killed deploy left behind. A directory that it was adopting becomes a
    /// revision.
    pub(crate) fn clean(&self, now: u64) -> Result<()> {
        let revisions = self.revisions();
        for name in files::names(&revisions)? {
            let Some(name) = name.to_str().and_then(|name| name.strip_prefix(TEMPORARY)) else {
                continue;
            };
            let path = revisions.join(format!("{TEMPORARY}{name}"));
            let is_directory = fs::symlink_metadata(&path).is_ok_and(|m| m.is_dir());
            match name.strip_prefix("link-").filter(|_| is_directory) {
                Some(environment) => {
                    let record = Record::of_directory(&path, now);
                    self.write_record(environment, &record)?;
                    let tree = self.tree(environment, &record.id);
                    fs::rename(&path, &tree).at_path(&tree)?;
                }
                None => files::remove(&path)?,
            }
        }
        for environment in self.environments()? {
            self.clean_environment(&environment)?;
        }
        Ok(())
    }

    /// Removes records without files and files without records.
    fn clean_environment(&self, environment: &str) -> Result<()> {
        let current = self.current(environment);
        let directory = self.revisions().join(environment);
        for name in files::names(&directory)? {
            let Some(name) = name.to_str().filter(|name| *name != "rolled-back") else { continue };
            let is_complete = match name.strip_suffix(".json") {
                Some(id) => directory.join(id).is_dir(),
                None => {
                    current.as_deref() == Some(name) || self.record(environment, name).is_some()
                }
            };
            if !is_complete {
                files::remove(&directory.join(name))?;
            }
        }
        Ok(())
    }

    /// Removes old revisions of an environment, except the current one and those in use.
    pub(crate) fn prune(&self, environment: &str, most: usize) -> Result<usize> {
        let current = self.current(environment);
        let mut removed = 0;
        let old = self.list(environment)?.into_iter().filter(|r| Some(&r.id) != current.as_ref());
        for record in old.skip(most.saturating_sub(1)) {
            removed += usize::from(self.remove_revision(environment, &record.id)?);
        }
        Ok(removed)
    }

    /// Removes a revision unless it is in use.
    fn remove_revision(&self, environment: &str, id: &str) -> Result<bool> {
        let tree = self.tree(environment, id);
        // The lock is held until the files are gone, so no reader can start in between.
        let Some(_lock) = lock::unused(&tree) else { return Ok(false) };
        // Renamed first, so that a reader finds either the whole revision or nothing.
        let gone = self.revisions().join(format!("{TEMPORARY}old-{environment}-{id}"));
        fs::rename(&tree, &gone).at_path(&tree)?;
        files::remove(&self.record_path(environment, id))?;
        files::remove(&gone)?;
        Ok(true)
    }

    /// Removes an environment and its revisions, except revisions in use.
    pub(crate) fn remove_environment(&self, environment: &str) -> Result<()> {
        files::remove(&self.directory.join(environment))?;
        for record in self.list(environment)? {
            self.remove_revision(environment, &record.id)?;
        }
        let directory = self.revisions().join(environment);
        files::remove(&self.held_path(environment))?;
        match fs::remove_dir(&directory) {
            Err(error) if error.kind() == io::ErrorKind::DirectoryNotEmpty => Ok(()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            result => result.at_path(&directory),
        }
    }

    /// The revision that a rollback left. Deploys do not return to it unless forced.
    pub(crate) fn rolled_back(&self, environment: &str) -> Option<String> {
        let text = fs::read_to_string(self.held_path(environment)).ok()?;
        Some(text.trim().to_owned())
    }

    pub(crate) fn set_rolled_back(&self, environment: &str, id: Option<&str>) -> Result<()> {
        let path = self.held_path(environment);
        match id {
            Some(id) => files::write_whole(&path, format!("{id}\n").as_bytes()),
            None => files::remove(&path),
        }
    }
}

impl Record {
    /// Whether another program created the directory.
    pub fn is_adopted(&self) -> bool {
        self.id.starts_with(ADOPTED)
    }

    /// The record for a directory that another program created.
    pub(crate) fn of_directory(path: &Path, now: u64) -> Self {
        let info = fs::read(path.join(".r10k-deploy.json")).ok();
        let info: Option<Json> = info.and_then(|text| serde_json::from_slice(&text).ok());
        let text = |name: &str| info.as_ref()?[name].as_str().map(str::to_owned);
        let is_commit =
            |text: &String| text.len() >= 40 && text.bytes().all(|b| b.is_ascii_hexdigit());
        let head = || fs::read_to_string(path.join(".git/HEAD")).ok().map(|t| t.trim().to_owned());
        let commit = text("signature").or_else(head).filter(is_commit);
        Self {
            id: format!("{ADOPTED}{now}"),
            remote: String::new(),
            branch: text("name").unwrap_or_default(),
            commit: commit.unwrap_or_default(),
            // It must be older than its replacement.
            deployed: now.saturating_sub(1),
            modules: Vec::new(),
        }
    }

    /// The record as JSON.
    pub fn to_json(&self, environment: &str) -> Json {
        json!({
            "format": "ordain-revision", "version": 1, "id": self.id, "environment": environment,
            "remote": self.remote, "branch": self.branch, "commit": self.commit,
            "deployed": self.deployed, "modules": self.modules.iter().map(DeployedModule::to_json).collect::<Json>(),
        })
    }

    fn of_json(id: &str, json: &Json) -> Option<Self> {
        let text = |name: &str| json[name].as_str().map(str::to_owned);
        let modules = json["modules"].as_array()?.iter().map(DeployedModule::of_json);
        Some(Self {
            id: id.to_owned(),
            remote: text("remote")?,
            branch: text("branch")?,
            commit: text("commit")?,
            deployed: json["deployed"].as_u64()?,
            modules: modules.collect::<Option<_>>()?,
        })
    }
}
