//! Lines of the log.

/// The severity of a log line.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Level {
    /// For debugging.
    Debug,
    /// Decisions.
    Info,
    /// Changes.
    Notice,
    /// Possible errors.
    Warning,
    /// The message.
    Error,
    /// Errors that need action at once.
    Alert,
    /// Errors that make the machine unusable.
    Emergency,
    /// Errors that concern much more than one resource.
    Critical,
}

/// The source of a line of the log.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LogSource {
    /// Nothing: only the text is shown.
    Bare,
    /// The resource.
    Resource,
    /// A property of it, such as `returns`.
    Property(&'static str),
}

/// A log line that reports neither a change nor an error, such as a line of a command's output.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LogLine {
    /// Its severity; `None` for the level of the resource's changes.
    pub level: Option<Level>,
    /// The source that the log names.
    pub source: LogSource,
    /// The text.
    pub message: String,
}
