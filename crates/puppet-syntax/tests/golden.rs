//! Golden cases of the parser: below `tests/syntax`, a manifest `x.pp` or template `x.epp`, its tree
//! in `x.pn` if it has no errors, and its diagnostics in `x.errors` if it has any. `ORDAIN_BLESS=1`
//! writes the current output.
#![allow(clippy::unwrap_used, clippy::disallowed_methods)]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use ordain_puppet_syntax::{Parsed, dump, parse, parse_epp, pn};
use ordain_source::{Diagnostic, FileId, Severity, SourceFile};
use ordain_testkit::golden::{entries, files, golden};

struct Case {
    tree: String,
    errors: String,
}

fn run(path: &Path) -> Case {
    let text = fs::read_to_string(path).unwrap();
    let is_template = path.extension().is_some_and(|e| e == "epp");
    let Parsed { program, diagnostics, .. } = match is_template {
        false => parse(FileId(0), text.as_str()),
        true => parse_epp(FileId(0), text.as_str()),
    };
    let is_error = |d: &Diagnostic| d.severity == Severity::Error;
    let places = SourceFile::new("", text.as_str());
    let line = |d: &Diagnostic| {
        let at = places.line_col(d.primary.as_ref().unwrap().span.range.start);
        let word = d.severity.word();
        format!("{}:{} {word}[{}] {}\n", at.line, at.column, d.code, d.message)
    };
    let nodes = dump::tree(&program).lines().count();
    let document = dump::json(&program).to_string();
    assert_eq!(document.matches("\"node\":").count(), nodes, "{}", path.display());
    let broken = diagnostics.iter().any(is_error);
    let tree = if broken { String::new() } else { lines(&pn::print(&program)) };
    Case { tree, errors: diagnostics.iter().map(line).collect() }
}

/// One line for each statement of the program.
fn lines(tree: &str) -> String {
    let Some(inner) = tree.strip_prefix("(block ") else { return format!("{tree}\n") };
    let (mut out, mut depth, mut quoted, mut escaped) = (String::new(), 0, false, false);
    out.push_str("(block\n");
    for c in inner.chars() {
        match c {
            '"' if !escaped => quoted = !quoted,
            '(' | '[' | '{' if !quoted => depth += 1,
            ')' | ']' | '}' if !quoted => depth -= 1,
            _ => {}
        }
        escaped = c == '\\' && !escaped;
        out.push(if c == ' ' && depth == 0 && !quoted { '\n' } else { c });
    }
    out + "\n"
}

#[test]
fn golden_cases() {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/syntax");
    let sources: BTreeSet<PathBuf> = files(&dir, &["pp", "epp"]).into_iter().collect();
    for path in entries(&dir).iter().filter(|path| !sources.contains(*path)) {
        assert!(path.extension().is_some_and(|e| e == "pn" || e == "errors"), "{}", path.display());
        let mut known = ["pp", "epp"].map(|e| path.with_extension(e)).into_iter();
        assert!(known.any(|source| sources.contains(&source)), "{}", path.display());
    }
    golden(2 * sources.len(), |golden| {
        for path in &sources {
            let case = run(path);
            golden.file(&path.with_extension("pn"), &case.tree);
            golden.file(&path.with_extension("errors"), &case.errors);
        }
    });
}
