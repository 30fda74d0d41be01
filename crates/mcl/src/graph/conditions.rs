//! Helpers for checks of fields.

use super::resource::Resource;

/// An error with this text if the condition holds.
pub(super) fn unless(is_wrong: bool, text: &str) -> Result<(), String> {
    if is_wrong { Err(text.into()) } else { Ok(()) }
}

/// The text of a field, or else the name of the resource.
pub(super) fn named(resource: &Resource, field: &str) -> String {
    let text = resource.text(field);
    if text.is_empty() { resource.name.clone() } else { text }
}
