//! Jinja2 templates.

use ecow::EcoString;

use crate::plugin::{Context, Stop};
use crate::value::Value;

/// Renders a template.
///
/// # Errors
/// If there is none at the path, or it cannot be rendered.
pub fn render(
    _context: &mut dyn Context,
    path: &str,
    _keywords: &[(EcoString, Value)],
) -> Result<String, Stop> {
    Err(Stop::raised("jinja2.exceptions.TemplateNotFound", path))
}
