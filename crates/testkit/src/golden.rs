//! Golden cases: compares the output of a test with files, or writes it there with
//! `ORDAIN_BLESS=1`.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use similar::TextDiff;

/// The environment variable that makes tests write their output to golden files.
pub const BLESS: &str = "ORDAIN_BLESS";

/// The number of lines of a difference that are shown.
const MAX_SHOWN: usize = 60;

/// Compares results with golden files and collects the differences.
pub struct Golden {
    bless: bool,
    cases: usize,
    failures: String,
}

impl Golden {
    /// Compares a result with a file, or writes it there. An empty result has no file.
    pub fn file(&mut self, path: &Path, actual: &str) {
        let expected = fs::read_to_string(path).unwrap_or_default();
        self.cases += 1;
        if expected == actual {
            return;
        }
        if !self.bless {
            self.failures.push_str(&difference(path, &expected, actual));
        } else if actual.is_empty() {
            fs::remove_file(path).unwrap();
        } else {
            fs::write(path, actual).unwrap();
        }
    }

    /// Compares a page, which holds both input and results, with the page that `run` makes of it.
    pub fn page(&mut self, path: &Path, run: impl FnOnce(&str) -> String) {
        let text = fs::read_to_string(path).unwrap();
        let actual = run(&text);
        self.file(path, &actual);
    }
}

/// Runs a test over golden cases. Fails with all differences at once, or if there are fewer cases
/// than `at_least`: otherwise a moved directory would pass.
///
/// # Panics
/// If the test fails.
#[track_caller]
pub fn golden(at_least: usize, test: impl FnOnce(&mut Golden)) {
    assert!(at_least > 0, "a test without cases cannot fail");
    let bless = std::env::var_os(BLESS).is_some();
    let mut golden = Golden { bless, cases: 0, failures: String::new() };
    test(&mut golden);
    let Golden { cases, failures, .. } = golden;
    assert!(failures.is_empty(), "\n{failures}\n{BLESS}=1 writes the actual results.");
    assert!(cases >= at_least, "there are {cases} cases; there were {at_least} at least");
}

/// The files in a directory whose names end in one of these extensions, in order of name.
///
/// # Panics
/// If the directory cannot be read.
pub fn files(dir: &Path, extensions: &[&str]) -> Vec<PathBuf> {
    let mut files = entries(dir);
    files.retain(|p| p.extension().is_some_and(|e| extensions.iter().any(|other| e == *other)));
    files
}

/// Everything in a directory, in order of name.
///
/// # Panics
/// If the directory cannot be read.
pub fn entries(dir: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(dir).unwrap_or_else(|e| panic!("{}: {e}", dir.display()));
    let mut entries: Vec<PathBuf> = entries.map(|e| e.unwrap().path()).collect();
    entries.sort();
    entries
}

/// The number of the first line that differs, and a unified diff.
fn difference(path: &Path, expected: &str, actual: &str) -> String {
    let same = expected.lines().zip(actual.lines()).take_while(|(a, b)| a == b).count();
    let mut out = format!("{}:{}:\n", path.display(), same + 1);
    let diff = TextDiff::from_lines(expected, actual).unified_diff().to_string();
    for line in diff.lines().take(MAX_SHOWN) {
        writeln!(out, "{line}").unwrap();
    }
    if diff.lines().nth(MAX_SHOWN).is_some() {
        out.push_str("…\n");
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(bless: bool, path: &Path, actual: &str) -> Golden {
        let mut golden = Golden { bless, cases: 0, failures: String::new() };
        golden.file(path, actual);
        golden
    }

    #[test]
    fn a_difference_is_shown_with_its_place() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("case.txt");
        fs::write(&path, "a\nb\nc\n").unwrap();
        assert_eq!(with(false, &path, "a\nb\nc\n").failures, "");
        let failures = with(false, &path, "a\nX\nc\n").failures;
        assert!(failures.starts_with(&format!("{}:2:\n", path.display())), "{failures}");
        assert!(failures.contains("-b\n+X\n"), "{failures}");
        assert_eq!(with(true, &path, "a\nX\nc\n").failures, "");
        assert_eq!(fs::read_to_string(&path).unwrap(), "a\nX\nc\n");
        with(true, &path, "");
        assert!(!path.exists());
    }

    #[test]
    #[should_panic(expected = "there are 0 cases")]
    fn cases_that_are_gone_are_missed() {
        golden(1, |_| {});
    }
}
