//! A proposed change.

use ordain_source::TextRange;

/// A change of one place.
pub(super) struct Change {
    /// Its words.
    pub(super) title: String,
    /// The replaced range.
    pub(super) range: TextRange,
    /// The new text.
    pub(super) text: String,
}
