//! Errors of provider processes.

use ordain_engine::kind::{AttributeError, KindError};
use ordain_plugins::Fault;

/// The reason why a request failed.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ProviderError {
    /// The process failed.
    #[error(transparent)]
    Process(#[from] Fault),
    /// The process answered with an error.
    #[error("{0}")]
    Refused(String),
}

impl ProviderError {
    /// Advice for the user.
    pub fn help(&self) -> Option<&'static str> {
        match self {
            Self::Process(fault) => fault.help(),
            Self::Refused(_) => None,
        }
    }
}

impl From<&ProviderError> for KindError {
    fn from(error: &ProviderError) -> Self {
        Self::new(error.to_string())
    }
}

impl From<&ProviderError> for AttributeError {
    fn from(error: &ProviderError) -> Self {
        let help = error.help().map(str::to_string);
        Self { help, ..Self::of_resource(error.to_string()) }
    }
}
