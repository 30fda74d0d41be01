//! Lines of the log.

/// How important a line of the log is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Level {
    /// For finding faults.
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

/// A line for the log that is neither a change nor an error, such as a line that a command wrote.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LogLine {
    /// How important it is; nothing if the resource says that of all its changes.
    pub level: Option<Level>,
    /// The source that the log names.
    pub source: LogSource,
    /// The text.
    pub message: String,
}
