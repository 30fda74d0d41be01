//! Every code that the sources name is documented.

use std::collections::BTreeSet;
use std::path::Path;

use ordain_puppet::codes::CODES;
use ordain_testkit::codes;

/// Words that look like issues and are none, and one that is misspelt by who gave it.
const OTHERS: [&str; 6] = [
    "LC_ALL",
    "STDLIB_LOG_DEPRECATIONS",
    "BINARY",
    "HTTP_X_CLIENT_DN",
    "HTTP_X_CLIENT_VERIFY",
    "DUPLICATE_ATTRIBUE",
];

fn is_issue(text: &str) -> bool {
    text.len() >= 6
        && text.starts_with(|c: char| c.is_ascii_uppercase())
        && text.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_')
        && !OTHERS.contains(&text)
}

/// The code of a text, which may be the name of an issue.
fn code(text: String) -> Option<String> {
    if is_issue(&text) {
        Some(format!("puppet::{}", text.to_lowercase().replace('_', "-")))
    } else {
        codes::is_code(&text, &["puppet"]).then_some(text)
    }
}

#[test]
fn every_code_is_documented() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let sources =
        ["puppet", "puppet-syntax", "puppet-types"].map(|name| crates.join(name).join("src"));
    let quoted = sources.iter().flat_map(|s| codes::quoted_below(s, &["codes", "codes.rs"]));
    let used: BTreeSet<_> = quoted.filter_map(code).collect();
    assert!(used.len() > 100, "the sources were not read");
    codes::documented(&used, CODES);
}

#[test]
fn every_code_has_advice() {
    codes::check_details(CODES);
}
