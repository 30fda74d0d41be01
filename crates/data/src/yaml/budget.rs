//! The bounds of documents.

/// The bounds of a document. A file of a few lines can nest aliases so that it stands for billions of
/// values: values count as often as they are reached.
#[derive(Clone, Copy, Debug)]
pub struct Budget {
    /// How deep lists and maps may be nested. Everything that walks a value recurses, in threads
    /// with small stacks too.
    pub depth: u32,
    /// How many values the aliases and merge keys of a document may add.
    pub nodes: u64,
}

impl Default for Budget {
    fn default() -> Self {
        Self { depth: 128, nodes: 1_000_000 }
    }
}
