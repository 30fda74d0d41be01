//! Every code that the static checks name is documented.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeSet;
use std::path::Path;

use ordain_puppet_tools::codes::{CHECKS, CODES};
use ordain_testkit::codes;

#[test]
fn every_code_is_documented() {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut used = codes::quoted_below(&sources, &["codes"]);
    used.retain(|text| codes::is_code(text, &["puppet", "lint"]));
    let known: BTreeSet<&str> = CODES.iter().map(|doc| doc.code).collect();
    let missing: Vec<_> = used.iter().filter(|code| !known.contains(code.as_str())).collect();
    assert!(missing.is_empty(), "not documented: {missing:#?}");
    let of_lint = CODES.iter().filter(|doc| doc.code.starts_with("lint::"));
    let unused: Vec<_> =
        CHECKS.iter().chain(of_lint).filter(|doc| !used.contains(doc.code)).collect();
    assert!(unused.is_empty(), "not used: {unused:#?}");
}

#[test]
fn no_code_stands_twice() {
    let known: BTreeSet<&str> = CODES.iter().map(|doc| doc.code).collect();
    assert_eq!(known.len(), CODES.len());
}

#[test]
fn every_code_has_advice() {
    codes::check_details(CHECKS);
    let of_lint = CODES.iter().filter(|doc| doc.code.starts_with("lint::"));
    codes::check_details(&of_lint.copied().collect::<Vec<_>>());
}
