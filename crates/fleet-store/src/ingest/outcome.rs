//! The outcomes of commands.

/// The outcome of a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// It was stored.
    Stored {
        /// Whether contents changed, not only times.
        changed: bool,
    },
    /// A newer one was stored before; nothing changed.
    Stale,
    /// The report was stored before.
    Duplicate,
}
