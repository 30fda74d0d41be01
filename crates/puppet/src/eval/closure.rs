//! Things that can be called: lambdas with the scope they were written in.

use std::sync::Arc;

use ecow::EcoString;
use ordain_syntax::Idx;

use crate::eval::scope::ScopeId;
use crate::syntax::{Lambda, Program};
use crate::types::Type;

/// A lambda as a value: its code and the scope that it sees.
#[derive(Debug)]
pub struct Closure {
    /// The text that holds it.
    pub program: Arc<Program>,
    /// Its code.
    pub lambda: Idx<Lambda>,
    /// Where it was written.
    pub scope: ScopeId,
    /// Its parameters, their types evaluated.
    pub signature: Arc<Signature>,
}

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

    /// The most arguments; `None` if there is no limit.
    pub fn max(&self) -> Option<usize> {
        (!self.rest).then_some(self.params.len())
    }
}
