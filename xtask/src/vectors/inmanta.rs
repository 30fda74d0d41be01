//! Cases of Inmanta: models with their variables, instances, output, or the error.

use std::path::PathBuf;

use ordain_inmanta::output;
use ordain_inmanta::project::parse_rule;
use ordain_inmanta::session::{Request, compile};
use ordain_source::{HostWorld, SourceMap};
use ordain_testkit::models::differences;
use serde_json::{Value as Json, json};

use super::Disagreement;

/// Runs the case of a model.
pub(super) fn model(case: &Json) -> Disagreement {
    let case = case.clone();
    let run = std::thread::Builder::new().stack_size(64 << 20).spawn(move || compare(&case));
    match run.map(std::thread::JoinHandle::join) {
        Ok(Ok(result)) => result,
        _ => Some("the run panicked".into()),
    }
}

fn answer(case: &Json) -> Json {
    let (world, sources) = (HostWorld::new(), SourceMap::new());
    let project = PathBuf::from("/nonexistent/project");
    let text = case["model"].as_str().unwrap_or_default();
    let mut request = Request::new(&world, &sources, &project, project.join("main.cf"), text);
    request.autostd = case["autostd"] == json!(true);
    let rules = case["precedence"].as_array().into_iter().flatten().filter_map(Json::as_str);
    request.precedence = rules.filter_map(parse_rule).collect();
    request.shown = vec![(project, "{dir}".into())];
    let mut outcome = compile(request);
    let mut json = output::json(&outcome);
    if json["status"] == "ok" {
        match outcome.export() {
            Ok(exported) => json["resources"] = exported.json(),
            Err(error) => {
                json["export_error"] = output::error(&error, &outcome.net.program.files);
            }
        }
    }
    json
}

fn compare(case: &Json) -> Disagreement {
    let is_stable = case["stable"] != json!(false);
    let found = differences(&case["expected"], &answer(case), is_stable);
    if found.is_empty() {
        return None;
    }
    let model = case["model"].as_str().unwrap_or_default();
    Some(format!("{model}\n{}\n", found.join("\n")))
}
