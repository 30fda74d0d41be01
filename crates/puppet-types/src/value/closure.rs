//! Lambdas as values, with the scope they were written in.

use std::sync::Arc;

use ordain_syntax::Idx;

use crate::types::signature::Signature;
use ordain_puppet_syntax::{Lambda, Program};

/// The id of a scope in the compiler.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ScopeId(pub u32);

impl ScopeId {
    /// The scope of the compile: facts, node parameters, the site program.
    pub const TOP: Self = Self(0);
}

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
