//! Reads YAML.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let _value = ordain_data::yaml::read(text, ordain_data::yaml::Schema::Psych);
});
