//! Checks the layers of the workspace and the licences of its crates with `cargo metadata`.
#![allow(clippy::unwrap_used)]

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

use serde_json::Value as Json;

/// The crates from top to bottom. A crate may depend only on crates of later lines, not on those of
/// its own line.
const LAYERS: &[&[&str]] = &[
    // On top, since only tests may depend on it.
    &["testkit"],
    &["cli"],
    &["server"],
    &["agent"],
    &["ide"],
    &["fleet", "testing", "explorer"],
    &["driver", "deploy"],
    &["puppetdb"],
    &["fleet-store"],
    &["ca", "providers", "store"],
    &["engine"],
    &["puppet-tools"],
    &["puppet", "inmanta", "mcl", "dynaml"],
    &["plugins"],
    &["puppet-types"],
    &["facts", "process"],
    &["graph", "ruby", "ecore", "kinds"],
    &["puppet-syntax"],
    &["functions"],
    &["data"],
    &["syntax"],
    &["source"],
];

/// Front ends compile without an async runtime, a database or a bus.
const NOT_IN_FRONT_ENDS: &[&str] = &["tokio", "rusqlite", "zbus", "hyper", "nix", "rustix"];

fn metadata() -> Json {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
    let mut command = Command::new(env!("CARGO"));
    command.args(["metadata", "--format-version", "1", "--locked"]).current_dir(root);
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

fn layer(name: &str) -> usize {
    let at = LAYERS.iter().position(|layer| layer.contains(&name));
    at.unwrap_or_else(|| panic!("the crate {name} has no layer"))
}

/// The crates of the workspace with their dependencies, except those of tests.
fn dependencies(metadata: &Json) -> BTreeMap<String, Vec<String>> {
    let packages = metadata["packages"].as_array().unwrap().iter();
    let ours = packages.filter(|p| p["source"].is_null());
    ours.map(|package| {
        let all = package["dependencies"].as_array().unwrap().iter();
        let real = all.filter(|d| d["kind"].as_str() != Some("dev"));
        let names = real.map(|d| d["name"].as_str().unwrap().to_string());
        (package["name"].as_str().unwrap().to_string(), names.collect())
    })
    .collect()
}

#[test]
fn crates_depend_on_crates_below() {
    let all = dependencies(&metadata());
    assert!(all.contains_key("ordain-source"), "the workspace was not read");
    for (name, dependencies) in &all {
        let Some(short) = name.strip_prefix("ordain-") else { continue };
        for other in dependencies.iter().filter_map(|d| d.strip_prefix("ordain-")) {
            assert!(layer(short) < layer(other), "{short} must not depend on {other}");
        }
    }
}

/// The Rust files below a directory.
fn rust_files(dir: &Path, out: &mut String) {
    for entry in std::fs::read_dir(dir).into_iter().flatten() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            rust_files(&path, out);
        } else if path.extension().is_some_and(|end| end == "rs") {
            out.push_str(&std::fs::read_to_string(&path).unwrap());
        }
    }
}

/// A text without lines that are comments.
fn without_comments(text: &str) -> String {
    let lines = text.lines().filter(|line| !line.trim_start().starts_with("//"));
    lines.flat_map(|line| [line, "\n"]).collect()
}

/// The name by which code uses a dependency, if that is not the name of the package.
fn name_in_code(dependency: &Json) -> String {
    let package = dependency["name"].as_str().unwrap();
    let name = dependency["rename"].as_str().unwrap_or(package);
    if name == "md-5" { "md5".to_owned() } else { name.replace('-', "_") }
}

/// Whether a text has a word.
fn has_word(text: &str, word: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(word).any(|(at, _)| {
        !text[..at].ends_with(is_part) && !text[at + word.len()..].starts_with(is_part)
    })
}

