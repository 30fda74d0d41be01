//! Compares with recorded answers of the real programs.
//!
//! A file `<language>/<suite>.jsonl` has one case per line; `<language>-<suite>/` has one directory
//! per case. A case that disagrees is an error unless the list of known differences
//! (`tests/known-differences.txt`) has its name and a reason.

mod answer;
mod dynaml;
mod dynaml_tree;
mod inmanta;
mod mcl;
mod puppet;

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context;
use rayon::prelude::*;
use serde_json::Value as Json;

pub(crate) use answer::answer;

/// Lines `suite/id: reason`.
const KNOWN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/known-differences.txt");

/// The result of a case: `None` if it agrees, else the difference.
pub(crate) type Disagreement = Option<String>;

type Runner = fn(&Json) -> Disagreement;

fn runner(language: &str, suite: &str) -> Option<Runner> {
    match (language, suite) {
        ("puppet", "parse") => Some(puppet::parse),
        ("puppet", "expr" | "types" | "stdlib-calls") => Some(puppet::expression),
        ("puppet", "compile") => Some(puppet::compile),
        ("puppet", "compile-files") => Some(puppet::compile_files),
        ("dynaml", "seed" | "readme") => Some(dynaml::seed),
        ("dynaml", "spiffpp") => Some(dynaml::plus),
        ("mcl", "resource-graph") => Some(mcl::resource_graph),
        ("mcl", "engine") => Some(mcl::engine),
        ("mcl", "function-graph") => Some(mcl::function_graph),
        ("inmanta", "cases") => Some(inmanta::model),
        _ => None,
    }
}

/// Runs all files below a directory. Fails if a case disagrees that is not a known difference.
pub(crate) fn run(dir: &Path, verbose: bool) -> anyhow::Result<ExitCode> {
    let known = known_differences()?;
    let mut files = Vec::new();
    collect(dir, &mut files)?;
    files.sort();
    let mut failed = 0;
    let mut counts: BTreeMap<String, [usize; 3]> = BTreeMap::new();
    for path in files {
        let (language, suite, cases) = read(&path)?;
        let Some(runner) = runner(&language, &suite) else {
            println!("{language}/{suite}: no runner yet");
            continue;
        };
        let results: Vec<_> = cases.par_iter().map(|case| (case, runner(case))).collect();
        let row = counts.entry(format!("{language}/{suite}")).or_default();
        for (case, difference) in results {
            let id = case["id"].as_str().or(case["name"].as_str()).unwrap_or("?");
            let name = format!("{language}/{suite}/{id}");
            match difference {
                None => {
                    row[0] += 1;
                    // Some depend on chance, so that this is no failure.
                    if known.contains_key(&name) {
                        println!("{name} agrees, although it is a known difference");
                    }
                }
                Some(_) if known.contains_key(&name) => row[1] += 1,
                Some(text) => {
                    row[2] += 1;
                    failed += 1;
                    if verbose {
                        println!("--- {name}\n{}{text}", input(case));
                    }
                }
            }
        }
    }
    println!("{:<28} {:>7} {:>7} {:>9}", "suite", "agree", "known", "disagree");
    for (suite, [agree, known, disagree]) in &counts {
        println!("{suite:<28} {agree:>7} {known:>7} {disagree:>9}");
    }
    Ok(if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The language, the suite and the cases of a file, or of a directory with one directory per case.
fn read(path: &Path) -> anyhow::Result<(String, String, Vec<Json>)> {
    let name = |p: &Path| p.file_name().unwrap_or_default().to_string_lossy().into_owned();
    if path.is_dir() {
        let name = name(path);
        let (language, suite) = name.split_once('-').unwrap_or((&name, ""));
        let cases = dynaml::examples(path).with_context(|| path.display().to_string())?;
        return Ok((language.into(), suite.into(), cases));
    }
    let suite = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let language = path.parent().map(name).unwrap_or_default();
    let text = fs::read_to_string(path).with_context(|| path.display().to_string())?;
    let cases: Result<_, _> = text.lines().map(serde_json::from_str).collect();
    Ok((language, suite, cases.with_context(|| path.display().to_string())?))
}

/// The textual input of a case.
fn input(case: &Json) -> String {
    let mut out = String::new();
    for field in ["code", "source", "expr", "template"] {
        if let Some(text) = case[field].as_str() {
            out.push_str(&format!("{text}\n"));
        }
    }
    for (path, text) in case["files"].as_object().into_iter().flatten() {
        out.push_str(&format!("- {path} -\n{}\n", text.as_str().unwrap_or_default()));
    }
    for stub in case["stubs"].as_array().into_iter().flatten().filter_map(Json::as_str) {
        out.push_str(&format!("- stub -\n{stub}\n"));
    }
    out
}

fn collect(dir: &Path, out: &mut Vec<PathBuf>) -> anyhow::Result<()> {
    if dir.is_file() {
        out.push(dir.to_path_buf());
        return Ok(());
    }
    if dir.file_name().is_some_and(|n| n == "dynaml-readme") {
        out.push(dir.to_path_buf());
        return Ok(());
    }
    for entry in fs::read_dir(dir).with_context(|| dir.display().to_string())? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, out)?;
        } else if path.extension().is_some_and(|e| e == "jsonl") {
            out.push(path);
        }
    }
    Ok(())
}

fn known_differences() -> anyhow::Result<HashMap<String, String>> {
    let text = match fs::read_to_string(KNOWN) {
        Ok(text) => text,
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => String::new(),
        Err(e) => return Err(e).context(KNOWN),
    };
    let mut out = HashMap::new();
    for line in text.lines().filter(|l| !l.trim().is_empty() && !l.starts_with('#')) {
        let (name, reason) = line.split_once(": ").with_context(|| format!("no reason: {line}"))?;
        out.insert(name.to_string(), reason.to_string());
    }
    Ok(out)
}
