//! The inputs that compiles record.
//!
//! Pages in `tests/records/` have files and the record of the compile of all of them. The random test
//! edits files, facts and exported resources, and compares every answer that records allow with a
//! compile.

#[path = "../records/random.rs"]
mod random;
#[path = "../records/support.rs"]
mod support;

use std::path::Path;

use ordain_data::{Value as Data, json};
use ordain_testkit::pages::{Answer, Block, pages_are_true};
use support::{Site, request};

/// A block with `file=PATH` is a file, one with `facts` has the facts, and a block `text inputs` gets
/// the record. The first block after a record begins another site.
#[derive(Default)]
struct Case {
    site: Option<Site>,
    facts: Option<Data>,
    is_done: bool,
}

#[test]
fn pages_are_true_of_what_they_say() {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/records");
    pages_are_true(&dir, 1, || {
        let mut case = Case::default();
        move |block| run_block(&mut case, block)
    });
}

fn run_block(case: &mut Case, block: Block<'_>) -> Option<Answer> {
    if std::mem::take(&mut case.is_done) {
        *case = Case::default();
    }
    let site = case.site.get_or_insert_with(Site::default);
    if let Some(path) = block.option("file") {
        site.write(path, block.body);
        return None;
    }
    if block.word(1) == "facts" {
        case.facts = Some(json::read(block.body).unwrap());
        return None;
    }
    case.is_done = true;
    let facts = case.facts.clone().unwrap_or_else(|| Data::map::<&str>([]));
    let env = site.open();
    let compiled = env.compile(request("web.example.org", facts, site));
    let lines = match &compiled.record {
        Some(record) => record.describe(),
        None => compiled.diagnostics.iter().map(|d| d.message.clone()).collect(),
    };
    // Every compile has these; the first section shows them.
    let base = if block.word(2) == "all" { Vec::new() } else { support::inputs_of_nothing() };
    let lines = lines.iter().filter_map(|line| site.shown(line));
    let lines: Vec<String> = lines.filter(|line| !base.contains(line)).collect();
    Some(block.with(lines.join("\n")))
}
