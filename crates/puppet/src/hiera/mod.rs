//! Hiera 5: data by key from layered hierarchies.

use crate::catalog::DataPlace;
use crate::eval::Compiler;
use crate::eval::error::EvalResult;
use crate::eval::scope::ScopeId;
use crate::value::Value;

/// What is kept of hierarchies and data files during a compile.
#[derive(Default, Debug)]
pub struct Cache {}

/// A value that was found, and where.
#[derive(Debug)]
pub struct Found {
    /// The value.
    pub value: Value,
    /// Where its parts came from, highest rank first.
    pub places: Vec<DataPlace>,
}

impl Compiler<'_> {
    /// The value that data has for the parameter of a class.
    ///
    /// # Errors
    /// When a hierarchy or data file is broken.
    pub fn lookup_parameter(
        &mut self,
        _class: &str,
        _param: &str,
        _scope: ScopeId,
    ) -> EvalResult<Option<Found>> {
        Ok(None)
    }
}
