//! Runs the pages in `tests/cases/`: each section has a program and what comes of it.
//!
//! A section has any number of blocks `mcl file=NAME` with modules, a block `mcl` (or `mcl upstream`
//! for the original's own edition), and last `text graph`, `text error` or `mcl formatted`.
//! `ORDAIN_BLESS=1` writes what really comes into the pages.
#![allow(clippy::unwrap_used)]

use std::path::{Path, PathBuf};

use ordain_mcl::eval::fields;
use ordain_mcl::functions::surroundings::Memory;
use ordain_mcl::session::{Input, Options, compile};
use ordain_mcl::{Edition, fmt};
use ordain_source::{MemoryWorld, SourceMap};
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
    let world = MemoryWorld::with_files(program.files.clone());
    let surroundings = Memory { world: world.clone(), hostname: "h1".into(), ..Memory::default() };
    let sources = SourceMap::new();
    let options = Options { edition: program.edition, module_path: Some("/modules".into()) };
    let input = Input::Path("/main.mcl".into());
    Some(match compile(&world, &sources, &input, &options, &surroundings) {
        Ok(compiled) => Answer::new("text graph", fields::lines(&compiled.resources).join("\n")),
        Err(refused) => {
            let (phase, text) = refused.first(&sources);
            Answer::new("text error", format!("{}: {text}", phase.class()))
        }
    })
}
