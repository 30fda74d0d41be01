//! Puppet's cases: syntax trees, expressions, catalogs.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ordain_data::Value as Data;
use ordain_graph::puppet_catalog::{self, Envelope};
use ordain_puppet::catalog::compile::Node;
use ordain_puppet::check;
use ordain_puppet::eval::{Settings, Strict};
use ordain_puppet::load::{Environment, Options, Site};
use ordain_puppet::rich::from_data;
use ordain_puppet::session::{self, Report};
use ordain_puppet::syntax;
use ordain_puppet::types::{format::quoted::quoted, infer::infer};
use ordain_puppet::value::Value;
use ordain_source::{Diagnostic, MemoryWorld, Severity, SourceMap};
use serde_json::Value as Json;

use super::Disagreement;

/// A syntax tree, or where and why there is none.
pub fn parse(case: &Json) -> Disagreement {
    let code: Arc<str> = case["code"].as_str()?.into();
    let sources = SourceMap::new();
    let file = sources.add("", Arc::clone(&code));
    let parsed = syntax::parse(file, code);
    let expect = &case["expect"];
    let first = parsed.diagnostics.iter().find(|d| d.severity == Severity::Error);
    match (expect["ok"].as_bool(), first) {
        (Some(true), Some(error)) => Some(format!("accepted by Puppet; ours: {}", error.message)),
        (Some(true), None) => compare_tree(expect, &parsed.program),
        (_, None) => Some(format!("refused by Puppet: {}", expect["error"])),
        (_, Some(error)) => compare_error(expect, error, &sources),
    }
}

fn compare_tree(expect: &Json, program: &syntax::Program) -> Disagreement {
    let pn = syntax::pn::print(program);
    if expect["pn"] != pn {
        return Some(format!("expected {}\n     got {pn}", expect["pn"].as_str().unwrap_or("")));
    }
    let options = check::Options::default();
    let found = check::validate(program, &options);
    let found: Vec<String> = found.iter().filter_map(|d| d.issue.clone()).map(Into::into).collect();
    let empty = Vec::new();
    let wanted = expect["diagnostics"].as_array().unwrap_or(&empty);
    let wanted: Vec<&str> = wanted.iter().filter_map(|d| d[1].as_str()).collect();
    (found != wanted).then(|| format!("expected diagnostics {wanted:?}, got {found:?}"))
}

fn compare_error(expect: &Json, error: &Diagnostic, sources: &SourceMap) -> Disagreement {
    let line = error.peer_span().map(|span| sources.start(span).line);
    let issue = error.issue.as_deref();
    // Some errors of the real program know no line; where we know one it is no disagreement.
    let wanted = expect["line"].as_u64().map(|l| l as u32);
    let same = (wanted.is_none() || wanted == line) && expect["issue_code"].as_str() == issue;
    (!same).then(|| {
        format!(
            "expected {} line {}: {}\n     got {issue:?} line {line:?}: {}",
            expect["issue_code"], expect["line"], expect["error"], error.message
        )
    })
}

/// The value and type of a text.
pub fn expression(case: &Json) -> Disagreement {
    let code = case["code"].as_str()?;
    let (env, _, sources) =
        match environment(case, Site::Code(case["pre"].as_str().unwrap_or("").into())) {
            Ok(env) => env,
            Err(error) => return Some(format!("no environment: {error}")),
        };
    let node = node(case, "test");
    let evaluated = session::evaluate(&env, settings(case), &node, Path::new(""), code);
    let expect = &case["expect"];
    match (expect["ok"].as_bool(), evaluated.value) {
        (Some(true), Some(value)) => {
            let (shown, kind) = (quoted(&value), infer(&value).to_string());
            let same = expect["value"] == shown && expect["type"] == kind;
            (!same).then(|| {
                format!(
                    "expected {} of type {}\n     got \"{shown}\" of type \"{kind}\"",
                    expect["value"], expect["type"]
                )
            })
        }
        (Some(true), None) => Some(format!(
            "expected {}\n     got error {}",
            expect["value"],
            message(&evaluated.report)
        )),
        (_, Some(value)) => {
            Some(format!("expected error {}\n     got {}", expect["error"], quoted(&value)))
        }
        (_, None) => compare_failure(expect, &evaluated.report, &sources),
    }
}

