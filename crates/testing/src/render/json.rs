//! The report in JSON.

use serde_json::{Value, json};

use crate::report::TestReport;

/// The report as a JSON object: `passed`, `failed`, `tests` and, if it was measured, `coverage`.
pub fn json(report: &TestReport, has_coverage: bool) -> String {
    let tests: Vec<Value> = report
        .results
        .iter()
        .map(|result| {
            let failures: Vec<Value> = result
                .failures
                .iter()
                .map(|(line, message)| json!({"line": line, "message": message}))
                .collect();
            json!({
                "name": result.name,
                "file": result.file.to_string_lossy(),
                "line": result.line,
                "passed": result.passed(),
                "failures": failures,
                "messages": result.messages,
                "seconds": result.took.as_secs_f64(),
            })
        })
        .collect();
    let mut document = json!({
        "format": "ordain-test-report",
        "version": 1,
        "passed": report.results.len() - report.failed(),
        "failed": report.failed(),
        "tests": tests,
    });
    if has_coverage {
        let resources = report.coverage.resources.iter().map(|(name, (place, is_named))| {
            json!({"name": name, "place": place, "has_expectation": is_named})
        });
        let definitions = report.coverage.definitions.iter();
        let definitions =
            definitions.map(|(name, compiled)| json!({"name": name, "is_compiled": compiled}));
        let branches = report.coverage.branches.iter().map(|((file, line, _), (text, is_taken))| {
            json!({"branch": text, "place": format!("{file}:{line}"), "is_taken": is_taken})
        });
        let keys = report.coverage.keys.iter().map(|((file, key), (line, is_found))| {
            json!({"key": key, "place": format!("{file}:{line}"), "is_found": is_found})
        });
        document["coverage"] = json!({
            "resources": resources.collect::<Vec<_>>(),
            "definitions": definitions.collect::<Vec<_>>(),
            "branches": branches.collect::<Vec<_>>(),
            "keys": keys.collect::<Vec<_>>(),
        });
    }
    format!("{document:#}\n")
}
