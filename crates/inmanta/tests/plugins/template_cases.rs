//! Templates in whole models: several hundred, with the original's outputs and errors.
//!
//! The expectations in `templates/*.txt` were recorded from inmanta-core 20.1 with the module std 8.7
//! and Jinja2 3.1.6. A case is a template between `==== template` and the next `====` line, then
//! the output, or the innermost cause of the error.

use std::path::Path;

use ordain_inmanta::session::{Request, compile};
use ordain_source::{MemoryWorld, SourceMap};

struct Case<'a> {
    template: &'a str,
    fails: bool,
    expected: &'a str,
}

fn cases(text: &str) -> Vec<Case<'_>> {
    let text = text.split_once("==== template\n").unwrap().1;
    let text = text.strip_suffix('\n').unwrap_or(text);
    let case = |part| {
        let part: &str = part;
        let (template, rest) = part.split_once("\n==== ").unwrap();
        let (kind, expected) = rest.split_once('\n').unwrap();
        Case { template, fails: kind == "fails", expected }
    };
    text.split("\n==== template\n").map(case).collect()
}

/// The output of a model with a template, or the innermost cause of its error.
fn outcome(model: &str, template: &str) -> Result<String, String> {
    let mut world = MemoryWorld::default();
    let mut add = |name: &str, text: &str| {
        let path = Path::new("/p/templates").join(name);
        world.files.insert(path, text.as_bytes().to_vec());
    };
    for (name, text) in [
        ("base.j2", include_str!("templates/files/base.j2")),
        ("inc.j2", include_str!("templates/files/inc.j2")),
        ("mac.j2", include_str!("templates/files/mac.j2")),
        ("usesctx.j2", include_str!("templates/files/usesctx.j2")),
        ("mid.j2", include_str!("templates/files/mid.j2")),
        ("bad.j2", include_str!("templates/files/bad.j2")),
        ("globals.j2", include_str!("templates/files/globals.j2")),
        ("t_main.j2", template),
    ] {
        add(name, text);
    }
    let sources = SourceMap::new();
    let project = Path::new("/p");
    let mut request = Request::new(&world, &sources, project, project.join("main.cf"), model);
    request.autostd = true;
    request.shown = vec![(project.into(), "{dir}".into())];
    let outcome = compile(request);
    match &outcome.error {
        None => Ok(outcome.net.stdout().strip_suffix('\n').unwrap_or_default().to_owned()),
        Some(error) => {
            let trace = error.trace(&outcome.net.program.files);
            let cause = trace.split_once("caused by:\n").map_or(&*trace, |(_, cause)| cause).trim();
            let reported = cause.rfind(" (reported in ").unwrap_or(cause.len());
            Err(cause[..reported].to_owned())
        }
    }
}

/// Addresses, which differ from run to run.
fn masked(text: &str) -> String {
    text.replace("0x7f0000000000", "0x<id>")
}

fn check(model: &str, recorded: &str) {
    let mut wrong = Vec::new();
    let all = cases(recorded);
    for Case { template, fails, expected } in &all {
        let found = outcome(model, template);
        let is_right = match &found {
            Ok(text) => !fails && masked(text) == *expected,
            Err(text) => *fails && text == expected,
        };
        if !is_right {
            wrong.push(format!("{template}\n  expected: {expected}\n  found: {found:?}"));
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), all.len(), wrong.join("\n"));
}

#[test]
fn templates_with_variables_of_the_model() {
    check(include_str!("templates/variables.cf"), include_str!("templates/of_variables.txt"));
}

#[test]
fn templates_with_arguments() {
    check(include_str!("templates/arguments.cf"), include_str!("templates/of_arguments.txt"));
}
