//! The log of a resource for people: as `puppet apply` logs it, with diffs and shorter lines.

use std::borrow::Cow;
use std::sync::Arc;

use ordain_engine::kind::{Change, Level};
use ordain_engine::report::{Line, ResourceReport, Status};
use ordain_graph::Graph;
use ordain_source::{Diagnostic, SourceMap, printable_line};

use crate::show::error::resource_error;
use crate::show::{diff, name};
use ordain_driver::Compiled;

/// The number of digits that are shown of a digest.
const SHOWN_DIGITS: usize = 8;

/// The graph and sources of a run, and which details its log shows.
#[derive(Clone)]
pub(crate) struct Context {
    graph: Arc<Graph>,
    sources: Arc<SourceMap>,
    diffs: bool,
    is_verbose: bool,
}

/// A part of the log.
pub(crate) enum LogItem {
    /// A line of the log.
    Line(Level, String),
    /// An error with its place.
    Error(Diagnostic),
    /// A continuation of the line before.
    Continuation(String),
}

impl Context {
    /// The context of a graph, without diffs.
    pub(crate) fn new(loaded: &Compiled) -> Self {
        let (graph, sources) = (Arc::clone(&loaded.graph), Arc::clone(&loaded.sources));
        Self { graph, sources, diffs: false, is_verbose: false }
    }

    /// Enables diffs of file contents.
    #[must_use]
    pub(crate) fn diffs(self, shown: bool) -> Self {
        Self { diffs: shown, ..self }
    }

    /// Enables complete diffs.
    #[must_use]
    pub(crate) fn verbose(self, is_verbose: bool) -> Self {
        Self { is_verbose, ..self }
    }

    /// The source texts of the graph.
    pub(crate) fn sources(&self) -> &SourceMap {
        &self.sources
    }

    /// The diagnostic of a line that reports why a resource failed.
    pub(crate) fn error(&self, report: &ResourceReport, line: &Line) -> Option<Diagnostic> {
        is_failure(report, line).then(|| resource_error(report, line, &self.graph))
    }

    /// The log of a resource.
    pub(crate) fn of(&self, report: &ResourceReport) -> Vec<LogItem> {
        let mut items = Vec::new();
        let mut diffs: Vec<&Change> = report.changes.iter().filter(|c| c.text.is_some()).collect();
        for line in &report.lines {
            if let Some(error) = self.error(report, line) {
                items.push(LogItem::Error(error));
                continue;
            }
            let Some((level, text)) = log_line(report, line) else { continue };
            items.push(LogItem::Line(level, text));
            let is_of = |change: &&Change| property(report, line) == Some(&change.property);
            let change = diffs.iter().position(is_of).map(|at| diffs.remove(at));
            let text = change.filter(|_| self.diffs).and_then(|change| change.text.as_ref());
            let lines = text.map(|text| diff::lines(text, self.is_verbose)).unwrap_or_default();
            items
                .extend(lines.into_iter().map(|line| LogItem::Continuation(format!("    {line}"))));
        }
        items
    }
}

/// Whether a line tells why a resource failed.
fn is_failure(report: &ResourceReport, line: &Line) -> bool {
    report.status == Status::Failed && line.level == Level::Error
}

/// A line for people, with its level: the resource has its usual name, and digests are short. Of
/// the lines about a skipped resource only one is kept.
pub(crate) fn log_line(report: &ResourceReport, line: &Line) -> Option<(Level, String)> {
    if report.status == Status::SkippedForFailure
        && let Some(cause) = &report.blocked_by
    {
        let text = format!("{}: skipped, because {} failed", name(&report.resource), name(cause));
        return (line.level == Level::Warning).then_some((Level::Warning, text));
    }
    let message = with_short_digests(&line.message);
    let text = match line.source.strip_prefix(&report.path) {
        Some(rest) => format!("{}{}: {message}", name(&report.resource), printable_line(rest)),
        None if line.source.is_empty() => message.into_owned(),
        None => format!("{}: {message}", printable_line(&line.source)),
    };
    Some((line.level, text))
}

/// The property that a line is about.
fn property<'l>(report: &ResourceReport, line: &'l Line) -> Option<&'l str> {
    line.source.strip_prefix(&report.path)?.strip_prefix('/')
}

/// Shortens digests such as `{sha256}98ea…` to their first digits.
pub(crate) fn with_short_digests(text: &str) -> Cow<'_, str> {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('}') {
        let (head, tail) = rest.split_at(at + 1);
        let digits = tail.bytes().take_while(u8::is_ascii_hexdigit).count();
        out += head;
        rest = &tail[digits..];
        let is_digest = digits >= 32
            && ["{sha", "{md5"]
                .iter()
                .any(|name| head.rfind('{').is_some_and(|open| head[open..].starts_with(name)));
        if is_digest {
            out += &tail[..SHOWN_DIGITS];
            out.push('…');
        } else {
            out += &tail[..digits];
        }
    }
    if out.is_empty() { Cow::Borrowed(text) } else { Cow::Owned(out + rest) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digests_are_short() {
        let digest = "{sha256}49a56f22382baad4191747143d6f5323dab290d5a44f2c50a19b38175d9129f5";
        let text = format!("content changed '{digest}' to '{digest}' {{x}}1 é");
        let want = "content changed '{sha256}49a56f22…' to '{sha256}49a56f22…' {x}1 é";
        assert_eq!(with_short_digests(&text), want);
        assert_eq!(with_short_digests("mode changed '0644'"), "mode changed '0644'");
    }
}
