//! Runs the transcripts in `tests/cases/`, the manual and the README; see
//! [`ordain_testkit::transcript`]. `ORDAIN_BLESS=1` writes the actual output into the pages.
//! `ORDAIN_CASE` selects pages by a part of their paths. Pages about the database of a server find
//! its state directory in the variable `STORE`.

mod fleet_store;

use std::path::Path;

use ordain_testkit::golden::{files, golden};
use ordain_testkit::transcript::run_page;

#[test]
fn transcripts_are_true() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut pages = files(&root.join("tests/cases"), &["md"]);
    assert!(pages.len() >= 8, "the transcripts are gone");
    for dir in ["../../docs", "../../docs/tutorials"] {
        pages.extend(files(&root.join(dir), &["md"]));
    }
    pages.push(root.join("../../README.md"));
    let wanted = std::env::var("ORDAIN_CASE").unwrap_or_default();
    pages.retain(|page| page.to_string_lossy().contains(&wanted));
    let program = Path::new(env!("CARGO_BIN_EXE_ordain"));
    let needs_store =
        |page: &&Path| std::fs::read_to_string(page).is_ok_and(|p| p.contains("$STORE"));
    let store = tempfile::tempdir().expect("a directory");
    if pages.iter().map(std::path::PathBuf::as_path).any(|page| needs_store(&page)) {
        fleet_store::fill(store.path());
    }
    golden(pages.len(), |golden| {
        for page in &pages {
            golden.page(page, |text| run_page(text, program, &[("STORE", store.path())]));
        }
    });
}
