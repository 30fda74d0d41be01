//! Hiera 5 (upstream `lib/puppet/pops/lookup`): data by key from layered hierarchies.
//!
//! A lookup goes through three layers, [global, environment and module](config::Owner), each with a
//! hierarchy of levels from its `hiera.yaml`; a module may have a second hierarchy for defaults.
//! What is read from files is shared by all compiles of an environment ([`Files`]); paths depend on
//! variables, so they are resolved for each compile and kept in its [`Cache`].
//!
//! * [`key`]: dotted keys; [`config`]: `hiera.yaml`; [`merge`]: strategies
//! * `eyaml`: encrypted values
//! * [`interpolation`]: `%{…}`; [`explain`]: the record of a lookup
//! * [`functions`]: `lookup` and its kin

mod backend;
pub mod config;
mod context;
mod data_provider;
mod decrypt;
mod directories;
pub mod explain;
mod eyaml;
pub mod files;
pub mod functions;
pub mod interpolation;
pub mod key;
mod layers;
mod levels;
mod location;
mod lookup;
pub mod merge;
mod options;
mod place;
mod prefetch;
mod shape;
mod state;
mod text;
pub mod values;

pub(crate) use context::is_loose_context;
pub use directories::{missing_directories, without_configuration};
pub use files::Files;
pub(crate) use files::read_hocon;
pub use state::{Cache, Found, Request};
