//! Parses a template and validates it.
#![no_main]

use libfuzzer_sys::fuzz_target;
use ordain_puppet::{syntax, validation};
use ordain_source::FileId;

fuzz_target!(|text: &str| {
    let parsed = syntax::parse_epp(FileId(0), text);
    let _found = validation::validate(&parsed.program, &validation::Options::default());
    let _pn = syntax::pn::print(&parsed.program);
});
