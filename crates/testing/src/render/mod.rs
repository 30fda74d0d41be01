//! Reports in the output formats.

mod html;
mod json;
mod junit;
mod text;

pub use html::coverage_html;
pub use json::json;
pub use junit::junit;
pub use text::{Line, coverage_text, text};
