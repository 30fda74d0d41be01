//! A snapshot of all files.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use ecow::EcoString;
use ordain_puppet::load::RubyType;
use ordain_source::{EntryKind, World};
use rustc_hash::FxHashMap;

use crate::file::File;
use crate::language::Language;
use crate::node::{NodeData, NodeSettings, NodeValue};
use crate::puppet::names::Symbol;
use crate::types::{Place, Report};
use crate::usage::{KnownUsages, Usage};

/// The files by path.
pub(crate) type Files = BTreeMap<PathBuf, Arc<File>>;

/// The last diagnostics of each file that has some.
pub(crate) type Reports = BTreeMap<PathBuf, Report>;

/// The directories of modules by name.
pub(crate) type Modules = OnceLock<FxHashMap<EcoString, PathBuf>>;

/// The files of a workspace at one time.
///
/// Offsets count bytes. Methods with a path return nothing if no file has it.
#[derive(Clone)]
pub struct Analysis {
    pub(crate) files: Arc<Files>,
    pub(crate) modules: Arc<Modules>,
    pub(crate) reports: Arc<Reports>,
    pub(crate) node: NodeSettings,
    pub(crate) node_data: Arc<NodeData>,
    pub(crate) usages: KnownUsages,
    pub(crate) world: Arc<dyn World>,
    pub(crate) roots: Arc<[PathBuf]>,
    pub(crate) cancelled: Arc<dyn Fn() -> bool + Send + Sync>,
}

impl Analysis {
    /// The same files, for a request that ends early with an incomplete answer once `cancelled`
    /// returns true.
    #[must_use]
    pub fn until(self, cancelled: Arc<dyn Fn() -> bool + Send + Sync>) -> Self {
        Self { cancelled, ..self }
    }

    pub(crate) fn is_cancelled(&self) -> bool {
        (self.cancelled)()
    }

    pub(crate) fn files(&self) -> impl Iterator<Item = &File> {
        self.files.values().map(|file| &**file)
    }

    pub(crate) fn file(&self, path: &Path) -> Option<&File> {
        self.files.get(path).map(|file| &**file)
    }

    /// The language of a file.
    pub fn language(&self, path: &Path) -> Option<Language> {
        self.file(path)?.language
    }

    /// The text of a place, if its file can be read.
    pub fn text(&self, place: &Place) -> Option<String> {
        let text = self.read(&place.path)?;
        text.get(place.start as usize..place.end as usize).map(ToOwned::to_owned)
    }

    /// The name of the chosen node.
    pub fn node(&self) -> Option<&str> {
        self.node.name.as_deref()
    }

    /// The names of the nodes whose facts are known.
    pub fn nodes(&self) -> Vec<String> {
        self.node.names(self.world.as_ref())
    }

    /// The value of a key for the chosen node, in the environment around a file.
    pub(crate) fn node_value(&self, file: &Path, key: &str) -> Option<NodeValue> {
        self.node_data.value(&self.node, &self.world, file, key)
    }

    /// The nodes that use the parts of the environment around a file, if they are known.
    pub(crate) fn usage(&self, file: &Path) -> Option<&Usage> {
        self.usages.around(self.world.as_ref(), file)
    }

    /// The text of a file.
    pub(crate) fn read(&self, path: &Path) -> Option<Arc<str>> {
        if let Some(file) = self.file(path) {
            return Some(Arc::clone(&file.text));
        }
        String::from_utf8(self.world.read(path).ok()?).ok().map(Into::into)
    }

    /// A path as users know it: below the directory that is open.
    pub(crate) fn relative<'p>(&self, path: &'p Path) -> &'p Path {
        self.roots.iter().find_map(|root| path.strip_prefix(root).ok()).unwrap_or(path)
    }

    /// The directories of the modules with manifests, by name.
    fn module_dirs(&self) -> &FxHashMap<EcoString, PathBuf> {
        self.modules.get_or_init(|| {
            let mut out = FxHashMap::default();
            for path in self.files.keys() {
                let is_part = |dir: &&Path| {
                    dir.file_name().is_some_and(|n| n == "manifests" || n == "templates")
                };
                let Some(module) = path.ancestors().skip(1).find(is_part).and_then(Path::parent)
                else {
                    continue;
                };
                let Some(name) = module.file_name().and_then(|n| n.to_str()) else { continue };
                let name = name.rsplit('-').next().unwrap_or(name);
                out.entry(name.into()).or_insert_with(|| module.to_path_buf());
            }
            out
        })
    }

    /// The file of a module by its name in code: `web/vhost.erb` in `templates` of the module `web`.
    /// The module around the file that names it wins.
    pub(crate) fn module_file(&self, from: &Path, folder: &str, name: &str) -> Option<PathBuf> {
        let (module, rest) = name.split_once('/')?;
        let own = from.ancestors().find(|dir| {
            let is_it = |n: &str| n.rsplit('-').next() == Some(module);
            dir.file_name().and_then(|n| n.to_str()).is_some_and(is_it)
        });
        let dirs = own.into_iter().chain(self.module_dirs().get(module).map(PathBuf::as_path));
        let mut paths = dirs.map(|dir| dir.join(folder).join(rest));
        paths.find(|path| self.world.kind(path) == Some(EntryKind::File))
    }

    /// The file in Ruby that defines a function or resource type.
    pub(crate) fn ruby_definition(&self, _: &Path, symbol: &Symbol) -> Option<PathBuf> {
        let (name, folders): (_, &[&str]) = match symbol {
            Symbol::Function(name) => (name, &["functions", "parser/functions"]),
            Symbol::Type(name) => (name, &["type"]),
            _ => return None,
        };
        let file = format!("{}.rb", name.replace("::", "/"));
        let mut dirs: Vec<&PathBuf> = self.module_dirs().values().collect();
        dirs.sort();
        let paths = dirs.into_iter().flat_map(|dir| {
            folders.iter().map(|folder| dir.join("lib/puppet").join(folder).join(&file))
        });
        let mut paths = paths.filter(|path| self.world.kind(path).is_some());
        paths.next()
    }

    /// The attributes of a resource type in Ruby.
    pub(crate) fn ruby_attributes(&self, kind: &str) -> Vec<EcoString> {
        let path = self.ruby_definition(Path::new(""), &Symbol::Type(kind.into()));
        let text = path.and_then(|path| self.read(&path));
        text.map(|text| RubyType::read(&text).attributes).unwrap_or_default()
    }
}
