//! The options of a compile.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ecow::EcoString;
use ordain_engine::cluster::Cluster;
use ordain_engine::kind::Registry;
use ordain_engine::kinds::external::{self, ExternalType};
use ordain_graph::language::Strict;
pub use ordain_inmanta::lower::Handlers;
use ordain_mcl::Edition;
use ordain_puppet::deferred::Deferral;
use ordain_puppet::eval::UsedCode;
use ordain_puppet::load::RubyType;
use ordain_source::{
    Diagnostic, FileLayer, HostWorld, LayeredWorld, SourceMap, TouchedPaths, World,
};
use ordain_store::ExportStore;

use crate::codes;
use crate::inputs::FileStates;
use crate::static_catalog::StaticCatalog;

/// Files that overlay those on disk.
#[derive(Clone)]
pub struct Layer(pub Arc<dyn FileLayer>);

impl fmt::Debug for Layer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Layer")
    }
}

/// Processes that run the Ruby code of modules. Clones share them, so that environments which are opened
/// one after another need not start new ones.
#[derive(Clone, Default)]
pub struct RubyProcesses(pub(crate) Arc<ordain_plugins::Ruby>);

impl fmt::Debug for RubyProcesses {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("RubyProcesses")
    }
}

/// The options of a compile. Most fields matter to some languages only; see [`UsedOptions`].
#[derive(Clone, Debug)]
pub struct Options {
    /// The node's name. By default the one in its facts, else this machine's full name.
    pub node: Option<String>,
    /// A file of facts as JSON or YAML. By default the facts of this machine.
    pub facts: Option<PathBuf>,
    /// The answer of a node classifier, as JSON: `parameters`, `classes`, `trusted`, `environment`.
    pub node_data: Option<PathBuf>,
    /// The environment's name. By default the one in the node data, else `production`.
    pub environment: Option<String>,
    /// Directories of modules, separated by colons; the first that has a module wins.
    pub modulepath: Option<String>,
    /// The hiera.yaml of the global layer.
    pub hiera: Option<PathBuf>,
    /// The directory of exported resources, or the address of a store of the values that programs of
    /// mgmt share. Without one, nothing is exported or collected.
    pub store: Option<PathBuf>,
    /// The values that hosts share, in place of those of `store`.
    pub shared: Option<Arc<Cluster>>,
    /// The severity of questionable code.
    pub strict: Strict,
    /// Whether an unknown variable is an error.
    pub strict_variables: bool,
    /// Directories of manifests of kinds that other programs implement.
    pub kinds: Vec<PathBuf>,
    /// Stubs that are merged into a YAML document of resources; the last one wins.
    pub stubs: Vec<PathBuf>,
    /// Whether manifests get the legacy flat facts, such as `$osfamily`.
    pub legacy_facts: bool,
    /// The edition of mcl that programs of mgmt are in.
    pub edition: Edition,
    /// Whether models of Inmanta import `std` everywhere.
    pub imports_std: bool,
    /// The resources of models that handlers deploy.
    pub handlers: Handlers,
    /// The directory where runs keep their state; models know the facts in it.
    pub state_dir: Option<PathBuf>,
    /// Whether a run changes nothing.
    pub is_noop: bool,
    /// Whether a run only plans, whatever resources declare.
    pub is_plan: bool,
    /// The file metadata to put into the catalog.
    pub static_catalog: Option<StaticCatalog>,
    /// When deferred values are evaluated.
    pub deferral: Deferral,
    /// Whether the graph of a manifest records the origin of each attribute.
    pub has_history: bool,
    /// Whether the process ends after this compile, so that its memory need not be freed.
    pub is_last_compile: bool,
    /// Collects the paths that a compile reads.
    pub touched: TouchedPaths,
    /// Collects the branches and keys of data that manifests use, for coverage.
    pub used: Option<UsedCode>,
    /// Collects the states of the files that compiles read, if the inputs of compiles are recorded.
    pub states: Option<FileStates>,
    /// Files that overlay those on disk, such as the tree of a commit.
    pub layer: Option<Layer>,
    /// The root directory of the machine, if it is not `/`.
    pub machine: Option<PathBuf>,
    /// The source texts of earlier compiles, if compiles share them.
    pub texts: Option<Arc<SourceMap>>,
    /// The processes that run Ruby code.
    pub ruby: RubyProcesses,
    /// Whether the graph is planned or applied: the code of resource types in Ruby then checks
    /// resources where they are prepared for the run.
    pub runs_providers: bool,
    /// Resource types whose implementation in Ruby is preferred to that of the engine.
    pub ruby_types: Vec<String>,
    /// The libraries of an installed Puppet, for code of modules that needs more of them than there
    /// is here.
    pub puppet_libs: Option<PathBuf>,
    /// Whether the source is one of several that become one graph. It may then ignore options that
    /// are meant for the others.
    pub is_part: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            node: None,
            facts: None,
            node_data: None,
            environment: None,
            modulepath: None,
            hiera: None,
            store: None,
            shared: None,
            strict: Strict::Error,
            strict_variables: true,
            kinds: Vec::new(),
            stubs: Vec::new(),
            legacy_facts: false,
            edition: Edition::Wide,
            imports_std: true,
            handlers: Handlers::default(),
            state_dir: None,
            is_noop: false,
            is_plan: false,
            static_catalog: None,
            deferral: Deferral::default(),
            has_history: true,
            is_last_compile: false,
            touched: TouchedPaths::default(),
            used: None,
            states: None,
            layer: None,
            machine: None,
            texts: None,
            ruby: RubyProcesses::default(),
            runs_providers: false,
            ruby_types: Vec::new(),
            puppet_libs: None,
            is_part: false,
        }
    }
}

