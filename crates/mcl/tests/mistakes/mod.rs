//! Mistakes as people make them, which `check` has to find.

use std::path::Path;

use ordain_mcl::Mcl;
use ordain_testkit::golden;
use ordain_testkit::mistakes::mistakes;

#[test]
fn mistakes_are_found() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/mistakes/mistakes.txt");
    golden(1, |golden| mistakes(golden, &path, &Mcl::WIDE, "main.mcl", 60));
}
