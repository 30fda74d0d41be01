//! Runs the pages in `tests/cases/`. Each section has a program and its expected results.
//!
//! A section has any number of blocks `mcl file=NAME` with modules, a block `mcl` (or `mcl
//! upstream` for the original's own edition), and last `text graph`, `text error` or `mcl
//! formatted`; also `text findings` with all errors and warnings, `text functions` with the
//! function graph, and `text why of=KIND[NAME].FIELD` with the explanation of a value.
//! `ORDAIN_BLESS=1` writes the actual results into the pages.
#![allow(clippy::unwrap_used)]

mod mistakes;

use std::path::{Path, PathBuf};

use ordain_graph::explain::Cause;
use ordain_mcl::functions::environment::Memory;
use ordain_mcl::graph::fields;
use ordain_mcl::graph::outline::Outline;
use ordain_mcl::session::{self, Checked, Input, Options, ProgramErrors, compile};
use ordain_mcl::{Edition, explain, fmt};
use ordain_source::{MemoryWorld, SourceMap, Span};
use ordain_testkit::pages::{Answer, Block, pages_are_true};

#[derive(Default)]
struct Program {
    files: Vec<(PathBuf, String)>,
    edition: Edition,
    has_main: bool,
}

#[test]
fn pages_are_true_of_what_they_say() {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases");
    pages_are_true(&dir, 1, || {
        let mut program = Program::default();
        move |block| run_block(&mut program, block)
    });
}

fn run_block(program: &mut Program, block: Block<'_>) -> Option<Answer> {
    if block.word(0) == "mcl" && block.word(1) != "formatted" {
        let name = block.options("file").next();
        if std::mem::take(&mut program.has_main) {
            program.files.clear();
        }
        if name.is_none() {
            program.has_main = true;
            program.edition =
                if block.word(1) == "upstream" { Edition::Upstream } else { Edition::Wide };
        }
        let path = Path::new("/").join(name.unwrap_or("main.mcl"));
        program.files.push((path, block.body.to_owned()));
        return None;
    }
    if block.word(1) == "formatted" {
        let text = &program.files.last().unwrap().1;
        let formatted = fmt::format(text, program.edition).unwrap();
        return Some(Answer::new("mcl formatted", formatted.trim_end()));
    }
    match block.word(1) {
        "findings" => return Some(Answer::new("text findings", findings(program))),
        "functions" => {
            let checked = check(program, &SourceMap::new()).unwrap();
            let lines = Outline::of(&checked.program, "h1").unwrap().lines();
            return Some(Answer::new("text functions", lines.join("\n")));
        }
        "why" => {
            let of = block.options("of").next().unwrap();
            return Some(Answer::new(&format!("text why of={of}"), why(program, of)));
        }
        _ => {}
    }
    let world = MemoryWorld::with_files(program.files.clone());
    let mut environment =
        Memory { world: world.clone(), hostname: "h1".into(), ..Memory::default() };
    environment.world.vars.insert("HOME".into(), "/home/u".into());
    let sources = SourceMap::new();
    let options = Options { edition: program.edition, module_path: Some("/modules".into()) };
    let input = Input::Path("/main.mcl".into());
    Some(match compile(&world, &sources, &input, &options, &environment) {
        Ok(compiled) => Answer::new("text graph", fields::lines(&compiled.resources).join("\n")),
        Err(refused) => {
            let (phase, text) = refused.first(&sources);
            Answer::new("text error", format!("{}: {text}", phase.class()))
        }
    })
}

fn check(program: &Program, sources: &SourceMap) -> Result<Checked, Box<ProgramErrors>> {
    let world = MemoryWorld::with_files(program.files.clone());
    let options = Options { edition: program.edition, module_path: None };
    session::check(&world, sources, &Input::Path("/main.mcl".into()), &options)
}

fn findings(program: &Program) -> String {
    let sources = SourceMap::new();
    let mut found = match check(program, &sources) {
        Ok(checked) => {
            let known = session::certain(&checked);
            checked.warnings.into_iter().chain(known).collect()
        }
        Err(refused) => refused.diagnostics(),
    };
    ordain_source::diagnostic::sort(&mut found, &sources);
    let place = |span: Span| {
        let start = sources.start(span);
        format!("{}:{}", start.line, start.column)
    };
    let mut lines = Vec::new();
    for diagnostic in found {
        let at = diagnostic.primary.as_ref().map(|label| place(label.span)).unwrap_or_default();
        lines.push(format!("{at} {}: {}", diagnostic.code, diagnostic.message));
        for related in &diagnostic.related {
            lines.push(format!("    {} {}", place(related.span), related.text));
        }
        lines.extend(diagnostic.help.iter().map(|help| format!("    help: {help}")));
    }
    lines.join("\n")
}

fn why(program: &Program, of: &str) -> String {
    let sources = SourceMap::new();
    let world = MemoryWorld::with_files(program.files.clone());
    let host = Memory { world: world.clone(), hostname: "h1".into(), ..Memory::default() };
    let input = Input::Path("/main.mcl".into());
    let compiled = compile(&world, &sources, &input, &Options::default(), &host).unwrap();
    let (id, field) = of.split_once("].").unwrap();
    let (kind, name) = id.split_once('[').unwrap();
    let resource = explain::find(&compiled.resources, kind, name).unwrap();
    let checked = &compiled.checked.program;
    let explanation = explain::resource(checked, &sources, resource, Some(field)).unwrap();
    let value = explanation.value.map(|(text, _)| text).unwrap_or_default();
    let mut lines = vec![format!("{} = {value}", explanation.subject)];
    explanation.causes.iter().for_each(|cause| write_cause(cause, 1, &mut lines));
    lines.join("\n")
}

fn write_cause(cause: &Cause, depth: usize, lines: &mut Vec<String>) {
    let place = cause.place.as_ref().map(|p| format!(" {}:{}", p.line, p.column));
    lines.push(format!("{}{}{}", "  ".repeat(depth), cause.words, place.unwrap_or_default()));
    cause.from.iter().for_each(|cause| write_cause(cause, depth + 1, lines));
}
