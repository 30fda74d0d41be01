//! Cases of mcl: programs with their resources or error.

use std::collections::BTreeMap;
use std::path::PathBuf;

use ordain_mcl::Edition;
use ordain_mcl::failure::Phase;
use ordain_mcl::functions::environment::Memory;
use ordain_mcl::graph::fields;
use ordain_mcl::graph::outline::Outline;
use ordain_mcl::session::{self, Compiled, Input, Options, ProgramErrors};
use ordain_source::{MemoryWorld, SourceMap};
use serde_json::Value as Json;

use super::Disagreement;

/// Compares the first resource graph.
pub(super) fn resource_graph(case: &Json) -> Disagreement {
    run(case, |compiled| compiled.resources.lines())
}

/// Compares the resources with their fields and groups.
pub(super) fn engine(case: &Json) -> Disagreement {
    run(case, |compiled| fields::lines(&compiled.resources))
}

/// Compares the function graph.
pub(super) fn function_graph(case: &Json) -> Disagreement {
    let want_error = case["expected"]["kind"] == "error";
    if want_error {
        return run(case, |_| Vec::new());
    }
    let (sources, checked) = check(case);
    match checked {
        Err(error) => Some(format!("expected a graph\n     got {}", shown(&sources, &error))),
        Ok(checked) => {
            let outline = Outline::of(&checked.program, "");
            compare(case, outline.map(|outline| outline.lines()).unwrap_or_default())
        }
    }
}

fn input(case: &Json) -> (MemoryWorld, Input) {
    let files = case["files"].as_object().into_iter().flatten();
    let files = files.map(|(path, text)| {
        let text = text.as_str().unwrap_or_default().to_owned();
        (PathBuf::from("/").join(path), text)
    });
    let entry = case["entry"].as_str().unwrap_or("main.mcl");
    (MemoryWorld::with_files(files), Input::Path(PathBuf::from("/").join(entry)))
}

fn options() -> Options {
    Options { edition: Edition::Upstream, module_path: Some("/modules/".into()) }
}

fn check(case: &Json) -> (SourceMap, Result<session::Checked, Box<ProgramErrors>>) {
    let sources = SourceMap::new();
    let (world, input) = input(case);
    let checked = session::check(&world, &sources, &input, &options());
    (sources, checked)
}

fn run(case: &Json, lines: impl Fn(&Compiled) -> Vec<String>) -> Disagreement {
    let sources = SourceMap::new();
    let (mut world, input) = input(case);
    // The load of the machine on which the cases were recorded.
    world.files.insert("/proc/loadavg".into(), b"0.10 0.20 0.30 1/100 1000\n".to_vec());
    let environment = Memory {
        world: world.clone(),
        deploy_root: Some("/".into()),
        state_directory: Some("/var/lib/mgmt".into()),
        hostname: "h1".into(),
        lines: [("echo 0; echo 1".into(), "1".into())].into(),
        ..Memory::default()
    };
    let compiled = session::compile(&world, &sources, &input, &options(), &environment);
    match (compiled, case["expected"]["kind"] == "error") {
        (Ok(compiled), false) => compare(case, lines(&compiled)),
        (Err(error), true) => compare_errors(case, &sources, &error),
        (Ok(compiled), true) => Some(format!(
            "expected {}\n     got {:?}",
            case["expected"]["alternatives"],
            compiled.resources.lines()
        )),
        (Err(error), false) => {
            Some(format!("expected a graph\n     got {}", shown(&sources, &error)))
        }
    }
}

fn shown(sources: &SourceMap, error: &ProgramErrors) -> String {
    let (phase, text) = error.first(sources);
    format!("{}: {text}", phase.class())
}

fn compare(case: &Json, mut got: Vec<String>) -> Disagreement {
    let want = case["expected"]["lines"].as_array().into_iter().flatten();
    let mut want: Vec<String> = want.filter_map(Json::as_str).map(str::to_owned).collect();
    want.sort();
    got.sort();
    if want == got {
        return None;
    }
    let mut counts: BTreeMap<&String, i64> = BTreeMap::new();
    want.iter().for_each(|line| *counts.entry(line).or_default() -= 1);
    got.iter().for_each(|line| *counts.entry(line).or_default() += 1);
    let mut text = String::new();
    for (line, count) in counts.into_iter().filter(|(_, count)| *count != 0) {
        text.push_str(&format!("{count:+} {line}\n"));
    }
    Some(text)
}

fn compare_errors(case: &Json, sources: &SourceMap, error: &ProgramErrors) -> Disagreement {
    let expected = &case["expected"];
    let (phase, text) = error.first(sources);
    let class = |phase: Phase| phase.class().trim_start_matches("err").to_lowercase();
    let same_phase = expected["phase"].as_str() == Some(class(phase).as_str());
    let alternatives = expected["alternatives"].as_array().into_iter().flatten();
    // The detail has the message in its first line, and the source lines after it.
    let shown = expected["detail"].as_str().unwrap_or_default().lines().skip(1);
    let shown: Vec<&str> = shown.collect();
    let mut texts = alternatives.filter_map(Json::as_str).filter(|text| !shown.contains(text));
    let same_text = texts.any(|want| want == text);
    let differs = !same_phase || !same_text;
    differs.then(|| {
        format!(
            "expected {}: {}\n     got {}: {text}",
            expected["phase"],
            expected["alternatives"],
            class(phase)
        )
    })
}
