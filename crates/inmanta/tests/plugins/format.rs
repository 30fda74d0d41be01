//! The formatter: golden cases below `tests/format`, a model `x.cf` and its formatted text in
//! `x.formatted`, and properties of all models of this crate.

use std::fs;
use std::path::Path;

use ordain_inmanta::output;
use ordain_inmanta::session::{Request, compile};
use ordain_inmanta::syntax::ast::Ast;
use ordain_inmanta::syntax::format::{FormatError, FormatOptions, format};
use ordain_inmanta::syntax::parse;
use ordain_source::{MemoryWorld, SourceMap};
use ordain_testkit::golden::{files, golden};
use regex::Regex;
use serde_json::Value as Json;

fn formatted(text: &str) -> String {
    format(text, 0, &FormatOptions::default()).unwrap()
}

/// The tree of a text without places.
fn tree(text: &str) -> String {
    let mut ast = Ast::default();
    let unit = parse(&mut ast, text, 0, &mut Vec::new()).unwrap();
    let shown = format!("{ast:?} {unit:?}");
    Regex::new(r"Location \{[^}]*\}").unwrap().replace_all(&shown, "").into_owned()
}

#[test]
fn golden_cases() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/format");
    golden(3, |golden| {
        for path in files(&root, &["cf"]) {
            let text = fs::read_to_string(&path).unwrap();
            let once = formatted(&text);
            assert_eq!(formatted(&once), once, "{} changes once more", path.display());
            assert_eq!(tree(&once), tree(&text), "{}", path.display());
            golden.file(&path.with_extension("formatted"), &once);
        }
    });
}

/// The outcome of a model without places.
fn outcome(text: &str) -> String {
    let (world, sources) = (MemoryWorld::default(), SourceMap::new());
    let request = Request::new(&world, &sources, "/p", "/p/main.cf", text);
    let json = output::json(&compile(request)).to_string();
    Regex::new(r"main\.cf:[0-9:]+").unwrap().replace_all(&json, "").into_owned()
}

/// All models of this crate, also those that do not parse.
fn models() -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut models: Vec<String> =
        files(root, &["cf"]).into_iter().map(|path| fs::read_to_string(path).unwrap()).collect();
    for path in files(&root.join("tests/plugins/recorded"), &["jsonl"]) {
        for line in fs::read_to_string(path).unwrap().lines() {
            let case: Json = serde_json::from_str(line).unwrap();
            models.extend(case["model"].as_str().map(str::to_owned));
        }
    }
    models
}

#[test]
fn formatting_changes_neither_trees_nor_outcomes() {
    let mut count = 0;
    for text in models() {
        let once = match format(&text, 0, &FormatOptions::default()) {
            Ok(once) => once,
            Err(FormatError::Syntax(_)) => continue,
            Err(error @ FormatError::Unsafe) => panic!("{error}: {text}"),
        };
        assert_eq!(formatted(&once), once, "it changes once more: {text}");
        assert_eq!(tree(&once), tree(&text));
        assert_eq!(outcome(&once), outcome(&text));
        count += 1;
    }
    assert!(count > 100, "{count} models");
}

#[test]
fn each_width_has_its_own_form() {
    let text = fs::read_to_string(
        Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/format/expressions.cf"),
    );
    let text = text.unwrap();
    for width in (1..130).step_by(3) {
        let options = FormatOptions { width, ..FormatOptions::default() };
        let once = format(&text, 0, &options).unwrap();
        assert_eq!(format(&once, 0, &options).unwrap(), once, "width {width}");
        assert_eq!(tree(&once), tree(&text), "width {width}");
    }
}

#[test]
fn nesting_and_long_files_are_no_problem() {
    let deep = format!("x = {}1{}\n", "[".repeat(150), "]".repeat(150));
    assert_eq!(formatted(&formatted(&deep)), formatted(&deep));
    let wide = format!("x = [{}]\n", "1, ".repeat(50_000));
    assert_eq!(formatted(&wide).lines().count(), 50_002);
    let long = format!("x = 1{}\n", " + 1".repeat(300));
    assert_eq!(formatted(&long).lines().count(), 301);
    assert!(matches!(format("x = [", 0, &FormatOptions::default()), Err(FormatError::Syntax(_))));
}
