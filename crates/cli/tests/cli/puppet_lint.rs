//! Started as `puppet-lint`, the program has the output and the exit codes of puppet-lint.
#![allow(clippy::unwrap_used)]

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The manifests of the tests, most of which are odd.
fn manifests() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/lint")
}

/// Standard output and the exit code.
fn run(program: &Path, directory: &Path, args: &[&str]) -> (String, Option<i32>) {
    let mut command = Command::new(program);
    command.current_dir(directory).env("HOME", directory).env_remove("GITHUB_ACTION");
    let output = command.args(args).output().unwrap();
    (String::from_utf8_lossy(&output.stdout).into_owned(), output.status.code())
}

/// A directory with the program under the name of puppet-lint.
fn named() -> (tempfile::TempDir, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let link = dir.path().join("puppet-lint");
    symlink(env!("CARGO_BIN_EXE_ordain"), &link).unwrap();
    (dir, link)
}

#[test]
fn findings_are_those_of_puppet_lint() {
    let peer = Path::new("/usr/bin/puppet-lint");
    if !peer.exists() {
        assert!(std::env::var_os("CI").is_none(), "puppet-lint is missing");
        eprintln!("puppet-lint is not installed");
        return;
    }
    let (_dir, ours) = named();
    let format = "--log-format=%{path}:%{line}:%{column}:%{kind}:%{check}:%{message} (%{filename})";
    let all = ["--80chars-check", "--code_on_top_scope-check", "--quoted_booleans-check"];
    let params = ["--class_inherits_from_params_class-check", "--no-config", "--show-ignored"];
    let calls: [&[&str]; 5] = [
        &[format, all[0], all[1], all[2], params[0], params[1], params[2], "."],
        &["--with-context", "--relative", "--error-level", "error", "--no-config", "."],
        &["--fail-on-warnings", "--only-checks", "documentation,hard_tabs", "ignored.pp"],
        &["--no-double_quoted_strings-check", "--ignore-paths", "*s.pp,*/l*", "."],
        &["--nonsense", "nowhere.pp"],
    ];
    for args in calls {
        assert_eq!(run(&ours, &manifests(), args), run(peer, &manifests(), args), "{args:?}");
    }
    assert_eq!(run(&ours, &manifests(), &[]), run(peer, &manifests(), &[]));
}

#[test]
fn options_come_from_the_file_of_the_directory() {
    let (dir, program) = named();
    fs::write(dir.path().join("a.pp"), "$x = \"a\"\t\n").unwrap();
    fs::write(dir.path().join(".puppet-lint.rc"), "# why\n--no-hard_tabs-check\n").unwrap();
    let (output, code) = run(&program, dir.path(), &["a.pp"]);
    assert_eq!(
        output,
        "WARNING: double quoted string containing no variables on line 1 (check: double_quoted_strings)\n\
         ERROR: trailing whitespace found on line 1 (check: trailing_whitespace)\n"
    );
    assert_eq!(code, Some(1));
    let (output, _) = run(&program, dir.path(), &["--no-config", "a.pp"]);
    assert_eq!(output.lines().count(), 3);
}

#[test]
fn a_message_with_a_line_break_at_its_end_gets_no_second_one() {
    let (dir, program) = named();
    fs::write(dir.path().join("a.pp"), "$x = @(END)\ntext\n| END\n").unwrap();
    let args = ["--no-config", "--only-checks", "code_on_top_scope", "--log-format", "%{message}"];
    let (output, _) = run(&program, dir.path(), &[&args[..], &["a.pp"]].concat());
    let expected = ["x", "=", "END", "text"];
    let line = |token| format!("code outside of class or define block - {token}\n");
    assert_eq!(output, expected.map(line).concat());
}

#[test]
fn fixes_are_written() {
    let (dir, program) = named();
    let file = dir.path().join("a.pp");
    fs::write(&file, "$x = \"a\"\t\n").unwrap();
    let (output, code) = run(&program, dir.path(), &["--fix", "a.pp"]);
    assert!(output.starts_with("FIXED: double quoted string"), "{output}");
    assert_eq!(code, Some(0));
    assert_eq!(fs::read_to_string(&file).unwrap(), "$x = 'a'\n");
    assert_eq!(run(&program, dir.path(), &["--fix", "a.pp"]), (String::new(), Some(0)));
}

#[test]
fn sarif_has_the_fixes() {
    let (dir, program) = named();
    fs::write(dir.path().join("a.pp"), "$x = \"a\"\n").unwrap();
    let (output, _) = run(&program, dir.path(), &["--sarif", "a.pp"]);
    let log: serde_json::Value = serde_json::from_str(&output).unwrap();
    let result = &log["runs"][0]["results"][0];
    assert_eq!(result["ruleId"], "lint::double-quoted-strings");
    let change = &result["fixes"][0]["artifactChanges"][0]["replacements"][0];
    assert_eq!(change["insertedContent"]["text"], "'a'");
}
