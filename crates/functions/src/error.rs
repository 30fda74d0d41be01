//! The one error type of the crate.

/// A result with an [`Error`].
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// The error of a function, in the words of the program that it follows.
///
/// No variant has a source position: the caller adds it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// An invalid regular expression.
    #[error("{reason}: /{pattern}/")]
    Regex {
        /// The error in words.
        reason: String,
        /// The pattern as the user wrote it.
        pattern: String,
    },
    /// A regular expression that no engine supports.
    #[error("unsupported regular expression: /{pattern}/")]
    RegexUnsupported {
        /// The pattern as the user wrote it.
        pattern: String,
    },
    /// An invalid regular expression of Python.
    #[error("{0}")]
    PythonRegex(String),
    /// A regular expression that exceeded the limit of backtracking steps.
    #[error("the match takes too many steps: /{pattern}/")]
    RegexBudget {
        /// The pattern as the user wrote it.
        pattern: String,
    },
    /// An error in a format string or one of its arguments.
    #[error("{0}")]
    Format(String),
    /// An argument of a format string that has the wrong type.
    #[error("can't convert {class} into {target}")]
    Conversion {
        /// The class of the argument.
        class: String,
        /// The class that the format string needs.
        target: &'static str,
    },
    /// A key of a format string that the hash lacks, with its brackets.
    #[error("key{0} not found")]
    MissingKey(String),
    /// A text that is not a number.
    #[error("{0}")]
    Number(String),
    /// A text in an invalid encoding.
    #[error("{0}")]
    Encoding(String),
    /// An invalid version or range of versions.
    #[error("{0}")]
    Version(String),
    /// An invalid time or duration, or an invalid format of one.
    #[error("{0}")]
    Time(String),
    /// A text that is not an address or a URI.
    #[error("{0}")]
    Address(String),
    /// Another malformed text, or a nonsensical argument.
    #[error("{0}")]
    Argument(String),
}
