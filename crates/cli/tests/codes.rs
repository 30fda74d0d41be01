//! `ordain explain-code` knows every code that any crate can give, and says enough about each.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

/// The documentation of all codes: summary and details by code.
fn documented() -> BTreeMap<String, (String, String)> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ordain"));
    let output = command.args(["explain-code", "--format", "json"]).output().unwrap();
    let document: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let text = |doc: &serde_json::Value, key: &str| doc[key].as_str().unwrap().to_string();
    let docs = document["codes"].as_array().unwrap().iter();
    docs.map(|d| (text(d, "code"), (text(d, "summary"), text(d, "details")))).collect()
}

/// Calls `found` for every text between double quotes that is a code, in all sources below.
fn codes_below(dir: &Path, found: &mut impl FnMut(&str)) {
    for entry in std::fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() && !path.ends_with("tests") {
            codes_below(&path, found);
        } else if path.extension().is_some_and(|e| e == "rs") {
            let source = std::fs::read_to_string(&path).unwrap();
            // Tests make up their own.
            let source = source.split("#[cfg(test)]").next().unwrap();
            for text in source.lines().flat_map(|line| line.split('"').skip(1).step_by(2)) {
                let named = text.strip_prefix("ordain::").or(text.strip_prefix("puppet::"));
                let is_name = |n: &str| n.bytes().all(|b| b.is_ascii_lowercase() || b == b'-');
                if named.is_some_and(|n| !n.is_empty() && is_name(n)) {
                    found(text);
                }
            }
        }
    }
}

#[test]
fn every_code_of_every_crate_is_documented() {
    let documented = documented();
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let (mut used, mut missing) = (0, Vec::new());
    codes_below(&crates, &mut |code| {
        used += 1;
        if !documented.contains_key(code) {
            missing.push(code.to_string());
        }
    });
    assert!(used > documented.len() / 2, "the sources were not read: {used}");
    assert!(missing.is_empty(), "not documented: {missing:?}");
}

#[test]
fn every_code_has_an_example_and_what_to_do() {
    for (code, (summary, details)) in documented() {
        assert!(!summary.is_empty() && !summary.ends_with('.'), "{code}: {summary}");
        assert!(details.contains('`') || details.contains("\n    "), "no example: {code}");
        assert!(details.len() >= 25, "says little: {code}: {details}");
    }
}
