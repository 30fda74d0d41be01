//! Lines of the log.

/// How important a line of the log is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Level {
    /// For finding faults.
    Debug,
    /// What was considered.
    Info,
    /// What was done.
    Notice,
    /// What may be wrong.
    Warning,
    /// What is wrong.
    Error,
    /// What has to be seen to at once.
    Alert,
    /// What makes the machine unusable.
    Emergency,
    /// What is wrong with much more than one resource.
    Critical,
}

/// What a line of the log is said about.
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
    /// What the log names as its source.
    pub source: LogSource,
    /// The text.
    pub message: String,
}