/// Warnings about missing directories of a module path.
pub fn missing_modules(modulepath: Option<&str>) -> Vec<Diagnostic> {
    let given = modulepath.iter().flat_map(|path| path.split(':'));
    let dirs = given.filter(|dir| !dir.is_empty() && !dir.contains('$'));
    let missing = dirs.filter(|dir| !Path::new(dir).is_dir());
    let text = |dir: &str| format!("--modulepath names {dir}, which is not a directory");
    missing.map(|dir| Diagnostic::warning(codes::FILE, text(dir))).collect()
}

/// The options that a kind of source uses. Others cause a warning.
#[derive(Clone, Copy, Debug)]
pub struct UsedOptions(&'static [&'static str]);

impl UsedOptions {
    /// The options of manifests and control repositories.
    pub const MANIFEST: Self =
        Self(&["--facts", "--node-data", "--environment", "--modulepath", "--hiera", "--store"]);
    /// The options of programs of mgmt.
    pub const PROGRAM: Self = Self(&["--modulepath", "--store"]);
    /// The options of models of Inmanta.
    pub const MODEL: Self = Self(&["--modulepath"]);
    /// The options of graphs, catalogs and plans.
    pub const GRAPH: Self = Self(&["--modulepath"]);
    /// The options of YAML documents.
    pub const DOCUMENT: Self = Self(&["--stub"]);
}

