//! Cases of dynaml: merges, expressions, syntax trees and comparisons.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use ordain_data::Value as Data;
use ordain_data::diff::compare;
use ordain_dynaml::diff::RULES;
use ordain_dynaml::eval::{Dialect, Options};
use ordain_dynaml::load::Features;
use ordain_dynaml::report::{Line, Tag};
use ordain_dynaml::session::{self, Error, Input, Request};
use ordain_dynaml::syntax::ast::Exprs;
use ordain_dynaml::value::Value;
use ordain_dynaml::{document, lower};
use ordain_source::{EntryKind, HostWorld, ProcessOutput, ProcessRequest, World};
use serde_json::{Map, Value as Json, json};

use super::{Disagreement, dynaml_tree};

/// Runs a case of spiff.
pub(super) fn seed(case: &Json) -> Disagreement {
    run(case, Dialect::Spiff)
}

/// Runs a case of spiff++.
pub(super) fn plus(case: &Json) -> Disagreement {
    run(case, Dialect::SpiffPlusPlus)
}

fn run(case: &Json, dialect: Dialect) -> Disagreement {
    match case["kind"].as_str() {
        Some("flow" | "cascade" | "flow_error") => {
            merge(case, dialect).or_else(|| merge_as_other(case, dialect))
        }
        Some("eval") => evaluate(case, dialect),
        Some("eval_fail") => fails(case, dialect),
        Some("parse") => dynaml_tree::parse(case, dialect),
        Some("compare") => compare_documents(case),
        Some("yaml_parse") => yaml(case),
        Some("yaml_find") => find(case),
        other => Some(format!("no runner for the kind {other:?}")),
    }
}

/// The machine, with the environment variables of the recorded cases.
struct RecordedWorld(HostWorld);

impl World for RecordedWorld {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        self.0.read(path)
    }

    fn kind(&self, path: &Path) -> Option<EntryKind> {
        self.0.kind(path)
    }

    fn list(&self, path: &Path) -> io::Result<Vec<(String, EntryKind)>> {
        self.0.list(path)
    }

    fn env(&self, name: &str) -> Option<String> {
        match name {
            "TEST1" => Some("alice".into()),
            "TEST2" => Some("bob".into()),
            _ => self.0.env(name),
        }
    }

    fn now(&self) -> SystemTime {
        self.0.now()
    }

    fn random(&self) -> u64 {
        self.0.random()
    }

    fn run(&self, request: &ProcessRequest) -> io::Result<ProcessOutput> {
        self.0.run(request)
    }
}

fn request(case: &Json, dialect: Dialect) -> Request {
    let names = case["file_names"].as_array();
    let text = |value: &Json| value.as_str().unwrap_or_default().to_owned();
    let input = |at: usize, value: &Json| {
        let name = names.and_then(|n| n.get(at)).map_or_else(|| "test".into(), text);
        Input { name, text: text(value), ..Input::default() }
    };
    let stubs = case["stubs"].as_array().into_iter().flatten();
    let features = |name: &str| {
        let list = case["options"]["features"].as_array();
        list.is_some_and(|l| l.iter().any(|f| f == name))
    };
    Request {
        template: Some(input(0, &case["template"])),
        stubs: (1..).zip(stubs).map(|(at, stub)| input(at, stub)).collect(),
        features: Features {
            interpolation: features("interpolation"),
            control: features("control"),
        },
        options: Options { dialect, ..Options::default() },
        ..Request::default()
    }
}

/// If both versions of the program gave the same output, Ordain must do so in both dialects.
fn merge_as_other(case: &Json, dialect: Dialect) -> Disagreement {
    let (other, is_same) = match dialect {
        Dialect::Spiff => (Dialect::SpiffPlusPlus, &case["pp_cli_matches"]),
        Dialect::SpiffPlusPlus => (Dialect::Spiff, &case["seed_language"]),
    };
    let want = case["cli_stdout"].as_str().filter(|_| *is_same == true)?;
    // Spiff prints an empty line after a document.
    let want = want.trim_end_matches('\n');
    let got = match session::merge(&RecordedWorld(HostWorld::new()), &request(case, other)) {
        Ok(output) => output.text,
        Err(error) => error.text(),
    };
    let differs = got.trim_end_matches('\n') != want;
    differs.then(|| format!("expected of the other version, too:\n{want}\ngot:\n{got}"))
}

