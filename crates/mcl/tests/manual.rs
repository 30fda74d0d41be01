//! `docs/mcl-functions.md` lists the functions of mcl.

use std::fmt::Write as _;
use std::path::Path;

use ordain_mcl::functions::{Builtin, all};
use ordain_testkit::golden;

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/mcl-functions.md");

fn flags(function: &Builtin) -> String {
    let flags = [
        (function.is_pure, "pure"),
        (function.is_streaming, "streams"),
        (function.is_catchable, "catchable"),
    ];
    flags
        .into_iter()
        .filter_map(|(is_set, flag)| is_set.then_some(flag))
        .collect::<Vec<_>>()
        .join(", ")
}

fn page() -> String {
    let functions: Vec<&Builtin> =
        all().iter().filter(|function| !function.is_internal()).collect();
    let mut out = format!(
        "# Functions of mcl\n\nThe {} functions that programs in mcl can call. *pure*: equal arguments \
         give equal values; *streams*: it gives new values by itself; *catchable*: `<|>` catches some \
         of its errors. A test keeps this page; `ORDAIN_BLESS=1 cargo test -p ordain-mcl --test \
         manual` writes it anew.\n\n| function | signature | | |\n| --- | --- | --- | --- |\n",
        functions.len()
    );
    for function in functions {
        let cell = |text: &str| text.replace('|', "\\|");
        let (name, signature) = (function.name, cell(function.text));
        let (doc, flags) = (cell(function.doc), flags(function));
        let _ = writeln!(out, "| `{name}` | `{signature}` | {doc} | {flags} |");
    }
    out
}

#[test]
fn the_page_of_functions_is_up_to_date() {
    golden(1, |golden| golden.file(Path::new(PAGE), &page()));
}

#[test]
fn signatures_can_be_read_and_no_name_comes_twice() {
    for function in all() {
        let count = function.signatures().count();
        assert_eq!(count, function.text.split(" | ").count(), "{function:?}");
        assert!(function.doc.ends_with('.') && !function.doc.is_empty(), "{function:?}");
    }
    assert!(all().is_sorted_by(|a, b| a.name < b.name));
}
