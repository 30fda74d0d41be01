//! Messages of a compile, with the places and scopes that they name.

use crate::state::Compiler;
use crate::state::log::{LogEntry, LogLevel};
use crate::value::closure::ScopeId;
use ordain_source::Span;

impl Compiler<'_> {
    /// Logs a message with the prefix of the scope.
    pub fn log(&mut self, level: LogLevel, message: impl Into<String>, scope: ScopeId, span: Span) {
        let resource = self.catalog.get(self.scopes.get(scope).resource);
        let source = format!("Scope({})", resource.reference());
        // A message is kept, and it is formatted once more where it is shown.
        const STEPS: u64 = 30;
        self.budget.steps.charge(STEPS);
        let (message, place) = (message.into(), String::new());
        self.log.entries.push(LogEntry { level, message, source, place, span: Some(span) });
    }

    /// Logs a message without a scope's prefix.
    pub(crate) fn log_unscoped(&mut self, level: LogLevel, message: String, span: Option<Span>) {
        self.log.add(level, message, span);
    }

    /// A warning of the compile itself, without a scope's prefix.
    pub fn warn(&mut self, message: impl Into<String>, span: Option<Span>) {
        self.log_unscoped(LogLevel::Warning, message.into(), span);
    }

    /// As [`Compiler::warn`]; the place is shown behind the text.
    pub fn warn_at(&mut self, message: impl Into<String>, span: Span) {
        let place = self.full_place(Some(span), false);
        self.log.add_with_place(LogLevel::Warning, message.into(), place, Some(span));
    }

    /// A warning that is given once per key. With a span, the text has the place.
    pub fn warn_once(&mut self, key: &str, message: &str, span: Option<Span>) {
        if !self.log.is_first(key) {
            return;
        }
        let place = match span {
            Some(span) => {
                let (file, line) = self.place_names(span);
                format!("\n   (file: {file}, line: {line})")
            }
            None => String::new(),
        };
        self.warn(format!("{message}{place}"), span);
    }

    /// The file and the line of a place; `unknown` for code that is in no file.
    pub fn place_names(&self, span: Span) -> (String, u32) {
        let file = self.env.sources.file(span.file);
        let name = if file.has_path() { file.path.display().to_string() } else { "unknown".into() };
        (name, file.line(span.range.start))
    }

    /// ` (file: F, line: L, column: C)`, or without the column.
    pub(crate) fn full_place(&self, span: Option<Span>, line_only: bool) -> String {
        let Some(span) = span else { return String::new() };
        let file = self.env.sources.file(span.file);
        let at = file.line_col(span.range.start);
        let mut parts = Vec::new();
        if file.has_path() {
            parts.push(format!("file: {}", file.path.display()));
        }
        parts.push(format!("line: {}", at.line));
        if !line_only {
            parts.push(format!("column: {}", at.column));
        }
        format!(" ({})", parts.join(", "))
    }

    /// `(file: F, line: L)`, without the file for text that is not in a file.
    pub(crate) fn place(&self, span: Option<Span>) -> Option<String> {
        let span = span?;
        let file = self.env.sources.file(span.file);
        let line = file.line(span.range.start);
        Some(if file.has_path() {
            format!("(file: {}, line: {line})", file.path.display())
        } else {
            format!("(line: {line})")
        })
    }
}
