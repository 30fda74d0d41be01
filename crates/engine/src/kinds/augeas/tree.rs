//! The tree of files that Augeas loads, and its nodes.

use std::path::{Path, PathBuf};

/// The part of the machine that Augeas loads.
#[derive(Clone, Debug)]
pub(super) struct Tree {
    /// The directory below which it looks for files.
    pub(super) root: String,
    /// Directories with further lenses.
    pub(super) load_path: Vec<String>,
    /// A single file with its lens, in place of all known ones.
    pub(super) only: Option<(String, String)>,
    /// Whether lenses are type-checked.
    pub(super) type_check: bool,
    /// The context of paths.
    pub(super) context: String,
}

/// A node of the tree.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Node {
    /// Its path.
    pub(super) path: String,
    /// Its value, if it has one.
    pub(super) value: Option<String>,
}

/// Below the root of the tree.
pub(super) fn on_machine(tree: &Tree, path: &Path) -> PathBuf {
    let inner = path.strip_prefix("/").unwrap_or(path);
    Path::new(&tree.root).join(inner)
}

/// The path of the file or directory of a context that is no expression.
pub(super) fn plain_context(context: &str) -> Option<&str> {
    let path = context.strip_prefix("/files")?;
    let is_plain = path.starts_with('/') && !path.contains(['\'', '"', '[', ']', '\n']);
    let path = path.strip_suffix('/').unwrap_or(path);
    (is_plain && !path.is_empty()).then_some(path)
}
