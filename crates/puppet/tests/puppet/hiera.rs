//! Golden cases of Hiera: below `tests/hiera`, each case is a directory with an environment in
//! `env` and lookups with their outcomes in `lookups.txt`; `global` may have the global layer. A
//! line `? {…}` is a request, or the `code` of a call; the indented lines after it are the outcome.
//! `ORDAIN_BLESS=1` writes the present outcomes.

use std::path::Path;
use std::sync::Arc;

use ecow::EcoString;
use ordain_puppet::error::{EvalError, EvalResult};
use ordain_puppet::eval::Settings;
use ordain_puppet::hiera::{Request, explain::Explainer};
use ordain_puppet::load::{Environment, Options, Site};
use ordain_puppet::session::Node;
use ordain_puppet::session::evaluate;
use ordain_puppet::state::Compiler;
use ordain_puppet::state::evaluate::Evaluate;
use ordain_puppet::value::Value;
use ordain_puppet::value::closure::ScopeId;
use ordain_source::{FileId, HostWorld, Span, TextRange};
use ordain_testkit::golden::{entries, golden};
use serde_json::Value as Json;

const FACTS: &str = r#"{"os": {"family": "Debian", "release": {"major": "12"}}, "role": "web",
    "list": ["a", "b"], "empty": ""}"#;

fn value(json: &Json) -> Value {
    match json {
        Json::Null => Value::Undef,
        Json::Bool(b) => Value::Bool(*b),
        Json::Number(n) => n.as_i64().map_or_else(|| Value::Float(n.as_f64().unwrap()), Value::Int),
        Json::String(s) => Value::str(s.as_str()),
        Json::Array(items) => Value::array(items.iter().map(value)),
        Json::Object(map) => Value::hash(map.iter().map(|(k, v)| (k.as_str(), value(v)))),
    }
}

fn open(env: &Path) -> Environment {
    let options = Options {
        dir: Some(env.to_path_buf()),
        modulepath: vec![env.join("modules")],
        hiera_config: Some(env.with_file_name("global").join("hiera.yaml")),
        ..Options::new(Arc::new(HostWorld::new()), Site::Code(String::new()))
    };
    match Environment::open(options) {
        Ok((env, _)) => env,
        Err(errors) => panic!("{errors:?}"),
    }
}

/// A value as Puppet's format `%p` writes it.
fn show(value: &Value) -> String {
    let all = |items: Vec<String>| items.join(", ");
    match value {
        Value::Undef => "undef".into(),
        Value::Bool(b) => b.to_string(),
        Value::Int(i) => i.to_string(),
        Value::Float(f) => format!("{f:?}"),
        Value::Str(text) if text.contains('\'') => format!("\"{text}\""),
        Value::Str(text) => format!("'{text}'"),
        Value::Array(items) => format!("[{}]", all(items.iter().map(show).collect())),
        Value::Hash(entries) => {
            let entries = entries.iter().map(|(k, v)| format!("{} => {}", show(k), show(v)));
            format!("{{{}}}", all(entries.collect()))
        }
        other => format!("{other:?}"),
    }
}

fn request(compiler: &mut Compiler<'_>, json: &Json, span: Span) -> EvalResult<Request> {
    let hash = |key: &str| match json.get(key).map(value) {
        Some(Value::Hash(hash)) => hash,
        _ => Arc::default(),
    };
    let names = |json: &Json| -> Vec<EcoString> {
        json.as_array().unwrap().iter().map(|n| n.as_str().unwrap().into()).collect()
    };
    let value_type = match json.get("type").and_then(Json::as_str) {
        Some(text) => Some(Arc::new(compiler.type_of_text(text, span)?)),
        None => None,
    };
    Ok(Request {
        names: match json.get("names") {
            Some(list) => names(list),
            None => vec![json["name"].as_str().unwrap().into()],
        },
        single: json.get("names").is_none(),
        value_type,
        merge: json.get("merge").map(value).unwrap_or_default(),
        default: json.get("default").map(value),
        overrides: hash("override"),
        defaults: hash("defaults"),
    })
}

