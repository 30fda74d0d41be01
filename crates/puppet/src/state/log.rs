//! The messages of a compile.

use ordain_source::{Diagnostic, Span};
use rustc_hash::FxHashSet;

/// The levels of Puppet's logging functions.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum LogLevel {
    /// `debug`
    Debug,
    /// `info`
    Info,
    /// `notice`
    Notice,
    /// `warning`
    Warning,
    /// `err`
    Err,
    /// `alert`
    Alert,
    /// `emerg`
    Emerg,
    /// `crit`
    Crit,
}

impl LogLevel {
    /// The name of the level.
    pub fn word(self) -> &'static str {
        match self {
            Self::Debug => "debug",
            Self::Info => "info",
            Self::Notice => "notice",
            Self::Warning => "warning",
            Self::Err => "err",
            Self::Alert => "alert",
            Self::Emerg => "emerg",
            Self::Crit => "crit",
        }
    }
}

/// A message of a logging function, or a warning of the compile.
#[derive(Clone, Debug)]
pub struct LogEntry {
    /// Its level.
    pub level: LogLevel,
    /// Its text.
    pub message: String,
    /// The scope that it came from, as Puppet prints it: `Scope(Class[main])`.
    pub source: String,
    /// The place that Puppet shows after the text; empty if it shows none.
    pub place: String,
    /// The place in the code.
    pub span: Option<Span>,
}

/// The messages and findings of a compile.
#[derive(Default, Debug)]
pub struct Log {
    /// The messages in order.
    pub entries: Vec<LogEntry>,
    /// Findings that do not end the compile.
    pub diagnostics: Vec<Diagnostic>,
    /// The keys of warnings that are given only once.
    warned: FxHashSet<String>,
}

impl Log {
    /// Adds a message without a source.
    pub fn add(&mut self, level: LogLevel, message: String, span: Option<Span>) {
        self.add_with_place(level, message, String::new(), span);
    }

    /// Adds a message without a source; `place` is shown behind the text.
    pub fn add_with_place(
        &mut self,
        level: LogLevel,
        message: String,
        place: String,
        span: Option<Span>,
    ) {
        self.entries.push(LogEntry { level, message, source: String::new(), place, span });
    }

    /// Whether this is the first time that a warning is given for a key.
    pub fn is_first(&mut self, key: &str) -> bool {
        self.warned.insert(key.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_first_once() {
        let mut log = Log::default();
        assert_eq!([log.is_first("a"), log.is_first("b"), log.is_first("a")], [true, true, false]);
    }
}
