//! Signatures of callables: parameters, block and return type.

use ecow::EcoString;
use ordain_source::Span;

use crate::error::{EvalError, EvalResult};
use crate::types::Type;

/// The parameters of something callable.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Signature {
    /// Parameters in order; the last takes all the rest if `rest`.
    pub params: Vec<SignatureParam>,
    /// Whether the last parameter takes all the rest.
    pub rest: bool,
    /// The type of the block it takes: a callable, or an optional one.
    pub block: Option<Type>,
    /// The name of the block parameter.
    pub block_name: EcoString,
    /// What it gives, if said.
    pub returns: Option<Type>,
    /// The first of these types that is none; it stands as [`Type::Any`] above.
    pub no_type: Option<NoType>,
}

/// What stands where a type should and is another value. That is no error until a call needs it.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct NoType {
    /// The parameter that has it, by its place; behind the last one what is returned.
    pub at: usize,
    /// The type of the value.
    pub got: EcoString,
    /// The class of the value.
    pub class: EcoString,
    /// Where it is.
    pub span: Span,
}

impl NoType {
    /// That it is needed.
    pub fn refused<T>(&self) -> EvalResult<T> {
        let text = format!("Expected value of type Type, got {}", self.got);
        Err(EvalError::new("TYPE_MISMATCH", text, self.span).into())
    }
}

/// One parameter.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct SignatureParam {
    /// Its name.
    pub name: EcoString,
    /// What it takes.
    pub kind: Type,
    /// Whether it may be left out.
    pub optional: bool,
}

impl Signature {
    /// The fewest arguments.
    pub fn min(&self) -> usize {
        self.params.iter().filter(|p| !p.optional).count()
    }

    /// Refuses to be called with so many arguments, or as a block (`None`), if a parameter that
    /// they reach has no type.
    ///
    /// # Errors
    /// That what stands there is no type.
    pub fn needs_types(&self, given: Option<usize>) -> EvalResult<()> {
        let Some(no_type) = &self.no_type else { return Ok(()) };
        let is_rest = self.rest && no_type.at + 1 == self.params.len();
        let is_param = no_type.at < self.params.len();
        let is_reached = given.is_none_or(|given| !is_rest || no_type.at < given);
        if is_param && is_reached { no_type.refused() } else { Ok(()) }
    }

    /// Refuses to check what a call gave, if what stands for its type is none.
    ///
    /// # Errors
    /// That it is none.
    pub fn needs_return_type(&self) -> EvalResult<()> {
        match &self.no_type {
            Some(no_type) if no_type.at >= self.params.len() => no_type.refused(),
            _ => Ok(()),
        }
    }

    /// The most arguments; `None` if there is no limit.
    pub fn max(&self) -> Option<usize> {
        (!self.rest).then_some(self.params.len())
    }
}
