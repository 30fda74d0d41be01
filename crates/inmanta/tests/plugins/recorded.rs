//! Models with modules of Python code, compared with recorded outcomes of the original.
//!
//! The cases in `recorded/*.jsonl` were recorded from inmanta-core 20.1 with the module std 8.7 and
//! Python 3.13, one per line: `model` is the main file, `files` are further files of the project,
//! `expected` is the outcome; in it, integers beyond 64 bits are `{"$int": "…"}`. A file that is a
//! list is the concatenation of its parts, and a part `$name` is a text of `shared.json`.
//! `recorded/differences.txt` lists the cases that differ, with the reasons.
//!
//! Each case starts Python, so by default one of three cases of the files in `SAMPLED` runs.
//! `ORDAIN_RECORDED=text` runs all cases with the text in their names, and `ORDAIN_RECORDED=/` all.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{LazyLock, Mutex};

use ordain_inmanta::output;
use ordain_inmanta::session::{Request, compile};
use ordain_plugins::Limits;
use ordain_source::{HostWorld, SourceMap};
use ordain_testkit::models::differences;
use regex::Regex;
use serde_json::{Value as Json, json};

use crate::python::has_python;

/// The files of which all cases run.
const WHOLE: [&str; 3] = ["modules", "resources", "explanations"];
/// The files of which every third case runs.
const SAMPLED: [&str; 3] = ["annotations", "calls", "values"];

/// A file of the repository, by its path from this crate.
fn read(path: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Writes the files of a project.
fn write(project: &Path, files: &Json, shared: &Json) {
    for (name, text) in files.as_object().into_iter().flatten() {
        let part = |part: &Json| {
            let part = part.as_str().unwrap();
            let text = part.strip_prefix('$').map_or(part, |name| shared[name].as_str().unwrap());
            text.to_owned()
        };
        let text: String = match text.as_array() {
            Some(parts) => parts.iter().map(part).collect(),
            None => text.as_str().unwrap().to_owned(),
        };
        let path = project.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
}

fn outcome(case: &Json, shared: &Json) -> Json {
    let directory = tempfile::tempdir().unwrap();
    let project = directory.path();
    write(project, &case["files"], shared);
    let (world, sources) = (HostWorld::new(), SourceMap::new());
    let text = case["model"].as_str().unwrap();
    let mut request = Request::new(&world, &sources, project, project.join("main.cf"), text);
    request.modulepath = vec![project.join("libs")];
    request.shown = vec![(project.into(), "{dir}".into())];
    request.limits = Limits { seconds: 5, memory: 2 << 30 };
    let mut outcome = compile(request);
    let mut out = output::json(&outcome);
    if case["expected"]["resources"].is_array() || !case["expected"]["export_error"].is_null() {
        match outcome.export() {
            Ok(exported) => out["resources"] = exported.json(),
            Err(error) => {
                out["export_error"] = output::error(&error, &outcome.net.program.files);
            }
        }
        out["stdout"] = json!(outcome.net.stdout());
    }
    shown(&out, &project.display().to_string())
}

/// The outcome, with the directory of the project, addresses and numbers of instances replaced as
/// in the recorded ones.
fn shown(value: &Json, project: &str) -> Json {
    static ADDRESS: LazyLock<Regex> = LazyLock::new(|| Regex::new(" at 0x[0-9a-f]+").unwrap());
    static NUMBER: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"(::\w+ #)[0-9]+").unwrap());
    match value {
        Json::String(text) => {
            let text = text.replace(project, "{dir}");
            let text = ADDRESS.replace_all(&text, "");
            let text = NUMBER.replace_all(&text, "$1");
            json!(text.replace("<inmanta.execute.util.Unknown object>", "<Unknown>"))
        }
        Json::Array(items) => items.iter().map(|item| shown(item, project)).collect(),
        Json::Object(map) => {
            map.iter().map(|(key, value)| (key.clone(), shown(value, project))).collect()
        }
        _ => value.clone(),
    }
}

/// The cases that are known to differ, with the reasons.
fn known() -> BTreeMap<String, String> {
    let text = read("tests/plugins/recorded/differences.txt");
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    let pairs = lines.map(|line| line.rsplit_once(": ").unwrap());
    pairs.map(|(name, reason)| (name.to_owned(), reason.to_owned())).collect()
}

/// Runs the cases on all processors; returns the names of those that differ, with the differences.
fn run(cases: &[Json], shared: &Json) -> BTreeMap<String, String> {
    let next = AtomicUsize::new(0);
    let found = Mutex::new(BTreeMap::new());
    let work = || {
        while let Some(case) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
            let wrong = differences(&case["expected"], &outcome(case, shared), true);
            if !wrong.is_empty() {
                let name = case["name"].as_str().unwrap().to_owned();
                found.lock().unwrap().insert(name, wrong.join("\n"));
            }
        }
    };
    let count = std::thread::available_parallelism().map_or(2, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..count {
            let thread = std::thread::Builder::new().stack_size(32 << 20);
            thread.spawn_scoped(scope, work).unwrap();
        }
    });
    found.into_inner().unwrap()
}

#[test]
fn modules_do_as_in_the_original() {
    if !has_python() {
        return;
    }
    let folder = "tests/plugins/recorded";
    let shared: Json = serde_json::from_str(&read(&format!("{folder}/shared.json"))).unwrap();
    let wanted = std::env::var("ORDAIN_RECORDED").unwrap_or_default();
    let mut cases: Vec<Json> = Vec::new();
    for (files, step) in [(WHOLE, 1), (SAMPLED, if wanted.is_empty() { 3 } else { 1 })] {
        for text in files.map(|name| read(&format!("{folder}/{name}.jsonl"))) {
            let lines = text.lines().step_by(step);
            cases.extend(lines.map(|line| serde_json::from_str::<Json>(line).unwrap()));
        }
    }
    cases.retain(|case| case["name"].as_str().unwrap().contains(&wanted));
    let found = run(&cases, &shared);
    let known = known();
    let wrong: Vec<String> = found
        .iter()
        .filter(|(name, _)| !known.contains_key(name.as_str()))
        .map(|(name, text)| format!("--- {name}\n{text}"))
        .collect();
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
    let agreeing: Vec<_> = cases
        .iter()
        .filter_map(|case| case["name"].as_str())
        .filter(|name| known.contains_key(*name) && !found.contains_key(*name))
        .collect();
    assert!(agreeing.is_empty(), "these agree, and are named as different: {agreeing:?}");
}
