//! Errors of templates.

use crate::diagnostics::{Class, Error, Exception};
use crate::model::plugin::Stop;

/// The result of an evaluation.
pub(super) type Res<T> = Result<T, Fault>;

/// The error of an evaluation.
#[derive(Debug)]
pub(super) enum Fault {
    /// An undefined value was used.
    Undefined(String),
    /// A Python exception of this class.
    Raised(Exception, String),
    /// An error of the compiler, or a wait for variables.
    Stop(Box<Stop>),
}

impl Fault {
    /// Whether this is an exception of a class.
    pub(super) fn is(&self, class: &Exception) -> bool {
        matches!(self, Self::Raised(found, _) if found == class)
    }

    /// Whether `except (AttributeError, LookupError, TypeError)` catches it.
    pub(super) fn is_lookup(&self) -> bool {
        matches!(
            self,
            Self::Raised(
                Exception::AttributeError
                    | Exception::KeyError
                    | Exception::IndexError
                    | Exception::TypeError,
                _
            )
        )
    }

    /// Converts the error for the caller of the plugin.
    pub(super) fn stop(self) -> Stop {
        match self {
            Self::Undefined(text) => Stop::Error(Error::new(Class::NotFound, text)),
            Self::Raised(class, text) => Stop::raised(class, text),
            Self::Stop(stop) => *stop,
        }
    }
}

impl From<Stop> for Fault {
    fn from(stop: Stop) -> Self {
        Self::Stop(Box::new(stop))
    }
}

pub(super) fn type_error(text: impl Into<String>) -> Fault {
    Fault::Raised(Exception::TypeError, text.into())
}

pub(super) fn value_error(text: impl Into<String>) -> Fault {
    Fault::Raised(Exception::ValueError, text.into())
}

/// The error of a filter's argument.
pub(super) fn argument_error<T>(text: impl Into<String>) -> Res<T> {
    Err(Fault::Raised(Exception::FilterArgument, text.into()))
}
