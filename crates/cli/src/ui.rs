//! The one owner of standard output, standard error, colour and progress.

use std::fs::File;
use std::io::{self, BufWriter, IsTerminal, Write};
use std::os::fd::AsFd;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread::JoinHandle;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use ordain_driver::Reporter;
use ordain_engine::kind::Level;
use ordain_engine::observer::Observer;
use ordain_engine::report::{Line, ResourceReport};
use ordain_graph::ResourceRef;
use ordain_puppet::eval::{LogEntry, LogLevel};
use ordain_source::{Diagnostic, Severity, SourceMap, render, shortened};
use serde_json::json;

use crate::options::{Color, DiagnosticsForm, GlobalArgs};
use crate::screen::{Screen, Style, gated};
use crate::show::log::{self, Context, Said};
use crate::show::message::for_people;
use crate::show::{WIDTH, name, without_styles, wrapped};

/// The narrowest terminal that text is wrapped for.
const LEAST_WIDTH: usize = 40;

/// Standard output, gathered.
type Standard = BufWriter<Box<dyn Write + Send>>;

/// Where and how things are printed.
pub struct Ui {
    out: Screen<Standard>,
    /// Whether standard output is a terminal; the system is not asked again for each line.
    is_terminal: bool,
    colour_out: bool,
    log: LogStyle,
    errors: usize,
    warnings: usize,
    /// What was written to standard error while that is held back.
    held: Option<String>,
}

/// The styles that have a meaning. Text says the same without them.
pub mod styles {
    use super::Style;

    /// A thing that comes.
    pub const ADD: Style = Style::Add;
    /// A thing that goes, or is wrong.
    pub const REMOVE: Style = Style::Remove;
    /// A thing that changes, or may be wrong.
    pub const CHANGE: Style = Style::Change;
    /// A heading.
    pub const BOLD: Style = Style::Bold;
    /// A thing that was left as it is.
    pub const DIM: Style = Style::Dim;
}

/// Standard output without the search for line ends that the library's own has: all is gathered
/// here anyway.
fn standard_output() -> Box<dyn Write + Send> {
    match io::stdout().as_fd().try_clone_to_owned() {
        Ok(fd) => Box::new(File::from(fd)),
        Err(_) => Box::new(io::stdout()),
    }
}

