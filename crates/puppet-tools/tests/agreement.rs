//! A check finds no errors in programs that compile: all programs of the golden pages and of the
//! comparison with Puppet, each as the site program of an environment.
//!
//! A check also finds errors in code that a compile does not reach, and in values that are only
//! refused where they are applied; `EXPECTED` lists these.

#![allow(clippy::unwrap_used, clippy::disallowed_methods)]

use std::path::{Path, PathBuf};
use std::sync::Arc;

use ordain_graph::language::{CheckOptions, CheckReport, Discovery, Language, SourceText, Strict};
use ordain_graph::puppet_catalog::{self, Envelope};
use ordain_puppet::eval::Settings;
use ordain_puppet::load::{Environment, Options, Site};
use ordain_puppet::session;
use ordain_puppet::session::Node;
use ordain_puppet_tools::Puppet;
use ordain_source::{Diagnostic, MemoryWorld, Severity, SourceMap};
use ordain_testkit::golden::files;

/// The directory of the environment.
const ROOT: &str = "env";

/// Findings of a check in programs that compile: a program, a code, and the reason.
const EXPECTED: [(&str, &str, &str); 1] =
    [("define_alias_unknown", "puppet::unknown-type", "nothing uses the alias")];

/// A program and the files of its environment, by paths in it.
struct Case {
    name: String,
    files: Vec<(PathBuf, Vec<u8>)>,
}

/// The cases of a golden page: those with code, and the files that stand before it.
fn of_page(path: &Path, out: &mut Vec<Case>) {
    let text = std::fs::read_to_string(path).unwrap();
    let name = path.file_name().unwrap().to_string_lossy().into_owned();
    let mut around = Vec::new();
    let mut code = None;
    let mut lines = text.lines().enumerate();
    while let Some((at, line)) = lines.next() {
        let Some(info) = line.strip_prefix("```") else { continue };
        let block: String = lines
            .by_ref()
            .map(|(_, line)| line)
            .take_while(|line| *line != "```")
            .flat_map(|line| [line, "\n"])
            .collect();
        match info.split_once(' ') {
            Some(("file", path)) => around.push((PathBuf::from(path), block.into_bytes())),
            _ if info == "puppet" => code = Some((at, block)),
            _ => {
                let mut files = std::mem::take(&mut around);
                let Some((at, code)) = code.take() else { continue };
                files.push(("manifests/site.pp".into(), code.into_bytes()));
                out.push(Case { name: format!("{name}:{}", at + 1), files });
            }
        }
    }
}

/// A program that is compared with Puppet's answer, with the environment of its name.
fn of_comparison(path: &Path, out: &mut Vec<Case>) {
    let dir = path.with_extension("");
    let mut files: Vec<(PathBuf, Vec<u8>)> = Vec::new();
    let mut rest = vec![dir.clone()];
    while let Some(at) = rest.pop() {
        for entry in std::fs::read_dir(at).into_iter().flatten() {
            let path = entry.unwrap().path();
            match path.is_dir() {
                true => rest.push(path),
                false => {
                    let inner = path.strip_prefix(&dir).unwrap().to_owned();
                    files.push((inner, std::fs::read(&path).unwrap()));
                }
            }
        }
    }
    files.push(("manifests/site.pp".into(), std::fs::read(path).unwrap()));
    let name = dir.file_name().unwrap().to_string_lossy().into_owned();
    out.push(Case { name, files });
}

/// The catalog of an environment as agents get it, if it compiles.
fn catalog(world: &Arc<MemoryWorld>, has_history: bool) -> Option<Vec<u8>> {
    let root = Path::new(ROOT);
    let options = Options {
        dir: Some(root.into()),
        modulepath: vec![root.join("modules")],
        ..Options::new(Arc::clone(world) as _, Site::Path(root.join("manifests")))
    };
    let (env, _) = Environment::open(options).ok()?;
    let node = Node { name: "test".into(), ..Node::default() };
    let settings = Settings { has_history, ..Settings::default() };
    let graph = session::compile_node(&env, settings, &node).graph?;
    let mut text = Vec::new();
    puppet_catalog::write(&graph, &env.sources, &Envelope::default(), &mut text).unwrap();
    Some(text)
}

fn errors(world: &MemoryWorld) -> Vec<Diagnostic> {
    let sources = SourceMap::new();
    let checking = CheckOptions {
        world,
        strict: Strict::Error,
        sources: &sources,
        modulepath: &[],
        facts: None,
    };
    let named =
        world.files.iter().filter(|(path, _)| Puppet.claim(path, Discovery::Elsewhere).is_some());
    let named = named.filter_map(|(path, bytes)| {
        let text: Arc<str> = String::from_utf8(bytes.clone()).ok()?.into();
        let file = sources.add(path, Arc::clone(&text));
        Some(SourceText { path, full: path, file, text })
    });
    let texts: Vec<SourceText<'_>> = named.collect();
    let checked: Vec<CheckReport> =
        texts.iter().map(|text| Puppet.check(text, &checking)).collect();
    let files: Vec<_> = texts.into_iter().zip(&checked).collect();
    let mut found = Puppet.check_together(&files, &checking);
    found.extend(checked.iter().flat_map(|one| one.found.iter().cloned()));
    found.retain(|one| one.severity == Severity::Error);
    found
}

/// All programs, and the environments that they are in.
fn worlds() -> Vec<(String, Arc<MemoryWorld>)> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../puppet/tests");
    let mut cases = Vec::new();
    files(&dir.join("errors"), &["md"]).iter().for_each(|path| of_page(path, &mut cases));
    let differential = dir.join("differential");
    let programs = std::fs::read_dir(&differential).unwrap().map(|entry| entry.unwrap().path());
    let mut programs: Vec<PathBuf> =
        programs.filter(|path| path.extension().is_some_and(|ending| ending == "pp")).collect();
    programs.sort();
    programs.iter().for_each(|path| of_comparison(path, &mut cases));
    let world = |case: Case| {
        let conf = (PathBuf::from("environment.conf"), b"modulepath = modules\n".to_vec());
        let all = std::iter::once(conf).chain(case.files);
        let files = all.map(|(path, text)| (Path::new(ROOT).join(path), text)).collect();
        (case.name, Arc::new(MemoryWorld { files, ..MemoryWorld::default() }))
    };
    cases.into_iter().map(world).collect()
}

#[test]
fn a_catalog_is_the_same_without_the_history_of_attributes() {
    for (name, world) in worlds() {
        let (with, without) = (catalog(&world, true), catalog(&world, false));
        assert_eq!(with.is_some(), without.is_some(), "{name}");
        assert!(with == without, "the catalogs of {name} differ");
    }
}

#[test]
fn checks_find_no_errors_in_programs_that_compile() {
    let (mut compiled, mut wrong) = (0, Vec::new());
    for (name, world) in worlds() {
        if catalog(&world, true).is_none() {
            continue;
        }
        compiled += 1;
        for found in errors(&world) {
            let expected = |(of, code, _): &(&str, &str, &str)| name == *of && found.code == *code;
            if !EXPECTED.iter().any(expected) {
                wrong.push(format!("{name}: [{}] {}", found.code, found.message));
            }
        }
    }
    assert!(compiled > 200, "only {compiled} programs compile");
    assert!(wrong.is_empty(), "errors in what compiles:\n{}", wrong.join("\n"));
}
