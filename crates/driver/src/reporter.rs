//! Where diagnostics and log messages go while sources are compiled.

use ordain_puppet::eval::LogEntry;
use ordain_source::{Diagnostic, Severity, SourceMap};

/// Receives what a compile has to say, in the order in which it happens. A terminal prints it at
/// once, so that warnings are not lost when a compile is stopped; others collect it.
pub trait Reporter {
    /// Diagnostics of one step. Their places are in `sources`.
    fn diagnostics(&mut self, diagnostics: Vec<Diagnostic>, sources: &SourceMap);

    /// What functions such as `notice` logged.
    fn logs(&mut self, logs: &[LogEntry], sources: &SourceMap);

    /// What code that a compile runs wrote to its standard output.
    fn output(&mut self, text: &str);

    /// A diagnostic without a place.
    fn message(&mut self, diagnostic: Diagnostic) {
        self.diagnostics(vec![diagnostic], &SourceMap::new());
    }
}

/// Keeps everything that a compile reports.
#[derive(Debug, Default)]
pub struct Collected {
    /// All diagnostics.
    pub diagnostics: Vec<Diagnostic>,
    /// All log messages.
    pub logs: Vec<LogEntry>,
    /// What code wrote to standard output.
    pub output: String,
}

impl Collected {
    /// Whether there is an error among the diagnostics.
    pub fn has_errors(&self) -> bool {
        self.diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error)
    }
}

impl Reporter for Collected {
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
