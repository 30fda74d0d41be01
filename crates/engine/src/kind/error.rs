//! Errors of attributes and of work on the machine.

/// A bad attribute, found before anything is done.
#[derive(Clone, Debug)]
pub struct AttributeError {
    /// The attribute; `None` if the resource as a whole is at fault.
    pub attribute: Option<String>,
    /// The message.
    pub message: String,
    /// Advice for the user.
    pub help: Option<String>,
}

impl AttributeError {
    /// An error about one attribute.
    pub fn new(attribute: &str, message: impl Into<String>) -> Self {
        Self { attribute: Some(attribute.to_string()), message: message.into(), help: None }
    }

    /// An error about the resource as a whole.
    pub fn of_resource(message: impl Into<String>) -> Self {
        Self { attribute: None, message: message.into(), help: None }
    }
}

/// The reason why observing or acting failed. The message contains the output of the command and
/// the paths.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{0}")]
pub struct KindError(pub String, Severity);

/// The effect of an error on the resource.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Severity {
    Failure,
    Skip,
}

impl KindError {
    /// An error with this text.
    pub fn new(message: impl Into<String>) -> Self {
        Self(message.into(), Severity::Failure)
    }

    /// Not a failure: the resource and its dependents are skipped.
    pub fn skip(message: impl Into<String>) -> Self {
        Self(message.into(), Severity::Skip)
    }

    /// Whether the resource is only skipped.
    pub fn is_skip(&self) -> bool {
        self.1 == Severity::Skip
    }
}

/// Combines the errors of several steps into one.
pub(crate) fn all_of(
    results: impl IntoIterator<Item = Result<(), KindError>>,
) -> Result<(), KindError> {
    let failed: Vec<String> =
        results.into_iter().filter_map(Result::err).map(|e| e.to_string()).collect();
    if failed.is_empty() { Ok(()) } else { Err(KindError::new(failed.join("\n"))) }
}
