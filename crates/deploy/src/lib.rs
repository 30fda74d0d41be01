//! Environments from the branches of control repositories, with the modules of their Puppetfiles.
//!
//! [`deploy`] makes a revision of each branch: a directory that never changes, named by a digest
//! over the commit of the branch and the exact source of each module. The environment is a link to
//! a revision, which is replaced at once; [`rollback`] replaces it by an older one. [`Base`] lists
//! the revisions. [`Settings`] are those of an `r10k.yaml`.
//!
//! ```
//! use ordain_deploy::{Base, Request, Settings, deploy};
//! use ordain_source::SourceMap;
//!
//! let directory = std::env::temp_dir().join("ordain-deploy-example");
//! let settings = Settings::of_remote("/nowhere/control.git", &directory)?;
//! let settings = settings.with_cache(&directory.join("cache"))?;
//! let request = Request { dry_run: true, ..Request::default() };
//! let error = deploy(&settings, &request, &SourceMap::new()).map(|_| ());
//! assert!(error.is_err_and(|error| error.to_string().contains("/nowhere/control.git")));
//! assert!(Base::new(directory).environments()?.is_empty());
//! # Ok::<(), ordain_deploy::Error>(())
//! ```
//!
//! The crate must not know: languages other than that of the Puppetfile, agents, servers.

mod archive;
mod build;
mod carry;
pub mod codes;
mod deploy;
mod desired;
mod error;
mod files;
mod forge;
mod git;
mod lock;
mod name;
mod pool;
mod puppetfile;
mod report;
mod revision;
mod settings;

pub use deploy::{Request, deploy, rollback};
pub use error::Error;
pub use report::{Action, EnvironmentReport, ModuleChange, Report};
pub use revision::{Base, DeployedModule, PinnedRevision, REVISIONS, Record};
pub use settings::{DEFAULT_REVISIONS, Settings};