#[test]
fn dependencies_are_used() {
    let mut unused = Vec::new();
    for package in metadata()["packages"].as_array().unwrap() {
        if !package["source"].is_null() {
            continue;
        }
        let manifest = Path::new(package["manifest_path"].as_str().unwrap());
        let (mut code, mut tests) = (String::new(), String::new());
        rust_files(&manifest.with_file_name("src"), &mut code);
        for dir in ["tests", "benches", "examples"] {
            rust_files(&manifest.with_file_name(dir), &mut tests);
        }
        // Examples in comments are tests.
        tests.push_str(&code);
        let code = without_comments(&code);
        for dependency in package["dependencies"].as_array().unwrap() {
            let is_for_tests = dependency["kind"].as_str() == Some("dev");
            let text = if is_for_tests { &tests } else { &code };
            let name = name_in_code(dependency);
            if !has_word(text, &name) {
                unused.push(format!("{}: {name}", package["name"].as_str().unwrap()));
            }
        }
    }
    assert!(unused.is_empty(), "remove from Cargo.toml: {unused:?}");
}

#[test]
fn front_ends_see_no_machinery() {
    let metadata = metadata();
    let nodes = metadata["resolve"]["nodes"].as_array().unwrap();
    let by_id: BTreeMap<&str, &Json> =
        nodes.iter().map(|n| (n["id"].as_str().unwrap(), n)).collect();
    let name_of: BTreeMap<&str, &str> = metadata["packages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|p| (p["id"].as_str().unwrap(), p["name"].as_str().unwrap()))
        .collect();
    let front_ends = ["ordain-puppet", "ordain-dynaml"];
    let roots = name_of.iter().filter(|(_, name)| front_ends.contains(name));
    let mut queue: Vec<&str> = roots.map(|(id, _)| *id).collect();
    assert_eq!(queue.len(), front_ends.len());
    let mut seen = BTreeSet::new();
    while let Some(id) = queue.pop() {
        if !seen.insert(id) {
            continue;
        }
        let name = name_of[id];
        assert!(!NOT_IN_FRONT_ENDS.contains(&name), "a front end depends on {name}");
        for dependency in by_id[id]["deps"].as_array().unwrap() {
            let kinds = dependency["dep_kinds"].as_array().unwrap();
            if kinds.iter().any(|k| k["kind"].is_null()) {
                queue.push(dependency["pkg"].as_str().unwrap());
            }
        }
    }
    assert!(seen.len() > 10, "the graph of dependencies was not walked");
}

/// The licences that `deny.toml` allows.
fn allowed() -> Vec<String> {
    let text = include_str!("../../deny.toml");
    let list = text.split_once("allow = [").unwrap().1.split_once(']').unwrap().0;
    list.split('"').skip(1).step_by(2).map(str::to_string).collect()
}

/// Whether the allowed licences satisfy a licence expression.
fn is_met(expression: &str, allowed: &[String]) -> bool {
    let plain = expression.replace(['(', ')'], "").replace('/', " OR ");
    // Parentheses can be removed: in every expression that we have, `AND` joins groups of
    // alternatives.
    plain
        .split(" AND ")
        .all(|part| part.split(" OR ").any(|licence| allowed.iter().any(|a| a == licence.trim())))
}

#[test]
fn licences_are_permissive_and_crates_from_the_registry() {
    let allowed = allowed();
    for (expression, met) in [
        ("MIT/Apache-2.0", true),
        ("(MIT OR Apache-2.0) AND Unicode-3.0", true),
        ("MIT AND GPL-3.0", false),
        ("MPL-2.0", false),
    ] {
        assert_eq!(is_met(expression, &allowed), met, "{expression}");
    }
    let metadata = metadata();
    let packages = metadata["packages"].as_array().unwrap();
    assert!(packages.len() > 50, "the packages were not read");
    for package in packages {
        let name = &package["name"];
        let licence = package["license"].as_str().unwrap_or("none");
        assert!(is_met(licence, &allowed), "{name} has the licence {licence}");
        let source = package["source"].as_str().unwrap_or("registry+own");
        assert!(source.starts_with("registry+"), "{name} comes from {source}");
    }
}
