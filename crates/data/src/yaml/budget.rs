//! The bounds of documents.

/// The bounds of a document. A file of a few lines can nest aliases so that it stands for billions
/// of values: each value counts as often as it is reached.
#[derive(Clone, Copy, Debug)]
pub struct Budget {
    /// The maximum depth of lists and maps. Everything that walks a value recurses, also in threads
    /// with small stacks.
    pub depth: u32,
    /// The maximum number of values that aliases and merge keys may add.
    pub nodes: u64,
}

impl Default for Budget {
    fn default() -> Self {
        Self { depth: 128, nodes: 1_000_000 }
    }
}
