//! Ordain's answers to requests of the differential tests, in the form of `oracle.rb`.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use ecow::EcoString;
use ordain_graph::puppet_catalog::{self, Envelope};
use ordain_puppet::eval::{LogLevel, Settings};
use ordain_puppet::load::{Environment, Options, Site};
use ordain_puppet::session;
use ordain_puppet::session::Node;
use ordain_puppet::value::Value;
use ordain_puppet::value::rich::from_data;
use ordain_source::{Diagnostic, HostWorld, Severity, SourceMap};
use serde_json::{Value as Json, json};

/// The catalog or error of a request.
pub(crate) fn answer(request: &Json) -> Json {
    let dir = PathBuf::from(request["dir"].as_str().unwrap_or_default());
    let sources = Arc::new(SourceMap::new());
    let (modulepath, manifest) = layout(&dir);
    let site = match request["code"].as_str() {
        Some(code) => Site::Code(code.into()),
        None => Site::Path(manifest),
    };
    let name = dir.file_name().unwrap_or_default().to_string_lossy();
    let options = Options {
        sources: Arc::clone(&sources),
        name: name.as_ref().into(),
        dir: Some(dir.clone()),
        modulepath,
        ..Options::new(Arc::new(HostWorld::new()), site)
    };
    let env = match Environment::open(options) {
        Ok((env, _)) => env,
        Err(errors) => return failure(&errors, &sources),
    };
    let include_legacy_facts = request["legacy_facts"] == true;
    let settings = Settings { include_legacy_facts, ..Settings::default() };
    let compiled = session::compile_node(&env, settings, &node(request));
    let mut answer = match &compiled.graph {
        Some(graph) => {
            let mut text = Vec::new();
            puppet_catalog::write(graph, &sources, &Envelope::default(), &mut text).unwrap();
            json!({ "catalog": serde_json::from_slice::<Json>(&text).unwrap() })
        }
        None => failure(&compiled.report.diagnostics, &sources),
    };
    let logs = compiled.report.logs.iter().filter(|l| l.level != LogLevel::Debug);
    answer["logs"] = logs.map(|l| json!([l.level.word(), l.message.as_str()])).collect();
    answer
}

fn failure(diagnostics: &[Diagnostic], sources: &SourceMap) -> Json {
    let error = diagnostics.iter().find(|d| d.severity == Severity::Error);
    let line = error.and_then(Diagnostic::peer_span).map(|span| sources.start(span).line);
    json!({
        "error": error.map(|e| e.message.as_str()),
        "issue": error.and_then(|e| e.issue.as_deref()),
        "line": line,
        "logs": [],
    })
}

/// The module path and the manifests that `environment.conf` names, or the usual ones.
fn layout(dir: &Path) -> (Vec<PathBuf>, PathBuf) {
    let conf = std::fs::read_to_string(dir.join("environment.conf")).unwrap_or_default();
    let entry = |key: &str| {
        conf.lines().find_map(|line| {
            let (name, value) = line.split_once('=')?;
            (name.trim() == key).then(|| value.trim().to_string())
        })
    };
    let path = entry("modulepath").unwrap_or_else(|| "modules".into());
    let dirs = path.split(':').filter(|part| !part.starts_with('$'));
    let manifest = entry("manifest").unwrap_or_else(|| "manifests".into());
    (dirs.map(|part| dir.join(part)).collect(), dir.join(manifest))
}

fn node(request: &Json) -> Node {
    let entries = |key: &str| -> Vec<(EcoString, Value)> {
        let map = request[key].as_object().into_iter().flatten();
        map.map(|(name, json)| (name.as_str().into(), value(json))).collect()
    };
    Node {
        name: request["node"].as_str().unwrap_or_default().into(),
        facts: value(&request["facts"]),
        trusted: value(&request["trusted"]),
        server_facts: Value::Undef,
        parameters: entries("parameters"),
        classes: entries("classes"),
    }
}

fn value(json: &Json) -> Value {
    from_data(&ordain_data::json::read(&json.to_string()).unwrap())
}
