//! Checks that the tests on the page of promises exist.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// Collects the names of all tests in the sources below a directory.
fn tests_below(directory: &Path, found: &mut BTreeSet<String>) {
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() && path.file_name().is_none_or(|name| name != "target") {
            tests_below(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.extend(tests_of(&fs::read_to_string(&path).unwrap()));
        }
    }
}

/// The tests in a source that `cargo test` runs: those that are not ignored.
fn tests_of(source: &str) -> Vec<String> {
    let after = source.split("#[test]\n").skip(1);
    let heads = after.filter_map(|text| text.split_once("fn "));
    let run = heads.filter(|(attributes, _)| !attributes.contains("#[ignore"));
    run.filter_map(|(_, rest)| Some(rest.split_once('(')?.0.to_owned())).collect()
}

#[test]
fn every_promise_names_a_test_that_runs() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut tests = BTreeSet::new();
    tests_below(&root.join("crates"), &mut tests);
    let page = fs::read_to_string(root.join("docs/promises.md")).unwrap();
    let ci = fs::read_to_string(root.join(".ci/run")).unwrap();

    let rows = page.lines().filter(|line| line.starts_with("| ") && !line.starts_with("| ---"));
    let rows: Vec<&str> = rows.filter(|line| *line != "| promise | test |").collect();
    assert!(rows.len() > 30, "{} promises", rows.len());
    let mut missing = Vec::new();
    for row in rows {
        let column = row.trim_end_matches('|').rsplit_once('|').unwrap().1;
        let names: Vec<&str> = column.split('`').skip(1).step_by(2).collect();
        assert!(!names.is_empty(), "no test: {row}");
        missing.extend(names.into_iter().filter(|name| {
            let runs = if name.starts_with("tests/") {
                root.join(name).is_file() && ci.contains(*name)
            } else {
                tests.contains(*name) || name.contains('/') && root.join(name).is_file()
            };
            !runs
        }));
    }
    assert!(missing.is_empty(), "no such tests, or they do not run: {missing:?}");
}
