//! The Python files of a module.

use std::path::{Path, PathBuf};

use ordain_source::World;

/// The limit for nested packages.
const MAX_DEPTH: usize = 20;

/// A module with Python code.
#[derive(Clone, Debug)]
pub struct Module {
    /// Its name.
    pub name: String,
    /// Its directory, with `files` and `templates`.
    pub directory: PathBuf,
    /// The directory of its Python code, if it has any: `plugins`, or the package itself.
    pub python: Option<PathBuf>,
}

impl Module {
    /// The Python modules to import: all files below the directory.
    pub(super) fn imports(&self, world: &dyn World) -> Vec<String> {
        self.files(world).into_iter().map(|(name, _)| name).collect()
    }

    /// The Python modules with their files.
    pub(super) fn files(&self, world: &dyn World) -> Vec<(String, PathBuf)> {
        let mut out = Vec::new();
        if let Some(directory) = &self.python {
            collect(world, directory, &format!("inmanta_plugins.{}", self.name), &mut out, 0);
        }
        out.sort();
        out
    }
}

fn collect(
    world: &dyn World,
    directory: &Path,
    name: &str,
    out: &mut Vec<(String, PathBuf)>,
    depth: usize,
) {
    use ordain_source::world::EntryKind;
    let Ok(entries) = world.list(directory) else { return };
    for (file, kind) in entries {
        let stem = file.strip_suffix(".py");
        match (kind, stem) {
            (EntryKind::File, Some("__init__")) => {
                out.push((name.to_owned(), directory.join(&file)))
            }
            (EntryKind::File, Some(stem)) => {
                out.push((format!("{name}.{stem}"), directory.join(&file)));
            }
            (EntryKind::Directory, _)
                if depth < MAX_DEPTH
                    && !matches!(
                        file.as_str(),
                        "model" | "files" | "templates" | "__pycache__"
                    ) =>
            {
                let inner = directory.join(&file);
                if world.kind(&inner.join("__init__.py")).is_some() {
                    collect(world, &inner, &format!("{name}.{file}"), out, depth + 1);
                }
            }
            _ => {}
        }
    }
}
