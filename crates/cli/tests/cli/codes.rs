//! `ordain explain-code` documents every code of every crate in sufficient detail.

use std::path::Path;
use std::process::Command;

use ordain_source::CodeDoc;
use ordain_testkit::codes;

/// The documentation of all codes.
fn documented() -> Vec<CodeDoc> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ordain"));
    let output = command.args(["explain-code", "--format", "json"]).output().unwrap();
    let document: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let docs = document["codes"].as_array().unwrap().iter();
    docs.map(|doc| {
        let text = |key: &str| &*doc[key].as_str().unwrap().to_owned().leak();
        CodeDoc { code: text("code"), summary: text("summary"), details: text("details") }
    })
    .collect()
}

#[test]
fn every_code_of_every_crate_is_documented() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut used = codes::quoted_below(&crates, &["tests", "testkit"]);
    used.retain(|text| {
        codes::is_code(text, &["ordain", "puppet", "dynaml", "inmanta", "mcl", "test", "lint"])
    });
    codes::documented(&used, &documented());
}

#[test]
fn every_code_has_an_example_and_what_to_do() {
    codes::check_details(&documented());
}
