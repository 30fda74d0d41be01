//! The help of every verb.

use std::fs;
use std::process::Command;

const PROGRAM: &str = env!("CARGO_BIN_EXE_ordain");

#[test]
fn every_verb_has_examples() {
    let directory = tempfile::tempdir().unwrap();
    let status = Command::new(PROGRAM).arg("man").arg(directory.path()).output().unwrap().status;
    assert!(status.success());
    let mut pages = 0;
    let mut without = Vec::new();
    for entry in fs::read_dir(directory.path()).unwrap() {
        let path = entry.unwrap().path();
        let page = fs::read_to_string(&path).unwrap();
        pages += 1;
        // The examples of a group of verbs are those of its verbs.
        let is_group = page.contains(".SH SUBCOMMANDS");
        if !is_group && !page.contains("Examples:") {
            without.push(path.file_name().unwrap().to_string_lossy().into_owned());
        }
    }
    assert!(pages > 60, "{pages} pages");
    assert!(without.is_empty(), "without examples: {without:?}");
}