/// The output must equal that of the real program byte for byte, but for the empty line that spiff
/// prints after a document.
fn merge(case: &Json, dialect: Dialect) -> Disagreement {
    let world = RecordedWorld(HostWorld::new());
    let result = session::merge(&world, &request(case, dialect));
    match (result, case["cli_stdout"].as_str(), case["cli_stderr"].as_str()) {
        (Ok(output), Some(want), _) => {
            let want = if dialect == Dialect::Spiff {
                want.strip_suffix('\n').unwrap_or(want)
            } else {
                want
            };
            (output.text != want).then(|| format!("expected:\n{want}\ngot:\n{}", output.text))
        }
        (Err(error), Some(want), _) => Some(format!("expected:\n{want}\ngot: {}", error.text())),
        (Ok(output), None, Some(want)) => {
            Some(format!("expected the error:\n{want}\ngot:\n{}", output.text))
        }
        (Err(error), None, Some(want)) => compare_reports(want, &error.text()),
        (_, None, None) => Some("the case says nothing".into()),
    }
}

/// Reports agree if they have the same lines, with nested ones in place, and the same order of
/// tags. The original's order within a tag is arbitrary.
fn compare_reports(want: &str, got: &str) -> Disagreement {
    let tag = |block: &str| {
        let issue = block.lines().next().and_then(|line| line.split('\t').nth(5));
        issue.and_then(|issue| issue.chars().next())
    };
    let blocks = |text: &str| {
        let mut blocks: Vec<String> = Vec::new();
        for line in text.lines() {
            match blocks.last_mut() {
                Some(block) if line.starts_with("\t\t") => {
                    block.push('\n');
                    block.push_str(line.trim_end_matches(' '));
                }
                // The report has a space after the last node.
                _ => blocks.push(line.trim_end_matches(' ').to_owned()),
            }
        }
        let tags: Vec<Option<char>> = blocks.iter().map(|block| tag(block)).collect();
        blocks.sort();
        (tags, blocks)
    };
    // Some recorded reports lack the legend.
    let got = if want.contains("error classification") {
        got
    } else {
        got.split("\nerror classification").next().unwrap_or(got)
    };
    (blocks(want) != blocks(got)).then(|| format!("expected:\n{want}\ngot:\n{got}"))
}

/// Evaluates an expression in a document with the names of the case.
fn expression(case: &Json, dialect: Dialect) -> Result<Value, Error> {
    let mut expr = case["expr"].as_str().unwrap_or_default().to_owned();
    if case["ast"].to_string().contains("FailingExpr") {
        expr = expr.replace("{}", "error(\"x\")");
    }
    let binding = &case["binding"];
    let mut root = Map::new();
    for names in ["FoundReferences", "FoundFromRoot"] {
        for (path, value) in binding[names].as_object().into_iter().flatten() {
            let unfinished = value["_type"] == "MergeExpr";
            let value = if unfinished { json!("(( merge ))") } else { value.clone() };
            insert(&mut root, path, value);
        }
    }
    let mut stub = Map::new();
    for (path, value) in binding["FoundInStubs"].as_object().into_iter().flatten() {
        insert(&mut stub, path, value.clone());
    }
    root.insert("the expression".into(), json!(format!("(( {expr} ))")));
    let input = |map: Map<String, Json>| Input {
        name: "test".into(),
        text: Json::Object(map).to_string(),
        ..Input::default()
    };
    let request = Request {
        template: Some(input(root)),
        stubs: if stub.is_empty() { Vec::new() } else { vec![input(stub)] },
        path: Some("the expression".into()),
        options: Options { dialect, ..Options::default() },
        ..Request::default()
    };
    let output = session::merge(&RecordedWorld(HostWorld::new()), &request)?;
    let mut read = document::read(&output.text).map_err(|e| Error::Other(e.message))?;
    Ok(read.pop().unwrap_or_default())
}

