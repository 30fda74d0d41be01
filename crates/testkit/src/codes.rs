//! Checks that every diagnostic code is documented and tested.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use ordain_source::CodeDoc;

use crate::golden::entries;

/// The string literals of the Rust sources below a directory, as far as quotes are paired on a
/// line. Skips files and directories named `skip` and unit tests, which use codes of their own.
///
/// # Panics
/// If a source cannot be read.
pub fn quoted_below(dir: &Path, skip: &[&str]) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for path in sources_below(dir, skip) {
        let source = fs::read_to_string(&path).unwrap();
        let source = source.split("#[cfg(test)]").next().unwrap_or_default();
        let quoted = source.lines().flat_map(|line| line.split('"').skip(1).step_by(2));
        found.extend(quoted.map(str::to_owned));
    }
    found
}

fn sources_below(dir: &Path, skip: &[&str]) -> Vec<PathBuf> {
    let mut out = Vec::new();
    for path in entries(dir) {
        if skip.iter().any(|name| path.ends_with(name)) {
            continue;
        }
        if path.is_dir() {
            out.extend(sources_below(&path, skip));
        } else if path.extension().is_some_and(|e| e == "rs") {
            out.push(path);
        }
    }
    out
}

/// Whether a text is a code: `prefix::a-name`.
pub fn is_code(text: &str, prefixes: &[&str]) -> bool {
    let Some((prefix, name)) = text.split_once("::") else { return false };
    prefixes.contains(&prefix)
        && !name.is_empty()
        && name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
}

/// Compares the codes that sources use with the documented ones.
///
/// # Panics
/// If a code is undocumented, documented twice, or unused.
pub fn documented(used: &BTreeSet<String>, docs: &[CodeDoc]) {
    assert!(!used.is_empty(), "the sources were not read");
    let known: BTreeSet<String> = docs.iter().map(|doc| doc.code.to_owned()).collect();
    assert_eq!(known.len(), docs.len(), "a code stands twice");
    let missing: Vec<_> = used.difference(&known).collect();
    assert!(missing.is_empty(), "not documented: {missing:#?}");
    let unused: Vec<_> = known.difference(used).collect();
    assert!(unused.is_empty(), "not used: {unused:#?}");
}

/// Checks that the documentation of each code has a short summary, details and an example.
///
/// # Panics
/// If one of them is missing.
pub fn check_details(docs: &[CodeDoc]) {
    for CodeDoc { code, summary, details } in docs {
        assert!(!summary.is_empty() && summary.len() < 90, "{code}: {summary}");
        assert!(!summary.ends_with('.'), "{code}: {summary}");
        assert!(details.len() >= 25 && details.ends_with('.'), "{code}: {details}");
        assert!(details.contains('`') || details.contains("\n    "), "no example: {code}");
    }
}

/// Looks for every code in the files of tests: cases, pages and the tests themselves. `known` lists
/// the codes that no test can produce, each with its reason.
///
/// # Panics
/// If no test has a code, or a test has one that `known` lists.
pub fn tested(
    docs: &[CodeDoc],
    tests: &[PathBuf],
    names: fn(&str) -> Vec<String>,
    known: &[(&str, &str)],
) {
    let text = tests.iter().map(|dir| text_below(dir)).collect::<String>();
    assert!(!text.is_empty(), "the tests were not read");
    let words: BTreeSet<&str> =
        text.split(|c: char| !c.is_ascii_alphanumeric() && !"_-:".contains(c)).collect();
    let is_there = |code: &str| {
        let names = names(code);
        std::iter::once(code).chain(names.iter().map(String::as_str)).any(|n| words.contains(n))
    };
    let missing: BTreeSet<&str> =
        docs.iter().map(|doc| doc.code).filter(|code| !is_there(code)).collect();
    let known: BTreeSet<&str> = known.iter().map(|(code, _)| *code).collect();
    let new: Vec<_> = missing.difference(&known).collect();
    assert!(new.is_empty(), "no test has {new:#?}");
    let gone: Vec<_> = known.difference(&missing).collect();
    assert!(gone.is_empty(), "tested by now: {gone:#?}");
}

fn text_below(path: &Path) -> String {
    if path.is_dir() {
        return entries(path).iter().map(|p| text_below(p)).collect();
    }
    fs::read_to_string(path).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_told_from_other_texts() {
        assert!(is_code("puppet::unknown-variable", &["puppet"]));
        for text in ["puppet::", "puppet::A", "other::a", "puppet", "puppet::{name}"] {
            assert!(!is_code(text, &["puppet"]), "{text}");
        }
    }

    #[test]
    fn quoted_texts_are_found() {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("tests")).unwrap();
        fs::write(dir.path().join("a.rs"), "f(\"x::a\", \"b\")\n#[cfg(test)]\n\"no\"\n").unwrap();
        fs::write(dir.path().join("tests/b.rs"), "\"no\"").unwrap();
        let found = quoted_below(dir.path(), &["tests"]);
        assert_eq!(found.into_iter().collect::<Vec<_>>(), ["b", "x::a"]);
    }
}
