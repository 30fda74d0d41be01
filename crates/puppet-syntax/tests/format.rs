//! The formatter: golden cases below `tests/format`, a manifest `x.pp` and its formatted text in
//! `x.formatted` (`ORDAIN_BLESS=1` writes the current output), and the manifests of installed modules
//! held against puppet-lint.
#![allow(clippy::unwrap_used, clippy::disallowed_methods)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use ordain_puppet_syntax::format::{Columns, FormatError, FormatOptions, format};
use ordain_testkit::golden::{files, golden};

fn formatted(text: &str) -> String {
    format(text, &FormatOptions::default()).unwrap()
}

#[test]
fn golden_cases() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/format");
    golden(7, |golden| {
        for path in files(&root, &["pp"]) {
            let text = fs::read_to_string(&path).unwrap();
            let once = formatted(&text);
            assert_eq!(formatted(&once), once, "{} changes once more", path.display());
            golden.file(&path.with_extension("formatted"), &once);
        }
    });
}

#[test]
fn options_change_indentation_and_columns() {
    let text = "class a (\n  String $a = 1,\n  Integer $bc = 2,\n) {\n  $x = 1\n  $yz = 2\n}\n";
    let options = FormatOptions { indent: 4, columns: Columns::Always };
    let wanted =
        "class a (\n    String  $a  = 1,\n    Integer $bc = 2,\n) {\n    $x  = 1\n    $yz = 2\n}\n";
    assert_eq!(format(text, &options).unwrap(), wanted);
    let options = FormatOptions { indent: 2, columns: Columns::Never };
    assert_eq!(format(wanted, &options).unwrap(), text);
}

#[test]
fn a_text_with_errors_stays() {
    assert!(matches!(
        format("file { '/a':", &FormatOptions::default()),
        Err(FormatError::Syntax(_))
    ));
}

#[test]
fn nesting_and_long_lines_are_no_problem() {
    let deep = format!("$x = {}1{}\n", "[\n".repeat(150), "]\n".repeat(150));
    assert!(formatted(&deep).lines().count() > 300);
    let wide = format!("$x = [{}]\n", "'a', ".repeat(50_000));
    assert_eq!(formatted(&wide).lines().count(), 1);
    let tall = format!("$x = {{\n{}}}\n", "'a' => { 'b' => 1 },\n".repeat(20_000));
    assert_eq!(formatted(&tall).lines().count(), 20_002);
}

/// Where Debian's packages have modules.
const MODULES: [&str; 2] = ["/usr/share/puppet/modules.available", "/usr/share/puppet/modules"];

fn manifests(dir: &Path, found: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(dir) else { return };
    for entry in entries.map(Result::unwrap) {
        let path = entry.path();
        if entry.file_type().unwrap().is_dir() {
            manifests(&path, found);
        } else if path.extension().is_some_and(|ending| ending == "pp") {
            found.push(path);
        }
    }
}

#[test]
fn manifests_of_installed_modules_have_no_layout_findings() {
    if Command::new("puppet-lint").arg("--version").output().is_err() {
        assert!(std::env::var_os("CI").is_none(), "puppet-lint is missing");
        eprintln!("puppet-lint is not installed");
        return;
    }
    let mut found = Vec::new();
    MODULES.iter().for_each(|dir| manifests(Path::new(dir), &mut found));
    assert!(found.len() > 20, "{} manifests", found.len());
    let out = tempfile::tempdir().unwrap();
    for (n, path) in found.iter().enumerate() {
        let text = fs::read_to_string(path).unwrap();
        let once = match format(&text, &FormatOptions::default()) {
            Ok(once) => once,
            Err(FormatError::Syntax(_)) => continue,
            Err(error) => panic!("{}: {error}", path.display()),
        };
        assert_eq!(formatted(&once), once, "{} changes once more", path.display());
        fs::write(out.path().join(format!("{n}.pp")), once).unwrap();
    }
    let checks =
        "arrow_alignment,hard_tabs,trailing_whitespace,2sp_soft_tabs,arrow_on_right_operand_line";
    let lint = Command::new("puppet-lint").args(["--only-checks", checks]).arg(out.path()).output();
    let findings = String::from_utf8(lint.unwrap().stdout).unwrap();
    assert!(findings.is_empty(), "{findings}");
}
