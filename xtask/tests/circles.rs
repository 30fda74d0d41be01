//! Files of a crate must not import each other in a cycle.
//!
//! Every crate is read with `syn` from its `lib.rs` or `main.rs`. A file imports another one when a
//! path in it resolves to an item that the other one defines; re-exports are followed to the
//! definition. Tests inside files do not count. `circles/KNOWN.md` lists the remaining cycles, each
//! with its reason; a resolved cycle must be removed from the list. `ORDAIN_BLESS=1` rewrites the
//! list: known cycles keep their reason, new ones get [`NO_REASON`].
#![allow(clippy::unwrap_used)]

#[path = "circles/methods.rs"]
mod methods;
#[path = "circles/modules.rs"]
mod modules;
#[path = "circles/resolve.rs"]
mod resolve;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use modules::Crate;

/// Each file with the files that it imports.
type Imports = BTreeMap<PathBuf, BTreeSet<PathBuf>>;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize().unwrap()
}

/// The strongly connected components with several files, each sorted, by Kosaraju's algorithm.
fn circles(imports: &Imports) -> Vec<Vec<PathBuf>> {
    let mut order = Vec::new();
    let mut seen = BTreeSet::new();
    for file in imports.keys() {
        reach(imports, file, &mut seen, &mut order);
    }
    let mut reversed = Imports::new();
    for (file, targets) in imports {
        for target in targets {
            reversed.entry(target.clone()).or_default().insert(file.clone());
        }
    }
    let mut seen = BTreeSet::new();
    let mut found = Vec::new();
    for file in order.iter().rev() {
        let mut group = Vec::new();
        reach(&reversed, file, &mut seen, &mut group);
        if group.len() > 1 {
            group.sort();
            found.push(group);
        }
    }
    found.sort();
    found
}

/// Appends the unseen files that `start` reaches, each after the files it imports.
fn reach(imports: &Imports, start: &Path, seen: &mut BTreeSet<PathBuf>, order: &mut Vec<PathBuf>) {
    if !seen.insert(start.to_path_buf()) {
        return;
    }
    let mut stack = vec![(start.to_path_buf(), 0)];
    while let Some((file, next)) = stack.pop() {
        let target = imports.get(&file).and_then(|targets| targets.iter().nth(next));
        let Some(target) = target else {
            order.push(file);
            continue;
        };
        stack.push((file, next + 1));
        if seen.insert(target.clone()) {
            stack.push((target.clone(), 0));
        }
    }
}

/// The list of known cycles, in the repository.
const KNOWN: &str = "xtask/tests/circles/KNOWN.md";
/// Larger cycles are listed by their number of files and their first file.
const MAX_LISTED: usize = 12;
/// The reason of unexplained cycles.
const NO_REASON: &str = "to be taken apart";

/// The cycles of all crates as `crate: file file …`, with files relative to `src`.
fn all_circles() -> BTreeSet<String> {
    let mut directories: Vec<_> =
        fs::read_dir(root().join("crates")).unwrap().map(|e| e.unwrap().path()).collect();
    directories.sort();
    assert!(directories.len() > 10, "the crates were not read");
    let mut found = BTreeSet::new();
    for directory in directories {
        let name = directory.file_name().unwrap().to_str().unwrap().to_string();
        let source = directory.join("src");
        let top = ["lib.rs", "main.rs"].map(|file| source.join(file));
        let top = top.iter().find(|file| file.exists()).unwrap();
        let imports = resolve::imports(&Crate::read(top));
        for circle in circles(&imports) {
            let files = circle.iter().map(|f| f.strip_prefix(&source).unwrap().to_str().unwrap());
            let files: Vec<_> = files.collect();
            found.insert(match files.len() {
                many if many > MAX_LISTED => format!("{name}: {many} files from {}", files[0]),
                _ => format!("{name}: {}", files.join(" ")),
            });
        }
    }
    found
}

/// The cycles in `KNOWN.md`, each with its reason: `- crate: file file … (reason)`.
fn known() -> BTreeMap<String, String> {
    let text = fs::read_to_string(root().join(KNOWN)).unwrap();
    let lines = text.lines().filter_map(|line| line.strip_prefix("- "));
    let split = |line: &str| {
        let (circle, reason) = line.strip_suffix(')')?.split_once(" (")?;
        Some((circle.to_string(), reason.to_string()))
    };
    lines.map(|line| split(line).unwrap_or_else(|| panic!("no reason: {line}"))).collect()
}

fn bless(found: &BTreeSet<String>, known: &BTreeMap<String, String>) {
    let reason = |circle| known.get(circle).map_or(NO_REASON, String::as_str);
    let lines = found.iter().map(|circle| format!("- {circle} ({})\n", reason(circle)));
    let text = format!("# Circles of files that remain\n\n{}", lines.collect::<String>());
    fs::write(root().join(KNOWN), text).unwrap();
}

#[test]
fn files_do_not_import_each_other_in_circles() {
    let (found, known) = (all_circles(), known());
    if std::env::var_os("ORDAIN_BLESS").is_some() {
        return bless(&found, &known);
    }
    let new: Vec<_> = found.iter().filter(|c| !known.contains_key(*c)).cloned().collect();
    let gone: Vec<_> = known.into_keys().filter(|c| !found.contains(c)).collect();
    assert!(new.is_empty(), "new circles of files:\n{}", new.join("\n"));
    assert!(gone.is_empty(), "these circles are gone, strike them:\n{}", gone.join("\n"));
}

