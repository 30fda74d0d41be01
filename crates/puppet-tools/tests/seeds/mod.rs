//! Mistakes as people make them, one a case, in small repositories.
//!
//! `base.txt` is the repository that every case starts from. A line `== NAME` begins a case, and a
//! line `@ PATH` a file of it that replaces the one of the base. Text without a path is a manifest;
//! if it defines nothing, it is the body of a class. `#~ CODES` at the end of a line is not part of
//! the file: it names the findings that are expected on the line. `#~ CODE !REASON` is a mistake that
//! is not found. `ORDAIN_BLESS=1` writes the present findings as marks.
#![allow(clippy::unwrap_used, clippy::disallowed_methods)]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use ordain_graph::language::{CheckOptions, Strict};
use ordain_source::{MemoryWorld, SourceMap};
use ordain_testkit::golden::golden;
use rayon::iter::{IntoParallelRefIterator, ParallelIterator};

/// The file of text without a path.
const MANIFEST: &str = "site-modules/profile/manifests/seed.pp";

/// The files with cases.
const FILES: [&str; 4] = ["names.txt", "resources.txt", "values.txt", "data.txt"];

/// The line before text that is the body of a class.
const WRAPPER: &str = "class profile::seed {\n";

/// The share of mistakes in percent that has to be found.
const LEAST: usize = 90;

/// A line of a file with a code.
type Place = (PathBuf, u32, String);

#[derive(Default)]
struct Case {
    files: Vec<(PathBuf, String)>,
    expected: BTreeSet<Place>,
    missed: Option<String>,
}

impl Case {
    /// Reads the files of a case.
    fn read(text: &str) -> Self {
        let mut out = Self::default();
        let bare = !text.starts_with("@ ");
        let defines = ["class ", "define "].iter().any(|word| text.starts_with(word));
        let is_body = bare && (!defines || text.starts_with("class {"));
        if bare {
            out.files.push((Path::new("/env").join(MANIFEST), String::new()));
        }
        if is_body {
            out.files[0].1.push_str(WRAPPER);
        }
        for line in text.lines() {
            if let Some(path) = line.strip_prefix("@ ") {
                out.files.push((Path::new("/env").join(path), String::new()));
                continue;
            }
            let (path, file) = out.files.last_mut().unwrap();
            let (line, expected) = line.split_once("  #~ ").unwrap_or((line, ""));
            let (codes, reason) = expected.split_once(" !").unwrap_or((expected, ""));
            file.push_str(line);
            file.push('\n');
            let number = file.matches('\n').count() as u32;
            let codes = codes.split_whitespace().map(|code| format!("puppet::{code}"));
            out.expected.extend(codes.map(|code| (path.clone(), number, code)));
            if !reason.is_empty() {
                out.missed = Some(reason.into());
            }
        }
        if is_body {
            out.files[0].1.push_str("}\n");
        }
        out
    }
}

/// The texts of the cases of a file.
fn parts(text: &str) -> Vec<String> {
    let mut parts = text.split_inclusive('\n').fold(vec![String::new()], |mut parts, line| {
        if line.starts_with("== ") {
            parts.push(String::new());
        }
        parts.last_mut().unwrap().push_str(line);
        parts
    });
    parts.retain(|part| !part.is_empty());
    parts
}

/// The cases of a file, and for the base one without a name.
fn cases(text: &str) -> Vec<Case> {
    parts(text)
        .iter()
        .map(|part| match part.strip_prefix("== ") {
            Some(case) => Case::read(case.split_once('\n').unwrap().1),
            None => Case::read(part),
        })
        .collect()
}

/// The findings of a repository by line.
fn found(base: &Case, case: &Case) -> BTreeSet<Place> {
    let mut world = MemoryWorld::default();
    for (path, text) in base.files.iter().chain(&case.files) {
        world.files.insert(path.clone(), text.clone().into_bytes());
    }
    let sources = SourceMap::new();
    let checking = CheckOptions {
        world: &world,
        strict: Strict::Error,
        sources: &sources,
        modulepath: &[],
        facts: None,
    };
    let found = super::found(&world, &checking, None);
    let place = |d: &ordain_source::Diagnostic| {
        let label = d.primary.as_ref()?;
        let path = sources.file(label.span.file).path.clone();
        Some((path, sources.start(label.span).line, d.code.to_string()))
    };
    found.iter().map(|d| place(d).unwrap_or((PathBuf::new(), 0, d.code.to_string()))).collect()
}

#[test]
fn mistakes_are_found() {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/seeds");
    let text = |name: &str| std::fs::read_to_string(dir.join(name)).unwrap();
    let base = cases(&text("base.txt")).remove(0);
    let (mut all, mut missed) = (0, 0);
    golden(FILES.len(), |golden| {
        for name in FILES {
            let parts = parts(&text(name));
            let blessed: Vec<String> = parts.par_iter().map(|part| blessed(&base, part)).collect();
            golden.file(&dir.join(name), &blessed.concat());
            all += blessed.len();
            let is_missed = |part: &&String| cases(part).iter().any(|case| case.missed.is_some());
            missed += blessed.iter().filter(is_missed).count();
        }
    });
    assert_eq!(found(&base, &Case::default()), BTreeSet::new(), "the base has no mistakes");
    println!("{} of {all} mistakes are found", all - missed);
    assert!(all >= 200 && (all - missed) * 100 >= LEAST * all, "{missed} of {all} are not found");
}

/// The text of a case with the present findings as its marks. If none of the expected ones is found,
/// the marks stay and say so.
fn blessed(base: &Case, part: &str) -> String {
    let (name, text) = part.strip_prefix("== ").unwrap().split_once('\n').unwrap();
    let case = Case::read(text);
    let found = found(base, &case);
    if case.missed.is_some() && found.is_disjoint(&case.expected) {
        return part.into();
    }
    let is_missed = !case.expected.is_empty() && found.is_disjoint(&case.expected);
    let has_wrapper = case.files.first().is_some_and(|(_, file)| file.starts_with(WRAPPER));
    let (mut path, mut number) = (Path::new("/env").join(MANIFEST), u32::from(has_wrapper));
    let mut out = format!("== {name}\n");
    for line in text.lines() {
        if let Some(of_file) = line.strip_prefix("@ ") {
            (path, number) = (Path::new("/env").join(of_file), 0);
            out.push_str(&format!("{line}\n"));
            continue;
        }
        number += 1;
        let (line, mark) = line.split_once("  #~ ").unwrap_or((line, ""));
        let places = if is_missed { &case.expected } else { &found };
        let here = places.iter().filter(|(file, at, _)| *file == path && *at == number);
        let codes: Vec<&str> =
            here.map(|(_, _, code)| code.trim_start_matches("puppet::")).collect();
        let reason = match (is_missed, mark.split_once(" !")) {
            (false, _) => String::new(),
            (true, Some((_, reason))) => format!(" !{reason}"),
            (true, None) => " !not found".into(),
        };
        out.push_str(line);
        if !codes.is_empty() {
            out.push_str(&format!("  #~ {}{reason}", codes.join(" ")));
        }
        out.push('\n');
    }
    out
}