fn describe(env: &Environment, error: &EvalError) -> String {
    let mut text = format!("error: {}", error.message.trim());
    if let Some(span) = error.span.filter(|_| error.issue.is_some()) {
        let file = env.sources.file(span.file);
        if file.path.ends_with("hiera.yaml") {
            text.push_str(&format!(" (hiera.yaml line {})", env.sources.start(span).line));
        }
    }
    text
}

fn outcome(env: &Environment, json: &Json) -> String {
    let facts: Json = serde_json::from_str(FACTS).unwrap();
    let mut facts = value(&facts);
    let keys = env.dir.as_ref().map(|dir| dir.join("keys")).filter(|keys| keys.is_dir());
    if let (Value::Hash(facts), Some(keys)) = (&mut facts, keys) {
        let keys = Value::from(keys.display().to_string());
        Arc::make_mut(facts).insert(Value::from("keys"), keys);
    }
    let node = Node { name: "test".into(), facts, ..Node::default() };
    if let Some(code) = json.get("code").and_then(Json::as_str) {
        let found = evaluate(env, Settings::default(), &node, Path::new("code.pp"), code);
        return match (found.value, found.report.error) {
            (Some(value), _) => show(&value),
            (None, Some(error)) => describe(env, &error),
            (None, None) => found.report.diagnostics[0].message.clone(),
        };
    }
    let mut compiler = Compiler::new(env, Settings::default(), "test");
    compiler.begin(&node);
    let span = Span { file: FileId(0), range: TextRange::new(0, 0) };
    let explain = json.get("explain").is_some();
    if explain {
        compiler.hiera.explainer = Some(Explainer::default());
    }
    let found = request(&mut compiler, json, span)
        .and_then(|request| compiler.lookup(&request, ScopeId::TOP, span));
    if let Some(explainer) = compiler.hiera.explainer.take() {
        return explainer.render();
    }
    let mut lines: Vec<String> =
        compiler.log.entries.iter().map(|log| format!("warning: {}", log.message)).collect();
    lines.push(match found {
        Ok(Some(found)) => show(&found.value),
        Ok(None) => {
            let names = json.get("names").and_then(Json::as_array);
            match (json.get("name").and_then(Json::as_str), names) {
                (Some(name), _) => {
                    format!("error: Function lookup() did not find a value for the name '{name}'")
                }
                (None, names) => {
                    let names = names.unwrap().iter().map(|n| format!("'{}'", n.as_str().unwrap()));
                    let names = names.collect::<Vec<_>>().join(", ");
                    format!("error: Function lookup() did not find a value for any of the names [{names}]")
                }
            }
        }
        Err(unwind) => describe(env, &ordain_puppet::state::frame::final_error(unwind)),
    });
    lines.join("\n")
}

/// The lookups of a case with their outcomes.
fn run(dir: &Path, text: &str) -> String {
    let root = dir.join("env");
    let mut now = String::new();
    for line in text.lines() {
        let Some(json) = line.strip_prefix("? ") else { continue };
        now.push_str(line);
        now.push('\n');
        let env = open(&root);
        let given = outcome(&env, &serde_json::from_str(json).unwrap());
        let given = given.replace(root.to_str().unwrap(), "<env>");
        let given = given.replace(dir.to_str().unwrap(), "<case>");
        for (i, line) in given.trim_end_matches('\n').lines().enumerate() {
            let continued = i > 0
                && !json.contains("\"explain\"")
                && !line.starts_with("error: ")
                && !line.starts_with("warning: ")
                && line.starts_with(' ');
            now.push_str(if continued { "    " } else { "  " });
            now.push_str(line);
            now.push('\n');
        }
    }
    now
}

#[test]
fn golden_cases() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/hiera");
    golden(6, |golden| {
        for dir in entries(&root) {
            golden.page(&dir.join("lookups.txt"), |text| run(&dir, text));
        }
    });
}
