//! Answers requests on standard input, one JSON object per line, with outcomes of models: for
//! differential tests.
//!
//! A request has `id`, `snippet` (the main file), `autostd`, `precedence`, `libs` (directories of
//! modules), `files` (further files of the project, text by path), `export`, and `quiet` (only
//! whether it compiles).

#![allow(clippy::disallowed_methods)]

use std::io::{BufRead, Write};
use std::path::{Path, PathBuf};

use ordain_inmanta::output;
use ordain_inmanta::project::parse_rule;
use ordain_inmanta::session::{Request, compile};
use ordain_source::{HostWorld, SourceMap};
use serde_json::{Value as Json, json};

fn strings(value: &Json) -> impl Iterator<Item = &str> {
    value.as_array().into_iter().flatten().filter_map(Json::as_str)
}

/// Writes the further files of a case.
fn write(project: &Path, files: &Json) -> std::io::Result<()> {
    for (name, text) in files.as_object().into_iter().flatten() {
        let path = project.join(name);
        if let Some(directory) = path.parent() {
            std::fs::create_dir_all(directory)?;
        }
        std::fs::write(path, text.as_str().unwrap_or_default())?;
    }
    Ok(())
}

fn answer(case: &Json) -> Json {
    let (world, sources) = (HostWorld::new(), SourceMap::new());
    let folder = case["files"].as_object().and_then(|_| tempfile::tempdir().ok());
    let project = match &folder {
        Some(folder) => folder.path().to_path_buf(),
        None => PathBuf::from("/nonexistent/project"),
    };
    if write(&project, &case["files"]).is_err() {
        return json!({"status": "broken", "id": case["id"]});
    }
    let text = case["snippet"].as_str().or(case["model"].as_str()).unwrap_or_default();
    let mut request = Request::new(&world, &sources, &project, project.join("main.cf"), text);
    request.autostd = case["autostd"] == json!(true);
    request.precedence = strings(&case["precedence"]).filter_map(parse_rule).collect();
    request.modulepath = vec![project.join("libs")];
    request.modulepath.extend(strings(&case["libs"]).map(PathBuf::from));
    request.shown = vec![(project, "{dir}".into())];
    let mut outcome = compile(request);
    if case["quiet"] == json!(true) {
        return json!({"status": if outcome.error.is_some() { "error" } else { "ok" }});
    }
    let mut out = output::json(&outcome);
    if case["export"] == json!(true) && outcome.error.is_none() {
        match outcome.export() {
            Ok(exported) => out["resources"] = exported.json(),
            Err(error) => {
                out["export_error"] = output::error(&error, &outcome.net.program.files);
            }
        }
        out["stdout"] = json!(outcome.net.stdout());
    }
    out["id"] = case.get("id").or(case.get("name")).cloned().unwrap_or_default();
    out
}

fn main() {
    let run = || {
        for line in std::io::stdin().lock().lines().map_while(Result::ok) {
            let case: Json = serde_json::from_str(&line).unwrap_or_default();
            let result = std::panic::catch_unwind(|| answer(&case));
            let out = result.unwrap_or_else(|_| json!({"status": "panic", "id": case["id"]}));
            let written =
                writeln!(std::io::stdout(), "{out}").and_then(|()| std::io::stdout().flush());
            if written.is_err() {
                return;
            }
        }
    };
    let thread = std::thread::Builder::new().stack_size(256 << 20).spawn(run);
    if let Ok(thread) = thread {
        let _ = thread.join();
    }
}
