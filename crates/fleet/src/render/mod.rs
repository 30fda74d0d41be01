//! Writes a comparison for people and programs.

mod describe;
mod groups;
mod html;
mod json;
mod line;
mod markdown;
mod text;

pub use groups::{CHANGE_COLUMNS, change_rows, groups};
pub use html::{html, html_page};
pub use json::{FORMAT, SCHEMA, json};
pub use line::{Line, Tone};
pub use markdown::markdown;
pub use text::text;
