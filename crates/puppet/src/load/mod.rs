//! Environments: modules, site program, and the loading of names on demand.

use std::path::PathBuf;
use std::sync::Arc;

use ecow::EcoString;
use indexmap::IndexMap;
use ordain_source::{SourceMap, World};
use rustc_hash::FxBuildHasher;

/// A module on the module path.
#[derive(Clone, Debug)]
pub struct Module {
    /// Its name.
    pub name: EcoString,
    /// Its directory.
    pub dir: PathBuf,
}

/// What all compiles of one environment share: files parsed once, names found once.
pub struct Environment {
    /// Files, processes, time.
    pub world: Arc<dyn World>,
    /// All source texts.
    pub sources: Arc<SourceMap>,
    /// Its name, such as `production`.
    pub name: EcoString,
    /// Its directory, if it has one.
    pub dir: Option<PathBuf>,
    /// The modules by name; of two of the same name the first on the path.
    pub modules: IndexMap<EcoString, Module, FxBuildHasher>,
    /// The `hiera.yaml` of the global layer, if there is one.
    pub hiera_config: Option<PathBuf>,
}
