//! Compares Ordain's answer to a Puppet case with the recorded one.

use std::collections::{BTreeMap, BTreeSet};

use ordain_puppet::eval::LogLevel;
use ordain_puppet::session::Report;
use ordain_puppet::syntax;
use ordain_puppet::validation;
use ordain_source::{Diagnostic, Severity, SourceMap};
use serde_json::Value as Json;

use crate::vectors::Disagreement;

/// Replaces what looks like addresses of objects with `0xADDR`, as the recordings do.
pub(super) fn without_addresses(text: &str) -> String {
    const DIGITS: std::ops::RangeInclusive<usize> = 12..=16;
    let mut out = String::with_capacity(text.len());
    let mut pieces = text.split("0x");
    out.push_str(pieces.next().unwrap_or_default());
    for piece in pieces {
        let digits = piece.bytes().take_while(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f')).count();
        let digits = digits.min(*DIGITS.end());
        out.push_str("0x");
        if DIGITS.contains(&digits) {
            out.push_str("ADDR");
            out.push_str(&piece[digits..]);
        } else {
            out.push_str(piece);
        }
    }
    out
}

/// Compares a syntax tree and the diagnostics of the validator.
pub(super) fn tree(expect: &Json, program: &syntax::Program) -> Disagreement {
    let pn = syntax::pn::print(program);
    if expect["pn"] != pn {
        return Some(format!("expected {}\n     got {pn}", expect["pn"].as_str().unwrap_or("")));
    }
    let found = validation::validate(program, &validation::Options::default());
    let peers = found.iter().filter_map(|d| {
        let severity = if d.severity == Severity::Error { "error" } else { "warning" };
        let message = without_addresses(&d.message);
        Some([severity.to_string(), d.issue.as_deref()?.to_string(), message])
    });
    let found: Vec<[String; 3]> = peers.collect();
    let wanted = expect["diagnostics"].as_array().into_iter().flatten();
    let text = |json: &Json| json.as_str().unwrap_or("").to_string();
    // Ordain reports deprecations as warnings.
    let severity = |json: &Json| text(json).replace("deprecation", "warning");
    let wanted: Vec<_> = wanted.map(|d| [severity(&d[0]), text(&d[1]), text(&d[2])]).collect();
    (found != wanted).then(|| format!("expected diagnostics {wanted:#?}, got {found:#?}"))
}

/// The log and the errors of a run.
#[derive(Default)]
pub(super) struct RunOutput {
    /// `level: text`, in order.
    pub logs: Vec<String>,
    /// The errors that ended the run.
    pub errors: Vec<Fault>,
}

/// An error that Ordain reports.
pub(super) struct Fault {
    pub issue: Option<String>,
    pub file: Option<String>,
    pub line: Option<u64>,
    pub column: Option<u64>,
    pub message: String,
}

impl RunOutput {
    /// The messages of a report, preceded by warnings of earlier steps.
    pub(super) fn of(warnings: &[Diagnostic], report: &Report, sources: &SourceMap) -> Self {
        let loading = warnings.iter().map(|d| format!("warning: {}", d.message));
        let logged = report.logs.iter().filter(|l| l.level != LogLevel::Debug);
        let logged = logged.map(|l| format!("{}: {}", l.level.word(), l.message));
        let errors = report.diagnostics.iter().filter(|d| d.severity == Severity::Error);
        let errors = errors.map(|d| Fault::of(d, sources)).collect();
        Self { logs: loading.chain(logged).collect(), errors }
    }

    /// The message of the first error.
    pub(super) fn message(&self) -> &str {
        self.errors.first().map_or("", |error| &error.message)
    }
}

impl Fault {
    /// An error with the place that the real program reports.
    pub(super) fn of(error: &Diagnostic, sources: &SourceMap) -> Self {
        let place = error.peer_span().map(|span| sources.start(span));
        let path = error.peer_span().map(|span| sources.file(span.file).path.display().to_string());
        Self {
            issue: error.issue.as_deref().map(Into::into),
            file: path.filter(|path| !path.is_empty()),
            line: place.map(|p| u64::from(p.line)),
            column: place.map(|p| u64::from(p.column)),
            message: without_addresses(&error.message),
        }
    }

    /// Compares the issue code, the place and the message.
    pub(super) fn compare(&self, expect: &Json) -> Disagreement {
        // Some errors of the real program have no place. A place of ours is then no difference.
        let is_at =
            |key: &str, ours: Option<u64>| expect[key].is_null() || expect[key].as_u64() == ours;
        let same = is_at("line", self.line)
            && is_at("pos", self.column)
            && expect["issue_code"].as_str() == self.issue.as_deref()
            && self.is_text(expect["error"].as_str().unwrap_or(""));
        let Self { issue, line, column, message, .. } = self;
        (!same).then(|| {
            format!(
                "expected {} {}:{}: {}\n     got {issue:?} {line:?}:{column:?}: {message}",
                expect["issue_code"], expect["line"], expect["pos"], expect["error"],
            )
        })
    }

    /// Whether a message equals that of this error, with or without its place.
    fn is_text(&self, theirs: &str) -> bool {
        let (theirs, ours) = (without_phase(theirs), without_phase(&self.message));
        let mut places = Vec::new();
        let files = [String::new(), "file: unknown, ".into()]
            .into_iter()
            .chain(self.file.iter().map(|file| format!("file: {file}, ")));
        for file in files {
            let line = self.line.map(|line| format!("line: {line}"));
            let column = self.column.map(|column| format!(", column: {column}"));
            let line = line.unwrap_or_default();
            places.push(format!(" ({})", file.trim_end_matches(", ")));
            places.push(format!(" ({file}{line})"));
            places.push(format!(" ({file}{line}{})", column.unwrap_or_default()));
        }
        let alone = |text: &str| {
            let found = places.iter().find_map(|place| text.strip_suffix(place.as_str()));
            found.unwrap_or(text).to_owned()
        };
        alone(theirs) == alone(ours)
    }
}

/// An error message without the phase, which the issue code implies, and without the node.
fn without_phase(text: &str) -> &str {
    let text = text.strip_prefix("Evaluation Error: ").unwrap_or(text);
    let text = text.strip_prefix("Could not parse for environment production: ").unwrap_or(text);
    match text.rsplit_once(" on node ") {
        Some((text, node)) if !node.contains(' ') => text,
        _ => text,
    }
}

/// Compares a failed run: its errors, and the messages before them.
pub(super) fn failure(case: &Json, output: &RunOutput) -> Disagreement {
    let expect = &case["expect"];
    let Some(first) = output.errors.first() else { return Some("no diagnostic".into()) };
    // If there are several errors, they are in the log, and the message is their number.
    let several = expect["error"].as_str().and_then(|e| e.split_once("Language validation logged"));
    match several {
        Some(_) => logs(case, output),
        None => first.compare(expect).or_else(|| logs(case, output)),
    }
}

/// Compares catalogs: resources, edges and tags as sets, classes in order.
pub(super) fn catalogs(expected: &Json, actual: &Json) -> Disagreement {
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

/// The beginnings of warnings that the real program logs once per process, so that only the first
/// recorded case has them.
const LOGGED_ONCE: &[&str] = &[
    "Defining \"data_provider\": ",
    "Calling function empty() with Numeric value is deprecated.",
    "Interpolation failed with",
    "The abs() function's auto conversion of String to Numeric is deprecated",
    "The ceiling() function's auto conversion of String to Float is deprecated",
    "The floor() function's auto conversion of String to Float is deprecated",
    "The max() function's auto conversion of ",
    "The min() function's auto conversion of ",
    "The stdlib `time` function is deprecated.",
    "This function is deprecated, please use stdlib::",
    "This method is deprecated, please use Puppet data types to validate parameters",
    "This method is deprecated. From Puppet 8, PSON is no longer natively supported.",
];

/// Whether a recorded case may lack a message.
fn is_logged_once(message: &str) -> bool {
    let text = message.strip_prefix("warning: ");
    let is_listed = |text: &str| LOGGED_ONCE.iter().any(|start| text.starts_with(start));
    // This one begins with the path of the file.
    let is_version = |text: &str| text.contains(": Use of 'hiera.yaml' version ");
    text.is_some_and(|text| is_listed(text) || is_version(text))
}

/// Compares the log, in order: messages, warnings and the errors that ended the run.
pub(super) fn logs(case: &Json, output: &RunOutput) -> Disagreement {
    let theirs = case["expect"]["logs"].as_array().into_iter().flatten();
    let theirs: Vec<[&str; 2]> =
        theirs.map(|l| [l[0].as_str().unwrap_or(""), l[1].as_str().unwrap_or("")]).collect();
    let mut rest = theirs.iter().peekable();
    let mut same = output.logs.iter().all(|line| {
        let found = rest.next_if(|[level, text]| *line == format!("{level}: {text}")).is_some();
        found || is_logged_once(line)
    });
    let mut errors = output.errors.iter();
    for [level, text] in rest {
        let is_number = text.contains("Language validation logged");
        let mut found = || errors.next().is_some_and(|error| error.is_text(text));
        same &= *level == "err" && (is_number || found());
    }
    (!same).then(|| {
        let errors = output.errors.iter().map(|e| &e.message).collect::<Vec<_>>();
        format!("expected logs {theirs:#?}\n     got {:#?}\nerrors {errors:#?}", output.logs)
    })
}
