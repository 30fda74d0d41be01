//! Parses a manifest, validates it, and prints its tree in every form.
#![no_main]

use libfuzzer_sys::fuzz_target;
use ordain_puppet::{syntax, validation};
use ordain_source::FileId;

fuzz_target!(|text: &str| {
    let parsed = syntax::parse(FileId(0), text);
    for diagnostic in &parsed.diagnostics {
        let range = diagnostic.primary.as_ref().map(|label| label.span.range).unwrap_or_default();
        assert!(range.start <= range.end && range.end as usize <= text.len());
    }
    let _found = validation::validate(&parsed.program, &validation::Options::default());
    let _tree = syntax::dump::tree(&parsed.program);
    let _json = syntax::dump::json(&parsed.program);
    let _pn = syntax::pn::print(&parsed.program);
});
