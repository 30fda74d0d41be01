//! Compares what Ordain answers to a case of Puppet's with the recorded answer.

use std::collections::{BTreeMap, BTreeSet};

use ordain_puppet::check;
use ordain_puppet::eval::LogLevel;
use ordain_puppet::session::Report;
use ordain_puppet::syntax;
use ordain_source::{Diagnostic, Severity, SourceMap};
use serde_json::Value as Json;

use crate::vectors::Disagreement;

/// A syntax tree, and what the validator says about it.
pub fn tree(expect: &Json, program: &syntax::Program) -> Disagreement {
    let pn = syntax::pn::print(program);
    if expect["pn"] != pn {
        return Some(format!("expected {}\n     got {pn}", expect["pn"].as_str().unwrap_or("")));
    }
    let found = check::validate(program, &check::Options::default());
    let peers = found.iter().filter_map(|d| {
        let severity = if d.severity == Severity::Error { "error" } else { "warning" };
        Some([severity.to_string(), d.issue.as_deref()?.to_string(), d.message.clone()])
    });
    let found: Vec<[String; 3]> = peers.collect();
    let wanted = expect["diagnostics"].as_array().into_iter().flatten();
    let text = |json: &Json| json.as_str().unwrap_or("").to_string();
    let wanted: Vec<_> = wanted.map(|d| [text(&d[0]), text(&d[1]), text(&d[2])]).collect();
    (found != wanted).then(|| format!("expected diagnostics {wanted:#?}, got {found:#?}"))
}

/// The first error of a report.
pub fn message(report: &Report) -> String {
    let errors = report.diagnostics.iter().filter(|d| d.severity == Severity::Error);
    errors.map(|d| d.message.clone()).next().unwrap_or_default()
}

/// An error: its code, its place and its text.
pub fn error(expect: &Json, error: &Diagnostic, sources: &SourceMap) -> Disagreement {
    let place = error.peer_span().map(|span| sources.start(span));
    let (line, column) = (place.map(|p| u64::from(p.line)), place.map(|p| u64::from(p.column)));
    let issue = error.issue.as_deref();
    // Some errors of the real program know no place; where we know one it is no disagreement.
    let is_at = |key: &str, ours: Option<u64>| expect[key].is_null() || expect[key].as_u64() == ours;
    let same = is_at("line", line)
        && is_at("pos", column)
        && expect["issue_code"].as_str() == issue
        && is_text(expect["error"].as_str().unwrap_or(""), error, sources);
    (!same).then(|| {
        format!(
            "expected {} {}:{}: {}\n     got {issue:?} {line:?}:{column:?}: {}",
            expect["issue_code"], expect["line"], expect["pos"], expect["error"], error.message
        )
    })
}

/// The text of an error without what the real program puts before errors of a phase, which the
/// code says already, and without the node, which is the case's.
fn bare(text: &str) -> &str {
    let text = text.strip_prefix("Evaluation Error: ").unwrap_or(text);
    let text = text.strip_prefix("Could not parse for environment production: ").unwrap_or(text);
    match text.rsplit_once(" on node ") {
        Some((text, node)) if !node.contains(' ') => text,
        _ => text,
    }
}

/// Whether a text is that of an error, alone or with its place behind it.
fn is_text(theirs: &str, error: &Diagnostic, sources: &SourceMap) -> bool {
    let Some(rest) = bare(theirs).strip_prefix(bare(&error.message)) else { return false };
    let Some(place) = error.peer_span().map(|span| sources.start(span)) else {
        return rest.is_empty();
    };
    let (line, column) = (place.line, place.column);
    rest.is_empty()
        || rest == format!(" (line: {line}, column: {column})")
        || rest == format!(" (line: {line})")
        || rest == format!(" (file: unknown, line: {line})")
}

/// A compile or an evaluation that failed: its errors, and what it had logged before.
pub fn failure(
    case: &Json,
    warnings: &[Diagnostic],
    report: &Report,
    sources: &SourceMap,
) -> Disagreement {
    let expect = &case["expect"];
    let first = report.diagnostics.iter().find(|d| d.severity == Severity::Error);
    let Some(first) = first else { return Some("no diagnostic".into()) };
    // Several errors are in the log, and the text is their number.
    let several = expect["error"].as_str().and_then(|e| e.split_once("Language validation logged"));
    match several {
        Some(_) => logs(case, warnings, report, sources),
        None => error(expect, first, sources).or_else(|| logs(case, warnings, report, sources)),
    }
}

/// The resources and edges of a catalog as sets, its classes in order, its tags as a set.
pub fn catalogs(expected: &Json, actual: &Json) -> Disagreement {
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
    let list = |catalog: &Json, key: &str| -> Vec<String> {
        let items = catalog[key].as_array().into_iter().flatten();
        items.map(Json::to_string).collect()
    };
    let mut tags = [list(expected, "tags"), list(actual, "tags")];
    tags.iter_mut().for_each(|tags| tags.sort());
    for (key, [l, r]) in
        [("classes", [list(expected, "classes"), list(actual, "classes")]), ("tags", tags)]
    {
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

/// What was logged, in order: messages, warnings and the errors that ended the run.
pub fn logs(
    case: &Json,
    warnings: &[Diagnostic],
    report: &Report,
    sources: &SourceMap,
) -> Disagreement {
    let loading = warnings.iter().map(|d| format!("warning: {}", d.message));
    let logged = report.logs.iter().filter(|l| l.level != LogLevel::Debug);
    let logged = logged.map(|l| format!("{}: {}", l.level.word(), l.message));
    let ours: Vec<String> = loading.chain(logged).collect();
    let theirs = case["expect"]["logs"].as_array().into_iter().flatten();
    let theirs: Vec<[&str; 2]> =
        theirs.map(|l| [l[0].as_str().unwrap_or(""), l[1].as_str().unwrap_or("")]).collect();
    let mut rest = theirs.iter().peekable();
    let mut same = ours.iter().all(|line| {
        let found = rest.next_if(|[level, text]| *line == format!("{level}: {text}")).is_some();
        found || is_deprecation(line)
    });
    let errors = report.diagnostics.iter().filter(|d| d.severity == Severity::Error);
    let mut errors = errors.peekable();
    for [level, text] in rest {
        let is_number = text.contains("Language validation logged");
        let mut found = || errors.next_if(|error| is_text(text, error, sources)).is_some();
        same &= *level == "err" && (is_number || found());
    }
    (!same).then(|| {
        let errors = report.diagnostics.iter().map(|d| &d.message).collect::<Vec<_>>();
        format!("expected logs {theirs:#?}\n     got {ours:#?}\nerrors {errors:#?}")
    })
}
