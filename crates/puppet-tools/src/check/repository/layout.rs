//! The grouping of files: an environment with its modules, modules beside each other, or single
//! files.

use std::path::{Path, PathBuf};

use ecow::EcoString;
use ordain_source::{EntryKind, World};
use rustc_hash::FxHashMap;

use ordain_puppet::load::bolt_modulepath;

/// The maximal nesting of directories, which ends loops of links.
const MAX_DEPTH: usize = 32;

/// The default module path of an environment.
const MODULEPATH: &str = "site-modules:modules:$basemodulepath";

/// The directories of modules that belong to no environment.
const BASE_MODULEPATH: [&str; 2] =
    ["/etc/puppetlabs/code/modules", "/opt/puppetlabs/puppet/modules"];

/// Directories of a module or environment with manifests that are not part of it.
const ASIDE: [&str; 9] =
    ["spec", "tests", "test", "examples", "acceptance", "docs", "doc", "vendor", "pkg"];

/// The kind of a group of files.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(super) enum Kind {
    /// An environment, also a control repository.
    Environment,
    /// Modules in one directory.
    Modules,
    /// One module.
    Module,
    /// Files that are part of nothing.
    Loose,
}

/// A directory of files that belong together.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(super) struct Root {
    pub(super) kind: Kind,
    pub(super) dir: PathBuf,
}

/// Whether a file is a test or an example.
pub(super) fn is_aside(root: &Path, path: &Path) -> bool {
    let rest = path.strip_prefix(root).unwrap_or(path);
    rest.components().any(|c| c.as_os_str().to_str().is_some_and(|name| ASIDE.contains(&name)))
}

/// Finds the group of directories, each once.
pub(super) struct Roots<'w> {
    world: &'w dyn World,
    known: FxHashMap<PathBuf, Root>,
}

impl<'w> Roots<'w> {
    pub(super) fn new(world: &'w dyn World) -> Self {
        Self { world, known: FxHashMap::default() }
    }

    /// The group of a directory.
    pub(super) fn of(&mut self, dir: &Path) -> Root {
        if let Some(known) = self.known.get(dir) {
            return known.clone();
        }
        let root = self.find(dir);
        self.known.insert(dir.to_path_buf(), root.clone());
        root
    }

    fn find(&self, dir: &Path) -> Root {
        let root = |kind, dir: &Path| Root { kind, dir: dir.to_path_buf() };
        if let Some(found) = dir.ancestors().find(|a| self.is_environment(a)) {
            return root(Kind::Environment, found);
        }
        if let Some(found) = dir.ancestors().find(|a| self.looks_like_environment(a)) {
            return root(Kind::Environment, found);
        }
        let modules: Vec<&Path> = dir.ancestors().filter(|a| self.is_module(a)).collect();
        match modules.last() {
            Some(module) => root(Kind::Module, module),
            None => root(Kind::Loose, dir),
        }
    }

    fn is_file(&self, path: PathBuf) -> bool {
        self.world.kind(&path) == Some(EntryKind::File)
    }

    fn is_dir(&self, path: PathBuf) -> bool {
        self.world.kind(&path) == Some(EntryKind::Directory)
    }

    fn is_environment(&self, dir: &Path) -> bool {
        self.is_file(dir.join("environment.conf"))
            || ["Puppetfile", "bolt-project.yaml"].iter().any(|name| self.is_file(dir.join(name)))
                && !self.is_module(dir)
    }

    fn looks_like_environment(&self, dir: &Path) -> bool {
        let has_modules = ["modules", "site-modules"].iter().any(|m| self.is_dir(dir.join(m)));
        has_modules
            && !self.is_file(dir.join("metadata.json"))
            && (self.is_dir(dir.join("manifests")) || self.is_file(dir.join("hiera.yaml")))
    }

    fn is_module(&self, dir: &Path) -> bool {
        self.is_file(dir.join("metadata.json"))
            || dir.parent().is_some_and(holds_modules)
                && ["manifests", "functions", "types", "lib"]
                    .iter()
                    .any(|part| self.is_dir(dir.join(part)))
    }
}

