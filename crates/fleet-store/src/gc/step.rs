//! A step of a garbage collection.

/// The result of a step.
pub(super) struct Step {
    /// The number of rows that it handled.
    pub(super) count: u64,
    /// Whether there may be more.
    pub(super) more: bool,
}
