//! The one error type of the crate.

/// A result with an [`Error`].
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why a function could not answer, in the words of the program whose behaviour it follows.
///
/// No variant knows a source position: whoever calls adds it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A regular expression that cannot be compiled.
    #[error("{reason}: /{pattern}/")]
    Regex {
        /// The error in words.
        reason: String,
        /// The pattern as the user wrote it.
        pattern: String,
    },
    /// A regular expression of Python's that cannot be compiled.
    #[error("{0}")]
    PythonRegex(String),
    /// A regular expression that gave up on a text after too many backtracking steps.
    #[error("the match takes too many steps: /{pattern}/")]
    RegexBudget {
        /// The pattern as the user wrote it.
        pattern: String,
    },
    /// Something wrong with a format string or with an argument of it.
    #[error("{0}")]
    Format(String),
    /// A text that is not a number.
    #[error("{0}")]
    Number(String),
    /// A text that is not encoded as it should be.
    #[error("{0}")]
    Encoding(String),
    /// A text that is not a version or not a range of versions.
    #[error("{0}")]
    Version(String),
    /// A text that is not a time or a duration, or a bad format for one.
    #[error("{0}")]
    Time(String),
    /// A text that is not an address or a URI.
    #[error("{0}")]
    Address(String),
    /// A text that is not well-formed otherwise, or an argument that makes no sense.
    #[error("{0}")]
    Argument(String),
}
