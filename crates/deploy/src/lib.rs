//! Environments from the branches of control repositories, with the modules of their Puppetfiles.
//!
//! [`deploy`] creates a revision for each branch: an immutable directory whose name is a digest of
//! the branch's commit and the exact source of each module. An environment is a symbolic link to a
//! revision, and switching replaces the link atomically; [`rollback`] switches to an older
//! revision. [`EnvironmentDir`] lists the revisions. [`Settings`] reads an `r10k.yaml`.
//!
//! ```
//! use ordain_deploy::{EnvironmentDir, Request, Settings, deploy};
//! use ordain_source::SourceMap;
//!
//! let directory = std::env::temp_dir().join("ordain-deploy-example");
//! let settings = Settings::for_remote("/nowhere/control.git", &directory)?;
//! let settings = settings.with_cache(&directory.join("cache"))?;
//! let request = Request { dry_run: true, ..Request::default() };
//! let error = deploy(&settings, &request, &SourceMap::new()).map(|_| ());
//! assert!(error.is_err_and(|error| error.to_string().contains("/nowhere/control.git")));
//! assert!(EnvironmentDir::new(directory).environments()?.is_empty());
//! # Ok::<(), ordain_deploy::Error>(())
//! ```
//!
//! The crate must not know: languages other than that of the Puppetfile, agents, servers.

mod archive;
mod build;
pub mod codes;
mod deploy;
mod desired;
mod error;
mod files;
mod forge;
mod git;
mod install;
mod lock;
mod module;
mod name;
mod pool;
mod puppetfile;
mod report;
mod revision;
mod settings;
mod sources;
mod unmanaged;

pub use deploy::{Request, deploy, rollback};
pub use error::Error;
pub use install::{InstallReport, InstallRequest, ModuleReport, install};
pub use report::{Action, EnvironmentReport, ModuleChange, Report};
pub use revision::{DeployedModule, EnvironmentDir, PinnedRevision, REVISIONS, Record};
pub use settings::{DEFAULT_REVISIONS, Settings};