fn insert(map: &mut Map<String, Json>, path: &str, value: Json) {
    match path.split_once('.') {
        None if path.is_empty() => {}
        None => {
            // A longer path may have created an entry already. It has more data.
            map.entry(path).or_insert(value);
        }
        Some((first, rest)) => {
            let below = map.entry(first).or_insert_with(|| json!({}));
            if !below.is_object() {
                *below = json!({});
            }
            if let Some(below) = below.as_object_mut() {
                insert(below, rest, value);
            }
        }
    }
}

/// The line of the report about the expression itself.
fn report_line(error: &Error) -> Option<&Line> {
    match error {
        Error::Unresolved(lines) => lines.lines.iter().find(|l| l.path == "the expression"),
        _ => None,
    }
}

fn evaluate(case: &Json, dialect: Dialect) -> Disagreement {
    let want = &case["expected"];
    match expression(case, dialect) {
        Ok(value) => {
            let got = to_json(&value);
            (!equal(want, &got)).then(|| format!("expected {want}\n     got {got}"))
        }
        Err(error) => {
            let blocked = report_line(&error).is_some_and(|l| l.tag != Tag::Error);
            let waits = want.get("_type").is_some()
                || case["binding"].to_string().contains("MergeExpr") && want.is_null();
            (!(blocked && waits)).then(|| format!("expected {want}\n     got {}", error.text()))
        }
    }
}

fn fails(case: &Json, dialect: Dialect) -> Disagreement {
    match expression(case, dialect) {
        Ok(value) => Some(format!("expected a failure\n     got {}", to_json(&value))),
        Err(error) if report_line(&error).is_some() => None,
        Err(error) => Some(format!("expected a failure\n     got {}", error.text())),
    }
}

fn to_json(value: &Value) -> Json {
    match value {
        Value::Null => Json::Null,
        Value::Bool(b) => json!(b),
        Value::Int(n) => json!(n),
        Value::Float(x) => json!(x),
        Value::Str(s) => json!(s.as_str()),
        Value::List(list) => list.items.iter().map(|i| to_json(&i.value)).collect(),
        Value::Map(map) => Json::Object(
            map.entries().iter().map(|(k, i)| (k.to_string(), to_json(&i.value))).collect(),
        ),
        Value::Lambda(_) | Value::Template(_) => json!("a function or template"),
    }
}

/// Compares JSON; numbers are equal by value.
fn equal(a: &Json, b: &Json) -> bool {
    match (a, b) {
        (Json::Number(x), Json::Number(y)) => x.as_f64() == y.as_f64(),
        (Json::Array(x), Json::Array(y)) => {
            x.len() == y.len() && x.iter().zip(y).all(|(x, y)| equal(x, y))
        }
        (Json::Object(x), Json::Object(y)) => {
            x.len() == y.len()
                && x.iter().all(|(key, value)| y.get(key).is_some_and(|other| equal(value, other)))
        }
        _ => a == b,
    }
}

/// Parses the document of a case, which is text or data.
fn source(value: &Json) -> Result<Value, String> {
    let text = match value {
        Json::String(text) => text.clone(),
        Json::Object(map) if map.len() == 1 && map.contains_key("node") => map["node"].to_string(),
        other => other.to_string(),
    };
    let read = document::read(&text).map_err(|e| e.message)?;
    read.into_iter().next().ok_or_else(|| "no document".into())
}

