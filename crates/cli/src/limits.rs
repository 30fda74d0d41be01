//! The bounds of what is evaluated: the setting that raises them, and the message of a program that
//! one of them ends.

use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};

use ordain_source::limits::Exceeded;
use ordain_source::{Diagnostic, SourceMap, budget, render};

use crate::codes;
use crate::options::{DiagnosticsForm, GlobalArgs};

/// Whether the message is a JSON object.
static IS_JSON: AtomicBool = AtomicBool::new(false);

/// Sets the bounds that the arguments say.
pub fn set(args: &GlobalArgs) {
    IS_JSON.store(args.diagnostics == DiagnosticsForm::Json, Ordering::Relaxed);
    budget::set_factor(args.limits);
    budget::ends_with(print);
}

/// Sets them where the arguments are those of another program.
pub fn set_by_environment() {
    let factor = std::env::var("ORDAIN_LIMITS").ok().and_then(|text| text.parse().ok());
    budget::set_factor(factor.unwrap_or(1));
    budget::ends_with(print);
}

/// Says at what the program is ended. The thread that evaluates may hold all else, so this goes to
/// standard error by itself.
fn print(bound: Exceeded, place: &str) {
    let mut diagnostic = Diagnostic::error(codes::LIMIT, bound.to_string());
    if !place.is_empty() {
        diagnostic = diagnostic.help(format!("it was at {place}"));
    }
    let text = match IS_JSON.load(Ordering::Relaxed) {
        true => format!("{}\n", render::json(&diagnostic, &SourceMap::new())),
        false => render::human(&diagnostic, &SourceMap::new(), false),
    };
    // Nobody may be reading.
    let _ = std::io::stderr().write_all(text.as_bytes());
}
