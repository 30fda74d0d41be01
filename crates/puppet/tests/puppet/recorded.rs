//! Replays logs and errors of Puppet 7.23: Hiera levels of every kind, data of modules, functions
//! in Ruby. The cases are in `tests/recorded`, the known differences with their reasons in
//! `tests/known-differences.txt`. `cargo xtask vectors tests/recorded` runs the same cases through
//! the program.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::{Arc, Mutex};

use ordain_puppet::eval::{LogLevel, Settings, Strict};
use ordain_puppet::load::{Environment, Options, Site};
use ordain_puppet::session::Node;
use ordain_puppet::session::compile_node;
use ordain_puppet::value::rich::from_data;
use ordain_source::{Diagnostic, HostWorld, Severity, SourceMap};
use ordain_testkit::ruby::directory_for_ruby;
use serde_json::Value as Json;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
/// The names of the cases in the list of known differences.
const SUITE: &str = "puppet/compile-files/";

/// The result of a compile: its log, and the first error.
#[derive(PartialEq, Debug)]
struct Said {
    logs: Vec<String>,
    error: Option<Fault>,
}

/// An error, with the recorded part of its place.
#[derive(PartialEq, Debug)]
struct Fault {
    issue: Option<String>,
    text: String,
    line: Option<u64>,
    column: Option<u64>,
}

#[test]
fn recorded_answers_are_given() {
    if directory_for_ruby(&[]).is_none() {
        return;
    }
    let known = std::fs::read_to_string(format!("{ROOT}/tests/known-differences.txt")).unwrap();
    let known = known.lines().filter_map(|line| line.strip_prefix(SUITE)?.split_once(": "));
    let known: BTreeSet<&str> = known.map(|(id, _)| id).collect();
    let file = format!("{ROOT}/tests/recorded/puppet/compile-files.jsonl");
    let text = std::fs::read_to_string(file).unwrap();
    let cases: Vec<Json> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let todo = Mutex::new(cases.iter());
    let differ = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, Into::into) {
            // Compiles need more of a stack than threads of tests have.
            let worker = std::thread::Builder::new().stack_size(ordain_puppet::eval::STACK_SIZE);
            let work = || {
                while let Some(case) = { todo.lock().unwrap().next() } {
                    let id = case["id"].as_str().unwrap();
                    let (wanted, got) = (recorded(case), answered(case));
                    if wanted != got && !known.contains(id) {
                        let text = format!("{id}\n  recorded {wanted:?}\n       got {got:?}");
                        differ.lock().unwrap().push(text);
                    }
                }
            };
            worker.spawn_scoped(scope, work).unwrap();
        }
    });
    let mut differ = differ.into_inner().unwrap();
    differ.sort();
    assert!(differ.is_empty(), "{} differ:\n{}", differ.len(), differ.join("\n"));
}

fn recorded(case: &Json) -> Said {
    let expect = &case["expect"];
    let logs = expect["logs"].as_array().into_iter().flatten();
    let logs =
        logs.map(|log| format!("{}: {}", log[0].as_str().unwrap(), log[1].as_str().unwrap()));
    let error = expect["error"].as_str().map(|text| Fault {
        issue: expect["issue_code"].as_str().map(str::to_owned),
        text: bare(text, case),
        line: expect["line"].as_u64(),
        column: expect["pos"].as_u64(),
    });
    // The error that ends a compile is logged, too.
    let logs = logs.filter(|log| error.is_none() || !log.starts_with("err: "));
    Said { logs: logs.collect(), error }
}

/// Ordain's answer to a case, with as much of the place of an error as is recorded.
fn answered(case: &Json) -> Said {
    let files = case["files"].as_object().into_iter().flatten();
    let files: Vec<(&str, &str)> =
        files.map(|(path, text)| (path.as_str(), text.as_str().unwrap())).collect();
    let dir = directory_for_ruby(&files).unwrap();
    let root = dir.path();
    let sources = Arc::new(SourceMap::new());
    let setting = |key: &str| case["settings"][key].as_str().unwrap();
    let strict = match setting("strict") {
        "off" => Strict::Off,
        "warning" => Strict::Warning,
        _ => Strict::Error,
    };
    let options = Options {
        sources: Arc::clone(&sources),
        dir: Some(root.to_path_buf()),
        modulepath: vec![root.join("modules")],
        strict,
        ..Options::new(
            Arc::new(HostWorld::new()),
            Site::Code(case["code"].as_str().unwrap().into()),
        )
    };
    let (env, warnings) = match Environment::open(options) {
        Ok(opened) => opened,
        Err(errors) => {
            return Said { logs: Vec::new(), error: fault(&errors, &sources, case, root) };
        }
    };
    let facts = case["facts"].to_string();
    let node = Node {
        name: case["node"].as_str().unwrap().into(),
        facts: from_data(&ordain_data::json::read(&facts).unwrap()),
        ..Node::default()
    };
    let strict_variables = setting("strict_variables") == "true";
    let settings = Settings { strict, strict_variables, ..Settings::default() };
    let compiled = compile_node(&env, settings, &node);
    let loading = warnings.iter().map(|warning| format!("warning: {}", warning.message));
    let logs = compiled.report.logs.iter().filter(|log| log.level != LogLevel::Debug);
    let logs = logs.map(|log| format!("{}: {}", log.level.word(), log.message));
    let logs = loading.chain(logs).map(|log| masked(&log, root));
    let error = match &compiled.graph {
        Some(_) => None,
        None => fault(&compiled.report.diagnostics, &sources, case, root),
    };
    Said { logs: logs.collect(), error }
}

fn fault(found: &[Diagnostic], sources: &SourceMap, case: &Json, root: &Path) -> Option<Fault> {
    let error = found.iter().find(|found| found.severity == Severity::Error)?;
    let place = error.peer_span().map(|span| sources.start(span));
    let known = |key: &str, ours: Option<u32>| {
        ours.map(u64::from).filter(|_| !case["expect"][key].is_null())
    };
    Some(Fault {
        issue: error.issue.as_deref().map(str::to_owned),
        text: bare(&masked(&error.message, root), case),
        line: known("line", place.map(|place| place.line)),
        column: known("pos", place.map(|place| place.column)),
    })
}

fn masked(text: &str, root: &Path) -> String {
    text.replace(&*root.to_string_lossy(), "<env>")
}

/// The text of an error without its phase, which the code says already, its place and the node.
fn bare(text: &str, case: &Json) -> String {
    let text = text.strip_prefix("Evaluation Error: ").unwrap_or(text);
    let node = format!(" on node {}", case["node"].as_str().unwrap());
    let text = text.strip_suffix(node.as_str()).unwrap_or(text);
    match text.rsplit_once(" (") {
        Some((text, place)) if place.starts_with("file: ") || place.starts_with("line: ") => {
            text.to_owned()
        }
        _ => text.to_owned(),
    }
}
