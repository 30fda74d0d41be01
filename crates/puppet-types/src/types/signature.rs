//! Signatures of callables: parameters, block and return type.

use std::sync::Arc;

use crate::error::{EvalError, EvalResult};
use crate::model::{CallableType, Type};
use crate::types::range::IntRange;

pub use crate::model::{NoType, Signature, SignatureParam};

impl NoType {
    /// The error that this is not a type.
    pub fn refused<T>(&self) -> EvalResult<T> {
        let text = format!("Expected value of type Type, got {}", self.got);
        Err(EvalError::new("TYPE_MISMATCH", text, self.span).into())
    }
}

impl Signature {
    /// The fewest arguments.
    #[inline]
    pub fn min(&self) -> usize {
        self.params.iter().filter(|p| !p.optional).count()
    }

    /// Refuses a call with this number of arguments, or as a block (`None`), if one of their
    /// parameters does not have a valid type.
    ///
    /// # Errors
    /// `TYPE_MISMATCH` for the parameter.
    #[inline]
    pub fn needs_types(&self, given: Option<usize>) -> EvalResult<()> {
        let Some(no_type) = &self.no_type else { return Ok(()) };
        let is_rest = self.rest && no_type.at + 1 == self.params.len();
        let is_param = no_type.at < self.params.len();
        let is_reached = given.is_none_or(|given| !is_rest || no_type.at < given);
        if is_param && is_reached { no_type.refused() } else { Ok(()) }
    }

    /// Refuses to check the result of a call if its stated return type is not a type.
    ///
    /// # Errors
    /// `TYPE_MISMATCH`.
    #[inline]
    pub fn needs_return_type(&self) -> EvalResult<()> {
        match &self.no_type {
            Some(no_type) if no_type.at >= self.params.len() => no_type.refused(),
            _ => Ok(()),
        }
    }

    /// The most arguments; `None` if there is no limit.
    #[inline]
    pub fn max(&self) -> Option<usize> {
        (!self.rest).then_some(self.params.len())
    }
}

/// The type of something callable with these parameters.
pub fn callable_of(signature: &Signature) -> Type {
    let (from, to) = (signature.min() as i64, signature.params.len() as i64);
    let size = match signature.rest {
        true => IntRange::at_least(from.min(to)),
        false => IntRange::new(from, to),
    };
    Type::Callable(Some(Arc::new(CallableType {
        params: signature.params.iter().map(|p| p.kind.clone()).collect(),
        size,
        block: signature.block.clone(),
        returns: signature.returns.clone(),
    })))
}
