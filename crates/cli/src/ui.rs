//! Standard output, standard error, colour and progress. No other module writes to them while a verb
//! runs.

mod log_style;
mod progress;

use std::fs::File;
use std::io::{self, BufWriter, IsTerminal, Write};
use std::os::fd::AsFd;

use ordain_driver::Reporter;
use ordain_puppet::eval::LogEntry;
use ordain_source::{Diagnostic, Severity, SourceMap, shortened};
use serde_json::json;

use crate::options::{Color, DiagnosticsForm, GlobalArgs};
use crate::screen::{Screen, Style};
use crate::show::wrapped;
pub(crate) use log_style::log_level;
use log_style::{LogStyle, columns, min_verbosity};
pub(crate) use progress::Progress;

/// Buffered standard output.
type Standard = BufWriter<Box<dyn Write + Send>>;

/// Prints results, diagnostics and logs.
pub(crate) struct Ui {
    out: Screen<Standard>,
    /// Whether standard output is a terminal, cached.
    is_terminal: bool,
    colour_out: bool,
    log: LogStyle,
    errors: usize,
    warnings: usize,
    /// The buffered standard error, if it is buffered.
    buffer: Option<String>,
}

/// Styles with a meaning. Text must be understandable without them.
pub(crate) mod styles {
    use super::Style;

    /// An addition.
    pub(crate) const ADD: Style = Style::Add;
    /// A removal or an error.
    pub(crate) const REMOVE: Style = Style::Remove;
    /// A change or a warning.
    pub(crate) const CHANGE: Style = Style::Change;
    /// A heading.
    pub(crate) const BOLD: Style = Style::Bold;
    /// Something unchanged.
    pub(crate) const DIM: Style = Style::Dim;
}

/// Standard output without the line buffering of the standard library, since [`Ui`] buffers anyway.
fn standard_output() -> Box<dyn Write + Send> {
    match io::stdout().as_fd().try_clone_to_owned() {
        Ok(fd) => Box::new(File::from(fd)),
        Err(_) => Box::new(io::stdout()),
    }
}

/// The number of diagnostics that are shown of each severity.
const MAX_SHOWN: usize = 200;

impl Ui {
    /// Reads the settings from the arguments and the terminal.
    pub(crate) fn new(args: &GlobalArgs) -> Self {
        let choice = match args.color {
            Color::Auto => anstream::ColorChoice::Auto,
            Color::Always => anstream::ColorChoice::Always,
            Color::Never => anstream::ColorChoice::Never,
        };
        choice.write_global();
        let coloured = |detected| match args.color {
            Color::Always => true,
            Color::Never => false,
            Color::Auto => detected != anstream::ColorChoice::Never,
        };
        let colour_out = coloured(anstream::AutoStream::choice(&io::stdout()));
        let out = BufWriter::with_capacity(1 << 16, standard_output());
        Self {
            out: Screen::new(out, colour_out),
            is_terminal: io::stdout().is_terminal(),
            colour_out,
            log: LogStyle {
                colour: coloured(anstream::AutoStream::choice(&io::stderr())),
                json: args.diagnostics == DiagnosticsForm::Json,
                verbosity: if args.quiet { -1 } else { args.verbose.min(2) as i8 },
                width: columns(&io::stderr()),
            },
            errors: 0,
            warnings: 0,
            buffer: None,
        }
    }

    /// A `Ui` for a background thread with the same style. It discards results and buffers standard
    /// error.
    pub(crate) fn for_background(&self) -> Self {
        let out: Box<dyn Write + Send> = Box::new(io::sink());
        let (colour_out, log) = (self.colour_out, self.log);
        let buffer = Some(String::new());
        let out = Screen::new(BufWriter::new(out), colour_out);
        let is_terminal = self.is_terminal;
        Self { out, is_terminal, colour_out, log, errors: 0, warnings: 0, buffer }
    }

    /// Starts to buffer standard error.
    pub(crate) fn start_buffering(&mut self) {
        self.buffer.get_or_insert_default();
    }

    /// Stops buffering standard error and returns the buffer.
    pub(crate) fn take_buffer(&mut self) -> String {
        self.reset_counts();
        self.buffer.take().unwrap_or_default()
    }

    /// An observer that logs resources without a progress line.
    pub(crate) fn resource_log(&self) -> Progress {
        Progress::new(self.log, true, None)
    }

    /// Standard output for people, which is sanitized.
    pub(crate) fn out(&mut self) -> &mut impl Write {
        &mut self.out
    }

    /// Standard output for documents that programs read, which are not sanitized.
    pub(crate) fn document(&mut self) -> &mut impl Write {
        self.out.document()
    }

    /// The width of the terminal in columns; `None` if standard output is no terminal, so that
    /// programs get unwrapped text.
    pub(crate) fn width(&self) -> Option<usize> {
        if self.is_terminal { columns(&io::stdout()) } else { None }
    }

    /// Writes a line for people to standard output. Wraps it at the width of the terminal, with an
    /// indent of `indent` columns.
    ///
    /// # Errors
    /// When standard output cannot be written.
    pub(crate) fn line(&mut self, text: &str, indent: usize) -> io::Result<()> {
        let Some(width) = self.width() else {
            return writeln!(self.out, "{}", text.trim_end());
        };
        let rows = wrapped(text, indent, width);
        rows.iter().try_for_each(|row| writeln!(self.out, "{}", row.trim_end()))
    }

    /// Whether `-v` was given.
    pub(crate) fn verbose(&self) -> bool {
        self.log.verbosity > 0
    }