impl Options {
    /// The flags of the options that are set, without those that every source uses.
    fn set_flags(&self) -> impl Iterator<Item = &'static str> {
        let flags = [
            ("--facts", self.facts.is_some()),
            ("--node-data", self.node_data.is_some()),
            ("--environment", self.environment.is_some()),
            ("--modulepath", self.modulepath.is_some()),
            ("--hiera", self.hiera.is_some()),
            ("--stub", !self.stubs.is_empty()),
        ];
        flags.into_iter().filter(|(_, is_set)| *is_set).map(|(name, _)| name)
    }

    /// Warnings about options that this kind of source does not use.
    pub fn warn_unused(&self, what: &str, used: UsedOptions) -> Vec<Diagnostic> {
        let unused = self.set_flags().filter(|name| !self.is_part && !used.0.contains(name));
        let text = |name| format!("{name} does not apply to {what} and is ignored");
        unused.map(|name| Diagnostic::warning(codes::ARGUMENTS, text(name))).collect()
    }

    /// The files and the machine that a compile sees. Records the paths that are read.
    pub fn world(&self) -> Arc<dyn World> {
        self.world_with(self.touched.clone())
    }

    /// The same, but records no paths: for files that the result does not depend on.
    pub fn untracked_world(&self) -> Arc<dyn World> {
        self.world_with(TouchedPaths::default())
    }

    fn world_with(&self, touched: TouchedPaths) -> Arc<dyn World> {
        match &self.layer {
            Some(Layer(layer)) => Arc::new(LayeredWorld::new(Arc::clone(layer), touched)),
            None => Arc::new(HostWorld::noting(touched)),
        }
    }

    /// Refuses a named file or directory that does not exist, even if nothing would read it.
    ///
    /// # Errors
    /// When a path is missing, or the `hiera.yaml` cannot be read.
    pub fn check_paths(&self) -> Result<(), Diagnostic> {
        let files = [&self.facts, &self.node_data, &self.hiera].into_iter().flatten();
        let store = self.store.as_deref().filter(|store| !is_remote(store)).and_then(Path::parent);
        let store = store.filter(|parent| *parent != Path::new(""));
        let all = files
            .chain(&self.stubs)
            .chain(&self.kinds)
            .chain(&self.puppet_libs)
            .map(PathBuf::as_path)
            .chain(store);
        let world = self.untracked_world();
        let is_missing = |path: &&Path| *path != Path::new("-") && world.kind(path).is_none();
        if let Some(path) = all.into_iter().find(is_missing) {
            return Err(codes::missing(path));
        }
        // Without this check, a lookup would silently ignore the file.
        let Some(path) = &self.hiera else { return Ok(()) };
        match world.read(path) {
            Err(error) => Err(codes::unreadable(path, &error)),
            Ok(_) => Ok(()),
        }
    }

    /// Warnings about missing directories of the module path, which upstream ignores, about
    /// directories without manifests of kinds, and about an empty `hiera.yaml`.
    pub fn missing_modules(&self) -> Vec<Diagnostic> {
        let missing = missing_modules(self.modulepath.as_deref()).into_iter();
        let is_empty = |dir: &&PathBuf| external::read(dir).is_ok_and(|kinds| kinds.is_empty());
        let empty = self.kinds.iter().filter(is_empty).map(|dir| {
            let text = format!("--kinds names {}, which has no manifest of a kind", dir.display());
            Diagnostic::warning(codes::NOTHING, text)
        });
        let hiera = self.hiera.iter().filter(|path| {
            ordain_source::read_input(path).is_ok_and(|text| text.trim_ascii().is_empty())
        });
        let hiera = hiera.map(|path| {
            let text = format!("{} is empty, so no data is found by it", path.display());
            Diagnostic::warning(codes::NOTHING, text)
        });
        missing.chain(empty).chain(hiera).collect()
    }

    /// The kinds of the engine and those of other programs.
    ///
    /// # Errors
    /// When a manifest cannot be read.
    pub fn registry(&self) -> Result<Arc<Registry>, Diagnostic> {
        let mut registry = Registry::default();
        for dir in &self.kinds {
            external::register(&mut registry, dir)
                .map_err(|e| Diagnostic::error(codes::MANIFEST, e.to_string()))?;
        }
        Ok(Arc::new(registry))
    }

    /// The resource types that Puppet's language gets for kinds of other programs.
    ///
    /// # Errors
    /// When a manifest cannot be read.
    pub fn resource_types(&self) -> Result<Vec<(EcoString, RubyType)>, Diagnostic> {
        let mut types = Vec::new();
        for dir in &self.kinds {
            let kinds = external::read(dir)
                .map_err(|e| Diagnostic::error(codes::MANIFEST, e.to_string()))?;
            types.extend(kinds.iter().map(|kind| {
                let ExternalType { name, namevar, attributes } = kind.described();
                let open = attributes.is_none();
                let names = attributes.unwrap_or_else(|| vec![namevar]);
                let names = names.into_iter().map(EcoString::from).collect();
                (name.into(), RubyType::named(names, open))
            }));
        }
        Ok(types)
    }

    /// The store of exported resources, if there is one.
    ///
    /// # Errors
    /// When it cannot be used.
    pub fn export_store(&self) -> Result<Option<Arc<ExportStore>>, Diagnostic> {
        if self.store.as_deref().is_some_and(is_remote) {
            let text = "--store names a server, which stores values of mcl programs only";
            return Err(Diagnostic::error(codes::ARGUMENTS, text)
                .help("for the exported resources of manifests it is a directory"));
        }
        let store = self.store.as_deref().map(ExportStore::open).transpose();
        Ok(store.map_err(codes::state)?.map(Arc::new))
    }

    /// The map that collects the source texts of a compile.
    pub fn sources(&self) -> Arc<SourceMap> {
        self.texts.clone().unwrap_or_else(|| Arc::new(SourceMap::new()))
    }
}

/// Whether the address of a store names a server, and no directory.
pub(crate) fn is_remote(store: &Path) -> bool {
    store.to_str().is_some_and(|text| text.contains("://"))
}
