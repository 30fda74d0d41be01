//! Every code that the sources name is documented.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeSet;
use std::path::Path;

use ordain_puppet::codes::CODES;

/// Words that look like issues and are none.
const OTHERS: [&str; 2] = ["STDLIB_LOG_DEPRECATIONS", "BINARY"];

/// The text between double quotes, as far as quotes are in pairs on a line.
fn quoted(line: &str) -> impl Iterator<Item = &str> {
    line.split('"').skip(1).step_by(2)
}

fn is_issue(text: &str) -> bool {
    text.len() >= 6
        && text.starts_with(|c: char| c.is_ascii_uppercase())
        && text.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_')
        && !OTHERS.contains(&text)
}

fn codes_in(dir: &Path, found: &mut BTreeSet<String>) {
    for entry in std::fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() && !path.ends_with("codes") {
            codes_in(&path, found);
        } else if path.extension().is_some_and(|e| e == "rs") {
            let source = std::fs::read_to_string(&path).unwrap();
            for text in source.lines().flat_map(quoted) {
                if is_issue(text) {
                    let code = text.to_lowercase().replace('_', "-");
                    found.insert(format!("puppet::{code}"));
                } else if text.starts_with("puppet::") && !text.contains([' ', '{']) {
                    found.insert(text.to_owned());
                }
            }
        }
    }
}

#[test]
fn every_code_is_documented() {
    let mut used = BTreeSet::new();
    codes_in(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut used);
    assert!(used.len() > 100, "the sources were not read");
    let documented: BTreeSet<_> = CODES.iter().map(|doc| doc.code.to_owned()).collect();
    let missing: Vec<_> = used.difference(&documented).collect();
    assert!(missing.is_empty(), "not documented: {missing:#?}");
    let unused: Vec<_> = documented.difference(&used).collect();
    assert!(unused.is_empty(), "not used: {unused:#?}");
    assert_eq!(documented.len(), CODES.len(), "a code stands twice");
}

#[test]
fn every_code_says_what_to_do() {
    for doc in CODES {
        assert!(!doc.summary.ends_with('.') && doc.summary.len() < 90, "{}", doc.code);
        assert!(doc.details.ends_with('.') && doc.details.len() > 20, "{}", doc.code);
    }
}
