//! Modules on the module path, and the files of a site program.

use std::path::{Path, PathBuf};

use ecow::EcoString;
use indexmap::IndexMap;
use ordain_data::yaml::Tree;
use ordain_source::{EntryKind, World};
use rustc_hash::FxBuildHasher;

/// The maximal nesting of directories of site manifests, which ends loops of links.
const MAX_DEPTH: usize = 32;

/// A module on the module path.
#[derive(Clone, Debug)]
pub struct Module {
    /// Its name.
    pub name: EcoString,
    /// Its directory.
    pub dir: PathBuf,
}

/// The modules of a path. If two have the same name, the first wins. Entries that are not
/// directories or whose name is not valid for modules are skipped.
pub(super) fn list(
    world: &dyn World,
    path: &[PathBuf],
) -> IndexMap<EcoString, Module, FxBuildHasher> {
    let mut modules = IndexMap::default();
    for dir in path {
        for (name, kind) in world.list(dir).unwrap_or_default() {
            if kind == EntryKind::Directory && is_module_name(&name) {
                let dir = dir.join(&name);
                let name = EcoString::from(name);
                modules.entry(name.clone()).or_insert(Module { name, dir });
            }
        }
    }
    modules
}

/// The module path of a Bolt project, relative to it, with the paths that every project has; `None`
/// if the directory is not a project.
pub fn bolt_modulepath(world: &dyn World, dir: &Path) -> Option<String> {
    let bytes = world.read(&dir.join("bolt-project.yaml")).ok()?;
    let tree = Tree::parse(&String::from_utf8(bytes).ok()?).ok()?;
    let dirs: Vec<&str> = match tree.find_node(&["modulepath"]) {
        None => vec!["modules"],
        Some(list) => match tree.text(list) {
            Some(text) => vec![text],
            None => tree.children(list).filter_map(|id| tree.text(id)).collect(),
        },
    };
    Some(dirs.join(":") + ":.modules")
}

fn is_module_name(name: &str) -> bool {
    let mut bytes = name.bytes();
    bytes.next().is_some_and(|b| b.is_ascii_lowercase())
        && bytes.all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_')
}

/// The files of a site program: the file itself, or all `.pp` files below a directory, depth first
/// and sorted by name. Entries that are not files, such as broken links, are included, because
/// reading them reports the error.
pub fn manifest_files(world: &dyn World, path: &Path) -> Vec<PathBuf> {
    let mut out = Vec::new();
    match world.kind(path) {
        Some(EntryKind::Directory) => collect(world, path, 0, &mut out),
        _ => out.push(path.to_path_buf()),
    }
    out
}

fn collect(world: &dyn World, dir: &Path, depth: usize, out: &mut Vec<PathBuf>) {
    if depth > MAX_DEPTH {
        return;
    }
    for (name, kind) in world.list(dir).unwrap_or_default() {
        let path = dir.join(&name);
        let is_manifest = name.ends_with(".pp");
        match kind {
            EntryKind::File if is_manifest => out.push(path),
            // Editors use links without a target as lock files.
            _ if is_manifest && !name.starts_with('.') => out.push(path),
            EntryKind::Directory => collect(world, &path, depth + 1, out),
            _ => {}
        }
    }
}
