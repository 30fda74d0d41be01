//! Files of mistakes as people make them, one a case, which the checks of a language have to find.
//!
//! A line `== NAME` begins a case, and a line `@ PATH` a file of it; text before the first path is
//! the main file. `  #~ CODE (NEAR)` at the end of a line is not part of the file: the check reports
//! this code on the line, and suggests NEAR. A case without such a mark has a line `#! REASON`: why
//! its mistake is not found. `ORDAIN_BLESS=1` writes the present findings as marks.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ordain_graph::language::{CheckOptions, Discovery, Language, SourceText, Strict};
use ordain_source::{Diagnostic, HostWorld, SourceMap};

use crate::golden::Golden;

/// The beginning of a mark, at the end of a line.
const MARK: &str = "  #~ ";

/// The share of mistakes in percent that has to be found.
const LEAST: usize = 90;

/// A line of a file with the mark that a finding makes on it.
type Place = (PathBuf, u32, String);

/// Compares the findings of a language in a file of mistakes with its marks. `main` is the name of
/// the main file of a case.
///
/// # Panics
/// If there are fewer than `at_least` cases, or too many mistakes are not found.
pub fn mistakes(
    golden: &mut Golden,
    path: &Path,
    language: &dyn Language,
    main: &str,
    at_least: usize,
) {
    let text = fs::read_to_string(path).unwrap();
    let (mut out, mut all, mut missed) = (String::new(), 0, Vec::new());
    for (name, case) in cases(&text) {
        let root = tempfile::tempdir().unwrap();
        let found = found(&files(case, main), root.path(), language);
        out.push_str(&format!("== {name}\n{}", marked(case, main, &found)));
        all += 1;
        if found.is_empty() {
            assert!(case.contains("#! "), "{name}: nothing is found, and no reason is given");
            missed.push(name);
        }
    }
    golden.file(path, &out);
    println!("{} of {all} mistakes are found", all - missed.len());
    assert!(all >= at_least, "there are {all} cases");
    assert!((all - missed.len()) * 100 >= LEAST * all, "not found: {missed:?}");
}

/// The names and the texts of the cases.
fn cases(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let text = text.strip_prefix("== ").unwrap();
    text.split("\n== ").map(|case| case.split_once('\n').unwrap_or((case, "")))
}

/// A line without its mark; none if it is no line of a file.
fn content(line: &str) -> Option<&str> {
    let is_reason = line.starts_with("#! ");
    (!is_reason).then(|| line.split_once(MARK).map_or(line, |(line, _)| line))
}

/// The files of a case, the main one first.
fn files(case: &str, main: &str) -> Vec<(PathBuf, String)> {
    let mut out = vec![(PathBuf::from(main), String::new())];
    for line in case.lines() {
        if let Some(path) = line.strip_prefix("@ ") {
            out.push((PathBuf::from(path), String::new()));
        } else if let Some(line) = content(line) {
            let (_, text) = out.last_mut().unwrap();
            text.push_str(line);
            text.push('\n');
        }
    }
    out
}

/// The findings in the main file of a case, whose files are written below a directory. No code runs.
fn found(files: &[(PathBuf, String)], root: &Path, language: &dyn Language) -> BTreeSet<Place> {
    for (path, text) in files {
        let path = root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let (world, sources) = (HostWorld::new().without_processes(), SourceMap::new());
    let checking = CheckOptions {
        world: &world,
        strict: Strict::Error,
        sources: &sources,
        modulepath: &[],
        facts: None,
    };
    let (path, text) = &files[0];
    assert!(language.claim(path, Discovery::Chosen).is_some(), "{}", path.display());
    let (full, text): (PathBuf, Arc<str>) = (root.join(path), text.as_str().into());
    let file = sources.add(&full, Arc::clone(&text));
    let source = SourceText { path: &full, full: &full, file, text };
    let report = language.check(&source, &checking);
    report.found.iter().filter_map(|found| place(found, root, &sources)).collect()
}

/// The place of a finding, with its mark. A finding without a place says too little.
fn place(found: &Diagnostic, root: &Path, sources: &SourceMap) -> Option<Place> {
    let near = found.help.iter().filter_map(|help| {
        let near = help.strip_prefix("did you mean ")?.trim_end_matches('?');
        Some(format!(" ({})", near.trim_matches('`')))
    });
    let code = found.code.rsplit("::").next().unwrap_or(&found.code);
    let mark = format!("{code}{}", near.collect::<String>());
    let span = found.primary.as_ref()?.span;
    let file = sources.file(span.file);
    let path = file.path.strip_prefix(root).unwrap_or(&file.path);
    Some((path.to_path_buf(), sources.start(span).line, mark))
}

/// The text of a case with its findings as marks.
fn marked(case: &str, main: &str, found: &BTreeSet<Place>) -> String {
    let (mut path, mut number) = (PathBuf::from(main), 0);
    let mut out = String::new();
    let mut written = 0;
    for line in case.lines() {
        if let Some(of_file) = line.strip_prefix("@ ") {
            (path, number) = (PathBuf::from(of_file), 0);
        }
        let Some(text) = content(line).filter(|line| !line.starts_with("@ ")) else {
            out.push_str(&format!("{line}\n"));
            continue;
        };
        number += 1;
        out.push_str(text);
        let here = found.iter().filter(|(file, at, _)| *file == path && *at == number);
        for (n, (_, _, mark)) in here.enumerate() {
            out.push_str(if n == 0 { MARK } else { ", " });
            out.push_str(mark);
            written += 1;
        }
        out.push('\n');
    }
    assert_eq!(written, found.len(), "a finding has no place in the case: {found:?}\n{case}");
    out
}
