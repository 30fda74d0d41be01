//! `docs/dynaml-functions.md` lists the built-in functions.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use ordain_dynaml::eval::evaluator::Builtin;
use ordain_dynaml::functions::table;
use ordain_testkit::golden;

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/dynaml-functions.md");

fn functions() -> BTreeMap<&'static str, Builtin> {
    table().into_iter().collect()
}

fn page() -> String {
    let functions = functions();
    let mut out = format!(
        "# Functions of dynaml\n\nThe {} built-in functions. `x?` may be left out, `x...` stands for \
         any number of arguments. A test keeps this page; `ORDAIN_BLESS=1 cargo test -p ordain-dynaml \
         --test manual` writes it anew.\n\n| function | |\n| --- | --- |\n",
        functions.len()
    );
    for function in functions.values() {
        let _ = writeln!(out, "| `{}` | {} |", function.signature, function.doc);
    }
    out
}

#[test]
fn the_page_of_functions_is_up_to_date() {
    golden(1, |golden| golden.file(Path::new(PAGE), &page()));
}

#[test]
fn signatures_begin_with_the_name_and_documentation_is_a_sentence() {
    for (name, function) in functions() {
        assert!(function.signature.starts_with(&format!("{name}(")), "{name}");
        assert!(function.doc.ends_with('.'), "{name}");
    }
}
