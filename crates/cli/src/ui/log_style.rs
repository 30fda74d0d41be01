//! The style of diagnostics and log lines on standard error.

use std::io::IsTerminal;
use std::os::fd::AsFd;

use ordain_engine::kind::Level;
use ordain_puppet::eval::LogLevel;
use ordain_source::{Diagnostic, SourceMap, render};
use serde_json::json;

use crate::screen::{Style, sanitize};
use crate::show::message::humanize;
use crate::show::{WIDTH, without_styles, wrapped};

/// The minimum width for which text is wrapped.
const MIN_WIDTH: usize = 40;

/// The width of a stream in columns; `None` if it is no terminal.
pub(super) fn columns(stream: &(impl IsTerminal + AsFd)) -> Option<usize> {
    stream.is_terminal().then(|| {
        let size = rustix::termios::tcgetwinsize(stream).ok();
        let columns = || std::env::var("COLUMNS").ok()?.parse().ok();
        let size = size.map(|size| usize::from(size.ws_col)).filter(|columns| *columns > 0);
        size.or_else(columns).unwrap_or(WIDTH).max(MIN_WIDTH)
    })
}

/// Wraps the lines of a rendered diagnostic with an indent. Source excerpts stay unwrapped, because
/// the markers below them must stay aligned.
fn wrap_rendered(text: &str, width: usize) -> String {
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

/// The style of log lines and diagnostics.
#[derive(Clone, Copy, Debug)]
pub(super) struct LogStyle {
    pub(super) colour: bool,
    pub(super) json: bool,
    pub(super) verbosity: i8,
    /// The width of standard error in columns, if it is a terminal.
    pub(super) width: Option<usize>,
}

impl LogStyle {
    pub(super) fn diagnostic(self, diagnostic: &Diagnostic, sources: &SourceMap) -> String {
        match self.json {
            true => format!("{}\n", render::json(diagnostic, sources)),
            false => {
                let shown = humanize(diagnostic, sources);
                let text = render::human_within(&shown, sources, self.colour, self.width);
                self.wrap_rendered(text)
            }
        }
    }

    /// Wraps a text at the width of the terminal.
    pub(super) fn wrap_rendered(self, text: String) -> String {
        match self.width {
            Some(width) => wrap_rendered(&text, width),
            None => text,
        }
    }

    /// Formats a log line; `None` if the verbosity hides its level.
    pub(super) fn line(self, level: LogLevel, text: &str) -> Option<String> {
        if self.json {
            let line = json!({ "log": level.word(), "message": text });
            return Some(format!("{line}\n"));
        }
        let (word, style) = level_word(level);
        // Further lines are indented, so that none of them looks like a log line of its own.
        let text = text.replace('\n', "\n    ").replace("    \n", "\n");
        let line = || format!("{}: {}\n", style.apply(word), text.trim_end());
        let is_shown = min_verbosity(level) + self.verbosity >= 0;
        is_shown.then(|| self.wrap_rendered(sanitize(&line(), self.colour).into_owned()))
    }
}

/// Converts a level of the engine's log.
pub(crate) fn log_level(level: Level) -> LogLevel {
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

/// The negated verbosity at which a level is shown: 0 is shown unless `-q` is given.
pub(super) fn min_verbosity(level: LogLevel) -> i8 {
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