/// The floors of crates, from the ground up: the folders and files of each. All others are on top.
/// A file in several floors belongs to the lowest of them.
const FLOORS: &[(&str, &[&[&str]])] = &[
    ("engine", &[&["system"], &["kind"], &["kinds"], &["run"]]),
    (
        "puppet",
        &[
            &["validation", "codes", "legacy_facts.rs"],
            // The configuration and files of Hiera are part of an environment.
            &[
                "load",
                "hiera/config.rs",
                "hiera/eyaml.rs",
                "hiera/files.rs",
                "hiera/merge.rs",
                "hiera/shape.rs",
                "hiera/text.rs",
                "hiera/values.rs",
            ],
            &["catalog"],
            &["state", "hiera/explain.rs", "hiera/key.rs", "hiera/state.rs", "plugins/state.rs"],
            &["functions/binding.rs", "functions/call.rs", "functions/support.rs"],
            &["hiera", "plugins"],
            &["functions"],
            &["eval"],
            &["compile"],
        ],
    ),
    (
        "ruby",
        &[
            &["syntax", "erb.rs", "stack.rs"],
            &["value.rs", "class.rs", "host.rs"],
            &["eval"],
            &["methods"],
        ],
    ),
    (
        "mcl",
        &[
            &["types", "value.rs", "plain_data.rs", "edition.rs"],
            &["resources"],
            &["template", "functions"],
            &["syntax", "fmt.rs", "eval"],
            &["failure.rs", "codes.rs"],
            &["check"],
            &["ir.rs", "elaborate"],
            &["graph", "exports.rs"],
            &["lower"],
            &["session.rs", "explain.rs"],
            &["stream.rs", "language.rs"],
        ],
    ),
    ("ecore", &[&["namespaces.rs", "model.rs", "encoding.rs"], &["read", "write.rs"]]),
    (
        "plugins",
        &[&["language.rs", "limits.rs"], &["fault.rs", "script.rs"], &["host.rs", "no_host.rs"]],
    ),
    (
        "inmanta",
        &[
            &["location.rs", "symbol.rs", "types", "value", "diagnostics"],
            &["syntax"],
            &["model"],
            &["std", "project", "check", "template", "functions", "python"],
            &["eval"],
            &["export"],
            &["lower"],
        ],
    ),
];

#[test]
fn floors_import_only_floors_below() {
    let mut wrong = Vec::new();
    for (name, floors) in FLOORS {
        let source = root().join("crates").join(name).join("src");
        let imports = resolve::imports(&Crate::read(&source.join("lib.rs")));
        let floor = |file: &Path| {
            let file = file.strip_prefix(&source).unwrap();
            let is_on = |floor: &&[&str]| floor.iter().any(|part| file.starts_with(part));
            floors.iter().position(is_on).unwrap_or(floors.len())
        };
        let used: BTreeSet<usize> = imports.keys().map(|file| floor(file)).collect();
        assert!(used.len() > floors.len(), "{name} lacks a floor");
        let calls = methods::calls(&imports.keys().cloned().collect());
        let up = calls.iter().filter(|call| floor(&call.definition) > floor(&call.caller));
        wrong.extend(up.map(|call| {
            let (caller, definition) = (call.caller.display(), call.definition.display());
            format!("{caller} calls {} of {definition}", call.method)
        }));
        for (file, targets) in &imports {
            let above = targets.iter().filter(|target| floor(target) > floor(file));
            wrong.extend(
                above.map(|above| format!("{} imports {}", file.display(), above.display())),
            );
        }
    }
    assert!(wrong.is_empty(), "files import files of a floor above:\n{}", wrong.join("\n"));
}

#[test]
fn calls_of_methods_in_other_files_are_found() {
    let source = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| fs::write(source.path().join(name), text).unwrap();
    write("a.rs", "pub struct A { b: B } pub struct B; impl A { fn up(&self) {} fn at(self) {} }");
    write("b.rs", "impl A { fn f(&self, other: &mut A) { self.up(); other.up(); self.b.go(); } }");
    // `Iterator` is a type of another crate, and a trait gives `get`.
    write(
        "c.rs",
        "impl B { fn go(&self) {} } fn g(a: &A, i: Iterator) { a.get(); i.up(); A::at(a) }",
    );
    let files = ["a.rs", "b.rs", "c.rs"].map(|name| source.path().join(name));
    let calls = methods::calls(&files.iter().cloned().collect());
    let name = |path: &Path| path.file_name().unwrap().to_str().unwrap().to_owned();
    let calls = calls
        .iter()
        .map(|call| format!("{} {} {}", name(&call.caller), call.method, name(&call.definition)));
    let expected = ["b.rs A::up a.rs", "b.rs A::up a.rs", "b.rs B::go c.rs", "c.rs A::at a.rs"];
    assert_eq!(calls.collect::<Vec<_>>(), expected);
}

#[test]
fn circles_are_found() {
    let source = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| fs::write(source.path().join(name), text).unwrap();
    write("lib.rs", "mod a; mod b; mod c; mod d; pub use a::A; pub use std::fmt;");
    write("a.rs", "use crate::b::B; pub struct A(B);");
    // Through the re-export of the crate root, in an expression, inside of a macro.
    write("b.rs", "pub struct B; fn f() { crate::A; }");
    write("c.rs", "fn f() { println!(\"{}\", super::d::g()) }");
    write(
        "d.rs",
        "use crate::fmt::Debug; pub fn g() -> u8 { 1 } #[cfg(test)] mod tests { use crate::c::f; }",
    );
    let imports = resolve::imports(&Crate::read(&source.path().join("lib.rs")));
    let files = ["a.rs", "b.rs"].map(|name| source.path().join(name));
    assert_eq!(circles(&imports), [files]);
    assert!(imports[&source.path().join("c.rs")].contains(&source.path().join("d.rs")));
    assert!(imports[&source.path().join("d.rs")].is_empty(), "another crate, by a re-export");
}
