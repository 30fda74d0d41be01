//! Whole repositories, as pages below `tests/repository`. Blocks with `file=` are the files, and a
//! block `findings` has the findings in all files before it, one per line. `ORDAIN_BLESS=1` writes
//! the present findings. `findings facts=a,b.c` sets the known facts, `module=DIR` adds a directory
//! of modules, and `only=PATH` names one file instead of all.
#![allow(clippy::unwrap_used)]

mod seeds;

use std::fmt::Write;
use std::path::{Path, PathBuf};

use ordain_graph::language::{CheckOptions, CheckReport, Discovery, Language, SourceText, Strict};
use ordain_puppet_tools::Puppet;
use ordain_source::{Diagnostic, MemoryWorld, SourceMap, diagnostic};
use ordain_testkit::golden::{files, golden};
use ordain_testkit::pages::{Block, rewrite};
use rayon::iter::{IntoParallelRefIterator, ParallelIterator};

/// The discovery of a path of a page, as the command line would make it.
fn met(path: &Path) -> Discovery {
    let in_data = path.components().any(|c| c.as_os_str() == "data");
    if in_data { Discovery::InData } else { Discovery::Elsewhere }
}

fn check(world: &MemoryWorld, block: Block<'_>) -> String {
    let sources = SourceMap::new();
    let modulepath: Vec<PathBuf> = block.options("module").map(PathBuf::from).collect();
    let facts: Option<Vec<String>> =
        block.option("facts").map(|list| list.split(',').map(str::to_owned).collect());
    let checking = CheckOptions {
        world,
        strict: Strict::Error,
        sources: &sources,
        modulepath: &modulepath,
        facts: facts.as_deref(),
    };
    let found = found(world, &checking, block.option("only").map(Path::new));
    found.iter().map(|d| line(d, &sources)).collect()
}

/// The findings in all files of a world, or in one.
fn found(world: &MemoryWorld, checking: &CheckOptions<'_>, only: Option<&Path>) -> Vec<Diagnostic> {
    let sources = checking.sources;
    let named = world.files.iter().filter(|(path, _)| {
        Puppet.claim(path, met(path)).is_some() && only.is_none_or(|only| only == *path)
    });
    let texts: Vec<SourceText<'_>> = named
        .map(|(path, bytes)| {
            let text = String::from_utf8(bytes.clone()).unwrap().into();
            let file = sources.add(path, std::sync::Arc::clone(&text));
            SourceText { path, full: path, file, text }
        })
        .collect();
    let checked: Vec<CheckReport> = texts.par_iter().map(|t| Puppet.check(t, checking)).collect();
    let files: Vec<_> = texts.into_iter().zip(&checked).collect();
    let mut found = Puppet.check_together(&files, checking);
    found.extend(checked.iter().flat_map(|c| c.found.iter().cloned()));
    diagnostic::sort(&mut found, sources);
    found
}

fn line(found: &Diagnostic, sources: &SourceMap) -> String {
    let mut out = String::new();
    if let Some(label) = &found.primary {
        let at = sources.start(label.span);
        let path = sources.file(label.span.file).path.display().to_string();
        write!(out, "{path}:{}:{} ", at.line, at.column).unwrap();
    }
    writeln!(out, "{}[{}] {}", found.severity.word(), found.code, found.message).unwrap();
    for label in &found.related {
        let at = sources.start(label.span);
        let path = sources.file(label.span.file).path.display().to_string();
        writeln!(out, "    {path}:{}:{} {}", at.line, at.column, label.text).unwrap();
    }
    for help in &found.help {
        writeln!(out, "    {help}").unwrap();
    }
    out
}

#[test]
fn pages() {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/repository");
    let pages = files(&dir, &["md"]);
    golden(pages.len().max(7), |golden| {
        for path in &pages {
            golden.page(path, |page| {
                let mut world = MemoryWorld::default();
                rewrite(page, |block| {
                    if block.option("new").is_some() {
                        world = MemoryWorld::default();
                    }
                    block.store(&mut world);
                    (block.word(0) == "findings").then(|| block.with(check(&world, block)))
                })
            });
        }
    });
}
