//! The report as text for a terminal.

use crate::coverage::Coverage;
use crate::report::{TestReport, TestResult};

/// The most names of code that no test reaches.
const MAX_NAMES: usize = 20;

/// A line, and whether it reports a failure.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Line {
    /// The text.
    pub text: String,
    /// Whether the line is the heading of a test that failed.
    pub is_failure: bool,
}

impl Line {
    fn plain(text: impl Into<String>) -> Self {
        Self { text: text.into(), is_failure: false }
    }
}

/// The failed tests, with `all` also the others, and the numbers.
pub fn text(report: &TestReport, all: bool) -> Vec<Line> {
    let mut lines = Vec::new();
    for result in &report.results {
        match result.passed() {
            true if all => lines.push(Line::plain(format!("ok      {}", result.name))),
            true => {}
            false => add_failure(result, &mut lines),
        }
    }
    let (failed, number) = (report.failed(), report.results.len());
    let noun = if number == 1 { "test" } else { "tests" };
    let summary = match failed {
        0 => format!("{number} {noun} passed"),
        _ => format!("{} of {number} {noun} passed, {failed} failed", number - failed),
    };
    lines.push(Line::plain(summary));
    lines
}

fn add_failure(result: &TestResult, lines: &mut Vec<Line>) {
    lines.push(Line { text: format!("FAILED  {}", result.name), is_failure: true });
    for (line, message) in &result.failures {
        let mut parts = message.lines();
        let first = parts.next().unwrap_or_default();
        lines.push(Line::plain(format!("  {}:{line}: {first}", result.file.display())));
        lines.extend(parts.map(|part| Line::plain(format!("    {part}"))));
    }
    lines.extend(result.messages.lines().map(|line| Line::plain(format!("    {line}"))));
    lines.push(Line::plain(""));
}

/// The covered code, with the names of the rest.
pub fn coverage_text(coverage: &Coverage) -> Vec<String> {
    let (named, resources) = coverage.resource_numbers();
    let (compiled, definitions) = coverage.definition_numbers();
    let mut lines = vec![
        format!("resources with an expectation: {}", share(named, resources)),
        format!("classes and defines compiled: {}", share(compiled, definitions)),
    ];
    let (taken, branches) = coverage.branch_numbers();
    let (found, keys) = coverage.key_numbers();
    if branches > 0 {
        lines.push(format!("branches taken: {}", share(taken, branches)));
    }
    if keys > 0 {
        lines.push(format!("keys of data found: {}", share(found, keys)));
    }
    let unnamed = coverage.resources.iter().filter(|(_, known)| !known.1);
    let unnamed = unnamed.map(|(name, (place, _))| format!("{name} ({place})"));
    let rest = coverage.definitions.iter().filter(|(_, compiled)| !**compiled);
    add_names("no expectation", unnamed.collect(), &mut lines);
    add_names("not compiled", rest.map(|(name, _)| name.clone()).collect(), &mut lines);
    let rest = coverage.branches.iter().filter(|(_, known)| !known.1);
    let rest = rest.map(|((file, line, _), (text, _))| format!("{file}:{line} {text}"));
    add_names("not taken", rest.collect(), &mut lines);
    let rest = coverage.keys.iter().filter(|(_, known)| !known.1);
    let rest = rest.map(|((file, key), (line, _))| format!("{key} ({file}:{line})"));
    add_names("not found", rest.collect(), &mut lines);
    lines
}

fn add_names(heading: &str, names: Vec<String>, lines: &mut Vec<String>) {
    if names.is_empty() {
        return;
    }
    lines.push(format!("{heading}:"));
    lines.extend(names.iter().take(MAX_NAMES).map(|name| format!("  {name}")));
    if names.len() > MAX_NAMES {
        lines.push(format!("  and {} more", names.len() - MAX_NAMES));
    }
}

/// A number, the whole and the percentage.
pub(super) fn share(part: usize, whole: usize) -> String {
    let percent = (100 * part).checked_div(whole).unwrap_or(100);
    format!("{part} of {whole} ({percent} %)")
}
