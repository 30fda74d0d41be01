//! Parses the interpolations of a text in Hiera data.
#![no_main]

use libfuzzer_sys::fuzz_target;
use ordain_puppet::hiera::interpolation;

fuzz_target!(|text: &str| {
    let _parts = interpolation::parse(text);
});
