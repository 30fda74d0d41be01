//! Whole models that were recorded from the original: their outputs and errors.
//!
//! A case of `models.txt` is a model without its `import std`, followed by its output or error
//! message.

use std::path::Path;

use ordain_inmanta::session::{Request, compile};
use ordain_source::{MemoryWorld, SourceMap};

fn outcome(model: &str) -> String {
    let (world, sources) = (MemoryWorld::default(), SourceMap::new());
    let project = Path::new("/p");
    let text = format!("import std\n{model}\n");
    let mut request = Request::new(&world, &sources, project, project.join("main.cf"), text);
    request.autostd = true;
    request.shown = vec![(project.into(), "{dir}".into())];
    let outcome = compile(request);
    match &outcome.error {
        None => format!("prints\n{}", outcome.net.stdout().trim_end()),
        Some(error) => format!("fails\n{}", error.trace(&outcome.net.program.files).trim_end()),
    }
}

#[test]
fn models_print_and_fail_as_in_the_original() {
    let recorded = include_str!("models.txt");
    let mut wrong = Vec::new();
    for case in recorded.split("==== model\n").skip(1) {
        let (model, expected) = case.split_once("==== ").unwrap();
        let found = outcome(model.trim_end());
        if found.trim_end() != expected.trim_end() {
            wrong.push(format!("{model}  expected: {expected}  found: {found}"));
        }
    }
    assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong.join("\n"));
}