    /// A text with the marks of a style, for standard output.
    #[expect(clippy::unused_self, reason = "how text is styled is a matter of the terminal")]
    pub(crate) fn styled(&self, style: Style, text: &str) -> String {
        style.apply(text)
    }

    /// Whether colour is enabled for standard output.
    pub(crate) fn colour(&self) -> bool {
        self.colour_out
    }

    /// Shows the progress of a run over this many resources, if standard error is a terminal. With
    /// `logs`, also logs each resource.
    pub(crate) fn progress(&mut self, resources: usize, logs: bool) -> Progress {
        let _ = self.out.flush();
        let style = self.log;
        let shown = !style.json && style.verbosity >= 0 && io::stderr().is_terminal();
        Progress::new(style, logs, shown.then_some(resources))
    }

    /// Prints diagnostics sorted by file and line, without duplicates. Of very many, people get the
    /// first ones of each severity and the number of the others.
    pub(crate) fn diagnostics(&mut self, mut diagnostics: Vec<Diagnostic>, sources: &SourceMap) {
        ordain_source::diagnostic::sort(&mut diagnostics, sources);
        diagnostics.dedup();
        let (mut shown, mut left_out) = ([0usize; 3], [0usize; 3]);
        for diagnostic in &diagnostics {
            if !self.count_diagnostic(diagnostic) {
                continue;
            }
            let severity = diagnostic.severity as usize;
            if shown[severity] >= MAX_SHOWN && !self.log.json {
                left_out[severity] += 1;
                continue;
            }
            shown[severity] += 1;
            self.err(&self.log.diagnostic(diagnostic, sources));
        }
        for severity in [Severity::Error, Severity::Warning, Severity::Note] {
            let left_out = left_out[severity as usize];
            if left_out > 0 {
                let text = count(left_out, &format!("more {}", severity.word()));
                self.err(&format!("{text} not shown\n"));
            }
        }
    }

    /// Prints a diagnostic without a span.
    pub(crate) fn message(&mut self, diagnostic: &Diagnostic) {
        self.diagnostics(vec![diagnostic.clone()], &SourceMap::new());
    }

    /// Resets the counts of [`Ui::finish`], for a verb that prints a summary of its own.
    pub(crate) fn reset_counts(&mut self) {
        (self.errors, self.warnings) = (0, 0);
    }

    /// Counts a diagnostic. Returns whether to show it.
    fn count_diagnostic(&mut self, diagnostic: &Diagnostic) -> bool {
        match diagnostic.severity {
            Severity::Error => self.errors += 1,
            Severity::Warning if self.log.verbosity >= 0 => self.warnings += 1,
            _ => return self.log.verbosity >= 0,
        }
        true
    }

    /// Prints the messages of functions such as `notice`.
    pub(crate) fn logs(&mut self, logs: &[LogEntry], sources: &SourceMap) {
        for entry in logs {
            let level = min_verbosity(entry.level);
            if self.log.json && level < 0 && level + self.log.verbosity < 0 {
                continue;
            }
            if self.log.json {
                let mut line = log_json(entry);
                if let Some(span) = entry.span {
                    let file = sources.file(span.file);
                    line["line"] = json!(file.line(span.range.start));
                    if file.has_path() {
                        line["file"] = json!(file.path.display().to_string());
                    }
                }
                self.err(&format!("{line}\n"));
                continue;
            }
            let source = if entry.source.is_empty() { "" } else { ": " };
            let text = format!("{}{source}{}{}", entry.source, entry.message, entry.place);
            if let Some(line) = self.log.line(entry.level, &shortened(&text)) {
                self.err(&line);
            }
        }
    }

    /// Writes to standard error. Errors are ignored, since there is no other place to report them.
    fn err(&mut self, text: &str) {
        if let Some(buffer) = &mut self.buffer {
            buffer.push_str(text);
            return;
        }
        let _ = self.out.flush();
        let _ = io::stderr().write_all(text.as_bytes());
    }

    /// Prints the number of errors and warnings, and flushes standard output.
    ///
    /// # Errors
    /// When standard output cannot be written.
    pub(crate) fn finish(&mut self) -> io::Result<()> {
        let flushed = self.out.flush();
        if !self.log.json && self.errors + self.warnings > 0 {
            let mut parts = Vec::new();
            for (n, word) in [(self.errors, "error"), (self.warnings, "warning")] {
                if n > 0 {
                    parts.push(count(n, word));
                }
            }
            let text = format!("{}\n", parts.join(", "));
            self.err(&text);
        }
        (self.errors, self.warnings) = (0, 0);
        flushed
    }
}

impl Reporter for Ui {
    fn diagnostics(&mut self, diagnostics: Vec<Diagnostic>, sources: &SourceMap) {
        Self::diagnostics(self, diagnostics, sources);
    }

    fn logs(&mut self, logs: &[LogEntry], sources: &SourceMap) {
        Self::logs(self, logs, sources);
    }

    fn output(&mut self, text: &str) {
        // Standard output is for results of the verb, and this is none. A closed stderr is no
        // reason to fail.
        let _ = io::stderr().write_all(text.as_bytes());
    }
}

/// A count with its noun: `1 error`, `2 errors`.
pub(crate) fn count(n: usize, word: &str) -> String {
    let ending = if n == 1 { "" } else { "s" };
    format!("{n} {word}{ending}")
}

/// A log message as JSON.
pub(crate) fn log_json(entry: &LogEntry) -> serde_json::Value {
    json!({ "log": entry.level.word(), "message": entry.message, "source": entry.source })
}
