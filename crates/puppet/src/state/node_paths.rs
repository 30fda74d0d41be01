//! The path of a value of the node while an expression reads it.

use ordain_source::inputs;

/// The path of a value of the node that an expression has evaluated to, until it is noted.
#[derive(Default)]
pub(crate) struct PathInProgress {
    /// Whether the access that begins next passes its path to the one around it.
    pub(crate) is_inner: bool,
    pub(crate) path: Option<String>,
    /// A buffer for the next path.
    pub(crate) spare: String,
}

impl PathInProgress {
    /// Notes a path, and keeps its memory.
    pub(crate) fn note(&mut self, mut path: String) {
        inputs::note_value(&path);
        path.clear();
        self.spare = path;
    }
}
