//! `docs/functions.md` lists the functions that there are.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use ordain_puppet::functions::{CORE, MODULES};
use ordain_testkit::golden;

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/functions.md");

fn page() -> String {
    let all: BTreeMap<&str, &str> = CORE
        .iter()
        .chain(MODULES)
        .flat_map(|family| family.iter())
        .map(|f| (f.name, f.doc))
        .collect();
    let mut out = format!(
        "# Functions\n\nThe {} functions of the Puppet front end, those of `stdlib` included. A \
         test keeps this page; `ORDAIN_BLESS=1 cargo test -p ordain-puppet --test manual` writes it \
         anew.\n\n| function | |\n| --- | --- |\n",
        all.len()
    );
    for (name, doc) in all {
        let _ = writeln!(out, "| `{name}` | {} |", doc.replace('|', "\\|").replace('\n', " "));
    }
    out
}

#[test]
fn the_page_of_functions_is_up_to_date() {
    golden(1, |golden| golden.file(Path::new(PAGE), &page()));
}
