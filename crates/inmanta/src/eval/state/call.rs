//! The arguments of plugin calls.

use ecow::EcoString;

use super::ids::UnitId;
use crate::model::plugin::Arguments;
use crate::value::{Value, VarId};

/// The arguments of a call.
#[derive(Debug, Default)]
pub(in crate::eval) struct CallArguments {
    pub(in crate::eval) positional: Vec<Value>,
    pub(in crate::eval) named: Vec<(EcoString, Value)>,
}

/// Arguments that were checked against a signature.
#[derive(Default)]
pub(in crate::eval) struct CheckedArguments {
    pub(in crate::eval) arguments: Arguments,
    /// Whether an argument is unknown.
    pub(in crate::eval) has_unknown: bool,
    /// The variables that need a value before the check can continue.
    pub(in crate::eval) missing: Vec<VarId>,
}

/// A call of a batch.
#[derive(Debug)]
pub(in crate::eval) struct BatchedCall {
    pub(in crate::eval) unit: UnitId,
    pub(in crate::eval) arguments: Arguments,
}