/// A directory of a module.
#[derive(Clone, Debug)]
pub(super) struct ModuleDir {
    pub(super) name: EcoString,
    pub(super) dir: PathBuf,
}

/// The module path of an environment, and whether all its directories exist.
pub(super) fn modulepath(world: &dyn World, dir: &Path) -> (Vec<PathBuf>, bool) {
    let conf = world.read(&dir.join("environment.conf")).unwrap_or_default();
    let conf = String::from_utf8_lossy(&conf);
    let setting = conf.lines().rev().find_map(|line| {
        let (key, value) = line.split('#').next()?.split_once('=')?;
        (key.trim() == "modulepath").then(|| value.trim().to_owned())
    });
    let setting = setting.or_else(|| bolt_modulepath(world, dir));
    let text = setting.unwrap_or_else(|| MODULEPATH.to_owned());
    let (mut dirs, mut complete) = (Vec::new(), true);
    for part in text.split(':').map(str::trim).filter(|part| !part.is_empty()) {
        if part.contains("$basemodulepath") {
            dirs.extend(BASE_MODULEPATH.iter().map(PathBuf::from));
        } else if part.contains('$') {
            complete = false;
        } else {
            let path = dir.join(part);
            complete &= !part.starts_with('/') || world.kind(&path).is_some();
            dirs.push(path);
        }
    }
    dirs.extend(puppetfile_dirs(world, dir));
    dirs.retain(|dir| world.kind(dir) == Some(EntryKind::Directory));
    (dirs, complete)
}

/// The directories for modules that the Puppetfile sets.
fn puppetfile_dirs(world: &dyn World, dir: &Path) -> Vec<PathBuf> {
    let text = world.read(&dir.join("Puppetfile")).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    super::metadata::module_dirs(&text).map(|(_, set)| dir.join(set)).collect()
}

/// The modules in a directory.
pub(super) fn modules_in(world: &dyn World, dir: &Path) -> Vec<ModuleDir> {
    let entries = world.list(dir).unwrap_or_default();
    let dirs = entries.into_iter().filter(|(name, kind)| {
        *kind == EntryKind::Directory && name.starts_with(|c: char| c.is_ascii_alphabetic())
    });
    dirs.map(|(name, _)| module(world, &dir.join(name))).collect()
}

/// The module of a directory. Its name is that in its metadata, else the name of the directory
/// without the author.
pub(super) fn module(world: &dyn World, dir: &Path) -> ModuleDir {
    let folder = dir.file_name().and_then(|n| n.to_str()).unwrap_or_default();
    let plain = folder.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_');
    let in_modules = plain && dir.parent().is_some_and(holds_modules);
    let said = (!in_modules).then(|| super::metadata::name(world, dir)).flatten();
    let name = said.unwrap_or_else(|| folder.rsplit('-').next().unwrap_or(folder).into());
    ModuleDir { name, dir: dir.to_path_buf() }
}

/// All files with this extension below a directory, except in hidden directories.
pub(super) fn files_below(world: &dyn World, dir: &Path, ends: &[&str]) -> Vec<PathBuf> {
    let mut out = Vec::new();
    collect(world, dir, ends, 0, &mut out);
    out
}

fn collect(world: &dyn World, dir: &Path, ends: &[&str], depth: usize, out: &mut Vec<PathBuf>) {
    if depth > MAX_DEPTH {
        return;
    }
    for (name, kind) in world.list(dir).unwrap_or_default() {
        if name.starts_with('.') {
            continue;
        }
        match kind {
            EntryKind::Directory => collect(world, &dir.join(name), ends, depth + 1, out),
            EntryKind::File if ends.iter().any(|end| name.ends_with(end)) => {
                out.push(dir.join(name));
            }
            _ => {}
        }
    }
}

/// Whether a directory is one for modules by its name.
pub(crate) fn holds_modules(dir: &Path) -> bool {
    let name = dir.file_name().and_then(|n| n.to_str());
    matches!(name, Some("modules" | "site-modules" | "site"))
}
