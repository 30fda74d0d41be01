//! Cases of Puppet: syntax trees, expressions, catalogs.

mod compare;
mod files;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use ordain_data::Value as Data;
use ordain_graph::puppet_catalog::{self, Envelope};
use ordain_puppet::eval::{Settings, Strict};
use ordain_puppet::load::{Environment, Options, Site};
use ordain_puppet::session::Node;
use ordain_puppet::session::{self, Report};
use ordain_puppet::syntax;
use ordain_puppet::types::{format::quoted::quoted, infer::infer};
use ordain_puppet::value::Value;
use ordain_puppet::value::rich::from_data;
use ordain_source::{Diagnostic, MemoryWorld, Severity, SourceMap};
use serde_json::Value as Json;

use super::Disagreement;
use compare::{Fault, RunOutput};
pub(super) use files::compile as compile_files;

/// Compares a syntax tree and its diagnostics, or the syntax error.
pub(super) fn parse(case: &Json) -> Disagreement {
    let code: Arc<str> = case["code"].as_str()?.into();
    let sources = SourceMap::new();
    let file = sources.add("", Arc::clone(&code));
    let parsed = syntax::parse(file, code);
    let expect = &case["expect"];
    let first = parsed.diagnostics.iter().find(|d| d.severity == Severity::Error);
    match (expect["ok"].as_bool(), first) {
        (Some(true), Some(error)) => Some(format!("accepted by Puppet; ours: {}", error.message)),
        (Some(true), None) => compare::tree(expect, &parsed.program),
        (_, None) => Some(format!("refused by Puppet: {}", expect["error"])),
        (_, Some(error)) => Fault::of(error, &sources).compare(expect),
    }
}

/// Compares the value and type of an expression.
pub(super) fn expression(case: &Json) -> Disagreement {
    let code = case["code"].as_str()?;
    let (env, _, sources) =
        match environment(case, Site::Code(case["pre"].as_str().unwrap_or("").into())) {
            Ok(env) => env,
            Err(error) => return Some(format!("no environment: {error}")),
        };
    let node = node(case, "test");
    let evaluated = session::evaluate(&env, settings(case), &node, Path::new(""), code);
    let expect = &case["expect"];
    // Diagnostics of the expression itself, which the real program logs while it loads.
    let warnings = evaluated.report.diagnostics.iter().filter(|d| d.severity == Severity::Warning);
    let warnings: Vec<Diagnostic> = warnings.cloned().collect();
    let output = RunOutput::of(&warnings, &evaluated.report, &sources);
    match (expect["ok"].as_bool(), evaluated.value) {
        (Some(true), Some(value)) => {
            let (shown, kind) = (quoted(&value), infer(&value).to_string());
            let same = expect["value"] == shown && expect["type"] == kind;
            let differs = format!(
                "expected {} of type {}\n     got \"{shown}\" of type \"{kind}\"",
                expect["value"], expect["type"]
            );
            (!same).then_some(differs).or_else(|| compare::logs(case, &output))
        }
        (Some(true), None) => {
            Some(format!("expected {}\n     got error {}", expect["value"], output.message()))
        }
        (_, Some(value)) => {
            Some(format!("expected error {}\n     got {}", expect["error"], quoted(&value)))
        }
        (_, None) => compare::failure(case, &output),
    }
}

/// Compares a catalog.
pub(super) fn compile(case: &Json) -> Disagreement {
    let code = case["code"].as_str()?;
    let (env, warnings, sources) = match environment(case, Site::Code(code.into())) {
        Ok(env) => env,
        Err(failed) => {
            let report = Report { diagnostics: failed.1, ..Report::default() };
            let output = RunOutput::of(&[], &report, &failed.0);
            if case["expect"]["ok"] == true {
                return Some(format!("expected a catalog\n     got error {}", output.message()));
            }
            return compare::failure(case, &output);
        }
    };
    let node = node(case, "test");
    let compiled = session::compile_node(&env, settings(case), &node);
    let output = RunOutput::of(&warnings, &compiled.report, &sources);
    let expect = &case["expect"];
    match (expect["ok"].as_bool(), compiled.graph) {
        (Some(true), Some(graph)) => {
            let envelope = Envelope::default();
            let mut text = Vec::new();
            let written = puppet_catalog::write(&graph, &sources, &envelope, &mut text);
            let catalog = written.ok().and_then(|()| serde_json::from_slice(&text).ok());
            let Some(catalog) = catalog else { return Some("no JSON".into()) };
            compare::catalogs(&expect["catalog"], &catalog).or_else(|| compare::logs(case, &output))
        }
        (Some(true), None) => {
            Some(format!("expected a catalog\n     got error {}", output.message()))
        }
        (_, Some(_)) => Some(format!("expected error {}\n     got a catalog", expect["error"])),
        (_, None) => compare::failure(case, &output),
    }
}

/// The errors of an environment that cannot be opened.
pub(super) struct OpenError(pub Arc<SourceMap>, pub Vec<Diagnostic>);

impl std::fmt::Display for OpenError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.1.first().map_or("", |d| &d.message))
    }
}

/// An environment, the warnings of its site manifest, and the source texts.
type OpenEnvironment = (Environment, Vec<Diagnostic>, Arc<SourceMap>);

/// The environment that a case describes.
pub(super) fn environment(case: &Json, site: Site) -> Result<OpenEnvironment, OpenError> {
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
        ruby: Arc::default(),
    };
    match Environment::open(options) {
        Ok((env, warnings)) => Ok((env, warnings, sources)),
        Err(errors) => Err(OpenError(sources, errors)),
    }
}

/// The settings of a case.
pub(super) fn settings(case: &Json) -> Settings {
    let strict = match case["settings"]["strict"].as_str() {
        Some("off") => Strict::Off,
        Some("warning") => Strict::Warning,
        _ => Strict::Error,
    };
    let strict_variables = case["settings"]["strict_variables"] != "false";
    Settings { strict, strict_variables, ..Settings::default() }
}

/// The node of a case.
pub(super) fn node(case: &Json, default: &str) -> Node {
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
pub(super) fn value(json: &Json) -> Value {
    // serde_json writes valid JSON.
    from_data(&ordain_data::json::read(&json.to_string()).unwrap_or(Data::Null))
}
