//! The one owner of standard output, standard error, colour and progress.

use std::fs::File;
use std::io::{self, BufWriter, IsTerminal, Write};
use std::os::fd::AsFd;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread::JoinHandle;
use std::time::Duration;

use anstyle::{AnsiColor, Style};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use ordain_engine::kind::Level;
use ordain_engine::report::ResourceReport;
use ordain_engine::step::Observer;
use ordain_graph::ResourceRef;
use ordain_puppet::eval::{LogEntry, LogLevel};
use ordain_source::{Diagnostic, Severity, SourceMap, render, shortened};
use serde_json::json;

use crate::options::{Color, DiagnosticsForm, GlobalArgs};
use crate::show::message::for_people;

/// Where and how things are printed.
pub struct Ui {
    out: BufWriter<Box<dyn Write + Send>>,
    colour_out: bool,
    log: LogStyle,
    errors: usize,
    warnings: usize,
    /// What was written to standard error while that is held back.
    held: Option<String>,
}

/// The styles that have a meaning. Text says the same without them.
pub mod styles {
    use super::{AnsiColor, Style};

    /// A thing that comes.
    pub const ADD: Style = AnsiColor::Green.on_default();
    /// A thing that goes, or is wrong.
    pub const REMOVE: Style = AnsiColor::Red.on_default();
    /// A thing that changes, or may be wrong.
    pub const CHANGE: Style = AnsiColor::Yellow.on_default();
    /// A heading.
    pub const BOLD: Style = Style::new().bold();
    /// A remark.
    pub const DIM: Style = Style::new().dimmed();
}

/// Standard output without the search for line ends that the library's own has: all is gathered
/// here anyway.
fn standard_output() -> Box<dyn Write + Send> {
    match io::stdout().as_fd().try_clone_to_owned() {
        Ok(fd) => Box::new(File::from(fd)),
        Err(_) => Box::new(io::stdout()),
    }
}

impl Ui {
    /// As the arguments and the terminal want it.
    pub fn new(args: &GlobalArgs) -> Self {
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
        Self {
            out: BufWriter::with_capacity(1 << 16, standard_output()),
            colour_out: coloured(anstream::AutoStream::choice(&io::stdout())),
            log: LogStyle {
                colour: coloured(anstream::AutoStream::choice(&io::stderr())),
                json: args.diagnostics == DiagnosticsForm::Json,
                verbosity: if args.quiet { -1 } else { args.verbose.min(2) as i8 },
            },
            errors: 0,
            warnings: 0,
            held: None,
        }
    }

    /// One for a thread beside this: the same style, nowhere to write results to, and what is to go
    /// to standard error is held back.
    pub fn beside(&self) -> Self {
        let out: Box<dyn Write + Send> = Box::new(io::sink());
        let (colour_out, log) = (self.colour_out, self.log);
        let held = Some(String::new());
        Self { out: BufWriter::new(out), colour_out, log, errors: 0, warnings: 0, held }
    }

    /// Holds back what is to go to standard error.
    pub fn hold(&mut self) {
        self.held.get_or_insert_default();
    }

    /// Gives what was held back; what comes goes to standard error again.
    pub fn release(&mut self) -> String {
        self.forget_counts();
        self.held.take().unwrap_or_default()
    }

    /// The log of resources, a line each.
    pub fn lines(&self) -> Progress {
        Progress { style: self.log, logs: true, line: None }
    }

    /// Standard output, for results.
    pub fn out(&mut self) -> &mut impl Write {
        &mut self.out
    }

    /// Whether `-v` was given.
    pub fn verbose(&self) -> bool {
        self.log.verbosity > 0
    }

    /// Whether standard output takes colour.
    pub fn colour(&self) -> bool {
        self.colour_out
    }

    /// Text for standard output in a style.
    pub fn styled(&self, style: Style, text: &str) -> String {
        paint(self.colour_out, style, text)
    }

    /// Shows how far a run over so many resources is, if people look at standard error; with
    /// `logs` also the log of each.
    pub fn progress(&mut self, resources: usize, logs: bool) -> Progress {
        let _ = self.out.flush();
        let style = self.log;
        let shown = !style.json && style.verbosity >= 0 && io::stderr().is_terminal();
        Progress { style, logs, line: shown.then(|| ProgressLine::new(resources)) }
    }

    /// Prints diagnostics sorted by file and line, equal ones once.
    pub fn diagnostics(&mut self, mut diagnostics: Vec<Diagnostic>, sources: &SourceMap) {
        ordain_source::diagnostic::sort(&mut diagnostics, sources);
        let mut seen: Vec<Diagnostic> = Vec::new();
        for diagnostic in diagnostics {
            if seen.last() == Some(&diagnostic) {
                continue;
            }
            if self.counts(&diagnostic) {
                let text = if self.log.json {
                    format!("{}\n", render::json(&diagnostic, sources))
                } else {
                    render::human(&for_people(&diagnostic, sources), sources, self.log.colour)
                };
                self.err(&text);
            }
            seen.push(diagnostic);
        }
    }

    /// Prints one diagnostic without a place.
    pub fn message(&mut self, diagnostic: &Diagnostic) {
        self.diagnostics(vec![diagnostic.clone()], &SourceMap::new());
    }

    /// The verb itself says how many errors and warnings there were.
    pub fn forget_counts(&mut self) {
        (self.errors, self.warnings) = (0, 0);
    }

    /// Counts a diagnostic; whether it is to be shown.
    fn counts(&mut self, diagnostic: &Diagnostic) -> bool {
        match diagnostic.severity {
            Severity::Error => self.errors += 1,
            Severity::Warning if self.log.verbosity >= 0 => self.warnings += 1,
            _ => return self.log.verbosity >= 0,
        }
        true
    }

