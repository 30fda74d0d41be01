//! Runs the transcripts in `tests/cases/`, the manual and the README: Markdown pages whose blocks
//! are files to write and commands to run.
//!
//! A block that says `file=PATH` behind its language is written to that file, in a directory that
//! the page has for itself. A block `console` has commands behind `$ ` and below each what it
//! prints, both streams in order; a last line `(exit N)` stands for an exit code that is not 0. A
//! line `...` stands for any lines, and `[..]` for anything in a line. `ORDAIN_BLESS=1` writes what
//! is printed into the pages.
#![allow(clippy::unwrap_used)]

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

#[test]
fn transcripts_are_true() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut pages = pages(&root.join("tests/cases"));
    assert!(pages.len() >= 8, "the transcripts are gone");
    pages.extend(self::pages(&root.join("../../docs")));
    pages.push(root.join("../../README.md"));
    let bless = std::env::var_os("ORDAIN_BLESS").is_some();
    let mut failures = String::new();
    for page in pages {
        let text = std::fs::read_to_string(&page).unwrap();
        let dir = tempfile::tempdir().unwrap();
        let actual = run_page(&text, dir.path());
        if actual != text && bless {
            std::fs::write(&page, actual).unwrap();
        } else if actual != text {
            let diff = similar::TextDiff::from_lines(&text, &actual);
            write!(failures, "{}:\n{}\n", page.display(), diff.unified_diff()).unwrap();
        }
    }
    assert!(failures.is_empty(), "{failures}");
}

fn pages(dir: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(dir).unwrap();
    let mut pages: Vec<PathBuf> = entries.map(|e| e.unwrap().path()).collect();
    pages.retain(|p| p.extension().is_some_and(|e| e == "md"));
    pages.sort();
    pages
}

/// The page with the output that its commands really have.
fn run_page(text: &str, dir: &Path) -> String {
    let mut out = String::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        writeln!(out, "{line}").unwrap();
        let Some(info) = line.strip_prefix("```").filter(|info| !info.is_empty()) else { continue };
        let block: Vec<&str> = lines.by_ref().take_while(|l| *l != "```").collect();
        if info == "console" {
            out.push_str(&run_block(&block, dir));
        } else {
            let body = block.iter().map(|l| format!("{l}\n")).collect::<String>();
            if let Some((_, name)) = info.split_once(" file=") {
                let path = dir.join(name);
                std::fs::create_dir_all(path.parent().unwrap()).unwrap();
                std::fs::write(path, &body).unwrap();
            }
            out.push_str(&body);
        }
        out.push_str("```\n");
    }
    out
}

fn run_block(block: &[&str], dir: &Path) -> String {
    let mut out = String::new();
    let mut at = 0;
    while at < block.len() {
        let Some(command) = block[at].strip_prefix("$ ") else {
            at += 1;
            continue;
        };
        writeln!(out, "{}", block[at]).unwrap();
        let end =
            (at + 1..block.len()).find(|&i| block[i].starts_with("$ ")).unwrap_or(block.len());
        let expected = &block[at + 1..end];
        let actual = run(command, dir);
        let actual: Vec<&str> = actual.lines().collect();
        let same = matches(expected, &actual);
        for line in if same { expected } else { &actual } {
            writeln!(out, "{line}").unwrap();
        }
        at = end;
    }
    out
}

/// What a command prints, with its exit code.
fn run(command: &str, dir: &Path) -> String {
    let bin = Path::new(env!("CARGO_BIN_EXE_ordain"));
    let path = format!("{}:{}", bin.parent().unwrap().display(), std::env::var("PATH").unwrap());
    let output = Command::new("sh")
        .args(["-c", &format!("exec 2>&1\n{command}")])
        .current_dir(dir)
        .env("PATH", path)
        .env("HOME", dir)
        .env("ORDAIN_STATE_DIR", dir.join("state"))
        .env("COLUMNS", "80")
        .env_remove("CLICOLOR_FORCE")
        .output()
        .unwrap();
    let mut text = String::from_utf8(output.stdout).unwrap();
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    match output.status.code() {
        Some(0) => {}
        code => writeln!(text, "(exit {})", code.unwrap_or(-1)).unwrap(),
    }
    text
}

/// Whether lines fit a pattern of lines.
fn matches(pattern: &[&str], lines: &[&str]) -> bool {
    match pattern.split_first() {
        None => lines.is_empty(),
        Some((&"...", rest)) => (0..=lines.len()).any(|i| matches(rest, &lines[i..])),
        Some((first, rest)) => {
            let fits = lines.split_first().filter(|(line, _)| line_matches(first, line));
            fits.is_some_and(|(_, others)| matches(rest, others))
        }
    }
}

fn line_matches(pattern: &str, line: &str) -> bool {
    match pattern.split_once("[..]") {
        None => pattern == line,
        Some((head, tail)) => line.strip_prefix(head).is_some_and(|rest| {
            let starts = rest.char_indices().map(|(i, _)| i).chain([rest.len()]);
            starts.into_iter().any(|i| line_matches(tail, &rest[i..]))
        }),
    }
}
