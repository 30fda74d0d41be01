//! Lambdas as values.

pub use crate::model::{Closure, ScopeId};
