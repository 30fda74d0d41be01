//! Resolves a path to the file that defines its item.

use std::collections::BTreeSet;
use std::path::PathBuf;

use crate::Imports;
use crate::modules::{Crate, Module};

/// The limit for following re-exports, which may form a cycle.
const MAX_STEPS: usize = 32;

/// The target of a name.
#[derive(Clone, Copy)]
enum Target {
    Module(usize),
    /// An item that the module defines.
    Item(usize),
}

/// The files of a crate, each with the files whose items it names.
pub(crate) fn imports(all: &Crate) -> Imports {
    let mut imports = Imports::new();
    for (at, module) in all.modules.iter().enumerate() {
        let targets = imports.entry(module.file.clone()).or_default();
        add(all, at, module, targets);
        targets.remove(&module.file);
    }
    imports
}

fn add(all: &Crate, at: usize, module: &Module, targets: &mut BTreeSet<PathBuf>) {
    // A parent that re-exports items of its children does not use them.
    let handed_on = |target: usize| {
        let mut up = all.modules[target].parent;
        while let Some(parent) = up {
            if parent == at {
                return true;
            }
            up = all.modules[parent].parent;
        }
        false
    };
    for path in &module.paths {
        let is_use = module.names.values().any(|used| used == path);
        if let Some(Target::Item(target)) = resolve(all, at, path, MAX_STEPS)
            && !(is_use && handed_on(target) && !uses(module, path))
        {
            targets.insert(all.modules[target].file.clone());
        }
    }
    for path in &module.globs {
        if let Some(Target::Module(target)) = resolve(all, at, path, MAX_STEPS)
            && !handed_on(target)
        {
            targets.insert(all.modules[target].file.clone());
        }
    }
}

/// Whether a module uses an import in its own code.
fn uses(module: &Module, path: &[String]) -> bool {
    let Some(name) = path.last() else { return false };
    module.single.contains(name)
        || module.paths.iter().any(|other| other.first() == Some(name) && other.len() > 1)
}

/// Resolves a path in a module; `None` for paths into other crates.
fn resolve(all: &Crate, at: usize, path: &[String], steps: usize) -> Option<Target> {
    let (first, rest) = path.split_first()?;
    let start = match first.as_str() {
        "crate" => Target::Module(0),
        "self" => Target::Module(at),
        "super" => Target::Module(all.modules[at].parent?),
        name => member(all, at, name, steps, false)?,
    };
    walk(all, start, rest, steps)
}

fn walk(all: &Crate, start: Target, path: &[String], steps: usize) -> Option<Target> {
    let mut here = start;
    for name in path {
        here = match (here, name.as_str()) {
            (Target::Module(at), "super") => Target::Module(all.modules[at].parent?),
            (Target::Module(at), name) => match member(all, at, name, steps, true) {
                Some(target) => target,
                // The re-export of an item of another crate.
                None if all.modules[at].names.contains_key(name) => return None,
                None => Target::Item(at),
            },
            // Variants and associated items.
            (Target::Item(_), _) => return Some(here),
        };
    }
    Some(here)
}

/// A name of a module: a child, an import, or (`own`) an item.
fn member(all: &Crate, at: usize, name: &str, steps: usize, own: bool) -> Option<Target> {
    let module = &all.modules[at];
    if let Some(child) = module.children.get(name) {
        return Some(Target::Module(*child));
    }
    let steps = steps.checked_sub(1)?;
    if let Some(path) = module.names.get(name)
        && (path.first().map(String::as_str) != Some(name) || path.len() > 1)
    {
        return resolve(all, at, path, steps);
    }
    if module.items.contains(name) {
        return own.then_some(Target::Item(at));
    }
    module.globs.iter().find_map(|glob| match resolve(all, at, glob, steps)? {
        Target::Module(target) => member(all, target, name, steps, true),
        Target::Item(target) => Some(Target::Item(target)),
    })
}