    /// Prints what functions such as `notice` logged.
    pub fn logs(&mut self, logs: &[LogEntry], sources: &SourceMap) {
        for entry in logs {
            let level = importance(entry.level);
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

    /// Writes to standard error. When nobody reads it there is nobody to tell.
    fn err(&mut self, text: &str) {
        if let Some(held) = &mut self.held {
            held.push_str(text);
            return;
        }
        let _ = self.out.flush();
        let _ = io::stderr().write_all(text.as_bytes());
    }

    /// Says how many errors and warnings there were, and writes what is left.
    ///
    /// # Errors
    /// When standard output cannot be written.
    pub fn finish(&mut self) -> io::Result<()> {
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

/// How lines of a log are printed.
#[derive(Clone, Copy, Debug)]
struct LogStyle {
    colour: bool,
    json: bool,
    verbosity: i8,
}

impl LogStyle {
    /// The line, if it is important enough.
    fn line(self, level: LogLevel, text: &str) -> Option<String> {
        if self.json {
            let line = json!({ "log": level.word(), "message": text });
            return Some(format!("{line}\n"));
        }
        let (word, style) = level_word(level);
        (importance(level) + self.verbosity >= 0)
            .then(|| format!("{}: {text}\n", paint(self.colour, style, word)))
    }
}

/// How long a run is silent before it shows progress.
const SILENCE: Duration = Duration::from_millis(100);

/// How often the line is drawn again.
const TICK: Duration = Duration::from_millis(100);

/// How far a run is: one line on a terminal, which leaves nothing behind.
pub struct Progress {
    style: LogStyle,
    logs: bool,
    line: Option<ProgressLine>,
}

/// The line, which shows up by itself when the run takes its time.
struct ProgressLine {
    bar: ProgressBar,
    done: mpsc::Sender<()>,
    waiting: JoinHandle<()>,
}

impl ProgressLine {
    fn new(total: usize) -> Self {
        let bar = ProgressBar::with_draw_target(Some(total as u64), ProgressDrawTarget::hidden());
        let style = ProgressStyle::with_template("{pos}/{len} {wide_msg} {elapsed}");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        let (done, end) = mpsc::channel();
        let shown = bar.clone();
        let waiting = std::thread::spawn(move || {
            if end.recv_timeout(SILENCE) == Err(RecvTimeoutError::Timeout) {
                shown.set_draw_target(ProgressDrawTarget::stderr());
                shown.enable_steady_tick(TICK);
            }
        });
        Self { bar, done, waiting }
    }
}

impl Progress {
    /// Takes the line away.
    pub fn clear(&mut self) {
        let Some(line) = self.line.take() else { return };
        // Either thread may be first: a line that never shows is cleared as well.
        let _ = line.done.send(());
        let _ = line.waiting.join();
        line.bar.finish_and_clear();
    }
}

impl Observer for Progress {
    fn started(&self, resource: &ResourceRef) {
        if let Some(line) = &self.line {
            line.bar.set_message(resource.to_string());
        }
    }

    fn finished(&self, report: &ResourceReport) {
        if self.logs {
            let lines = report.lines.iter();
            let lines =
                lines.filter_map(|l| self.style.line(engine_level(l.level), &l.to_string()));
            let text: String = lines.collect();
            // When nobody reads it there is nobody to tell.
            let write = || io::stderr().write_all(text.as_bytes());
            let _ = match &self.line {
                Some(line) if !text.is_empty() => line.bar.suspend(write),
                _ => write(),
            };
        }
        if let Some(line) = self.line.as_ref().filter(|_| report.generated_by.is_none()) {
            line.bar.inc(1);
        }
    }
}

/// The level of a line of the engine's log.
pub fn engine_level(level: Level) -> LogLevel {
    match level {
        Level::Debug => LogLevel::Debug,
        Level::Info => LogLevel::Info,
        Level::Notice => LogLevel::Notice,
        Level::Warning => LogLevel::Warning,
        Level::Error => LogLevel::Err,
    }
}

/// `1 error`, `2 errors`.
pub fn count(n: usize, word: &str) -> String {
    let ending = if n == 1 { "" } else { "s" };
    format!("{n} {word}{ending}")
}

/// A logged message as a document has it.
pub fn log_json(entry: &LogEntry) -> serde_json::Value {
    json!({ "log": entry.level.word(), "message": entry.message, "source": entry.source })
}

fn paint(colour: bool, style: Style, text: &str) -> String {
    if colour { format!("{style}{text}{style:#}") } else { text.to_string() }
}

/// At which verbosity a level shows, negated: what is 0 shows unless `-q` is given.
fn importance(level: LogLevel) -> i8 {
    match level {
        LogLevel::Debug => -2,
        LogLevel::Info => -1,
        LogLevel::Notice | LogLevel::Warning => 0,
        LogLevel::Err | LogLevel::Alert | LogLevel::Emerg | LogLevel::Crit => 1,
    }
}

fn level_word(level: LogLevel) -> (&'static str, Style) {
    match level {
        LogLevel::Debug => ("Debug", styles::DIM),
        LogLevel::Info => ("Info", styles::DIM),
        LogLevel::Notice => ("Notice", Style::new()),
        LogLevel::Warning => ("Warning", styles::CHANGE),
        LogLevel::Err => ("Error", styles::REMOVE),
        LogLevel::Alert => ("Alert", styles::REMOVE),
        LogLevel::Emerg => ("Emergency", styles::REMOVE),
        LogLevel::Crit => ("Critical", styles::REMOVE),
    }
}
