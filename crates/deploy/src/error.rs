//! The error of a deploy.

use std::fmt::Display;
use std::io;
use std::path::Path;

use ordain_source::{Diagnostic, Span};
use thiserror::Error;

use crate::codes;

/// The reason why a deploy failed.
#[derive(Debug, Error)]
#[error("{}", .0.message)]
pub struct Error(Box<Diagnostic>);

/// A result with that error.
pub(crate) type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self(Box::new(Diagnostic::error(codes::DEPLOY, message)))
    }

    /// An I/O error with its path.
    pub(crate) fn path(path: &Path, error: &dyn Display) -> Self {
        Self::new(format!("{}: {error}", path.display()))
    }

    pub(crate) fn at(self, span: Option<Span>) -> Self {
        match span {
            Some(span) => Self(Box::new(self.0.at(span))),
            None => self,
        }
    }

    /// Adds the name of an environment to the message.
    pub(crate) fn prefixed(mut self, name: &str) -> Self {
        self.0.message = format!("{name}: {}", self.0.message);
        self
    }

    /// Adds the name of the environment to a message without a position.
    pub(crate) fn in_environment(self, name: &str) -> Self {
        if self.has_position() { self } else { self.prefixed(name) }
    }

    /// Adds the name of a module and the place of its declaration.
    pub(crate) fn of_module(self, name: &str, declaration: Span) -> Self {
        self.prefixed(&format!("the module {name}")).at(Some(declaration))
    }

    /// Whether it has a place in a file.
    pub(crate) fn has_position(&self) -> bool {
        self.0.primary.is_some()
    }

    pub(crate) fn help(self, text: impl Into<String>) -> Self {
        Self(Box::new(self.0.help(text)))
    }

    /// The message for users.
    pub fn into_diagnostic(self) -> Diagnostic {
        *self.0
    }
}

/// Adds a path to an I/O error.
pub(crate) trait AtPath<T> {
    fn at_path(self, path: &Path) -> Result<T>;
}

impl<T> AtPath<T> for io::Result<T> {
    fn at_path(self, path: &Path) -> Result<T> {
        self.map_err(|error| Error::path(path, &error))
    }
}

impl<T> AtPath<T> for rustix::io::Result<T> {
    fn at_path(self, path: &Path) -> Result<T> {
        self.map_err(|error| Error::path(path, &error))
    }
}