/// A catalog.
pub fn compile(case: &Json) -> Disagreement {
    let code = case["code"].as_str()?;
    let (env, warnings, sources) = match environment(case, Site::Code(code.into())) {
        Ok(env) => env,
        Err(failed) => {
            let report = Report { diagnostics: failed.1, ..Report::default() };
            let expect = &case["expect"];
            if expect["ok"] == true {
                return Some(format!("expected a catalog\n     got error {}", message(&report)));
            }
            return compare_failure(expect, &report, &failed.0);
        }
    };
    let node = node(case, "test");
    let compiled = session::compile_node(&env, settings(case), &node);
    let expect = &case["expect"];
    match (expect["ok"].as_bool(), compiled.graph) {
        (Some(true), Some(graph)) => {
            let envelope = Envelope::default();
            let mut text = Vec::new();
            let written = puppet_catalog::write(&graph, &sources, &envelope, &mut text);
            let catalog = written.ok().and_then(|()| serde_json::from_slice(&text).ok());
            let Some(catalog) = catalog else { return Some("no JSON".into()) };
            compare_catalogs(&expect["catalog"], &catalog)
                .or_else(|| compare_logs(expect, &warnings, &compiled.report))
        }
        (Some(true), None) => {
            Some(format!("expected a catalog\n     got error {}", message(&compiled.report)))
        }
        (_, Some(_)) => Some(format!("expected error {}\n     got a catalog", expect["error"])),
        (_, None) => compare_failure(expect, &compiled.report, &sources),
    }
}

/// What an environment that cannot be opened says.
pub struct Failed(pub Arc<SourceMap>, pub Vec<Diagnostic>);

impl std::fmt::Display for Failed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.1.first().map_or("", |d| &d.message))
    }
}

/// An environment, the warnings of its site program, and the texts.
type Opened = (Environment, Vec<Diagnostic>, Arc<SourceMap>);

/// The environment that a case describes.
pub fn environment(case: &Json, site: Site) -> Result<Opened, Failed> {
    let root = PathBuf::from("/env");
    let files = case["files"].as_object().into_iter().flatten();
    let files = files.map(|(path, text)| {
        (root.join(path), text.as_str().unwrap_or("").replace("<env>", "/env"))
    });
    let sources = Arc::new(SourceMap::new());
    let options = Options {
        world: Arc::new(MemoryWorld::with_files(files)),
        sources: Arc::clone(&sources),
        name: case["environment"].as_str().unwrap_or("production").into(),
        dir: Some(root.clone()),
        modulepath: vec![root.join("modules")],
        site,
        hiera_config: Some(root.join("global/hiera.yaml")),
        strict: settings(case).strict,
        kinds: Vec::new(),
    };
    match Environment::open(options) {
        Ok((env, warnings)) => Ok((env, warnings, sources)),
        Err(errors) => Err(Failed(sources, errors)),
    }
}

/// The settings of a case.
pub fn settings(case: &Json) -> Settings {
    let strict = match case["settings"]["strict"].as_str() {
        Some("off") => Strict::Off,
        Some("warning") => Strict::Warning,
        _ => Strict::Error,
    };
    let strict_variables = case["settings"]["strict_variables"] != "false";
    Settings { strict, strict_variables, ..Settings::default() }
}

/// The node of a case.
pub fn node(case: &Json, default: &str) -> Node {
    let entries = |key: &str| -> Vec<_> {
        match &case[key] {
            Json::Object(map) => map.iter().map(|(k, v)| (k.as_str().into(), value(v))).collect(),
            Json::Array(names) => {
                let names = names.iter().filter_map(Json::as_str);
                names.map(|name| (name.into(), Value::Undef)).collect()
            }
            _ => Vec::new(),
        }
    };
    Node {
        name: case["node"].as_str().unwrap_or(default).into(),
        facts: value(&case["facts"]),
        trusted: value(&case["trusted"]),
        server_facts: Value::Undef,
        parameters: entries("params"),
        classes: entries("classes"),
    }
}

