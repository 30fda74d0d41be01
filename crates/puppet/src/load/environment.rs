//! The state that all compiles of an environment share.

use crate::load::modules::Module;
use crate::load::registry::Registry;
use crate::load::ruby_types::RubyType;
use crate::load::signatures;
use crate::syntax::Program;
use crate::syntax::definitions::NodeDef;
use ecow::EcoString;
use indexmap::IndexMap;
use ordain_graph::language::Strict;
use ordain_source::{SourceMap, World};
use rustc_hash::{FxBuildHasher, FxHashMap};
use std::path::PathBuf;
use std::sync::{Arc, RwLock};

/// The source text of the site program.
#[derive(Clone, Debug)]
pub enum Site {
    /// A text without a file.
    Code(String),
    /// A file, or a directory whose `.pp` files are read in order.
    Path(PathBuf),
    /// None.
    Nothing,
}

/// The options of an environment.
pub struct Options {
    /// Files, processes, time.
    pub world: Arc<dyn World>,
    /// The registry of source texts.
    pub sources: Arc<SourceMap>,
    /// Its name.
    pub name: EcoString,
    /// Its directory, if it has one.
    pub dir: Option<PathBuf>,
    /// The directories with modules; the first one wins.
    pub modulepath: Vec<PathBuf>,
    /// The site program.
    pub site: Site,
    /// The `hiera.yaml` of the global layer.
    pub hiera_config: Option<PathBuf>,
    /// The severity of questionable code.
    pub strict: Strict,
    /// Resource types that neither a module nor Ordain has, by their names in lower case.
    pub kinds: Vec<(EcoString, RubyType)>,
    /// The processes that run the Ruby code of modules. Environments can share them.
    pub ruby: Arc<ordain_plugins::Ruby>,
}

impl Options {
    /// The options of an environment without directory, modules and data, with a new source map.
    pub fn new(world: Arc<dyn World>, site: Site) -> Self {
        Self {
            world,
            sources: Arc::new(SourceMap::new()),
            name: "production".into(),
            dir: None,
            modulepath: Vec::new(),
            site,
            hiera_config: None,
            strict: Strict::Error,
            kinds: Vec::new(),
            ruby: Arc::default(),
        }
    }
}

/// The state that all compiles of one environment share.
pub struct Environment {
    /// Files, processes, time.
    pub world: Arc<dyn World>,
    /// All source texts.
    pub sources: Arc<SourceMap>,
    /// Its name, such as `production`.
    pub name: EcoString,
    /// Its directory, if it has one.
    pub dir: Option<PathBuf>,
    /// The directories with modules; the first one wins.
    pub modulepath: Vec<PathBuf>,
    /// The modules by name. If two have the same name, the first on the path wins.
    pub modules: IndexMap<EcoString, Module, FxBuildHasher>,
    /// The `hiera.yaml` of the global layer, if there is one.
    pub hiera_config: Option<PathBuf>,
    /// The version of its catalogs.
    pub config_version: crate::load::version::ConfigVersion,
    /// Configurations and data files that Hiera has read.
    pub hiera: crate::hiera::Files,
    /// The process that runs the Ruby code of modules.
    pub ruby: Arc<ordain_plugins::Ruby>,
    /// Whether functions in Ruby run without that process where they can.
    pub has_native_functions: bool,
    /// The site program: its texts in order.
    pub site: Vec<Arc<Program>>,
    /// Node blocks in order.
    pub nodes: Vec<Arc<NodeDef>>,
    pub(super) strict: Strict,
    pub(super) registry: RwLock<Registry>,
    /// Parameters whose types are the same for every node.
    pub(crate) signatures: signatures::Signatures,
    /// The entries of the folders with Ruby code.
    pub(super) folders: Folders,
}

/// The directory of an environment with the types that were generated for it.
pub const GENERATED_TYPES: &str = ".resource_types";

/// The entries of the folders of one name in all modules.
#[derive(Default)]
pub(super) struct Folders(pub(super) RwLock<FxHashMap<EcoString, Arc<Folder>>>);

/// The entries by name, each with the directories that have it: 0 is the environment, 1 the first
/// module.
#[derive(Default)]
pub(super) struct Folder {
    pub(super) files: FxHashMap<EcoString, Vec<usize>>,
    pub(super) folders: FxHashMap<EcoString, Vec<usize>>,
}
