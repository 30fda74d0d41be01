//! The types of settings.

use std::path::{Path, PathBuf};

use ordain_source::Span;

use crate::error::{AtPath, Error, Result};
use crate::name::{InvalidBranches, Naming};

/// How many revisions of an environment are kept by default.
pub const DEFAULT_REVISIONS: usize = 5;

/// The default number of threads, as in r10k.
const POOL_SIZE: usize = 4;

/// Puppet's Forge.
const FORGE: &str = "https://forgeapi.puppet.com";

/// The sources and rules of a deploy.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The directory for mirrors and downloads.
    pub(crate) cache: PathBuf,
    pub(crate) sources: Vec<Source>,
    pub(crate) git: GitSettings,
    pub(crate) forge: ForgeSettings,
    pub(crate) purge: Purge,
    /// Whether modules are deployed without their directory `spec`, unless they set `exclude_spec`.
    pub(crate) exclude_spec: bool,
    /// The reason why deploys are locked.
    pub(crate) write_lock: Option<String>,
    /// The number of threads for fetching and writing.
    pub(crate) pool_size: usize,
    /// The command to run after a deploy.
    pub(crate) postrun: Vec<String>,
    /// The proxy for downloading tarballs.
    pub(crate) proxy: Option<String>,
    /// How many revisions of an environment are kept.
    pub(crate) revisions: usize,
    /// Whether to remove entries of the base directory that no deploy created.
    pub(crate) purges_foreign: bool,
}

/// A control repository.
#[derive(Clone, Debug)]
pub(crate) struct Source {
    pub(crate) name: String,
    pub(crate) remote: String,
    pub(crate) basedir: PathBuf,
    pub(crate) naming: Naming,
    pub(crate) ignored_prefixes: Vec<String>,
    pub(crate) filter_command: Option<String>,
    pub(crate) puppetfile: String,
    pub(crate) span: Option<Span>,
}

/// How git accesses repositories.
#[derive(Clone, Default, Debug)]
pub(crate) struct GitSettings {
    pub(crate) default_ref: Option<String>,
    pub(crate) access: Access,
    /// Exceptions for single repositories, by URL.
    pub(crate) repositories: Vec<(String, Access)>,
}

/// How to access a repository.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub(crate) struct Access {
    pub(crate) private_key: Option<PathBuf>,
    /// The file with the token.
    pub(crate) oauth_token: Option<PathBuf>,
    pub(crate) proxy: Option<String>,
}

impl GitSettings {
    /// How to access the repository with a URL.
    pub(crate) fn access(&self, remote: &str) -> &Access {
        let found = self.repositories.iter().find(|(address, _)| address == remote);
        found.map_or(&self.access, |(_, access)| access)
    }
}

/// The Forge.
#[derive(Clone, Debug)]
pub(crate) struct ForgeSettings {
    pub(crate) address: String,
    pub(crate) authorization: Option<String>,
    pub(crate) proxy: Option<String>,
    pub(crate) allow_override: bool,
}

/// Which content is removed although no source says so.
#[derive(Clone, Debug)]
pub(crate) struct Purge {
    /// Environments that have no branch.
    pub(crate) deployment: bool,
    /// Files in an environment that belong neither to its branch nor to its modules.
    pub(crate) environment: bool,
    /// Entries of module directories that are not in the Puppetfile.
    pub(crate) puppetfile: bool,
    /// Patterns of files that are never removed from an environment.
    pub(crate) allowed: Vec<String>,
}

impl Settings {
    pub(super) fn with_sources(sources: Vec<Source>) -> Self {
        Self {
            cache: default_cache(),
            sources,
            git: GitSettings::default(),
            forge: ForgeSettings {
                address: FORGE.to_owned(),
                authorization: None,
                proxy: None,
                allow_override: false,
            },
            purge: Purge {
                deployment: true,
                environment: false,
                puppetfile: true,
                allowed: Vec::new(),
            },
            exclude_spec: true,
            write_lock: None,
            pool_size: POOL_SIZE,
            postrun: Vec::new(),
            proxy: None,
            revisions: DEFAULT_REVISIONS,
            purges_foreign: false,
        }
    }

    /// Settings for one control repository; its branches are deployed to a directory.
    ///
    /// # Errors
    /// When git could take the URL for an option, or the directory cannot be made absolute.
    pub fn for_remote(remote: &str, basedir: &Path) -> Result<Self, Error> {
        check_remote(remote)?;
        // A relative path would name another repository from another directory, and the mirror's
        // name depends on it.
        let local = Path::new(remote);
        let remote = match local.is_relative() && local.is_dir() {
            true => absolute(local)?.display().to_string(),
            false => remote.to_owned(),
        };
        let naming = Naming { prefix: None, strip: None, invalid: InvalidBranches::CorrectAndWarn };
        Ok(Self::with_sources(vec![Source {
            name: "control".to_owned(),
            remote,
            basedir: absolute(basedir)?,
            naming,
            ignored_prefixes: Vec::new(),
            filter_command: None,
            puppetfile: "Puppetfile".to_owned(),
            span: None,
        }]))
    }

    /// Settings without a control repository, which install the modules of a working copy.
    pub fn without_sources() -> Self {
        Self::with_sources(Vec::new())
    }

    /// Sets the directory for mirrors and downloads.
    ///
    /// # Errors
    /// When the directory cannot be made absolute.
    pub fn with_cache(self, cache: &Path) -> Result<Self, Error> {
        Ok(Self { cache: absolute(cache)?, ..self })
    }

    /// Sets how many revisions of an environment are kept, at least one.
    #[must_use]
    pub fn with_revisions(self, revisions: usize) -> Self {
        Self { revisions: revisions.max(1), ..self }
    }

    /// The directories of environments, without duplicates.
    pub fn base_directories(&self) -> Vec<PathBuf> {
        let mut all: Vec<_> = self.sources.iter().map(|source| source.basedir.clone()).collect();
        all.sort();
        all.dedup();
        all
    }
}

/// The default cache directory of the current user.
fn default_cache() -> PathBuf {
    if rustix::process::geteuid().is_root() {
        return PathBuf::from("/var/cache/ordain/deploy");
    }
    let home = || std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".cache"));
    let base = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from).or_else(home);
    base.unwrap_or_else(std::env::temp_dir).join("ordain/deploy")
}

/// Refuses URLs that git would take for an option or a program.
pub(crate) fn check_remote(remote: &str) -> Result<()> {
    if remote.is_empty() || remote.starts_with('-') || remote.contains(['\n', '\0']) {
        return Err(Error::new(format!("{remote:?} is not the address of a repository")));
    }
    Ok(())
}

/// An absolute path without `.` and `..`.
pub(super) fn absolute(path: &Path) -> Result<PathBuf> {
    let path = std::path::absolute(path).at_path(path)?;
    Ok(cleaned(&path))
}

/// Removes `.` and `..` from a path without looking at the disk.
fn cleaned(path: &Path) -> PathBuf {
    use std::path::Component;
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                out.pop();
            }
            part => out.push(part),
        }
    }
    out
}
