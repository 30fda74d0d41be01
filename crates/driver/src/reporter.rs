//! Receivers of diagnostics and log messages of a compile.

use ordain_puppet::eval::LogEntry;
use ordain_source::{Diagnostic, Severity, SourceMap};

/// Receives the diagnostics and messages of a compile in their order. A terminal prints them at
/// once, so that warnings are not lost when a compile is stopped.
pub trait Reporter {
    /// Receives the diagnostics of one step. Their spans refer to `sources`.
    fn diagnostics(&mut self, diagnostics: Vec<Diagnostic>, sources: &SourceMap);

    /// Receives the messages of functions such as `notice`.
    fn logs(&mut self, logs: &[LogEntry], sources: &SourceMap);

    /// Receives the standard output of code that a compile runs.
    fn output(&mut self, text: &str);

    /// Receives a diagnostic without a span.
    fn message(&mut self, diagnostic: Diagnostic) {
        self.diagnostics(vec![diagnostic], &SourceMap::new());
    }
}

/// A reporter that collects everything.
#[derive(Debug, Default)]
pub struct CollectingReporter {
    /// All diagnostics.
    pub diagnostics: Vec<Diagnostic>,
    /// All log messages.
    pub logs: Vec<LogEntry>,
    /// The standard output of code.
    pub output: String,
}

impl CollectingReporter {
    /// Whether there is an error among the diagnostics.
    pub fn has_errors(&self) -> bool {
        self.diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error)
    }
}

impl Reporter for CollectingReporter {
    fn diagnostics(&mut self, diagnostics: Vec<Diagnostic>, _: &SourceMap) {
        self.diagnostics.extend(diagnostics);
    }

    fn logs(&mut self, logs: &[LogEntry], _: &SourceMap) {
        self.logs.extend_from_slice(logs);
    }

    fn output(&mut self, text: &str) {
        self.output.push_str(text);
    }
}
