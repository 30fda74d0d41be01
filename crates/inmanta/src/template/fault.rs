//! Why a template does not go on.

use crate::error::{Class, Error};
use crate::plugin::Stop;

/// The result of an evaluation.
pub(super) type Res<T> = Result<T, Fault>;

/// Why there is no value.
#[derive(Debug)]
pub(super) enum Fault {
    /// Something undefined was used.
    Undefined(String),
    /// A Python exception of this class.
    Raised(&'static str, String),
    /// The error of the model.
    Stop(Box<Stop>),
}

impl Fault {
    /// Whether it is an exception of this class.
    pub(super) fn is(&self, class: &str) -> bool {
        matches!(self, Self::Raised(found, _) if *found == class)
    }

    /// Whether `try … except (AttributeError, LookupError, TypeError)` takes it.
    pub(super) fn is_lookup(&self) -> bool {
        matches!(self, Self::Raised("AttributeError" | "KeyError" | "IndexError" | "TypeError", _))
    }

    /// The same for whoever called the plugin.
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
    Fault::Raised("TypeError", text.into())
}

pub(super) fn value_error(text: impl Into<String>) -> Fault {
    Fault::Raised("ValueError", text.into())
}

pub(super) const TEMPLATE_RUNTIME: &str = "jinja2.exceptions.TemplateRuntimeError";
pub(super) const SYNTAX: &str = "jinja2.exceptions.TemplateSyntaxError";
pub(super) const ASSERTION: &str = "jinja2.exceptions.TemplateAssertionError";
pub(super) const NOT_FOUND: &str = "jinja2.exceptions.TemplateNotFound";
pub(super) const NONE_FOUND: &str = "jinja2.exceptions.TemplatesNotFound";
pub(super) const FILTER_ARGUMENT: &str = "jinja2.exceptions.FilterArgumentError";
