//! `docs/kinds.md` lists all kinds.

use std::path::Path;

use ordain_kinds::manual::page;
use ordain_testkit::golden;

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/kinds.md");

#[test]
fn the_page_of_kinds_is_up_to_date() {
    golden(1, |golden| golden.file(Path::new(PAGE), &page()));
}