/// How many diagnostics of a severity are shown at a time.
const MOST_SHOWN: usize = 200;

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
            held: None,
        }
    }

    /// One for a thread beside this: the same style, nowhere to write results to, and what is to go
    /// to standard error is held back.
    pub fn beside(&self) -> Self {
        let out: Box<dyn Write + Send> = Box::new(io::sink());
        let (colour_out, log) = (self.colour_out, self.log);
        let held = Some(String::new());
        let out = Screen::new(BufWriter::new(out), colour_out);
        let is_terminal = self.is_terminal;
        Self { out, is_terminal, colour_out, log, errors: 0, warnings: 0, held }
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
        Progress { style: self.log, logs: true, line: None, context: None }
    }

    /// Standard output, for results that people read: nothing in them is obeyed by a terminal.
    pub fn out(&mut self) -> &mut impl Write {
        &mut self.out
    }

    /// Standard output, for documents that programs read: they come out as they are.
    pub fn document(&mut self) -> &mut impl Write {
        self.out.document()
    }

    /// How many columns a terminal has; nothing if standard output is none, so that nothing is
    /// wrapped for programs.
    pub fn width(&self) -> Option<usize> {
        if self.is_terminal { columns(&io::stdout()) } else { None }
    }

    /// Writes a line for people to standard output. Where a terminal is not as wide, it is broken, and
    /// what follows begins in the column of `indent`.
    ///
    /// # Errors
    /// When standard output cannot be written.
    pub fn line(&mut self, text: &str, indent: usize) -> io::Result<()> {
        let Some(width) = self.width() else {
            return writeln!(self.out, "{}", text.trim_end());
        };
        let rows = wrapped(text, indent, width);
        rows.iter().try_for_each(|row| writeln!(self.out, "{}", row.trim_end()))
    }

    /// Whether `-v` was given.
    pub fn verbose(&self) -> bool {
        self.log.verbosity > 0
    }

    /// Text for standard output in a style.
    #[expect(clippy::unused_self, reason = "how text is styled is a matter of the terminal")]
    pub fn styled(&self, style: Style, text: &str) -> String {
        style.apply(text)
    }

    /// Whether standard output takes colour.
    pub fn colour(&self) -> bool {
        self.colour_out
    }

    /// Shows how far a run over so many resources is, if people look at standard error; with
    /// `logs` also the log of each.
    pub fn progress(&mut self, resources: usize, logs: bool) -> Progress {
        let _ = self.out.flush();
        let style = self.log;
        let shown = !style.json && style.verbosity >= 0 && io::stderr().is_terminal();
        let line = shown.then(|| ProgressLine::new(resources));
        Progress { style, logs, line, context: None }
    }

    /// Prints diagnostics sorted by file and line, equal ones once. For people these are the first
    /// ones of a severity, if there are very many, and how many there are besides.
    pub fn diagnostics(&mut self, mut diagnostics: Vec<Diagnostic>, sources: &SourceMap) {
        ordain_source::diagnostic::sort(&mut diagnostics, sources);
        diagnostics.dedup();
        let (mut shown, mut left_out) = ([0usize; 3], [0usize; 3]);
        for diagnostic in &diagnostics {
            if !self.counts(diagnostic) {
                continue;
            }
            let severity = diagnostic.severity as usize;
            if shown[severity] >= MOST_SHOWN && !self.log.json {
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

impl Reporter for Ui {
    fn diagnostics(&mut self, diagnostics: Vec<Diagnostic>, sources: &SourceMap) {
        Self::diagnostics(self, diagnostics, sources);
    }

    fn logs(&mut self, logs: &[LogEntry], sources: &SourceMap) {
        Self::logs(self, logs, sources);
    }

    fn output(&mut self, text: &str) {
        // The results of a verb go to standard output; this is none of them. Nobody may be reading.
        let _ = io::stderr().write_all(text.as_bytes());
    }
}

/// How many columns a stream has; nothing if it is no terminal.
fn columns(stream: &(impl IsTerminal + AsFd)) -> Option<usize> {
    stream.is_terminal().then(|| {
        let size = rustix::termios::tcgetwinsize(stream).ok();
        let columns = || std::env::var("COLUMNS").ok()?.parse().ok();
        let size = size.map(|size| usize::from(size.ws_col)).filter(|columns| *columns > 0);
        size.or_else(columns).unwrap_or(WIDTH).max(LEAST_WIDTH)
    })
}

/// A text whose lines fit a terminal: they are broken with an indent. Lines of excerpts stay, for
/// what points into them stands below.
fn fitted(text: &str, width: usize) -> String {
    let mut out = String::new();
    for line in text.lines() {
        let plain = without_styles(line);
        let number = plain.trim_start_matches(|c: char| c.is_ascii_digit() || c == ' ');
        let is_excerpt = number.starts_with(['|', '-', ':']) || number.starts_with("...");
        let indent = match plain.find("= ").and_then(|_| plain.find(": ")) {
            Some(at) if number.starts_with("= ") => at + 2,
            _ => 4,
        };
        let rows = match is_excerpt {
            true => vec![line.to_owned()],
            false => wrapped(line, indent, width),
        };
        rows.iter().for_each(|row| out.extend([row, "\n"]));
    }
    out
}

/// How lines of a log are printed.
#[derive(Clone, Copy, Debug)]
struct LogStyle {
    colour: bool,
    json: bool,
    verbosity: i8,
    /// How many columns there are, if people look at a terminal.
    width: Option<usize>,
}

impl LogStyle {
    fn diagnostic(self, diagnostic: &Diagnostic, sources: &SourceMap) -> String {
        match self.json {
            true => format!("{}\n", render::json(diagnostic, sources)),
            false => {
                let shown = for_people(diagnostic, sources);
                let text = render::human_within(&shown, sources, self.colour, self.width);
                self.fitted(text)
            }
        }
    }

    /// The text as wide as the terminal is.
    fn fitted(self, text: String) -> String {
        match self.width {
            Some(width) => fitted(&text, width),
            None => text,
        }
    }

    /// The line, if it is important enough.
    fn line(self, level: LogLevel, text: &str) -> Option<String> {
        if self.json {
            let line = json!({ "log": level.word(), "message": text });
            return Some(format!("{line}\n"));
        }
        let (word, style) = level_word(level);
        // What follows on further lines is set off, so that none of it looks like a line of its own.
        let text = text.replace('\n', "\n    ").replace("    \n", "\n");
        let line = || format!("{}: {}\n", style.apply(word), text.trim_end());
        let is_shown = importance(level) + self.verbosity >= 0;
        is_shown.then(|| self.fitted(gated(&line(), self.colour).into_owned()))
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
    context: Option<Context>,
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
    /// From now on, errors have their places.
    pub fn set_context(&mut self, context: Context) {
        let is_verbose = self.style.verbosity > 0;
        self.context = Some(context.verbose(is_verbose));
    }

    /// What is printed of a resource.
    fn text(&self, report: &ResourceReport) -> String {
        match &self.context {
            // Programs get the lines as they are.
            _ if self.style.json => {
                report.lines.iter().filter_map(|line| self.json(report, line)).collect()
            }
            Some(context) => {
                context.of(report).iter().map(|said| self.said(said, context)).collect()
            }
            None => {
                let lines = report.lines.iter().filter_map(|line| log::shown(report, line));
                lines.filter_map(|(level, text)| self.line_of(level, &text)).collect()
            }
        }
    }

    fn json(&self, report: &ResourceReport, line: &Line) -> Option<String> {
        let context = self.context.as_ref();
        let error = context.and_then(|c| Some((c.error(report, line)?, c.sources())));
        match error {
            Some((error, sources)) => Some(self.style.diagnostic(&error, sources)),
            None => self.line_of(line.level, &line.to_string()),
        }
    }

    fn said(&self, said: &Said, context: &Context) -> String {
        match said {
            Said::Line(level, text) => self.line_of(*level, text).unwrap_or_default(),
            Said::Error(error) => self.style.diagnostic(error, context.sources()),
            Said::Below(_) if self.style.verbosity < 0 => String::new(),
            Said::Below(text) => {
                self.style.fitted(gated(&format!("{text}\n"), self.style.colour).into_owned())
            }
        }
    }

    fn line_of(&self, level: Level, text: &str) -> Option<String> {
        self.style.line(engine_level(level), text)
    }

    /// Says something about the run.
    pub fn notice(&self, text: &str) {
        let line = self.style.line(LogLevel::Notice, text).unwrap_or_default();
        // When nobody reads it there is nobody to tell.
        let _ = io::stderr().write_all(line.as_bytes());
    }

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
            line.bar.set_message(name(resource));
        }
    }

    fn finished(&self, report: &ResourceReport) {
        if self.logs {
            let text = self.text(report);
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
        Level::Alert => LogLevel::Alert,
        Level::Emergency => LogLevel::Emerg,
        Level::Critical => LogLevel::Crit,
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
        LogLevel::Debug => ("Debug", Style::Dim),
        LogLevel::Info => ("Info", Style::Dim),
        LogLevel::Notice => ("Notice", Style::Plain),
        LogLevel::Warning => ("Warning", Style::Change),
        LogLevel::Err => ("Error", Style::Remove),
        LogLevel::Alert => ("Alert", Style::Remove),
        LogLevel::Emerg => ("Emergency", Style::Remove),
        LogLevel::Crit => ("Critical", Style::Remove),
    }
}
