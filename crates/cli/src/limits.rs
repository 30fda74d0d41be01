//! The budget of an evaluation: the setting that raises it, and the message of a process that
//! exceeds it.

use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};

use ordain_source::limits::Exceeded;
use ordain_source::{Diagnostic, SourceMap, budget, render};

use crate::codes;
use crate::options::{DiagnosticsForm, GlobalArgs};

/// Whether the message is a JSON object.
static IS_JSON: AtomicBool = AtomicBool::new(false);

/// Sets the budget from the arguments.
pub(crate) fn set(args: &GlobalArgs) {
    IS_JSON.store(args.diagnostics == DiagnosticsForm::Json, Ordering::Relaxed);
    budget::set_factor(args.limits);
    budget::ends_with(print);
}

/// Sets the budget from the environment, for the command lines of other programs.
pub(crate) fn set_by_environment() {
    let factor = std::env::var("ORDAIN_LIMITS").ok().and_then(|text| text.parse().ok());
    budget::set_factor(factor.unwrap_or(1));
    budget::ends_with(print);
}

/// Prints the exceeded limit. Writes to standard error directly, since the evaluating thread may
/// hold all locks.
fn print(bound: Exceeded, place: &str) {
    let mut diagnostic = Diagnostic::error(codes::LIMIT, bound.to_string());
    if !place.is_empty() {
        diagnostic = diagnostic.help(format!("it was at {place}"));
    }
    let text = match IS_JSON.load(Ordering::Relaxed) {
        true => format!("{}\n", render::json(&diagnostic, &SourceMap::new())),
        false => render::human(&diagnostic, &SourceMap::new(), false),
    };
    // A closed stderr is no reason to fail.
    let _ = std::io::stderr().write_all(text.as_bytes());
}
