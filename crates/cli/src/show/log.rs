//! What a run says of a resource, for people: what `puppet apply` logs, but for what takes several
//! lines there or says too little.

use std::borrow::Cow;
use std::sync::Arc;

use ordain_engine::kind::{Change, Level};
use ordain_engine::report::{Line, ResourceReport, Status};
use ordain_graph::Graph;
use ordain_source::{Diagnostic, SourceMap, printable_line};

use crate::show::error::resource_error;
use crate::show::{diff, name};
use ordain_driver::Compiled;

/// How many digits of a digest are shown.
const DIGITS: usize = 8;

/// Where resources were declared, and what is shown of them.
#[derive(Clone)]
pub struct Context {
    graph: Arc<Graph>,
    sources: Arc<SourceMap>,
    diffs: bool,
    is_verbose: bool,
}

/// Something to print.
pub enum Said {
    /// A line of the log.
    Line(Level, String),
    /// An error with its place.
    Error(Diagnostic),
    /// What belongs to the line before.
    Below(String),
}

impl Context {
    /// Of a graph; no content is shown.
    pub fn new(loaded: &Compiled) -> Self {
        let (graph, sources) = (Arc::clone(&loaded.graph), Arc::clone(&loaded.sources));
        Self { graph, sources, diffs: false, is_verbose: false }
    }

    /// This with the content of files, as `diff -u` has it, if `shown`.
    #[must_use]
    pub fn diffs(self, shown: bool) -> Self {
        Self { diffs: shown, ..self }
    }

    /// This with all that it shows of the content of files.
    #[must_use]
    pub fn verbose(self, is_verbose: bool) -> Self {
        Self { is_verbose, ..self }
    }

    /// The texts that places are in.
    pub fn sources(&self) -> &SourceMap {
        &self.sources
    }

    /// The error that a line is, if it says why a resource failed.
    pub fn error(&self, report: &ResourceReport, line: &Line) -> Option<Diagnostic> {
        is_failure(report, line).then(|| resource_error(report, line, &self.graph))
    }

    /// What is to be said of a resource.
    pub fn of(&self, report: &ResourceReport) -> Vec<Said> {
        let mut said = Vec::new();
        let mut diffs: Vec<&Change> = report.changes.iter().filter(|c| c.text.is_some()).collect();
        for line in &report.lines {
            if let Some(error) = self.error(report, line) {
                said.push(Said::Error(error));
                continue;
            }
            let Some((level, text)) = shown(report, line) else { continue };
            said.push(Said::Line(level, text));
            let is_of = |change: &&Change| property(report, line) == Some(&change.property);
            let change = diffs.iter().position(is_of).map(|at| diffs.remove(at));
            let text = change.filter(|_| self.diffs).and_then(|change| change.text.as_ref());
            let lines = text.map(|text| diff::lines(text, self.is_verbose)).unwrap_or_default();
            said.extend(lines.into_iter().map(|line| Said::Below(format!("    {line}"))));
        }
        said
    }
}

/// Whether a line says why a resource failed.
fn is_failure(report: &ResourceReport, line: &Line) -> bool {
    report.status == Status::Failed && line.level == Level::Error
}

/// A line as people read it, with its level: with the resource as all verbs name it, and short
/// digests. Of the lines that say that a resource is skipped only one is left.
pub fn shown(report: &ResourceReport, line: &Line) -> Option<(Level, String)> {
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

/// A text whose digests, such as `{sha256}98ea…`, have their first digits only.
pub fn with_short_digests(text: &str) -> Cow<'_, str> {
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
            out += &tail[..DIGITS];
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
