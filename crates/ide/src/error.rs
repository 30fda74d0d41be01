//! The error of a request.

use thiserror::Error;

/// The reason why a request cannot be answered.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum Error {
    /// A text that is no name of the language.
    #[error("`{0}` is not a valid name here")]
    InvalidName(String),
    /// The place has no name that can be changed.
    #[error("nothing that can be renamed is here")]
    NotRenamable,
    /// The thing is not defined in a file that is open for changes.
    #[error("`{0}` is not defined in this workspace")]
    NotDefinedHere(String),
    /// The new name exists.
    #[error("`{0}` exists already")]
    NameTaken(String),
    /// A template is rendered by several classes, so a name in it may belong to any of them.
    #[error("{template} is also rendered by {other}, so `@{name}` in it may be of either")]
    SharedTemplate {
        /// The template.
        template: String,
        /// The other class, define or file.
        other: String,
        /// The variable.
        name: String,
    },
    /// There is nothing to plan.
    #[error("{0}")]
    NotPlannable(String),
    /// The text has syntax errors.
    #[error("the file has syntax errors: {0}")]
    Syntax(String),
    /// The client asked for something outside of the protocol.
    #[error("invalid request: {0}")]
    Protocol(String),
    /// Threads cannot be started, or the connection broke.
    #[error("{0}")]
    Io(String),
}
