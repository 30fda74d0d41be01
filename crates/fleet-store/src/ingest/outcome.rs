//! The outcomes of commands.

/// The outcome of a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// It was stored.
    Stored {
        /// Whether the content changed, not only timestamps.
        changed: bool,
    },
    /// The stored data is newer; nothing changed.
    Stale,
    /// The report was already stored.
    Duplicate,
}
