//! Errors as the original prints them.

use std::fmt::Write;

use ordain_source::SourceMap;

use super::program::Modules;
use crate::failure::Failure;

impl Failure {
    /// As the original prints it.
    pub fn print(&self, sources: &SourceMap, modules: &Modules) -> String {
        let mut out = self.text.clone();
        if self.is_placeless {
            return out;
        }
        for level in &self.places {
            for (i, span) in level.iter().enumerate() {
                let file = sources.file(span.file);
                let span = &modules.shown_span(*span, &file.text);
                let start = file.line_col(span.range.start);
                // The end is after the last character, even if that is a line end.
                let last = span.range.end.max(span.range.start + 1) - 1;
                let last = file.line_col(last);
                let end = (last.line, last.column + 1);
                let between = if i == 0 { ": " } else { ", " };
                let (path, line, column) = (modules.shown(*span), start.line, start.column);
                let _ = write!(out, "{between}{path} @ {line}:{column}-{}:{}", end.0, end.1);
            }
        }
        out
    }
}
