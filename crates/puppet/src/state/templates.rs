//! Values that templates put into scopes.

use ordain_ruby::Value as Ruby;

/// A value that a template put into a scope.
pub(crate) struct TemplateObject {
    /// How many there were before.
    pub(crate) number: usize,
    pub(crate) value: Ruby,
}
