//! Helpers for the conditions that kinds ask of their fields.

use super::resource::Resource;

/// An error with this text if something is wrong.
pub(super) fn unless(is_wrong: bool, text: &str) -> Result<(), String> {
    if is_wrong { Err(text.into()) } else { Ok(()) }
}

/// A field that names something, else the name of the resource.
pub(super) fn named(resource: &Resource, field: &str) -> String {
    let text = resource.text(field);
    if text.is_empty() { resource.name.clone() } else { text }
}
