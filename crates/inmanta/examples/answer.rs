//! Answers requests on standard input, a JSON object a line, with outcomes: for differential tests.

use std::io::{BufRead, Write};
use std::path::PathBuf;

use ordain_inmanta::output;
use ordain_inmanta::project::parse_rule;
use ordain_inmanta::session::{Request, compile};
use ordain_source::{HostWorld, SourceMap};
use serde_json::{Value as Json, json};

fn answer(case: &Json) -> Json {
    let (world, sources) = (HostWorld::new(), SourceMap::new());
    let project = PathBuf::from("/nonexistent/project");
    let text = case["snippet"].as_str().or(case["model"].as_str()).unwrap_or_default();
    let mut request = Request::new(&world, &sources, &project, project.join("main.cf"), text);
    request.autostd = case["autostd"] == json!(true);
    let rules = case["precedence"].as_array().into_iter().flatten().filter_map(Json::as_str);
    request.precedence = rules.filter_map(parse_rule).collect();
    request.shown = vec![(project, "{dir}".into())];
    let mut out = output::json(&compile(request));
    out["id"] = case.get("id").or(case.get("name")).cloned().unwrap_or_default();
    out
}

fn main() {
    let run = || {
        for line in std::io::stdin().lock().lines().map_while(Result::ok) {
            let case: Json = serde_json::from_str(&line).unwrap_or_default();
            let result = std::panic::catch_unwind(|| answer(&case));
            let out = result.unwrap_or_else(|_| json!({"status": "panic", "id": case["name"]}));
            if writeln!(std::io::stdout(), "{out}").is_err() {
                return;
            }
        }
    };
    let thread = std::thread::Builder::new().stack_size(256 << 20).spawn(run);
    if let Ok(thread) = thread {
        let _ = thread.join();
    }
}
