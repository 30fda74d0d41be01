//! Answers cases of Puppet's language, one per line, in the form of the recorded answers.

use std::io::{self, BufRead, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use ordain_graph::puppet_catalog::{self, Envelope};
use ordain_puppet::eval::LogLevel;
use ordain_puppet::hiera::{Request, explain::Explainer};
use ordain_puppet::load::Site;
use ordain_puppet::session::{self, Report};
use ordain_puppet::syntax;
use ordain_puppet::types::{format::quoted::quoted, infer::infer};
use ordain_puppet::validation;
use ordain_source::{Diagnostic, Severity, SourceMap};
use serde_json::{Value as Json, json};

use super::puppet::{OpenError, environment, node, settings};

/// Reads cases from standard input and writes an answer for each.
pub(crate) fn answer() -> anyhow::Result<ExitCode> {
    let mut out = io::stdout().lock();
    for line in io::stdin().lock().lines() {
        let case: Json = serde_json::from_str(&line?)?;
        let mut answered = catch_unwind(AssertUnwindSafe(|| match case["kind"].as_str() {
            Some("parse") => parse(&case),
            Some("expr") => expression(&case),
            Some("lookups") => lookups(&case),
            _ => compile(&case),
        }))
        .unwrap_or_else(|_| json!({ "ok": false, "panic": true }));
        answered["id"] = case["id"].clone();
        serde_json::to_writer(&mut out, &answered)?;
        writeln!(out)?;
        out.flush()?;
    }
    Ok(ExitCode::SUCCESS)
}

fn text<'a>(case: &'a Json, key: &str) -> &'a str {
    case[key].as_str().unwrap_or("")
}

fn parse(case: &Json) -> Json {
    let code: Arc<str> = text(case, "code").into();
    let sources = SourceMap::new();
    let file = sources.add("", Arc::clone(&code));
    let parsed = syntax::parse(file, code);
    if parsed.diagnostics.iter().any(|d| d.severity == Severity::Error) {
        return refusal(&parsed.diagnostics, &sources);
    }
    let found = validation::validate(&parsed.program, &validation::Options::default());
    // A syntax error in a heredoc's text ends the parse.
    if found.first().is_some_and(|d| d.issue.as_deref().is_some_and(is_embedded)) {
        return refusal(&found[..1], &sources);
    }
    let found: Vec<Json> =
        found.iter().filter_map(|d| d.issue.clone()).map(|i| json!(&*i)).collect();
    json!({ "ok": true, "pn": syntax::pn::print(&parsed.program), "diagnostics": found })
}

/// Whether an issue is a syntax error in the text of a heredoc.
fn is_embedded(issue: &str) -> bool {
    matches!(issue, "ILLEGAL_JSON" | "ILLEGAL_PP" | "ILLEGAL_EPP" | "ILLEGAL_BASE64")
}

fn expression(case: &Json) -> Json {
    let (env, _, sources) = match environment(case, Site::Code(text(case, "pre").into())) {
        Ok(opened) => opened,
        Err(OpenError(sources, errors)) => return refusal(&errors, &sources),
    };
    let node = node(case, "test");
    let code = text(case, "code");
    let evaluated = session::evaluate(&env, settings(case), &node, Path::new(""), code);
    let mut out = match &evaluated.value {
        Some(value) => {
            json!({ "ok": true, "value": quoted(value), "type": infer(value).to_string() })
        }
        None => refusal(&evaluated.report.diagnostics, &sources),
    };
    out["logs"] = logs(&evaluated.report);
    out
}

/// Answers several lookups: calls, and keys to explain.
fn lookups(case: &Json) -> Json {
    let wanted = case["lookups"].as_array().into_iter().flatten();
    let answers: Vec<Json> = wanted
        .map(|wanted| match wanted["key"].as_str() {
            Some(key) => explanation(case, key, wanted),
            None => {
                let mut call = case.clone();
                call["code"] = wanted["code"].clone();
                expression(&call)
            }
        })
        .collect();
    json!({ "answers": answers })
}

fn explanation(case: &Json, key: &str, wanted: &Json) -> Json {
    let (env, _, sources) = match environment(case, Site::Code(text(case, "site").into())) {
        Ok(opened) => opened,
        Err(OpenError(sources, errors)) => return refusal(&errors, &sources),
    };
    let request = Request {
        names: vec![key.into()],
        single: true,
        merge: super::puppet::value(&wanted["merge"]),
        ..Request::default()
    };
    let node = node(case, "test");
    let explainer = Explainer::new(wanted["explain"] == false);
    let found = session::look_up(&env, settings(case), &node, &request, Some(explainer), true);
    let Some(explanation) = found.explanation else {
        return refusal(&found.report.diagnostics, &sources);
    };
    let mut text = explanation.render();
    match &found.report.error {
        Some(error) => text.push_str(&error.message),
        None if found.value.is_none() => {
            text.push_str(&format!("Function lookup() did not find a value for the name '{key}'"));
        }
        None => {}
    }
    let mut out = json!({ "ok": true, "value": text });
    out["logs"] = logs(&found.report);
    out
}

fn compile(case: &Json) -> Json {
    let (env, _, sources) = match environment(case, Site::Code(text(case, "code").into())) {
        Ok(opened) => opened,
        Err(OpenError(sources, errors)) => return refusal(&errors, &sources),
    };
    let compiled = session::compile_node(&env, settings(case), &node(case, "test"));
    let mut out = match &compiled.graph {
        Some(graph) => {
            let mut written = Vec::new();
            let envelope = Envelope::default();
            match puppet_catalog::write(graph, &sources, &envelope, &mut written) {
                Ok(()) => {
                    let catalog: Json = serde_json::from_slice(&written).unwrap_or_default();
                    json!({ "ok": true, "catalog": catalog })
                }
                Err(error) => json!({ "ok": false, "error": error.to_string() }),
            }
        }
        None => refusal(&compiled.report.diagnostics, &sources),
    };
    out["logs"] = logs(&compiled.report);
    out
}

fn refusal(diagnostics: &[Diagnostic], sources: &SourceMap) -> Json {
    let mut errors = diagnostics.iter().filter(|d| d.severity == Severity::Error);
    let Some(error) = errors.next() else {
        return json!({ "ok": false, "error": "no diagnostic" });
    };
    let place = error.peer_span().map(|span| sources.start(span));
    json!({
        "ok": false,
        "error": error.message,
        "code": error.code,
        "issue_code": error.issue,
        "line": place.map(|place| place.line),
        "pos": place.map(|place| place.column),
        "more": errors.filter_map(|e| e.issue.clone()).map(|i| json!(&*i)).collect::<Vec<_>>(),
    })
}

fn logs(report: &Report) -> Json {
    let logged = report.logs.iter().filter(|l| l.level != LogLevel::Debug);
    logged.map(|l| json!([l.level.word(), l.message])).collect()
}