fn yaml(case: &Json) -> Disagreement {
    match (source(&case["source"]), case["expected_error"].as_str()) {
        (Ok(value), None) => {
            let got = to_json(&value);
            let want = &case["expected"];
            (!equal(want, &got)).then(|| format!("expected {want}\n     got {got}"))
        }
        (Err(got), Some(want)) => (got != want).then(|| format!("expected {want}\n     got {got}")),
        (Ok(value), Some(want)) => Some(format!("expected {want}\n     got {}", to_json(&value))),
        (Err(got), None) => Some(format!("expected {}\n     got {got}", case["expected"])),
    }
}

fn find(case: &Json) -> Disagreement {
    let value = match source(&case["source"]) {
        Ok(value) => value,
        Err(error) => return Some(error),
    };
    let steps = case["path"].as_array().into_iter().flatten().filter_map(Json::as_str);
    let found = session::find(&value, &steps.collect::<Vec<_>>().join("."));
    let got = found.as_ref().map(to_json);
    let want = (case["found"] == true).then_some(&case["expected"]);
    let same = match (want, &got) {
        (Some(want), Some(got)) => equal(want, got),
        (None, None) => true,
        _ => false,
    };
    (!same).then(|| format!("expected {want:?}\n     got {got:?}"))
}

fn compare_documents(case: &Json) -> Disagreement {
    let (left, right) = match (source(&case["a"]), source(&case["b"])) {
        (Ok(left), Ok(right)) => (left, right),
        (Err(error), _) | (_, Err(error)) => return Some(error),
    };
    let side = |data: Option<&Data>| data.map_or(Json::Null, |data| to_json(&lower::value(data)));
    let sorted = |found: Vec<(String, Json, Json)>| {
        let rows = found.into_iter().map(|(path, a, b)| (path, json!([a, b]).to_string()));
        rows.collect::<BTreeMap<_, _>>()
    };
    let data = lower::data(&Exprs::default(), &[left, right]);
    let found = compare(&data[0], &data[1], &RULES);
    let got = sorted(
        found
            .iter()
            .map(|d| (d.path.join("."), side(d.left.as_ref()), side(d.right.as_ref())))
            .collect(),
    );
    let want = case["expected"].as_array().into_iter().flatten().map(|d| {
        let path = d["path"].as_array().into_iter().flatten().filter_map(Json::as_str);
        (path.collect::<Vec<_>>().join("."), d["a"].clone(), d["b"].clone())
    });
    let want = sorted(want.collect());
    (want != got).then(|| format!("expected {want:?}\n     got {got:?}"))
}

/// Reads a directory with one directory per case: inputs, and the expected output or report.
pub(super) fn examples(dir: &Path) -> io::Result<Vec<Json>> {
    let mut dirs: Vec<PathBuf> =
        std::fs::read_dir(dir)?.map(|e| e.map(|e| e.path())).collect::<Result<_, _>>()?;
    dirs.sort();
    let mut cases = Vec::new();
    for dir in dirs.into_iter().filter(|d| d.join("template.yml").is_file()) {
        let names = (1..).map(|n| format!("stub{n}.yml"));
        let stubs: Vec<String> = names.take_while(|name| dir.join(name).is_file()).collect();
        let mut case = json!({
            "id": dir.file_name().map(|n| n.to_string_lossy()),
            "kind": "flow",
            "template": std::fs::read_to_string(dir.join("template.yml"))?,
            "file_names": std::iter::once("template.yml").chain(stubs.iter().map(String::as_str))
                .collect::<Vec<_>>(),
            "stubs": stubs.iter().map(|name| std::fs::read_to_string(dir.join(name)))
                .collect::<Result<Vec<_>, _>>()?,
        });
        for (file, field) in [("expected.yml", "cli_stdout"), ("expected-error.txt", "cli_stderr")]
        {
            if let Ok(text) = std::fs::read_to_string(dir.join(file)) {
                // The example files lack the empty line that spiff prints.
                let text = if field == "cli_stdout" { text + "\n" } else { text };
                case[field] = text.into();
            }
        }
        cases.push(case);
    }
    Ok(cases)
}
