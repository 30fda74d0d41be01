//! The types of settings.

use std::path::{Path, PathBuf};

use ordain_source::Span;

use crate::error::{AtPath, Error, Result};
use crate::name::{InvalidBranches, Naming};

/// The number of revisions of an environment that stay by default.
pub const DEFAULT_REVISIONS: usize = 5;

/// The number of threads that r10k uses by default.
const POOL_SIZE: usize = 4;

/// The Forge of Puppet.
const FORGE: &str = "https://forgeapi.puppet.com";

/// The sources of a deploy, and the rules for it.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The directory of mirrors and downloads.
    pub(crate) cache: PathBuf,
    pub(crate) sources: Vec<Source>,
    pub(crate) git: GitSettings,
    pub(crate) forge: ForgeSettings,
    pub(crate) purge: Purge,
    /// Whether modules lose their directory `spec`, unless they say otherwise.
    pub(crate) exclude_spec: bool,
    /// The reason why nothing may be deployed.
    pub(crate) write_lock: Option<String>,
    /// The number of threads that fetch and write.
    pub(crate) pool_size: usize,
    /// The command that runs after a deploy.
    pub(crate) postrun: Vec<String>,
    /// The proxy for downloads of tarballs.
    pub(crate) proxy: Option<String>,
    /// The number of revisions of an environment that stay.
    pub(crate) revisions: usize,
    /// Whether entries of the base directory that no deploy made are purged, too.
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

/// How git reaches repositories.
#[derive(Clone, Default, Debug)]
pub(crate) struct GitSettings {
    pub(crate) default_ref: Option<String>,
    pub(crate) access: Access,
    /// Other ways to single repositories, by their addresses.
    pub(crate) repositories: Vec<(String, Access)>,
}

/// The way to a repository.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub(crate) struct Access {
    pub(crate) private_key: Option<PathBuf>,
    /// The file with the token.
    pub(crate) oauth_token: Option<PathBuf>,
    pub(crate) proxy: Option<String>,
}

impl GitSettings {
    /// The way to the repository at an address.
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

/// The content that is removed although no source says so.
#[derive(Clone, Debug)]
pub(crate) struct Purge {
    /// Environments without a branch.
    pub(crate) deployment: bool,
    /// Files in an environment that neither its branch nor its modules have.
    pub(crate) environment: bool,
    /// Entries of module directories that the Puppetfile lacks.
    pub(crate) puppetfile: bool,
    /// Patterns of files that stay in an environment.
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

    /// The settings for one control repository, whose branches are deployed to a directory.
    ///
    /// # Errors
    /// When the address looks like an option of git, or the directory has no absolute path.
    pub fn of_remote(remote: &str, basedir: &Path) -> Result<Self, Error> {
        check_remote(remote)?;
        // The name of a mirror is made of the address, so it has to mean the same everywhere.
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

    /// Replaces the directory of mirrors and downloads.
    ///
    /// # Errors
    /// When the directory has no absolute path.
    pub fn with_cache(self, cache: &Path) -> Result<Self, Error> {
        Ok(Self { cache: absolute(cache)?, ..self })
    }

    /// Replaces the number of revisions of an environment that stay; at least one does.
    #[must_use]
    pub fn with_revisions(self, revisions: usize) -> Self {
        Self { revisions: revisions.max(1), ..self }
    }

    /// The directories of environments, each once.
    pub fn base_directories(&self) -> Vec<PathBuf> {
        let mut all: Vec<_> = self.sources.iter().map(|source| source.basedir.clone()).collect();
        all.sort();
        all.dedup();
        all
    }
}

/// The directory of mirrors for a user who names none.
fn default_cache() -> PathBuf {
    if rustix::process::geteuid().is_root() {
        return PathBuf::from("/var/cache/ordain/deploy");
    }
    let home = || std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".cache"));
    let base = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from).or_else(home);
    base.unwrap_or_else(std::env::temp_dir).join("ordain/deploy")
}

/// Refuses addresses that git would take for an option or a program.
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

/// A path without `.` and `..`, by its text alone.
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