/// A value of a case.
pub fn value(json: &Json) -> Value {
    // What serde_json writes is JSON.
    from_data(&ordain_data::json::read(&json.to_string()).unwrap_or(Data::Null))
}

fn message(report: &Report) -> String {
    let errors = report.diagnostics.iter().filter(|d| d.severity == Severity::Error);
    errors.map(|d| d.message.clone()).next().unwrap_or_default()
}

fn compare_failure(expect: &Json, report: &Report, sources: &SourceMap) -> Disagreement {
    let error = report.diagnostics.iter().find(|d| d.severity == Severity::Error);
    let Some(error) = error else { return Some("no diagnostic".into()) };
    // A list of several errors in one text is reported by its number alone.
    if expect["error"].as_str().is_some_and(|e| e.contains("Language validation logged")) {
        return None;
    }
    compare_error(expect, error, sources)
}

fn compare_catalogs(expected: &Json, actual: &Json) -> Disagreement {
    let (left, right) = (resources(expected), resources(actual));
    let mut out = Vec::new();
    for (name, resource) in &left {
        match right.get(name) {
            None => out.push(format!("missing {name}")),
            Some(other) if other != resource => {
                out.push(format!("{name}:\n  expected {resource}\n       got {other}"));
            }
            Some(_) => {}
        }
    }
    out.extend(right.keys().filter(|k| !left.contains_key(*k)).map(|k| format!("extra {k}")));
    let edges = |catalog: &Json| -> BTreeSet<String> {
        let edges = catalog["edges"].as_array().into_iter().flatten();
        edges.map(|e| format!("{} -> {}", e["source"], e["target"])).collect()
    };
    let (l, r) = (edges(expected), edges(actual));
    out.extend(l.difference(&r).map(|e| format!("missing edge {e}")));
    out.extend(r.difference(&l).map(|e| format!("extra edge {e}")));
    let set = |catalog: &Json, key: &str| -> BTreeSet<String> {
        let items = catalog[key].as_array().into_iter().flatten();
        items.map(Json::to_string).collect()
    };
    for key in ["classes", "tags"] {
        let (l, r) = (set(expected, key), set(actual, key));
        if l != r {
            out.push(format!("{key}: expected {l:?}, got {r:?}"));
        }
    }
    (!out.is_empty()).then(|| out.join("\n"))
}

fn resources(catalog: &Json) -> BTreeMap<String, Json> {
    let list = catalog["resources"].as_array().into_iter().flatten();
    list.map(|resource| {
        let mut resource = resource.clone();
        let name = format!("{}[{}]", resource["type"], resource["title"]);
        if let Some(tags) = resource["tags"].as_array_mut() {
            tags.sort_by_key(Json::to_string);
        }
        if let Some(object) = resource.as_object_mut() {
            object.retain(|key, value| {
                !(key == "parameters" && value.as_object().is_some_and(serde_json::Map::is_empty))
                    && !(key == "file" && (value == "" || value == "unknown"))
            });
            object.sort_keys();
            if let Some(params) = object.get_mut("parameters").and_then(Json::as_object_mut) {
                params.sort_keys();
            }
        }
        (name, resource)
    })
    .collect()
}

/// Deprecations are said once a process by the real program, so that a case's log may lack them.
fn is_deprecation(message: &str) -> bool {
    message.contains("deprecated")
}

fn compare_logs(expect: &Json, warnings: &[Diagnostic], report: &Report) -> Disagreement {
    let loading = warnings.iter().map(|d| format!("warning: {}", d.message));
    let logs = report
        .logs
        .iter()
        .filter(|l| l.level != ordain_puppet::eval::LogLevel::Debug && !is_deprecation(&l.message))
        .map(|l| format!("{}: {}", l.level.word(), l.message));
    let ours: Vec<String> = loading.chain(logs).collect();
    let theirs = expect["logs"].as_array().into_iter().flatten();
    let theirs: Vec<String> = theirs
        .filter(|l| !is_deprecation(l[1].as_str().unwrap_or("")))
        .map(|l| format!("{}: {}", l[0].as_str().unwrap_or(""), l[1].as_str().unwrap_or("")))
        .collect();
    (ours != theirs).then(|| format!("expected logs {theirs:#?}\n     got {ours:#?}"))
}
